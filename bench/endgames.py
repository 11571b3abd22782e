"""End-game databases: how long they take to build, how large they are, and what a probe costs.

Checkers with up to 4 and 5 pieces and chess with up to 4 are built from nothing and verified. Chess
is compared with the Syzygy tables in --data DIR, chess/syzygy, by python-chess. Kalah is solved
with a database of up to 20 seeds and without. `--time S` leaves out what takes longer than S
seconds.
"""

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from comparison import AtMost, Comparison, LeftOut, Seconds, data, say, time_limit

from threefold import game
from threefold.engine.compile import Compiled
from threefold.engine.endgames.database import NEEDED, Database
from threefold.engine.endgames.probing import DatabaseMemory, probe
from threefold.engine.records import Boxed, boxed
from threefold.rules.bits import add
from threefold.rules.contract import position_of, slice_of
from threefold.solve.endgames.building import build

#: The game, its pieces, about how long it takes on two cores, and how long it may take.
BUILDS = (
    ("checkers", 4, 5, 60),
    ("chess", 4, 150, 1200),
    ("checkers", 5, 90, 1800),
)
#: Positions of each slice that are compared with Syzygy's tables.
COMPARED = 2000
#: Probes at random in a slice, and in order.
PROBES = 2_000_000
KALAH_SEEDS = 20
KALAH_SECONDS = 240


def measure() -> Iterator[Seconds | AtMost | Comparison | LeftOut]:
    limit = time_limit(3600)
    with tempfile.TemporaryDirectory() as place:
        for name, pieces, about, wanted in BUILDS:
            what = f"{name} with up to {pieces} pieces, built and verified"
            if about > limit:
                yield LeftOut(what, f"it takes about {about} s; --time gives it more")
                continue
            say(what)
            folder = Path(place, f"{name}-{pieces}")
            built = build(game(name), pieces, folder)
            yield Seconds(what, built.seconds, wanted)
            each = built.bytes / built.positions
            yield AtMost(f"{name} with up to {pieces} pieces", each, "bytes a position", 1.0)
            if name == "chess":
                yield from _syzygy(folder)
            yield from _probes(name, folder)
        if limit < KALAH_SECONDS:
            yield LeftOut("Kalah with a database", f"it takes about {KALAH_SECONDS} s")
        else:
            yield from _kalah(Path(place, "kalah"))


def _syzygy(folder: Path) -> Iterator[AtMost | LeftOut]:
    """How many values differ from those of the Syzygy tables."""
    what, tables = "chess values that differ from Syzygy's", data("chess", "syzygy")
    if tables is None:
        yield LeftOut(what, "there are no tables in --data DIR, chess/syzygy")
        return
    try:
        import chess
        import chess.syzygy
    except ImportError:
        yield LeftOut(what, "python-chess is not installed")
        return
    say("comparing with Syzygy's tables")
    ours = game("chess")
    endgames, database = ours.endgames, Database(ours, folder)
    assert endgames is not None
    rng, compared, different = random.Random(1), 0, 0
    with chess.syzygy.open_tablebase(str(tables)) as theirs:
        for each in endgames.slices(4):
            for _ in range(COMPARED):
                s = endgames.position(each.number, rng.randrange(each.size))
                if endgames.slice_of(s) == each.number:
                    known = database.look_up(s)
                    assert known is not None
                    wdl = theirs.probe_wdl(chess.Board(ours.format(s)))
                    compared += 1
                    different += known.value != (wdl > 0) - (wdl < 0)
    yield AtMost(f"{what}, of {compared:,}", different, "values", 0)


def set_up_all(of_slice: int, numbers: Any, memory: Boxed[DatabaseMemory]) -> int:
    """The template: set up each position."""
    total = memory[0].probes
    for i in range(len(numbers)):
        total = add(total, slice_of(position_of(of_slice, numbers[i])))
    return total


def probe_all(of_slice: int, numbers: Any, memory: Boxed[DatabaseMemory]) -> int:
    """The same, looking each position up instead."""
    total = 0
    for i in range(len(numbers)):
        total = add(total, probe(position_of(of_slice, numbers[i]), memory[0]))
    return total


def _probes(name: str, folder: Path) -> Iterator[AtMost]:
    """What looking a position up takes, apart from setting it up."""
    ours = game(name)
    database, compiled = Database(ours, folder), Compiled(ours.reduced_to(NEEDED))
    largest = max(database.tables.values(), key=lambda table: table.header.size).header
    rng = np.random.default_rng(1)
    near = rng.integers(0, largest.size - 4096) + np.arange(PROBES) % 4096
    anywhere = rng.integers(0, largest.size, PROBES // 20)
    for numbers, where, wanted in ((near, "cached", 1.0), (anywhere, "at random", 20.0)):
        seconds = {}
        for template in (set_up_all, probe_all):
            arrays = database.arrays(megabytes=0)
            arguments = (largest.slice, numbers, boxed(arrays.memory))
            compiled.entry(template).prepare(*arguments)
            compiled.entry(template)(largest.slice, numbers[:4096], boxed(arrays.memory))
            began = time.perf_counter()
            compiled.entry(template)(*arguments)
            seconds[template] = time.perf_counter() - began
        cost = (seconds[probe_all] - seconds[set_up_all]) / len(numbers) * 1e6
        yield AtMost(f"{name}: a probe of {largest.name}, {where}", cost, "µs", wanted)


def _kalah(folder: Path) -> Iterator[Seconds | Comparison]:
    """Kalah with six pits and four seeds in each, solved with a database and without."""
    say(f"kalah with up to {KALAH_SEEDS} seeds")
    kalah = game("kalah")
    built = build(kalah, KALAH_SEEDS, folder)
    yield Seconds(f"Kalah with up to {KALAH_SEEDS} seeds, built and verified", built.seconds, 600)
    say("kalah(6,4) with the database and without")
    with_tables = kalah.with_database(folder).solve(detail="value", megabytes=2048)
    without = kalah.solve(detail="value", megabytes=2048, method="null-window")
    if (with_tables.value, with_tables.exact) != (without.value, without.exact):
        raise AssertionError(f"{with_tables.value} with the database, {without.value} without")
    yield Comparison(
        "Kalah (6,4) solved with a database",
        1 / with_tables.seconds,
        "the same without",
        1 / without.seconds,
        "solutions/s",
        2,
    )
