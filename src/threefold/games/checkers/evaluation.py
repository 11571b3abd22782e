"""What a position of checkers is worth before the end.

Pieces count most, and more so the fewer there are, so the side that is ahead should trade. Then
come the men's positions, whether the way to the far row is blocked, and whether there are safe
moves.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.games.checkers.routes import BOARD, PIECES, SQUARES
from threefold.rules.bits import popcount

if TYPE_CHECKING:
    from threefold.games.checkers.rules import State

# What black's lead in each of these is worth, in hundredths of a man, with all pieces on the board
# and with none; interpolated in between. Fitted by logistic regression to the results of 13,000
# self-play games of alpha-beta at depth 5, then adjusted one by one where that scored better in a
# match.
#: Men, kings,
MEN = (85, 135)
KINGS = (115, 180)
#: and having a king when the other side has none.
ONLY_KINGS = (40, 25)
#: Rows that men have advanced;
ROWS = (1, 3)
#: men at the edge, where they cannot be taken but can do little;
EDGE_MEN = (5, -20)
#: and men with no opposing piece ahead that could stop them.
PASSED = (0, 30)
#: Men on the home row, which keep the other side from making kings,
GUARDS = (20, 3)
#: and the two men that can do it alone.
BRIDGE = (10, 25)
#: Steps after which the piece cannot be taken, and kings that have none.
SAFE_STEPS = (3, 0)
TRAPPED_KINGS = (-15, -35)

#: Beyond this an evaluation grows more slowly, to stay below the textbook's 1000 for a finished
#: game.
_LARGE = 900
_SLOWER = 16


def _region(condition: Callable[[int, int], bool]) -> int:
    """The squares whose column and row, counted from the top left, satisfy a condition."""
    places = ((2 * (i % 4) + (i // 4 + 1) % 2, i // 4) for i in range(len(SQUARES)))
    return sum(1 << bit for bit, place in zip(SQUARES, places, strict=True) if condition(*place))


TOP = _region(lambda _, y: y == 0)
BOTTOM = _region(lambda _, y: y == 7)
EDGE = _region(lambda x, _: x in (0, 7))
#: Squares 1 and 3; 30 and 32.
TOP_BRIDGE = TOP & _region(lambda x, _: x in (1, 5))
BOTTOM_BRIDGE = BOTTOM & _region(lambda x, _: x in (2, 6))
#: The rows whose number has a given bit: three popcounts add up to a sum of row numbers.
_ROWS_1 = _region(lambda _, y: y & 1 != 0)
_ROWS_2 = _region(lambda _, y: y & 2 != 0)
_ROWS_4 = _region(lambda _, y: y & 4 != 0)


def lead(black: int, white: int) -> int:
    """How many more bits black's board has than white's."""
    return popcount(black) - popcount(white)


def rows_from_top(men: int) -> int:
    """The sum of the men's rows, 0 at the top."""
    return popcount(men & _ROWS_1) + 2 * popcount(men & _ROWS_2) + 4 * popcount(men & _ROWS_4)


def below(pieces: int) -> int:
    """The squares that pieces can reach by going down, including their own."""
    for _ in range(7):
        pieces |= (pieces << 4 | pieces << 5) & BOARD
    return pieces


def above(pieces: int) -> int:
    """The squares that pieces can reach by going up, including their own."""
    for _ in range(7):
        pieces |= (pieces >> 4 | pieces >> 5) & BOARD
    return pieces


def unattacked(vacant: int, down: int, up: int) -> int:
    """The vacant squares where the pieces that go down and up could not capture a piece."""
    attacked = up >> 4 & vacant << 4 | up >> 5 & vacant << 5
    return vacant & ~(attacked | down << 4 & vacant >> 4 | down << 5 & vacant >> 5)


def count_steps(down: int, up: int, to: int) -> int:
    """How many steps to given squares the pieces have that go down, and that go up."""
    downward = popcount(down & to >> 4) + popcount(down & to >> 5)
    return downward + popcount(up & to << 4) + popcount(up & to << 5)


def neighbors(squares: int) -> int:
    """Everything one step away from given squares."""
    return squares >> 4 | squares >> 5 | squares << 4 | squares << 5


def strategy(s: "State") -> int:
    """Material, the men's positions, guards and passed men, and safe moves, by game stage."""
    value = unlimited(s)
    size = abs(value)
    if size > _LARGE:
        size = _LARGE + (size - _LARGE) // _SLOWER
    return size if value > 0 else -size


def unlimited(s: "State") -> int:
    """The same, however large it is."""
    black_men, white_men = s.black & ~s.kings, s.white & ~s.kings
    black_kings, white_kings = s.black & s.kings, s.white & s.kings
    vacant = BOARD & ~(s.black | s.white)
    full = popcount(s.black | s.white)
    bare = 2 * PIECES - full

    def at(weights: tuple[int, int]) -> int:
        return weights[0] * full + weights[1] * bare

    value = at(MEN) * lead(black_men, white_men) + at(KINGS) * lead(black_kings, white_kings)
    value += at(ONLY_KINGS) * ((black_kings != 0) - (white_kings != 0))

    rows = rows_from_top(black_men) + rows_from_top(white_men) - 7 * popcount(white_men)
    value += at(ROWS) * rows
    value += at(EDGE_MEN) * lead(black_men & EDGE, white_men & EDGE)
    value += at(PASSED) * lead(black_men & ~above(s.white), white_men & ~below(s.black))

    black_guards = popcount(black_men & TOP) if white_men else 0
    white_guards = popcount(white_men & BOTTOM) if black_men else 0
    value += at(GUARDS) * (black_guards - white_guards)
    black_bridge = black_men & TOP_BRIDGE == TOP_BRIDGE
    white_bridge = white_men & BOTTOM_BRIDGE == BOTTOM_BRIDGE
    value += at(BRIDGE) * (black_bridge - white_bridge)

    for_black = unattacked(vacant, white_kings, s.white)
    for_white = unattacked(vacant, s.black, black_kings)
    steps = count_steps(s.black, black_kings, for_black)
    steps -= count_steps(white_kings, s.white, for_white)
    value += at(SAFE_STEPS) * steps
    value += at(TRAPPED_KINGS) * lead(
        black_kings & ~neighbors(for_black), white_kings & ~neighbors(for_white)
    )

    size = abs(value) // (2 * PIECES)
    return size if value > 0 else -size


#: The evaluations, the default first; another, `material`, is given by its terms alone.
EVALUATIONS: "dict[str, Callable[[State], int]]" = {"strategy": strategy}
