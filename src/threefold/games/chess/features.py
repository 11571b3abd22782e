"""What a learned evaluation sees of chess: where each side's pieces are, and the special rights.

The board is turned upside down for black, so that my pawns always move up it.
"""

from typing import TYPE_CHECKING

from threefold.rules.bits import byteswap
from threefold.rules.contract import MAX, Player, Row

if TYPE_CHECKING:
    from threefold.games.chess.rules import State


def features(s: "State", p: Player, out: Row) -> int:
    """My pieces by kind, theirs, and in one word the rooks that may castle and en passant."""
    kinds = (s.pawns, s.knights, s.bishops, s.rooks, s.queens, s.kings)
    rights = s.castling | s.en_passant  # on different ranks
    for i in range(6):
        mine, theirs = kinds[i] & s.white, kinds[i] & ~s.white
        if p == MAX:
            out[i] = mine
            out[6 + i] = theirs
        else:
            out[i] = byteswap(theirs)
            out[6 + i] = byteswap(mine)
    out[12] = rights if p == MAX else byteswap(rights)
    return 13
