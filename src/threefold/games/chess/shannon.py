"""Chess as Claude Shannon's two programs of 1950 see it.

C. E. Shannon, "Programming a computer for playing chess", *Philosophical Magazine* 41 (1950), pages
256–275. Both programs evaluate a position by the formula of his first appendix. *Type A* looks at
every variation to the same depth, two moves of each side. *Type B* looks at fewer variations and
follows them further: a function g(P) says whether a position is stable enough to be evaluated, and
a function h(P, M) says whether a move is worth exploring. Shannon describes both functions and
leaves the details of h open; those here are ours.
"""

from typing import Any, Final

from threefold.games.chess import seen
from threefold.games.chess.attacks import (
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    PAWN,
    RANK_1,
    RANK_8,
    bishop_attacks,
    rook_attacks,
)
from threefold.games.chess.evaluation import above, below, lead
from threefold.games.chess.moves import (
    QUEEN_PROMOTION,
    generate,
    is_attacked,
    is_check,
    occupied_squares,
    own_pieces,
    pawn_targets,
)
from threefold.games.chess.seen import Seen, attacked_from, result, selection
from threefold.rules.bits import byteswap, lowest, lsb, lsr, pop_lowest, popcount, shl, wrap
from threefold.rules.contract import MAX, MIN, Row
from threefold.rules.game import Game

#: In tenths of a pawn. Of his appendix only the king's 200 is missing: it stands for mate, which
#: every search here knows.
_QUEEN: Final = 90
_ROOK: Final = 50
_MINOR: Final = 30
_PAWN: Final = 10
#: For each pawn that is doubled, backward or isolated.
_WEAK: Final = -5
_MOBILITY: Final = 1

#: Two moves of each side, in plies: all that type A looks at, and the least that type B does.
DEPTH: Final = 4
#: Type B never looks further than ten moves of each side.
MOST: Final = 20

# h(P, M): how forceful a move is.
_POINTLESS: Final = 0
_DEVELOPS: Final = 1
_DEFENDS: Final = 2
_THREATENS: Final = 3
_FORCES: Final = 4
#: More is asked of a move the further ahead it is. From this ply on it must have a point,
_FIRST_SELECTED: Final = 2
#: from `DEPTH` on it must force, and from this ply on it must capture.
_LAST_CHECK: Final = 8

_BACK_RANKS: Final = RANK_1 | RANK_8
#: d4, e4, d5, e5.
_CENTER: Final = 0x18 << 24 | 0x18 << 32


# The evaluation, f(P).


def shannon(s: Any) -> int:
    """Material, weak pawns, and mobility, in tenths of a pawn."""
    occupied = occupied_squares(s)
    white, black = s.white, occupied ^ s.white
    value = _QUEEN * lead(s.queens, white) + _ROOK * lead(s.rooks, white)
    value += _MINOR * lead(s.bishops | s.knights, white) + _PAWN * lead(s.pawns, white)
    value += _WEAK * weak_pawns(s.pawns & white, s.pawns & black)
    value -= _WEAK * weak_pawns(byteswap(s.pawns & black), byteswap(s.pawns & white))
    value += _MOBILITY * mobility(s, white, black, occupied, MAX)
    return value - _MOBILITY * mobility(s, black, white, occupied, MIN)


def weak_pawns(mine: int, theirs: int) -> int:
    """How many pawns, moving up the board, are doubled, and how many isolated or backward.

    A backward pawn has no neighbor at its side or behind it, and cannot advance without being
    taken by a pawn.
    """
    doubled = mine & above(mine)
    isolated = mine & ~beside(above(mine) | mine | below(mine))
    guarded = lsr(beside(theirs), 8)
    backward = mine & lsr(guarded, 8) & ~beside(mine | above(mine)) & ~isolated
    return popcount(doubled) + popcount(isolated) + popcount(backward)


def beside(squares: int) -> int:
    """The squares next to others on the same rank."""
    return shl(squares & ~FILE_H, 1) | lsr(squares & ~FILE_A, 1)


def mobility(s: Any, mine: int, theirs: int, occupied: int, side: int) -> int:
    """How many moves a side has, not counting castling and ignoring checks and pins."""
    king = lsb(s.kings & mine)
    moves = popcount(KING[king] & ~mine)
    rest = s.pawns & mine
    while rest:
        moves += popcount(pawn_targets(lowest(rest), side, occupied, theirs))
        rest = pop_lowest(rest)
    rest = s.knights & mine
    while rest:
        moves += popcount(KNIGHT[lsb(rest)] & ~mine)
        rest = pop_lowest(rest)
    rest = (s.bishops | s.queens) & mine
    while rest:
        moves += popcount(bishop_attacks(lsb(rest), occupied) & ~mine)
        rest = pop_lowest(rest)
    rest = (s.rooks | s.queens) & mine
    while rest:
        moves += popcount(rook_attacks(lsb(rest), occupied) & ~mine)
        rest = pop_lowest(rest)
    return moves


