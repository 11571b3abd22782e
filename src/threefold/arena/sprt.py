"""Wald's sequential probability ratio test: stop a match as soon as its result is clear.

The test weighs two hypotheses, that A is `elo0` stronger than B and that it is `elo1` stronger. Its
log-likelihood ratio (LLR) compares how well each can explain the results: under each hypothesis
the distribution of results is the most likely one that has the assumed strength. See Michel Van
den Bergh, "Comments on Normalized Elo"; the numbers of its equations are given below. fastchess and
Fishtest compute the same figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from threefold.errors import ThreefoldError, argument

#: One unit of (score - 1/2) / deviation, for a single game, in normalized Elo.
NORMALIZED_ELO: Final = 800 / math.log(10)
#: What a count of zero becomes, so that no result is impossible.
REGULARIZED: Final = 1e-3
#: The score of a pair's games together, from LL to WW, and of a single game.
PAIR_SCORES: Final[tuple[float, ...]] = (0.0, 0.25, 0.5, 0.75, 1.0)
GAME_SCORES: Final[tuple[float, ...]] = (0.0, 0.5, 1.0)
#: Beyond this, hardly any distribution of results has the assumed normalized Elo.
LARGEST_NORMALIZED: Final = 200.0
#: Beyond this, the assumed score is 0 or 1 in floating-point numbers.
LARGEST_LOGISTIC: Final = 2000.0

Verdict = Literal["accepted", "rejected"]
Model = Literal["normalized", "logistic", "bayesian"]
MODELS: Final[tuple[Model, ...]] = ("normalized", "logistic", "bayesian")


def check_model(model: str) -> None:
    """Raise unless there are such units."""
    if model not in MODELS:
        raise ThreefoldError(f"no SPRT model {model!r}; there are {', '.join(MODELS)}")


@dataclass(frozen=True)
class Sprt:
    """A test of two hypotheses: A is `elo0` or `elo1` stronger than B."""

    elo0: float
    elo1: float
    #: How often a player that is only `elo0` stronger is accepted by mistake,
    alpha: float = 0.05
    #: and how often one that is `elo1` stronger is rejected.
    beta: float = 0.05
    #: The units of `elo0` and `elo1`: `normalized`, `logistic` (the usual Elo) or `bayesian`.
    model: Model = "normalized"

    def __post_init__(self) -> None:
        check_model(self.model)
        largest = LARGEST_NORMALIZED if self.model == "normalized" else LARGEST_LOGISTIC
        if not -largest <= self.elo0 < self.elo1 <= largest:
            given = argument("sprt", f"{self.elo0:g},{self.elo1:g}")
            raise ThreefoldError(
                f"{given}: the first number must be the smaller one, and both within "
                f"{-largest:g} and {largest:g}"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                given = argument(name, f"{getattr(self, name):g}")
                raise ThreefoldError(f"{given}: a probability of error lies between 0 and 0.5")

    @classmethod
    def parse(
        cls, text: str, *, alpha: float = 0.05, beta: float = 0.05, model: Model = "normalized"
    ) -> Self:
        """A test from a text such as `0,5`."""
        try:
            elo0, elo1 = map(float, text.split(","))
        except ValueError:
            given = argument("sprt", text)
            raise ThreefoldError(f"{given}: give two numbers, such as 0,5") from None
        return cls(elo0, elo1, alpha, beta, model)

    @property
    def bounds(self) -> tuple[float, float]:
        """The LLR at which the match ends: rejected at the first, accepted at the second."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict(self, llr: float) -> Verdict | None:
        """What an LLR decides; None if the match must go on."""
        lower, upper = self.bounds
        return "accepted" if llr >= upper else "rejected" if llr <= lower else None

    def llr(self, counts: Sequence[int]) -> float:
        """The LLR of pairs, given as (LL, LD, WL + DD, WD, WW), or of games, as (L, D, W)."""
        if not any(counts):
            return 0.0
        if len(counts) == len(PAIR_SCORES):
            scores, games = PAIR_SCORES, 2
            if self.model == "bayesian":
                raise ThreefoldError("the bayesian model has no statistics of pairs")
        else:
            scores, games = GAME_SCORES, 1
        regular = [count or REGULARIZED for count in counts]
        total = sum(regular)
        seen = [count / total for count in regular]
        if self.model == "normalized":
            unit = NORMALIZED_ELO / math.sqrt(games)
            zero, one = (_with_ratio(scores, seen, elo / unit) for elo in (self.elo0, self.elo1))
        else:
            if self.model == "bayesian":
                if not counts[0] or not counts[-1]:
                    return 0.0  # without wins or losses there is no estimate of the draw rate
                draw_elo = 200 * math.log10((1 / seen[0] - 1) * (1 / seen[-1] - 1))
            else:
                draw_elo = 0.0
            zero, one = (
                _with_mean(scores, seen, _bayesian_score(elo, draw_elo))
                for elo in (self.elo0, self.elo1)
            )
        return total * sum(p * math.log(b / a) for p, a, b in zip(seen, zero, one, strict=True))


def _bayesian_score(elo: float, draw_elo: float) -> float:
    """The expected score; with `draw_elo` 0 it is the logistic curve of the usual Elo."""
    win = 1 / (1 + 10 ** ((draw_elo - elo) / 400))
    loss = 1 / (1 + 10 ** ((draw_elo + elo) / 400))
    return (1 + win - loss) / 2


def _with_mean(scores: Sequence[float], seen: Sequence[float], mean: float) -> list[float]:
    """The most likely distribution that has a given mean (proposition 1.1)."""
    return _tilted(seen, [score - mean for score in scores])


def _with_ratio(scores: Sequence[float], seen: Sequence[float], ratio: float) -> list[float]:
    """The most likely distribution where (mean - 1/2) / deviation is a given ratio (section 4.1).

    The condition is not linear. It is replaced by its tangent at the last guess until it holds.
    """
    guess = [1 / len(scores)] * len(scores)
    for _ in range(200):
        mean = sum(p * score for p, score in zip(guess, scores, strict=True))
        deviation = math.sqrt(
            sum(p * (score - mean) ** 2 for p, score in zip(guess, scores, strict=True))
        )
        last, guess = (
            guess,
            _tilted(
                seen,
                [
                    score - 0.5 - ratio * deviation / 2 * (1 + ((score - mean) / deviation) ** 2)
                    for score in scores
                ],
            ),
        )
        if max(abs(a - b) for a, b in zip(last, guess, strict=True)) < 1e-10:
            break
    return guess


def _tilted(seen: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The most likely distribution in which the expected offset is 0 (equations 1.2 and 1.3)."""
    theta = _tilt(seen, offsets)
    return [p / (1 + theta * x) for p, x in zip(seen, offsets, strict=True)]


def _tilt(seen: Sequence[float], offsets: Sequence[float]) -> float:
    """The root of a function that falls between two poles, by Newton, or halving where it fails."""
    low, high = -1 / max(offsets), -1 / min(offsets)
    theta, precision = 0.0, 1e-12 * (high - low)
    while True:
        value = slope = 0.0
        for p, x in zip(seen, offsets, strict=True):
            term = x / (1 + theta * x)
            value += p * term
            slope -= p * term * term
        low, high = (theta, high) if value > 0 else (low, theta)
        last, theta = theta, theta - value / slope
        if not low < theta < high:
            theta = (low + high) / 2
        if abs(theta - last) <= precision:
            return theta
