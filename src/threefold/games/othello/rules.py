"""The rules of Othello.

Each player has a bitboard, from the top left corner row by row (here 8×8):

         a  b  c  d  e  f  g  h
    1    0  1  2  3  4  5  6  7
    2    8  9 10 11 12 13 14 15
    …
    8   56 57 58 59 60 61 62 63

A move is the number of its square, or the number after the last square for a pass. A pass is a
separate move, forced when a player has no other. The game is over when neither player has one.

A *ray* of the other side's discs is followed from a disc in one direction. Except vertically, it
never enters the first or the last column, so it cannot run over the edge.
"""

from collections.abc import Iterator
from typing import NamedTuple

from threefold.games.othello.evaluation import evaluations
from threefold.games.othello.features import features
from threefold.rules.bits import (
    add,
    highest,
    lowest,
    lsb,
    lsr,
    mix,
    mul,
    pop_lowest,
    popcount,
    shl,
    sub,
    word,
)
from threefold.rules.contract import MAX, MIN, Row
from threefold.rules.planes import Planes
from threefold.rules.records import Assumptions, RuleHooks


class State(NamedTuple):
    """The discs of black, who is MAX, and of white, and whose turn it is."""

    black: int
    white: int
    turn: int


def _lines(size: int, directions: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """For each square and direction, the squares from there to the edge, excluding itself."""
    return tuple(
        word(sum(1 << y * size + x for x, y in _walk(column, row, dx, dy, size)))
        for row in range(size)
        for column in range(size)
        for dx, dy in directions
    )


def _walk(x: int, y: int, dx: int, dy: int, size: int) -> Iterator[tuple[int, int]]:
    while 0 <= x + dx < size and 0 <= y + dy < size:
        x, y = x + dx, y + dy
        yield x, y


def rules(size: int) -> RuleHooks:
    """The hooks for a board of `size` × `size`."""
    squares = size * size
    board = word((1 << squares) - 1)
    first_row = (1 << size) - 1
    inner_row = (1 << size) - 2 - (1 << size - 1)
    inner_columns = word(sum(inner_row << row * size for row in range(size)))
    corners = word(1 | 1 << size - 1 | 1 << squares - size | 1 << squares - 1)
    upwards = _lines(size, ((1, 0), (-1, 1), (0, 1), (1, 1)))
    downwards = _lines(size, ((-1, 0), (1, -1), (0, -1), (-1, -1)))
    north_west = (size // 2 - 1) * (size + 1)  # d4 of 8×8
    start_white = 1 << north_west | 1 << north_west + size + 1
    start_black = 1 << north_west + 1 | 1 << north_west + size

    def ray_up(stones: int, through: int, step: int) -> int:
        """The discs of `through` in an unbroken line from the stones, toward higher squares.

        Two steps of one square, then two of a pair of squares: a line has at most six discs.
        """
        ray = through & shl(stones, step)
        ray |= through & shl(ray, step)
        pair = through & shl(through, step)
        ray |= pair & shl(ray, 2 * step)
        return ray | pair & shl(ray, 2 * step)

    def ray_down(stones: int, through: int, step: int) -> int:
        """The same toward lower squares."""
        ray = through & lsr(stones, step)
        ray |= through & lsr(ray, step)
        pair = through & lsr(through, step)
        ray |= pair & lsr(ray, 2 * step)
        return ray | pair & lsr(ray, 2 * step)

    def reached(mine: int, through: int, step: int) -> int:
        """The squares just past the rays from my discs, along a line in both directions."""
        return shl(ray_up(mine, through, step), step) | lsr(ray_down(mine, through, step), step)

    def placements(mine: int, theirs: int) -> int:
        """The empty squares where my disc would bracket some of theirs."""
        inner = theirs & inner_columns
        ends = reached(mine, inner, 1) | reached(mine, theirs, size)
        ends |= reached(mine, inner, size - 1) | reached(mine, inner, size + 1)
        return ends & board & ~(mine | theirs)

    def turned(square: int, mine: int, theirs: int) -> int:
        """Their discs that a disc of mine on `square` flips.

        In each direction the nearest square without one of their discs decides: if it has one of
        mine, all discs between are flipped.
        """
        between = 0
        for direction in range(4):
            line = upwards[4 * square + direction]
            end = lowest(line & ~theirs) & mine
            if end:
                between |= line & sub(end, 1)
            line = downwards[4 * square + direction]
            end = highest(line & ~theirs) & mine
            between |= line & mul(-2, end)
        return between

    def initial() -> State:
        return State(start_black, start_white, MAX)

    def actions(s: State, out: Row) -> int:
        if s.turn == MAX:
            mine, theirs = s.black, s.white
        else:
            mine, theirs = s.white, s.black
        places = placements(mine, theirs)
        if places == 0:
            if placements(theirs, mine) == 0:
                return 0
            out[0] = squares
            return 1
        count = 0
        while places:
            out[count] = lsb(places)
            places = pop_lowest(places)
            count += 1
        return count

    def result(s: State, a: int) -> State:
        if a == squares:
            return State(s.black, s.white, MIN if s.turn == MAX else MAX)
        if s.turn == MAX:
            mine, theirs = s.black, s.white
        else:
            mine, theirs = s.white, s.black
        flips = turned(a, mine, theirs)
        mine |= shl(1, a) | flips
        theirs &= ~flips
        if s.turn == MAX:
            return State(mine, theirs, MIN)
        return State(theirs, mine, MAX)

    def remaining(s: State) -> int:
        return squares - popcount(s.black | s.white)

    def bounds(s: State) -> tuple[int, int]:
        """Discs in corners are never flipped."""
        black, white = popcount(s.black & corners), popcount(s.white & corners)
        return 2 * black - squares, squares - 2 * white

    def key(s: State) -> int:
        """Black's board, mixed, and white's, inverted if white is to move."""
        return add(mix(s.black), s.white if s.turn == MAX else ~s.white)

    def order(s: State, a: int) -> int:
        """Fewest replies first, and corners before everything else."""
        if a == squares:
            return 0
        if s.turn == MAX:
            mine, theirs = s.black, s.white
        else:
            mine, theirs = s.white, s.black
        flips = turned(a, mine, theirs)
        disc = shl(1, a)
        replies = placements(theirs & ~flips, mine | flips | disc)
        return 4 * popcount(disc & corners) - popcount(replies) - popcount(replies & corners)

    def upside_down(s: State) -> State:
        black, white = 0, 0
        for row in range(size):
            black = shl(black, size) | lsr(s.black, row * size) & first_row
            white = shl(white, size) | lsr(s.white, row * size) & first_row
        return State(black, white, s.turn)

    def transposed(s: State) -> State:
        """Rows and columns exchanged."""
        black, white = 0, 0
        for square in range(squares):
            image = square % size * size + square // size
            black |= shl(lsr(s.black, square) & 1, image)
            white |= shl(lsr(s.white, square) & 1, image)
        return State(black, white, s.turn)

    def quarter_turn(s: State) -> State:
        return upside_down(transposed(s))

    def half_turn(s: State) -> State:
        return quarter_turn(quarter_turn(s))

    def three_quarter_turn(s: State) -> State:
        return transposed(upside_down(s))

    def mirrored(s: State) -> State:
        return half_turn(upside_down(s))

    def other_diagonal(s: State) -> State:
        return half_turn(transposed(s))

    def utility(s: State) -> int:
        """The difference in discs, empty squares going to the winner."""
        black, white = popcount(s.black), popcount(s.white)
        if black > white:
            return squares - 2 * white
        if white > black:
            return 2 * black - squares
        return 0

    estimates = evaluations(size, placements)
    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "evaluations": estimates["evaluations"],
        "terms": estimates["terms"],
        "features": features(placements),
        "assumptions": Assumptions(
            bounds=bounds,
            remaining=remaining,
            reductions=True,
            planes=Planes(columns=size, rows=size, count=4),
        ),
        "key": key,
        "order": order,
        "symmetries": (
            *(upside_down, transposed, mirrored, other_diagonal),
            *(quarter_turn, half_turn, three_quarter_turn),
        ),
        "max_moves": squares,
        "max_ply": 2 * squares,
        "move_range": squares + 1,
    }
