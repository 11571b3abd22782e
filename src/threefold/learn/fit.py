"""Learning by regression: a net is fitted to games, recorded ones or those that searches play.

A net that plays games for itself starts from the game's own evaluation. Every few rounds the net
meets the evaluation in use, both searching as many nodes a move; if it does better, games are
played with the net from then on.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
import torch

from threefold.engine.nets import Net
from threefold.errors import ThreefoldError
from threefold.learn.learner import Plan, Round
from threefold.learn.model import BATCH, Model
from threefold.learn.pool import Pool
from threefold.learn.recorded import Recorded
from threefold.learn.searched_play import EXPLORATION, SearchedPlay, opening_plies
from threefold.learn.survey import survey
from threefold.rules.contract import MIN
from threefold.rules.game import Game

S = TypeVar("S")

#: Games that a round plays, and those that it reads.
_PLAYED: Final = 64
_READ: Final = 256
#: The most positions that a round learns from; where there are few, it goes over them again.
_POSITIONS: Final = 1 << 16
_PASSES: Final = 4
#: About the least number of steps of a pass over them, and the smallest batch of a step.
_STEPS: Final = 32
_SMALLEST: Final = 128
#: How many rounds lie between two trials of the net, the games of a trial, and the share of the
#: points that the net needs.
_TRIAL_EVERY: Final = 8
_TRIAL_GAMES: Final = 64
_NEEDED: Final = 0.55
#: Before the keys of a net's arrays in what is saved.
_CHAMPION: Final = "champion_"


class FitLearner(Generic[S]):
    """Fits a net to games."""

    def __init__(self, game: Game[S], plan: Plan, games: Iterator[Recorded] | None = None) -> None:
        """`games` are to be learned from; without them, games are played."""
        if not 0 <= plan.mix <= 1:
            raise ThreefoldError(f"a mix of {plan.mix} is not between 0 and 1")
        self.game = game
        self.plan = plan
        #: The step size of the next round, which the training run lowers.
        self.rate = plan.rate
        self.done = 0.0
        found = survey(game, plan.outputs, plan.hidden[-1])
        self.pool: Pool[S] = Pool(game, found.results)
        self.model: Model[S] = Model(self.pool.words, found.results, plan, active=found.active)
        #: The game with the evaluation that games are played with.
        self.champion = game
        self._given = games
        self._rounds = 0
        self._games = 0
        self._play = SearchedPlay(
            game,
            nodes=plan.nodes,
            threads=plan.threads,
            openings=opening_plies(game),
            exploration=EXPLORATION if game.facts.deterministic else 0.0,
        )

    def prepare(self) -> None:
        """Compile what the first round needs."""
        self.pool.prepare()
        if self._given is None:
            self._play.prepare(self.champion)
            self._play.prepare(self.game.judged_by(self.net()))

    def round(self, games: int | None = None) -> Round:
        """Gather some games, and learn from all that there are."""
        done = self._read(games) if self._given is not None else self._play_some(games)
        rng = np.random.default_rng((self.plan.seed, self._rounds))
        experience = self.pool.sample(_POSITIONS, self.plan.mix, rng)
        if not len(experience.words):
            raise ThreefoldError(
                f"{self.game.name}: there is nothing to learn from: the games have no result and "
                "no values, or no quiet position"
            )
        self._rounds += 1
        order = torch.Generator(self.model.device)
        order.manual_seed(self.plan.seed + self._rounds)
        batch = min(max(len(experience.words) // _STEPS, _SMALLEST), BATCH)
        passes = min(max(_POSITIONS // len(experience.words), 1), _PASSES)
        for _ in range(passes):
            loss = self.model.learn(experience, self.rate, order, batch)
        held = self.pool.held_out(self.plan.mix)
        if len(held.words):
            loss = self.model.loss(held)
        return Round(done, len(experience.words), loss)

    def _read(self, most: int | None) -> int:
        """Take in some of the given games; how many, or how many are learned from again."""
        assert self._given is not None
        wanted = _READ if most is None else min(most, _READ)
        lessons = list(islice(self._given, wanted))
        self.pool.add(lessons)
        self._games += len(lessons)
        # Once all are read, a round learns from about so many games again.
        each = len(self.pool) / max(self.pool.games, 1)
        again = max(round(min(len(self.pool), _POSITIONS) / max(each, 1)), 1)
        return len(lessons) or (again if most is None else min(again, most))

    def _play_some(self, most: int | None) -> int:
        """Play some games with the champion; now and then against it."""
        trial = self._rounds % _TRIAL_EVERY == _TRIAL_EVERY - 1
        wanted = _TRIAL_GAMES if trial else _PLAYED
        count = wanted if most is None else min(wanted, most)
        numbers = range(self._games, self._games + count)
        if trial and count == wanted:
            candidate = self.game.judged_by(self.net())
            lessons = self._play.play([candidate, self.champion], numbers, self.plan.seed)
            if self._share(lessons, numbers) >= _NEEDED:
                self.champion = candidate
        else:
            lessons = self._play.play([self.champion], numbers, self.plan.seed)
        self.pool.add(lessons)
        self._games += count
        return count

    @staticmethod
    def _share(lessons: list[Recorded], numbers: range) -> float:
        """The share of the points of the side that is MAX in the even games."""
        worth = [np.sign(each.utility or 0) for each in lessons]
        mine = [-u if number % 2 == MIN else u for u, number in zip(worth, numbers, strict=True)]
        return 0.5 + 0.5 * float(np.mean(mine))

    def net(self) -> Net[S]:
        """What was learned so far."""
        return self.model.rounded(self.game)

    def state(self) -> Mapping[str, Any]:
        """The model, the positions, and the net that games are played with."""
        saved = {**self.model.state(), **self.pool.state()}
        saved |= {"rounds": np.int64(self._rounds), "games": np.int64(self._games)}
        if isinstance(self.champion.net, Net):
            saved |= {_CHAMPION + key: array for key, array in self.champion.net.arrays().items()}
        return saved

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.model.restore(state)
        self.pool.restore(state)
        self._rounds, self._games = int(state["rounds"]), int(state["games"])
        arrays = {
            key.removeprefix(_CHAMPION): array
            for key, array in state.items()
            if key.startswith(_CHAMPION)
        }
        if arrays:
            net: Net[S] = Net.from_arrays(arrays, self.game, Path("the checkpoint"))
            self.champion = self.game.judged_by(net)
        if self._given is not None:  # those were read before
            for _ in islice(self._given, self._games):
                pass
