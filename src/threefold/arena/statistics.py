"""What the results of a match say: Elo, its error, the likelihood of superiority.

Games come in pairs, the same opening with sides reversed. The two games of a pair are not
independent: an opening that wins for one side gives each player a point. So the spread of the
results is measured between pairs, by the five totals that a pair can have (the pentanomial counts).
The formulas are those of fastchess. A figure that the results do not determine is None.
"""

import math
from dataclasses import dataclass
from operator import add
from statistics import NormalDist
from typing import Final

from threefold.arena.record import Task, points
from threefold.arena.sprt import GAME_SCORES, NORMALIZED_ELO, PAIR_SCORES, Sprt, Verdict

#: How many standard deviations around the mean hold 95% of a normal distribution.
DEVIATIONS_95: Final = NormalDist().inv_cdf(0.975)
#: With fewer pairs than these, an error that is measured from the same pairs is itself unknown.
LEAST_PAIRS: Final = 10


@dataclass(frozen=True)
class Estimate:
    """A figure and the half-width of its 95% interval; None where it is not determined."""

    value: float | None
    error: float | None


@dataclass(frozen=True)
class Tally:
    """How a player's games against another went."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: How many pairs ended LL, LD, WL or DD, WD, WW. Games without their partner are not in it.
    pentanomial: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @property
    def games(self) -> int:
        """How many games count."""
        return self.wins + self.draws + self.losses

    @property
    def pairs(self) -> int:
        """How many pairs are complete."""
        return sum(self.pentanomial)

    @property
    def points(self) -> float:
        """A win is a point, a draw half a point."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float | None:
        """The share of the points."""
        return self.points / self.games if self.games else None

    @property
    def draw_rate(self) -> float | None:
        """The share of drawn games."""
        return self.draws / self.games if self.games else None

    @property
    def is_short(self) -> bool:
        """Whether there are too few pairs (games, where none has its partner) to conclude from."""
        return (self.pairs or self.games) < LEAST_PAIRS

    @property
    def _spread(self) -> tuple[float, float]:
        """The variance of a pair's score (a game's without pairs), and that of the mean score."""
        if self.pairs:
            variance = _variance(PAIR_SCORES, self.pentanomial)
            return variance, variance / self.pairs
        variance = _variance(GAME_SCORES, (self.losses, self.draws, self.wins))
        return variance, variance / max(1, self.games)

    @property
    def elo(self) -> Estimate:
        """How much stronger the player is, on the logistic scale: 400 points are 10 to 1.

        Undetermined at 0% and 100%. The error is half the width of the interval or, where that has
        only one finite end, the distance to this end. Where all pairs ended alike there is none.
        """
        if self.score is None or (value := elo_of_score(self.score)) is None:
            return Estimate(None, None)
        distances = [abs(end - value) for end in self.elo_limits if end is not None]
        return Estimate(value, sum(distances) / len(distances) if distances else None)

    @property
    def elo_limits(self) -> tuple[float | None, float | None]:
        """The ends of the 95% interval of the Elo difference; None for one that is not finite."""
        _, of_mean = self._spread
        if self.score is None or not of_mean:
            return None, None
        reach = DEVIATIONS_95 * math.sqrt(of_mean)
        return elo_of_score(self.score - reach), elo_of_score(self.score + reach)

    @property
    def normalized_elo(self) -> Estimate:
        """The same in units of the spread of results, so that it says how many games are needed.

        Undetermined where all pairs ended alike.
        """
        variance, of_mean = self._spread
        if self.score is None or not variance:
            return Estimate(None, None)
        unit = NORMALIZED_ELO / math.sqrt(variance * (2 if self.pairs else 1))
        return Estimate((self.score - 0.5) * unit, DEVIATIONS_95 * math.sqrt(of_mean) * unit)

    @property
    def los(self) -> float | None:
        """The likelihood of superiority: how probable it is that the player is the stronger one.

        Where all pairs ended alike, wins and losses are counted as tosses of a coin.
        """
        if self.score is None:
            return None
        _, of_mean = self._spread
        if of_mean:
            return NormalDist().cdf((self.score - 0.5) / math.sqrt(of_mean))
        return NormalDist().cdf((self.wins - self.losses) / math.sqrt(self.games))

    def llr(self, sprt: Sprt) -> float:
        """The log-likelihood ratio of a test, from the pairs wherever the test knows pairs."""
        if sprt.model == "bayesian":
            return sprt.llr((self.losses, self.draws, self.wins))
        return sprt.llr(self.pentanomial)

    def reversed(self) -> "Tally":
        """The same games as the opponent sees them."""
        ll, ld, even, wd, ww = self.pentanomial
        return Tally(self.losses, self.draws, self.wins, (ww, wd, even, ld, ll))

    def __add__(self, other: "Tally") -> "Tally":
        ll, ld, even, wd, ww = map(add, self.pentanomial, other.pentanomial)
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            (ll, ld, even, wd, ww),
        )


def elo_of_score(score: float) -> float | None:
    """The difference in strength at which a score is expected; None if it has no finite one."""
    if not 0 < score < 1:
        return None
    return 400 * math.log10(score / (1 - score))


def _variance(scores: tuple[float, ...], counts: tuple[int, ...]) -> float:
    total = sum(counts)
    if not total or total in counts:  # exactly zero, whatever rounding would make of it
        return 0.0
    mean = sum(score * count for score, count in zip(scores, counts, strict=True)) / total
    squares = (count * (score - mean) ** 2 for score, count in zip(scores, counts, strict=True))
    return sum(squares) / total