# g(P): whether a position is too unstable to be evaluated.


def is_unstable(s: Any) -> bool:
    """Whether the side to move is in check, or a piece of either side hangs.

    A piece hangs if one of lower value attacks it, or if it is attacked more often than defended.
    """
    if is_check(s):
        return True
    occupied = occupied_squares(s)
    rest = occupied & ~s.kings
    while rest:
        square = lsb(rest)
        attackers = attackers_of(s, square, occupied)
        mine = s.white if lsr(s.white, square) & 1 else occupied ^ s.white
        against = attackers & ~mine
        if against:
            if popcount(against) > popcount(attackers & mine):
                return True
            if least_worth(s, against) < worth(s, square):
                return True
        rest = pop_lowest(rest)
    return False


def attackers_of(s: Any, square: int, occupied: int) -> int:
    """The pieces of both sides that attack a square."""
    black = occupied ^ s.white
    found: int = KNIGHT[square] & s.knights | KING[square] & s.kings
    found |= PAWN[square] & s.pawns & black | PAWN[64 | square] & s.pawns & s.white
    found |= bishop_attacks(square, occupied) & (s.bishops | s.queens)
    found |= rook_attacks(square, occupied) & (s.rooks | s.queens)
    return found


def worth(s: Any, square: int) -> int:
    """What the piece on a square is worth, in pawns; a king more than any other."""
    value = lsr(s.pawns, square) & 1
    value += (lsr(s.knights | s.bishops, square) & 1) * 3 + (lsr(s.rooks, square) & 1) * 5
    return value + (lsr(s.queens, square) & 1) * 9 + (lsr(s.kings, square) & 1) * 200


def least_worth(s: Any, pieces: int) -> int:
    """What the least of some pieces is worth."""
    if pieces & s.pawns:
        return 1
    if pieces & (s.knights | s.bishops):
        return 3
    if pieces & s.rooks:
        return 5
    return 9 if pieces & s.queens else 200


# h(P, M): how much a move is worth exploring.


def is_capture(s: Any, a: int) -> bool:
    """Whether a move captures, or promotes to a queen."""
    source, target, promotion = a & 63, a >> 6 & 63, a >> 12
    occupied = occupied_squares(s)
    theirs = occupied ^ own_pieces(s, occupied)
    passed = lsr(s.en_passant, target) & lsr(s.pawns, source) & 1
    return lsr(theirs, target) & 1 != 0 or passed != 0 or promotion == QUEEN_PROMOTION


def force(s: Any, a: int) -> int:
    """How forceful a move is, from pointless to a capture, a promotion or a check."""
    if is_capture(s, a):
        return _FORCES
    source, target = a & 63, a >> 6 & 63
    occupied = occupied_squares(s)
    mine = own_pieces(s, occupied)
    theirs = occupied ^ mine
    if lsr(mine, target) & 1:
        return _DEVELOPS  # castling
    after: Any = result(s, a)
    if is_check(after):
        return _FORCES
    attacked = attacked_from(after, target, occupied_squares(after)) & theirs
    while attacked:
        square = lsb(attacked)
        if worth(s, square) > worth(s, source):
            return _THREATENS
        attacked = pop_lowest(attacked)
    if is_attacked(s, source, theirs, occupied):
        return _DEFENDS
    minor = lsr((s.knights | s.bishops) & _BACK_RANKS, source) & 1
    if minor or lsr(s.pawns, source) & lsr(_CENTER, target) & 1:
        return _DEVELOPS
    return _POINTLESS


def has_a_point(s: Any, a: int) -> bool:
    """Whether a move is worth exploring at all."""
    return force(s, a) > _POINTLESS


def forces(s: Any, a: int) -> bool:
    """Whether a move is followed from an unstable position: captures, and checks at first."""
    return is_capture(s, a) or (s.ahead < _LAST_CHECK and force(s, a) == _FORCES)


select_pointed = selection(has_a_point)
select_forcing = selection(forces)


def plausible(s: Any, out: Row) -> int:
    """The moves worth exploring: all at first and when in check, then those with some point.

    If none of them has a point, all of them, so that there is something to look at.
    """
    n = 0
    if s.ahead >= _FIRST_SELECTED and not is_check(s):
        n = select_pointed(s, out)
    return n if n else generate(s, wrap(-1), out)


def forcing(s: Any, out: Row) -> int:
    """The moves that are followed beyond the depth: none from a stable position."""
    if s.ahead >= MOST or (s.ahead >= DEPTH and not is_unstable(s)):
        return 0
    if s.ahead < _LAST_CHECK and is_check(s):
        return generate(s, wrap(-1), out)
    return select_forcing(s, out)


def type_a() -> Game[Seen]:
    """The game in which type A looks ahead: every move, to the same depth."""
    return seen.view("Shannon's type A", shannon)


def type_b() -> Game[Seen]:
    """The game in which type B looks ahead: chosen moves, until the position is stable."""
    return seen.view("Shannon's type B", shannon, noisy=forcing, sufficient=plausible)
