"""The template of information-set Monte Carlo tree search: for games in which players hide things.

Each simulation begins with a *deal*: a position that the one who decides cannot rule out. Then it
goes the way of every tree search, but for one thing: what is counted at a node is counted for all
positions that look the same to the one who moves there. So nobody, the opponent included, ever
chooses by what they cannot see (Cowling, Powley and Whitehouse, 2012: multiple observers). The sets
are found by a hash of what is observed, so different ways to the same knowledge share one.

1. *Deal* the root again.
2. *Select* an option of each information set by its upper confidence bound; nature's by its weight.
3. *Expand*: a set that was never seen gets its options.
4. *Play out* the game, and *back up* its outcome to the options that were taken.

All values are MAX's.
"""

import math
from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from threefold.engine.listing import BY_DEAL, BY_OBSERVE, list_actions, list_outcomes, stop_for
from threefold.engine.playing_out import (
    Search,
    outcome,
    play_out,
    random_below,
    random_event,
    random_word,
)
from threefold.engine.records import Boxed, Half, Real, Word
from threefold.engine.uct import count_value, spread
from threefold.rules.bits import GOLDEN, add, mix, wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_DEAL,
    HAS_OUTCOMES,
    MIN,
    NO_REPLY,
    Player,
    deal,
    initial,
    observe,
    player,
    result,
    seat,
    state,
    words,
)
from threefold.rules.dealing import MOST_PLIES


@dataclass(slots=True)
class InformationSet:
    """What all positions that look the same to the one who decides have in common."""

    key: Word = 0  # a hash of who decides and what is seen
    visits: Word = 0  # how many simulations chose here
    first: Half = 0  # the first option; options of one set are side by side
    count: Half = 0  # how many there are; 0 where this place is empty


@dataclass(slots=True)
class Option:
    """A move of an information set, and what the simulations that made it were worth."""

    move: Word = 0
    visits: Word = 0
    total: Real = 0.0  # the sum of their values to MAX


@dataclass(slots=True, kw_only=True)
class SetSearch(Search):
    """All that a search keeps besides its sets and options."""

    sets: Word = 0  # how many sets there are; `tree_size` counts options


#: Lists when interpreted, arrays when compiled. The sets are a hash table: a power of 2 of places.
Sets: TypeAlias = MutableSequence[InformationSet]
Options: TypeAlias = MutableSequence[Option]
#: For each ply of a simulation, the option that was taken, and the set that it belongs to.
Path: TypeAlias = MutableSequence[int]

#: Stands for no place in the table.
NOWHERE: Final = -1
#: A hash table fuller than this many quarters takes no more sets: looking them up gets slow.
_FULL: Final = 3


# Step 1. Deal.


def dealt(s: Any, p: Player, search: Search) -> Any:
    """A position that `p` cannot tell from `s`: the game's own `deal`, or found by random play."""
    if HAS_DEAL:
        return deal(s, p, random_word(search))
    seen, mover = observe(s, p), player(s)
    plies = 0
    while plies < MOST_PLIES and search.stop == 0:
        t = initial()
        for _ in range(search.max_plies):
            if player(t) == mover and observe(t, p) == seen:
                return t
            by_nature = HAS_OUTCOMES and player(t) == CHANCE
            if by_nature:
                n = list_outcomes(t, search.moves, search.weights, search)
            else:
                n = list_actions(t, search.moves, search)
            if n == 0:
                break
            plies += 1
            if by_nature:
                t = result(t, random_event(n, search))
            else:
                t = result(t, search.moves[random_below(n, search)])
    if search.stop == 0:
        stop_for(BY_DEAL, plies, search)
    return s


# Step 2. Select.


def key_of(s: Any) -> int:
    """A hash of who decides in a position, and what they see; never 0."""
    decides = seat(s)
    hashed = mix(add(decides, GOLDEN))
    for word in observe(s, decides):
        hashed = mix(add(hashed, GOLDEN) ^ word)
    return hashed if hashed != 0 else 1


def place_of(key: int, sets: Sets) -> int:
    """Where a set is in the table, or where it would go: an empty place."""
    last = len(sets) - 1
    place = key & last
    while sets[place].count != 0 and sets[place].key != key:
        place = (place + 1) & last
    return place


