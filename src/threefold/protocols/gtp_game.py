"""A game as GTP tells it: moves of either color, and taking them back.

A player who may pass may be left out: whoever plays out of turn has the other pass first. Where
passing is a choice, as in Go, such a pass does not count towards the end of the game. And a game
that passes have ended goes on from its board, for a referee who lets the players settle what is
dead.
"""

from collections.abc import Sequence
from typing import Any

from threefold.errors import ThreefoldError
from threefold.protocols.points import COLOR_NAMES, find_move, is_pass, vertex_of
from threefold.rules.contract import Action, Player
from threefold.rules.game import Game
from threefold.rules.outcome import Outcome
from threefold.rules.reading import FORBIDDEN_BY_SUPERKO


class Refused(Exception):
    """A command is not obeyed; the message is the answer."""


class GtpGame:
    """The positions of a game, and the moves between them."""

    def __init__(self, game: Game[Any], positions: Sequence[Any] = ()) -> None:
        self.game = game
        self.positions: list[Any] = list(positions) or [game.initial()]
        #: How many positions and moves there were before each command that added some.
        self._before: list[tuple[int, int]] = []
        #: Who made which move.
        self.moves: list[tuple[Player, Action]] = []
        #: Which position was set up, or is the usual start.
        self._start = 0

    @property
    def here(self) -> Any:
        """The position now."""
        return self.positions[-1]

    @property
    def start(self) -> Any:
        """The position before the first move."""
        return self.positions[self._start]

    @property
    def turn(self) -> Player:
        """Whose turn it is."""
        return self.game.player(self.here)

    @property
    def is_new(self) -> bool:
        """Whether nothing has happened yet."""
        return len(self.positions) == 1

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended; None if it has not."""
        return self.game.outcome(self.positions)

    def legal(self) -> list[Action]:
        """The moves of the player to move; none once the game is over."""
        return [] if self.outcome else self.game.moves(self.here, self.positions[:-1])

    def text(self, a: Action) -> str:
        """The vertex of a move."""
        return vertex_of(self.game, self.here, a)

    def seen_by(self, player: Player) -> list[Any]:
        """The positions of the game, up to one in which it is a player's turn."""
        return [*self.positions, *self._turned_to(player)]

    def _turned_to(self, player: Player) -> list[Any]:
        """The positions to add so that it is a player's turn."""
        legal = self.legal()
        if legal and self.turn == player:
            return []
        passes = [a for a in legal if is_pass(self.game, self.here, a)]
        if passes and len(legal) == 1:
            return [self.game.result(self.here, passes[0])]
        if passes or not legal:
            try:
                turned = self.game.put(self.here, "turn", str(player))
            except ThreefoldError:
                turned = self.here
            if self.game.player(turned) == player and not self.game.outcome([turned]):
                return [turned]
        if not legal:
            raise Refused("illegal move: the game is over")
        raise Refused(f"illegal move: it is {COLOR_NAMES[self.turn]}'s turn")

    def find(self, player: Player, vertex: str) -> Action:
        """The move of a player that a vertex names."""
        positions = self.seen_by(player)
        a = find_move(self.game, positions, vertex)
        if a is not None:
            return a
        if find_move(self.game, positions[-1:], vertex) is not None:
            raise Refused(f"illegal move: it {FORBIDDEN_BY_SUPERKO}")
        raise Refused("illegal move")

    def add(self, player: Player, a: Action) -> str:
        """Make a legal move of a player; its vertex."""
        self._remember()
        self.positions += self._turned_to(player)
        text = self.text(a)
        self.positions.append(self.game.result(self.here, a))
        self.moves.append((player, a))
        return text

    def pass_after_the_end(self) -> None:
        """A pass that changes nothing, but can be taken back."""
        self._remember()

    def set_up(self, s: Any) -> None:
        """Start from another position instead; that can be taken back."""
        self._remember()
        self._start = len(self.positions)
        self.positions.append(s)

    def undo(self) -> None:
        """Take back what the last command added."""
        if not self._before:
            raise Refused("cannot undo")
        positions, moves = self._before.pop()
        del self.positions[positions:]
        if self._start >= positions:
            self._start = 0
        del self.moves[moves:]

    def _remember(self) -> None:
        self._before.append((len(self.positions), len(self.moves)))
