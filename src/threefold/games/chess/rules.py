"""The rules of chess.

A bitboard for each kind of piece, both colours together, and one of all white pieces; square 0 is
a1, 7 is h1, 63 is h8 (drawn in `attacks`).

A move is `source | target << 6 | promotion << 12`, where the promotion is 0 for none, 1 knight,
2 bishop, 3 rook, 4 queen. To castle, the king takes its own rook: so written, Chess960's castling
is the same move, and needs no rule of its own.

`castling` holds the rooks that may still castle, and `en_passant` the square behind a pawn that
has just gone two steps, but only where it can really be taken: two positions are the same
if all but their counters are.
"""

from typing import NamedTuple

from threefold.games.chess.attacks import PAWN
from threefold.games.chess.moves import (
    BISHOP_PROMOTION,
    KNIGHT_PROMOTION,
    QUEEN_PROMOTION,
    ROOK_PROMOTION,
    en_passant_takers,
    generate,
    has_move,
    is_check,
    king_target,
    occupied_squares,
    own_pieces,
    rook_target,
)
from threefold.rules.bits import lsb, lsr, mix, shl, wrap
from threefold.rules.contract import MAX, MIN, Row, RuleHooks

#: Sixteen pieces a side, a king among them: fifteen queens see 27 squares each at most, the king
#: steps to 8 and castles two ways.
MAX_MOVES = 15 * 27 + 8 + 2


class State(NamedTuple):
    """Where the pieces stand, what may still be done, and whose turn it is: white is MAX."""

    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    white: int
    castling: int
    en_passant: int
    halfmove: int  # plies since a pawn moved or a piece was taken
    fullmove: int
    turn: int


START = State(
    pawns=0xFF << 8 | 0xFF << 48,
    knights=0x42 | 0x42 << 56,
    bishops=0x24 | 0x24 << 56,
    rooks=wrap(0x81 | 0x81 << 56),
    queens=0x08 | 0x08 << 56,
    kings=0x10 | 0x10 << 56,
    white=0xFFFF,
    castling=wrap(0x81 | 0x81 << 56),
    en_passant=0,
    halfmove=0,
    fullmove=1,
    turn=MAX,
)


def initial() -> State:
    """The start."""
    return START


def actions(s: State, out: Row) -> int:
    """The legal moves."""
    return generate(s, wrap(-1), out)


def noisy(s: State, out: Row) -> int:
    """Captures, and pawns that become queens."""
    return generate(s, wrap(0), out)


def result(s: State, a: int) -> State:
    """The position after a move."""
    source, target, promotion = a & 63, a >> 6 & 63, a >> 12
    origin, goal = shl(1, source), shl(1, target)
    occupied = occupied_squares(s)
    mine = own_pieces(s, occupied)
    if goal & mine:
        return castled(s, source, target, mine)
    stay = ~(origin | goal)
    pawns = s.pawns & stay | moved(s.pawns, source, target)
    knights = s.knights & stay | moved(s.knights, source, target)
    bishops = s.bishops & stay | moved(s.bishops, source, target)
    rooks = s.rooks & stay | moved(s.rooks, source, target)
    queens = s.queens & stay | moved(s.queens, source, target)
    kings = s.kings & stay | moved(s.kings, source, target)
    if s.turn == MAX:
        white = s.white & stay | goal
    else:
        white = s.white & stay
    castling = s.castling & stay
    if s.kings & origin:
        castling &= ~mine
    halfmove = 0 if occupied & goal else s.halfmove + 1
    fullmove = s.fullmove + s.turn
    turn = MIN if s.turn == MAX else MAX
    passed = 0
    if s.pawns & origin:
        halfmove = 0
        if promotion:
            pawns ^= goal
            knights |= goal if promotion == KNIGHT_PROMOTION else 0
            bishops |= goal if promotion == BISHOP_PROMOTION else 0
            rooks |= goal if promotion == ROOK_PROMOTION else 0
            queens |= goal if promotion == QUEEN_PROMOTION else 0
        elif goal == s.en_passant:
            victim = shl(1, target - 8 if s.turn == MAX else target + 8)
            pawns ^= victim
            white &= ~victim
        elif source ^ target == 16:
            middle = (source + target) >> 1
            if PAWN[s.turn << 6 | middle] & s.pawns & ~mine:
                passed = shl(1, middle)
    after = State(
        pawns, knights, bishops, rooks, queens, kings, white, castling, 0, halfmove, fullmove, turn
    )
    if passed:
        return with_en_passant(after, passed)
    return after


def moved(pieces: int, source: int, target: int) -> int:
    """The piece on `source`, if it is of these, on `target`."""
    return shl(lsr(pieces, source) & 1, target)


def castled(s: State, king: int, rook: int, mine: int) -> State:
    """The position after castling."""
    before = shl(1, king) | shl(1, rook)
    to, beside = shl(1, king_target(king, rook)), shl(1, rook_target(king, rook))
    return State(
        s.pawns,
        s.knights,
        s.bishops,
        s.rooks & ~before | beside,
        s.queens,
        s.kings & ~before | to,
        s.white & ~before | to | beside if s.turn == MAX else s.white,
        s.castling & ~mine,
        0,
        s.halfmove + 1,
        s.fullmove + s.turn,
        MIN if s.turn == MAX else MAX,
    )


def with_en_passant(s: State, passed: int) -> State:
    """The position with a pawn that may be taken in passing, if there is one to take it."""
    occupied = occupied_squares(s)
    mine = own_pieces(s, occupied)
    possible = passed if en_passant_takers(s, lsb(passed), mine, occupied) else 0
    return State(
        s.pawns,
        s.knights,
        s.bishops,
        s.rooks,
        s.queens,
        s.kings,
        s.white,
        s.castling,
        possible,
        s.halfmove,
        s.fullmove,
        s.turn,
    )


def utility(s: State) -> int:
    """Checkmate loses; every other end is a draw."""
    if has_move(s) or not is_check(s):
        return 0
    return -1 if s.turn == MAX else 1


def is_terminal(s: State) -> bool:
    """Whether there is no legal move: checkmate or stalemate."""
    return not has_move(s)


def key(s: State) -> int:
    """Four bits for each square, scattered: what stands there and whose it is.

    A rook that may castle is a kind of its own, and so is a square that may be taken in passing.
    """
    odd = s.pawns | s.bishops | s.queens | s.castling
    middle = s.knights | s.bishops | s.kings | s.castling
    high = s.rooks | s.queens | s.kings
    owner = s.white | s.en_passant
    if s.turn == MIN:
        owner = ~owner
    scattered = mix(odd) ^ mix(wrap(middle + 0x1F83D9ABFB41BD6B))
    return wrap(scattered + mix(wrap(high - 0x5BE0CD19137E2179)) ^ mix(owner))


def rules() -> RuleHooks:
    """The hooks."""
    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "is_terminal": is_terminal,
        "noisy": noisy,
        "key": key,
        "repeats": 3,
        "reductions": True,
        "max_moves": MAX_MOVES,
        "max_ply": 20_000,
        "move_range": 5 << 12,
    }
