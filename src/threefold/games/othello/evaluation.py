"""What an Othello position is worth before the end.

Until the board is nearly full, the disc count does not show who is winning. What counts is having
moves while leaving the other side none, and getting discs that can never be flipped again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.bits import lsr, popcount, shl, word
from threefold.rules.contract import MAX, MIN, Player
from threefold.rules.records import EvaluationHooks
from threefold.rules.terms import GivenTerms, remainder

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


def evaluations(size: int, placements: Callable[[int, int], int]) -> EvaluationHooks:
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
        return max(-LIMIT, min(unlimited(s), LIMIT))

    def unlimited(s: "State") -> int:
        """The same, however large it is."""
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
        return -(-value // squares) if value < 0 else value // squares

    # By terms: what each side has, in tenths of a disc and rounded down where it depends on the
    # stage of the game.

    def discs_of(s: "State", p: Player) -> int:
        return s.black if p == MAX else s.white

    def moves_of(s: "State", p: Player) -> int:
        return placements(discs_of(s, p), discs_of(s, 1 - p))

    def empty_in(s: "State") -> int:
        return board & ~(s.black | s.white)

    def weighed(s: "State", count: int, weights: tuple[int, int]) -> int:
        """A count at the weight of the stage, rounded down."""
        return at(popcount(empty_in(s)), weights) * count // squares

    def places(s: "State", p: Player) -> int:
        """Legal moves."""
        return weighed(s, popcount(moves_of(s, p)), PLACES)

    def corner_moves(s: "State", p: Player) -> int:
        """Those of them to corners."""
        return weighed(s, popcount(moves_of(s, p) & corners), CORNERS_IN_REACH)

    def room(s: "State", p: Player) -> int:
        """Empty squares next to the other side's discs."""
        beside = with_neighbors(discs_of(s, 1 - p)) & empty_in(s)
        return weighed(s, popcount(beside), ROOM)

    def corners_of(s: "State", p: Player) -> int:
        """Corners."""
        return weighed(s, popcount(discs_of(s, p) & corners), CORNERS)

    def x_squares_of(s: "State", p: Player) -> int:
        """Discs diagonally next to an empty corner."""
        weak = with_neighbors(empty_in(s) & corners)
        return weighed(s, popcount(discs_of(s, p) & weak & x_squares), X_SQUARES)

    def c_squares_of(s: "State", p: Player) -> int:
        """Discs next to an empty corner along the edge."""
        weak = with_neighbors(empty_in(s) & corners)
        return weighed(s, popcount(discs_of(s, p) & weak & rim), C_SQUARES)

    def stable_of(s: "State", p: Player) -> int:
        """Discs that no move can flip anymore."""
        return weighed(s, popcount(stable(discs_of(s, p))), STABLE)

    def number(s: "State", p: Player) -> int:
        """The number of discs."""
        return weighed(s, popcount(discs_of(s, p)), DISCS)

    def last_move(s: "State", p: Player) -> int:
        """Filling the last square, if no one passes."""
        odd = popcount(empty_in(s)) & 1 == 1
        filler = MAX if (s.turn == MAX) == odd else MIN
        return weighed(s, 1, LAST_MOVE) if p == filler else 0

    def count_moves(s: "State", p: Player) -> int:
        return popcount(moves_of(s, p))

    def count_corners(s: "State", p: Player) -> int:
        return popcount(discs_of(s, p) & corners)

    def count_discs(s: "State", p: Player) -> int:
        return popcount(discs_of(s, p))

    parts: GivenTerms = {
        "moves": (places, 1),
        "corner-moves": (corner_moves, 1),
        "room": (room, 1),
        "corners": (corners_of, 1),
        "x-squares": (x_squares_of, 1),
        "c-squares": (c_squares_of, 1),
        "stable": (stable_of, 1),
        "discs": (number, 1),
        "last-move": (last_move, 1),
    }
    parts = {**parts, "rounding": (remainder(unlimited, parts), 1)}
    return {
        "evaluations": {"strategy": strategy},
        "terms": {
            "strategy": {**parts, "limit": (remainder(strategy, parts), 1)},
            # The corners are never flipped.
            "mobility": {"moves": (count_moves, 1), "corners": (count_corners, 8)},
            "discs": {"discs": (count_discs, 1)},
        },
    }
