"""The templates that make tables of races from a game's rules.

A side's plays depend on nothing but the side. So they are listed once for each side, and not for
each pair. `list_plays` does that with the game's own rules. The others know no game, only arrays:

    first_roll   side 0's, side 1's, …    where the rolls of each side begin
    weight       by roll                  how often it comes up
    first_play   by roll                  where the plays of each roll begin
    play         by play                  the number of the side after it
"""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from threefold.engine.control import Control
from threefold.engine.listing import checked_utility, list_actions, list_outcomes
from threefold.engine.records import Boxed, Word
from threefold.engine.rounding import rounded_mean
from threefold.rules.contract import MAX, MAX_MOVES, MAX_VALUE, race, result, state
from threefold.rules.race import side_of_race

Array: TypeAlias = Any  # of NumPy, or of compiled code

#: A utility of 1 in the exact table: 64 bits hold the weighted sums of a chance node.
EXACT_UNIT: Final = 1 << 54
#: A roll, in the table of how many are needed on average.
ROLL_UNIT: Final = 1 << 40


@dataclass(slots=True, kw_only=True)
class Listed:
    """How far `list_plays` has gotten."""

    sides: Word = 1  # the finished side has no plays
    rolls: Word = 0
    plays: Word = 0
    wrong: Word = -1  # a side whose plays do not lead to smaller numbers


def list_plays(
    mine: Array,
    theirs: Array,
    first_roll: Array,
    weight: Array,
    first_play: Array,
    play: Array,
    win: Array,
    boxed_listed: Boxed[Listed],
    rows: Array,
    boxed_control: Boxed[Control],
) -> None:
    """List the plays of all sides, until room runs out, and what is won against them.

    `mine` has each side as MAX's, against some side. `theirs` has it as MIN's, against MAX's side
    1, which any move finishes.
    """
    listed, control = boxed_listed[0], boxed_control[0]
    events, weights, moves = rows[0], rows[1], rows[2]
    while listed.sides < len(mine) and control.stop == 0:
        side = listed.sides
        n = list_outcomes(state(mine[side]), events, weights, control)
        if listed.rolls + n > len(weight) or listed.plays + n * MAX_MOVES > len(play):
            return
        rolled = result(state(theirs[side]), events[0])
        if list_actions(rolled, moves, control) != 0:
            win[side] = checked_utility(result(rolled, moves[0]), MAX_VALUE, control)
        for i in range(n):
            rolled = result(state(mine[side]), events[i])
            m = list_actions(rolled, moves, control)
            for j in range(m):
                after = side_of_race(race(result(rolled, moves[j])), MAX)
                if after >= side:
                    listed.wrong = side
                    return
                play[listed.plays] = after
                listed.plays += 1
            if m == 0:
                listed.wrong = side
                return
            weight[listed.rolls] = weights[i]
            listed.rolls += 1
            first_play[listed.rolls] = listed.plays
        listed.sides += 1
        first_roll[listed.sides] = listed.rolls
        control.nodes += 1


def pair_sides(
    first_roll: Array,
    weight: Array,
    first_play: Array,
    play: Array,
    win: Array,
    value: Array,
    boxed_control: Boxed[Control],
) -> None:
    """What every race is worth to the side to roll: `value[mine, theirs]`, in `EXACT_UNIT`s.

    A move leads to a race of `theirs` against fewer of mine. So it is known before if the larger
    number of the two rises step by step, and the side to roll has it first.
    """
    control = boxed_control[0]
    for larger in range(1, len(value)):
        for smaller in range(1, larger):
            value[larger, smaller] = expected(
                larger, smaller, first_roll, weight, first_play, play, win, value
            )
        for mine in range(1, larger + 1):
            value[mine, larger] = expected(
                mine, larger, first_roll, weight, first_play, play, win, value
            )
        control.nodes += 2 * larger - 1
        if control.stop != 0:
            return


def expected(
    mine: int,
    theirs: int,
    first_roll: Array,
    weight: Array,
    first_play: Array,
    play: Array,
    win: Array,
    value: Array,
) -> int:
    """What a race is worth to the side to roll, given those that it leads to."""
    total = 0
    weights = 0
    for roll in range(first_roll[mine], first_roll[mine + 1]):
        best = -(1 << 62)
        for k in range(first_play[roll], first_play[roll + 1]):
            after = play[k]
            worth = win[theirs] * EXACT_UNIT if after == 0 else -value[theirs, after]
            best = max(best, worth)
        total += weight[roll] * best
        weights += weight[roll]
    return rounded_mean(total, weights)


def choose_plays(
    first_roll: Array,
    weight: Array,
    first_play: Array,
    play: Array,
    chosen: Array,
    mean: Array,
    longest: Array,
    boxed_control: Boxed[Control],
) -> None:
    """For each roll the play after which a side needs the fewest rolls on average.

    `mean` is how many it needs, in `ROLL_UNIT`s, and `longest` the most that it can need. Ties go
    to the first play.
    """
    control = boxed_control[0]
    for side in range(1, len(mean)):
        total = 0
        weights = 0
        for roll in range(first_roll[side], first_roll[side + 1]):
            best = play[first_play[roll]]
            for k in range(first_play[roll] + 1, first_play[roll + 1]):
                if mean[play[k]] < mean[best]:
                    best = play[k]
            chosen[roll] = best
            total += weight[roll] * mean[best]
            weights += weight[roll]
            longest[side] = max(longest[side], longest[best] + 1)
        mean[side] = ROLL_UNIT + rounded_mean(total, weights)
        control.nodes += 1
        if control.stop != 0:
            return


def tabulate_rolls(
    first_roll: Array,
    weight: Array,
    chosen: Array,
    win: Array,
    unit: int,
    finish: Array,
    loss: Array,
    boxed_control: Boxed[Control],
) -> None:
    """How likely each side finishes with which roll, and what it loses if it is stopped before.

    `finish` and `loss` are the last two parts of the table of `race`, in `unit`s.
    """
    control = boxed_control[0]
    width = finish.shape[1]
    finish[0, 0] = unit
    for side in range(1, len(finish)):
        begin, end = first_roll[side], first_roll[side + 1]
        weights = 0
        for roll in range(begin, end):
            weights += weight[roll]
        loss[side, 0] = win[side] * unit
        for k in range(1, width):
            total = 0
            lost = 0
            for roll in range(begin, end):
                total += weight[roll] * finish[chosen[roll], k - 1]
                lost += weight[roll] * loss[chosen[roll], k - 1]
            finish[side, k] = rounded_mean(total, weights)
            loss[side, k] = rounded_mean(lost, weights)
        control.nodes += 1
        if control.stop != 0:
            return
