"""The search for games of chance: expectiminimax with Star1 and Star2 pruning, and a table.

At a chance node the value is a weighted mean, so one event alone cuts nothing. But every value
lies between the least and the greatest that the rules allow. As soon as the events known so far
fall short of alpha even with all others at their best, or reach beta even with all others at their
worst, the rest need not be looked at (Star1; Ballard, 1983). Star2 first asks what the
likeliest-looking move after each event is worth, which bounds each event from one side for a
fraction of the work.

A net has learned from positions after a player's move. So its judgment is not asked for right after
an event of nature: there the search looks at the player's moves as well, and the depth is one more.
In exact mode it is not.

The contract of a bounded search holds as in `search`. Values are fractions of evaluation units
(see `values`), seen from the player to move; nature sees them as MAX does.
"""

from typing import Any, Final

from threefold.engine.leaf import enter, leaf_value
from threefold.engine.listing import list_actions, list_outcomes
from threefold.engine.memory import DEEPEST, Memory, extend_pv
from threefold.engine.ordering import bring_best, learn, score_moves
from threefold.engine.records import Boxed
from threefold.engine.rounding import rounded_mean
from threefold.engine.static_order import KEEP_ALL, orders_by_value, score_by_value
from threefold.engine.table import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    NO_MOVE,
    PROVEN,
    Table,
    bound_kind,
    bound_of,
    depth_of,
    depth_to_store,
    move_of,
    packed,
    position_key,
    probe,
    store,
    value_of,
)
from threefold.engine.values import INFINITY, finished_value, reach, to_mover
from threefold.rules.bits import wrap
from threefold.rules.contract import CHANCE, HAS_NET, MIN, player, result, state

#: From this depth on, Star2's first round costs less than it saves.
_PROBE_FROM: Final = 3


