"""Learning the weights of an evaluation's terms: the lecture's weighted sum, in plain NumPy.

MAX's share of the points is taken to be σ(Σ weight · lead / scale), where a lead is what MAX has
more of a term than MIN. The weights are those that make the games likeliest: logistic regression,
with a weak belief in the weights that the game has. What is learned is, for each position,

- with `fit` a mix of the game's result and what a search thought,
- with `td`, Samuel's way: what a search backed up to the position, mixed by the share `trace` with
  what it backed up later in the same game, and in the end with the result.

Games are played by a search with the weights so far, or given. The sum keeps the size that the
game's own has, so what is known about its units remains true.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.errors import BadGame
from threefold.learn.learner import Plan, Round
from threefold.learn.lessons import Lookout
from threefold.learn.recorded import Recorded, signs
from threefold.learn.searched_play import EXPLORATION, SearchedPlay, opening_plies
from threefold.learn.strength import EVALUATION, Strength, scored
from threefold.learn.targets import sigmoid
from threefold.rules.game import Game
from threefold.rules.terms import is_remainder, plain
from threefold.rules.text import did_you_mean, listing
from threefold.rules.weights_file import write_weights

S = TypeVar("S")

#: The most games of a measurement.
MATCH_GAMES: Final = 200
#: Games that a round plays, or reads.
_GAMES: Final = 64
#: One game of so many is kept apart, to measure the loss on.
HELD_OUT: Final = 10
#: The most positions that are remembered: the latest.
_MOST_POSITIONS: Final = 1 << 20
#: How many positions the belief in the game's own weights is worth.
_BELIEF: Final = 20.0
#: Weights have decimals until the largest has so many units in the last place.
_FINENESS: Final = 500
_STEPS: Final = 30
_CLOSE: Final = 1e-7


@dataclass(frozen=True)
class Weighting(Generic[S]):
    """An evaluation's weights as they were learned."""

    game: Game[S]
    evaluation: str
    weights: Mapping[str, Fraction]
    #: How they were made: the command, the seed, games, seconds, versions.
    made: Mapping[str, Any] = field(default_factory=dict)

    def judging(self) -> Game[S]:
        """The game with these weights."""
        return self.game.using(self.evaluation, weights=self.weights)

    def save(self, path: Path) -> None:
        """Write them to a file of weights, with how they were made as a comment."""
        about = [f"The weights of {self.evaluation} in {self.game.spec}, as they were learned."]
        about += [f"{name}: {value}" for name, value in self.made.items() if value is not None]
        write_weights(path, self.weights, "\n".join(about))


