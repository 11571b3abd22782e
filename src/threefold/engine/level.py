"""An opponent's strength: how it looks ahead, and how it picks its move."""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from threefold.engine.limits import Limits
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.engine.searchers import GameSearcher, free_lines
from threefold.engine.worlds import SIMULATIONS_A_DEAL
from threefold.rules.contract import Action
from threefold.rules.definition_checks import ALPHA_BETA, INFORMATION_SETS, TREE_SEARCH, WORLDS
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
        self, engine: GameSearcher[Any], s: Any, seed: int, history: Sequence[Any]
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
    #: Maximum of simulations, where tree search plays.
    simulations: int | None = None

    def __str__(self) -> str:
        return self.described(ALPHA_BETA)

    def described(self, search: str) -> str:
        """How it plays games that are searched in one way or the other."""
        if search in (TREE_SEARCH, INFORMATION_SETS) and self.simulations is not None:
            looks = f"makes {self.simulations:,} simulations per move"
        elif search == WORLDS and self.simulations is not None:
            deals = self.simulations // SIMULATIONS_A_DEAL
            looks = f"judges {deals} deal{'s' if deals > 1 else ''} per move"
        elif search == ALPHA_BETA and self.depth is not None:
            looks = f"looks {self.depth} plies ahead"
        else:
            looks = f"thinks {self.time:g} s"
        return f"{looks}, slips {self.slips} % of the time" if self.slips else looks

    def view(self, game: Game[Any]) -> Game[Any]:
        """The game itself."""
        return game

    def start(
        self, engine: GameSearcher[Any], s: Any, seed: int, history: Sequence[Any]
    ) -> Running[Result[Any]]:
        """Start thinking, within its depth or its simulations, and its time."""
        limits = Limits(time=self.time, depth=self.depth)
        if not engine.deepens:
            nodes = self.simulations and self.simulations // engine.simulations_a_node
            limits = Limits(time=self.time, nodes=nodes)
        lines = free_lines(engine)
        return engine.start(s, limits, multipv=lines, seed=seed, history=history)
