"""What a learned evaluation sees of checkers: the men and kings of each side.

The board is turned so that my men always move down it.
"""

from typing import TYPE_CHECKING

from threefold.games.checkers.routes import BITS
from threefold.rules.bits import byteswap, lsr
from threefold.rules.contract import MAX, Player, Row

if TYPE_CHECKING:
    from threefold.games.checkers.rules import State

# Every second bit, pair of bits, and group of four.
_ONES = 0x5555555555555555
_PAIRS = 0x3333333333333333
_FOURS = 0x0F0F0F0F0F0F0F0F


def turned(pieces: int) -> int:
    """The pieces on the board turned by half a turn: the last bit first."""
    pieces = (pieces & _ONES) << 1 | pieces >> 1 & _ONES
    pieces = (pieces & _PAIRS) << 2 | pieces >> 2 & _PAIRS
    pieces = (pieces & _FOURS) << 4 | pieces >> 4 & _FOURS
    return lsr(byteswap(pieces), 64 - BITS)


def features(s: "State", p: Player, out: Row) -> int:
    """My men and kings, then theirs."""
    if p == MAX:
        mine, theirs, kings = s.black, s.white, s.kings
    else:
        mine, theirs, kings = turned(s.white), turned(s.black), turned(s.kings)
    out[0] = mine & ~kings
    out[1] = mine & kings
    out[2] = theirs & ~kings
    out[3] = theirs & kings
    return 4
