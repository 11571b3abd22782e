"""The template of counterfactual regret minimization by sampled games (*external sampling*).

A round walks through the game once for each player: it looks at all moves of that player, and
follows one event of nature and one move of the other player, drawn at random. So it needs no list
of the whole tree, only a table of the information sets that it comes to, found by a hash of what is
seen there. On average it finds the same regrets (Lanctot, Waugh, Zinkevich and Bowling, 2009).

1. Nature's event is drawn by its weight.
2. In a set of the other player, the move is drawn by the current strategy, which counts for the
   average.
3. In an own set, every move is followed, and its regret is what it is worth beyond the mean.
"""

from dataclasses import dataclass
from typing import Any

from threefold.engine.information_sets import key_of
from threefold.engine.listing import (
    BY_OBSERVE,
    checked_utility,
    list_actions,
    list_outcomes,
    stop_for,
)
from threefold.engine.playing_out import Search, event_at, random_share, random_word
from threefold.engine.records import Boxed, Real, Word
from threefold.rules.bits import lsr, wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    MAX,
    MAX_VALUE,
    MIN,
    initial,
    player,
    result,
    state,
    words,
)
from threefold.solve.expansion import Array

# The columns of `sets`: the hash, where its options begin, and how many there are.
KEY, FIRST, COUNT = range(3)
# The columns of `options`: the regret so far, and how often it would have been made.
REGRET, TIMES = range(2)


@dataclass(slots=True, kw_only=True)
class Samples(Search):
    """How far it has gotten."""

    rounds: Word = 0  # done so far
    most: Word = 0  # and at most
    sets: Word = 0  # how many information sets were found
    options: Word = 0  # and how many moves they have in all
    total: Real = 0.0  # what MAX got in all
    full: Word = 0  # whether a set found no room
    rehash: Word = 0  # whether the hash table is a new one, without what is known so far
    too_long: Word = 0  # whether a game went on for too many plies


def slot_of_key(key: int, sets: Array, slots: Array) -> int:
    """Where the hash table holds the number of a set, or would."""
    last = len(slots) - 1
    at = key & last
    while slots[at] != 0 and sets[slots[at] - 1, KEY] != key:
        at = (at + 1) & last
    return int(at)


def set_number(
    s: Any, n: int, sets: Array, example: Array, slots: Array, options: Array, search: Samples
) -> int:
    """The number of a position's set, a new one if need be; -1 if there is no room."""
    key = key_of(s)
    at = slot_of_key(key, sets, slots)
    if slots[at] != 0:
        i = int(slots[at]) - 1
        if sets[i, COUNT] != n:
            stop_for(BY_OBSERVE, n, search)
            return wrap(-1)
        return i
    full = search.sets == len(sets) or 2 * search.sets + 2 > len(slots)
    if full or search.options + n > len(options):
        search.full = 1
        return wrap(-1)
    i = search.sets
    sets[i, KEY], sets[i, FIRST], sets[i, COUNT] = key, search.options, n
    fields = words(s)
    for k in range(len(fields)):
        example[i, k] = fields[k]
    search.options += n
    search.sets += 1
    slots[at] = search.sets
    return i


def match_regrets(first: int, n: int, options: Array, strategy: Array) -> None:
    """Write the current strategy of a set: in proportion to regrets above 0."""
    total = 0.0
    for k in range(n):
        total += max(options[first + k, REGRET], 0.0)
    for k in range(n):
        if total > 0.0:
            strategy[k] = max(options[first + k, REGRET], 0.0) / total
        else:
            strategy[k] = 1.0 / n


def drawn_by(strategy: Array, n: int, search: Samples) -> int:
    """One of `n` moves at random, by their chances."""
    share = lsr(random_word(search), 11) / 9007199254740992.0
    k = wrap(0)
    while k < n - 1 and share >= strategy[k]:
        share -= strategy[k]
        k += 1
    return k


def walk(
    s: Any,
    p: int,
    depth: int,
    sets: Array,
    example: Array,
    slots: Array,
    options: Array,
    rows: Array,
    strategies: Array,
    values: Array,
    search: Samples,
) -> float:
    """What a position is worth to player `p` in this sample; regrets are noted on the way.

    Once there is no room for a set, nothing more is noted, and the round will be played again.
    """
    if search.stop != 0 or search.full != 0:
        return 0.0
    if 2 * depth + 1 >= len(rows):
        search.too_long = 1
        search.stop = 1
        return 0.0
    row, mover, below = rows[2 * depth], wrap(player(s)), depth + 1
    search.nodes += 1
    # Step 1. Nature.
    if HAS_OUTCOMES and mover == CHANCE:
        weights = rows[2 * depth + 1]
        n = list_outcomes(s, row, weights, search)
        total = wrap(0)
        for k in range(n):
            total += weights[k]
        after = result(s, event_at(random_share(total, search), n, row, weights))
        return walk(
            after, p, below, sets, example, slots, options, rows, strategies, values, search
        )
    n = list_actions(s, row, search)
    if n == 0:
        utility = float(checked_utility(s, MAX_VALUE, search))
        return utility if p == MAX else -utility
    strategy = strategies[depth]
    i = set_number(s, n, sets, example, slots, options, search)
    if i < 0:
        return 0.0
    first = wrap(sets[i, FIRST])
    match_regrets(first, n, options, strategy)
    # Step 2. A set of the other player.
    if mover != p:
        for k in range(n):
            options[first + k, TIMES] += strategy[k]
        after = result(s, row[drawn_by(strategy, n, search)])
        return walk(
            after, p, below, sets, example, slots, options, rows, strategies, values, search
        )
    # Step 3. An own set.
    mean = 0.0
    for k in range(n):
        values[depth, k] = walk(
            result(s, row[k]),
            p,
            below,
            sets,
            example,
            slots,
            options,
            rows,
            strategies,
            values,
            search,
        )
        mean += strategy[k] * values[depth, k]
    if search.stop == 0 and search.full == 0:
        for k in range(n):
            options[first + k, REGRET] += values[depth, k] - mean
    return mean


def play_samples(
    sets: Array,
    example: Array,
    slots: Array,
    options: Array,
    rows: Array,
    strategies: Array,
    values: Array,
    boxed_search: Boxed[Samples],
) -> None:
    """The entry: rounds until there were enough, a stop, or no room for another set."""
    search = boxed_search[0]
    if search.rehash != 0:
        for i in range(search.sets):
            slots[slot_of_key(sets[i, KEY], sets, slots)] = i + 1
        search.rehash = 0
    while search.rounds < search.most and search.stop == 0 and search.full == 0:
        got = 0.0
        for p in range(2):
            value = walk(
                initial(),
                wrap(MIN) if p == 1 else wrap(MAX),
                wrap(0),
                sets,
                example,
                slots,
                options,
                rows,
                strategies,
                values,
                search,
            )
            got += value if p == MAX else 0.0
        if search.stop == 0 and search.full == 0:
            search.total += got
            search.rounds += 1


def find_sets(
    examples: Array, sets: Array, slots: Array, where: Array, boxed_search: Boxed[Samples]
) -> None:
    """The entry: the numbers of the sets that some positions belong to; -1 where one is unknown."""
    search = boxed_search[0]
    for i in range(len(where)):
        if search.stop != 0:
            return
        where[i] = slots[slot_of_key(key_of(state(examples[i])), sets, slots)] - 1
