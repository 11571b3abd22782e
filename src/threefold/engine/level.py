"""An opponent's strength: how it looks ahead, and how it picks its move."""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.rules.contract import Action
from threefold.rules.game import Game


@dataclass(frozen=True, kw_only=True)
class Level(ABC):
    """How an opponent plays."""

    #: Maximum depth in plies.
    depth: int | None
    #: How often it plays a random move instead, out of a hundred.
    slips: int = 0

    @abstractmethod
    def view(self, game: Game[Any]) -> Game[Any]:
        """The game in which it looks ahead."""

    @abstractmethod
    def start(
        self, engine: Engine[Any], s: Any, seed: int, history: Sequence[Any]
    ) -> Running[Result[Any]]:
        """Start thinking about a position of the game, with an engine for its view of it."""

    def pick(self, s: Any, found: Result[Any], rng: random.Random) -> Action:  # noqa: ARG002
        """The move to make, given what the search found."""
        assert found.best is not None
        return found.best


@dataclass(frozen=True)
class Strength(Level):
    """A level by number: how far and how long it looks ahead, and how often it slips."""

    number: int
    #: Maximum time in seconds.
    time: float

    def __str__(self) -> str:
        looks = (
            f"thinks {self.time:g} s" if self.depth is None else f"looks {self.depth} plies ahead"
        )
        return f"{looks}, slips {self.slips} % of the time" if self.slips else looks

    def view(self, game: Game[Any]) -> Game[Any]:
        """The game itself."""
        return game

    def start(
        self, engine: Engine[Any], s: Any, seed: int, history: Sequence[Any]
    ) -> Running[Result[Any]]:
        """Start thinking, within its depth and its time."""
        limits = Limits(time=self.time, depth=self.depth)
        return engine.start(s, limits, seed=seed, history=history)
