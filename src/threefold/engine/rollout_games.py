"""The template of rollouts: games played out by an evaluation, with the luck taken out of them.

Each side plays the move whose position the evaluation likes best, one ply ahead, and nature rolls.
A game ends with its result or, where it is truncated, with an evaluation. All values are MAX's, in
fractions as in `values`.

**Luck** is what a roll gained: the value after the best play of it, less the mean of that over all
rolls. Its expectation is zero, whatever the evaluation. So subtracting it leaves the mean of the
games as it is, and removes most of their variance if the evaluation is any good (Tesauro and
Galperin, 1996).

**Strata**: the first two rolls of a game are not drawn at random. As the numbers of the games run
through all first rolls, and then through all pairs, each occurs as often as its weight says.

The rolls depend on the seed and the number of the game alone. So the same games with other first
moves have the same rolls, which makes their difference more certain than each.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from threefold.engine.control import Control
from threefold.engine.leaf import static_value
from threefold.engine.listing import is_over, list_actions, list_outcomes
from threefold.engine.memory import Words
from threefold.engine.net_value import NetMemory
from threefold.engine.playing_out import event_at
from threefold.engine.randomness import below, first_random, next_random
from threefold.engine.records import WORD, Boxed, Word
from threefold.engine.rounding import rounded_mean
from threefold.engine.table import NO_MOVE
from threefold.engine.values import INFINITY, finished_value, to_mover
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    MAX_MOVES,
    MAX_TERMS,
    MIN,
    player,
    result,
    state,
)

# What is noted about a game, a row each.
#: The value at its end: of its result, or of the evaluation where it was truncated.
OUTCOME: Final = 0
#: What MAX gained by luck.
LUCK: Final = 1
#: Whether it was played to the end.
FINISHED_GAME: Final = 2
NOTES: Final = 3

#: A roll of more different shares than this is always drawn at random.
MOST_STRATA: Final = 1 << 12
#: The numbers of no games: what their random numbers rotate the strata by.
_FIRST_ROLL: Final = -1
_SECOND_ROLL: Final = -2


@dataclass(slots=True, kw_only=True)
class Rollout(Control):
    """What a thread needs to play games out: the evaluation, the options, and room for moves."""

    weights: Annotated[Words, WORD, MAX_TERMS]  # of the evaluation's terms: see `weigh`
    net: Annotated[NetMemory, NetMemory]
    seed: Word
    max_rolls: Word  # a game is truncated after so many rolls
    max_turns: Word  # and after so many turns in any case
    measure_luck: Word  # whether to find out what luck gained
    best: Word = 0  # the best move, as `value_of_best` finds it
    # A hook that writes too much overwrites what follows, before its count reveals the error.
    spare: Annotated[Words, WORD, MAX_MOVES]
    moves: Annotated[Words, WORD, MAX_MOVES]
    events: Annotated[Words, WORD, MAX_MOVES]
    shares: Annotated[Words, WORD, MAX_MOVES]


def judge(s: Any, rollout: Rollout) -> int:
    """What a position is worth by the rules if the game is over, else by the evaluation."""
    rollout.nodes += 1
    if rollout.nodes >= rollout.node_limit:
        rollout.stop = 1
    if is_over(s, rollout.spare, rollout):
        return finished_value(s, 0, rollout)
    return to_mover(s, static_value(s, rollout))


def value_of_best(s: Any, rollout: Rollout) -> int:
    """What a position is worth after the best move, which is noted; if there is none, as it is."""
    mover = player(s)
    n = 0
    if mover != CHANCE:
        n = list_actions(s, rollout.moves, rollout)
    rollout.best = NO_MOVE
    if n == 0:
        return judge(s, rollout)
    best = -INFINITY
    for i in range(n):
        value = judge(result(s, rollout.moves[i]), rollout)
        value = -value if mover == MIN else value
        if value > best:
            best = value
            rollout.best = rollout.moves[i]
    return -best if mover == MIN else best


def share_of_roll(
    number: int, rolls: int, total: int, first_total: int, random: int, seed: int
) -> int:
    """Which share of a roll's weights a game gets: the first two from strata, the rest at random.

    The strata are rotated at random, so that any number of games is unbiased.
    """
    if total <= MOST_STRATA and rolls == 0:
        return (number + below(total, first_random(seed, _FIRST_ROLL))) % total
    if max(total, first_total) <= MOST_STRATA and rolls == 1:
        step = number // first_total + number % first_total
        return (step + below(total, first_random(seed, _SECOND_ROLL))) % total
    return below(total, random)


def play_out(s: Any, number: int, notes: Any, at: int, rollout: Rollout) -> None:
    """Play a game to its end, and note what it came to."""
    random = first_random(rollout.seed, number)
    luck, rolls, first_total = 0, 0, 1
    for _ in range(rollout.max_turns):
        if is_over(s, rollout.spare, rollout) or rollout.stop != 0:
            break
        by_nature = player(s) == CHANCE
        if by_nature and rolls >= rollout.max_rolls:
            break

        # Step 1. Nature rolls, unless a player is to move already.
        n, total, event = 1, 1, wrap(0)
        if by_nature:
            n = list_outcomes(s, rollout.events, rollout.shares, rollout)
            total = 0
            for i in range(n):
                total += rollout.shares[i]
            total = max(total, 1)
            if rolls == 0:
                first_total = total
            random = next_random(random)
            share = share_of_roll(number, rolls, total, first_total, random, rollout.seed)
            event = event_at(share, n, rollout.events, rollout.shares)
            rolls += 1

        # Step 2. The best move after that roll; and after all others, to know what it gained.
        following = s
        gained, sum_of_values = 0, 0
        for i in range(n):
            happened = not by_nature or rollout.events[i] == event
            if not happened and rollout.measure_luck == 0:
                continue
            rolled = s
            if by_nature:
                rolled = result(s, rollout.events[i])
            value = value_of_best(rolled, rollout)
            sum_of_values += value * (rollout.shares[i] if by_nature else 1)
            if happened:
                gained = value
                following = rolled if rollout.best == NO_MOVE else result(rolled, rollout.best)
        if by_nature and rollout.measure_luck != 0:
            luck += gained - rounded_mean(sum_of_values, total)

        # Step 3. It is played.
        s = following
    notes[OUTCOME, at] = judge(s, rollout)
    notes[LUCK, at] = luck
    notes[FINISHED_GAME, at] = is_over(s, rollout.spare, rollout)


def play_games(
    words: tuple[int, ...], first: int, last: int, notes: Any, memory: Boxed[Rollout]
) -> int:
    """The entry: games number `first` to before `last` from a position; how many were completed."""
    rollout = memory[0]
    for number in range(first, last):
        play_out(state(words), number, notes, number - first, rollout)
        if rollout.stop != 0:
            return number - first
    return last - first
