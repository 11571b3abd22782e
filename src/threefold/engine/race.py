"""What a race is worth, from tables: exact if both sides are near the end, else an estimate.

The table is one array of 32-bit integers, so that a search takes it as data. Everything in it is in
`RACE_UNIT`s, a utility of 1 being so many:

    0                 paired: how many positions of a side the table of pairs covers
    1                 count: how many positions a side has
    2                 width: one more than the most rolls that a side can need
    HEADER …          paired x paired   what a race of two sides is worth to the one to roll
    …                 count x width     how likely a side finishes with its first, second, … roll
    …                 count x width     what a side loses on average if the other one finishes after
                                        it has rolled 0, 1, 2, … times: 0 once it has finished

The last two give the estimate. The side to roll wins if it finishes with its roll k while the other
has rolled k - 1 times; the other wins if it finishes with its roll k, after k rolls of the first.
Both sides' rolls are independent. What makes it an estimate is the play: each side minimizes the
rolls that it needs on average, although now and then taking a risk wins more often.
"""

from typing import Any, Final

from threefold.engine.rounding import rounded_mean
from threefold.rules.contract import MAX, MIN
from threefold.rules.race import side_of_race, turn_of_race

#: A utility of 1 in the units of the table.
RACE_UNIT: Final = 1 << 28
#: How many integers precede the values.
HEADER: Final = 3


def is_open_race(number: int) -> bool:
    """Whether this is the number of a race that nobody has won yet."""
    return number >= 0 and side_of_race(number, MAX) > 0 and side_of_race(number, MIN) > 0


def is_paired(number: int, table: Any) -> bool:
    """Whether the value of a race is exact, but for rounding."""
    return max(side_of_race(number, MAX), side_of_race(number, MIN)) < int(table[0])


def race_value(number: int, table: Any) -> int:
    """What the race of this number is worth to MAX, in `RACE_UNIT`s; `number` is not -1."""
    turn = turn_of_race(number)
    mine = side_of_race(number, turn)
    theirs = side_of_race(number, 1 - turn)
    paired, count, width = int(table[0]), int(table[1]), int(table[2])
    if mine < paired and theirs < paired:
        value = int(table[HEADER + mine * paired + theirs])
    else:
        finish = HEADER + paired * paired
        loss = finish + count * width
        total = 0
        for k in range(1, width):
            total += int(table[finish + mine * width + k]) * int(
                table[loss + theirs * width + k - 1]
            )
            total -= int(table[finish + theirs * width + k]) * int(table[loss + mine * width + k])
        value = total // RACE_UNIT
    return value if turn == MAX else -value


def race_worth(number: int, unit: int, table: Any) -> int:
    """The same where a utility of 1 is `unit`, rounded."""
    return rounded_mean(race_value(number, table) * unit, RACE_UNIT)
