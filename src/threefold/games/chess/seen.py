"""Chess as a player with its own way of looking ahead sees it.

Such a player follows some moves further than others. Which ones may depend on how a position came
about: a recapture depends on the move before, and selecting moves more strictly as one looks
further ahead depends on how far that is. So a position as it is seen remembers both. Its rules are
those of chess; only the look ahead differs.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from threefold.games.chess.attacks import (
    BETWEEN,
    KING,
    KNIGHT,
    PAWN,
    RANK_1,
    RANK_8,
    bishop_attacks,
    rook_attacks,
)
from threefold.games.chess.moves import (
    KNIGHT_PROMOTION,
    QUEEN_PROMOTION,
    castling_rooks,
    checkers_and_pinned,
    en_passant_takers,
    has_move,
    is_check,
    king_steps,
    occupied_squares,
    own_pieces,
    pawn_targets,
    snipers,
)
from threefold.games.chess.notation import notation
from threefold.games.chess.rules import (
    MAX_MOVES,
    MAX_PLY,
    MOVE_RANGE,
    State,
    actions,
    drawn,
    initial,
    is_terminal,
    order,
    utility,
)
from threefold.games.chess.rules import key as chess_key
from threefold.games.chess.rules import result as move
from threefold.rules.bits import add, lowest, lsb, lsr, mix, pop_lowest, popcount, shl, wrap
from threefold.rules.contract import Row
from threefold.rules.game import Game

#: Where the last move captured, if it did not.
NO_CAPTURE: Final = 64


class Seen(NamedTuple):
    """A chess position, the square where the last move captured, and how far ahead it is."""

    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    white: int
    castling: int
    en_passant: int
    halfmove: int
    fullmove: int
    turn: int
    captured: int = NO_CAPTURE
    ahead: int = 0  # plies from the position on the board


def seen(s: State) -> Seen:
    """A position on the board, from where a player looks ahead."""
    return Seen(*s)


def start() -> Seen:
    """The starting position."""
    return seen(initial())


def result(s: Any, a: int) -> Seen:
    """The position after a move."""
    after = move(s, a)
    taken = popcount(occupied_squares(after)) < popcount(occupied_squares(s))
    return Seen(
        after.pawns,
        after.knights,
        after.bishops,
        after.rooks,
        after.queens,
        after.kings,
        after.white,
        after.castling,
        after.en_passant,
        after.halfmove,
        after.fullmove,
        after.turn,
        a >> 6 & 63 if taken else NO_CAPTURE,
        s.ahead + 1,
    )


def key(s: Any) -> int:
    """The position, and what else decides which moves are followed."""
    return add(chess_key(s), mix(s.captured << 8 | s.ahead))


def is_mate(s: Any) -> bool:
    """Whether the side to move is checkmated."""
    return is_check(s) and not has_move(s)


# Choosing among the legal moves.


def selection(is_chosen: Callable[[Any, int], bool]) -> Callable[[Any, Row], int]:
    """A hook that lists the legal moves that are chosen."""

    def select(s: Any, out: Row) -> int:
        occupied = occupied_squares(s)
        mine = own_pieces(s, occupied)
        n = wrap(0)
        pieces = mine
        while pieces:
            source = lsb(pieces)
            targets = legal_targets(s, source, mine, occupied)
            while targets:
                first = last = 0
                if lsr(s.pawns, source) & 1 and lowest(targets) & (RANK_1 | RANK_8):
                    first, last = KNIGHT_PROMOTION, QUEEN_PROMOTION
                for promotion in range(last, first - 1, -1):
                    a = source | lsb(targets) << 6 | promotion << 12
                    if is_chosen(s, a):
                        out[n] = a
                        n += 1
                targets = pop_lowest(targets)
            pieces = pop_lowest(pieces)
        return n

    return select


def legal_targets(s: Any, square: int, mine: int, occupied: int) -> int:
    """The squares that the piece on a square may move to; a rook's own to castle with it."""
    theirs = occupied ^ mine
    king = lsb(s.kings & mine)
    checkers, pinned = checkers_and_pinned(s, king, mine, theirs, occupied)
    if square == king:
        steps = king_steps(s, king, ~mine, theirs, occupied)
        return steps if checkers else steps | castling_rooks(s, king, mine, occupied)
    piece = shl(1, square)
    free = ~mine
    if checkers:
        if pop_lowest(checkers):
            return 0
        free &= BETWEEN[king << 6 | lsb(checkers)] | checkers
    if piece & pinned:
        rest = snipers(s, king, theirs)
        while BETWEEN[king << 6 | lsb(rest)] & occupied != piece:
            rest = pop_lowest(rest)
        free &= BETWEEN[king << 6 | lsb(rest)] | lowest(rest)
    if piece & s.pawns:
        targets = pawn_targets(piece, s.turn, occupied, theirs) & free
        if s.en_passant and en_passant_takers(s, lsb(s.en_passant), mine, occupied) & piece:
            targets |= s.en_passant
        return targets
    return attacked_from(s, square, occupied) & free


def attacked_from(s: Any, square: int, occupied: int) -> int:
    """The squares that the piece on a square attacks."""
    if lsr(s.knights, square) & 1:
        return KNIGHT[square]
    if lsr(s.kings, square) & 1:
        return KING[square]
    if lsr(s.pawns, square) & 1:
        return PAWN[square] if lsr(s.white, square) & 1 else PAWN[64 | square]
    if lsr(s.bishops, square) & 1:
        return bishop_attacks(square, occupied)
    straight = rook_attacks(square, occupied)
    return straight if lsr(s.rooks, square) & 1 else straight | bishop_attacks(square, occupied)


def view(
    name: str,
    evaluate: Callable[[Any], int],
    *,
    noisy: Callable[[Any, Any], int] | None = None,
    sufficient: Callable[[Any, Any], int] | None = None,
) -> Game[Seen]:
    """The game in which a player looks ahead: `noisy` and `sufficient` say what it follows.

    None of the early programs knew draws by repetition, so it does not either.
    """
    text = notation(chess960=False)
    rules: dict[str, Any] = {
        "initial": start,
        "actions": actions,
        "result": result,
        "utility": utility,
        "is_terminal": is_terminal,
        "drawn": drawn,
        "order": order,
        "key": key,
        "clocks": ("halfmove", "fullmove"),
        "max_moves": MAX_MOVES,
        "max_ply": MAX_PLY,
        "move_range": MOVE_RANGE,
        "format_move": text["format_move"],
        "render": text["render"],
    }
    return Game(
        f"Chess as {name} sees it",
        **rules,
        evaluate=evaluate,
        noisy=noisy,
        sufficient=sufficient,
    )
