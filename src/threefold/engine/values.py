"""Values inside a search: guesses, finished games and how far away they are, all in one word.

    what                         value to the player who moves
    an evaluation                -MAX_VALUE … MAX_VALUE
    a draw                       0
    won with utility u, n plies  WON + u · PLIES - n, above any guess
    lost                         the same, negative

So a larger utility comes first, then the sooner win; and of losses the smaller, then the later.
Plies are counted from the root of the search; a table, which is to serve other roots and other
paths to the same position, holds them counted from the position itself.

Where nature has a say, a value is an expectation. A finished game must then weigh what it is worth
and no more: `FINISHED` evaluation units for a utility of 1, as in the textbook, and all in
fractions of `UNIT` so that little is lost in rounding. There is no distance in it.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.listing import checked_utility
from threefold.rules.contract import (
    FINISHED,
    HAS_BOUNDS,
    HAS_OUTCOMES,
    MAX_VALUE,
    MIN,
    bounds,
    evaluate,
    player,
)

#: More plies than any line of a search has.
PLIES: Final = 1 << 12
WON: Final = 1 << 23
#: Past every value.
INFINITY: Final = 1 << 35

#: Fractions of an evaluation unit, in games of chance.
UNIT: Final = 1 << 10
#: So that an expectation fits a table's entry.
MAX_CHANCE_UTILITY: Final = (INFINITY - 1) // (FINISHED * UNIT)


def finished_value(s: Any, ply: int, control: Control) -> int:
    """A finished game's worth to MAX, `ply` plies from the root."""
    most = MAX_CHANCE_UTILITY if HAS_OUTCOMES else MAX_VALUE
    value = checked_utility(s, most, control)
    if HAS_OUTCOMES:
        return value * FINISHED * UNIT
    if value > 0:
        return WON + value * PLIES - ply
    if value < 0:
        return value * PLIES - WON + ply
    return 0


def guessed_value(s: Any) -> int:
    """What an unfinished position seems worth to MAX."""
    value = evaluate(s)
    if HAS_OUTCOMES:
        # A guess is never worth more than the best that can happen, so that nature's nodes can
        # be cut by it.
        low, high = reach(s)
        return min(max(value * UNIT, low), high)
    return min(max(value, -MAX_VALUE), MAX_VALUE)


def reach(s: Any) -> tuple[int, int]:
    """The least and the greatest value to MAX that play from here can come to, in any game."""
    if HAS_BOUNDS:
        low, high = bounds(s)
    else:
        low, high = -MAX_VALUE, MAX_VALUE
    if HAS_OUTCOMES:
        most = MAX_CHANCE_UTILITY
        return max(low, -most) * FINISHED * UNIT, min(high, most) * FINISHED * UNIT
    return values_between(low, high)


def values_between(low: int, high: int) -> tuple[int, int]:
    """The least and the greatest value of a game without chance with a utility in that range."""
    if low < 0:
        low = low * PLIES - WON
    elif low > 0:
        low = WON + (low - 1) * PLIES
    if high > 0:
        high = WON + high * PLIES
    elif high < 0:
        high = (high + 1) * PLIES - WON
    return low, high


def to_mover(s: Any, value: int) -> int:
    """A value to MAX, as the player who moves in `s` sees it; nature sees with MAX's eyes."""
    return -value if player(s) == MIN else value


def from_here(value: int, ply: int) -> int:
    """A value for the table: plies to the end counted from the position at `ply`."""
    if HAS_OUTCOMES:
        return value
    if value >= WON:
        return value + ply
    if value <= -WON:
        return value - ply
    return value


def from_root(value: int, ply: int) -> int:
    """A value from the table: plies to the end counted from the root again."""
    if HAS_OUTCOMES:
        return value
    if value >= WON:
        return value - ply
    if value <= -WON:
        return value + ply
    return value


def utility_of(value: int) -> int:
    """The utility in a value of a game without chance that ended, to the same player."""
    if abs(value) < WON:
        return 0
    size = -(-(abs(value) - WON) // PLIES)
    return size if value > 0 else -size


def plies_of(value: int) -> int:
    """How many plies from the root a game of that value, won or lost, ends."""
    return abs(utility_of(value)) * PLIES + WON - abs(value)
