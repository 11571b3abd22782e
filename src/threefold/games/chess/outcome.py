"""How a game of chess has ended, if it has, and why.

Repetition depends on the positions before, so the whole game is looked at. Where a draw must be
claimed, the player to move may do so with the move that is about to be made, too: it need only
bring the position or complete the fifty moves.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from threefold.games.chess.moves import has_move, is_check
from threefold.games.chess.rules import (
    FIFTY_MOVES,
    MAX_MOVES,
    SEVENTY_FIVE_MOVES,
    State,
    actions,
    is_insufficient,
    result,
)
from threefold.rules.contract import Player

_BY_COUNTER = ("fifty moves", "seventy-five moves")


class Outcome(NamedTuple):
    """Why a game is over, and who has won it: 0 white, 1 black, None nobody."""

    reason: str
    winner: Player | None = None


def outcome(history: Sequence[State], claim: bool = False) -> Outcome | None:
    """How the game with these positions, the latest last, has ended; None if it has not.

    With `claim` a draw that may be claimed is one.
    """
    s = history[-1]
    if is_insufficient(s):
        return Outcome("insufficient material")
    if not has_move(s):
        return Outcome("checkmate", 1 - s.turn) if is_check(s) else Outcome("stalemate")
    if s.halfmove >= SEVENTY_FIVE_MOVES:
        return Outcome("seventy-five moves")
    stood = [position(before) for before in history]
    if stood.count(stood[-1]) >= 5:
        return Outcome("fivefold repetition")
    if claim:
        if s.halfmove >= FIFTY_MOVES or any(completes_fifty_moves(t) for t in following(s)):
            return Outcome("fifty moves")
        if stood.count(stood[-1]) >= 3 or any(stood.count(position(t)) >= 2 for t in following(s)):
            return Outcome("threefold repetition")
    return None


def ending(s: State) -> str:
    """Why the game is over in a position where it is, whatever came before."""
    ended = outcome([s], claim=True)
    reason = ended.reason if ended else ""
    return f"{reason} without a capture or a pawn move" if reason in _BY_COUNTER else reason


def position(s: State) -> State:
    """What must be the same for a position to be the same: all but the counters."""
    return s._replace(halfmove=0, fullmove=1)


def following(s: State) -> Iterator[State]:
    """The positions a move away."""
    moves = [0] * MAX_MOVES
    n = actions(s, moves)
    return (result(s, a) for a in moves[:n])


def completes_fifty_moves(s: State) -> bool:
    """Whether the latest move was the hundredth without a capture or pawn move, and no mate."""
    return s.halfmove >= FIFTY_MOVES and has_move(s)
