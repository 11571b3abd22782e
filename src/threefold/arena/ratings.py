"""Ratings of many players by maximum likelihood, with draws and the advantage of moving first.

The model. Let MAX's rating minus MIN's, plus the advantage of moving first, be `d` Elo. Then MAX's
expected score is 1 / (1 + 10^(-d / 400)), the usual Elo curve. Draws follow Davidson (1970): the
chance of a draw is `nu` times the geometric mean of the chances of a win and a loss. The expected
score and `nu` together fix all three chances. So ratings read like Elo however many games are
drawn: two players who are as good with either side get the Elo difference of their score.

A weak prior keeps ratings finite where a player won or lost every game: each rating is taken to be
normal around the average with a deviation of `PRIOR` Elo. In a hundred games it moves a difference
of 200 by a tenth of a point.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from threefold.arena.lines import parse_line
from threefold.arena.meetings import Meetings
from threefold.arena.statistics import DEVIATIONS_95, Estimate
from threefold.errors import ThreefoldError, argument

#: The deviation, in Elo, that ratings are assumed to have before any game is seen;
PRIOR: Final = 1000.0
#: that of the advantage of moving first, and that of the logarithm of `nu`.
_PRIOR_ADVANTAGE: Final = 1000.0
_PRIOR_DRAWS: Final = 3.0
#: Elo in natural units: one is a factor of e in the odds.
_UNIT: Final = 400 / math.log(10)

Matrix = list[list[float]]


@dataclass(frozen=True)
class Rated:
    """A player's rating."""

    #: Which of the event's players.
    player: int
    #: In Elo; in games of chance the points per game.
    rating: float | None
    #: The half-width of the 95% interval; None if it is not determined.
    error: float | None
    games: int
    points: float


@dataclass(frozen=True)
class Ratings:
    """The ratings of an event's players, best first."""

    players: Sequence[Rated]
    #: How much moving first is worth, in Elo.
    first_move: Estimate
    #: How often players of the same strength draw, moving first being worth nothing.
    draw_rate: float | None

    def to_json(self, names: Sequence[str]) -> dict[str, object]:
        """The table, best first."""
        return {
            "players": [
                {
                    "player": names[rated.player],
                    "rating": rated.rating,
                    "error": rated.error,
                    "games": rated.games,
                    "points": rated.points,
                }
                for rated in self.players
            ]
        }


def parse_anchor(text: str, names: Sequence[str]) -> tuple[int, float]:
    """`PLAYER=ELO`: which player, and its rating; `names` are as `str` writes parsed lines."""
    name, found, elo = text.rpartition("=")
    try:
        rating = float(elo)
    except ValueError:
        rating = math.nan
    given = argument("anchor", text)
    if not found or not math.isfinite(rating):
        raise ThreefoldError(f"{given}: give a player and its rating, such as level(5)=1500")
    line = str(parse_line(name))
    if line not in names:
        raise ThreefoldError(f"{given}: no player {name!r}; there are {', '.join(names)}")
    return list(names).index(line), rating


def rate(meetings: Meetings, players: int, anchor: tuple[int, float] | None = None) -> Ratings:
    """Ratings of players 0 to `players` - 1, around 0 or with one player's rating given."""
    fit = _Fit(meetings, players)
    fit.climb()
    covariance = _inverse(fit.information())
    # Only differences mean anything, so ratings are measured from the average, or from the anchor.
    if anchor is None:
        reference = [1 / players] * players
        origin = 0.0
    else:
        reference = [float(i == anchor[0]) for i in range(players)]
        origin = anchor[1]
    middle = sum(w * r for w, r in zip(reference, fit.ratings, strict=True))
    rated = []
    for i in range(players):
        contrast = [float(i == j) - reference[j] for j in range(players)]
        variance = sum(
            contrast[j] * contrast[k] * covariance[j][k]
            for j in range(players)
            for k in range(players)
        )
        tally = meetings.of(i)
        rated.append(
            Rated(
                i,
                origin + (fit.ratings[i] - middle) * _UNIT,
                DEVIATIONS_95 * math.sqrt(max(0.0, variance)) * _UNIT if tally.games else None,
                tally.games,
                tally.points,
            )
        )
    error = DEVIATIONS_95 * math.sqrt(covariance[players][players]) * _UNIT
    nu = math.exp(fit.log_nu)
    return Ratings(
        sorted(rated, key=lambda one: (-(one.rating or 0.0), one.player)),
        Estimate(fit.advantage * _UNIT, error) if fit.games else Estimate(None, None),
        nu / (2 + nu) if fit.games else None,
    )


def points_per_game(meetings: Meetings, players: int) -> Ratings:
    """For games of chance: what each player won per game, its error from pairs of games.

    The error is that of chance: opponents stay the same, however much they differ.
    """
    rated = []
    for i in range(players):
        tally, per_game = meetings.of(i), meetings.winnings(i).per_game
        rated.append(Rated(i, per_game.value, per_game.error, tally.games, tally.points))
    unrated = -math.inf
    return Ratings(
        sorted(
            rated, key=lambda one: (-(unrated if one.rating is None else one.rating), one.player)
        ),
        Estimate(None, None),
        None,
    )


