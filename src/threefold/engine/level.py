"""One level of strength: how an opponent looks ahead, and how it picks its move."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.rules.contract import Action
from threefold.rules.game import Game


@dataclass(frozen=True)
class Level:
    """How strong an opponent is."""

    number: int
    #: Maximum depth in plies, and maximum time in seconds.
    depth: int | None
    time: float
    #: How often it plays a random move instead, out of a hundred.
    slips: int = 0

    def __str__(self) -> str:
        looks = (
            f"thinks {self.time:g} s" if self.depth is None else f"looks {self.depth} plies ahead"
        )
        return f"{looks}, slips {self.slips} % of the time" if self.slips else looks

    def view(self, game: Game[Any]) -> Game[Any]:
        """The game in which it looks ahead: the game itself."""
        return game

    def start(
        self, engine: Engine[Any], s: Any, seed: int, history: Sequence[Any]
    ) -> Running[Result[Any]]:
        """Start thinking about a position of the game, with an engine for its view of it."""
        limits = Limits(time=self.time, depth=self.depth)
        return engine.start(s, limits, seed=seed, history=history)

    def pick(self, s: Any, found: Result[Any], rng: random.Random) -> Action:  # noqa: ARG002
        """The move to make, given what the search found."""
        assert found.best is not None
        return found.best
