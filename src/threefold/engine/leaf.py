"""Where a search ends: a finished game, an evaluation, or quiescence.

An evaluation can be trusted where nothing violent is about to happen. So at the end of its depth a
search continues with noisy moves only; the player may also decline them all and *stand pat* on the
evaluation. The contract of a bounded search holds for `quiesce` as well (see `search`).
"""

from typing import Any, Protocol

from threefold.engine.endgames.knowledge import NOT_KNOWN, known_value
from threefold.engine.listing import is_over, list_noisy
from threefold.engine.memory import DEEPEST, Memory, Words
from threefold.engine.net_value import NetMemory, judged
from threefold.engine.ordering import bring_best, guessed_order
from threefold.engine.values import (
    UNIT,
    finished_value,
    guessed_value,
    reach,
    to_mover,
    within_reach,
)
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    CLAIMABLE,
    DRAWN,
    FINISHED,
    HAS_DATABASE,
    HAS_DRAWN,
    HAS_NET,
    HAS_OUTCOMES,
    HAS_WEIGHTS,
    MAX_VALUE,
    MIN,
    drawn,
    player,
    result,
    weigh,
)


def enter(ply: int, memory: Memory) -> bool:
    """Count a node; whether the search may go on."""
    memory.nodes += 1
    if memory.nodes >= memory.node_limit:
        memory.stop = 1
    if ply > memory.longest:
        memory.longest = ply
    return memory.stop == 0


def is_drawn(s: Any, memory: Memory) -> bool:
    """Whether a rule makes a position a draw: a draw that can be claimed will be.

    A draw caused by a clock proves nothing about the position, so it counts as a guess. Where
    nature moves, no rule applies.
    """
    if HAS_OUTCOMES and player(s) == CHANCE:
        return False
    if HAS_DRAWN and drawn(s) >= (DRAWN if memory.exact != 0 else CLAIMABLE):
        memory.guesses += 1
        return True
    return False


def leaf_value(s: Any, ply: int, memory: Memory) -> int:
    """The value of a position at the end of the search, for the player to move."""
    in_database = looked_up(s, ply, memory)
    if in_database == 0 or is_drawn(s, memory):
        return 0
    if in_database != NOT_KNOWN:
        return in_database
    return standing_value(s, ply, memory)


def looked_up(s: Any, ply: int, memory: Memory) -> int:
    """What a database of end-games says of a position, if there is one; or `NOT_KNOWN`."""
    if HAS_DATABASE and memory.exact == 0:
        return known_value(s, ply, memory)
    return wrap(NOT_KNOWN)


def standing_value(s: Any, ply: int, memory: Memory) -> int:
    """The same, if no rule makes it a draw."""
    if is_over(s, memory.plies[ply].moves, memory):
        return to_mover(s, finished_value(s, ply, memory))
    memory.guesses += 1
    return static_value(s, memory)


class Evaluator(Protocol):
    """What a search keeps of its evaluation."""

    weights: Words
    net: NetMemory


def static_value(s: Any, memory: Evaluator) -> int:
    """What an unfinished position seems worth to the player to move."""
    if HAS_NET:
        return to_mover(s, judged_value(s, memory.net))
    if HAS_WEIGHTS:
        return to_mover(s, within_reach(s, weigh(s, memory.weights)))
    return to_mover(s, guessed_value(s))


def judged_value(s: Any, net: NetMemory) -> int:
    """What an unfinished position seems worth to MAX by a net.

    In a game of chance a value is an expectation, finer than an evaluation unit.
    """
    value = judged(s, FINISHED * UNIT if HAS_OUTCOMES else FINISHED, net)
    if HAS_OUTCOMES:
        low, high = reach(s)
        return min(max(value, low), high)
    return min(max(value, -MAX_VALUE), MAX_VALUE)


def quiesce(s: Any, ply: int, alpha: int, beta: int, memory: Memory) -> int:
    """The value of `s` for the player to move, once no noisy moves are left."""
    # Step 1. Count, and return when asked to.
    if not enter(ply, memory):
        return 0

    # Step 2. A draw, or what a database of end-games knows.
    in_database = looked_up(s, ply, memory)
    if in_database == 0 or is_drawn(s, memory):
        return 0
    if in_database != NOT_KNOWN:
        return in_database

    # Step 3. Stand pat.
    best = standing_value(s, ply, memory)
    if best >= beta or ply >= DEEPEST - 2:
        return best

    # Step 4. The noisy moves, the most promising first.
    here = memory.plies[ply]
    n = list_noisy(s, here.moves, memory)
    for i in range(n):
        here.scores[i] = guessed_order(s, here.moves[i])
    mover_is_min = player(s) == MIN
    for i in range(n):
        bring_best(i, n, here)
        child = result(s, here.moves[i])
        low = max(alpha, best)
        if (player(child) == MIN) == mover_is_min:
            value = quiesce(child, ply + 1, low, beta, memory)
        else:
            value = -quiesce(child, ply + 1, -beta, -low, memory)
        if memory.stop != 0:
            return best
        if value > best:
            best = value
            if best >= beta:
                break
    return best
