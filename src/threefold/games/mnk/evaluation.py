"""What a position of the m,n,k game is worth before the end."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.games.alignment import LIMIT, at_hand, lines, occupied_lines
from threefold.rules.bits import popcount

if TYPE_CHECKING:
    from threefold.games.mnk.rules import State


def evaluations(m: int, n: int, k: int) -> "dict[str, Callable[[State], int]]":
    """The evaluations for `m` columns, `n` rows and `k` in line, the default first."""
    winning_lines = lines(m, n, k)

    def occupied(s: "State") -> int:
        """Lines occupied by X minus lines occupied by O."""
        return occupied_lines(s.x, winning_lines) - occupied_lines(s.o, winning_lines)

    def threats(s: "State") -> int:
        """Lines open to one side only, by the square of their stones, and immediate wins."""
        value = wins_of_x = wins_of_o = 0
        for line in winning_lines:
            x, o = popcount(s.x & line), popcount(s.o & line)
            if o == 0:
                value += x * x
                if x == k - 1:
                    wins_of_x |= line & ~s.x
            if x == 0:
                value -= o * o
                if o == k - 1:
                    wins_of_o |= line & ~s.o
        decided = at_hand(s.turn, wins_of_x, wins_of_o)
        if decided:
            return decided
        return max(-LIMIT, min(LIMIT, value))

    return {"lines": occupied, "threats": threats}
