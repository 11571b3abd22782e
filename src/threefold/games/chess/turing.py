"""Chess as Alan Turing's paper machine of 1948–1953 sees it.

A. M. Turing, "Digital computers applied to games", in B. V. Bowden (ed.), *Faster Than Thought*,
Pitman 1953, chapter 25. The rules were worked out with David Champernowne, who gave the program
half of its name: Turochamp. No computer ever ran it; Turing worked out its moves with pencil and
paper.

The machine looks at every move and every reply. From there on it follows only *considerable* moves,
until the position is *dead*: it has none. A dead position is worth White's material divided by
Black's. Of the moves with the best value, the machine makes the one with the best *position-play
value*, which needs no look ahead.
"""

from math import isqrt
from typing import Any, Final

from threefold.games.chess import seen
from threefold.games.chess.attacks import KING, KNIGHT, PAWN, bishop_attacks, rook_attacks
from threefold.games.chess.moves import (
    generate,
    is_attacked,
    is_check,
    occupied_squares,
    own_pieces,
)
from threefold.games.chess.rules import MAX_MOVES, State
from threefold.games.chess.rules import result as move
from threefold.games.chess.seen import Seen, is_mate, result, selection
from threefold.rules.bits import lsb, lsr, pop_lowest, popcount, shl
from threefold.rules.contract import MAX, Action
from threefold.rules.game import Game

#: What pieces are worth, in half pawns: a pawn 1, a knight 3, a bishop 3½, a rook 5, a queen 10.
_PAWN: Final = 2
_KNIGHT: Final = 6
_BISHOP: Final = 7
_ROOK: Final = 10
_QUEEN: Final = 20
#: More than any piece: no capture by a king is one of a piece of higher value.
_KING: Final = 1000
#: So fine that no two ratios of material are the same number.
RATIO: Final = 1 << 21

#: How many plies the machine looks ahead at all moves: its own, and the reply.
DEPTH: Final = 2

# Position-play points, in tenths.
_DEFENDED: Final = 10
_TWICE_DEFENDED: Final = 15
_MAY_CASTLE: Final = 10
_MAY_CASTLE_NEXT: Final = 20
_CASTLED: Final = 30
_RANK_ADVANCED: Final = 2
_PAWN_DEFENDED: Final = 3
_THREAT_OF_MATE: Final = 10
_CHECK: Final = 5


# Looking ahead.


def is_considerable(s: Any, a: int) -> bool:
    """Whether a legal move is worth following: some captures, and mates.

    A recapture; the capture of an undefended piece, or of one of higher value than the capturer.
    """
    source, target = a & 63, a >> 6 & 63
    occupied = occupied_squares(s)
    theirs = occupied ^ own_pieces(s, occupied)
    en_passant = lsr(s.en_passant, target) & lsr(s.pawns, source) & 1
    if lsr(theirs, target) & 1 or en_passant:
        if target == s.captured:
            return True
        if en_passant == 0 and worth(s, target) > worth(s, source):
            return True
        if not is_attacked(s, target, theirs, occupied ^ shl(1, source)):
            return True
    return is_mate(result(s, a))


#: The considerable moves of a position.
considerable = selection(is_considerable)


def worth(s: Any, square: int) -> int:
    """What the piece on a square is worth, in half pawns."""
    value = (lsr(s.pawns, square) & 1) * _PAWN + (lsr(s.knights, square) & 1) * _KNIGHT
    value += (lsr(s.bishops, square) & 1) * _BISHOP + (lsr(s.rooks, square) & 1) * _ROOK
    return value + (lsr(s.queens, square) & 1) * _QUEEN + (lsr(s.kings, square) & 1) * _KING


def material(s: Any, side: int) -> int:
    """What a side's pieces are worth together, in half pawns."""
    value = _PAWN * popcount(s.pawns & side) + _KNIGHT * popcount(s.knights & side)
    value += _BISHOP * popcount(s.bishops & side) + _ROOK * popcount(s.rooks & side)
    return value + _QUEEN * popcount(s.queens & side)


