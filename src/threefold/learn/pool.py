"""The positions that a net is fitted to: what each shows, and what is known of it.

One game of ten is kept apart. Nothing is learned from it, so that the loss there says how good the
net is, and not how well it remembers.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.learn.learner import Experience
from threefold.learn.lessons import Lookout
from threefold.learn.recorded import Recorded
from threefold.learn.targets import Calibration, mixed
from threefold.rules.contract import MAX
from threefold.rules.game import Game

S = TypeVar("S")

#: One game of so many is kept apart.
HELD_OUT: Final = 10
#: The most positions that are remembered, by default: the latest.
MOST_POSITIONS: Final = 1 << 20
#: The most positions that the loss is measured on.
_MEASURED: Final = 1 << 15
#: The columns of what is known about a position.
_UTILITY, _VALUE, _END, _UNIT, _HELD = range(5)


class Pool(Generic[S]):
    """Quiet positions of games, the latest of them."""

    def __init__(self, game: Game[S], results: tuple[int, ...], most: int = MOST_POSITIONS) -> None:
        self._lookout = Lookout(game)
        self._results = results
        self._most = most
        self._words = np.zeros((0, self._lookout.words), np.int64)
        self._known = np.zeros((0, 5), np.float32)
        self._units: list[str] = []
        #: Those of the positions as they are, once they are asked for.
        self._calibrations: list[Calibration] = []
        #: The games that were added so far.
        self.games = 0

    @property
    def words(self) -> int:
        """How many words of features a position has."""
        return self._lookout.words

    def __len__(self) -> int:
        return len(self._words)

    def prepare(self) -> None:
        """Compile now."""
        self._lookout.prepare()

    def add(self, games: Sequence[Recorded]) -> int:
        """Add the quiet positions of some games; how many there were."""
        if not games:
            return 0
        states = np.concatenate([each.states for each in games])
        words, viewers, quiet, _ = self._lookout.look(states)
        known = np.full((len(states), 5), np.nan, np.float32)
        begin = 0
        for each in games:
            end = begin + len(each.states)
            self._note(each, viewers[begin:end], known[begin:end])
            self.games += 1
            begin = end
        self._calibrations = []
        useful = quiet & ~np.isnan(known[:, [_UTILITY, _VALUE, _END]]).all(axis=1)
        self._words = np.concatenate([self._words, words[useful]])[-self._most :]
        self._known = np.concatenate([self._known, known[useful]])[-self._most :]
        return int(useful.sum())

    def _note(self, game: Recorded, viewers: Any, known: Any) -> None:
        """Write down what is known about each position, to its viewer."""
        # Nature's viewers are those about to roll, whose results are known but no values.
        known[:, _VALUE] = game.values
        known[:, _END] = game.ends
        if game.utility is not None:
            known[game.sound :, _UTILITY] = game.utility
            known[game.sound :, _UTILITY] *= np.where(viewers[game.sound :] == MAX, 1, -1)
        units = [self._unit(name) for name in game.units]
        known[:, _UNIT] = np.where(viewers == MAX, *units)
        known[:, _HELD] = self.games % HELD_OUT == HELD_OUT - 1
        known[: game.first, : _END + 1] = np.nan
        known[-1, : _END + 1] = np.nan  # the game is over there

    def _unit(self, name: str) -> int:
        if name not in self._units:
            self._units.append(name)
        return self._units.index(name)

    def calibrations(self) -> list[Calibration]:
        """What the values in each unit say, by the games' results."""
        if not self._calibrations:
            self._calibrations = self._calibrated()
        return self._calibrations

    def _calibrated(self) -> list[Calibration]:
        known = self._known
        both = ~np.isnan(known[:, _UTILITY]) & ~np.isnan(known[:, _VALUE])
        found = []
        for unit in range(max(len(self._units), 1)):
            these = known[both & (known[:, _UNIT] == unit)].astype(float)
            found.append(Calibration.fitted(these[:, _VALUE], these[:, _UTILITY], self._results))
        return found

    def sample(self, most: int, mix: float, rng: Any) -> Experience:
        """Positions to learn from, some of them or all."""
        places = np.flatnonzero(self._known[:, _HELD] == 0)
        if len(places) > most:
            places = rng.choice(places, most, replace=False)
        return self._experience(places, mix)

    def held_out(self, mix: float) -> Experience:
        """The positions that were kept apart."""
        places = np.flatnonzero(self._known[:, _HELD] == 1)
        return self._experience(places[-_MEASURED:], mix)

    def _experience(self, places: Any, mix: float) -> Experience:
        known = self._known[places].astype(float)
        targets = mixed(
            known[:, _UTILITY],
            known[:, _VALUE],
            known[:, _END],
            known[:, _UNIT],
            self.calibrations(),
            mix,
        )
        return Experience(self._words[places], targets.astype(np.float32), 0, len(places))

    def state(self) -> dict[str, Any]:
        """Everything, as plain arrays."""
        return {
            "pool_words": self._words,
            "pool_known": self._known,
            "pool_units": np.array(self._units, np.str_),
            "pool_games": np.int64(self.games),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        self._words = np.array(state["pool_words"])
        self._known = np.array(state["pool_known"])
        self._units = [str(name) for name in state["pool_units"]]
        self.games = int(state["pool_games"])
        self._calibrations = []
