"""Connect Four solved: against BitBully, against the same search in C, and the empty board.

--data: `connect4/Test_L*_R*.txt`, a position (the columns played) and its score a line. A score is
22 less the winner's stones in the end, negative for a loss, 0 for a draw.

Ours is what a user calls: `game.solve(position)`, which forgets, and a solver, which keeps its
table from one position to the next as BitBully does. Each set has a fresh one, and none uses an
opening book. Times are CPU times of whole calls, position by position, the programs taking turns.
"""

import importlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from comparison import Comparison, LeftOut, Seconds, data, say

from threefold import Game, game
from threefold.engine.values import PLIES, WON

T = TypeVar("T")

SOURCE = Path(__file__).parent / "limit" / "connect_four_solve.c"
MEGABYTES = 64
#: The goals are a third of BitBully's speed, and 0.6 of C's.
WANTED = 1 / 3
WANTED_OF_C = 0.6
#: How many positions of each set are compared; of those of Test_L1_R3 each takes seconds,
POSITIONS = {"Test_L1_R3": 20}
#: and every move of a position near the start can take as long.
POSITIONS_BY_MOVE = {"Test_L1_R1": 10, "Test_L1_R2": 0, "Test_L1_R3": 0}
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
    text = file.read_text("utf-8")
    lines = [(played, int(score)) for played, score in map(str.split, text.splitlines())]
    for detail, most in (("win_in", POSITIONS), ("moves", POSITIONS_BY_MOVE)):
        compared = lines[: most.get(file.stem, len(lines))]
        if not compared:
            continue
        asked = f"{'every move' if detail == 'moves' else 'the score'} of {len(compared)} positions"
        ours, alone, theirs = (
            len(compared) / spent for spent in _spent(bitbully, compared, detail)
        )
        for how, rate in (("a solver kept", ours), ("game.solve", alone)):
            about = f"{what}: {asked}, all right; {how}"
            yield Comparison(about, rate, "BitBully", theirs, "positions/s", WANTED)


def _spent(bitbully: Any, lines: list[tuple[str, int]], detail: str) -> tuple[float, float, float]:
    """The seconds that a solver, `game.solve` and BitBully take for all positions."""
    g, their_solver = game("connect-four"), bitbully.BitBully(opening_book=None)
    ask = their_solver.score_all_moves if detail == "moves" else their_solver.mtdf
    ours = alone = theirs = 0.0
    with g.solver(megabytes=MEGABYTES) as solver:
        # The first call of each compiles, or touches memory for the first time.
        solver.solve("121212", detail=detail)
        ask(bitbully.Board([0, 1, 0, 1, 0, 1]))
        for played, published in lines:
            board = bitbully.Board([int(column) - 1 for column in played])
            seconds, found = _timed(ask, board)
            theirs += seconds
            seconds, kept = _timed(solver.solve, played, detail=detail)
            ours += seconds
            seconds, forgotten = _timed(g.solve, played, detail=detail)
            alone += seconds
            for solution in (kept, forgotten):
                scored = solution.scored("pons")
                scores = {line.move: line.value for line in scored.lines}
                if scored.value != published or found not in (published, scores):
                    raise AssertionError(f"{played}: {scored}, {found}, {published}")
    return ours, alone, theirs


def _timed(work: Callable[..., T], *args: Any, **options: Any) -> tuple[float, T]:
    """The CPU seconds of all threads, and the outcome."""
    began = time.process_time()
    outcome = work(*args, **options)
    return time.process_time() - began, outcome


def _against_c() -> Iterator[Comparison | LeftOut]:
    what = f"connect-four solved, {len(FOR_C)} positions"
    compiler = shutil.which("cc")
    if compiler is None:
        yield LeftOut(f"{what} against C", "there is no C compiler (cc)")
        return
    say(f"{what} against C")
    g, ours, theirs = game("connect-four"), 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, str(SOURCE)], check=True)
        # Taking turns, so that a busy machine slows both.
        for _ in range(3):
            seconds, values = _timed(_our_values, g)
            ours = max(ours, len(FOR_C) / seconds)
            said = subprocess.run(
                [program, str(MEGABYTES), *FOR_C], capture_output=True, text=True, check=True
            ).stdout.split()
            if [*map(int, said[:-2])] != values:
                raise AssertionError(f"{said}, not {values}")
            theirs = max(theirs, len(FOR_C) / float(said[-1]))
    yield Comparison(what, ours, "C, cc -O3 -march=native", theirs, "positions/s", WANTED_OF_C)


def _our_values(g: Game[Any]) -> list[int]:
    """The value of each position as the program in C prints it."""
    with g.solver(megabytes=MEGABYTES) as solver:
        found = [solver.solve(played, detail="win_in") for played in FOR_C]
    return [int(each.value) * (WON + PLIES - abs(each.win_in or 0)) for each in found]


def _empty_board() -> Seconds:
    """The first player wins, and only in the middle."""
    say("connect-four, the empty board")
    g = game("connect-four")
    began = time.perf_counter()
    found = g.solve(detail="best", megabytes=EMPTY_BOARD_MEGABYTES)
    seconds = time.perf_counter() - began
    if found.value != 1 or [g.format_move(g.initial(), a) for a in found.all_best] != ["4"]:
        raise AssertionError(f"the first player wins by {found.all_best}")
    return Seconds(
        f"connect-four from the empty board: only 4 wins ({found.nodes:,} nodes, "
        f"{found.nodes / seconds / 1e6:.1f} M/s)",
        *(seconds, EMPTY_BOARD_SECONDS),
    )
