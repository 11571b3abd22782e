"""The legal moves of a chess position, listed without making and testing them.

If a piece gives check, it must be taken, or the line from it to the king blocked, or the king must
move. A piece that alone stands between its king and a slider is pinned: it may move only along that
line, and it cannot help against a check. All other pieces move freely. En passant takes two pawns
off a rank at once, so it is tested separately.
"""

from typing import TYPE_CHECKING, Final

from threefold.games.chess.attacks import (
    BETWEEN,
    BISHOP_LINES,
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    PAWN,
    RANK_1,
    RANK_8,
    ROOK_LINES,
    bishop_attacks,
    rook_attacks,
)
from threefold.rules.bits import lowest, lsb, lsr, pop_lowest, shl, wrap
from threefold.rules.contract import MAX, Row

if TYPE_CHECKING:
    from threefold.games.chess.rules import State

KNIGHT_PROMOTION: Final = 1
BISHOP_PROMOTION: Final = 2
ROOK_PROMOTION: Final = 3
QUEEN_PROMOTION: Final = 4

_ENDS: Final = RANK_1 | RANK_8
_RANK_3: Final = RANK_1 << 16
_RANK_6: Final = RANK_1 << 40


def occupied_squares(s: "State") -> int:
    """The squares with a piece."""
    return s.pawns | s.knights | s.bishops | s.rooks | s.queens | s.kings


def own_pieces(s: "State", occupied: int) -> int:
    """The pieces of the side to move."""
    return s.white if s.turn == MAX else occupied ^ s.white


def is_attacked(s: "State", square: int, theirs: int, occupied: int) -> bool:
    """Whether any of `theirs`, pieces of the side not to move, attack a square."""
    leapers = KNIGHT[square] & s.knights | KING[square] & s.kings
    leapers |= PAWN[s.turn << 6 | square] & s.pawns
    if leapers & theirs:
        return True
    queens = s.queens
    if bishop_attacks(square, occupied) & (s.bishops | queens) & theirs:
        return True
    return rook_attacks(square, occupied) & (s.rooks | queens) & theirs != 0


def is_check(s: "State") -> bool:
    """Whether the side to move is in check."""
    occupied = occupied_squares(s)
    mine = own_pieces(s, occupied)
    return is_attacked(s, lsb(s.kings & mine), occupied ^ mine, occupied)


def snipers(s: "State", king: int, theirs: int) -> int:
    """Their sliders that would attack the king on an otherwise empty board."""
    straight = ROOK_LINES[king] & (s.rooks | s.queens)
    return (straight | BISHOP_LINES[king] & (s.bishops | s.queens)) & theirs


def checkers_and_pinned(
    s: "State", king: int, mine: int, theirs: int, occupied: int
) -> tuple[int, int]:
    """The pieces that give check, and my pinned pieces."""
    checkers = (KNIGHT[king] & s.knights | PAWN[s.turn << 6 | king] & s.pawns) & theirs
    pinned = 0
    rest = snipers(s, king, theirs)
    while rest:
        standing = BETWEEN[king << 6 | lsb(rest)] & occupied
        if standing == 0:
            checkers |= lowest(rest)
        elif pop_lowest(standing) == 0:
            pinned |= standing & mine
        rest = pop_lowest(rest)
    return checkers, pinned


def is_safe_en_passant(s: "State", source: int, target: int, theirs: int, occupied: int) -> bool:
    """Whether its king is safe after the pawn on `source` takes en passant."""
    victim = shl(1, target - 8 if s.turn == MAX else target + 8)
    left = (occupied ^ shl(1, source) ^ victim) | shl(1, target)
    return not is_attacked(s, lsb(s.kings & ~theirs), theirs ^ victim, left)


def en_passant_takers(s: "State", target: int, mine: int, occupied: int) -> int:
    """The pawns that may take en passant on a square."""
    takers = PAWN[(1 - s.turn) << 6 | target] & s.pawns & mine
    rest = takers
    while rest:
        if not is_safe_en_passant(s, lsb(rest), target, occupied ^ mine, occupied):
            takers ^= lowest(rest)
        rest = pop_lowest(rest)
    return takers


def king_steps(s: "State", king: int, goal: int, theirs: int, occupied: int) -> int:
    """The squares of `goal` next to the king where the king is safe."""
    targets = KING[king] & goal
    without_king = occupied ^ shl(1, king)
    rest = targets
    while rest:
        if is_attacked(s, lsb(rest), theirs, without_king):
            targets ^= lowest(rest)
        rest = pop_lowest(rest)
    return targets