class LinearLearner(Generic[S]):
    """Learns the weights of an evaluation's terms."""

    def __init__(
        self,
        game: Game[S],
        plan: Plan,
        games: Iterator[Recorded] | None = None,
    ) -> None:
        """`games` are to be learned from; without them, games are played.

        The evaluation is `plan.terms`, or the game's first that has terms.
        """
        self.plan = plan
        self.evaluation = with_terms(game, plan.terms or None)
        self.game = game.using(self.evaluation)
        #: For a training run; here every round is solved completely.
        self.rate = plan.rate
        self.done = 0.0
        terms = game.terms[self.evaluation]
        self._names = [name for name, term in terms.items() if not is_remainder(term)]
        self._columns = [i for i, name in enumerate(terms) if name in self._names]
        self._own = np.array([float(terms[name].weight) for name in self._names])
        self.weights = self._own.copy()
        self._lookout = Lookout(_reweighted(self.game), terms=len(terms))
        self._given = games
        self._play = SearchedPlay(
            game,
            nodes=plan.nodes,
            threads=plan.threads,
            openings=opening_plies(game),
            exploration=0.0 if not game.facts.deterministic else EXPLORATION,
        )
        self._games = 0
        self._leads = np.zeros((0, len(self._names)))
        self._targets = np.zeros(0)
        self._held = np.zeros(0, np.bool_)
        #: How many evaluation units are odds of e to one, once that is known.
        self._scale = 0.0

    def prepare(self) -> None:
        """Compile what the first round needs."""
        self._lookout.prepare()
        if self._given is None:
            self._play.prepare(self.judged())
            self._play.prepare(self._lookout.game)

    def round(self, games: int | None = None) -> Round:
        """Play some games, or read some, and find the weights that fit all of them best."""
        most = _GAMES if games is None else min(games, _GAMES)
        if self._given is not None:
            lessons = list(islice(self._given, most))
        else:
            numbers = range(self._games, self._games + most)
            lessons = self._play.play([self.judged()], numbers, self.plan.seed)
        leads, targets, held = self._learned_from(lessons)
        self._leads = np.concatenate([self._leads, leads])[-_MOST_POSITIONS:]
        self._targets = np.concatenate([self._targets, targets])[-_MOST_POSITIONS:]
        self._held = np.concatenate([self._held, held])[-_MOST_POSITIONS:]
        self._games += len(lessons)
        loss = self._loss(held_only=True)
        self._solve()
        # Where all games were read, a round is another look at them; nothing changes any more.
        return Round(len(lessons) or most, len(leads), loss)

    def judged(self) -> Game[S]:
        """The game with the weights so far."""
        return self.net().judging()

    def net(self) -> Weighting[S]:
        """What was learned so far."""
        return Weighting(self.game, self.evaluation, self._rounded())

    # What is learned from.

    def _learned_from(self, lessons: list[Recorded]) -> tuple[Any, Any, Any]:
        """The leads of quiet positions, what is to be learned of each, and which are kept apart."""
        if not lessons:
            return self._leads[:0], self._targets[:0], self._held[:0]
        self._measure_scale(lessons)
        *_, quiet, terms = self._lookout.look(np.concatenate([each.states for each in lessons]))
        targets = np.concatenate([self._shares(each) for each in lessons])
        numbers = np.repeat(
            np.arange(self._games, self._games + len(lessons)),
            [len(each.states) for each in lessons],
        )
        good = quiet & ~np.isnan(targets)
        held = numbers % HELD_OUT == HELD_OUT - 1
        return terms[good][:, self._columns].astype(float), targets[good], held[good]

    def _measure_scale(self, lessons: list[Recorded]) -> None:
        """Find out once how many units of the evaluation decide a game."""
        if self._scale:
            return
        values, shares = [np.zeros(0)], [np.zeros(0)]
        for each in lessons:
            if each.utility is not None:
                known = ~np.isnan(each.values)
                known[: each.sound] = False
                values.append((each.values * signs(each.movers))[known])
                shares.append(np.full(known.sum(), (np.sign(each.utility) + 1) / 2))
        x, y = np.concatenate(values), np.concatenate(shares)
        spread = float(np.sqrt(np.mean(np.square(x)))) if len(x) else 0.0
        if spread > 0:
            slope = logistic_fit(x[:, None] / spread, y, np.zeros(1), _BELIEF)[0]
            self._scale = spread / max(float(slope), 1e-6)

    def _shares(self, lesson: Recorded) -> Any:
        """For each position of a game MAX's share of the points to be learned; NaN for none."""
        result = np.nan if lesson.utility is None else (np.sign(lesson.utility) + 1) / 2
        backed_up = np.full(len(lesson.states), np.nan)
        toward = signs(lesson.movers)
        if self._scale:
            backed_up = sigmoid(lesson.values * toward / self._scale)
        seen = ~np.isnan(lesson.ends)
        backed_up[seen] = (np.sign(lesson.ends * toward)[seen] + 1) / 2
        by_td = self.plan.method == "td"
        share = self.plan.trace if by_td else 1 - self.plan.mix
        shares = np.full(len(backed_up), np.nan)
        ahead = result
        for i in range(len(backed_up) - 1, lesson.first - 1, -1):
            if i < lesson.sound:  # a random move follows
                ahead = np.nan
            here = backed_up[i]
            if not np.isnan(here) and not np.isnan(ahead):
                here = share * ahead + (1 - share) * here
            shares[i] = ahead if np.isnan(here) else here
            if by_td:
                ahead = shares[i]
        shares[len(shares) - 1] = np.nan  # the game is over there
        return shares

    # How it learns.

    def _solve(self) -> None:
        """Find the weights that fit best, and give their sum the size that the game's own has."""
        leads, targets = self._leads[~self._held], self._targets[~self._held]
        if not len(leads):
            return
        size = np.std(leads @ self._own) or 1.0
        scale = self._scale or size
        found = logistic_fit(leads, targets, self._own / scale, _BELIEF)
        new_size = np.std(leads @ found)
        if new_size > 0 and np.isfinite(new_size):
            self.weights = found * size / new_size

    def _loss(self, *, held_only: bool) -> float:
        """The mean loss of the weights so far, on games that were kept apart if there are any."""
        chosen = self._held if held_only and self._held.any() else np.ones(len(self._held), bool)
        leads, targets = self._leads[chosen], self._targets[chosen]
        if not len(leads):
            return 0.0
        sums = (leads @ self.weights)[:, None]
        spread = float(np.sqrt(np.mean(np.square(sums)))) or 1.0
        slope = logistic_fit(sums / spread, targets, np.zeros(1), _BELIEF)[0]
        return float(log_loss(slope * sums[:, 0] / spread, targets).mean())

    def _rounded(self) -> dict[str, Fraction]:
        """The weights as fractions with a common denominator."""
        most = float(np.abs(self.weights).max())
        fine = next((d for d in (1, 10, 100) if d * most >= _FINENESS), 1000)
        if not self.game.facts.deterministic:
            fine = 1
        return {
            name: Fraction(round(float(weight) * fine), fine)
            for name, weight in zip(self._names, self.weights, strict=True)
        }

    # As arrays.

    def state(self) -> Mapping[str, Any]:
        """Everything needed to go on later."""
        return {
            "weights": self.weights,
            "leads": self._leads.astype(np.int32),
            "targets": self._targets,
            "held": self._held,
            "scale": np.float64(self._scale),
            "games": np.int64(self._games),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        if np.shape(state["weights"]) != self.weights.shape:
            raise BadGame(
                f"what was saved has {len(state['weights'])} weights, and {self.evaluation} of "
                f"{self.game.name} has {len(self.weights)}"
            )
        self.weights = np.array(state["weights"])
        self._leads = np.array(state["leads"], float)
        self._targets = np.array(state["targets"])
        self._held = np.array(state["held"])
        self._scale = float(state["scale"])
        self._games = int(state["games"])
        if self._given is not None:  # those were read before
            for _ in islice(self._given, self._games):
                pass

    def __str__(self) -> str:
        return ",".join(f"{name}={plain(weight)}" for name, weight in self._rounded().items())


class Matches(Generic[S]):
    """Measures weights by games against the game's own, each side searching as many nodes."""

    def __init__(self, game: Game[S], plan: Plan) -> None:
        self._own = game.using(with_terms(game, plan.terms or None))
        self._seed = plan.seed
        self._games = 0
        self._play = SearchedPlay(
            game, nodes=plan.nodes, threads=plan.threads, openings=opening_plies(game)
        )

    def prepare(self) -> None:
        """Compile now."""
        self._play.prepare(self._own)
        self._play.prepare(_reweighted(self._own))

    def measure(self, net: Weighting[S], previous: object, seconds: float) -> Strength:
        """What the weights score, in about so many seconds."""
        del previous
        end = time.monotonic() + seconds
        gains: list[int | None] = []
        while len(gains) < MATCH_GAMES and time.monotonic() < end:
            numbers = range(self._games, self._games + 2 * self._play.threads)
            self._games += len(numbers)
            games = self._play.play([net.judging(), self._own], numbers, ~self._seed)
            for number, game in zip(numbers, games, strict=True):
                worth = None if game.utility is None else round(game.utility)
                gains.append(-worth if worth is not None and number % 2 else worth)
        return {EVALUATION: scored(gains)}


def _reweighted(game: Game[S]) -> Game[S]:
    """A game with any other weights than its own: compiled code takes them as data."""
    name, weight = next(iter(game.weights.items()))
    return game.using(game.evaluation, weights={name: weight + 1})


def with_terms(game: Game[Any], evaluation: str | None) -> str:
    """The evaluation to tune; a clear error if there is none."""
    tunable = [
        name
        for name, terms in game.terms.items()
        if sum(not is_remainder(term) for term in terms.values()) > 1
    ]
    if not tunable:
        raise BadGame(
            f"{game.name}: no evaluation has two terms or more, so there are no weights to learn"
        )
    if evaluation is None:
        return game.evaluation if game.evaluation in tunable else tunable[0]
    if evaluation not in game.evaluations:
        hint = did_you_mean(evaluation, game.evaluations)
        raise BadGame(f"{game.name} has no evaluation {evaluation!r}; {hint}")
    if evaluation not in tunable:
        has = "one term" if evaluation in game.terms else "no terms"
        raise BadGame(
            f"{game.name}: {evaluation} has {has}, and learning needs at least two to weigh "
            f"against each other; {listing(tunable)} would do"
        )
    return evaluation


def log_loss(sums: Any, targets: Any) -> Any:
    """The loss of predicting σ(sum) where the truth is a share."""
    return np.logaddexp(0.0, sums) - targets * sums


def logistic_fit(x: Any, targets: Any, believed: Any, belief: float) -> Any:
    """The weights that make shares likeliest by σ(x · weights), by Newton's method.

    `belief` is how many positions the belief in other weights is worth. It alone decides the
    weights of what never differs.
    """
    spread = np.sqrt(np.mean(np.square(x), axis=0))
    trust = belief * np.where(spread > 0, np.square(spread), 1.0)
    found = np.array(believed, float)

    def total(weights: Any) -> float:
        away = weights - believed
        return float(log_loss(x @ weights, targets).sum() + 0.5 * np.sum(trust * np.square(away)))

    before = total(found)
    for _ in range(_STEPS):
        chance = sigmoid(x @ found)
        gradient = x.T @ (chance - targets) + trust * (found - believed)
        hessian = (x * (chance * (1 - chance))[:, None]).T @ x + np.diag(trust)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-6 and total(found - size * step) > before:
            size /= 2  # a whole step overshot
        found = found - size * step
        now = total(found)
        if before - now <= _CLOSE * max(abs(before), 1.0):
            break
        before = now
    return found
