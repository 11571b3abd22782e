"""Ordering moves by the evaluation of the positions they lead to, and filtering them by it.

In a game of chance a move leads to a whole roll's worth of replies. Compared with searching those,
evaluating the position after the move costs next to nothing, and it says more than any statistics
about which move is good.

A *move filter* goes further, and searches only the most promising moves: at most so many, and none
that seems worse than the best by more than a margin. That loses a little strength and saves most of
the time. `selectivity` has its numbers; exact mode has no filter.
"""

from typing import Any, Final

from threefold.engine.leaf import leaf_value
from threefold.engine.memory import Memory, Ply
from threefold.engine.table import is_move
from threefold.engine.values import INFINITY, UNIT
from threefold.rules.contract import (
    HAS_EVALUATE,
    HAS_NET,
    HAS_ORDER,
    HAS_WEIGHTS,
    MIN,
    Player,
    player,
    result,
)

#: Below every score of a move, however it was given.
KEEP_ALL: Final = -(1 << 62)
#: From this depth on, what follows a move costs more than the evaluation of its position.
_ORDER_FROM: Final = 2


def orders_by_value(depth: int) -> bool:
    """Whether the moves at a node are worth ordering by the evaluation.

    A game's own `order` is cheaper than an evaluation written by hand, and probably as good.
    """
    judges = HAS_NET or ((HAS_EVALUATE or HAS_WEIGHTS) and not HAS_ORDER)
    return judges and depth >= _ORDER_FROM


def score_by_value(
    s: Any, first: int, n: int, ply: int, mover: Player, stored: int, memory: Memory
) -> int:
    """Score the moves from `first` on by the positions they lead to, the table's move on top.

    Returns the least score that the move filter keeps.
    """
    here = memory.plies[ply]
    guesses = memory.guesses
    for i in range(first, n):
        child = result(s, here.moves[i])
        value = leaf_value(child, ply + 1, memory)
        here.scores[i] = value if (player(child) == MIN) == (mover == MIN) else -value
    memory.guesses = guesses  # a guess at the order does not affect any value; a filter's may
    memory.nodes += n - first
    least = KEEP_ALL
    if memory.selectivity.filter > 0 and memory.exact == 0:
        least = least_kept(first, n, here, memory)
    for i in range(first, n):
        if is_move(here.moves[i], stored):
            here.scores[i] = INFINITY
    return least


def least_kept(first: int, n: int, here: Ply, memory: Memory) -> int:
    """The least score of the moves that the filter keeps."""
    keep = min(memory.selectivity.filter, n - first)
    best = here.bounds  # the greatest scores so far, in order
    count = 0
    for i in range(first, n):
        score = here.scores[i]
        if count < keep:
            count += 1
        elif score <= best[count - 1]:
            continue
        at = count - 1
        while at > 0 and best[at - 1] < score:
            best[at] = best[at - 1]
            at -= 1
        best[at] = score
    return max(best[count - 1], best[0] - memory.selectivity.filter_margin * UNIT)