def turned(pawns: int, by: int) -> int:
    """Pawns moved one step: a rotation, to the left if `by` is positive, else to the right."""
    return shl(pawns, by) | lsr(pawns, -by)


def write_moves(source: int, targets: int, out: Row, n: int) -> int:
    """Append the moves from a square to the `n` already listed; returns the new count."""
    while targets:
        out[n] = source | lsb(targets) << 6
        n += 1
        targets = pop_lowest(targets)
    return n


def write_pawns(targets: int, step: int, lowest_kind: int, out: Row, n: int) -> int:
    """List the moves of pawns that reach their targets by `step` squares."""
    promoting = targets & _ENDS
    targets ^= promoting
    while targets:
        target = lsb(targets)
        out[n] = target - step | target << 6
        n += 1
        targets = pop_lowest(targets)
    while promoting:
        target = lsb(promoting)
        for kind in range(QUEEN_PROMOTION, lowest_kind - 1, -1):
            out[n] = target - step | target << 6 | kind << 12
            n += 1
        promoting = pop_lowest(promoting)
    return n


def pawn_moves(
    s: "State", pawns: int, block: int, occupied: int, theirs: int, quiet: int, out: Row, n: int
) -> int:
    """List the moves of given pawns to squares of `block`, except en passant.

    Moves that neither capture nor promote to a queen must also go to squares of `quiet`.
    """
    forward, third = (8, _RANK_3) if s.turn == MAX else (-8, _RANK_6)
    kind = KNIGHT_PROMOTION if quiet else QUEEN_PROMOTION
    once = turned(pawns, forward) & ~occupied
    twice = turned(once & third, forward) & ~occupied
    n = write_pawns(twice & block & quiet, 2 * forward, kind, out, n)
    n = write_pawns(once & block & (quiet | _ENDS), forward, kind, out, n)
    taken = theirs & block
    n = write_pawns(turned(pawns & ~FILE_A, forward - 1) & taken, forward - 1, kind, out, n)
    return write_pawns(turned(pawns & ~FILE_H, forward + 1) & taken, forward + 1, kind, out, n)


def pawn_targets(pawns: int, turn: int, occupied: int, theirs: int) -> int:
    """The squares that pawns may move to, ignoring en passant and pins."""
    forward, third = (8, _RANK_3) if turn == MAX else (-8, _RANK_6)
    once = turned(pawns, forward) & ~occupied
    twice = turned(once & third, forward) & ~occupied
    taken = turned(pawns & ~FILE_A, forward - 1) | turned(pawns & ~FILE_H, forward + 1)
    return once | twice | taken & theirs


def pinned_moves(
    s: "State", king: int, pinned: int, theirs: int, occupied: int, quiet: int, out: Row, n: int
) -> int:
    """List the moves of pinned pieces along their pins."""
    rest = snipers(s, king, theirs)
    while rest:
        pinner = lsb(rest)
        between = BETWEEN[king << 6 | pinner]
        piece = between & occupied
        if piece & pinned and pop_lowest(piece) == 0:
            along = between ^ piece | lowest(rest)
            straight = ROOK_LINES[king] & piece
            sliders = s.queens | (s.rooks if straight else s.bishops)
            if piece & sliders:
                n = write_moves(lsb(piece), along & (theirs | quiet), out, n)
            elif piece & s.pawns:
                n = pawn_moves(s, piece, along, occupied, theirs, quiet, out, n)
        rest = pop_lowest(rest)
    return n


def pinned_can_move(s: "State", king: int, pinned: int, theirs: int, occupied: int) -> bool:
    """Whether any pinned piece may move along its pin."""
    rest = snipers(s, king, theirs)
    while rest:
        between = BETWEEN[king << 6 | lsb(rest)]
        piece = between & occupied
        if piece & pinned and pop_lowest(piece) == 0:
            sliders = s.queens | (s.rooks if ROOK_LINES[king] & piece else s.bishops)
            along = between ^ piece | lowest(rest)
            if piece & sliders:
                return True
            if pawn_targets(piece & s.pawns, s.turn, occupied, theirs) & along:
                return True
        rest = pop_lowest(rest)
    return False


def king_target(king: int, rook: int) -> int:
    """Where a king lands after castling: the g-file or the c-file of its rank."""
    return king & 56 | (6 if rook > king else 2)


def rook_target(king: int, rook: int) -> int:
    """Where the rook lands after castling: the f-file or the d-file."""
    return king & 56 | (5 if rook > king else 3)


def span(one: int, other: int) -> int:
    """Two squares on a rank and all squares between them."""
    return BETWEEN[one << 6 | other] | shl(1, one) | shl(1, other)


