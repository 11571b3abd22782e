"""Chess as a player with its own way of looking ahead sees it.

Such a player follows some moves further than others. Which ones may depend on how a position came
about: a recapture depends on the move before, and selecting moves more strictly as one looks
further ahead depends on how far that is. So a position as it is seen remembers both. Its rules are
those of chess; only the look ahead differs.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from threefold.games.chess.moves import has_move, is_check, occupied_squares
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
from threefold.rules.bits import add, mix, popcount
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
        "parse": lambda given: seen(text["parse"](given)),
        "format": text["format"],
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
