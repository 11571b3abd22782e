"""The end-games of checkers: positions by the men and kings of both sides.

A slice is named after the pieces of the player to move, then those of the other side: `MKvKK`. With
white to move the board is turned, so that the mover's men always go down.

Within a slice positions are numbered without gaps. Men of the mover can stand on 28 squares, on the
far row they are kings. So can the other side's, but not on the mover's first row. So how many
squares are left for them depends on how many men the mover has on that row, and the positions with
no man there come first, then those with one, and so on. Kings go to the squares that are left.
"""

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Final

from threefold.games.checkers.features import turned
from threefold.games.checkers.routes import BOARD
from threefold.rules.bits import popcount
from threefold.rules.contract import MAX
from threefold.rules.endgames import NO_SLICE, Endgames, Slice
from threefold.rules.subsets import MOST_IN_A_SET, choose, number_of_set, set_of_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from threefold.games.checkers.rules import State

#: The row where the mover's men start and the other side's become kings, and the other way round.
_HOME: Final = 15
_FAR: Final = 15 << 31
#: Where men of both sides can stand.
_MIDDLE: Final = BOARD & ~(_HOME | _FAR)
_MIDDLE_SQUARES: Final = 24
_HOME_SQUARES: Final = 4
_SQUARES: Final = 32

#: With more pieces a slice has numbers past 2^31, and nobody has the memory.
MOST_PIECES: Final = MOST_IN_A_SET
#: These take seconds.
SMALL: Final = 4


def slice_number(men: int, kings: int, their_men: int, their_kings: int) -> int:
    """The slice with these pieces, the mover's first."""
    return men << 12 | kings << 8 | their_men << 4 | their_kings


def with_home_men(home: int, number: int) -> int:
    """How many positions of a slice have that many of the mover's men on the first row."""
    men, kings, their_men, their_kings = (
        number >> 12,
        number >> 8 & 15,
        number >> 4 & 15,
        number & 15,
    )
    middle = men - home
    if middle < 0 or middle > _MIDDLE_SQUARES:
        return 0
    free = _SQUARES - men - their_men
    count = choose(_HOME_SQUARES, home) * choose(_MIDDLE_SQUARES, middle)
    count *= choose(_MIDDLE_SQUARES + _HOME_SQUARES - middle, their_men)
    return count * choose(free, kings) * choose(free - kings, their_kings)


def slice_of(s: "State") -> int:
    """The slice of a position; none once a side has lost all its pieces."""
    if popcount(s.black | s.white) > MOST_PIECES or s.black == 0 or s.white == 0:
        return NO_SLICE
    mine, theirs = (s.black, s.white) if s.turn == MAX else (s.white, s.black)
    return slice_number(
        popcount(mine & ~s.kings),
        popcount(mine & s.kings),
        popcount(theirs & ~s.kings),
        popcount(theirs & s.kings),
    )


def number_of(s: "State") -> int:
    """The number of a position in its slice."""
    mine, theirs, kings = s.black, s.white, s.kings
    if s.turn != MAX:
        mine, theirs, kings = turned(s.white), turned(s.black), turned(s.kings)
    men, their_men, mine, theirs = mine & ~kings, theirs & ~kings, mine & kings, theirs & kings
    home, middle = men & _HOME, men & ~_HOME
    at_home = popcount(home)
    of_slice = slice_number(popcount(men), popcount(mine), popcount(their_men), popcount(theirs))
    number = 0
    for fewer in range(at_home):
        number += with_home_men(fewer, of_slice)

    within = number_of_set(home, _HOME)
    within = within * choose(_MIDDLE_SQUARES, popcount(middle)) + number_of_set(middle, _MIDDLE)
    free = (_MIDDLE | _FAR) & ~middle
    within = within * choose(popcount(free), popcount(their_men)) + number_of_set(their_men, free)
    free = BOARD & ~(men | their_men)
    within = within * choose(popcount(free), popcount(mine)) + number_of_set(mine, free)
    free &= ~mine
    return number + within * choose(popcount(free), popcount(theirs)) + number_of_set(theirs, free)


def endgames(
    make_state: "Callable[[int, int, int], State]", plies_left: "Callable[[State], int] | None"
) -> "Endgames[State]":
    """The end-games; `make_state` makes a position of black's pieces, white's and all kings."""

    def position(of_slice: int, number: int) -> "State":
        men, kings, their_men, their_kings = (
            of_slice >> 12,
            of_slice >> 8 & 15,
            of_slice >> 4 & 15,
            of_slice & 15,
        )
        at_home = 0
        while number >= with_home_men(at_home, of_slice):
            number -= with_home_men(at_home, of_slice)
            at_home += 1
        in_middle = men - at_home
        squares = _SQUARES - men - their_men
        count = choose(squares - kings, their_kings)
        theirs_number, number = number % count, number // count
        count = choose(squares, kings)
        mine_number, number = number % count, number // count
        count = choose(_MIDDLE_SQUARES + _HOME_SQUARES - in_middle, their_men)
        their_men_number, number = number % count, number // count
        count = choose(_MIDDLE_SQUARES, in_middle)
        middle = set_of_number(number % count, in_middle, _MIDDLE)
        black = middle | set_of_number(number // count, at_home, _HOME)
        free = (_MIDDLE | _FAR) & ~middle
        white = set_of_number(their_men_number, their_men, free)
        free = BOARD & ~(black | white)
        mine = set_of_number(mine_number, kings, free)
        theirs = set_of_number(theirs_number, their_kings, free & ~mine)
        return make_state(black | mine, white | theirs, mine | theirs)

    return Endgames(
        rules="checkers",
        slices=slices,
        slice_of=slice_of,
        number_of=number_of,
        position=position,
        plies_left=plies_left,
        most=MOST_PIECES,
        small=SMALL,
    )


def slices(pieces: int) -> list[Slice]:
    """All slices with at most so many pieces, both sides having some."""
    counts = range(pieces + 1)
    material = [
        (men, kings, their_men, their_kings)
        for men, kings, their_men, their_kings in product(counts, repeat=4)
        if men + kings > 0
        and their_men + their_kings > 0
        and men + kings + their_men + their_kings <= pieces
    ]
    return [_slice(*each) for each in sorted(material, key=lambda each: (sum(each), each))]


def _slice(men: int, kings: int, their_men: int, their_kings: int) -> Slice:
    number = slice_number(men, kings, their_men, their_kings)
    return Slice(
        number=number,
        name=f"{'M' * men}{'K' * kings}v{'M' * their_men}{'K' * their_kings}",
        size=sum(with_home_men(home, number) for home in range(_HOME_SQUARES + 1)),
        pieces=men + kings + their_men + their_kings,
        leads_to=tuple(_after(men, kings, their_men, their_kings)),
    )


def _after(men: int, kings: int, their_men: int, their_kings: int) -> Iterator[int]:
    """The slices after a move: pieces may be captured, and a man may become a king."""
    for left_men, left_kings in product(range(their_men + 1), range(their_kings + 1)):
        if left_men + left_kings > 0:
            for crowned in range(min(men, 1) + 1):
                yield slice_number(left_men, left_kings, men - crowned, kings + crowned)
