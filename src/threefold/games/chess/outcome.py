"""Whether a game of chess is over, how it ended and why.

Repetition depends on earlier positions, so the whole game is examined. A draw that must be claimed
can also be claimed with the move about to be made, if that move repeats the position or completes
the fifty moves.
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
    """Why a game is over, and the winner: 0 white, 1 black, None for a draw."""

    reason: str
    winner: Player | None = None


def outcome(history: Sequence[State], claim: bool = False) -> Outcome | None:
    """How the game with these positions, latest last, has ended; None if it has not.

    With `claim`, a draw that may be claimed counts as a draw.
    """
    s = history[-1]
    if is_insufficient(s):
        return Outcome("insufficient material")
    if not has_move(s):
        return Outcome("checkmate", 1 - s.turn) if is_check(s) else Outcome("stalemate")
    if s.halfmove >= SEVENTY_FIVE_MOVES:
        return Outcome("seventy-five moves")
    seen = [position(before) for before in history]
    if seen.count(seen[-1]) >= 5:
        return Outcome("fivefold repetition")
    if claim:
        if s.halfmove >= FIFTY_MOVES or any(completes_fifty_moves(t) for t in following(s)):
            return Outcome("fifty moves")
        if seen.count(seen[-1]) >= 3 or any(seen.count(position(t)) >= 2 for t in following(s)):
            return Outcome("threefold repetition")
    return None


def ending(s: State) -> str:
    """Why the game is over in a finished position, regardless of what came before."""
    ended = outcome([s], claim=True)
    reason = ended.reason if ended else ""
    return f"{reason} without a capture or a pawn move" if reason in _BY_COUNTER else reason


def position(s: State) -> State:
    """The part that two equal positions have in common: everything except the counters."""
    return s._replace(halfmove=0, fullmove=1)


def following(s: State) -> Iterator[State]:
    """The positions after each legal move."""
    moves = [0] * MAX_MOVES
    n = actions(s, moves)
    return (result(s, a) for a in moves[:n])


def completes_fifty_moves(s: State) -> bool:
    """Whether the last ply was the hundredth without a capture or pawn move, and not mate."""
    return s.halfmove >= FIFTY_MOVES and has_move(s)
