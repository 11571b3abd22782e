"""The rules of Connect Four.

A bitboard for each player, column by column from the bottom, a sentinel above each column:

     6 13 20 27 34 41 48   sentinels, always empty
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42
     1  2  3  4  5  6  7

A move is the number of its column, from 0. The stone comes to lie where a carry ends: adding the
column's bottom bit to the occupied squares turns its filled squares to zeros and sets the next.
"""

from typing import NamedTuple

from threefold.games.alignment import has_line, lines, occupied_lines
from threefold.rules.contract import MAX, MIN, Row, RuleHooks


class State(NamedTuple):
    """The stones of the first player, who is MAX, and of the second, and whose turn it is."""

    first: int
    second: int
    turn: int


def rules(columns: int, rows: int, k: int) -> RuleHooks:
    """The hooks for a board of `columns` and `rows` with `k` in line."""
    stride = rows + 1
    top = 1 << (rows - 1)
    winning_lines = lines(rows, columns, k)

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

    def occupied_by(s: State) -> int:
        """Lines with a stone of the first player minus lines with one of the second."""
        return occupied_lines(s.first, winning_lines) - occupied_lines(s.second, winning_lines)

    def order(_: State, a: int) -> int:
        """Columns near the middle are part of more lines."""
        return -abs(2 * a - columns + 1)

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "evaluations": {"lines": occupied_by},
        "order": order,
        "max_moves": columns,
        "max_ply": columns * rows,
        "move_range": columns,
    }