class _Fit:
    """The parameters in natural units: ratings, then the advantage, then the logarithm of nu."""

    def __init__(self, meetings: Meetings, players: int) -> None:
        self._players = players
        self._sides = list(meetings.sides())
        self._parameters = [0.0] * (players + 2)
        natural = 1 / _UNIT
        self._precision = [
            *[1 / (PRIOR * natural) ** 2] * players,
            1 / (_PRIOR_ADVANTAGE * natural) ** 2,
            1 / _PRIOR_DRAWS**2,
        ]
        self.games = sum(sum(counts) for _, _, *counts in self._sides)

    @property
    def ratings(self) -> list[float]:
        return self._parameters[: self._players]

    @property
    def advantage(self) -> float:
        return self._parameters[self._players]

    @property
    def log_nu(self) -> float:
        return self._parameters[self._players + 1]

    def climb(self) -> None:
        """Maximize the likelihood by Fisher's scoring: Newton with the expected Hessian."""
        best = self._likelihood(self._parameters)
        for _ in range(100):
            step = _solve(self.information(), self._gradient())
            # Half the step until it climbs; near the top rounding may say that it does not.
            for _ in range(30):
                tried = [a + b for a, b in zip(self._parameters, step, strict=True)]
                reached = self._likelihood(tried)
                if reached > best:
                    break
                step = [b / 2 for b in step]
            else:
                return
            self._parameters, best = tried, reached
            if max(map(abs, step)) < 1e-9:
                return

    def _likelihood(self, parameters: Sequence[float]) -> float:
        """The logarithm of the likelihood and of the prior."""
        total = -sum(k * x * x for k, x in zip(self._precision, parameters, strict=True)) / 2
        *ratings, advantage, log_nu = parameters
        for first, second, wins, draws, losses in self._sides:
            chances = _Chances(ratings[first] - ratings[second] + advantage, log_nu)
            total += (wins - losses) * chances.u + draws * log_nu
            total -= (wins + draws + losses) * math.log(chances.z)
        return total

    def _gradient(self) -> list[float]:
        slope = [-k * x for k, x in zip(self._precision, self._parameters, strict=True)]
        for first, second, wins, draws, losses in self._sides:
            chances = self._chances(first, second)
            games = wins + draws + losses
            surplus = wins - losses - games * chances.balance
            by_difference = surplus * chances.u_by_difference
            slope[first] += by_difference
            slope[second] -= by_difference
            slope[-2] += by_difference
            slope[-1] += surplus * chances.u_by_log_nu + draws - games * chances.draw
        return slope

    def information(self) -> Matrix:
        """Fisher's information, with the prior's."""
        size = len(self._parameters)
        matrix = [[0.0] * size for _ in range(size)]
        for i, k in enumerate(self._precision):
            matrix[i][i] = k
        for first, second, wins, draws, losses in self._sides:
            chances = self._chances(first, second)
            games = wins + draws + losses
            of_result = 1 - chances.draw - chances.balance**2
            with_draw = -chances.balance * chances.draw
            by_d, by_nu = chances.u_by_difference, chances.u_by_log_nu
            both = games * by_d**2 * of_result
            mixed = games * by_d * (by_nu * of_result + with_draw)
            of_draw = chances.draw * (1 - chances.draw)
            matrix[-1][-1] += games * (by_nu**2 * of_result + 2 * by_nu * with_draw + of_draw)
            signs = ((first, 1), (second, -1), (size - 2, 1))
            for i, sign in signs:
                matrix[i][-1] += sign * mixed
                matrix[-1][i] += sign * mixed
                for j, other in signs:
                    matrix[i][j] += sign * other * both
        return matrix

    def _chances(self, first: int, second: int) -> "_Chances":
        ratings = self._parameters
        return _Chances(ratings[first] - ratings[second] + self.advantage, self.log_nu)


class _Chances:
    """The chances of a game at a difference in strength, in natural units.

    A win, a draw and a loss are as e^u : nu : e^-u, and `z` is their sum. `u` is such that the
    expected score is the logistic curve: 2 sinh(u) / z = win - loss = tanh(difference / 2).
    """

    def __init__(self, difference: float, log_nu: float) -> None:
        nu = math.exp(log_nu)
        #: The chance of a win less that of a loss. Never quite 1, so that `u` stays finite.
        self.balance = t = max(-1 + 1e-15, min(1 - 1e-15, math.tanh(difference / 2)))
        # The condition is quadratic in e^u: (1 - |t|) e^2u - |t| nu e^u - (1 + |t|) = 0.
        a = abs(t)
        root = math.sqrt((a * nu) ** 2 + 4 * (1 - a * a))
        self.u = math.copysign(math.log((a * nu + root) / (2 * (1 - a))), t)
        self.z = 2 * math.cosh(self.u) + nu
        self.draw = nu / self.z
        slope = 2 * math.cosh(self.u) - 2 * t * math.sinh(self.u)
        self.u_by_difference = (1 - t * t) / 2 * self.z / slope
        self.u_by_log_nu = t * nu / slope


def _cholesky(matrix: Matrix) -> Matrix:
    """The lower triangle L of L L' = matrix, which is positive definite."""
    lower: Matrix = []
    for i, row in enumerate(matrix):
        lower.append([])
        for j in range(i + 1):
            rest = row[j] - sum(a * b for a, b in zip(lower[i], lower[j], strict=False))
            lower[i].append(math.sqrt(rest) if i == j else rest / lower[j][j])
    return lower


def _solve(matrix: Matrix, right: Sequence[float]) -> list[float]:
    return _substitute(_cholesky(matrix), right)


def _substitute(lower: Matrix, right: Sequence[float]) -> list[float]:
    size = len(lower)
    forward: list[float] = []
    for i in range(size):
        forward.append((right[i] - sum(lower[i][j] * forward[j] for j in range(i))) / lower[i][i])
    answer = [0.0] * size
    for i in reversed(range(size)):
        rest = sum(lower[j][i] * answer[j] for j in range(i + 1, size))
        answer[i] = (forward[i] - rest) / lower[i][i]
    return answer


def _inverse(matrix: Matrix) -> Matrix:
    lower, size = _cholesky(matrix), len(matrix)
    return [_substitute(lower, [float(i == j) for j in range(size)]) for i in range(size)]
