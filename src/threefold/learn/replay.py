"""The latest positions of self-play, from which batches to learn from are drawn.

Positions are kept as they were played. Whenever one is learned from, a random one of its symmetric
images takes its place.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.learn.policy_play import GameRecord, Lessons, Setup, Teacher

S = TypeVar("S")

_NAMES: Final = ("states", "lasts", "moves", "shares", "counts", "worths")


class Replay(Generic[S]):
    """As many positions as the window holds; new ones take the place of the oldest."""

    def __init__(self, setup: Setup[S], window: int) -> None:
        most, fields = setup.game.facts.max_moves, len(setup.start)
        self._window = window
        self._teacher = Teacher(setup)
        self._rows: tuple[Any, ...] = (
            np.zeros((window, fields), np.int64),
            np.zeros((window, fields), np.int64),
            np.zeros((window, most), np.int32),
            np.zeros((window, most), np.float16),
            np.zeros(window, np.int32),
            np.zeros(window, np.float32),
        )
        #: Positions that were ever added.
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, self._window)

    def add(self, games: Sequence[GameRecord]) -> None:
        """Add the positions of some games."""
        for game in games:
            n = len(game)
            lasts, worths = np.tile(game.last, (n, 1)), np.full(n, game.worth)
            self._put((game.states, lasts, game.moves, game.shares, game.counts, worths))

    def sample(self, count: int, rng: Any) -> Lessons:
        """Positions at random, all equally likely."""
        chosen = rng.integers(0, len(self), count)
        given = [each[chosen] for each in self._rows]
        return self._teacher.lessons(given, int(rng.integers(1 << 62)))

    def _put(self, rows: Sequence[Any]) -> None:
        kept = min(len(rows[0]), self._window)
        self.added += len(rows[0])
        places = np.arange(self.added - kept, self.added) % self._window
        for mine, given in zip(self._rows, rows, strict=True):
            mine[places] = given[-kept:] if kept else given[:0]

    def state(self) -> dict[str, Any]:
        """The positions, the oldest first, as plain arrays."""
        kept = np.arange(max(self.added - self._window, 0), self.added) % self._window
        arrays = zip(_NAMES, self._rows, strict=True)
        return {f"replay.{name}": each[kept] for name, each in arrays}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        arrays = [np.array(state[f"replay.{name}"]) for name in _NAMES]
        fits = all(a.shape[1:] == b.shape[1:] for a, b in zip(arrays, self._rows, strict=True))
        if not fits or len({len(each) for each in arrays}) > 1:
            raise ValueError("the positions of self-play do not fit together")
        self.added = 0
        self._put(arrays)
