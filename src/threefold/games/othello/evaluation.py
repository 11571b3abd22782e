"""What an Othello position is worth before the end.

Until the board is nearly full, the disc count does not show who is winning. What counts is having
moves while leaving the other side none, and getting discs that can never be flipped again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.bits import lsr, popcount, shl, word
from threefold.rules.contract import MAX

if TYPE_CHECKING:
    from threefold.games.othello.rules import State

# What black's lead in each of these is worth, in tenths of a disc, on an empty board and on a full
# one; interpolated in between. Fitted by least squares to the final results of 20,000 self-play
# games of alpha-beta at depth 4 from random positions, in two rounds, the second with the weights
# of the first; then averaged and rounded.
#: Legal moves,
PLACES = (4, 23)
#: those of them to corners,
CORNERS_IN_REACH = (20, 48)
#: and empty squares next to the other side's discs, which may become moves later.
ROOM = (9, -5)
#: Corners, which are never flipped,
CORNERS = (210, -20)
#: discs next to an empty corner, diagonally (X) and along the edge (C), which may give it away,
X_SQUARES = (-180, 40)
C_SQUARES = (-12, -18)
#: and discs that no move can flip anymore.
STABLE = (27, 10)
#: The number of discs: early on, having few leaves the other side few moves.
DISCS = (-12, 0)
#: Filling the last square, if no one passes.
LAST_MOVE = (0, 5)

#: An evaluation stays below the textbook's value of a finished game.
LIMIT = 990


def evaluations(
    size: int, placements: Callable[[int, int], int]
) -> "dict[str, Callable[[State], int]]":
    """The evaluations for a board of `size` × `size`, the default first.

    `placements(mine, theirs)` gives the squares where I may place a disc.
    """
    squares, last = size * size, size - 1

    def region(condition: Callable[[int, int], bool]) -> int:
        """The squares whose column and row satisfy a condition."""
        return word(sum(1 << i for i in range(squares) if condition(i % size, i // size)))

    board = word((1 << squares) - 1)
    left, right = region(lambda x, _: x == 0), region(lambda x, _: x == last)
    top, bottom = region(lambda _, y: y == 0), region(lambda _, y: y == last)
    rim = left | right | top | bottom
    corners = (left | right) & (top | bottom)
    x_squares = region(lambda x, y: x in (1, last - 1) and y in (1, last - 1))

    def with_neighbors(discs: int) -> int:
        """The squares and everything next to them."""
        wide = discs | shl(discs & ~right, 1) | lsr(discs & ~left, 1)
        return wide | shl(wide, size) | lsr(wide, size)

    def stable(mine: int) -> int:
        """Discs that can never be flipped, as far as this can be derived from the corners.

        In each of the four directions such a disc has the edge or another such disc on one side.
        A shift that runs over an edge ends on an edge, so it does no harm.
        """
        found, before = mine & corners, 0
        while found != before:
            before = found
            across = left | right | shl(found, 1) | lsr(found, 1)
            down = top | bottom | shl(found, size) | lsr(found, size)
            falling = rim | shl(found, size + 1) | lsr(found, size + 1)
            rising = rim | shl(found, size - 1) | lsr(found, size - 1)
            found |= mine & across & down & falling & rising
        return found

    def lead(black: int, white: int) -> int:
        return popcount(black) - popcount(white)

    def at(stage: int, weights: tuple[int, int]) -> int:
        """A weight with `stage` empty squares, times the number of all squares."""
        return weights[0] * stage + weights[1] * (squares - stage)

    def strategy(s: "State") -> int:
        """Mobility, corners, stable discs and the rest, weighed by the stage of the game."""
        black, white = s.black, s.white
        empty = board & ~(black | white)
        stage = popcount(empty)
        mine, theirs = placements(black, white), placements(white, black)
        value = at(stage, PLACES) * lead(mine, theirs)
        value += at(stage, CORNERS_IN_REACH) * lead(mine & corners, theirs & corners)
        room, their_room = with_neighbors(white) & empty, with_neighbors(black) & empty
        value += at(stage, ROOM) * lead(room, their_room)
        value += at(stage, CORNERS) * lead(black & corners, white & corners)
        weak = with_neighbors(empty & corners)
        value += at(stage, X_SQUARES) * lead(black & weak & x_squares, white & weak & x_squares)
        value += at(stage, C_SQUARES) * lead(black & weak & rim, white & weak & rim)
        value += at(stage, STABLE) * lead(stable(black), stable(white))
        value += at(stage, DISCS) * lead(black, white)
        value += at(stage, LAST_MOVE) * (1 if (s.turn == MAX) == (stage & 1 == 1) else -1)
        if value < 0:
            return -min(-value // squares, LIMIT)
        return min(value // squares, LIMIT)

    def mobility(s: "State") -> int:
        """More legal moves than the other side, and the corners, which are never flipped."""
        places = lead(placements(s.black, s.white), placements(s.white, s.black))
        return places + 8 * lead(s.black & corners, s.white & corners)

    def discs(s: "State") -> int:
        """The difference in discs."""
        return lead(s.black, s.white)

    return {"strategy": strategy, "mobility": mobility, "discs": discs}
