"""The latest positions of self-play, from which batches to learn from are drawn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from threefold.learn.policy_play import Lessons


class Replay:
    """As many positions as the window holds; new ones take the place of the oldest."""

    def __init__(self, window: int, words: int, max_moves: int, owner_words: int = 0) -> None:
        self._words = np.zeros((window, words), np.int64)
        self._moves = np.zeros((window, max_moves), np.int16)
        self._shares = np.zeros((window, max_moves), np.float16)
        self._results = np.zeros(window, np.float32)
        self._owned = np.zeros((window, owner_words), np.int64)
        #: Positions that were ever added.
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self._words))

    def add(self, lessons: Lessons) -> None:
        """Add the positions of some games."""
        places = (self.added + np.arange(len(lessons))) % len(self._words)
        self._words[places] = lessons.words
        self._moves[places] = lessons.moves
        self._shares[places] = lessons.shares
        self._results[places] = lessons.results
        self._owned[places] = lessons.owned
        self.added += len(lessons)

    def sample(self, count: int, rng: Any) -> Lessons:
        """Positions at random, all equally likely."""
        return self._at(rng.integers(0, len(self), count))

    def _at(self, places: Any) -> Lessons:
        return Lessons(
            self._words[places],
            self._moves[places],
            self._shares[places],
            self._results[places],
            self._owned[places],
            0,
        )

    def state(self) -> dict[str, Any]:
        """The positions, the oldest first, as plain arrays."""
        begin = max(self.added - len(self._words), 0)
        kept = self._at(np.arange(begin, self.added) % len(self._words))
        return {
            "replay.words": kept.words,
            "replay.moves": kept.moves,
            "replay.shares": kept.shares,
            "replay.results": kept.results,
            "replay.owned": kept.owned,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        names = ("words", "moves", "shares", "results", "owned")
        arrays = {name: np.array(state[f"replay.{name}"]) for name in names}
        if len({len(each) for each in arrays.values()}) > 1:
            raise ValueError("the positions of self-play do not fit together")
        latest = {name: each[-len(self._words) :] for name, each in arrays.items()}
        self.added = 0
        self.add(Lessons(**latest, games=0))
