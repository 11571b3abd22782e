"""Perft: how many positions lie exactly d plies away. The field's test of a move generator.

A game that ended earlier is not counted, unless asked for (Othello's published tables count them;
those of chess and Connect Four do not). A forced pass is a ply, and so is an event of nature. The
counting itself is in `threefold.engine.tree_count`, and on a GPU in `threefold.gpu.counting`.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import TypeVar

from threefold.engine.control import Control
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine, bar
from threefold.engine.records import allocate, boxed, interpreted_record
from threefold.engine.tree_count import count, count_from
from threefold.engine.worker import run_in_worker
from threefold.errors import ThreefoldError
from threefold.rules.contract import Action
from threefold.rules.game import Game, check_depth
from threefold.rules.rebind import interpreted
from threefold.rules.text import did_you_mean

S = TypeVar("S")

WAYS = ("interpreted", "compiled", "gpu")
#: Deeper than any game goes, and shallow enough for the stack.
MAX_PERFT_DEPTH = 10_000


@dataclass(frozen=True)
class Perft:
    """A tree counted: all positions `depth` plies away, and by root move where asked for."""

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
    way: str = "compiled",
) -> Perft:
    """Count the tree below a position; `seconds` leaves compiling out."""
    if way not in WAYS:
        raise ThreefoldError(f"there is no way {way!r} to run rules: {did_you_mean(way, WAYS)}")
    check_depth(depth, 0, MAX_PERFT_DEPTH)
    count_tree, control = _counter(game, s, depth, finished, way)
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


def _counter(
    game: Game[S], s: S, depth: int, finished: bool, way: str
) -> tuple[Callable[[S, int], int], Control]:
    """A function of a position and a depth that counts, and where it counts its progress."""
    if way == "interpreted":
        assert isinstance(count, FunctionType)
        bound = interpreted(count, game)
        lists = [[0] * game.facts.max_moves for _ in range(depth + 2)]
        control = interpreted_record(Control)

        def count_interpreted(t: S, plies: int) -> int:
            return int(bound(t, plies, 0, int(finished), lists, control))

        return count_interpreted, control

    control = allocate(Control)
    if way == "gpu":
        from threefold.gpu.counting import Counter

        counter = Counter(game.on_gpu(), finished, depth, control)
        counter.prepare(s, depth)
        return counter.count, control

    compiled = game.compiled()
    entry = compiled.entry(count_from)
    rows = compiled.rows(depth + 2)
    entry.prepare(compiled.words(s), depth, int(finished), rows, boxed(control))

    def count_compiled(t: S, plies: int) -> int:
        arguments = (compiled.words(t), plies, int(finished), rows, boxed(control))
        return int(run_in_worker(partial(entry, *arguments), control))

    return count_compiled, control


def _progress(nodes: int, done: int, roots: int, seconds: float) -> str:
    rate = nodes / seconds / 1e6
    return f"{bar(done / max(roots, 1))} {done}/{roots} moves  {nodes:,} positions  {rate:.1f} M/s"
