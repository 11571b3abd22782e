"""AlphaZero on a Ray cluster: its workers play, and this process learns.

A worker keeps its games from one portion to the next, and goes on with them with the net that the
portion brings. The games that ended come back. A worker that dies loses the games that
it was playing, and nobody misses them.

Which games were played with which net depends on how fast the workers are. So, unlike on one
machine, the same seed does not make the same net.
"""

import time
from typing import Final, Generic, TypeVar

from threefold.cluster.head_node import ray_address
from threefold.cluster.nodes import Job, LostPortion, RayNodes
from threefold.engine.running import Closing
from threefold.learn.alphazero import LOOKS, AlphaZeroLearner
from threefold.learn.cluster_players import Looks
from threefold.learn.learner import Plan
from threefold.learn.policy_play import GameRecord
from threefold.rules.game import Game

S = TypeVar("S")

#: The rooms of ours that decide what a worker plays.
_ROOMS: Final = ("rules", "games", "engine", "learn")
_COMFORT: Final = "the net and its checkpoint are saved; go on with --resume"
#: Seconds that a round waits for games at most, once it has some.
_ROUND: Final = 1.0
#: Between the numbers of two workers' games, so that no two have the same.
_APART: Final = 1 << 32


class PolicyClusterLearner(AlphaZeroLearner[S], Closing, Generic[S]):
    """Learns a policy and a value from self-play on a cluster."""

    def __init__(self, game: Game[S], plan: Plan, cluster: str, workers: int | None = None) -> None:
        """`cluster` is `ray` or `ray:ADDRESS`; `workers` is the most of them, all if None."""
        address = ray_address(cluster)
        super().__init__(game, plan)
        crew = (game.spec, self.way, plan.parallel, self.net().arrays())
        job = Job("threefold.learn.cluster_players:PolicyPlayers", crew, _ROOMS, _COMFORT)
        self._nodes: RayNodes[Looks, list[GameRecord]] = RayNodes(job, address, most=workers)
        #: Portions that were handed out so far, and those that are out now.
        self._sent = 0
        self._out = 0

    def prepare(self) -> None:
        """Wait for the first worker, which compiles."""
        while not self._nodes.is_ready:
            self._nodes.receive(_ROUND)

    def _played(self, games: int | None) -> list[GameRecord]:  # noqa: ARG002
        """The games that have come back; meanwhile the workers play with the net as it is."""
        found: list[GameRecord] = []
        began = time.monotonic()
        self._hand_out()
        while not found and time.monotonic() < began + _ROUND:
            for answer in self._nodes.receive(_ROUND):
                self._out -= 1
                if not isinstance(answer, LostPortion):
                    found += answer
            self._hand_out()
        return found

    def _hand_out(self) -> None:
        """Give every worker something to do, and something to go on with."""
        if self._out >= self._nodes.capacity:
            return
        net = self.net().arrays()
        while self._out < self._nodes.capacity:
            self._sent = max(self._sent, self._games) + 1
            self._nodes.send(Looks(LOOKS * self.plan.parallel, self._sent * _APART, net))
            self._out += 1

    def close(self) -> None:
        """Leave the cluster."""
        self._nodes.close()
