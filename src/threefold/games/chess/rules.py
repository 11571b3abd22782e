"""The rules of chess.

There is a bitboard for each kind of piece, both colors together, and one of all white pieces.
Square 0 is a1, 7 is h1, 63 is h8 (drawn in `attacks`).

A move is `source | target << 6 | promotion << 12`, where the promotion is 0 for none, 1 knight,
2 bishop, 3 rook, 4 queen. Castling is written as the king taking its own rook. Written that way,
Chess960's castling is the same move and needs no extra rule.

`castling` holds the rooks that may still castle. `en_passant` is the square behind a pawn that has
just moved two steps, but only if it can really be taken. So two positions are the same if all their
fields except the counters are equal.
"""

from typing import NamedTuple

from threefold.games.chess.attacks import PAWN
from threefold.games.chess.endgames import endgames
from threefold.games.chess.evaluation import EVALUATIONS
from threefold.games.chess.features import features
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
from threefold.games.chess.terms import TERMS
from threefold.rules.bits import add, lsb, lsr, mix, pop_lowest, shl, sub, word, wrap
from threefold.rules.contract import CLAIMABLE, DRAWN, MAX, MIN, Row
from threefold.rules.records import Assumptions, RuleHooks

#: A side has at most sixteen pieces including its king: fifteen queens attack at most 27 squares
#: each, and the king has 8 steps and two ways to castle.
MAX_MOVES = 15 * 27 + 8 + 2
#: The seventy-five moves can be restarted by 30 captures and 96 pawn moves, 8 of them captures.
MAX_PLY = 150 * (30 + 96 - 8 + 1)

#: Plies without a capture or a pawn move after which a draw may be claimed, and is automatic.
FIFTY_MOVES = 100
SEVENTY_FIVE_MOVES = 150

#: Moves are below this: the promotion is the highest part, and at most a queen.
MOVE_RANGE = 5 << 12

#: The dark squares, including a1.
DARK = word(0xAA55AA55AA55AA55)

#: A quiet move nearly always changes `positional` by at most this; `material` it never changes.
FUTILITY = 100


class State(NamedTuple):
    """The pieces, castling and en passant rights, counters, and the side to move; white is MAX."""

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
    rooks=word(0x81 | 0x81 << 56),
    queens=0x08 | 0x08 << 56,
    kings=0x10 | 0x10 << 56,
    white=0xFFFF,
    castling=word(0x81 | 0x81 << 56),
    en_passant=0,
    halfmove=0,
    fullmove=1,
    turn=MAX,
)


def initial() -> State:
    """The starting position."""
    return START


def actions(s: State, out: Row) -> int:
    """The legal moves."""
    return generate(s, wrap(-1), out)


def noisy(s: State, out: Row) -> int:
    """Captures, and promotions to a queen."""
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
    """The pieces with the one on `source`, if there is one, moved to `target`."""
    return shl(lsr(pieces, source) & 1, target)


def castled(s: State, king: int, rook: int, mine: int) -> State:
    """The position after castling."""
    before = shl(1, king) | shl(1, rook)
    to, rook_to = shl(1, king_target(king, rook)), shl(1, rook_target(king, rook))
    return State(
        s.pawns,
        s.knights,
        s.bishops,
        s.rooks & ~before | rook_to,
        s.queens,
        s.kings & ~before | to,
        s.white & ~before | to | rook_to if s.turn == MAX else s.white,
        s.castling & ~mine,
        0,
        s.halfmove + 1,
        s.fullmove + s.turn,
        MIN if s.turn == MAX else MAX,
    )


def with_en_passant(s: State, passed: int) -> State:
    """The position with a pawn that may be taken en passant, if another can take it."""
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
    """Checkmate loses; every other ending is a draw."""
    if has_move(s) or not is_check(s):
        return 0
    return -1 if s.turn == MAX else 1


def is_terminal(s: State) -> bool:
    """Whether there is no legal move, or the game is drawn."""
    return not has_move(s) or drawn(s) == DRAWN


