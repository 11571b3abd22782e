"""Where a search ends: a finished game, an evaluation, or quiescence.

An evaluation can be trusted where nothing violent is about to happen. So at the end of its depth a
search goes on with noisy moves alone; the player may also decline them all and *stand pat* on the
evaluation. The contract of a bounded search holds for `quiesce` as well (see `search`).
"""

from typing import Any

from threefold.engine.control import EXACT, GUESSES, LONGEST, NODE_LIMIT, NODES, STOP
from threefold.engine.listing import is_over, list_noisy
from threefold.engine.memory import DEEPEST, Memory, moves_at
from threefold.engine.ordering import bring_best, guessed_order
from threefold.engine.values import finished_value, guessed_value, to_mover
from threefold.rules.contract import (
    CHANCE,
    CLAIMABLE,
    DRAWN,
    HAS_DRAWN,
    HAS_OUTCOMES,
    MAX_MOVES,
    MIN,
    drawn,
    player,
    result,
)


def enter(ply: int, own: Memory) -> bool:
    """Count a node; whether the search may go on."""
    own[NODES] += 1
    if own[NODES] >= own[NODE_LIMIT]:
        own[STOP] = 1
    if ply > own[LONGEST]:
        own[LONGEST] = ply
    return bool(own[STOP] == 0)


def is_drawn(s: Any, own: Memory) -> bool:
    """Whether a rule makes a draw of a position: one that may be claimed will be.

    What a clock has brought about proves nothing of the position, so it counts as a guess. Where
    nature moves, no rule is asked.
    """
    if HAS_OUTCOMES and player(s) == CHANCE:
        return False
    if HAS_DRAWN and drawn(s) >= (DRAWN if own[EXACT] != 0 else CLAIMABLE):
        own[GUESSES] += 1
        return True
    return False


def leaf_value(s: Any, ply: int, own: Memory) -> int:
    """What a position at the end of the search is worth to the player who moves there."""
    if is_drawn(s, own):
        return 0
    return standing_value(s, ply, own)


def standing_value(s: Any, ply: int, own: Memory) -> int:
    """The same where no rule makes a draw of it."""
    if is_over(s, own[moves_at(ply) :], own):
        return to_mover(s, finished_value(s, ply, own))
    own[GUESSES] += 1
    return to_mover(s, guessed_value(s))


def quiesce(s: Any, ply: int, alpha: int, beta: int, own: Memory) -> int:
    """The value of `s` to the player who moves there, once nothing noisy is left to do."""
    # Step 1. Count, and leave when asked to.
    if not enter(ply, own):
        return 0

    # Step 2. Stand pat.
    if is_drawn(s, own):
        return 0
    best = standing_value(s, ply, own)
    if best >= beta or ply >= DEEPEST - 2:
        return best

    # Step 3. The noisy moves, the most promising first.
    first = moves_at(ply)
    n = list_noisy(s, own[first:], own)
    for i in range(first, first + n):
        own[i + MAX_MOVES] = guessed_order(s, own[i])
    mover_is_min = player(s) == MIN
    for i in range(first, first + n):
        bring_best(i, first + n, own)
        child = result(s, own[i])
        low = max(alpha, best)
        if (player(child) == MIN) == mover_is_min:
            value = quiesce(child, ply + 1, low, beta, own)
        else:
            value = -quiesce(child, ply + 1, -beta, -low, own)
        if own[STOP] != 0:
            return best
        if value > best:
            best = value
            if best >= beta:
                break
    return best
