"""Othello solved: the end-games that the field uses, and 6×6 from the start.

--data: `othello/fforum-1-19.obf` and `fforum-20-39.obf`, a board, the side to move and each move's
score a line, the best first. Every score is checked. Each position starts with an empty table.
"""

from collections.abc import Iterator
from contextlib import suppress

from comparison import LeftOut, Seconds, data, quickest, say

from threefold import game
from threefold.errors import Unsolved

MEGABYTES = 256
#: file, seconds wanted
SETS = [("fforum-1-19.obf", 10.0), ("fforum-20-39.obf", 900.0)]
SMALL_BOARD = "othello(size=6)"
SMALL_BOARD_MEGABYTES = 2048
#: White wins by twenty discs to sixteen (Feinstein, 1993).
SMALL_BOARD_VALUE = -4
SMALL_BOARD_SECONDS = 1200.0


def measure() -> Iterator[Seconds | LeftOut]:
    for name, wanted in SETS:
        file = data("othello", name)
        if file is None:
            yield LeftOut(
                f"othello end-games {name}", f"--data names no folder with othello/{name}"
            )
            continue
        say(f"othello end-games {name}")
        lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
        seconds, nodes = 0.0, 0
        for line in lines:
            position, best = line.split(";")[:2]
            taken, counted = _solve("othello", position.strip(), int(best.split(":")[1]), MEGABYTES)
            seconds, nodes = seconds + taken, nodes + counted
        yield _report(f"othello end-games {name}, {len(lines)} right", seconds, nodes, wanted)
    say("othello 6×6 from the start")
    seconds, nodes = _solve(SMALL_BOARD, None, SMALL_BOARD_VALUE, SMALL_BOARD_MEGABYTES)
    yield _report("othello 6×6 from the start: -4", seconds, nodes, SMALL_BOARD_SECONDS)


def _solve(spec: str, position: str | None, known: int, megabytes: int) -> tuple[float, int]:
    """Seconds and nodes that a position takes; its value has to be the known one."""
    g = game(spec)
    with suppress(Unsolved):
        g.solve(position, detail="value", nodes=1)  # compiles
    seconds, found = quickest(
        lambda: g.solve(position, detail="value", megabytes=megabytes), repeats=1
    )
    if found.value != known:
        raise AssertionError(f"{position}: {found.value}, not {known}")
    return seconds, found.nodes


def _report(what: str, seconds: float, nodes: int, wanted: float) -> Seconds:
    return Seconds(f"{what} ({nodes:,} nodes, {nodes / seconds / 1e6:.1f} M/s)", seconds, wanted)
