"""The end-games of chess: positions by the pieces of both sides.

A slice is named after the pieces of the player to move, then those of the other side: `KQvK`,
`KvKP`. With black to move the board is turned upside down and the colors are exchanged, so the
mover is always white. A position with castling rights is in no slice.

The number of a position says, from its highest part to its lowest: where the kings are (see
`king_pairs`), the mover's pawns, the other pawns, and then the other pieces, kind after kind, each
on the squares that are left. Numbers with a pawn on a king's square, or where the side that is not
to move is in check, stand for nothing. If both kings are on the diagonal, a position without pawns
and its mirror image share the smaller number.

Positions with an en passant capture come after all others of their slice. There are 14 ways for the
two pawns to stand beside each other, and they take the place of those pawns in the number. Where
pawns on both sides of the one that moved could take it, the left one counts.
"""

from typing import TYPE_CHECKING, Final

from threefold.games.chess.king_pairs import (
    BOTH_ON_DIAGONAL,
    KING_PAIRS,
    PAIRS,
    PAWN_PLACEMENTS,
    PAWNLESS_PLACEMENTS,
    PLACEMENT_SHIFT,
    PLACEMENTS,
    TRANSPOSED,
    UPSIDE_DOWN,
    image,
)
from threefold.games.chess.material import (
    MOST_PIECES,
    PAWN,
    PIECE_KINDS,
    after_moves,
    all_material,
    count_of,
    material_of,
    men,
    name,
)
from threefold.games.chess.moves import en_passant_takers, is_check, occupied_squares, own_pieces
from threefold.rules.bits import lsb, popcount, shl
from threefold.rules.contract import MAX, MIN
from threefold.rules.endgames import NO_SLICE, Endgames, Slice
from threefold.rules.subsets import choose, number_of_set, set_of_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from threefold.games.chess.rules import State

#: These take seconds.
SMALL: Final = 3

#: Where pawns stand: the ranks 2 to 7.
_PAWN_SQUARES: Final = 0x00FFFFFFFFFFFF00
_PAWN_SQUARE_COUNT: Final = 48
#: What the two kings leave.
_FREE_SQUARES: Final = 62
#: On this rank is a pawn of the other side that may be taken en passant.
_A5: Final = 32
#: From the left on the files b to h, from the right on the files a to g.
_WAYS_TO_TAKE: Final = 14

#: What `number_of` says of a position that is in no slice.
_NO_NUMBER: Final = -1


def slice_of(s: "State") -> int:
    """The slice of a position; none if there are many pieces or castling rights."""
    occupied = occupied_squares(s)
    if popcount(occupied) > MOST_PIECES or s.castling:
        return NO_SLICE
    return material_of(s, own_pieces(s, occupied))


def number_of(s: "State") -> int:
    """The number of a position in its slice.

    Searches ask it of legal positions alone, and often. So `position` checks that they are legal.
    """
    if s.castling:
        return _NO_NUMBER
    mine = own_pieces(s, occupied_squares(s))
    pair = lsb(s.kings & mine) << 6 | lsb(s.kings & ~mine)
    turned = 0
    if s.turn == MIN:
        pair ^= 56 << 6 | 56
        turned = UPSIDE_DOWN
    entry = KING_PAIRS[pair + PAIRS if s.pawns else pair]
    placement, symmetry = entry >> PLACEMENT_SHIFT, entry & 7 ^ turned
    number = number_seen(s, mine, placement, symmetry)
    if entry & BOTH_ON_DIAGONAL:
        number = min(number, number_seen(s, mine, placement, symmetry ^ TRANSPOSED))
    return number


def number_seen(s: "State", mine: int, placement: int, symmetry: int) -> int:
    """The number of a position as seen through a symmetry that puts the kings on a placement."""
    theirs = ~mine
    free = ~image(s.kings, symmetry)
    number = placement
    if s.pawns:
        pawns, their_pawns = image(s.pawns & mine, symmetry), image(s.pawns & theirs, symmetry)
        free ^= pawns | their_pawns
        squares = _PAWN_SQUARES
        ordinary = 0
        if s.en_passant:
            ordinary = frames(material_of(s, mine))
            way = way_to_take(pawns, lsb(image(s.en_passant, symmetry)) & 7)
            number = number * _WAYS_TO_TAKE + way
            taker, taken = taker_and_taken(way)
            pawns ^= taker
            their_pawns ^= taken
            squares ^= taker | taken
        number = with_set(number, pawns, squares)
        number = ordinary + with_set(number, their_pawns, squares ^ pawns)
    for pieces in (
        s.queens & mine,
        s.rooks & mine,
        s.bishops & mine,
        s.knights & mine,
        s.queens & theirs,
        s.rooks & theirs,
        s.bishops & theirs,
        s.knights & theirs,
    ):
        if pieces:
            chosen = image(pieces, symmetry)
            number = with_set(number, chosen, free)
            free ^= chosen
    return number


def with_set(number: int, chosen: int, squares: int) -> int:
    """A number whose lowest part says which of the squares are chosen."""
    return number * choose(popcount(squares), popcount(chosen)) + number_of_set(chosen, squares)


def way_to_take(pawns: int, file: int) -> int:
    """In which way one of these pawns can take en passant on a file: the left one if it is there.

    A way from the left has an odd number; that from the right to the same file has the next one.
    """
    on_left = file > 0 and pawns & shl(1, _A5 + file - 1)
    return 2 * file - 1 if on_left else 2 * file


