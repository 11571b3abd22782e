"""Connect Four solved: against BitBully, against the same search in C, and the empty board.

--data: `connect4/Test_L*_R*.txt`, a position (the columns played) and its score a line. A score is
22 less the winner's stones in the end, negative for a loss, 0 for a draw.

Both programs keep their table from one position to the next, each set with a fresh one, and none
uses an opening book. Times are the processor's, position by position, turn about.
"""

import importlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from comparison import Comparison, LeftOut, Seconds, data, say

from threefold import game
from threefold.engine.control import CONTROL_WORDS, NODES
from threefold.engine.values import plies_of, utility_of
from threefold.solve import exact
from threefold.solve.exact import ExactSearch

SOURCE = Path(__file__).parent / "limit" / "connect_four_solve.c"
MEGABYTES = 64
#: As fast as a third of BitBully is wanted, and 0.6 of C.
WANTED = 1 / 3
WANTED_OF_C = 0.6
#: How many positions of each set are compared; of those of Test_L1_R3 each takes seconds.
POSITIONS = {"Test_L1_R3": 20}
#: Played by chance, for the comparison with C.
FOR_C = ("4435521", "12345671", "44444322", "2244663", "1716256")
EMPTY_BOARD_MEGABYTES = 3500
EMPTY_BOARD_SECONDS = 600.0


def measure() -> Iterator[Comparison | Seconds | LeftOut]:
    folder = data("connect4")
    if folder is None:
        yield LeftOut("connect-four solved against BitBully", "--data names no folder connect4")
    else:
        for file in sorted(folder.glob("Test_*.txt")):
            yield from _against_bitbully(file)
    yield from _against_c()
    yield _empty_board()


def _against_bitbully(file: Path) -> Iterator[Comparison | LeftOut]:
    what = f"connect-four solved, {file.stem}"
    try:
        bitbully = importlib.import_module("bitbully")
    except ImportError:
        yield LeftOut(f"{what} against BitBully", "pip install bitbully installs it")
        return
    say(what)
    lines = [line.split() for line in file.read_text("utf-8").splitlines() if line.strip()]
    g = game("connect-four")
    ours, theirs = _new_search(MEGABYTES), bitbully.BitBully(opening_book=None)
    # The first call of either touches memory for the first time.
    ours.value(g.parse("121212"))
    theirs.mtdf(bitbully.Board([0, 1, 0, 1, 0, 1]))
    our_seconds = their_seconds = 0.0
    for played, published in lines[: POSITIONS.get(file.stem, len(lines))]:
        s, board = g.parse(played), bitbully.Board([int(column) - 1 for column in played])
        began = time.process_time()
        value = ours.value(s)
        between = time.process_time()
        their_score = theirs.mtdf(board)
        their_seconds += time.process_time() - between
        our_seconds += between - began
        if not score(played, value) == their_score == int(published):
            raise AssertionError(f"{played}: {score(played, value)}, {their_score}, {published}")
    count = min(len(lines), POSITIONS.get(file.stem, len(lines)))
    yield Comparison(
        f"{what} ({count} positions, all scores equal)",
        *(count / our_seconds, "BitBully", count / their_seconds, "positions/s", WANTED),
    )


def score(played: str, value: int) -> int:
    """Connect Four's usual score of a value."""
    if value == 0:
        return 0
    return utility_of(value) * (22 - (len(played) + plies_of(value) + 1) // 2)


def _against_c() -> Iterator[Comparison | LeftOut]:
    what = "connect-four solved, nodes"
    compiler = shutil.which("cc")
    if compiler is None:
        yield LeftOut(f"{what} against C", "there is no C compiler (cc)")
        return
    say(f"{what} against C")
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, str(SOURCE)], check=True)
        ours, theirs = 0.0, 0.0
        # Turn about, so that a busy machine slows both.
        for _ in range(3):
            nodes, seconds, values = _our_nodes()
            ours = max(ours, nodes / seconds)
            said = subprocess.run(
                [program, str(MEGABYTES), *FOR_C], capture_output=True, text=True, check=True
            ).stdout.split()
            if [*map(int, said[:-1])] != [*values, nodes]:
                raise AssertionError(f"another tree: {said}, not {values} and {nodes} nodes")
            theirs = max(theirs, nodes / float(said[-1]))
    yield Comparison(what, ours, "C, cc -O3 -march=native", theirs, "nodes/s", WANTED_OF_C)


def _our_nodes() -> tuple[int, float, list[int]]:
    g, search = game("connect-four"), _new_search(MEGABYTES)
    at_once, exact.AT_ONCE = exact.AT_ONCE, 0  # so that no node is counted twice
    try:
        began = time.process_time()
        values = [search.value(g.parse(played)) for played in FOR_C]
        return int(search.control[NODES]), time.process_time() - began, values
    finally:
        exact.AT_ONCE = at_once


def _empty_board() -> Seconds:
    """The first player wins, and only in the middle: each of his moves is asked about."""
    say("connect-four, the empty board")
    g, search = game("connect-four"), _new_search(EMPTY_BOARD_MEGABYTES)
    began = time.perf_counter()
    wins = [a for a in g.moves(g.initial()) if _wins(search, g.result(g.initial(), a))]
    seconds = time.perf_counter() - began
    if [g.format_move(g.initial(), a) for a in wins] != ["4"]:
        raise AssertionError(f"the first player wins by {wins}")
    nodes = int(search.control[NODES])
    return Seconds(
        f"connect-four from the empty board: only 4 wins ({nodes:,} nodes, "
        f"{nodes / seconds / 1e6:.1f} M/s)",
        *(seconds, EMPTY_BOARD_SECONDS),
    )


def _wins(search: ExactSearch[Any], reply: Any) -> bool:
    """Whether the player who has just moved wins: the other is worth less than a draw."""
    return search.bound(reply, -1, 0) < 0


def _new_search(megabytes: int) -> ExactSearch[Any]:
    return ExactSearch(game("connect-four"), megabytes, np.zeros(CONTROL_WORDS, np.int64))
