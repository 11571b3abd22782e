"""Perft: how many positions lie exactly d plies away. The field's test of a move generator.

A game that ended earlier is not counted unless asked for (Othello's published tables count them;
those of chess and Connect Four do not). A forced pass is a ply, and so is an event of nature. The
counting itself is in `threefold.engine.tree_count`, and on a GPU in `threefold.gpu.counting`.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import TypeAlias, TypeVar

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine, bar
from threefold.engine.records import allocate, boxed, interpreted_record
from threefold.engine.tree_count import count, count_from
from threefold.engine.worker import run_in_worker
from threefold.rules.contract import Action
from threefold.rules.game import Game, check_depth
from threefold.rules.rebind import interpreted

S = TypeVar("S")

#: Deeper than any game goes, and shallow enough for the stack.
MAX_PERFT_DEPTH = 10_000


#: Counts the tree below a position to a depth.
Counter: TypeAlias = Callable[[S, int], int]
#: Given a game, a position, a depth and whether to count finished games: what counts, prepared for
#: that, and the `Control` that it shares with Python.
MakeCounter: TypeAlias = Callable[[Game[S], S, int, bool], tuple[Counter[S], Control]]


def interpreted_counter(
    game: Game[S], s: S, depth: int, finished: bool
) -> tuple[Counter[S], Control]:
    """Counts with the interpreted rules."""
    del s  # nothing to prepare
    assert isinstance(count, FunctionType)
    bound = interpreted(count, game)
    rows = [[0] * game.facts.max_moves for _ in range(depth + 2)]
    control = interpreted_record(Control)

    def count_interpreted(t: S, plies: int) -> int:
        return int(bound(t, plies, 0, int(finished), rows, control))

    return count_interpreted, control


def compiled_counter(game: Game[S], s: S, depth: int, finished: bool) -> tuple[Counter[S], Control]:
    """Counts with machine code."""
    compiled = Compiled(game)
    entry = compiled.entry(count_from)
    rows, control = compiled.rows(depth + 2), allocate(Control)
    entry.prepare(compiled.words(s), depth, int(finished), rows, boxed(control))

    def count_compiled(t: S, plies: int) -> int:
        arguments = (compiled.words(t), plies, int(finished), rows, boxed(control))
        return int(run_in_worker(partial(entry, *arguments), control))

    return count_compiled, control


@dataclass(frozen=True)
class Perft:
    """A tree's count: all positions `depth` plies away, and by root move if asked for."""

    depth: int
    nodes: int
    seconds: float
    divide: Sequence[tuple[Action, int]]


def perft(
    game: Game[S],
    s: S,
    depth: int,
    *,
    finished: bool = False,
    divide: bool = False,
    counter: MakeCounter[S] = compiled_counter,
) -> Perft:
    """Count the tree below a position, with machine code by default.

    `seconds` does not include compiling.
    """
    check_depth(depth, 0, MAX_PERFT_DEPTH)
    count_tree, control = counter(game, s, depth, finished)
    began = time.perf_counter()
    parts: list[tuple[Action, int]] = []
    # Root move by root move, so that progress can be shown.
    roots = game.all_moves(s) if depth > 0 else []
    with StatusLine(lambda seconds: _progress(control.nodes, len(parts), len(roots), seconds)):
        for a in roots:
            parts.append((a, count_tree(game.result(s, a), depth - 1)))
            check_fault(game, control)
    nodes = sum(n for _, n in parts) if roots else int(depth == 0 or finished)
    return Perft(depth, nodes, time.perf_counter() - began, parts if divide else ())


def _progress(nodes: int, done: int, roots: int, seconds: float) -> str:
    rate = nodes / seconds / 1e6
    return f"{bar(done / max(roots, 1))} {done}/{roots} moves  {nodes:,} positions  {rate:.1f} M/s"
