"""Perft: how many positions lie exactly d plies away. The field's test of a move generator.

A game that ended earlier is not counted, unless asked for (Othello's published tables count them;
those of chess and Connect Four do not). A forced pass is a ply, an event of nature is one too.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

from threefold.engine.control import CONTROL_WORDS, NODES, STOP, Control
from threefold.engine.listing import check_fault, list_all, list_outcomes
from threefold.engine.progress import StatusLine, bar
from threefold.engine.worker import run_in_worker
from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, HAS_OUTCOMES, Action, player, result, state
from threefold.rules.game import Game, check_depth
from threefold.rules.rebind import interpreted
from threefold.rules.text import did_you_mean

S = TypeVar("S")

WAYS = ("interpreted", "compiled", "gpu")
#: Deeper than any game goes, and shallow enough for the stack.
MAX_DEPTH = 10_000


def list_moves(s: Any, row: Any, scratch: Any, control: Control) -> int:
    """Write the moves, or nature's events, of `s` into `row` and return how many."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return list_outcomes(s, row, scratch, control)
    return list_all(s, row, control)


def count_below(
    s: Any, n: int, depth: int, ply: int, finished: int, rows: Any, control: Control
) -> int:
    """The positions `depth` plies below `s`, at least two; its `n` moves stand in `rows[ply]`.

    The moves of each child are listed here, so that the last ply is counted without being made
    and the last but one costs no call.
    """
    row, next_row, scratch = rows[ply], rows[ply + 1], rows[ply + 2]
    total = 0
    for i in range(n):
        child = result(s, row[i])
        m = list_moves(child, next_row, scratch, control)
        if m == 0:
            total += finished
        elif depth == 2:
            total += m
        else:
            total += count_below(child, m, depth - 1, ply + 1, finished, rows, control)
            if control[STOP] != 0:
                return 0
    if depth == 2:
        control[NODES] += total
    return total


def count(s: Any, depth: int, ply: int, finished: int, rows: Any, control: Control) -> int:
    """The positions exactly `depth` plies below `s`.

    `finished` is what a game that ended on the way counts for: 0 or 1.
    """
    if depth == 0:
        return 1
    n = list_moves(s, rows[ply], rows[ply + 1], control)
    if n == 0:
        return finished
    if depth == 1:
        return n
    return count_below(s, n, depth, ply, finished, rows, control)


def count_from(
    words: tuple[int, ...], depth: int, ply: int, finished: int, rows: Any, control: Control
) -> int:
    """The entry: `count` from a state given as words."""
    return count(state(words), depth, ply, finished, rows, control)


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
    check_depth(depth, 0, MAX_DEPTH)
    count_tree, control = _counter(game, s, depth, finished, way)
    began = time.perf_counter()
    parts: list[tuple[Action, int]] = []
    # Root move by root move, so that there is a share of the work to show.
    roots = game.all_moves(s) if depth > 0 else []
    with StatusLine(lambda seconds: _progress(control[NODES], len(parts), len(roots), seconds)):
        for a in roots:
            parts.append((a, count_tree(game.result(s, a), depth - 1)))
            check_fault(game, control)
    nodes = sum(n for _, n in parts) if roots else int(depth == 0 or finished)
    return Perft(depth, nodes, time.perf_counter() - began, parts if divide else ())


def _counter(game: Game[S], s: S, depth: int, finished: bool, way: str) -> Any:
    """A function of a position and a depth that counts, and the words it shares with us."""
    if way == "interpreted":
        assert isinstance(count, FunctionType)
        bound = interpreted(count, game)
        lists = [[0] * game.facts.max_moves for _ in range(depth + 2)]
        shared = [0] * CONTROL_WORDS

        def count_interpreted(t: S, plies: int) -> int:
            return int(bound(t, plies, 0, int(finished), lists, shared))

        return count_interpreted, shared

    import numpy as np

    if way == "gpu":
        from threefold.gpu.counting import Counter

        words = np.zeros(CONTROL_WORDS, np.int64)
        counter = Counter(game.on_gpu(), finished, depth, words)
        counter.prepare(s, depth)
        return counter.count, words

    compiled = game.compiled()
    entry = compiled.entry(count_from)
    rows, control = compiled.rows(depth + 2), np.zeros(CONTROL_WORDS, np.int64)
    entry.prepare(compiled.words(s), depth, 0, int(finished), rows, control)

    def count_compiled(t: S, plies: int) -> int:
        arguments = (compiled.words(t), plies, 0, int(finished), rows, control)
        return int(run_in_worker(partial(entry, *arguments), control))

    return count_compiled, control


def _progress(nodes: int, done: int, roots: int, seconds: float) -> str:
    rate = nodes / seconds / 1e6
    return f"{bar(done / max(roots, 1))} {done}/{roots} moves  {nodes:,} positions  {rate:.1f} M/s"
