"""Games between two players who look one ply ahead: the template.

Each player judges the positions after its moves by a net or by the game's own evaluation, or moves
at random. Games come in pairs: the same opening of random moves and the same dice, with the sides
exchanged.
"""

from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from threefold.engine.control import Control
from threefold.engine.leaf import judged_value
from threefold.engine.listing import checked_utility, is_over, list_actions, list_outcomes
from threefold.engine.net_value import NetMemory
from threefold.engine.playing_out import event_at
from threefold.engine.randomness import below, first_random, next_random
from threefold.engine.records import WORD, Boxed, Word
from threefold.engine.values import finished_value, guessed_value
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    CLAIMABLE,
    HAS_DRAWN,
    HAS_OUTCOMES,
    MAX_MOVES,
    MAX_VALUE,
    MIN,
    Action,
    drawn,
    player,
    result,
    state,
)

# How a player judges positions.
AT_RANDOM: Final = 0
BY_EVALUATION: Final = 1
BY_NET: Final = 2

#: What a player gained in a game that was cut off: more than any game is worth.
CUT_OFF: Final = MAX_VALUE + 1


@dataclass(slots=True, kw_only=True)
class Sparring(Control):
    """What a series of games needs: the two players, and room for moves."""

    max_plies: Word  # a longer game is cut off
    opening: Word = 1  # the most random moves at the beginning of a game without dice
    random: Word  # the state of the random numbers
    dice: Word  # the same for nature, so that both games of a pair have the same dice
    ways: Annotated[MutableSequence[int], WORD, 2]  # how each player judges positions
    nets: Annotated[MutableSequence[NetMemory], NetMemory, 2]  # and by which net, if by one
    # A hook that writes too much overwrites what follows, before its count reveals the error.
    moves: Annotated[MutableSequence[int], WORD, MAX_MOVES]
    replies: Annotated[MutableSequence[int], WORD, MAX_MOVES]


def random_below(n: int, sparring: Sparring) -> int:
    """A number from 0 to n - 1."""
    sparring.random = next_random(sparring.random)
    return below(n, sparring.random)


def next_event(n: int, sparring: Sparring) -> Action:
    """What nature does: one of the `n` events listed, by their weights."""
    total = 0
    for i in range(n):
        total += sparring.replies[i]
    sparring.dice = next_random(sparring.dice)
    return event_at(below(total, sparring.dice), n, sparring.moves, sparring.replies)


def judged(s: Any, who: int, sparring: Sparring) -> int:
    """What a position seems worth to MAX in the eyes of one of the two."""
    by_nature = HAS_OUTCOMES and player(s) == CHANCE
    if HAS_DRAWN and not by_nature and drawn(s) >= CLAIMABLE:
        return 0
    if is_over(s, sparring.replies, sparring):
        return finished_value(s, wrap(0), sparring)
    if sparring.ways[who] == BY_NET:
        return judged_value(s, sparring.nets[who])
    return guessed_value(s)


def chosen(s: Any, n: int, who: int, sparring: Sparring) -> Action:
    """The move of one of the two, among the `n` listed; a tie is broken at random."""
    if sparring.ways[who] == AT_RANDOM:
        return int(sparring.moves[random_below(n, sparring)])
    best, ties, move = wrap(0), wrap(0), wrap(0)
    for i in range(n):
        value = judged(result(s, sparring.moves[i]), who, sparring)
        if player(s) == MIN:
            value = -value
        if ties == 0 or value > best:
            best, ties, move = value, wrap(1), int(sparring.moves[i])
        elif value == best:
            ties += 1
            if random_below(ties, sparring) == 0:
                move = int(sparring.moves[i])
    return move


def play_game(s: Any, opening: int, exchanged: int, sparring: Sparring) -> int:
    """Play to the end and return the utility to MAX, who is the second player if `exchanged`.

    A game that takes too long is `CUT_OFF`.
    """
    for ply in range(sparring.max_plies + 1):  # after the last ply, the game may be over
        sparring.nodes += 1
        if sparring.stop != 0:
            return 0
        if HAS_OUTCOMES and player(s) == CHANCE:
            n = list_outcomes(s, sparring.moves, sparring.replies, sparring)
            if n == 0:
                return 0
            s = result(s, next_event(n, sparring))
            continue
        n = list_actions(s, sparring.moves, sparring)
        if n == 0:
            return checked_utility(s, MAX_VALUE, sparring)
        if HAS_DRAWN and drawn(s) >= CLAIMABLE:
            return 0
        if not HAS_OUTCOMES and ply < opening:
            s = result(s, sparring.moves[random_below(n, sparring)])
        else:
            s = result(s, chosen(s, n, player(s) ^ exchanged, sparring))
    return wrap(CUT_OFF)


def play_pairs(
    words: tuple[int, ...], seed: int, gains: Any, boxed_sparring: Boxed[Sparring]
) -> None:
    """The entry: play pairs of games, and write what the first player gained in each game."""
    sparring = boxed_sparring[0]
    for game in range(len(gains)):
        sparring.random = first_random(seed, game >> 1)
        sparring.dice = ~sparring.random
        opening = 1 + random_below(sparring.opening, sparring)
        exchanged = game & 1
        gained = play_game(state(words), opening, exchanged, sparring)
        gains[game] = -gained if exchanged and gained != CUT_OFF else gained
