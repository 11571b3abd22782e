"""Perft: how many positions lie exactly d plies away. The field's test of a move generator.

A game that ended earlier is not counted, unless asked for (Othello's published tables count them;
those of chess and Connect Four do not). A forced pass is a ply, an event of nature is one too.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

from threefold.engine.control import CONTROL_WORDS, NODES, STOP, Control, new_control
from threefold.engine.listing import check_fault, list_all, list_outcomes
from threefold.engine.progress import StatusLine, bar
from threefold.engine.worker import run_in_worker
from threefold.rules.contract import CHANCE, HAS_OUTCOMES, Action, player, result, state
from threefold.rules.game import Game, check_depth
from threefold.rules.rebind import interpreted

S = TypeVar("S")

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


#: Counts the tree below a position to a depth.
Counter: TypeAlias = Callable[[S, int], int]
#: Given a game, a position, a depth and whether to count finished games: what counts, prepared for
#: that, and the words it shares with us.
MakeCounter: TypeAlias = Callable[[Game[S], S, int, bool], tuple[Counter[S], Control]]


def interpreted_counter(game: Game[S], s: S, depth: int, finished: bool) -> tuple[Counter[S], Any]:
    """Counts by the rules as they are."""
    del s  # nothing to prepare
    assert isinstance(count, FunctionType)
    bound = interpreted(count, game)
    rows = [[0] * game.facts.max_moves for _ in range(depth + 2)]
    control = [0] * CONTROL_WORDS

    def count_interpreted(t: S, plies: int) -> int:
        return int(bound(t, plies, 0, int(finished), rows, control))

    return count_interpreted, control


def compiled_counter(game: Game[S], s: S, depth: int, finished: bool) -> tuple[Counter[S], Any]:
    """Counts by machine code."""
    compiled = game.compiled()
    entry = compiled.entry(count_from)
    rows, control = compiled.rows(depth + 2), new_control()
    entry.prepare(compiled.words(s), depth, 0, int(finished), rows, control)

    def count_compiled(t: S, plies: int) -> int:
        arguments = (compiled.words(t), plies, 0, int(finished), rows, control)
        return int(run_in_worker(partial(entry, *arguments), control))

    return count_compiled, control


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
    counter: MakeCounter[S] = compiled_counter,
) -> Perft:
    """Count the tree below a position, by machine code unless told otherwise.

    `seconds` leaves compiling out.
    """
    check_depth(depth, 0, MAX_DEPTH)
    count_tree, control = counter(game, s, depth, finished)
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


def _progress(nodes: int, done: int, roots: int, seconds: float) -> str:
    rate = nodes / seconds / 1e6
    return f"{bar(done / max(roots, 1))} {done}/{roots} moves  {nodes:,} positions  {rate:.1f} M/s"
