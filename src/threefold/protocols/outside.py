"""What all engines that speak a protocol have in common, as players."""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, TypeVar

from threefold.errors import IllegalMove, ThreefoldError
from threefold.protocols.player import MATE, Budget, Player, PlayerFailed, Reply, Turn
from threefold.protocols.process import Program
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean, shorten

S = TypeVar("S")

#: How much is read of a line in which an engine declares what it has, in characters.
LONGEST_DECLARATION: Final = 4096


class OutsidePlayer(Player[S]):
    """An engine in a process of its own.

    Every request has a limit on its time. Whatever goes wrong is a `PlayerFailed` with the end of
    the conversation; what the user could mend is a plain `ThreefoldError` from `prepare`.
    """

    #: The protocol's name.
    PROTOCOL: ClassVar[str]
    #: Seconds to the first answer,
    FIRST_ANSWER: ClassVar[float] = 30.0
    #: and to get ready or answer whatever else takes no thinking.
    STARTING: ClassVar[float] = 60.0
    #: Seconds for a move where the budget sets no time.
    LONGEST: ClassVar[float] = 600.0
    #: Seconds past its time after which an engine hangs.
    MARGIN: ClassVar[float] = 5.0

    def __init__(
        self,
        game: Game[S],
        budget: Budget,
        command: str,
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(game, budget)
        self.command = command
        self.options = dict(options or {})
        #: What it says about itself: name, author, version.
        self._said: dict[str, str] = {}
        self._program: Program | None = None
        #: The moves of the game that it knows, and their texts.
        self._moves: list[Action] = []
        self._texts: list[str] = []

    @property
    def about(self) -> dict[str, object]:
        """What the engine says about itself, and how it was set up."""
        return {
            **self._said,
            "protocol": self.PROTOCOL,
            "command": self.command,
            "options": dict(self.options),
        }

    @property
    def output(self) -> str:
        """The end of the conversation with the program that runs."""
        return "" if self._program is None else self._program.output

    def prepare(self) -> None:
        """Start the program and agree on how to speak."""
        self.close()
        self._program = Program(self.command)
        try:
            self._introduce()
        except PlayerFailed as failure:
            self.close()
            hint = f"; does {self.command} speak {self.PROTOCOL}?"
            raise PlayerFailed(failure.kind, f"{failure}{hint}", failure.output) from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the program."""
        program, self._program = self._program, None
        self._forget()
        if program is not None:
            program.close("quit")

    @abstractmethod
    def _introduce(self) -> None:
        """The first words, and the options."""

    @property
    def _running(self) -> Program:
        if self._program is None:
            raise ThreefoldError(f"{self.command} is not running; prepare it first")
        return self._program

    def _forget(self) -> None:
        """Know of no moves."""
        self._moves, self._texts = [], []

    def _learn(self, turn: Turn[S]) -> list[str] | None:
        """The texts of the moves that the engine does not know; None if it knows others."""
        known = len(self._moves)
        if list(turn.moves[:known]) != self._moves:
            return None
        for s, a in zip(turn.positions[known:], turn.moves[known:], strict=False):
            self._know(s, a)
        return self._texts[known:]

    def _know(self, s: S, a: Action) -> None:
        """Note a move that the engine knows from now on, its own for example."""
        self._moves.append(a)
        self._texts.append(self._write(s, a))

    def _write(self, s: S, a: Action) -> str:
        """A move as the engine reads it."""
        return self.game.format_move(s, a)

    def _read_move(self, turn: Turn[S], given: str) -> Action:
        """The move that the engine names."""
        try:
            return self.game.parse_move(turn.position, given, turn.history)
        except IllegalMove:
            raise self._running.failed(
                "illegal move", f"played {shorten(given)}, which is not legal"
            ) from None

    def _patience(self, turn: Turn[S]) -> float:
        """Seconds that a move may take."""
        if self.budget.time is not None:
            return self.budget.time
        if turn.clocks is not None:
            return max(turn.clocks[self.game.player(turn.position)], 0.0)
        return self.LONGEST

    def _hangs(self, request: str) -> PlayerFailed:
        return self._running.failed("hang", f"does not answer {request}")

    def _refuse(self, why: str) -> ThreefoldError:
        return ThreefoldError(f"{self.command}: {why}")

    def _no_option(self, name: str, known: Sequence[str]) -> ThreefoldError:
        return self._refuse(f"it has no option {shorten(name)}; {did_you_mean(name, known)}")


def seconds_from_now(seconds: float) -> float:
    """A limit for `Program.read`."""
    return time.monotonic() + seconds


def reply(
    move: Action,
    *,
    centipawns: float | None = None,
    mate_in: int | None = None,
    depth: int = 0,
    nodes: int = 0,
) -> Reply:
    """A move with its score: in centipawns, or in how many moves, negative to be mated.

    Mate in 2 moves is won in 3 plies; to be mated in 2 is lost in 4.
    """
    if mate_in is None:
        return Reply(move, centipawns, None, depth, nodes)
    plies = 2 * mate_in - 1 if mate_in > 0 else 2 * mate_in
    return Reply(move, float(MATE if mate_in > 0 else -MATE), plies, depth, nodes)