def taker_and_taken(way: int) -> tuple[int, int]:
    """The squares of both pawns when one takes the other en passant in some way."""
    taken = _A5 + (way + 1) // 2
    return shl(1, taken - 1 if way & 1 else taken + 1), shl(1, taken)


def frames(material: int) -> int:
    """In how many ways kings and pawns can stand, without en passant."""
    pawns, their_pawns = count_of(material, PAWN, 0), count_of(material, PAWN, 1)
    if pawns + their_pawns == 0:
        return PAWNLESS_PLACEMENTS
    ways = choose(_PAWN_SQUARE_COUNT, pawns) * choose(_PAWN_SQUARE_COUNT - pawns, their_pawns)
    return PAWN_PLACEMENTS * ways


def en_passant_frames(material: int) -> int:
    """In how many ways kings and pawns can stand with en passant."""
    pawns, their_pawns = count_of(material, PAWN, 0), count_of(material, PAWN, 1)
    if pawns == 0 or their_pawns == 0:
        return 0
    left = _PAWN_SQUARE_COUNT - 2
    ways = choose(left, pawns - 1) * choose(left - pawns + 1, their_pawns - 1)
    return PAWN_PLACEMENTS * _WAYS_TO_TAKE * ways


def frame_of_number(material: int, number: int) -> tuple[int, int, int, int]:
    """Both kings as in `PLACEMENTS`, the mover's pawns, the others, and the en passant square."""
    count, their_count = count_of(material, PAWN, 0), count_of(material, PAWN, 1)
    if count + their_count == 0:
        return PLACEMENTS[number], 0, 0, 0
    pawns, their_pawns, en_passant = 0, 0, 0
    left, ordinary = _PAWN_SQUARE_COUNT, frames(material)
    with_en_passant = number >= ordinary
    if with_en_passant:
        number -= ordinary
        count, their_count, left = count - 1, their_count - 1, left - 2
    ways = choose(left - count, their_count)
    theirs_number, number = number % ways, number // ways
    ways = choose(left, count)
    mine_number, number = number % ways, number // ways
    if with_en_passant:
        pawns, their_pawns = taker_and_taken(number % _WAYS_TO_TAKE)
        number, en_passant = number // _WAYS_TO_TAKE, their_pawns << 8
    pawns |= set_of_number(mine_number, count, _PAWN_SQUARES & ~(pawns | their_pawns))
    squares = _PAWN_SQUARES & ~(pawns | their_pawns)
    their_pawns |= set_of_number(theirs_number, their_count, squares)
    return PLACEMENTS[PAWNLESS_PLACEMENTS + number], pawns, their_pawns, en_passant


def pieces_size(material: int) -> int:
    """In how many ways the other pieces can stand once kings and pawns do."""
    left = _FREE_SQUARES - count_of(material, PAWN, 0) - count_of(material, PAWN, 1)
    size = 1
    for side in range(2):
        for kind in range(PIECE_KINDS):
            count = count_of(material, kind, side)
            size *= choose(left, count)
            left -= count
    return size


def endgames(
    make_state: "type[State]", nothing: "State", plies_left: "Callable[[State], int]"
) -> "Endgames[State]":
    """The end-games; `nothing` is for numbers without a position, and has castling rights."""

    def position(material: int, number: int) -> "State":
        size = pieces_size(material)
        placement, mine, theirs, en_passant = frame_of_number(material, number // size)
        king, pawns = shl(1, placement >> 6), mine | theirs
        kings, white = king | shl(1, placement & 63), king | mine
        if kings & pawns:
            return nothing

        occupied = kings | pawns
        queens, rooks, bishops, knights = 0, 0, 0, 0
        number, left = number % size, 64 - popcount(occupied)
        for side in range(2):
            for kind in range(PIECE_KINDS):
                count = count_of(material, kind, side)
                if count:
                    size = size // choose(left, count)
                    chosen = set_of_number(number // size, count, ~occupied)
                    number, left = number % size, left - count
                    occupied |= chosen
                    white |= chosen if side == 0 else 0
                    queens |= chosen if kind == 0 else 0
                    rooks |= chosen if kind == 1 else 0
                    bishops |= chosen if kind == 2 else 0
                    knights |= chosen if kind == 3 else 0

        passed = make_state(pawns, knights, bishops, rooks, queens, kings, white, 0, 0, 0, 1, MIN)
        if is_check(passed):
            return nothing
        s = make_state(
            pawns, knights, bishops, rooks, queens, kings, white, 0, en_passant, 0, 1, MAX
        )
        if en_passant:
            crossed = en_passant | en_passant << 8
            if occupied & crossed or not en_passant_takers(s, lsb(en_passant), white, occupied):
                return nothing
        return s

    return Endgames(
        rules="chess",
        slices=slices,
        slice_of=slice_of,
        number_of=number_of,
        position=position,
        plies_left=plies_left,
        most=MOST_PIECES,
        small=SMALL,
    )


def slices(pieces: int) -> list[Slice]:
    """All slices with at most so many pieces, kings included."""
    return [
        Slice(
            number=material,
            name=name(material),
            size=(frames(material) + en_passant_frames(material)) * pieces_size(material),
            pieces=men(material),
            leads_to=after_moves(material),
        )
        for material in all_material(pieces)
    ]
