"""What a chess position is worth before the end.

`material` counts the pieces with the usual textbook weights. `positional` is in hundredths of a
pawn and depends on where they are. Each piece has a value for a full board and one for an empty
board, interpolated by the pieces that are left.

A pair of such values is packed into one word, the first in the upper half, so that one addition
adds both.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from threefold.games.chess.attacks import (
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    bishop_attacks,
    rook_attacks,
)
from threefold.games.chess.moves import occupied_squares
from threefold.rules.bits import byteswap, lsb, lsr, pop_lowest, popcount, shl
from threefold.rules.contract import MAX

if TYPE_CHECKING:
    from threefold.games.chess.rules import State

_HALF: Final = 1 << 32


def pair(full: int, empty: int) -> int:
    """A value for a full board and one for an empty board, in one word."""
    return full * _HALF + empty


# By kind, in the order of State's fields, for a full board and for an empty one.
_WORTH = ((85, 105), (330, 300), (345, 320), (480, 530), (980, 990), (0, 0))
#: For each additional square that a piece attacks.
KNIGHT_MOBILITY: Final = pair(4, 4)
BISHOP_MOBILITY: Final = pair(4, 4)
ROOK_MOBILITY: Final = pair(2, 4)
QUEEN_MOBILITY: Final = pair(1, 2)
#: Two bishops together cover squares of both colors.
BISHOP_PAIR: Final = pair(25, 45)
#: A rook on a file without its own side's pawns, or without any pawns.
HALF_OPEN_FILE: Final = pair(10, 5)
OPEN_FILE: Final = pair(12, 5)
#: Pawns that no neighbor can protect, and pawns one behind the other.
ISOLATED: Final = pair(-12, -12)
DOUBLED: Final = pair(-8, -16)
#: A pawn that no opposing pawn can stop, by its rank.
PASSED: Final = tuple(
    pair(full, empty)
    for full, empty in ((0, 0), (0, 8), (2, 12), (8, 28), (20, 55), (45, 95), (80, 150), (0, 0))
)
#: A pawn directly in front of its king.
SHIELD: Final = pair(11, 0)
#: An attacked square next to the other king.
NEAR_KING: Final = pair(7, 1)
#: Having the move.
TEMPO: Final = 12

#: How much each piece counts toward a full board.
FULL: Final = 24


def _ring(square: int) -> int:
    """The distance from the edge: 0 at the edge, 3 in the center."""
    return min(square % 8, 7 - square % 8, square // 8, 7 - square // 8)


def _placed(kind: int, square: int) -> int:
    """What a square adds to the worth of a white piece, as a pair."""
    file, rank, ring = square % 8, square // 8, _ring(square)
    middle = min(file, 7 - file)
    if kind == 0:
        full, empty = 2 * (middle - 1) * min(rank, 4), 5 * (rank - 1)
    elif kind == 1:
        full, empty = 12 * ring - 22 - (8 if rank == 0 else 0), 10 * ring - 18
    elif kind == 2:
        full, empty = 6 * ring - 6 - (8 if rank == 0 else 0), 4 * ring - 6
    elif kind == 3:
        full, empty = 3 * middle - 4 + (12 if rank == 6 else 0), 8 if rank == 6 else 0
    elif kind == 4:
        full, empty = 2 * ring - 2, 8 * ring - 10
    else:
        home = (28 if middle == 1 else 20 if middle == 0 else 4) if rank == 0 else -14 * rank
        full, empty = max(home, -50), 14 * ring - 20
    return pair(full, empty)


#: By kind, what a piece is worth wherever it is; and at index 64 · kind + square, what the square
#: of a white piece adds to that; and both together.
WORTH: Final = tuple(pair(full, empty) for full, empty in _WORTH)
PLACES: Final = tuple(_placed(kind, square) for kind in range(6) for square in range(64))
_PLACED: Final = tuple(WORTH[i >> 6] + places for i, places in enumerate(PLACES))


def material(s: "State") -> int:
    """The lectures' weighted sum: queen 9, rook 5, bishop 3, knight 3, pawn 1."""
    white = s.white
    value = 9 * lead(s.queens, white) + 5 * lead(s.rooks, white)
    return value + 3 * lead(s.bishops | s.knights, white) + lead(s.pawns, white)


def lead(pieces: int, white: int) -> int:
    """How many more of the given pieces are white than black."""
    return 2 * popcount(pieces & white) - popcount(pieces)


