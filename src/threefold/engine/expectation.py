"""The search where nature has a say: expectiminimax with Star1 and Star2 pruning, and a table.

At a chance node the value is a weighted mean, so one event alone cuts nothing. But every value
lies between what the rules allow at the least and at the most. As soon as the events known so far,
with all others at their best, do not reach alpha, or with all others at their worst reach beta,
the rest need not be looked at (Star1; Ballard, 1983). Star2 first asks what the likeliest-looking
move after each event is worth: that bounds each event from one side for a fraction of the work.

The contract of a bounded search holds as in `search`. Values are fractions of evaluation units
(see `values`), seen from the player to move; nature sees with MAX's eyes.
"""

from typing import Any, Final

from threefold.engine.control import (
    BEST,
    GENERATION,
    GUESSES,
    HITS,
    PROBES,
    ROOT_COUNT,
    ROOT_FROM,
    ROOT_VALUE,
    STOP,
)
from threefold.engine.leaf import enter, leaf_value
from threefold.engine.listing import list_actions, list_outcomes
from threefold.engine.memory import DEEPEST, Memory, extend_pv, moves_at, pv_at
from threefold.engine.ordering import bring_best, learn, score_moves
from threefold.engine.table import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    NO_MOVE,
    PROVEN,
    Table,
    bound_of,
    depth_of,
    move_of,
    packed,
    position_key,
    probe,
    store,
    value_of,
)
from threefold.engine.values import INFINITY, finished_value, reach, to_mover
from threefold.rules.bits import wrap
from threefold.rules.contract import CHANCE, MAX_MOVES, MIN, player, result, state

#: Plies below a chance node from which asking first is cheaper than looking.
_PROBE_FROM: Final = 3


