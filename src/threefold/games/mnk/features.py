"""What a learned evaluation sees of the m,n,k game: the stones of both players."""

from typing import TYPE_CHECKING

from threefold.rules.contract import MAX, Player, Row
from threefold.rules.planes import Planes

if TYPE_CHECKING:
    from threefold.games.mnk.rules import State


def features(s: "State", p: Player, out: Row) -> int:
    """My stones, then theirs."""
    out[0] = s.x if p == MAX else s.o
    out[1] = s.o if p == MAX else s.x
    return 2


def planes(m: int, n: int) -> Planes:
    """Both words as pictures of the board."""
    bits = [row * (m + 1) + column for row in range(n) for column in range(m)]
    return Planes(columns=m, rows=n, count=2, bits=bits)
