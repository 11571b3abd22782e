"""How strong a net is: games against other nets, the game's own evaluation, and random play.

All players look one ply ahead, so hundreds of games take about a second. What is measured is how
well a net tells positions apart, by itself: not even a table of races helps it. A search with it is
far stronger.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.listing import check_fault
from threefold.engine.net_value import NetArrays
from threefold.engine.nets import Net
from threefold.engine.records import allocate, boxed
from threefold.engine.worker import run_in_worker
from threefold.learn.one_ply import AT_RANDOM, BY_EVALUATION, BY_NET, CUT_OFF, Sparring, play_pairs
from threefold.rules.game import Game

#: How many games a measurement has against each opponent.
GAMES: Final = 400
#: Games that are played between two looks at the clock.
_BATCH: Final = 20
#: A longer game is cut off, and does not count.
_MOST_PLIES: Final = 512
#: Openings are random moves: at most a fifth of a game, and so many at most.
_OPENING_SHARE: Final = 5
_LONGEST_OPENING: Final = 8
#: Standard deviations on either side of a mean, for an interval of 95 %.
_INTERVAL: Final = 1.96

#: The opponents of a measurement.
RANDOM: Final = "random"
EVALUATION: Final = "evaluation"
PREVIOUS: Final = "previous"


@dataclass(frozen=True)
class Score:
    """What a net scored against one opponent."""

    games: int
    wins: int
    draws: int
    losses: int
    #: The mean utility of a game, and its error at 95 %; None with a single pair of games.
    points: float
    error: float | None
    #: Games that were cut off because they took too long. They are in `games`, and in nothing else.
    unfinished: int = 0

    def to_json(self) -> dict[str, Any]:
        """The same in JSON's own types."""
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "points": round(self.points, 4),
            "error": None if self.error is None else round(self.error, 4),
            "unfinished": self.unfinished,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "Score":
        """What `to_json` returned."""
        return cls(**given)


#: What a net scored, by opponent.
Strength = Mapping[str, Score]


class Sparrings:
    """Games of one game, each player looking one ply ahead."""

    def __init__(self, game: Game[Any], seed: int = 0) -> None:
        self.game = game
        self._compiled: Compiled[Any] = Compiled(game)
        self._entry = self._compiled.entry(play_pairs)
        self._words = self._compiled.words(game.initial())
        self._seed = seed
        self._played = 0
        self._opening = 1

    @property
    def opponents(self) -> tuple[str, ...]:
        """Who there is to measure a net against, except for other nets."""
        return (EVALUATION, RANDOM) if self.game.evaluation is not None else (RANDOM,)

    def prepare(self) -> None:
        """Compile, and see how long games are."""
        plies = self._play(AT_RANDOM, AT_RANDOM, _BATCH)[1] / _BATCH
        self._opening = opening_plies(plies)

    def measure(self, net: Net[Any], previous: Net[Any] | None, seconds: float) -> Strength:
        """How a net fares against each opponent, within about so many seconds."""
        others: dict[str, Net[Any] | int] = {}
        if previous is not None:
            others[PREVIOUS] = previous
        for name in self.opponents:
            others[name] = BY_EVALUATION if name == EVALUATION else AT_RANDOM
        share = seconds / len(others)
        return {name: self.score(net, other, seconds=share) for name, other in others.items()}

    def score(
        self,
        one: Net[Any] | int,
        other: Net[Any] | int,
        *,
        games: int = GAMES,
        seconds: float = math.inf,
    ) -> Score:
        """What one scores against another; a player is a net, `AT_RANDOM` or `BY_EVALUATION`."""
        end = time.monotonic() + seconds
        gains: list[int | None] = []
        while len(gains) < games:
            gains += self._play(one, other, min(_BATCH, games - len(gains)))[0]
            if time.monotonic() > end:
                break
        return scored(gains)

    def _play(
        self, one: Net[Any] | int, other: Net[Any] | int, games: int
    ) -> tuple[list[int | None], int]:
        """What one gained in each game against another, and how many plies they had in all.

        None is for a game that was cut off.
        """
        facts = self.game.facts
        sparring = allocate(Sparring, facts.max_moves)
        sparring.max_plies = min(facts.max_ply, _MOST_PLIES)
        sparring.opening = self._opening
        kept = []  # as long as the games run
        for place, judge in enumerate((one, other)):
            if isinstance(judge, Net):
                arrays = NetArrays(judge, races=False)
                kept.append(arrays)
                sparring.nets[place] = arrays.fields()  # type: ignore[call-overload]
                sparring.ways[place] = BY_NET
            else:
                sparring.ways[place] = judge
        gains = np.zeros(games, np.int64)
        seed = (self._seed << 32) + self._played
        self._played += games
        work = partial(self._entry, self._words, seed, gains, boxed(sparring))
        run_in_worker(work, sparring)
        check_fault(self.game, sparring)
        del kept
        known = [None if gain == CUT_OFF else int(gain) for gain in gains]
        return known, int(sparring.nodes)


def opening_plies(plies: float) -> int:
    """How many random moves a game begins with, given the length of random games in plies."""
    return min(max(round(plies / _OPENING_SHARE), 1), _LONGEST_OPENING)


def scored(gains: Sequence[int | None]) -> Score:
    """What a player scored in pairs of games; None is for one that was cut off."""
    known = [gain for gain in gains if gain is not None]
    mean = sum(known) / len(known) if known else 0.0
    # The games of a pair depend on each other, so what is averaged is pairs.
    pairs = [
        sum(gain - mean for gain in pair if gain is not None)
        for pair in zip(gains[::2], gains[1::2], strict=False)
        if pair != (None, None)
    ]
    error = None
    if len(pairs) > 1:
        variance = sum(pair**2 for pair in pairs) * len(pairs) / (len(pairs) - 1)
        error = _INTERVAL * math.sqrt(variance) / len(known)
    return Score(
        len(gains),
        sum(gain > 0 for gain in known),
        sum(gain == 0 for gain in known),
        sum(gain < 0 for gain in known),
        mean,
        error,
        len(gains) - len(known),
    )
