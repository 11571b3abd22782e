"""Bridge with all hands open: whole tables of twenty results, against DDS as `endplay` calls it.

Deals are shuffled by number, the same in every run. Ours is what a user calls, `DoubleDummy.table`,
with all that was compiled before. Time is CPU time of all threads, since DDS chooses how many it
uses, and a busy machine would slow the longer runs more; the programs take turns. Every table is
compared, and a difference is an error. Then all cores work on many deals at once, for deals a
second by the clock, and every card of positions in the middle of play is judged.

--data: `bridge/list100.txt`, a hundred deals with their tables, which are checked too.
"""

import importlib
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from comparison import AtMost, Comparison, LeftOut, Rate, data, say

from threefold import game
from threefold.games.bridge.cards import IN_A_SUIT, SEATS, STRAINS
from threefold.games.bridge.dealing import dealt
from threefold.games.bridge.double_dummy import DoubleDummy, Tricks
from threefold.games.bridge.notation import format_hands, read_deal

T = TypeVar("T")

#: The goals: a tenth of DDS's speed, and a person does not notice.
WANTED = 1 / 10
DEALS = int(os.environ.get("THREEFOLD_DEALS", "40"))
DEALS_AT_ONCE = 40
#: From this many plies on, and how many such positions.
PLIES = 18
POSITIONS = 200
#: Tricks of a table: thirteen for each of twenty results.
_TRICKS = 20 * IN_A_SUIT


def measure() -> Iterator[Comparison | Rate | AtMost | LeftOut]:
    deals = [dealt(number) for number in range(1, DEALS + 1)]
    ours = DoubleDummy(threads=1)
    ours.table(dealt(DEALS + 1))
    yield from _tables(ours, deals)
    yield from _published()
    together = DoubleDummy(threads=os.cpu_count() or 1)
    list(together.tables(deals[:2]))
    say("many deals at once")
    began = time.perf_counter()
    for _ in together.tables(deals[:DEALS_AT_ONCE]):
        pass
    rate = min(DEALS, DEALS_AT_ONCE) / (time.perf_counter() - began)
    yield Rate(f"whole tables on {os.cpu_count()} cores", rate, "deals/s", 0)
    yield from _in_the_middle()


def _tables(ours: DoubleDummy, deals: Sequence[Sequence[int]]) -> Iterator[Any]:
    """Whole tables, one deal after another."""
    try:
        dds, types = (
            importlib.import_module("endplay.dds"),
            importlib.import_module("endplay.types"),
        )
    except ImportError:
        yield LeftOut("whole tables against DDS", "pip install endplay installs it")
        return
    our_seconds, their_seconds, before = 0.0, 0.0, ours.nodes
    for number, hands in enumerate(deals, 1):
        say(f"deal {number} of {len(deals)}")
        seconds, found = _timed(partial(ours.table, hands))
        our_seconds += seconds
        deal = types.Deal(format_hands(hands))
        seconds, table = _timed(partial(dds.calc_dd_table, deal))
        their_seconds += seconds
        _check(found, _read(table, types), hands)
    what = f"whole tables of {len(deals)} deals, all equal"
    yield Comparison(
        what, len(deals) / our_seconds, "DDS", len(deals) / their_seconds, "tables/s", WANTED
    )
    nodes = (ours.nodes - before) / len(deals)
    yield Rate("positions looked at in a table", nodes, "nodes", 0)
    yield Rate("positions looked at for each trick of a table", nodes / _TRICKS, "nodes", 0)


def _read(table: Any, types: Any) -> Tricks:
    return {
        seat: {
            strain: table[types.Denom.find(strain.lower()), types.Player.find(seat)]
            for strain in STRAINS
        }
        for seat in SEATS
    }


def _published() -> Iterator[AtMost | LeftOut]:
    """The hundred deals of a file, with what it says of them."""
    file = data("bridge", "list100.txt")
    if file is None:
        yield LeftOut("a hundred deals with known tables", "--data names no bridge/list100.txt")
        return
    text = file.read_text("utf-8")
    deals = [read_deal(deal) for deal in re.findall(r'^PBN.*"(.*)"', text, re.MULTILINE)]
    tables = [list(map(int, row.split())) for row in re.findall("^TABLE(.*)", text, re.MULTILINE)]
    solver = DoubleDummy(threads=os.cpu_count() or 1)
    wrong = 0
    for number, (found, table) in enumerate(zip(solver.tables(deals), tables, strict=True), 1):
        say(f"published deal {number} of {len(deals)}")
        rows = [found[seat][strain] for strain in ("S", "H", "D", "C", "NT") for seat in SEATS]
        wrong += rows != table
    yield AtMost(f"wrong tables among {len(deals)} published ones", wrong, "tables", 0)


def _in_the_middle() -> Iterator[Rate]:
    """What every card is worth, in positions as a player asks for them."""
    g, rng = game("bridge"), random.Random(1)
    positions = []
    for number in range(POSITIONS):
        s = game(f"bridge(deal={number + 1})").initial()
        for _ in range(PLIES + number % 4):
            s = g.result(s, rng.choice(g.moves(s)))
        positions.append(s._replace(won=0, lost=0))
    with g.solver(megabytes=64) as solver:
        solver.solve(positions[0], lines=False, progress=False)
        say("positions in the middle of play")
        seconds, _ = _timed(
            lambda: [solver.solve(s, lines=False, progress=False) for s in positions]
        )
    what = f"every card of a position after {PLIES} to {PLIES + 3} plies, on one core"
    yield Rate(what, len(positions) / seconds, "positions/s", 0)


def _check(ours: Tricks, theirs: Tricks, hands: Sequence[int]) -> None:
    if ours != theirs:
        raise AssertionError(f"{format_hands(hands)}: {ours}, but DDS says {theirs}")


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    began = time.process_time()
    found = work()
    return time.process_time() - began, found
