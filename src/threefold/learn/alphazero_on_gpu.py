"""AlphaZero on a GPU: rules, trees, net and what is learned from all stay on the card.

Thousands of games are played at a time, each simulation a step of all. Between two rounds of play
the net learns from the latest positions, as on the CPU (`threefold.learn.alphazero`).
"""

from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.policy_nets import PolicyNet, Shape
from threefold.engine.policy_search import check_searchable
from threefold.gpu.driver import SIMULATED
from threefold.gpu.kernels import Kernels
from threefold.learn.alphazero import usual_way
from threefold.learn.device_replay import DeviceReplay
from threefold.learn.device_table import DeviceTable
from threefold.learn.lanes import DEVICE
from threefold.learn.learner import Plan, Round
from threefold.learn.policy_model import PolicyModel, mean_loss
from threefold.learn.policy_play import Setup, to_play
from threefold.learn.survey import moves_told_apart
from threefold.rules.game import Game

S = TypeVar("S")

#: Steps of all lanes in a round.
LOOKS: Final = 8 if SIMULATED else 128
#: After how many of them games that are over make room for others.
_COLLECT: Final = 4 if SIMULATED else 32
#: How often a position is learned from, on average: new ones are quickly made.
_PASSES: Final = 2
#: Steps before the first lesson, in which the games that began with random moves go ahead.
_PREPARING: Final = 4


class GpuAlphaZeroLearner(Generic[S]):
    """Learns a policy and a value from self-play on a GPU."""

    def __init__(self, game: Game[S], plan: Plan) -> None:
        check_searchable(game)
        self.game = game
        self.plan = plan
        self.rate = plan.rate
        self.done = 0.0
        self.shape = Shape.of(game, plan.channels, plan.blocks, moves_told_apart(game))
        self._setup = Setup(game, usual_way(game, plan))
        self.model: PolicyModel[S] = PolicyModel(
            self.shape, plan.seed, plan.rate, DEVICE, owners=self._setup.owner_words > 0
        )
        self._kernels = Kernels(to_play(game))
        self._replay = DeviceReplay(self._kernels, self._setup, plan.window, plan.batch, plan.seed)
        self._table: DeviceTable[S] | None = None
        self._games = 0
        #: Positions that are still to be learned from, as many times as they are.
        self._owed = 0.0

    def prepare(self) -> None:
        """Compile the kernels, and start the games."""
        self._table = DeviceTable(self._kernels, self._setup, self.plan.parallel, self._games)
        self._table.begin(spread=True)
        judge = self.model.judge(self.net())
        for _ in range(_PREPARING):
            self._table.step(judge)

    def round(self, games: int | None = None) -> Round:
        """Play some steps of all games, and learn from those that have ended.

        How many games end in a round is not known before, so `games` is not looked at.
        """
        del games
        ended, positions = self._play()
        while not len(self._replay):
            more, others = self._play()
            ended, positions = ended + more, positions + others
        self._games += ended
        return Round(ended, positions, self._learn(positions))

    def _play(self) -> tuple[int, int]:
        """Play on; how many games ended, and what is to be learned from them."""
        if self._table is None:
            self.prepare()
        assert self._table is not None
        judge = self.model.judge(self.net())
        ended = positions = 0
        for look in range(1, LOOKS + 1):
            self._table.step(judge)
            if look % _COLLECT == 0:
                more, others = self._table.collect(self._replay)
                ended, positions = ended + more, positions + others
        return ended, positions

    def _learn(self, new: int) -> float:
        """Take as many steps as new positions call for; the mean loss."""
        self._owed += new * _PASSES / self.plan.batch
        losses = []
        while self._owed >= 1:
            losses.append(self.model.learn(self._replay.sample(), self.rate))
            self._owed -= 1
        if not losses:
            losses.append(self.model.loss(self._replay.sample()))
        return mean_loss(losses)

    def net(self) -> PolicyNet[S]:
        """What was learned so far."""
        return self.model.net(self.game)

    def state(self) -> Mapping[str, Any]:
        """The model, and how many games there were: positions are soon replaced by others."""
        return {
            **self.model.state(),
            "games": np.int64(self._games),
            "owed": np.float64(self._owed),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned: games that were under way are played anew."""
        self.model.restore(state)
        self._games, self._owed = int(state["games"]), float(state["owed"])
