"""The template of estimates of territory: games are played out, and their owners counted."""

from collections.abc import MutableSequence
from typing import Any

from threefold.engine.listing import is_over, list_actions, list_outcomes
from threefold.engine.playing_out import Search, move_of_playout, random_event
from threefold.engine.records import Boxed
from threefold.rules.bits import WORD_BITS, lsb, pop_lowest, wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    HAS_PLAYOUT,
    NO_REPLY,
    Action,
    owners,
    player,
    result,
    state,
)


def next_of_playout(s: Any, last: Action, search: Search) -> Action:
    """The next event of nature or move of a player in a playout, after its `last` move."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return random_event(list_outcomes(s, search.moves, search.weights, search), search)
    n = 0 if HAS_PLAYOUT else list_actions(s, search.moves, search)
    return move_of_playout(s, last, n, search)


def count_owned(s: Any, counts: MutableSequence[int]) -> None:
    """Count each place that somebody owns in a finished game: MAX's places, then MIN's."""
    first = wrap(0)
    for owned in owners(s):
        left = owned
        while left != 0:
            counts[first + lsb(left)] += 1
            left = pop_lowest(left)
        first += WORD_BITS


def play_to_the_end(s: Any, counts: MutableSequence[int], search: Search) -> None:
    """Play a game from here, and count its owners; not those of a game that lasts too long."""
    last = wrap(NO_REPLY)
    for _ in range(search.max_plies + 1):
        if is_over(s, search.moves, search):
            count_owned(s, counts)
            search.simulations += 1
            return
        last = next_of_playout(s, last, search)
        s = result(s, last)
        if search.stop != 0:
            return


def own(s: Any, counts: MutableSequence[int], search: Search) -> None:
    """Play games until the limit or a stop."""
    while search.stop == 0 and search.nodes < search.node_limit:
        search.nodes += 1
        play_to_the_end(s, counts, search)


def own_from(words: tuple[int, ...], counts: MutableSequence[int], search: Boxed[Search]) -> None:
    """The entry: `own` from a state given as words."""
    own(state(words), counts, search[0])
