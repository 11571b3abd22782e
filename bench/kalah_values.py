"""Kalah solved: the first player's exact value for 1–6 pits and 1–6 seeds, as far as an hour goes.

With empty captures and without, small boards first. It prints each value as soon as it is known,
and two tables in the end. `--time S` gives it more time, or less. Values that are published must
be reproduced; the goal for (6,4) with empty captures is five minutes.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from comparison import LeftOut, Seconds, say, time_limit

from threefold import ThreefoldError, game

HOUR = 3600.0
MEGABYTES = 2048
NUMBERS = range(1, 7)
#: By pits, seeds and whether the last seed is banked from an own empty pit with nothing opposite.
PUBLISHED = {(6, 4, True): 10, (6, 5, True): 12, (6, 4, False): 8, (6, 5, False): 10}
WANTED = (6, 4, True)
WANTED_SECONDS = 300.0


@dataclass(frozen=True)
class Value:
    """What the first player wins by on one board."""

    pits: int
    seeds: int
    empty_capture: bool
    value: int
    nodes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{_name(self.pits, self.seeds, self.empty_capture)}: {_signed(self.value)} "
            f"({self.nodes:,} nodes, {self.seconds:.1f} s)"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class Table:
    """All values of a variant: pits down, seeds across."""

    empty_capture: bool
    values: dict[tuple[int, int], int]

    def __str__(self) -> str:
        rows = [["pits", *(f"{seeds}" for seeds in NUMBERS)]]
        for pits in NUMBERS:
            known = (self.values.get((pits, seeds)) for seeds in NUMBERS)
            rows.append([f"{pits}", *("?" if value is None else _signed(value) for value in known)])
        lines = ("  ".join(f"{cell:>4}" for cell in row) for row in rows)
        return "\n".join([f"{_variant(self.empty_capture)}, seeds from 1 to 6 across", *lines])

    def to_json(self) -> dict[str, Any]:
        values = {f"{pits},{seeds}": value for (pits, seeds), value in self.values.items()}
        return {"empty_capture": self.empty_capture, "values": values}


def measure() -> Iterator[Value | Seconds | Table | LeftOut]:
    began, limit = time.perf_counter(), time_limit(HOUR)
    known: dict[bool, dict[tuple[int, int], int]] = {True: {}, False: {}}
    boards = sorted(product(NUMBERS, NUMBERS), key=lambda board: (board[0] * board[1], board[0]))
    for (pits, seeds), empty_capture in product(boards, (True, False)):
        left = limit - (time.perf_counter() - began)
        found = _solve(pits, seeds, empty_capture, left) if left > 0 else None
        if found is None:
            what = _name(pits, seeds, empty_capture)
            yield LeftOut(what, f"the {limit:g} s are over; --time gives it more")
            break
        expected = PUBLISHED.get((pits, seeds, empty_capture), found.value)
        if found.value != expected:
            raise AssertionError(f"{found}, where {_signed(expected)} is published")
        known[empty_capture][pits, seeds] = found.value
        yield found
        if (pits, seeds, empty_capture) == WANTED:
            what = f"{_name(pits, seeds, empty_capture)} solved"
            yield Seconds(what, found.seconds, WANTED_SECONDS)
    for empty_capture, values in known.items():
        yield Table(empty_capture, values)


def _solve(pits: int, seeds: int, empty_capture: bool, seconds: float) -> Value | None:
    """The value of a board; None if it takes too long.

    The number of seeds is in the position alone, so that each variant of a board is compiled once.
    """
    say(_name(pits, seeds, empty_capture))
    g = game(f"kalah(pits={pits},empty_capture={str(empty_capture).lower()})")
    side = ",".join([str(seeds)] * pits + ["0"])
    try:
        solution = g.solve(
            f"{side}/{side} S",
            method="null-window",
            detail="value",
            megabytes=MEGABYTES,
            time=seconds,
        )
    except ThreefoldError:
        return None
    if not solution.exact:
        return None
    value = int(solution.value)
    return Value(pits, seeds, empty_capture, value, solution.nodes, solution.seconds)


def _signed(value: int) -> str:
    return f"{value:+d}" if value else "0"


def _variant(empty_capture: bool) -> str:
    return "with empty captures" if empty_capture else "without empty captures"


def _name(pits: int, seeds: int, empty_capture: bool) -> str:
    return f"kalah({pits},{seeds}) {_variant(empty_capture)}"
