"""What a training run and its ways of learning have in common.

A `Learner` improves a net round by round: by self-play on the CPU or the GPU, on a cluster, or from
recorded games. `training` runs one of them until its time is up, and keeps what it has learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Protocol

import numpy as np

from threefold.engine.nets import Net
from threefold.errors import ThreefoldError
from threefold.rules.game import Game

#: How often a move of self-play is random, where there are no dice.
_USUAL_EXPLORATION: Final = 0.1
#: And how often it is where there are, and targets are means over every roll.
_ODD_MOVES: Final = 0.02


@dataclass(frozen=True)
class Experience:
    """Positions to learn from."""

    #: For each position the words of its features, as its viewer sees it: int64, a row each.
    words: Any
    #: What the net should say of it: the chance of each result, or a margin; float32, a row each.
    targets: Any
    #: The games that they come from, and those games' plies.
    games: int
    plies: int

    @classmethod
    def joined(cls, parts: "Sequence[Experience]") -> "Experience":
        """Several as one."""
        return cls(
            np.concatenate([each.words for each in parts]),
            np.concatenate([each.targets for each in parts]),
            sum(each.games for each in parts),
            sum(each.plies for each in parts),
        )


@dataclass(frozen=True)
class Round:
    """What a learner did in one round, a second of work or less."""

    games: int
    #: Positions learned from.
    positions: int
    #: The mean loss on them, before learning.
    loss: float


class Learner(Protocol):
    """A way to improve a net."""

    game: Game[Any]
    #: The step size of the next round; `training` lowers it as the run goes on.
    rate: float
    #: How much of the run is done before it, from 0 to 1.
    done: float

    def prepare(self) -> None:
        """Compile what the first round needs, before the clock runs."""
        ...

    def round(self, games: int | None = None) -> Round:
        """Learn for a second or less, from at most `games` games as far as that is possible."""
        ...

    def net(self) -> Net[Any]:
        """What was learned so far."""
        ...

    def state(self) -> Mapping[str, Any]:
        """Everything needed to go on later, as plain arrays."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        ...


@dataclass(frozen=True)
class Plan:
    """How to learn; what `threefold train` is told."""

    method: str = "td"
    hidden: tuple[int, ...] = (128,)
    seed: int = 0
    device: str = "cpu"
    threads: int = 2
    #: How far a step of Adam may move a unit, at first and at the end.
    rate: float = 0.05
    last_rate: float = 0.0005
    #: How far a target looks ahead: 0 for the next position, 1 for the result of the game.
    trace: float = 0.7
    #: How often a move is chosen at random; None for the usual: see `explores`.
    exploration: float | None = None
    #: In games of dice: the last part of the run, in which targets are means over every roll
    #: rather than that of the one that came.
    every_roll: float = 0.4
    #: What the outputs are: "results", or "margin" for the mean utility itself.
    outputs: str = "results"
    #: For `fit`: the share of the search in what is learned about a position, the rest being the
    #: game's result; and the nodes for each move of the games that are played for it.
    mix: float = 0.5
    nodes: int = 1000
    #: The evaluation whose terms' weights are learned, in place of a net.
    terms: str = ""
    #: For `alphazero`: the residual blocks of the net and how wide they are, games that are played
    #: at once, positions that are remembered, and positions in a step. `nodes` are simulations.
    blocks: int = 4
    channels: int = 32
    parallel: int = 256
    window: int = 1 << 17
    batch: int = 256
    #: The first part of the run, in which tree search with playouts plays in place of the net.
    playouts: float = 0.0

    @classmethod
    def usual(cls, method: str, device: str = "cpu") -> "Plan":
        """The defaults of a method."""
        if method != "alphazero":
            return cls(method=method)
        usual = cls(method=method, device=device, nodes=32, rate=0.003, last_rate=0.0003)
        if device != "gpu":
            return usual
        return replace(usual, blocks=6, channels=64, parallel=8192, window=1 << 21, batch=4096)

    def used(self) -> dict[str, Any]:
        """The options that matter to this way of learning, in JSON's own types."""
        idle: set[str] = set()
        if self.terms:
            idle |= {"hidden", "outputs", "rate", "last_rate", "exploration", "every_roll"}
        else:
            idle.add("terms")
        of_policies = {"blocks", "channels", "parallel", "window", "batch", "playouts"}
        if self.method == "td":
            idle |= {"mix"} if self.terms else {"mix", "nodes"}
        elif self.method == "alphazero":
            idle |= {"trace", "every_roll", "mix", "hidden", "outputs"}
            of_policies = set()
        else:
            idle |= {"trace", "exploration", "every_roll"}
        idle |= of_policies
        if self.exploration is None:
            idle.add("exploration")
        every = asdict(self) | {"hidden": list(self.hidden)}
        return {name: value for name, value in every.items() if name not in idle}

    def looks_at_every_roll(self, game: Game[Any], done: float) -> bool:
        """Whether targets are means over every roll when a share of the run is done."""
        return not game.facts.deterministic and done >= 1 - self.every_roll

    def explores(self, game: Game[Any], done: float = 0.0) -> float:
        """How often a move of self-play is random: dice show enough of a game by themselves.

        Means over every roll stay true after any move, so that a few odd ones only show the net
        more of the game.
        """
        if self.exploration is not None:
            return self.exploration
        if game.facts.deterministic:
            return _USUAL_EXPLORATION
        return _ODD_MOVES if self.looks_at_every_roll(game, done) else 0.0


@dataclass(frozen=True)
class Goal:
    """When a run is over: after so many games or seconds, whichever comes first."""

    games: int | None = None
    seconds: float | None = None

    def share(self, games: int, seconds: float) -> float:
        """How much of the way is done, from 0 to 1."""
        shares = [games / self.games] if self.games else []
        shares += [seconds / self.seconds] if self.seconds else []
        return min(max(shares, default=1.0), 1.0)


class Diverged(ThreefoldError):
    """A training run whose numbers have left all bounds."""