def rounded(total: int, weight: int) -> int:
    """`total / weight` to the nearest integer, halves away from zero, so that signs commute."""
    if total < 0:
        return -((2 * -total + weight) // (2 * weight))
    return (2 * total + weight) // (2 * weight)


def expect(
    s: Any, depth: int, ply: int, alpha: int, beta: int, last: int, own: Memory, table: Table
) -> int:
    """The expectation of `s` to the player who moves there, `depth` plies ahead."""
    # Step 1. Count, and leave when asked to.
    if not enter(ply, own):
        return 0
    own[pv_at(ply)] = 0
    if depth <= 0 or ply >= DEEPEST - 3:
        return leaf_value(s, ply, own)
    guesses = own[GUESSES]
    mover = player(s)

    # Step 2. The table; minimax to this very depth, or a proof from no farther.
    hashed = position_key(s)
    own[PROBES] += 1
    data = probe(hashed, table)
    bound = bound_of(data)
    stored = NO_MOVE
    if bound != 0:
        own[HITS] += 1
        stored = move_of(data)
        found = value_of(data)
        known = depth_of(data)
        proven = known >= PROVEN
        if ply > 0 and (known == depth or (proven and known - PROVEN <= depth)):
            above = found >= beta and bound & BOUND_LOWER
            below = found <= alpha and bound & BOUND_UPPER
            if above or below or bound == BOUND_EXACT:
                if not proven:
                    own[GUESSES] += 1
                return found

    first = moves_at(ply)
    best = -INFINITY
    best_move = NO_MOVE
    best_rank = 0
    start = alpha
    if mover == CHANCE:
        # Step 3. Nature: her events, their weights, and what is known of each so far.
        weights, known_at = first + MAX_MOVES, first + 2 * MAX_MOVES
        n = list_outcomes(s, own[first:], own[weights:], own)
        floor, ceiling = reach(s)
        sum_of_weights = 0
        for i in range(n):
            sum_of_weights += own[weights + i]
        if own[STOP] != 0:
            return 0
        least_total = floor * sum_of_weights
        most_total = ceiling * sum_of_weights
        cut = False

        # Two rounds over the events, as long as the mean may still lie in the window.
        # Step 4. Star2: any one of a player's moves bounds the event from his side.
        # Step 5. Star1: the event itself, in the window that still matters.
        for looking in range(0 if depth >= _PROBE_FROM else 1, 2):
            for i in range(n):
                if cut:
                    break
                child = result(s, own[first + i])
                weight = own[weights + i]
                by_min = player(child) == MIN
                if looking == 0 or depth < _PROBE_FROM:
                    own[known_at + i] = ceiling if by_min else floor
                most = own[known_at + i] if by_min else ceiling
                least = floor if by_min else own[known_at + i]
                others_most = most_total - weight * most
                others_least = least_total - weight * least
                low = max((alpha * sum_of_weights - others_most) // weight, floor - 1)
                high = min(-((others_least - beta * sum_of_weights) // weight), ceiling + 1)
                a = NO_MOVE
                ahead = depth - 1
                if looking == 0:
                    below = moves_at(ply + 1)
                    m = 0
                    if player(child) != CHANCE:
                        m = list_actions(child, own[below:], own)
                    if m == 0:
                        continue
                    data = probe(position_key(child), table)
                    guess = move_of(data) if bound_of(data) != 0 else NO_MOVE
                    score_moves(child, m, ply + 1, player(child), guess, NO_MOVE, True, own)
                    bring_best(below, below + m, own)
                    a = own[below]
                    child = result(child, a)
                    ahead -= 1
                deeper = ply + depth - ahead
                if player(child) == MIN:
                    value = -expect(child, ahead, deeper, -high, -low, a, own, table)
                else:
                    value = expect(child, ahead, deeper, low, high, a, own, table)
                if own[STOP] != 0:
                    return 0
                # Outside its window a value is a bound from one side only, and so is a value of
                # one move of many.
                value = min(max(value, floor), ceiling)
                at_most = value < high and (looking == 1 or by_min)
                at_least = value > low and (looking == 1 or not by_min)
                if at_most:
                    most_total += weight * (min(value, most) - most)
                if at_least:
                    least_total += weight * (max(value, least) - least)
                if looking == 0:
                    if by_min and at_most:
                        own[known_at + i] = min(value, most)
                    elif at_least and not by_min:
                        own[known_at + i] = max(value, least)
                cut = rounded(most_total, sum_of_weights) <= alpha
                cut = cut or rounded(least_total, sum_of_weights) >= beta
        if rounded(most_total, sum_of_weights) <= alpha:
            best = rounded(most_total, sum_of_weights)
        else:
            best = rounded(least_total, sum_of_weights)
    else:
        # Step 6. A player's moves, until one is too good for the other side to allow.
        at = first
        if ply == 0:
            at = first + own[ROOT_FROM]
            end = first + own[ROOT_COUNT]
        else:
            n = list_actions(s, own[first:], own)
            if n == 0:
                return to_mover(s, finished_value(s, ply, own))
            score_moves(s, n, ply, mover, stored, last, True, own)
            end = first + n
        for i in range(at, end):
            if ply > 0:
                bring_best(i, end, own)
            a = own[i]
            child = result(s, a)
            low = max(start, best)
            if ply == 0 and best > start and own[i + 2 * MAX_MOVES] < best_rank:
                low = best - 1  # of equal moves the one of the lower rank is wanted
            if (player(child) == MIN) == (mover == MIN):
                value = expect(child, depth - 1, ply + 1, low, beta, a, own, table)
            else:
                value = -expect(child, depth - 1, ply + 1, -beta, -low, a, own, table)
            if own[STOP] != 0:
                return best
            if value > min(low, best):
                best = value
                if best > start:
                    best_move = a
                    extend_pv(ply, a, own)
                    if ply == 0:
                        own[BEST] = a
                        own[ROOT_VALUE] = best
                        best_rank = own[i + 2 * MAX_MOVES]
                if best >= beta:
                    if ply > 0:
                        learn(ply, depth, mover, last, i - at + 1, own)
                    break

    # Step 7. Remember it.
    if ply == 0 and own[ROOT_FROM] > 0:
        return best
    bound = BOUND_LOWER if best >= beta else BOUND_EXACT if best > start else BOUND_UPPER
    proven = own[GUESSES] == guesses
    data = packed(
        best,
        best_move if best_move != NO_MOVE else stored,
        min(depth, PROVEN - 1) + (PROVEN if proven else 0),
        own[GENERATION],
        bound,
    )
    store(hashed, data, table)
    return best


def expect_from(
    words: tuple[int, ...], depth: int, alpha: int, beta: int, own: Memory, table: Table
) -> int:
    """The entry: the root, given as words."""
    return expect(state(words), depth, wrap(0), alpha, beta, wrap(NO_MOVE), own, table)
