"""Monte Carlo tree search with games that the GPU plays, several from each of many leaves.

The tree stays on the CPU (`threefold.engine.gathering`). Batches of leaves grow with the tree,
since a small tree has few leaves that are worth a look. A batch is gathered, played from and backed
up before the next. Gathering one while another is played from would save little time, because
either the tree or the games take most of it, and twice as many simulations would be pending. The
result depends only on the seed and the number of simulations.
"""

from typing import Any, Final

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.gathering import back_up_all, gather
from threefold.engine.playing_out import Search
from threefold.engine.records import boxed
from threefold.engine.uct import Tree, may_go_on
from threefold.gpu.driver import SIMULATED
from threefold.gpu.kernels import Kernels
from threefold.gpu.random_games import HIGHEST, LOWEST, SUM, Games
from threefold.rules.bits import GOLDEN, add, mix, word

#: The most leaves of a batch, and the least, as far as there is something to look at;
MOST_LEAVES: Final = 4 if SIMULATED else 512
LEAST_LEAVES: Final = 2 if SIMULATED else 64
#: one in between is this fraction of the simulations so far. A batch has no more games than this,
#: so that a search can be stopped.
FRACTION: Final = 16
MOST_GAMES: Final = 1 << 20


class BatchedSimulations:
    """The growth of one tree: call it, and it simulates until the limit, a stop or a proof."""

    def __init__(
        self, kernels: Kernels[Any], s: Any, seed: int, tree: Tree, search: Search
    ) -> None:
        compiled, playouts = Compiled(kernels.game), int(search.playouts)
        self._tree, self._search = tree, search
        self._random = word(seed)
        self._playouts = playouts
        self._most = min(max(MOST_GAMES // playouts, 1), MOST_LEAVES)
        self._games = Games(kernels, self._most, playouts)
        self._games.prepare()
        self._leaves = np.zeros(self._most, np.int64)
        self._values = np.zeros(self._most)
        #: How many simulations are pending through each node of the tree.
        self.pending = np.zeros(len(tree), np.int32)
        self._start = compiled.words(s)
        self._gather = compiled.entry(gather).prepare(*self._gathering(1))
        self._back_up = compiled.entry(back_up_all).prepare(*self._backing_up(1))

    def __call__(self) -> None:
        """Simulate; the tree may hold simulations already."""
        while may_go_on(self._tree, self._search):
            batch = max(int(self._search.nodes) // FRACTION, LEAST_LEAVES)
            leaves = int(self._gather(*self._gathering(min(batch, self._most))))
            if leaves:
                self._play_from(leaves)
                self._back_up(*self._backing_up(leaves))

    def _play_from(self, leaves: int) -> None:
        """Let the device play, and wait for the outcomes."""
        self._random = add(self._random, GOLDEN)
        self._games.begin(leaves, mix(self._random))
        tallies = self._games.end()
        self._values[:leaves] = tallies[SUM] / self._playouts
        lowest, highest = tallies[LOWEST].min(), tallies[HIGHEST].max()
        if lowest <= highest:  # else no game ended
            self._search.least = min(self._search.least, lowest)
            self._search.greatest = max(self._search.greatest, highest)

    def _gathering(self, most: int) -> tuple[Any, ...]:
        arrays = (self._leaves, self._games.positions, self.pending)
        return (self._start, most, *arrays, self._tree, boxed(self._search))

    def _backing_up(self, leaves: int) -> tuple[Any, ...]:
        return (leaves, self._leaves, self._values, self.pending, self._tree, boxed(self._search))
