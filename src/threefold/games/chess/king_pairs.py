"""Where two kings can stand, up to symmetry, and which symmetry brings them there.

Without pawns all eight symmetries of the board leave a position as good as it was. One of them puts
the mover's king into the triangle a1-d1-d4; if it is then on the diagonal from a1 to h8, the other
king can be put on or below that diagonal. That leaves 462 placements. With pawns only left and
right can be exchanged: the mover's king is put on the files a to d, which leaves 1806.

A symmetry is a number of three bits: 1 exchanges left and right, 2 turns the board upside down, and
4, which comes last, mirrors it at the diagonal.
"""

from collections.abc import Iterator
from typing import Final

from threefold.games.chess.attacks import KING
from threefold.rules.bits import lsb, lsr, pop_lowest, shl

MIRRORED: Final = 1
UPSIDE_DOWN: Final = 2
TRANSPOSED: Final = 4
#: Set in `KING_PAIRS` if both kings end on the diagonal, so that mirroring there leaves them alone.
BOTH_ON_DIAGONAL: Final = 8
#: The placement is in the bits of `KING_PAIRS` from here on.
PLACEMENT_SHIFT: Final = 4
PAWNLESS_PLACEMENTS: Final = 462
PAWN_PLACEMENTS: Final = 1806
#: Of squares, whether kings can stand there or not.
PAIRS: Final = 64 * 64


def _square_image(square: int, symmetry: int) -> int:
    """Where a symmetry puts a square."""
    if symmetry & MIRRORED:
        square ^= 7
    if symmetry & UPSIDE_DOWN:
        square ^= 56
    if symmetry & TRANSPOSED:
        square = square >> 3 | (square & 7) << 3
    return square


#: At 64 · symmetry + square.
_IMAGES: Final = tuple(
    _square_image(square, symmetry) for symmetry in range(8) for square in range(64)
)


def image(pieces: int, symmetry: int) -> int:
    """Where a symmetry puts pieces; made for few."""
    found = 0
    while pieces:
        found |= shl(1, _IMAGES[symmetry << 6 | lsb(pieces)])
        pieces = pop_lowest(pieces)
    return found


def _placements(pawns: bool) -> Iterator[int]:
    """The placements that stand for all those like them: 64 · the mover's king + the other one."""
    for king in range(64):
        for other in range(64):
            apart = king != other and not lsr(KING[king], other) & 1
            if apart and _stands_for_others(king, other, pawns):
                yield king << 6 | other


def _stands_for_others(king: int, other: int, pawns: bool) -> bool:
    """Whether two kings are where a symmetry would put them."""
    file, rank = king & 7, king >> 3
    if pawns or file > 3:
        return file <= 3
    return rank < file or (rank == file and other >> 3 <= other & 7)


def _king_pairs(placements: tuple[int, ...], pawns: bool) -> Iterator[int]:
    """For each pair of squares, which placement it becomes and by which symmetry.

    Where two symmetries lead there, it is the first: a placement itself is left as it is.
    """
    numbers = {placement: number for number, placement in enumerate(placements)}
    symmetries = (0, MIRRORED) if pawns else range(8)
    for king in range(64):
        for other in range(64):
            entry = -1
            for symmetry in reversed(symmetries):
                one, two = _IMAGES[symmetry << 6 | king], _IMAGES[symmetry << 6 | other]
                number = numbers.get(one << 6 | two)
                if number is not None:
                    entry = number << PLACEMENT_SHIFT | symmetry
                    if not pawns and one % 9 == two % 9 == 0:
                        entry |= BOTH_ON_DIAGONAL
            yield entry


_PAWNLESS = tuple(_placements(pawns=False))
_WITH_PAWNS = tuple(_placements(pawns=True))

#: The squares of both kings by placement, first without pawns and then with them.
PLACEMENTS: Final = _PAWNLESS + _WITH_PAWNS
#: At 64 · the mover's king + the other one, and with pawns `PAIRS` later: the placement, counted
#: from 0 in both cases, whether both kings are on the diagonal, and the symmetry that leads there.
#: It is -1 for kings next to each other.
KING_PAIRS: Final = (*_king_pairs(_PAWNLESS, False), *_king_pairs(_WITH_PAWNS, True))
