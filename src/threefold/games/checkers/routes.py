"""Every move on a checkers board, with a fixed number for each.

A square is a bit, and one bit is skipped after every second row. So a step down to the left is
always 4 bits and one to the right 5, and a step over the edge ends on a bit that is not a square:

         0     1     2     3          square   1  2  3  4
      4     5     6     7      (8)             5  6  7  8
         9    10    11    12                   9 10 11 12
     13    14    15    16     (17)            13 14 15 16
        18    19    20    21                  17 18 19 20
     22    23    24    25     (26)            21 22 23 24
        27    28    29    30                  25 26 27 28
     31    32    33    34                     29 30 31 32

A capture is a *route* over landing squares that jumps no square twice. A jump changes row and
column by two, so a piece can land on only 8 squares, with 9 squares to jump between them. That
makes 1,328 routes, each with a number. A route is followed by its continuations, so that skipping a
route can skip them too. The steps are numbered after the routes, 4 · square + direction.
"""

from collections.abc import Iterator
from typing import NamedTuple

#: Bits of a board, and those that are squares.
BITS = 35
SQUARES = tuple(bit for bit in range(BITS) if bit % 9 != 8)
BOARD = sum(1 << bit for bit in SQUARES)

#: The number of bits a step moves in each direction, the two downward ones first.
STEPS = (4, 5, -5, -4)
#: The directions a piece moves in: down the board, as black men do, or up, or both.
DOWN = 1
UP = 2
BOTH = DOWN | UP

#: The most pieces a side can have.
PIECES = 12


class Route(NamedTuple):
    """The squares that a piece lands on, and those that it jumps."""

    path: tuple[int, ...]
    jumped: tuple[int, ...] = ()


def _onward(route: Route) -> Iterator[Route]:
    """The routes that are one jump longer."""
    for step in STEPS:
        over, landing = route.path[-1] + step, route.path[-1] + 2 * step
        if over in SQUARES and landing in SQUARES and over not in route.jumped:
            yield Route((*route.path, landing), (*route.jumped, over))


def _all_onward(route: Route) -> Iterator[Route]:
    """All longer routes, each followed by its own continuations."""
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
#: For each square the number of its first route, then one past the last route of all.
FIRST_ROUTE = tuple(sum(map(len, _FROM[:square])) for square in range(BITS + 1))

# For each route, the square where it starts, where it ends, and everything it captures;
START = tuple(_bits(route.path[:1]) for route in ROUTES)
END = tuple(_bits(route.path[-1:]) for route in ROUTES)
CAPTURED = tuple(_bits(route.jumped) for route in ROUTES)
# the square it jumps last, and in which direction;
JUMPED = tuple(_bits(route.jumped[-1:]) for route in ROUTES)
WAY = tuple(DOWN if route.jumped[-1] < route.path[-1] else UP for route in ROUTES)
# and the next route that is not a continuation of it.
NEXT = tuple(number + 1 + len(tuple(_all_onward(route))) for number, route in enumerate(ROUTES))

#: Steps are numbered from here.
FIRST_STEP = len(ROUTES)
#: Moves are numbered below this.
MOVES = FIRST_STEP + BITS * len(STEPS)


def _most_moves() -> int:
    """An upper bound on the number of moves in a position.

    No route that a piece may take in a position continues another. A tree never has more such nodes
    than leaves, which here are the routes that cannot be made longer.
    """
    leaves = sorted(sum(not any(_onward(route)) for route in routes) for routes in _FROM)
    return max(sum(leaves[-PIECES:]), PIECES * len(STEPS))


MOST_MOVES = _most_moves()
