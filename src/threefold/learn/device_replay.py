"""The latest positions of self-play on a GPU, and what the net learns from them.

Positions are kept as they were played. Whenever one is learned from, a random one of its symmetric
images takes its place, and the net's inputs are made of it there.
"""

from typing import Any

import torch

from threefold.engine.policy_nets import MOST_MOVES
from threefold.engine.records import layout
from threefold.gpu.kernels import Kernels
from threefold.learn.device_arrays import records
from threefold.learn.gumbel import SelfPlay
from threefold.learn.gumbel_kernels import teach_on_device
from threefold.learn.lanes import DEVICE, on_device
from threefold.learn.policy_play import Lessons, Setup


class DeviceReplay:
    """As many positions as the window holds; new ones take the place of the oldest."""

    def __init__(
        self, kernels: Kernels[Any], setup: Setup[Any], window: int, batch: int, seed: int
    ) -> None:
        self._setup, self._window, self._batch = setup, window, batch
        self._symmetries = len(setup.game.symmetries)
        most = setup.game.facts.max_moves

        def empty(*shape: int, kind: Any = torch.int64) -> Any:
            return torch.zeros(shape, dtype=kind, device=DEVICE)

        self._states, self._lasts = empty(window, len(setup.start)), empty(window, len(setup.start))
        self._moves = empty(window, most, kind=torch.int32)
        self._shares = empty(window, most, kind=torch.float16)
        self._counts = empty(window, kind=torch.int32)
        self._worths = empty(window, kind=torch.float32)
        self._words = empty(batch, setup.words)
        self._results = empty(batch, kind=torch.float32)
        self._owned = empty(batch, setup.owner_words)
        self._keys = empty(batch, 2 * most)
        self._plays, _ = records((batch,), layout(SelfPlay, most))
        self._teach = kernels.kernel(teach_on_device)
        self._order = torch.Generator(DEVICE).manual_seed(seed)
        self._seed, self._samples = seed, 0
        #: Positions that were ever added.
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, self._window)

    def add(
        self, states: Any, lasts: Any, moves: Any, shares: Any, counts: Any, worths: Any
    ) -> None:
        """Add positions, where their games ended, moves and shares, and the results to MAX."""
        n = len(states)
        places = torch.arange(self.added, self.added + n, device=DEVICE)[-self._window :]
        places %= self._window
        kept = slice(n - len(places), n)
        self._states[places], self._lasts[places] = states[kept], lasts[kept]
        self._moves[places] = moves[kept]
        self._shares[places] = shares[kept].half()
        self._counts[places], self._worths[places] = counts[kept], worths[kept]
        self.added += n

    def sample(self) -> Lessons:
        """A batch of positions at random, all equally likely."""
        chosen = torch.randint(len(self), (self._batch,), generator=self._order, device=DEVICE)
        moves, counts = self._moves[chosen], self._counts[chosen]
        self._samples += 1
        self._teach(
            self._batch,
            *map(on_device, (self._states[chosen], self._lasts[chosen])),
            *map(on_device, (counts, moves, self._worths[chosen])),
            *(self._symmetries, self._seed + self._samples),
            *map(on_device, (self._words, self._results, self._owned, self._keys)),
            self._plays,
        )
        behind = torch.arange(moves.shape[1], device=DEVICE) >= counts[:, None]
        return Lessons(
            self._words,
            torch.where(behind, -1, moves % MOST_MOVES),
            torch.where(behind, 0.0, self._shares[chosen].float()),
            self._results,
            self._owned,
        )
