"""Perft, compiled: against OpenSpiel driven from Python, and against the same algorithm in C.

OpenSpiel is driven in both ways a user might: making every leaf with `state.child(a)`, as its
own counting examples do, and counting the last ply by `len(legal_actions())`, as ours does. It must
count the same as ours. In checkers each of its plies is one jump, so its leaves differ from
ours; there the jumps of a move are first combined.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comparison import Comparison, LeftOut, best_rate, say

from threefold import game

LIMIT = Path(__file__).parent / "limit"

# game of ours, game of theirs, depth of ours, depth at which OpenSpiel is timed, wanted ratio
GAMES = [
    ("othello", "othello", 9, 8, 80.0),
    ("connect-four", "connect_four", 9, 7, 100.0),
    ("checkers", "checkers", 9, 8, 50.0),
    ("kalah", "mancala", 12, 8, 20.0),
]
#: To this depth both must count the same.
SAME_DEPTH = 5
WANTED_OF_C = 0.6


def measure() -> Iterator[Comparison | LeftOut]:
    for spec, theirs, depth, their_depth, wanted in GAMES:
        say(f"{spec} perft {depth}")
        ours = _our_rate(spec, depth)
        what = f"{spec} perft {depth}"
        yield from _against_open_spiel(what, spec, ours, theirs, their_depth, wanted)
        if (LIMIT / f"{spec.replace('-', '_')}.c").is_file():
            yield from _against_c(what, spec, depth)


def _our_rate(spec: str, depth: int) -> float:
    g = game(spec)
    g.perft(depth=2)  # compiles
    return best_rate(lambda: g.perft(depth=depth), repeats=5)


def _against_open_spiel(
    what: str, spec: str, ours: float, theirs: str, depth: int, wanted: float
) -> Iterator[Comparison | LeftOut]:
    try:
        import pyspiel
    except ImportError:
        yield LeftOut(f"{what} against OpenSpiel", 'pip install -e ".[bench]" installs it')
        return
    start = pyspiel.load_game(theirs).new_initial_state()
    count = _count_whole_moves if spec == "checkers" else _make_every_leaf
    assert count(start, SAME_DEPTH) == game(spec).perft(depth=SAME_DEPTH), "the rules differ"
    every_leaf = best_rate(lambda: _make_every_leaf(start, depth), repeats=1)
    yield Comparison(
        what, ours, "OpenSpiel from Python, every leaf made", every_leaf, "leaves/s", wanted
    )
    last_ply = best_rate(lambda: _count_last_ply(start, depth), repeats=1)
    yield Comparison(
        what, ours, "OpenSpiel from Python, last ply counted", last_ply, "leaves/s", 1.0
    )


def _make_every_leaf(state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    if state.is_terminal():
        return 0
    return sum(_make_every_leaf(state.child(a), depth - 1) for a in state.legal_actions())


def _count_last_ply(state: Any, depth: int) -> int:
    if state.is_terminal():
        return 0
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(_count_last_ply(state.child(a), depth - 1) for a in actions)


def _count_whole_moves(state: Any, depth: int) -> int:
    """Leaves where a ply goes on as long as the same player moves."""
    if depth == 0:
        return 1
    total = 0
    for a in state.legal_actions():
        child = state.child(a)
        goes_on = child.current_player() == state.current_player()
        total += _count_whole_moves(child, depth if goes_on else depth - 1)
    return total


def _against_c(what: str, spec: str, depth: int) -> Iterator[Comparison | LeftOut]:
    compiler = shutil.which("cc")
    if compiler is None:
        yield LeftOut(f"{what} against C", "there is no C compiler (cc)")
        return
    source = LIMIT / f"{spec.replace('-', '_')}.c"
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, str(source)], check=True)
        # Taking turns, so that a busy machine slows both.
        ours, theirs = 0.0, 0.0
        for _ in range(3):
            ours = max(ours, _our_rate(spec, depth))
            said = subprocess.run(
                [program, str(depth)], capture_output=True, text=True, check=True
            ).stdout.split()
            theirs = max(theirs, int(said[0]) / float(said[1]))
    yield Comparison(what, ours, "C, cc -O3 -march=native", theirs, "leaves/s", WANTED_OF_C)
