"""Which pieces both sides have, packed into one number: what slices of end-games go by.

Each side has ten bits, the lowest ten for the player to move: two for each kind in the order of
`KINDS`, because with few pieces on the board a side has at most three besides its king.
"""

from itertools import product
from typing import TYPE_CHECKING, Final

from threefold.rules.bits import popcount

if TYPE_CHECKING:
    from threefold.games.chess.rules import State

#: With more pieces than this, kings included, a side could have four of a kind.
MOST_PIECES: Final = 5
#: The kinds besides the kings, the strongest first.
KINDS: Final = "QRBNP"
PAWN: Final = 4
#: All kinds but pawns come before this.
PIECE_KINDS: Final = 4
_KIND_BITS: Final = 2
_SIDE_BITS: Final = 10
#: In the alphabet these letters have the order of `KINDS`.
_IN_ORDER: Final = str.maketrans(KINDS, "ABCDE")


def material_of(s: "State", mine: int) -> int:
    """The material of a position with few pieces; `mine` are those of the player to move."""
    return side_of(s, mine) | side_of(s, ~mine) << _SIDE_BITS


def side_of(s: "State", side: int) -> int:
    """The material of one side."""
    counts = popcount(s.queens & side) | popcount(s.rooks & side) << 2
    counts |= popcount(s.bishops & side) << 4 | popcount(s.knights & side) << 6
    return counts | popcount(s.pawns & side) << 8


def count_of(material: int, kind: int, side: int) -> int:
    """How many pieces of a kind the player to move has, side 0, or the other one, side 1."""
    return material >> (_SIDE_BITS * side + _KIND_BITS * kind) & 3


def men(material: int) -> int:
    """How many pieces there are, kings included."""
    return 2 + sum(count_of(material, kind, side) for kind in range(5) for side in range(2))


def name(material: int) -> str:
    """What people call it, the player to move first: `KQvKP`."""
    mine, theirs = (
        "".join(letter * count_of(material, kind, side) for kind, letter in enumerate(KINDS))
        for side in range(2)
    )
    return f"K{mine}vK{theirs}"


def all_material(pieces: int) -> list[int]:
    """All material of at most so many pieces: few pieces first, then strong ones."""
    counts = product(range(MOST_PIECES - 1), repeat=len(KINDS))
    sides = [sum(map(_some, range(5), each)) for each in counts if sum(each) <= MOST_PIECES - 2]
    both = (mine | theirs << _SIDE_BITS for mine, theirs in product(sides, repeat=2))
    few = (material for material in both if men(material) <= min(pieces, MOST_PIECES))
    return sorted(few, key=lambda each: (men(each), name(each).translate(_IN_ORDER)))


def after_moves(material: int) -> list[int]:
    """All material that a move can lead to, the sides exchanged because the other one moves next.

    A piece may be captured, a pawn promoted, or both; but no pawn is captured by a promotion.
    """
    mine, theirs = material & (1 << _SIDE_BITS) - 1, material >> _SIDE_BITS
    lost = [kind for kind in range(5) if count_of(material, kind, 1)]
    found = [(0, 0), *((0, _some(kind, 1)) for kind in lost)]
    if count_of(material, PAWN, 0):
        for kind in range(PIECE_KINDS):
            gain = _some(kind, 1) - _some(PAWN, 1)
            found += [(gain, 0), *((gain, _some(each, 1)) for each in lost if each != PAWN)]
    return sorted(theirs - loss | (mine + gain) << _SIDE_BITS for gain, loss in found)


def _some(kind: int, count: int) -> int:
    """The material of a side with nothing but some pieces of a kind."""
    return count << _KIND_BITS * kind