def expect(
    s: Any, depth: int, ply: int, alpha: int, beta: int, last: int, memory: Memory, table: Table
) -> int:
    """The expectation of `s` for the player to move, `depth` plies ahead."""
    # Step 1. Count, and return when asked to.
    if not enter(ply, memory):
        return 0
    here = memory.plies[ply]
    here.pv_length = 0
    if depth <= 0 or ply >= DEEPEST - 3:
        return leaf_value(s, ply, memory)
    guesses = memory.guesses
    mover = player(s)

    # Step 2. The table: minimax to this very depth, or a proof from no greater depth.
    # Exact values have entries of their own.
    hashed = position_key(s)
    if memory.exact != 0:
        hashed = ~hashed
    memory.probes += 1
    data = probe(hashed, table)
    bound = bound_of(data)
    stored = NO_MOVE
    if bound != 0:
        memory.hits += 1
        stored = move_of(data)
        found = value_of(data)
        known = depth_of(data)
        proven = known >= PROVEN
        if ply > 0 and (known == depth or (proven and known - PROVEN <= depth)):
            above = found >= beta and bound & BOUND_LOWER
            below = found <= alpha and bound & BOUND_UPPER
            if above or below or bound == BOUND_EXACT:
                if not proven:
                    memory.guesses += 1
                return found

    best = -INFINITY
    best_move = NO_MOVE
    best_rank = 0
    start = alpha
    if mover == CHANCE:
        # Step 3. Nature: the events, their weights, and what is known about each so far.
        events, weights, bounds = here.moves, here.scores, here.bounds
        n = list_outcomes(s, events, weights, memory)
        floor, ceiling = reach(s)
        sum_of_weights = 0
        for i in range(n):
            sum_of_weights += weights[i]
        if memory.stop != 0:
            return 0
        least_total = floor * sum_of_weights
        most_total = ceiling * sum_of_weights
        cut = False

        # Two rounds over the events, as long as the mean may still be in the window.
        # Step 4. Star2: any move of a player bounds the event's value from one side.
        # Step 5. Star1: the event itself, in the window that still matters.
        for looking in range(0 if depth >= _PROBE_FROM else 1, 2):
            for i in range(n):
                if cut:
                    break
                child = result(s, events[i])
                weight = weights[i]
                by_min = player(child) == MIN
                if looking == 0 or depth < _PROBE_FROM:
                    bounds[i] = ceiling if by_min else floor
                most = bounds[i] if by_min else ceiling
                least = floor if by_min else bounds[i]
                others_most = most_total - weight * most
                others_least = least_total - weight * least
                low = max((alpha * sum_of_weights - others_most) // weight, floor - 1)
                high = min(-((others_least - beta * sum_of_weights) // weight), ceiling + 1)
                a = NO_MOVE
                ahead, deeper = depth - 1, ply + 1
                if HAS_NET and ahead == 0 and memory.exact == 0 and player(child) != CHANCE:
                    ahead = 1
                if looking == 0:
                    after = memory.plies[ply + 1]
                    m = 0
                    if player(child) != CHANCE:
                        m = list_actions(child, after.moves, memory)
                    if m == 0:
                        continue
                    child_key = position_key(child)
                    data = probe(~child_key if memory.exact != 0 else child_key, table)
                    guess = move_of(data) if bound_of(data) != 0 else NO_MOVE
                    if orders_by_value(ahead):
                        score_by_value(child, wrap(0), m, deeper, player(child), guess, memory)
                    else:
                        score_moves(child, m, deeper, player(child), guess, NO_MOVE, True, memory)
                    bring_best(wrap(0), m, after)
                    a = after.moves[0]
                    child = result(child, a)
                    ahead -= 1
                    deeper += 1
                if player(child) == MIN:
                    value = -expect(child, ahead, deeper, -high, -low, a, memory, table)
                else:
                    value = expect(child, ahead, deeper, low, high, a, memory, table)
                if memory.stop != 0:
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
                        bounds[i] = min(value, most)
                    elif at_least and not by_min:
                        bounds[i] = max(value, least)
                cut = rounded_mean(most_total, sum_of_weights) <= alpha
                cut = cut or rounded_mean(least_total, sum_of_weights) >= beta
        if rounded_mean(most_total, sum_of_weights) <= alpha:
            best = rounded_mean(most_total, sum_of_weights)
        else:
            best = rounded_mean(least_total, sum_of_weights)
    else:
        # Step 6. A player's moves, until one is too good for the other side to allow.
        first = wrap(0)
        least = KEEP_ALL
        if ply == 0:
            first = memory.root_from
            n = memory.root_count
        else:
            n = list_actions(s, here.moves, memory)
            if n == 0:
                return to_mover(s, finished_value(s, ply, memory))
        # The root's moves are in order already, but not filtered.
        if orders_by_value(depth) and (ply > 0 or memory.selectivity.filter > 0):
            least = score_by_value(s, first, n, ply, mover, stored, memory)
        elif ply > 0:
            score_moves(s, n, ply, mover, stored, last, True, memory)
        for i in range(first, n):
            if ply > 0:
                bring_best(i, n, here)
            if here.scores[i] < least:
                memory.guesses += 1  # that it is no better is the filter's guess
                continue
            a = here.moves[i]
            child = result(s, a)
            low = max(start, best)
            if ply == 0 and best > start and memory.root_ranks[i] < best_rank:
                low = best - 1  # ties go to the move of the lower rank
            if (player(child) == MIN) == (mover == MIN):
                value = expect(child, depth - 1, ply + 1, low, beta, a, memory, table)
            else:
                value = -expect(child, depth - 1, ply + 1, -beta, -low, a, memory, table)
            if memory.stop != 0:
                return best
            if value > min(low, best):
                best = value
                if best > start:
                    best_move = a
                    extend_pv(ply, a, memory)
                    if ply == 0:
                        memory.best = a
                        memory.best_value = best
                        best_rank = memory.root_ranks[i]
                if best >= beta:
                    if ply > 0:
                        learn(ply, depth, mover, last, i - first + 1, memory)
                    break

    # Step 7. Store it in the table.
    if ply == 0 and memory.root_from > 0:
        return best
    data = packed(
        best,
        best_move if best_move != NO_MOVE else stored,
        depth_to_store(depth, memory.guesses == guesses),
        memory.generation,
        bound_kind(best, start, beta),
    )
    store(hashed, data, table)
    return best


def expect_from(
    words: tuple[int, ...], depth: int, alpha: int, beta: int, memory: Boxed[Memory], table: Table
) -> int:
    """The entry: the root, given as words."""
    return expect(state(words), depth, wrap(0), alpha, beta, wrap(NO_MOVE), memory[0], table)
