"""Those who play on the nodes of a cluster that trains; they need no PyTorch, but it is faster."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threefold.engine.nets import Net
from threefold.engine.policy_nets import PolicyNet
from threefold.engine.policy_search import Judge
from threefold.engine.policy_values import PolicyValues
from threefold.games import game as game_named
from threefold.learn.learner import Experience
from threefold.learn.policy_play import GameRecord, Table, Way
from threefold.learn.self_play import SelfPlay


@dataclass(frozen=True)
class Games:
    """Games to be played, by their numbers, with which net, and how.

    `net` has the net's arrays, and `way` the options of `SelfPlay.play`.
    """

    first: int
    count: int
    net: Mapping[str, Any]
    way: Mapping[str, Any]


class SelfPlayers:
    """Plays in a process of a node; see `threefold.cluster.nodes.Crew`."""

    def __init__(self, game: str, seed: int, net: Mapping[str, Any]) -> None:
        """`net` is any net, to get ready with."""
        self.game = game_named(game, own_net=False)
        self._seed, self._first_net = seed, net
        self._play: SelfPlay[Any] = SelfPlay(self.game)

    def get_ready(self) -> None:
        """Play one game, to compile what is needed."""
        self.play(Games(0, 1, self._first_net, {}))

    def play(self, games: Games) -> Experience:
        """Play some games; what they teach."""
        net = Net.from_arrays(games.net, self.game, Path("the net"))
        return self._play.play(net, games.count, self._seed, first=games.first, **games.way)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class Looks:
    """How many positions a net is to look at, and the net's arrays.

    `first` is the number of the first game of a worker that has none yet.
    """

    count: int
    first: int
    net: Mapping[str, Any]


class PolicyPlayers:
    """Plays with nets that propose moves; it goes on with its games from portion to portion."""

    def __init__(self, game: str, way: Way, lanes: int, net: Mapping[str, Any]) -> None:
        """`net` is any net, to get ready with."""
        self.game = game_named(game, own_net=False)
        self._way, self._lanes, self._first_net = way, lanes, net
        self._table: Table[Any] | None = None

    def get_ready(self) -> None:
        """Play a little, to compile what is needed."""
        table: Table[Any] = Table(self.game, self._way, 1)
        table.begin()
        while not table.play(self._judge(self._first_net), 1)[0]:
            pass

    def play(self, looks: Looks) -> list[GameRecord]:
        """Go on with the games; those that end."""
        if self._table is None:
            self._table = Table(self.game, self._way, self._lanes, looks.first)
            self._table.begin(spread=True)
        found, _ = self._table.play(self._judge(looks.net), looks.count)
        return found

    def close(self) -> None:
        """Nothing is open."""

    def _judge(self, arrays: Mapping[str, Any]) -> Judge:
        """What computes a net: PyTorch if it is installed here."""
        net = PolicyNet.from_arrays(arrays, self.game, Path("the net"))
        try:
            from threefold.learn.policy_model import TorchValues
        except ImportError:
            return PolicyValues(net)
        return TorchValues(net)
