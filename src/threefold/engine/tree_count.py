"""The template of perft: how many positions lie exactly d plies below one.

A game that ended earlier is not counted, unless asked for. A forced pass is a ply, and so is an
event of nature.
"""

from typing import Any

from threefold.engine.control import Control
from threefold.engine.listing import list_all, list_outcomes
from threefold.engine.records import Boxed
from threefold.rules.bits import wrap
from threefold.rules.contract import CHANCE, HAS_OUTCOMES, player, result, state


def list_children(s: Any, row: Any, scratch: Any, control: Control) -> int:
    """Write the moves, or nature's events, of `s` into `row` and return how many."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return list_outcomes(s, row, scratch, control)
    return list_all(s, row, control)


def count_below(
    s: Any, n: int, depth: int, ply: int, finished: int, rows: Any, control: Control
) -> int:
    """The positions `depth` plies below `s`, at least two; its `n` moves are in `rows[ply]`.

    The moves of each child are listed here, so that the last ply is counted without being played
    and the last but one costs no call.
    """
    row, next_row, scratch = rows[ply], rows[ply + 1], rows[ply + 2]
    total = 0
    for i in range(n):
        child = result(s, row[i])
        m = list_children(child, next_row, scratch, control)
        if m == 0:
            total += finished
        elif depth == 2:
            total += m
        else:
            total += count_below(child, m, depth - 1, ply + 1, finished, rows, control)
            if control.stop != 0:
                return 0
    if depth == 2:
        control.nodes += total
    return total


def count(s: Any, depth: int, ply: int, finished: int, rows: Any, control: Control) -> int:
    """The positions exactly `depth` plies below `s`.

    `finished` is what a game that ended on the way counts: 0 or 1.
    """
    if depth == 0:
        return 1
    n = list_children(s, rows[ply], rows[ply + 1], control)
    if n == 0:
        return finished
    if depth == 1:
        return n
    return count_below(s, n, depth, ply, finished, rows, control)


def count_from(
    words: tuple[int, ...], depth: int, finished: int, rows: Any, control: Boxed[Control]
) -> int:
    """The entry: `count` from a state given as words."""
    return count(state(words), depth, wrap(0), finished, rows, control[0])
