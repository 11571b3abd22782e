"""A game of chess as a protocol tells it: a start, and the moves since."""

import re
from collections.abc import Sequence
from typing import Final

from threefold.errors import IllegalMove
from threefold.games.chess.rules import State
from threefold.games.chess.san import parse_san
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.text import shorten

#: A move as UCI and XBoard write it; some GUIs write promotions in capitals.
_MOVE: Final = re.compile(r"[a-h][1-8][a-h][1-8][nbrqNBRQ]?|O-O(-O)?")


def is_move(text: str) -> bool:
    """Whether a text is written like a move, legal or not."""
    return _MOVE.fullmatch(text) is not None


class GameSoFar:
    """Where a game started, and what was played."""

    def __init__(self, game: Game[State], start: State | None = None) -> None:
        self.game = game
        self.positions = [game.initial() if start is None else start]
        self.moves: list[Action] = []

    @property
    def position(self) -> State:
        """The position now."""
        return self.positions[-1]

    @property
    def history(self) -> list[State]:
        """The positions before it that can come up again: none before a capture or a pawn move."""
        return self.positions[:-1][-self.position.halfmove :] if self.position.halfmove else []

    def play(self, written: str) -> Action:
        """Make the move that a text names; an `IllegalMove` changes nothing."""
        a = self.read(written)
        self.make(a)
        return a

    def make(self, a: Action) -> None:
        """Make a legal move."""
        self.moves.append(a)
        self.positions.append(self.game.result(self.position, a))

    def read(self, written: str) -> Action:
        """The legal move that a text names, also in a position that is drawn by rule."""
        if not is_move(written):
            raise IllegalMove(
                f"{shorten(written)} is not a legal move: a move is written like e2e4 or e7e8q"
            )
        try:
            return parse_san(self.position, written if "O" in written else written.lower())
        except ValueError as error:
            raise IllegalMove(str(error)) from None

    def undo(self) -> None:
        """Take the last move back."""
        self.moves.pop()
        self.positions.pop()

    def followed_by(self, written: Sequence[str]) -> "GameSoFar":
        """The game from the same start with these moves; what is known of them is not read again.

        An `IllegalMove` leaves this game as it is.
        """
        after = GameSoFar(self.game, self.positions[0])
        for known, s, text in zip(self.moves, self.positions, written, strict=False):
            if self.game.format_move(s, known) != text:
                break
            after.moves.append(known)
        after.positions = self.positions[: len(after.moves) + 1]
        for text in written[len(after.moves) :]:
            after.play(text)
        return after

    def copy(self) -> "GameSoFar":
        """The same game, not changed by what is played in this one."""
        same = GameSoFar(self.game)
        same.positions, same.moves = list(self.positions), list(self.moves)
        return same