def may_castle(s: "State", king: int, rook: int, theirs: int, occupied: int) -> bool:
    """Whether king and rook may castle, if the king is not in check and neither has moved."""
    to, rook_to = king_target(king, rook), rook_target(king, rook)
    others = occupied ^ shl(1, king) ^ shl(1, rook)
    if (span(king, to) | span(rook, rook_to)) & others:
        return False
    crossed = BETWEEN[king << 6 | to]
    while crossed:
        if is_attacked(s, lsb(crossed), theirs, occupied ^ shl(1, king)):
            return False
        crossed = pop_lowest(crossed)
    return not is_attacked(s, to, theirs, others | shl(1, rook_to))


def castling_rooks(s: "State", king: int, mine: int, occupied: int) -> int:
    """The rooks that the king, which is not in check, may castle with."""
    rooks = s.castling & mine
    rest = rooks
    while rest:
        if not may_castle(s, king, lsb(rest), occupied ^ mine, occupied):
            rooks ^= lowest(rest)
        rest = pop_lowest(rest)
    return rooks


def generate(s: "State", quiet: int, out: Row) -> int:
    """List captures, promotions to a queen, and all other legal moves to squares of `quiet`.

    `quiet` is all squares or none. With none, castling and underpromotion are left out too.
    """
    occupied = occupied_squares(s)
    mine = own_pieces(s, occupied)
    theirs = occupied ^ mine
    goal = theirs | quiet & ~mine
    king = lsb(s.kings & mine)
    checkers, pinned = checkers_and_pinned(s, king, mine, theirs, occupied)
    n = write_moves(king, king_steps(s, king, goal, theirs, occupied), out, wrap(0))
    block = -1
    if checkers:
        if pop_lowest(checkers):
            return n
        block = BETWEEN[king << 6 | lsb(checkers)] | checkers

    free = mine & ~pinned
    n = pawn_moves(s, s.pawns & free, block, occupied, theirs, quiet, out, n)
    reach = goal & block
    rest = s.knights & free
    while rest:
        square = lsb(rest)
        n = write_moves(square, KNIGHT[square] & reach, out, n)
        rest = pop_lowest(rest)
    rest = (s.bishops | s.queens) & free
    while rest:
        square = lsb(rest)
        n = write_moves(square, bishop_attacks(square, occupied) & reach, out, n)
        rest = pop_lowest(rest)
    rest = (s.rooks | s.queens) & free
    while rest:
        square = lsb(rest)
        n = write_moves(square, rook_attacks(square, occupied) & reach, out, n)
        rest = pop_lowest(rest)

    if checkers == 0:
        if pinned:
            n = pinned_moves(s, king, pinned, theirs, occupied, quiet, out, n)
        if s.castling & mine and quiet:
            n = write_moves(king, castling_rooks(s, king, mine, occupied), out, n)
    if s.en_passant:
        target = lsb(s.en_passant)
        takers = en_passant_takers(s, target, mine, occupied)
        while takers:
            out[n] = lsb(takers) | target << 6
            n += 1
            takers = pop_lowest(takers)
    return n


def has_move(s: "State") -> bool:
    """Whether there is any legal move; the first pawns or pieces usually decide."""
    occupied = occupied_squares(s)
    mine = own_pieces(s, occupied)
    theirs = occupied ^ mine
    king = lsb(s.kings & mine)
    checkers, pinned = checkers_and_pinned(s, king, mine, theirs, occupied)
    block = -1
    if checkers:
        block = BETWEEN[king << 6 | lsb(checkers)] | checkers
    if pop_lowest(checkers) == 0:
        if s.en_passant:
            return True
        free = mine & ~pinned
        if pawn_targets(s.pawns & free, s.turn, occupied, theirs) & block:
            return True
        reach = ~mine & block
        rest = s.knights & free
        while rest:
            if KNIGHT[lsb(rest)] & reach:
                return True
            rest = pop_lowest(rest)
        rest = (s.bishops | s.queens) & free
        while rest:
            if bishop_attacks(lsb(rest), occupied) & reach:
                return True
            rest = pop_lowest(rest)
        rest = (s.rooks | s.queens) & free
        while rest:
            if rook_attacks(lsb(rest), occupied) & reach:
                return True
            rest = pop_lowest(rest)
    if king_steps(s, king, ~mine, theirs, occupied):
        return True
    if checkers:
        return False
    if pinned and pinned_can_move(s, king, pinned, theirs, occupied):
        return True
    return castling_rooks(s, king, mine, occupied) != 0