def key(s: State) -> int:
    """Four bits for each square, mixed: the kind of piece there and its color.

    A rook that may castle counts as a separate kind, and so does an en passant square.
    """
    odd = s.pawns | s.bishops | s.queens | s.castling
    middle = s.knights | s.bishops | s.kings | s.castling
    high = s.rooks | s.queens | s.kings
    owner = s.white | s.en_passant
    if s.turn == MIN:
        owner = ~owner
    scattered = mix(odd) ^ mix(add(middle, 0x1F83D9ABFB41BD6B))
    return add(scattered, mix(sub(high, 0x5BE0CD19137E2179))) ^ mix(owner)


def order(s: State, a: int) -> int:
    """The most valuable victim first, then the least valuable attacker; promotions add to it.

    Quiet moves are ordered by what the search learns about them.
    """
    source, target, promotion = a & 63, a >> 6 & 63, a >> 12
    occupied = occupied_squares(s)
    taken = 0
    if lsr(occupied & ~own_pieces(s, occupied), target) & 1:
        taken = standing(s, target)
    elif lsr(s.en_passant, target) & lsr(s.pawns, source) & 1:
        taken = standing(s, source)
    if taken == 0 and promotion == 0:
        return 0
    return 8 * (taken + promotion) + 6 - standing(s, source)


def standing(s: State, square: int) -> int:
    """The rank of the piece on a square by value: a pawn 1, a king 6, none 0."""
    value = lsr(s.pawns, square) & 1
    value += (lsr(s.knights, square) & 1) * 2
    value += (lsr(s.bishops, square) & 1) * 3
    value += (lsr(s.rooks, square) & 1) * 4
    value += (lsr(s.queens, square) & 1) * 5
    return value + (lsr(s.kings, square) & 1) * 6


def extend(s: State) -> int:
    """Search one ply deeper when in check."""
    return 1 if is_check(s) else 0


def null_move(s: State) -> State:
    """The position after a pass, unless in check or if zugzwang is likely.

    With only pawns it often is, and with one knight or bishop sometimes.
    """
    own = own_pieces(s, occupied_squares(s))
    minor = own & (s.knights | s.bishops)
    if (own & (s.rooks | s.queens) == 0 and pop_lowest(minor) == 0) or is_check(s):
        return s
    return State(
        s.pawns,
        s.knights,
        s.bishops,
        s.rooks,
        s.queens,
        s.kings,
        s.white,
        s.castling,
        0,
        s.halfmove + 1,
        s.fullmove + s.turn,
        MIN if s.turn == MAX else MAX,
    )


def drawn(s: State) -> int:
    """Whether the game is a draw, or may be claimed as one, although there are legal moves."""
    if is_insufficient(s):
        return DRAWN
    if s.halfmove < FIFTY_MOVES or not has_move(s):  # mate comes before the counter
        return 0
    return DRAWN if s.halfmove >= SEVENTY_FIVE_MOVES else CLAIMABLE


def plies_left(s: State) -> int:
    """How many more plies may pass without a capture or a pawn move until a draw can be claimed."""
    return FIFTY_MOVES - s.halfmove


def is_insufficient(s: State) -> bool:
    """Whether neither side could mate, however badly the other plays.

    That is: a lone king, a king and one knight, or only bishops on squares of one color.
    """
    if s.pawns | s.rooks | s.queens:
        return False
    if s.knights:
        return pop_lowest(s.knights | s.bishops) == 0
    return s.bishops & DARK == 0 or s.bishops & ~DARK == 0


def rules() -> RuleHooks:
    """The hooks."""
    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "is_terminal": is_terminal,
        "evaluations": EVALUATIONS,
        "terms": TERMS,
        "features": features,
        "noisy": noisy,
        "order": order,
        "extend": extend,
        "null_move": null_move,
        "drawn": drawn,
        "assumptions": Assumptions(
            clocks=("halfmove", "fullmove"),
            reductions=True,
            futility=FUTILITY,
            endgames=endgames(State, START, plies_left),
        ),
        "key": key,
        "repeats": 3,
        "max_moves": MAX_MOVES,
        "max_ply": MAX_PLY,
        "move_range": MOVE_RANGE,
    }
