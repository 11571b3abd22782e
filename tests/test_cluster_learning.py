"""Training on a cluster, as far as that can be seen without one."""

from collections import Counter, deque
from typing import Any

import numpy as np
import pytest

from threefold import ThreefoldError, game
from threefold.cluster.nodes import Job, LostPortion
from threefold.learn.cluster_players import Games, SelfPlayers
from threefold.learn.learner import Experience, Plan

pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')

from threefold.learn import cluster as cluster_module
from threefold.learn.cluster import ClusterLearner

NIM = game("nim(heaps=1-2)")


class Nodes:
    """Two workers in this process, of whom every third portion is the last."""

    capacity = 4
    is_ready = True

    def __init__(self, job: Job, address: str | None, *, most: int | None = None) -> None:
        assert (address, most) == ("10.0.0.1:6379", None)
        assert job.crew == f"{SelfPlayers.__module__}:{SelfPlayers.__name__}"
        self.crew = SelfPlayers(*job.arguments)
        self.crew.get_ready()
        self.waiting: deque[Games] = deque()
        self.received = 0
        #: How often each game was played to its end, by its number.
        self.played: Counter[int] = Counter()
        self.nets: list[Any] = []

    def send(self, portion: Games) -> None:
        self.waiting.append(portion)
        assert len(self.waiting) <= self.capacity

    def receive(self, seconds: float) -> list[Experience | LostPortion[Games]]:
        assert seconds > 0
        portion = self.waiting.popleft()
        self.received += 1
        if self.received % 3 == 0:
            return [LostPortion(portion)]
        self.played.update(range(portion.first, portion.first + portion.count))
        self.nets.append(portion.net["first_weights"])
        return [self.crew.play(portion)]

    def close(self) -> None:
        self.waiting.clear()


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> ClusterLearner[Any]:
    monkeypatch.setattr(cluster_module, "RayNodes", Nodes)
    return ClusterLearner(NIM, Plan(hidden=(4,), threads=1), "ray:10.0.0.1:6379")


def test_no_game_is_lost_or_played_twice(learner: ClusterLearner[Any]) -> None:
    nodes: Any = learner._nodes
    learner.prepare()
    games = sum(learner.round().games for _ in range(4))
    assert set(nodes.played.values()) == {1}
    assert games == nodes.played.total()
    # All before the first that is still to come, which were handed out in order.
    still = {n for each in nodes.waiting for n in range(each.first, each.first + each.count)}
    assert set(nodes.played) | still == set(range(max(set(nodes.played) | still) + 1))
    learner.close()


def test_workers_get_the_latest_net(learner: ClusterLearner[Any]) -> None:
    nodes: Any = learner._nodes
    learner.round()
    now = learner.net().first
    assert not (nodes.nets[0] == now).all()
    learner.round()
    learner.round()
    assert any((net == now).all() for net in nodes.nets)


def test_a_learner_goes_on_where_it_was(learner: ClusterLearner[Any]) -> None:
    learner.round()
    state = {name: np.array(array) for name, array in learner.state().items()}
    other: ClusterLearner[Any] = ClusterLearner(NIM, learner.plan, "ray:10.0.0.1:6379")
    other.restore(state)
    assert (other.net().first == learner.net().first).all()
    other.round()
    nodes: Any = other._nodes
    assert min(nodes.played) == state["games"]  # those before were learned from


def test_bad_addresses() -> None:
    with pytest.raises(ThreefoldError, match="is not local, ray or ray:HOST:PORT"):
        ClusterLearner(NIM, Plan(), "dask")
