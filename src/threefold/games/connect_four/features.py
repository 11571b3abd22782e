"""What a learned evaluation sees of Connect Four: the stones, the threats, and who began.

A threat is an empty square that would complete a line. Who gets to fill it in the end depends on
which player began, and so that is an input as well.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.contract import MAX, Player, Row
from threefold.rules.planes import Planes

if TYPE_CHECKING:
    from threefold.games.connect_four.rules import State


def features(
    columns: int, rows: int, k: int, completing: Callable[[int, int, int], int]
) -> "Callable[[State, Player, Row], int]":
    """The hook for a board.

    `completing(stones, stride, k)` gives the squares where one more stone makes `k` in line.
    """
    stride = rows + 1
    board = sum((1 << rows) - 1 << column * stride for column in range(columns))

    def seen(s: "State", p: Player, out: Row) -> int:
        if p == MAX:
            mine, theirs = s.first, s.second
        else:
            mine, theirs = s.second, s.first
        empty = board & ~(mine | theirs)
        out[0] = mine
        out[1] = theirs
        out[2] = completing(mine, stride, k) & empty
        out[3] = completing(theirs, stride, k) & empty
        out[4] = p
        return 5

    return seen


def planes(columns: int, rows: int) -> Planes:
    """The first four words as pictures of the board; a move is a column, not a square."""
    bits = [column * (rows + 1) + row for row in range(rows) for column in range(columns)]
    return Planes(columns=columns, rows=rows, count=4, bits=bits, moves=False)