@dataclass(frozen=True)
class _Sums:
    """Enough to know the mean and the variance of numbers that were added one by one.

    A sum of several has the variance within each of them: how much their means differ is left out.
    """

    count: int = 0
    total: float = 0.0
    #: The squares of the distances to the mean, added up, and how many of them are free.
    squares: float = 0.0
    freedom: int = 0

    def plus(self, x: float) -> "_Sums":
        """With one more number (Welford's way)."""
        if not self.count:
            return _Sums(1, x)
        mean, total = self.total / self.count, self.total + x
        around = (x - mean) * (x - total / (self.count + 1))
        return _Sums(self.count + 1, total, self.squares + around, self.freedom + 1)

    def __add__(self, other: "_Sums") -> "_Sums":
        return _Sums(
            self.count + other.count,
            self.total + other.total,
            self.squares + other.squares,
            self.freedom + other.freedom,
        )

    def __neg__(self) -> "_Sums":
        return _Sums(self.count, 0.0 - self.total, self.squares, self.freedom)  # never -0.0

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None

    @property
    def variance(self) -> float | None:
        return self.squares / self.freedom if self.freedom else None


@dataclass(frozen=True)
class Winnings:
    """What a player won per game, where a game can be worth any number of points.

    Added up over several opponents, the spread is the one within each: that some opponents are
    weaker than others is no luck.
    """

    _games: _Sums = _Sums()
    _pairs: _Sums = _Sums()

    def plus_game(self, utility: float) -> "Winnings":
        """With one more game."""
        return Winnings(self._games.plus(utility), self._pairs)

    def plus_pair(self, one: float, other: float) -> "Winnings":
        """With the result of one more pair, whose games were added before."""
        return Winnings(self._games, self._pairs.plus((one + other) / 2))

    def reversed(self) -> "Winnings":
        """The same games as the opponent sees them."""
        return Winnings(-self._games, -self._pairs)

    def __add__(self, other: "Winnings") -> "Winnings":
        return Winnings(self._games + other._games, self._pairs + other._pairs)

    @property
    def per_game(self) -> Estimate:
        """The average, with its error from pairs; there is none where all pairs ended alike."""
        spread = self._pairs.variance
        error = DEVIATIONS_95 * math.sqrt(spread / self._pairs.count) if spread else None
        return Estimate(self._games.mean, error)

    @property
    def variance_saved(self) -> float | None:
        """The share of the variance that the same dice for both games of a pair took away.

        The mean of two independent games has half the variance of one game. 0.4 means that a match
        without duplicate dice needs 1 / (1 - 0.4) times as many games for the same error. It is
        negative if pairs made it worse, and undetermined where all pairs ended alike.
        """
        single, pair = self._games.variance, self._pairs.variance
        return 1 - 2 * pair / single if single and pair else None


class Scoreboard:
    """Counts the games of two players as they end, in any order, as one of them sees them."""

    def __init__(self, player: int = 0) -> None:
        self._player = player
        self._counts = {1.0: 0, 0.5: 0, 0.0: 0}
        self._pentanomial = [0, 0, 0, 0, 0]
        #: The utility of games whose partner has not ended, by the number of the pair.
        self._alone: dict[int, float] = {}
        self.winnings = Winnings()

    def add(self, task: Task, utility: float) -> None:
        """Count a game by what it was worth to MAX."""
        mine = utility if task.players[0] == self._player else -utility
        self._counts[points(mine)] += 1
        self.winnings = self.winnings.plus_game(mine)
        partner = self._alone.pop(task.number // 2, None)
        if partner is None:
            self._alone[task.number // 2] = mine
            return
        self._pentanomial[int(2 * (points(mine) + points(partner)))] += 1
        self.winnings = self.winnings.plus_pair(mine, partner)

    @property
    def tally(self) -> Tally:
        """What the games so far say."""
        ll, ld, even, wd, ww = self._pentanomial
        return Tally(
            self._counts[1.0], self._counts[0.5], self._counts[0.0], (ll, ld, even, wd, ww)
        )


@dataclass(frozen=True)
class Standing:
    """Where a match of two players stands, as the first of them sees it."""

    tally: Tally
    sprt: Sprt | None = None
    #: For games of chance alone.
    winnings: Winnings | None = None

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio, if there is a test."""
        return None if self.sprt is None else self.tally.llr(self.sprt)

    @property
    def verdict(self) -> Verdict | None:
        """`accepted` or `rejected` once a test is decided."""
        return None if self.sprt is None else self.sprt.verdict(self.tally.llr(self.sprt))

    def to_json(self) -> dict[str, object]:
        """The figures; those of the test only where there is one."""
        tally = self.tally
        elo = tally.elo
        answer: dict[str, object] = {
            "games": tally.games,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "points": tally.points,
            "elo": elo.value,
            "elo_error": elo.error,
            "nelo": tally.normalized_elo.value,
            "los": tally.los,
            "pentanomial": list(tally.pentanomial),
        }
        if self.winnings is not None:
            per_game = self.winnings.per_game
            answer |= {
                "points_per_game": per_game.value,
                "points_error": per_game.error,
                "variance_saved": self.winnings.variance_saved,
            }
        if self.sprt is not None:
            answer |= {
                "llr": self.llr,
                "bounds": list(self.sprt.bounds),
                "verdict": self.verdict,
            }
        return answer
