"""Temporal differences on the CPU: play, learn from it, play better."""

from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

import numpy as np
import torch

from threefold.engine.nets import Net, feature_words
from threefold.learn.learner import Experience, Plan, Round
from threefold.learn.model import Model
from threefold.learn.self_play import SelfPlay
from threefold.learn.survey import survey
from threefold.rules.contract import MAX
from threefold.rules.game import Game

S = TypeVar("S")

#: About how many positions a round learns from.
_POSITIONS: Final = 1 << 14
#: The same where targets are means over every roll, which take longer to find; and how often each
#: of those is learned from.
_MEANS: Final = 1 << 12
_PASSES: Final = 3
#: Plies at the beginning of a game that may be random, where there are no dice.
OPENING_PLIES: Final = 8


class TdLearner(Generic[S]):
    """Learns from self-play on the CPU."""

    def __init__(self, game: Game[S], plan: Plan) -> None:
        self.game = game
        self.plan = plan
        #: The step size of the next round, which the training run lowers.
        self.rate = plan.rate
        self.done = 0.0
        words = len(feature_words(game, game.initial(), MAX))
        found = survey(game, plan.outputs, plan.hidden[-1])
        self.model: Model[S] = Model(words, found.results, plan, active=found.active)
        self._play = SelfPlay(game, plan.threads)
        self._games = 0
        self._plies = max(found.plies, 1)

    def prepare(self) -> None:
        """Compile self-play."""
        self._play.play(self.net(), 1, self.plan.seed)

    @property
    def every_roll(self) -> bool:
        """Whether targets are means over every roll."""
        return self.plan.looks_at_every_roll(self.game, self.done)

    @property
    def _size(self) -> int:
        """The games of a round."""
        return max(round((_MEANS if self.every_roll else _POSITIONS) / self._plies), 8)

    def round(self, games: int | None = None) -> Round:
        """Play some games with the net as it is, and learn from them."""
        count = self._size if games is None else min(self._size, games)
        experience = self._play.play(
            self.net(), count, self.plan.seed, first=self._games, **self._way()
        )
        return self._learn(experience)

    def _way(self) -> dict[str, Any]:
        """How games are played: options of `SelfPlay.play`."""
        return {
            "trace": self.plan.trace,
            "exploration": self.plan.explores(self.game, self.done),
            "openings": OPENING_PLIES if self.game.facts.deterministic else 0,
            "every_roll": self.every_roll,
        }

    def _learn(self, experience: Experience) -> Round:
        order = torch.Generator().manual_seed(self.plan.seed + self._games)
        losses = [
            self.model.learn(experience, self.rate, order)
            for _ in range(_PASSES if self.every_roll else 1)
        ]
        self._games += experience.games
        return Round(experience.games, len(experience.words), losses[0])

    def net(self) -> Net[S]:
        """What was learned so far."""
        return self.model.rounded(self.game)

    def state(self) -> Mapping[str, Any]:
        """The model, and how many games it has seen."""
        return {**self.model.state(), "games": np.int64(self._games)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.model.restore(state)
        self._games = int(state["games"])
