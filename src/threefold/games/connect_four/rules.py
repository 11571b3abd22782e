"""The rules of Connect Four.

Each player has a bitboard, column by column from the bottom, with a sentinel above each column:

     6 13 20 27 34 41 48   sentinels, always empty
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42
     1  2  3  4  5  6  7

A move is the number of its column, from 0. The stone lands where a carry ends: adding the column's
bottom bit to the occupied squares turns its filled squares to zeros and sets the next. Adding the
bottom bits of all columns at once gives all the *landings*; a full column's is its sentinel.
"""

from typing import NamedTuple

from threefold.games.alignment import has_line
from threefold.games.connect_four.evaluation import evaluations
from threefold.games.connect_four.features import features, planes
from threefold.rules.bits import lowest, popcount, shl
from threefold.rules.contract import MAX, MIN, Row
from threefold.rules.records import Assumptions, RuleHooks


class State(NamedTuple):
    """The stones of the first player, who is MAX, and of the second, and whose turn it is."""

    first: int
    second: int
    turn: int


def completing(stones: int, stride: int, k: int) -> int:
    """The squares where one more stone makes `k` in line; some may be taken or off the board.

    In the vertical direction the other stones can only be below.
    """
    upright = -1
    for i in range(1, k):
        upright &= shl(stones, i)
    level = completing_along(stones, stride, k)
    falling = completing_along(stones, stride - 1, k)
    return upright | level | falling | completing_along(stones, stride + 1, k)


def completing_along(stones: int, step: int, k: int) -> int:
    """The same in one direction, with `below` of the stones on one side of the square."""
    if (k - 1) * step > 62:
        return 0  # longer than the board
    squares = 0
    for below in range(k):
        before = -1
        for i in range(1, below + 1):
            before &= shl(stones, i * step)
        behind = -1
        for i in range(1, k - below):
            behind &= stones >> (i * step)
        squares |= before & behind
    return squares


def rules(columns: int, rows: int, k: int) -> RuleHooks:
    """The hooks for a board of `columns` and `rows` with `k` in line."""
    stride = rows + 1
    top = 1 << (rows - 1)
    column_squares = (1 << rows) - 1
    bottoms = sum(1 << column * stride for column in range(columns))
    board = bottoms * column_squares
    from_the_middle = tuple(
        sorted(range(columns), key=lambda column: abs(2 * column - columns + 1))
    )

    def initial() -> State:
        return State(0, 0, MAX)

    def actions(s: State, out: Row) -> int:
        if has_line(s.second if s.turn == MAX else s.first, stride, k):
            return 0
        occupied = s.first | s.second
        count = 0
        for column in range(columns):
            if occupied & (top << column * stride) == 0:
                out[count] = column
                count += 1
        return count

    def result(s: State, a: int) -> State:
        occupied = s.first | s.second
        stone = (occupied + (1 << a * stride)) & ~occupied
        if s.turn == MAX:
            return State(s.first | stone, s.second, MIN)
        return State(s.first, s.second | stone, MAX)

    def utility(s: State) -> int:
        if has_line(s.first, stride, k):
            return 1
        if has_line(s.second, stride, k):
            return -1
        return 0

    def sufficient(s: State, out: Row) -> int:
        """A win if there is one, else the reply to a threat, else moves that give no win away.

        If every move loses immediately, one of them is enough.
        """
        if s.turn == MAX:
            mine, theirs = s.first, s.second
        else:
            mine, theirs = s.second, s.first
        if has_line(theirs, stride, k):
            return 0
        landings = (mine | theirs) + bottoms & board
        wins = completing(mine, stride, k) & landings
        if wins:
            landings = lowest(wins)
        else:
            threats = completing(theirs, stride, k) & board
            if threats & landings:
                landings = lowest(threats & landings)
            else:
                # The square above a stone of mine is open to the other side.
                harmless = landings & ~(threats >> 1)
                landings = harmless if harmless else lowest(landings)
        count = 0
        for column in from_the_middle:
            if landings & (column_squares << column * stride):
                out[count] = column
                count += 1
        return count

    def bounds(s: State) -> tuple[int, int]:
        """A player who cannot complete a line even with every empty square cannot win."""
        empty = board & ~(s.first | s.second)
        low = -1 if has_line(s.second | empty, stride, k) else 0
        high = 1 if has_line(s.first | empty, stride, k) else 0
        return low, high

    def remaining(s: State) -> int:
        return columns * rows - popcount(s.first | s.second)

    def key(s: State) -> int:
        """The mover's stones plus the occupied squares: no two positions have the same sum.

        A column with h stones contributes 2**h - 1 plus at most as much again, which is less than
        the next height contributes.
        """
        return (s.first if s.turn == MAX else s.second) + (s.first | s.second)

    def mirrored(s: State) -> State:
        """The mirror image."""
        first, second = 0, 0
        for column in range(columns):
            first = first << stride | s.first >> column * stride & column_squares
            second = second << stride | s.second >> column * stride & column_squares
        return State(first, second, s.turn)

    def order(s: State, a: int) -> int:
        """Threats created by the move first, then columns near the middle."""
        occupied = s.first | s.second
        stone = (occupied + (1 << a * stride)) & ~occupied
        mine = (s.first if s.turn == MAX else s.second) | stone
        open_ends = completing(mine, stride, k) & board & ~occupied
        return popcount(open_ends) * columns - abs(2 * a - columns + 1)

    estimates = evaluations(columns, rows, k, completing)
    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "evaluations": estimates["evaluations"],
        "terms": estimates["terms"],
        "features": features(columns, rows, k, completing),
        "assumptions": Assumptions(
            sufficient=sufficient,
            bounds=bounds,
            remaining=remaining,
            reductions=True,
            planes=planes(columns, rows),
        ),
        "key": key,
        "order": order,
        "symmetries": (mirrored,),
        "max_moves": columns,
        "max_ply": columns * rows,
        "move_range": columns,
    }
