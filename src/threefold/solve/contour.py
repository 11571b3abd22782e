"""The template of IDA*: one contour, a depth-first search that turns back where f exceeds a bound.

For games with one agent and moves that cost 1. `evaluate` is the estimate, negated: it must never
promise more than there is, so `-evaluate(s)` moves are left at least. The goal is where the game is
over. Memory holds one path.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.listing import list_all
from threefold.engine.records import Boxed
from threefold.rules.bits import wrap
from threefold.rules.contract import evaluate, is_terminal, result, state

#: What `contour` returns if the goal was found; a bound is never negative.
FOUND: Final = -1
#: More than any bound: nothing was turned back.
NOTHING: Final = 1 << 30


def contour(s: Any, bound: int, ply: int, rows: Any, path: Any, control: Control) -> int:
    """Search below `s`, which is `ply` moves away, as far as f = g + h stays within `bound`.

    Returns FOUND, with the moves in `path`, or the least f that exceeded the bound.
    """
    row = rows[ply]
    n = list_all(s, row, control)
    control.nodes += 1
    least = NOTHING
    for i in range(n):
        child = result(s, row[i])
        f = ply + 1 + max(-evaluate(child), 0)  # never less, so that every ply has its row
        if f > bound:
            least = min(least, f)
            continue
        path[ply] = row[i]
        if is_terminal(child):
            control.nodes += 1  # the goal counts as expanded
            control.longest = ply + 1
            return FOUND
        beyond = contour(child, bound, ply + 1, rows, path, control)
        if beyond == FOUND or control.stop != 0:
            return beyond
        least = min(least, beyond)
    return least


def contour_from(
    words: tuple[int, ...], bound: int, rows: Any, path: Any, control: Boxed[Control]
) -> int:
    """The entry: `contour` from a state given as words."""
    return contour(state(words), bound, wrap(0), rows, path, control[0])
