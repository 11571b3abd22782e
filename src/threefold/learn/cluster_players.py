"""Those who play on the nodes of a cluster that trains; they need no PyTorch."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threefold.engine.nets import Net
from threefold.games import game as game_named
from threefold.learn.learner import Experience
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
