"""AlphaZero: a net that proposes moves learns from games in which a search improves on it.

A round lets all lanes play until the net has looked at some thousands of positions. What the
finished games teach goes into the replay window, and the net takes as many steps as keep up with
the new positions: each is learned from a few times. The next round plays with the new net.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final, Generic, TypeVar

import numpy as np
import torch

from threefold.engine.policy_nets import PolicyNet, Shape
from threefold.engine.policy_search import check_searchable
from threefold.learn.learner import Plan, Round
from threefold.learn.policy_model import PolicyModel, mean_loss
from threefold.learn.policy_play import Lessons, Table, Way, longest_opening, owner_words
from threefold.learn.replay import Replay
from threefold.learn.survey import moves_told_apart, survey
from threefold.rules.game import Game

S = TypeVar("S")

#: Positions that the net looks at in a round of play, for each lane.
LOOKS: Final = 32
#: How often a position is learned from, on average.
_PASSES: Final = 4


def usual_way(game: Game[Any], plan: Plan) -> Way:
    """How games of self-play are played."""
    plies = survey(game).plies
    usual = Way(plan.seed, plan.nodes, opening=longest_opening(plies), plies=plies)
    return usual if plan.exploration is None else replace(usual, exploration=plan.exploration)


class AlphaZeroLearner(Generic[S]):
    """Learns a policy and a value from self-play on this machine."""

    def __init__(self, game: Game[S], plan: Plan) -> None:
        check_searchable(game)
        self.game = game
        self.plan = plan
        self.rate = plan.rate
        self.done = 0.0
        self.shape = Shape.of(game, plan.channels, plan.blocks, moves_told_apart(game))
        owned = owner_words(game)
        self.model: PolicyModel[S] = PolicyModel(self.shape, plan.seed, plan.rate, owners=owned > 0)
        self._replay = Replay(plan.window, self.shape.words, game.facts.max_moves, owned)
        self._threads = plan.threads
        self._pool = ThreadPoolExecutor(self._threads)
        self._tables: list[Table[S]] = []
        self._games = 0
        self.way = usual_way(game, plan)
        #: Positions that are still to be learned from, as many times as they are.
        self._owed = 0.0
        self._rng = np.random.default_rng((plan.seed, 1))

    def prepare(self) -> None:
        """Compile self-play, and start the games."""
        lanes = max(self.plan.parallel // self._threads, 1)
        step = lanes * self._threads
        for i in range(self._threads):
            first = self._games + i * lanes
            table = Table(self.game, self.way, lanes, first, step)
            table.begin(spread=True)
            self._tables.append(table)
        with torch.inference_mode():
            self._tables[0].step(self.model.judge(self.net()))

    def round(self, games: int | None = None) -> Round:
        """Play on, and learn from what has ended."""
        found: list[Lessons] = []
        while not found:
            found = self._played()[:games]
        lessons = Lessons.joined(found)
        self._games += lessons.games
        self._replay.add(lessons)
        return Round(lessons.games, len(lessons), self._learn(len(lessons)))

    def _played(self) -> list[Lessons]:
        """What the games teach that end in the next looks of the net."""
        if not self._tables:
            self.prepare()
        judge = self.model.judge(self.net())
        looks = [LOOKS * table.lanes for table in self._tables]
        asked = [
            self._pool.submit(table.play, judge, count)
            for table, count in zip(self._tables, looks, strict=True)
        ]
        return [each for future in asked for each in future.result()[0]]

    def _learn(self, new: int) -> float:
        """Take as many steps as new positions call for; the mean loss.

        Without a step it is the loss on some positions, which are not learned from.
        """
        batch = self.plan.batch
        self._owed += new * _PASSES / batch
        losses = []
        torch.set_num_threads(self._threads)
        try:
            while self._owed >= 1:
                losses.append(self.model.learn(self._replay.sample(batch, self._rng), self.rate))
                self._owed -= 1
            if not losses:
                losses.append(self.model.loss(self._replay.sample(batch, self._rng)))
        finally:
            torch.set_num_threads(1)
        return mean_loss(losses)

    def net(self) -> PolicyNet[S]:
        """What was learned so far."""
        return self.model.net(self.game)

    def state(self) -> Mapping[str, Any]:
        """The model, the replay window, and how many games there were."""
        return {
            **self.model.state(),
            **self._replay.state(),
            "games": np.int64(self._games),
            "owed": np.float64(self._owed),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned: games that were under way are played anew."""
        self.model.restore(state)
        self._replay.restore(state)
        self._games, self._owed = int(state["games"]), float(state["owed"])
        self._rng = np.random.default_rng((self.plan.seed, 1, self._games))