def material_ratio(s: Any) -> int:
    """White's material W and Black's B, compared by their ratio.

    Turing's W/B has no value if Black has only a king. (W − B)/(W + B) has the same order, and its
    sign changes with the colors.
    """
    occupied = occupied_squares(s)
    white, black = material(s, s.white), material(s, occupied ^ s.white)
    if white + black == 0:
        return 0
    share = RATIO * abs(white - black) // (white + black)
    return share if white > black else -share


def view() -> Game[Seen]:
    """The game in which the machine looks ahead."""
    return seen.view("Turing's paper machine", material_ratio, noisy=considerable)


# Position play: what decides between moves of equal value.


def position_play(s: State, a: Action) -> int:
    """The position-play value of a move for the side that makes it, in tenths of a point.

    It is the sum of the points of its own pieces, and of the other side's king, after the move.
    """
    after = move(s, a)
    occupied = occupied_squares(after)
    mine = occupied & ~own_pieces(after, occupied)
    theirs = occupied ^ mine
    again = after._replace(turn=s.turn, en_passant=0)  # as if it were to move again
    moves = _legal(again)
    points = 0
    for square in _squares(mine & ~after.pawns):
        # (i), (iii) Mobility, without castling and without taking the king.
        targets = [shl(1, b >> 6 & 63) for b in moves if b & 63 == square]
        reached = [goal for goal in targets if not goal & (mine | after.kings & theirs)]
        points += _root(len(reached) + sum(goal & theirs != 0 for goal in reached))
        # (ii) Safety.
        if shl(1, square) & (after.rooks | after.bishops | after.knights):
            guards = popcount(_guards(after, square, mine))
            points += _TWICE_DEFENDED if guards > 1 else _DEFENDED if guards else 0
    # (iv) The vulnerability of the king: how far a queen would see from its square.
    king = lsb(after.kings & mine)
    lines = (bishop_attacks(king, occupied) | rook_attacks(king, occupied)) & ~mine
    points -= _root(popcount(lines) + popcount(lines & theirs))
    # (v) Castling.
    if shl(1, a >> 6 & 63) & own_pieces(s, occupied_squares(s)):
        points += _CASTLED
    elif any(shl(1, b >> 6 & 63) & mine for b in moves):
        points += _MAY_CASTLE_NEXT
    elif after.castling & mine:
        points += _MAY_CASTLE
    # (vi), (vii) Pawns.
    for square in _squares(mine & after.pawns):
        rank = square >> 3 if s.turn == MAX else 7 - (square >> 3)
        points += _RANK_ADVANCED * (rank - 1)
        points += _PAWN_DEFENDED if _guards(after, square, mine) & ~after.pawns else 0
    # (viii), (ix) The other king.
    if is_check(after):
        points += _CHECK
    elif any(is_mate(move(again, b)) for b in moves):
        points += _THREAT_OF_MATE
    return points


def _legal(s: State) -> list[Action]:
    row = [0] * MAX_MOVES
    return row[: generate(s, -1, row)]


def _squares(pieces: int) -> list[int]:
    found = []
    while pieces:
        found.append(lsb(pieces))
        pieces = pop_lowest(pieces)
    return found


def _guards(s: State, square: int, mine: int) -> int:
    """The pieces of a side, the one not to move, that protect a square."""
    occupied = occupied_squares(s)
    guards = KNIGHT[square] & s.knights | KING[square] & s.kings
    guards |= PAWN[s.turn << 6 | square] & s.pawns
    guards |= bishop_attacks(square, occupied) & (s.bishops | s.queens)
    guards |= rook_attacks(square, occupied) & (s.rooks | s.queens)
    return guards & mine


def _root(moves: int) -> int:
    """The square root in tenths, rounded as Turing did."""
    return (isqrt(400 * moves) + 1) // 2
