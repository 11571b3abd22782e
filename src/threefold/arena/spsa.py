"""SPSA: climbing a hill that can only be felt through noise.

Simultaneous perturbation stochastic approximation (Spall, 1992) tunes any number of parameters at
once. An iteration moves every parameter a little up or down, at random, and plays those values
(`plus`) against the opposite ones (`minus`). If plus wins, all parameters go a bit further the way
they were moved, else the other way. Results that a parameter had no part in average out.

The steps shrink as in fishtest, Stockfish's testing framework. In iteration k of N, with A = N/10:

    c_k  =  step · (N / k)^0.101                          how far parameters are moved to be tried
    r_k  =  rate · ((A + N) / (A + k))^0.602 · (step / c_k)²
    parameter  +=  r_k · c_k · (wins - losses of plus) · (+1 or -1, the way it was moved)

Everything here is a function of the seed and of the results.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_ALPHA: Final = 0.602
_GAMMA: Final = 0.101
_STABILITY: Final = 0.1
#: By how many steps chance alone moves a parameter in the whole run, roughly, at the usual rate.
_WANDERING: Final = 0.5
#: Digits after the point of a parameter that is not whole.
DECIMALS: Final = 3


@dataclass(frozen=True)
class Parameter:
    """A number to tune: its range, where it starts, and how far it is moved at the end."""

    name: str
    low: float
    high: float
    start: float
    #: How far it is moved to be tried in the last iteration.
    step: float
    #: Whether only whole numbers can be played.
    whole: bool

    def clipped(self, value: float) -> float:
        """The nearest value in the range."""
        return min(max(value, self.low), self.high)

    def playable(self, value: float, chance: float = 0.5) -> float:
        """A value that can be played, in the range: rounded up with a probability of its fraction.

        `chance` is a random number from 0 to 1. For the same one, values that differ by one or
        more differ after rounding as well.
        """
        scale = 1 if self.whole else 10**DECIMALS
        rounded = math.floor(self.clipped(value) * scale + chance) / scale
        return self.clipped(rounded)

    def text(self, value: float) -> str:
        """A playable value as a player's line has it."""
        return f"{value:.0f}" if self.whole else f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Plan:
    """What decides a run, beside its seed and its results."""

    parameters: tuple[Parameter, ...]
    iterations: int
    #: Pairs of games in each iteration.
    pairs: int
    #: How fast results move the parameters.
    rate: float


@dataclass(frozen=True)
class Trial:
    """What an iteration plays: values by name, and which way each parameter was moved."""

    plus: Mapping[str, float]
    minus: Mapping[str, float]
    signs: tuple[int, ...]


def usual_rate(pairs: int) -> float:
    """The rate for a run of this many pairs of games.

    The difference in points of a pair is about ±1 by chance, and chance adds up to the square root
    of their number.
    """
    return _WANDERING / math.sqrt(pairs)


class Spsa:
    """A run: where its parameters are, and what to try next."""

    def __init__(self, plan: Plan, seed: int = 0) -> None:
        self.plan = plan
        self.parameters = plan.parameters
        self.iterations = plan.iterations
        self._rate = plan.rate
        self._seed = seed
        #: The parameters after each iteration so far, the start first.
        self.path: list[tuple[float, ...]] = [tuple(each.start for each in plan.parameters)]

    @property
    def done(self) -> int:
        """How many iterations are done."""
        return len(self.path) - 1

    @property
    def values(self) -> dict[str, float]:
        """Where the parameters are now, as they can be played."""
        pairs = zip(self.parameters, self.path[-1], strict=True)
        return {each.name: each.playable(value) for each, value in pairs}

    def trial(self) -> Trial:
        """What the next iteration plays."""
        rng = random.Random(f"{self._seed} {self.done}")
        shift = self._shift()
        plus, minus, signs = {}, {}, []
        for each, value in zip(self.parameters, self.path[-1], strict=True):
            sign, chance = rng.choice((-1, 1)), rng.random()
            moved = sign * shift * each.step
            plus[each.name] = each.playable(value + moved, chance)
            minus[each.name] = each.playable(value - moved, chance)
            signs.append(sign)
        return Trial(plus, minus, tuple(signs))

    def learn(self, result: float) -> None:
        """Go on from the next iteration's result: the wins of plus minus its losses."""
        signs = self.trial().signs
        shift = self._shift()
        beyond = _STABILITY * self.iterations
        decay = (beyond + self.iterations) / (beyond + self.done + 1)
        gain = self._rate * decay**_ALPHA / shift**2 * shift * result
        self.path.append(
            tuple(
                each.clipped(value + sign * gain * each.step)
                for each, value, sign in zip(self.parameters, self.path[-1], signs, strict=True)
            )
        )

    def _shift(self) -> float:
        """How far the next iteration moves parameters, in their steps."""
        return float((self.iterations / (self.done + 1)) ** _GAMMA)
