"""Every move that a board of checkers allows, numbered once and for all.

A square is a bit; after every second row one bit is left out. So a step down to the left is always
4 bits, one to the right 5, and one over the edge ends on a bit that is no square:

         0     1     2     3          square   1  2  3  4
      4     5     6     7      (8)             5  6  7  8
         9    10    11    12                   9 10 11 12
     13    14    15    16     (17)            13 14 15 16
        18    19    20    21                  17 18 19 20
     22    23    24    25     (26)            21 22 23 24
        27    28    29    30                  25 26 27 28
     31    32    33    34                     29 30 31 32

A capture is a *route* over landing squares that jumps no square twice. A jump changes row and
column by two, so a piece lands on 8 squares only, with 9 to jump between them: there are 1,328
routes, each with a number. It is followed by those that go on from it, so that to skip a route is
to skip them, too. The steps have the numbers after the routes, 4 · square + direction.
"""

from collections.abc import Iterator
from typing import NamedTuple

#: Bits of a board, and those on which a piece can stand.
BITS = 35
SQUARES = tuple(bit for bit in range(BITS) if bit % 9 != 8)
BOARD = sum(1 << bit for bit in SQUARES)

#: By how many bits a step goes in each direction, the two that lead down first.
STEPS = (4, 5, -5, -4)
#: The ways that a piece goes: down the board, as black men do, or up, or both.
DOWN = 1
UP = 2
BOTH = DOWN | UP

#: How many pieces a side has at most.
PIECES = 12


class Route(NamedTuple):
    """The squares that a piece comes through, and those that it jumps."""

    path: tuple[int, ...]
    jumped: tuple[int, ...] = ()


def _onward(route: Route) -> Iterator[Route]:
    """The routes that are one jump longer."""
    for step in STEPS:
        over, landing = route.path[-1] + step, route.path[-1] + 2 * step
        if over in SQUARES and landing in SQUARES and over not in route.jumped:
            yield Route((*route.path, landing), (*route.jumped, over))


def _all_onward(route: Route) -> Iterator[Route]:
    """All routes that are longer, each followed by those that go on from it."""
    for longer in _onward(route):
        yield longer
        yield from _all_onward(longer)


def _bits(squares: tuple[int, ...]) -> int:
    return sum(1 << square for square in squares)


_FROM = tuple(
    tuple(_all_onward(Route((square,)))) if square in SQUARES else () for square in range(BITS)
)
#: Every capture by its number.
ROUTES = tuple(route for routes in _FROM for route in routes)
#: For each square the number of its first route, and one past the last of all.
FIRST_ROUTE = tuple(sum(map(len, _FROM[:square])) for square in range(BITS + 1))

# For each route the square where it starts, where it ends, and all that it captures;
START = tuple(_bits(route.path[:1]) for route in ROUTES)
END = tuple(_bits(route.path[-1:]) for route in ROUTES)
CAPTURED = tuple(_bits(route.jumped) for route in ROUTES)
# which square it jumps last, and which way;
JUMPED = tuple(_bits(route.jumped[-1:]) for route in ROUTES)
WAY = tuple(DOWN if route.jumped[-1] < route.path[-1] else UP for route in ROUTES)
# and the next route that does not go on from it.
NEXT = tuple(number + 1 + len(tuple(_all_onward(route))) for number, route in enumerate(ROUTES))

#: Steps are numbered from here.
FIRST_STEP = len(ROUTES)
#: Moves are numbered below this.
MOVES = FIRST_STEP + BITS * len(STEPS)


def _most_moves() -> int:
    """As many moves as a position can have, or more.

    Routes that a piece may take in one position never go on from each other. In a tree there are
    never more such nodes than leaves: here, routes that nothing can make longer.
    """
    leaves = sorted(sum(not any(_onward(route)) for route in routes) for routes in _FROM)
    return max(sum(leaves[-PIECES:]), PIECES * len(STEPS))


MOST_MOVES = _most_moves()