def positional(s: "State") -> int:
    """Piece positions, mobility, pawn structure and king safety."""
    occupied = occupied_squares(s)
    white, black = s.white, occupied ^ s.white
    value = side_value(s.pawns, s.knights, s.bishops, s.rooks, s.queens, s.kings, white, black)
    value -= side_value(
        byteswap(s.pawns),
        byteswap(s.knights),
        byteswap(s.bishops),
        byteswap(s.rooks),
        byteswap(s.queens),
        byteswap(s.kings),
        byteswap(black),
        byteswap(white),
    )
    total = interpolated(value, stage(s))
    tempo = TEMPO if s.turn == MAX else -TEMPO
    return (-(-total // FULL) if total < 0 else total // FULL) + tempo


def stage(s: "State") -> int:
    """How full the board is: `FULL` at the start, 0 without pieces."""
    count = 4 * popcount(s.queens) + 2 * popcount(s.rooks) + popcount(s.bishops | s.knights)
    return min(count, FULL)


def interpolated(value: int, stage: int) -> int:
    """What a pair is worth at a stage of the game, times `FULL`."""
    full = (value + (_HALF >> 1)) >> 32
    empty = value - full * _HALF
    return full * stage + empty * (FULL - stage)


def side_value(
    pawns: int,
    knights: int,
    bishops: int,
    rooks: int,
    queens: int,
    kings: int,
    mine: int,
    theirs: int,
) -> int:
    """The value of a side's pieces as a pair; the side plays up the board."""
    occupied = mine | theirs
    my_pawns, their_pawns = pawns & mine, pawns & theirs
    near = KING[lsb(kings & theirs)]
    free = free_squares(mine, their_pawns)
    value = pawn_value(my_pawns, their_pawns)

    king = lsb(kings & mine)
    value += _PLACED[5 << 6 | king] + shield_value(king, my_pawns)
    rest = knights & mine
    while rest:
        square = lsb(rest)
        seen = KNIGHT[square] & free
        value += _PLACED[1 << 6 | square] + KNIGHT_MOBILITY * popcount(seen)
        value += NEAR_KING * popcount(seen & near)
        rest = pop_lowest(rest)
    rest = bishops & mine
    if pop_lowest(rest):
        value += BISHOP_PAIR
    while rest:
        square = lsb(rest)
        seen = bishop_attacks(square, occupied) & free
        value += _PLACED[2 << 6 | square] + BISHOP_MOBILITY * popcount(seen)
        value += NEAR_KING * popcount(seen & near)
        rest = pop_lowest(rest)
    rest = rooks & mine
    while rest:
        square = lsb(rest)
        seen = rook_attacks(square, occupied) & free
        value += _PLACED[3 << 6 | square] + ROOK_MOBILITY * popcount(seen)
        value += NEAR_KING * popcount(seen & near)
        value += file_value(square, my_pawns, their_pawns)
        rest = pop_lowest(rest)
    rest = queens & mine
    while rest:
        square = lsb(rest)
        seen = (rook_attacks(square, occupied) | bishop_attacks(square, occupied)) & free
        value += _PLACED[4 << 6 | square] + QUEEN_MOBILITY * popcount(seen)
        value += NEAR_KING * popcount(seen & near)
        rest = pop_lowest(rest)
    return value


def free_squares(mine: int, their_pawns: int) -> int:
    """The squares that count as mobility: not those that their pawns attack."""
    return ~mine & ~(lsr(their_pawns & ~FILE_A, 9) | lsr(their_pawns & ~FILE_H, 7))


def shield_value(king: int, my_pawns: int) -> int:
    """What the pawns in front of a king add, as a pair."""
    return SHIELD * popcount(shl(KING[king], 8) & KING[king] & my_pawns)


def file_value(square: int, my_pawns: int, their_pawns: int) -> int:
    """What a rook's file adds, as a pair."""
    file = shl(FILE_A, square & 7)
    if file & my_pawns:
        return 0
    return HALF_OPEN_FILE if file & their_pawns else HALF_OPEN_FILE + OPEN_FILE


def pawn_value(mine: int, theirs: int) -> int:
    """The value of a side's pawns as a pair; they move up the board."""
    value = structure_value(mine) + passed_value(mine, theirs)
    while mine:
        value += _PLACED[lsb(mine)]
        mine = pop_lowest(mine)
    return value


def structure_value(mine: int) -> int:
    """What isolated and doubled pawns cost, as a pair."""
    mine_above = above(mine)
    files = mine_above | below(mine) | mine
    alone = mine & ~(shl(files & ~FILE_H, 1) | lsr(files & ~FILE_A, 1))
    return ISOLATED * popcount(alone) + DOUBLED * popcount(mine & mine_above)


def passed_value(mine: int, theirs: int) -> int:
    """What passed pawns add, as a pair."""
    guarded = below(theirs)
    guarded |= shl(guarded & ~FILE_H, 1) | lsr(guarded & ~FILE_A, 1)
    passed = mine & ~guarded & ~below(mine)
    value = 0
    while passed:
        value += PASSED[lsb(passed) >> 3]
        passed = pop_lowest(passed)
    return value


def above(squares: int) -> int:
    """All higher squares on the same files."""
    squares = shl(squares, 8)
    squares |= shl(squares, 8)
    squares |= shl(squares, 16)
    return squares | shl(squares, 32)


def below(squares: int) -> int:
    """All lower squares on the same files."""
    squares = lsr(squares, 8)
    squares |= lsr(squares, 8)
    squares |= lsr(squares, 16)
    return squares | lsr(squares, 32)


#: The evaluations, the default first.
EVALUATIONS: "dict[str, Callable[[State], int]]" = {"positional": positional, "material": material}
