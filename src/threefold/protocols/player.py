"""A player: whatever is asked for a move and answers with one.

Players of our own and engines that speak a protocol are asked in the same way. The one who asks
keeps the time.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from threefold.errors import ThreefoldError
from threefold.rules.contract import Action
from threefold.rules.game import Game

S = TypeVar("S")

#: A forced win in centipawns, more than any position that is not won. XBoard adds how many moves
#: it takes.
MATE: Final = 100_000


@dataclass(frozen=True)
class Budget:
    """What a player may spend: on each move, or on a clock for the whole game."""

    #: Seconds for each move.
    time: float | None = None
    #: Seconds on the clock at the start, and again after every `moves` moves if there are any,
    base: float | None = None
    #: added after each move.
    increment: float = 0.0
    moves: int | None = None
    #: Nodes, or simulations, for each move.
    nodes: int | None = None
    #: Plies.
    depth: int | None = None


@dataclass(frozen=True)
class Turn(Generic[S]):
    """What a player is asked: the game so far, and the time that is left."""

    #: From the start to the one in which to move.
    positions: Sequence[S]
    #: The moves, and nature's events, between them.
    moves: Sequence[Action]
    #: Seconds on the clocks of MAX and MIN; None without clocks.
    clocks: tuple[float, float] | None = None
    #: How many moves until time is added to the clock; None if never.
    moves_to_go: int | None = None
    #: For whatever the player does at random.
    seed: int = 0

    @property
    def position(self) -> S:
        """The position in which to move."""
        return self.positions[-1]

    @property
    def history(self) -> Sequence[S]:
        """The positions before it."""
        return self.positions[:-1]


@dataclass(frozen=True)
class Reply:
    """A move, and what the player thought of it."""

    move: Action
    #: What it thinks the position is worth to itself, in its own units.
    value: float | None = None
    #: In how many plies it believes to win; negative if it believes to lose.
    win_in: int | None = None
    depth: int = 0
    nodes: int = 0

    @property
    def score(self) -> float | None:
        """The value, with wins and losses that it announces beyond all others."""
        if self.win_in is not None:
            return math.inf if self.win_in > 0 else -math.inf
        return self.value


class PlayerFailed(ThreefoldError):
    """A player cannot go on with its game: it crashed, hangs, or answered with nonsense."""

    def __init__(self, kind: str, message: str, output: str = "") -> None:
        super().__init__(message)
        #: `crash`, `hang`, `illegal move`, `nonsense`, or `resigned`, which is no fault.
        self.kind = kind
        #: Its last words.
        self.output = output


class Player(ABC, Generic[S]):
    """One who plays a game, move by move."""

    def __init__(self, game: Game[S], budget: Budget) -> None:
        self.game = game
        self.budget = budget
        self._is_ready = False
        #: Whether it hangs in this very process, and cannot be stopped.
        self.is_stuck = False

    @property
    def about(self) -> dict[str, object]:
        """Who this is, for the record: name, version, settings. Known once it is prepared."""
        return {}

    @property
    def output(self) -> str:
        """The end of the conversation with an outside program; empty for players of our own."""
        return ""

    def get_ready(self) -> None:
        """Prepare for the first game; nothing more for those after it."""
        if not self._is_ready:
            self.prepare()
            self._is_ready = True

    def prepare(self) -> None:
        """Compile, or start a program. No clock runs meanwhile."""

    def begin(self, start: S, seed: int) -> None:
        """A new game: forget the last one, so that a game never depends on those before it."""

    @abstractmethod
    def choose(self, turn: Turn[S]) -> Reply:
        """A move; `PlayerFailed` if there is none."""

    def close(self) -> None:
        """Stop whatever is running; the player may be prepared again."""
