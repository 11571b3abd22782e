"""The template of playouts: games to the end, by the game's own moves or by random ones."""

import math
from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from threefold.engine.amaf import Played, note_if_first
from threefold.engine.control import Control
from threefold.engine.endgames.knowledge import probed
from threefold.engine.endgames.probing import NOT_FOUND, DatabaseMemory
from threefold.engine.endgames.values import outcome as outcome_of
from threefold.engine.endgames.values import settled_to_mover
from threefold.engine.listing import checked_utility, is_over, list_actions, list_outcomes
from threefold.engine.records import WORD, Real, Word
from threefold.engine.values import to_mover
from threefold.rules.bits import GOLDEN, add, lsr, mix, wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_DATABASE,
    HAS_MARGINS,
    HAS_OUTCOMES,
    HAS_PLAYOUT,
    HAS_REPLY,
    MAX_MOVES,
    MAX_VALUE,
    NO_REPLY,
    Action,
    player,
    playout,
    reply,
    result,
)


@dataclass(slots=True, kw_only=True)
class Search(Control):
    """All that a search keeps besides its tree: how to simulate, and what the simulations said."""

    max_plies: Word  # a simulation goes no further, and a longer game counts as a draw
    playouts: Word  # how many games are played from a leaf
    exploration: Real  # how much is explored, in units of the values' spread
    equivalence: Real  # how far all moves as first are trusted: see `amaf`
    root_moves: Word  # how many moves of the root there are, in `moves` at the start
    tree_size: Word = 1  # how many nodes the tree has
    random: Word  # the state of the random numbers
    simulations: Real  # how many have a value, which is included in the sums below
    sum_of_values: Real
    sum_of_squares: Real
    least: Real = math.inf  # the least outcome of a game so far,
    greatest: Real = -math.inf  # and the greatest
    database: Annotated[DatabaseMemory, DatabaseMemory]  # of end-games
    # A hook that writes too much overwrites what follows, before its count reveals the error.
    moves: Annotated[MutableSequence[int], WORD, MAX_MOVES]
    weights: Annotated[MutableSequence[int], WORD, MAX_MOVES]


class Playing(Protocol):
    """What a playout needs of a search."""

    random: Word
    moves: Annotated[MutableSequence[int], WORD, MAX_MOVES]


# Random numbers.


def random_word(search: Playing) -> int:
    """The next word of SplitMix64 (Steele, Lea and Flood, 2014)."""
    search.random = add(search.random, GOLDEN)
    return mix(search.random)


def random_below(n: int, search: Playing) -> int:
    """A number from 0 to n - 1: the high half of a product, which is cheaper than a remainder."""
    return (lsr(random_word(search), 32) * n) >> 32


def random_share(total: int, search: Search) -> int:
    """A number from 0 to total - 1, for totals of more than 32 bits as well."""
    return lsr(random_word(search), 1) % max(total, 1)


def event_at(share: int, n: int, events: Any, weights: Any) -> Action:
    """Which of `n` events of nature a point on the scale of their summed weights selects."""
    event = 0
    while event < n - 1 and share >= int(weights[event]):
        share -= int(weights[event])
        event += 1
    return int(events[event])


def random_event(n: int, search: Search) -> Action:
    """What nature does: one of the `n` events listed, by their weights."""
    total = 0
    for i in range(n):
        total += search.weights[i]
    return event_at(random_share(total, search), n, search.moves, search.weights)


# Outcomes.


def known_utility(s: Any, value: int, search: Search) -> int:
    """The utility to MAX that a database's value stands for, recorded as an outcome seen."""
    utility = value + settled_to_mover(s) if HAS_MARGINS else outcome_of(value)
    return seen(to_mover(s, utility), search)


def outcome(s: Any, search: Search) -> int:
    """The utility of a finished game to MAX, checked and recorded."""
    return seen(checked_utility(s, MAX_VALUE, search), search)


def seen(value: int, search: Search) -> int:
    """A utility to MAX, recorded among those that games can end with."""
    search.least = min(search.least, value)
    search.greatest = max(search.greatest, value)
    return value


def move_of_playout(s: Any, last: Action, n: int, search: Playing) -> Action:
    """The move of a player in a playout: the game's own `reply` to the last one, its own `playout`,
    or else any of the `n` that are listed.
    """
    a = wrap(NO_REPLY)
    if HAS_REPLY:
        a = reply(s, last, random_word(search))
    if a == NO_REPLY:
        if HAS_PLAYOUT:
            a = playout(s, random_word(search))
        else:
            a = search.moves[random_below(n, search)]
    return a


def play_out(s: Any, last: Action, played: Played, search: Search) -> tuple[int, int]:
    """Play a game from here, after its `last` move; return its outcome, and how many plies it took.

    A game that lasts too long counts as a draw.
    """
    plies = search.max_plies
    for ply in range(plies + 1):
        by_nature = HAS_OUTCOMES and player(s) == CHANCE
        if by_nature:
            n = list_outcomes(s, search.moves, search.weights, search)
        elif HAS_PLAYOUT:
            n = 0 if is_over(s, search.moves, search) else 1
        else:
            n = list_actions(s, search.moves, search)
        if n == 0:
            return 0 if by_nature else outcome(s, search), ply
        if HAS_DATABASE and ply > 0:
            value = probed(s, search.database, search)
            if value != NOT_FOUND:
                return known_utility(s, value, search), ply
        if ply < plies:
            if by_nature:
                s = result(s, random_event(n, search))
            else:
                last = move_of_playout(s, last, n, search)
                if played is not None:
                    note_if_first(last, search.nodes, player(s), played)
                s = result(s, last)
    return 0, plies