def most_promising(place: int, mover: Player, scale: float, sets: Sets, options: Options) -> int:
    """The option with the greatest upper confidence bound; one never tried goes first."""
    first = sets[place].first
    reach = scale * math.sqrt(math.log(max(sets[place].visits, 1)))
    chosen, best = first, -math.inf
    for i in range(first, first + sets[place].count):
        if options[i].visits == 0:
            return i
        mean = options[i].total / options[i].visits
        bound = (-mean if mover == MIN else mean) + reach / math.sqrt(options[i].visits)
        if bound > best:
            chosen, best = i, bound
    return chosen


# Step 3. Expand.


def has_room(n: int, sets: Sets, options: Options, search: SetSearch) -> bool:
    """Whether there is room for one more set with `n` options."""
    return search.sets * 4 < len(sets) * _FULL and search.tree_size + n <= len(options)


def expand(key: int, place: int, n: int, sets: Sets, options: Options, search: SetSearch) -> None:
    """Put a set with the `n` moves that are listed into an empty place, in random order."""
    first = search.tree_size
    for i in range(n):
        other = i + random_below(n - i, search)
        search.moves[i], search.moves[other] = search.moves[other], search.moves[i]
        options[first + i].move = search.moves[i]
        options[first + i].visits = 0
        options[first + i].total = 0.0
    sets[place].key = key
    sets[place].visits = 0
    sets[place].first = first
    sets[place].count = n
    search.tree_size = first + n
    search.sets += 1


# Step 4. Back up.


def back_up(value: float, depth: int, path: Path, sets: Sets, options: Options) -> None:
    """Count a simulation's value for every option that was taken in it."""
    for i in range(depth):
        chosen, place = path[2 * i], path[2 * i + 1]
        options[chosen].visits += 1
        options[chosen].total += value
        sets[place].visits += 1


def simulate(root: Any, path: Path, sets: Sets, options: Options, search: SetSearch) -> None:
    """One simulation, from a deal to the end of the game."""
    scale = search.exploration * spread(search)
    s = dealt(root, seat(root), search)
    if search.stop != 0:
        return
    depth, last, value, ended = wrap(0), wrap(NO_REPLY), 0.0, False
    for _ in range(search.max_plies):
        if ended:
            break
        mover = player(s)
        if HAS_OUTCOMES and mover == CHANCE:
            n = list_outcomes(s, search.moves, search.weights, search)
            s = result(s, random_event(n, search))
            continue
        n = list_actions(s, search.moves, search)
        if n == 0:
            value, ended = float(outcome(s, search)), True
            break
        key = key_of(s)
        place = place_of(key, sets)
        if sets[place].count == 0:
            if has_room(n, sets, options, search):
                expand(key, place, n, sets, options, search)
            elif depth > 0:
                break
        elif sets[place].count != n:
            stop_for(BY_OBSERVE, n, search)
            return
        new = sets[place].visits == 0
        chosen = most_promising(place, mover, scale, sets, options)
        path[2 * depth], path[2 * depth + 1] = chosen, place
        depth += 1
        last = options[chosen].move
        s = result(s, last)
        if new:
            break
    if not ended:
        value = float(play_out(s, last, None, search)[0])
    search.longest = max(search.longest, depth)
    count_value(value, search)
    back_up(value, depth, path, sets, options)


def grow(root: Any, path: Path, sets: Sets, options: Options, search: SetSearch) -> None:
    """Simulate until the limit or a stop; there may be simulations already."""
    while search.stop == 0 and search.nodes < search.node_limit:
        search.nodes += 1
        simulate(root, path, sets, options, search)


def grow_from(
    given: tuple[int, ...], path: Path, sets: Sets, options: Options, search: Boxed[SetSearch]
) -> None:
    """The entry: `grow` from a state given as words."""
    grow(state(given), path, sets, options, search[0])


def deal_again(given: tuple[int, ...], search: Boxed[SetSearch]) -> tuple[int, ...]:
    """The entry: a position that the one who decides cannot tell from this one."""
    s = state(given)
    return words(dealt(s, seat(s), search[0]))


def place_of_root(given: tuple[int, ...], sets: Sets) -> int:
    """The entry: where the set of a position is, `NOWHERE` if it was never seen."""
    place = place_of(key_of(state(given)), sets)
    return place if sets[place].count != 0 else wrap(NOWHERE)
