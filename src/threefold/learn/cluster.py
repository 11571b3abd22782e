"""Training on a Ray cluster: its workers play, and this process learns.

A worker gets the net as it is then, and some games to play with it. What they teach comes back and
is learned from, and the next portion takes the new net along. A worker that dies loses the games
that it was playing; others play them again. Nodes may join and leave.

Which games were played with which net depends on how fast the workers are. So, unlike on one
machine, the same seed does not make the same net.
"""

import time
from collections import deque
from typing import Final, Generic, TypeVar

from threefold.cluster.head_node import ray_address
from threefold.cluster.nodes import Job, LostPortion, RayNodes
from threefold.engine.running import Closing
from threefold.learn.cluster_players import Games
from threefold.learn.learner import Experience, Plan, Round
from threefold.learn.td import TdLearner
from threefold.rules.game import Game

S = TypeVar("S")

#: The rooms of ours that decide what a worker plays.
_ROOMS: Final = ("rules", "games", "engine", "gpu", "learn")
_COMFORT: Final = "the net and its checkpoint are saved; go on with --resume"
#: The share of a round's games that a portion has.
_PORTIONS: Final = 4
#: Seconds that a round waits for games at most, once it has some.
_ROUND: Final = 1.0


class ClusterLearner(TdLearner[S], Closing, Generic[S]):
    """Learns from self-play on a cluster."""

    def __init__(self, game: Game[S], plan: Plan, cluster: str, workers: int | None = None) -> None:
        """`cluster` is `ray` or `ray:ADDRESS`; `workers` is the most of them, all if None."""
        address = ray_address(cluster)
        super().__init__(game, plan)
        crew = (game.spec, plan.seed, self.net().arrays())
        job = Job("threefold.learn.cluster_players:SelfPlayers", crew, _ROOMS, _COMFORT)
        self._nodes: RayNodes[Games, Experience] = RayNodes(job, address, most=workers)
        #: Games that were handed out so far, and portions to hand out again.
        self._sent = 0
        self._again: deque[Games] = deque()
        self._out = 0

    def prepare(self) -> None:
        """Wait for the first worker, which compiles."""
        while not self._nodes.is_ready:
            self._nodes.receive(_ROUND)

    def round(self, games: int | None = None) -> Round:
        """Learn from what has come back, and hand out games with the net as it is."""
        wanted = self._size if games is None else min(self._size, games)
        found: list[Experience] = []
        began = time.monotonic()
        self._hand_out()
        while sum(each.games for each in found) < wanted:
            if found and time.monotonic() > began + _ROUND:
                break
            for answer in self._nodes.receive(_ROUND):
                self._out -= 1
                if isinstance(answer, LostPortion):
                    self._again.append(answer.portion)
                else:
                    found.append(answer)
            self._hand_out()
        return self._learn(Experience.joined(found))

    def _hand_out(self) -> None:
        """Give every worker something to do, and something to go on with."""
        if self._out >= self._nodes.capacity:
            return
        net = self.net().arrays()
        while self._out < self._nodes.capacity:
            if self._again:
                lost = self._again.popleft()
                first, count = lost.first, lost.count
            else:
                first, count = max(self._sent, self._games), max(self._size // _PORTIONS, 1)
                self._sent = first + count
            self._nodes.send(Games(first, count, net, self._way()))
            self._out += 1

    def close(self) -> None:
        """Leave the cluster."""
        self._nodes.close()
