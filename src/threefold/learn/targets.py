"""What to learn about a position: a mix of the game's result and what a search thought of it.

A search's value is in the units of its evaluation, which mean nothing by themselves. How likely
each result is at a value is fitted to games that were played: *cumulative logits*, one slope for
all results and a cut between each result and the next,

    P(result > r) = σ(slope · value - cut_r)

For a net of margins, the mean result is fitted as a multiple of the value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

#: Values past these quantiles of all say no more than that somebody is far ahead.
_QUANTILES: Final = (0.005, 0.995)
#: The strength of the belief that nothing follows from anything, in positions.
_PRIOR: Final = 1.0
#: Steps of Newton's method, and when it is close enough.
_STEPS: Final = 50
_CLOSE: Final = 1e-8
#: The most positions that a calibration is fitted to.
_MOST: Final = 50_000


def sigmoid(x: Any) -> Any:
    """1 / (1 + e⁻ˣ), for any size of x."""
    return 0.5 * (1 + np.tanh(x / 2))


def places(utilities: Any, results: Sequence[int]) -> Any:
    """For each utility, the place of the result nearest to it."""
    distances = np.abs(np.asarray(utilities)[:, None] - np.array(results)[None, :])
    return distances.argmin(axis=1)


def certain(utilities: Any, results: Sequence[int]) -> Any:
    """Targets where a game's end is known: the result nearest to its utility, or the margin."""
    if not results:
        return np.asarray(utilities, float)[:, None]
    return np.eye(len(results))[places(utilities, results)]


@dataclass(frozen=True)
class Calibration:
    """What a search's values say about results."""

    #: The results that are told apart; none for a margin.
    results: tuple[int, ...]
    slope: float
    cuts: tuple[float, ...] = ()

    def targets(self, values: Any) -> Any:
        """The chances of each result at each value, or the mean result."""
        values = np.asarray(values, float)
        if not self.results:
            return (self.slope * values)[:, None]
        # With one slope for all, the cuts rise from one result to the next if the games have
        # any of it; where they have none, the chance is none.
        cuts = np.maximum.accumulate(np.array(self.cuts))
        above = sigmoid(self.slope * values[:, None] - cuts[None, :])
        edges = np.hstack([np.ones((len(values), 1)), above, np.zeros((len(values), 1))])
        return edges[:, :-1] - edges[:, 1:]

    @classmethod
    def fitted(cls, values: Any, utilities: Any, results: tuple[int, ...]) -> "Calibration":
        """The one that makes these utilities likeliest at these values, all to one viewer."""
        if len(values) > _MOST:
            chosen = np.random.default_rng(0).choice(len(values), _MOST, replace=False)
            values, utilities = values[chosen], utilities[chosen]
        if not len(values):
            return cls(results, 0.0, (0.0,) * max(len(results) - 1, 0))
        values = np.clip(values, *np.quantile(values, _QUANTILES))
        spread = float(np.sqrt(np.mean(np.square(values)))) or 1.0
        x = values / spread
        if not results:
            slope = float(x @ utilities) / (float(x @ x) + _PRIOR)
            return cls(results, slope / spread)
        above = places(utilities, results)[:, None] > np.arange(len(results) - 1)[None, :]
        slope, cuts = _cumulative_logits(x, above.astype(float))
        return cls(results, max(slope, 0.0) / spread, tuple(cuts))


def _cumulative_logits(x: Any, above: Any) -> tuple[float, list[float]]:
    """The slope and the cuts, by Newton's method: the loss is convex."""
    count = above.shape[1]
    found = np.zeros(1 + count)
    for _ in range(_STEPS):
        chance = sigmoid(found[0] * x[:, None] - found[None, 1:])
        wrong = chance - above
        spread = chance * (1 - chance)
        gradient = np.concatenate([[np.sum(wrong * x[:, None])], -wrong.sum(axis=0)])
        gradient += _PRIOR * found
        hessian = np.zeros((1 + count, 1 + count))
        hessian[0, 0] = np.sum(spread * np.square(x)[:, None])
        hessian[0, 1:] = hessian[1:, 0] = -(spread * x[:, None]).sum(axis=0)
        hessian[range(1, 1 + count), range(1, 1 + count)] = spread.sum(axis=0)
        hessian += _PRIOR * np.eye(1 + count)
        step = np.linalg.solve(hessian, gradient)
        # Far from the answer a whole step may overshoot.
        found -= step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < _CLOSE:
            break
    return float(found[0]), [float(cut) for cut in found[1:]]


def mixed(
    utilities: Any,
    values: Any,
    ends: Any,
    units: Any,
    calibrations: Sequence[Calibration],
    mix: float,
) -> Any:
    """A row for each position, what to learn about it; NaN where nothing is known.

    `utilities` of the games, `values` and `ends` of the searches are all to the position's viewer,
    NaN where unknown; `units` says which calibration belongs to a value. `mix` is the share of the
    search in the target, where both are known.
    """
    results = calibrations[0].results
    width = max(len(results), 1)
    searched = np.full((len(values), width), np.nan)
    for unit, calibration in enumerate(calibrations):
        these = (units == unit) & ~np.isnan(values)
        searched[these] = calibration.targets(values[these])
    seen = ~np.isnan(ends)
    searched[seen] = certain(ends[seen], results)
    played = np.full((len(values), width), np.nan)
    over = ~np.isnan(utilities)
    played[over] = certain(utilities[over], results)
    both = mix * searched + (1 - mix) * played
    return np.where(np.isnan(both), np.where(np.isnan(searched), played, searched), both)
