"""What values of the searches mean: guesses, finished games and how far away they are.

There are three scales. Values are for the player to move; at nature's nodes they are MAX's.

**Without chance** (`search`, and `threefold.solve.null_window`), all in one word:

    an evaluation                -MAX_VALUE … MAX_VALUE
    a draw                       0
    won with utility u, n plies  WON + u · PLIES - n, above any guess
    lost                         the same, negative
    surely won, if in time       MAX_VALUE - n: a guess that is better than any other

So a larger utility comes first, then the sooner win; of losses the smaller, then the later. Plies
are counted from the root of the search. A table must serve other roots and other paths to the same
position, so there they are counted from the position itself.

**With chance** (`expectation`), a value is an expectation. A finished game must then weigh what it
is worth and no more: `FINISHED` evaluation units for a utility of 1, as in the textbook. All values
are in fractions of `UNIT`, so that little is lost in rounding. They contain no distance.

**To a fixed depth** (`negamax`), with or without chance, an evaluation counts in its own units and
a utility of 1 as `PLAIN_UTILITY` of them. If a sooner win should be a better one, its plies are
subtracted.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.listing import checked_utility
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    FINISHED,
    HAS_BOUNDS,
    HAS_OUTCOMES,
    MAX_VALUE,
    MIN,
    bounds,
    evaluate,
    player,
    utility,
)

#: More plies than any line of a search has.
PLIES: Final = 1 << 12
WON: Final = 1 << 23
#: A win or a loss whose distance is not known counts as this far away, or farther.
FAR: Final = PLIES // 2
#: Past every value, with and without chance.
INFINITY: Final = 1 << 35

#: Fractions of an evaluation unit, in games of chance.
UNIT: Final = 1 << 10
#: So that an expectation fits a table's entry.
MAX_CHANCE_UTILITY: Final = (INFINITY - 1) // (FINISHED * UNIT)

#: A utility of 1 to a fixed depth: a finished game outweighs any guess, as long as both stay within
#: `MAX_VALUE` of the contract.
PLAIN_UTILITY: Final = 1 << 32
#: Past every value to a fixed depth.
PLAIN_INFINITY: Final = 1 << 62


# What positions are worth.


def finished_value(s: Any, ply: int, control: Control) -> int:
    """The value of a finished game to MAX, `ply` plies from the root."""
    most = MAX_CHANCE_UTILITY if HAS_OUTCOMES else MAX_VALUE
    value = checked_utility(s, most, control)
    if HAS_OUTCOMES:
        return value * FINISHED * UNIT
    if value > 0:
        return WON + value * PLIES - ply
    if value < 0:
        return value * PLIES - WON + ply
    return 0


def plain_finished_value(s: Any, late: int) -> int:
    """The value of a finished game to MAX on the plain scale; `late` plies make a win smaller."""
    value = wrap(utility(s))
    if value > 0:
        return value * PLAIN_UTILITY - late
    if value < 0:
        return value * PLAIN_UTILITY + late
    return 0


def guessed_value(s: Any) -> int:
    """What an unfinished position seems worth to MAX."""
    return within_reach(s, evaluate(s))


def within_reach(s: Any, value: int) -> int:
    """An evaluation as a value of a search."""
    if HAS_OUTCOMES:
        # A guess is never worth more than the best that can happen, so that nature's nodes can
        # be cut by it.
        low, high = reach(s)
        return min(max(value * UNIT, low), high)
    return min(max(value, -MAX_VALUE), MAX_VALUE)


def reach(s: Any) -> tuple[int, int]:
    """The least and the greatest value to MAX that play from here can end with, in any game."""
    if HAS_BOUNDS:
        low, high = bounds(s)
    else:
        low, high = -MAX_VALUE, MAX_VALUE
    if HAS_OUTCOMES:
        most = MAX_CHANCE_UTILITY
        return max(low, -most) * FINISHED * UNIT, min(high, most) * FINISHED * UNIT
    return values_between(low, high)


def to_mover(s: Any, value: int) -> int:
    """A value to MAX, from the view of the player to move in `s`; at nature's nodes, MAX's."""
    return -value if player(s) == MIN else value


# Without chance: utility and distance in one value.


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


def above(utility: int) -> int:
    """The least value of any greater utility, less one: a window there ignores distances."""
    if utility > 0:
        return WON + utility * PLIES
    if utility >= -1:
        return utility
    return (utility + 1) * PLIES - WON - 1


def utility_of(value: int) -> int:
    """The utility in a value of a game without chance that ended, to the same player."""
    if abs(value) < WON:
        return 0
    size = -(-(abs(value) - WON) // PLIES)
    return size if value > 0 else -size


def plies_of(value: int) -> int:
    """How many plies from the root a game of that value, won or lost, ends."""
    return abs(utility_of(value)) * PLIES + WON - abs(value)


def from_here(value: int, ply: int) -> int:
    """A value for the table: plies to the end counted from the position at `ply`."""
    return _sooner(value, ply)


def from_root(value: int, ply: int) -> int:
    """A value from the table: plies to the end counted from the root again."""
    return _sooner(value, -ply)


def _sooner(value: int, plies: int) -> int:
    """A value with its win or loss sooner by that many plies."""
    if HAS_OUTCOMES:
        return value
    if value >= WON:
        return value + plies
    if value <= -WON:
        return value - plies
    return value
