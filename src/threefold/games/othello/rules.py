"""The rules of Othello.

A bitboard for each player, from the top left corner row by row (here 8×8):

         a  b  c  d  e  f  g  h
    1    0  1  2  3  4  5  6  7
    2    8  9 10 11 12 13 14 15
    …
    8   56 57 58 59 60 61 62 63

A move is the number of its square, or the number past the last for a pass. A pass is a move of
its own, forced where a player has no other; the game is over when neither has one.

From a stone, a *ray* of the other side's discs is followed in one direction. It never enters the
first or the last column except vertically, so it cannot run over the edge.
"""

from typing import NamedTuple

from threefold.rules.bits import lsb, lsr, pop_lowest, popcount, shl, wrap
from threefold.rules.contract import MAX, MIN, Row, RuleHooks


class State(NamedTuple):
    """The discs of black, who is MAX, and of white, and whose turn it is."""

    black: int
    white: int
    turn: int


def rules(size: int) -> RuleHooks:
    """The hooks for a board of `size` × `size`."""
    squares = size * size
    board = wrap((1 << squares) - 1)
    inner_row = (1 << size) - 2 - (1 << size - 1)
    inner_columns = wrap(sum(inner_row << row * size for row in range(size)))
    corners = wrap(1 | 1 << size - 1 | 1 << squares - size | 1 << squares - 1)
    north_west = (size // 2 - 1) * (size + 1)  # d4 of 8×8
    start_white = 1 << north_west | 1 << north_west + size + 1
    start_black = 1 << north_west + 1 | 1 << north_west + size

    def ray_up(stones: int, through: int, step: int) -> int:
        """The discs of `through` in unbroken line from the stones, towards higher squares."""
        ray = through & shl(stones, step)
        for _ in range(size - 3):
            ray |= through & shl(ray, step)
        return ray

    def ray_down(stones: int, through: int, step: int) -> int:
        """The same towards lower squares."""
        ray = through & lsr(stones, step)
        for _ in range(size - 3):
            ray |= through & lsr(ray, step)
        return ray

    def reached(mine: int, through: int, step: int) -> int:
        """The squares one past the rays from my discs, along a line in both directions."""
        return shl(ray_up(mine, through, step), step) | lsr(ray_down(mine, through, step), step)

    def placements(mine: int, theirs: int) -> int:
        """The empty squares where a disc of mine would bracket some of theirs."""
        inner = theirs & inner_columns
        ends = reached(mine, inner, 1) | reached(mine, theirs, size)
        ends |= reached(mine, inner, size - 1) | reached(mine, inner, size + 1)
        return ends & board & ~(mine | theirs)

    def bracketed(disc: int, mine: int, through: int, step: int) -> int:
        """The discs between a new one and one of mine, along a line in both directions."""
        turned = 0
        ray = ray_up(disc, through, step)
        if shl(ray, step) & mine:
            turned |= ray
        ray = ray_down(disc, through, step)
        if lsr(ray, step) & mine:
            turned |= ray
        return turned

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
        disc = shl(1, a)
        inner = theirs & inner_columns
        turned = bracketed(disc, mine, inner, 1) | bracketed(disc, mine, theirs, size)
        turned |= bracketed(disc, mine, inner, size - 1) | bracketed(disc, mine, inner, size + 1)
        mine |= disc | turned
        theirs &= ~turned
        if s.turn == MAX:
            return State(mine, theirs, MIN)
        return State(theirs, mine, MAX)

    def utility(s: State) -> int:
        """The difference in discs, empty squares going to the winner."""
        black, white = popcount(s.black), popcount(s.white)
        if black > white:
            return squares - 2 * white
        if white > black:
            return 2 * black - squares
        return 0

    def mobility(s: State) -> int:
        """More places to play than the other side, and the corners, which are never turned."""
        places = popcount(placements(s.black, s.white)) - popcount(placements(s.white, s.black))
        taken = popcount(s.black & corners) - popcount(s.white & corners)
        return places + 8 * taken

    def discs(s: State) -> int:
        """The difference in discs."""
        return popcount(s.black) - popcount(s.white)

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "evaluations": {"mobility": mobility, "discs": discs},
        "max_moves": squares,
        "max_ply": 2 * squares,
        "move_range": squares + 1,
    }
