"""Bearing off: the races of two sides that are home, numbered.

A side is home when all its checkers are on its points 1 to 6 or borne off. Its positions are
numbered by how many checkers are left, and then by where they are, the highest point first. So
every move leads to a smaller number, and the positions of up to n checkers are the first
C(n + 6, 6): 924 with up to six checkers, 54,264 with up to fifteen.

With k checkers left, r(p) of them on points 1 to p, the number is

    C(k + 6, 6) - 1 - [ C(r(1), 1) + C(r(2) + 1, 2) + … + C(r(5) + 4, 5) ]

The first part counts the positions with up to k checkers. The sum counts those of k checkers that
come after this one. It is a number in the combinatorial number system: the r(p) can be read off it
again, the one for point 5 first.
"""

from collections.abc import Callable
from math import comb
from typing import TypedDict

from threefold.games.backgammon.checkers import BAR, CHECKERS, OFF, occupied
from threefold.games.backgammon.rules import PLAYING, State
from threefold.rules.bits import msb
from threefold.rules.contract import MAX
from threefold.rules.race import RaceSides, race_number

#: The points of the home board.
_POINTS = 6
#: Both sides have borne off at least nine checkers, so that no gammon is possible.
PAIRED_CHECKERS = 6
#: How many positions a side has with up to 15, and with up to 6 checkers left.
SIDES = comb(CHECKERS + _POINTS, _POINTS)
PAIRED = comb(PAIRED_CHECKERS + _POINTS, _POINTS)

#: How many rolls there are.
_ROLLS = 21

_WIDTH = _POINTS + 1
#: Binomial coefficients: `n` over `k` at `_WIDTH * n + k`.
_CHOOSE = tuple(comb(n, k) for n in range(CHECKERS + _POINTS + 1) for k in range(_WIDTH))


class Endgames(TypedDict, total=False):
    """What `endgames` returns."""

    race: Callable[[State], int]
    race_sides: RaceSides[State]
    reachable: Callable[[State], int]


def side_number(low: int, high: int) -> int:
    """The number of a side, given its checkers; -1 if some are not home."""
    if high != 0 or low >> 4 * _WIDTH != 0:
        return -1
    left = CHECKERS - (low & 15)
    number = _CHOOSE[_WIDTH * (left + _POINTS) + _POINTS] - 1
    below = 0
    for point in range(1, _POINTS):
        below += low >> 4 * point & 15
        number -= _CHOOSE[_WIDTH * (below + point - 1) + point]
    return number


def side_of_number(number: int) -> int:
    """The first word of the checkers of the side with a number; the second is 0."""
    left = 0
    while comb(left + _POINTS, _POINTS) <= number:
        left += 1
    rest = comb(left + _POINTS, _POINTS) - 1 - number
    low, above = CHECKERS - left, left
    for point in range(_POINTS - 1, 0, -1):
        below = above
        while comb(below + point - 1, point) > rest:
            below -= 1
        rest -= comb(below + point - 1, point)
        low |= above - below << 4 * (point + 1)
        above = below
    return low | above << 4


def race(s: State) -> int:
    """The number of a race: both sides are home, and nothing is rolled yet."""
    if s.dice != 0 or s.phase != PLAYING:
        return -1
    of_x = side_number(s.x_low, s.x_high)
    of_o = side_number(s.o_low, s.o_high)
    if of_x < 0 or of_o < 0:
        return -1
    return race_number(s.turn, of_x, of_o)


def race_position(of_x: int, of_o: int) -> State:
    """The race of two sides, X to roll."""
    return State(side_of_number(of_x), 0, side_of_number(of_o), 0, 0, MAX)


def reachable(s: State) -> int:
    """About how many positions can follow, the cube aside.

    A checker that can be hit may come to be anywhere, and one that cannot only goes down.
    """
    places = [occupied(s.x_low, s.x_high), occupied(s.o_low, s.o_high)]
    highest = [msb(each) if each else OFF for each in places]
    if sum(highest) > BAR:
        highest = [BAR, BAR]
    total = 2 * (1 + _ROLLS)
    for low, last in zip((s.x_low, s.o_low), highest, strict=True):
        total *= comb(CHECKERS - (low & 15) + last, last)
    return total


def endgames(cube: bool) -> Endgames:
    """What is known about the end; no races with the cube, since who may double matters too."""
    if cube:
        return {"reachable": reachable}
    sides = RaceSides(
        count=SIDES,
        paired=PAIRED,
        position=race_position,
        exact_name=f"bear-offs with at most {PAIRED_CHECKERS} checkers a side",
    )
    return {"race": race, "race_sides": sides, "reachable": reachable}
