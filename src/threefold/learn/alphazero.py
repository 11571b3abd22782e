"""AlphaZero: a net that proposes moves learns from games in which a search improves on it.

A round lets all lanes play until the net has looked at some thousands of positions. What the
finished games teach goes into the replay window, and the net takes as many steps as keep up with
the new positions: each is learned from a few times. The next round plays with the new net.

In the first part of a run the games may be played by tree search with playouts instead, which plays
well before a net does: `playout_play`.
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
from threefold.learn.playout_play import PlayoutTable
from threefold.learn.policy_model import PolicyModel, mean_loss
from threefold.learn.policy_play import GameRecord, Setup, Table, Way, longest_opening
from threefold.learn.replay import Replay
from threefold.learn.survey import moves_told_apart, survey
from threefold.rules.game import Game

S = TypeVar("S")

#: Positions that the net looks at in a round of play, for each lane.
LOOKS: Final = 32
#: How often a position is learned from, on average: more often where it took long to find.
_PASSES: Final = 4
_PASSES_OF_PLAYOUTS: Final = 8


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
        self.way = usual_way(game, plan)
        setup = Setup(game, self.way)
        self.model: PolicyModel[S] = PolicyModel(
            self.shape, plan.seed, plan.rate, owners=setup.owner_words > 0
        )
        self._replay = Replay(setup, plan.window)
        self._threads = plan.threads
        self._pool = ThreadPoolExecutor(self._threads)
        self._tables: list[Table[S]] = []
        self._playout_tables: list[PlayoutTable[S]] = []
        self._games = 0
        #: Positions that are still to be learned from, as many times as they are.
        self._owed = 0.0
        self._rng = np.random.default_rng((plan.seed, 1))

    @property
    def _plays_out(self) -> bool:
        """Whether games are still played by tree search with playouts."""
        return self.done < self.plan.playouts

    def prepare(self) -> None:
        """Compile self-play."""
        if self._plays_out:
            PlayoutTable(self.game, self.way).prepare()
        table = Table(self.game, self.way, 1)
        table.begin()
        with torch.inference_mode():
            table.step(self.model.judge(self.net()))

    def round(self, games: int | None = None) -> Round:
        """Play on, and learn from what has ended."""
        found: list[GameRecord] = []
        while not found:
            found = (self._played_out() if self._plays_out else self._played(games))[:games]
        self._games += len(found)
        self._replay.add(found)
        positions = sum(map(len, found))
        self._owed += positions * (_PASSES_OF_PLAYOUTS if self._plays_out else _PASSES)
        return Round(len(found), positions, self._learn())

    def _played_out(self) -> list[GameRecord]:
        """The next games by tree search with playouts, one of each thread."""
        if not self._playout_tables:
            self._playout_tables = [
                PlayoutTable(self.game, self.way, self._games + i, self._threads)
                for i in range(self._threads)
            ]
        try:
            played = list(self._pool.map(PlayoutTable.play_game, self._playout_tables))
        except BaseException:  # a process that is to end should not wait for whole games
            for table in self._playout_tables:
                table.stop()
            raise
        return [each for each in played if len(each)]

    def _played(self, games: int | None) -> list[GameRecord]:
        """The games that end in the next looks of the net; `games` are wanted at most."""
        if not self._tables:
            self._begin(games)
        self._playout_tables = []
        judge = self.model.judge(self.net())
        looks = [LOOKS * table.lanes for table in self._tables]
        asked = [
            self._pool.submit(table.play, judge, count)
            for table, count in zip(self._tables, looks, strict=True)
        ]
        return [each for future in asked for each in future.result()[0]]

    def _begin(self, games: int | None) -> None:
        """Start the games: no more than are wanted, for of more the shortest would end first."""
        many = games is None or games > self.plan.parallel
        wanted = self.plan.parallel if many or games is None else games
        lanes = max(wanted // self._threads, 1)
        step = lanes * self._threads
        for i in range(self._threads):
            table = Table(self.game, self.way, lanes, self._games + i * lanes, step)
            table.begin(spread=many)
            self._tables.append(table)

    def _learn(self) -> float:
        """Take as many steps as are owed; the mean loss.

        Without a step it is the loss on some positions, which are not learned from.
        """
        batch = self.plan.batch
        losses = []
        torch.set_num_threads(self._threads)
        try:
            while self._owed >= batch:
                losses.append(self.model.learn(self._replay.sample(batch, self._rng), self.rate))
                self._owed -= batch
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
