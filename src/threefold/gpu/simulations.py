"""Monte Carlo tree search with games that the GPU plays: so many from each of many leaves.

The tree stays with the CPU (`threefold.engine.gathering`). Batches of leaves grow with the tree, of
which a small one has few that are worth looking at; a batch is gathered, played from and backed up
before the next. To gather one while another is played from would gain little time, for either the
tree or the games take most of it, and leave twice as many simulations in the dark. What comes out
depends on the seed and the number of simulations alone.
"""

from typing import Any, Final

import numpy as np

from threefold.engine.control import NODES, Control
from threefold.engine.gathering import gather, settle
from threefold.engine.uct import GREATEST, LEAST, Seen, Tree, goes_on
from threefold.gpu.driver import SIMULATED
from threefold.gpu.kernels import Kernels
from threefold.gpu.random_games import HIGHEST, LOWEST, SUM, Games
from threefold.rules.bits import GOLDEN, add, mix, word

#: As many leaves as a batch has at most, and at least as far as there is something to look at;
MOST_LEAVES: Final = 4 if SIMULATED else 512
LEAST_LEAVES: Final = 2 if SIMULATED else 64
#: one in between is this fraction of the simulations so far. A batch is as many games at most, so
#: that a search can be stopped.
FRACTION: Final = 16
MOST_GAMES: Final = 1 << 20


class Simulations:
    """The growth of one tree: call it, and it simulates until the limit, a stop or a proof."""

    def __init__(
        self,
        kernels: Kernels[Any],
        s: Any,
        seed: int,
        playouts: int,
        exploration: float,
        seen: Seen,
        tree: Tree,
        control: Control,
    ) -> None:
        compiled, facts = kernels.game.compiled(), kernels.game.facts
        self._seen, self._tree, self._control = seen, tree, control
        self._random = word(seed)
        self._playouts = playouts
        self._most = min(max(MOST_GAMES // playouts, 1), MOST_LEAVES)
        self._games = Games(kernels, self._most, playouts)
        self._games.prepare()
        self._leaves = np.zeros(self._most, np.int64)
        self._values = np.zeros(self._most)
        #: How many simulations are under way through each node of the tree.
        self.pending = np.zeros(len(tree), np.int32)
        self._start = compiled.words(s)
        self._options = (facts.max_ply, exploration, *compiled.rows(2))
        self._gather = compiled.entry(gather).prepare(*self._gathering(1))
        self._settle = compiled.entry(settle).prepare(*self._settling(1))

    def __call__(self) -> None:
        """Simulate; the tree may hold simulations already."""
        while goes_on(self._tree, self._control):
            batch = max(int(self._control[NODES]) // FRACTION, LEAST_LEAVES)
            leaves = int(self._gather(*self._gathering(min(batch, self._most))))
            if leaves:
                self._play_from(leaves)
                self._settle(*self._settling(leaves))

    def _play_from(self, leaves: int) -> None:
        """Let the device play, and wait for what it comes to."""
        self._random = add(self._random, GOLDEN)
        self._games.begin(leaves, mix(self._random))
        tallies = self._games.end()
        self._values[:leaves] = tallies[SUM] / self._playouts
        lowest, highest = tallies[LOWEST].min(), tallies[HIGHEST].max()
        if lowest <= highest:  # else no game ended
            self._seen[LEAST] = min(self._seen[LEAST], lowest)
            self._seen[GREATEST] = max(self._seen[GREATEST], highest)

    def _gathering(self, most: int) -> tuple[Any, ...]:
        arrays = (self._leaves, self._games.positions, self.pending)
        return (self._start, most, *self._options, *arrays, self._seen, self._tree, self._control)

    def _settling(self, leaves: int) -> tuple[Any, ...]:
        return (leaves, self._leaves, self._values, self.pending, self._seen, self._tree)
