"""Monte Carlo tree search with games that the GPU plays: so many from each of many leaves.

The tree stays with the CPU (`threefold.engine.gathering`). While the device plays from one batch of
leaves the next is gathered, the simulations of the first still pending. Batches grow with the
tree: a small one has few leaves worth looking at. What comes out hangs on the seed and the number
of simulations alone.
"""

from typing import Any, Final

import numpy as np

from threefold.engine.control import NODES, Control
from threefold.engine.gathering import gather, settle
from threefold.engine.uct import GREATEST, LEAST, Seen, Tree, goes_on
from threefold.gpu.device import OnGpu
from threefold.gpu.driver import SIMULATED
from threefold.gpu.playouts import HIGHEST, LOWEST, SUM, Games
from threefold.rules.bits import GOLDEN, mix, wrap

#: As many leaves as a batch has at most, and at least as far as there is something to look at;
MOST_LEAVES: Final = 4 if SIMULATED else 1024
LEAST_LEAVES: Final = 2 if SIMULATED else 64
#: a batch in between has this share of the simulations so far. A batch is as many games at most, so
#: that a search can be stopped.
SHARE: Final = 8
MOST_GAMES: Final = 1 << 20


class Simulations:
    """The growth of one tree: call it, and it simulates until the limit, a stop or a proof."""

    def __init__(
        self,
        on_gpu: OnGpu[Any],
        s: Any,
        seed: int,
        playouts: int,
        exploration: float,
        seen: Seen,
        tree: Tree,
        control: Control,
    ) -> None:
        compiled, facts = on_gpu.game.compiled(), on_gpu.game.facts
        self._options = (facts.max_ply, exploration, *compiled.rows(2))
        self._start = compiled.words(s)
        self._random = wrap(seed)
        self._playouts = playouts
        self._most = max(MOST_GAMES // playouts, 1)
        self._seen, self._tree, self._control = seen, tree, control
        #: How many simulations are under way through each node of the tree.
        self.pending = np.zeros(len(tree), np.int32)
        self._batches = [Batch(on_gpu, playouts) for _ in range(2)]
        batch = self._batches[0]
        batch.games.prepare()
        self._gather = compiled.entry(gather).prepare(*self._gathering(batch, 1))
        self._settle = compiled.entry(settle).prepare(*self._settling(batch))

    def __call__(self) -> None:
        """Simulate; the tree may hold simulations already."""
        ahead, behind = self._batches
        self._begin(ahead)
        while ahead.leaves or goes_on(self._tree, self._control):
            ahead, behind = behind, ahead
            self._begin(ahead)
            self._end(behind)

    def _begin(self, batch: "Batch") -> None:
        """Gather leaves, and let the device play from them."""
        done = int(self._control[NODES])
        most = min(max(done // SHARE, LEAST_LEAVES), MOST_LEAVES, self._most)
        batch.leaves = int(self._gather(*self._gathering(batch, most)))
        if batch.leaves:
            self._random = wrap(self._random + GOLDEN)
            batch.games.begin(batch.leaves, mix(self._random))

    def _end(self, batch: "Batch") -> None:
        """Wait for what came of it, and back it up."""
        if batch.leaves:
            tallies = batch.games.end()
            batch.values[: batch.leaves] = tallies[SUM] / self._playouts
            lowest, highest = tallies[LOWEST].min(), tallies[HIGHEST].max()
            if lowest <= highest:  # else no game ended
                self._seen[LEAST] = min(self._seen[LEAST], lowest)
                self._seen[GREATEST] = max(self._seen[GREATEST], highest)
            self._settle(*self._settling(batch))
            batch.leaves = 0

    def _gathering(self, batch: "Batch", most: int) -> tuple[Any, ...]:
        arrays = (batch.nodes, batch.games.positions, self.pending)
        return (self._start, most, *self._options, *arrays, self._seen, self._tree, self._control)

    def _settling(self, batch: "Batch") -> tuple[Any, ...]:
        return (batch.leaves, batch.nodes, batch.values, self.pending, self._seen, self._tree)


class Batch:
    """Leaves whose simulations are pending, and the games from them."""

    def __init__(self, on_gpu: OnGpu[Any], playouts: int) -> None:
        self.leaves = 0
        self.nodes = np.zeros(MOST_LEAVES, np.int64)
        self.values = np.zeros(MOST_LEAVES)
        self.games = Games(on_gpu, MOST_LEAVES, playouts)
