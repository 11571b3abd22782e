"""Races: the end of a game in which the two sides can no longer affect each other.

In backgammon, once all checkers are past each other and home, each side only bears off: what it can
do depends on its own checkers and its own rolls. Whoever finishes first wins. So each side has a
number of its own, and a race is two such numbers and whose roll comes next.

The numbers of a side are in an order in which play can take it: 0 is finished, and every move leads
to a smaller number. A side with number 1 finishes with its next move, whatever the roll. With that,
tables can be made from the rules alone: see `threefold.engine.race_tables`.

`race(s)` of the contract returns all three in one word:

    bit 0          who rolls next: MAX (0) or MIN (1)
    bits 1-20      the number of MIN's side
    bits 21-40     the number of MAX's side
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from threefold.rules.contract import MAX

S = TypeVar("S")

_BITS: Final = 20
_SIDE: Final = (1 << _BITS) - 1
#: A side has fewer positions than this.
MAX_SIDES: Final = 1 << _BITS


@dataclass(frozen=True, kw_only=True)
class RaceSides(Generic[S]):
    """What tables of races are made of."""

    #: How many positions a side can have, the finished one included.
    count: int
    #: How many of them, the first ones, the table of pairs covers: races of two such sides have an
    #: exact value, all others an estimate.
    paired: int
    #: The race of two sides, the numbers of MAX's and MIN's, with MAX to roll.
    position: Callable[[int, int], S]
    #: What people call the races of two such sides.
    exact_name: str = "races"


def race_number(turn: int, of_max: int, of_min: int) -> int:
    """What `race` returns for the numbers of both sides, and for who rolls next."""
    return (of_max << (_BITS + 1)) | (of_min << 1) | turn


def turn_of_race(number: int) -> int:
    """Who rolls next."""
    return number & 1


def side_of_race(number: int, player: int) -> int:
    """The number of a player's side."""
    return (number >> (_BITS + 1 if player == MAX else 1)) & _SIDE
