"""Perft on a GPU: breadth first, in parts that fit the device's memory.

A level of the tree is an array of positions. How many positions follow is counted first, then
they are made, each thread putting the children of its positions where an atomic counter says there
is room; a level that would be too large is made half by half. The last two plies are counted
without being stored, the last of them without being made.
"""

from typing import Any, Final

import numpy as np

from threefold.errors import BrokenRules
from threefold.gpu.device import OnGpu
from threefold.gpu.driver import SIMULATED, cuda
from threefold.gpu.slots import ROW_TYPE, load, nowhere, store
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    MAX_MOVES,
    actions,
    outcomes,
    player,
    result,
)
from threefold.rules.rebind import Function

# What the kernels count, in words of one array.
CHILDREN: Final = 0
FINISHED: Final = 1
FAULTS: Final = 2
COUNT_WORDS: Final = 3

#: As many positions as a level holds at most, and the share of free memory that all may take.
MOST_POSITIONS: Final = 8 if SIMULATED else 1 << 24
MEMORY_SHARE: Final = 0.5


def checked(n: int) -> int:
    """A count of moves, or 0 where no row holds so many."""
    return n if 0 <= n <= MAX_MOVES else 0


def list_below(s: Any, row: Any, weight: Any) -> int:
    """The moves, or nature's events, into a row, be the game drawn or not."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return outcomes(s, row, weight)
    return actions(s, row)


def count_children(positions: Any, begin: int, end: int, counts: Any) -> None:
    """The kernel: how many positions lie a ply below, and where there is none."""
    children, finished, faults = 0, 0, 0
    for i in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
        n = list_below(load(positions, i), nowhere(), nowhere())
        faults += 1 if n != checked(n) else 0
        finished += 1 if n == 0 else 0
        children += checked(n)
    cuda.atomic.add(counts, CHILDREN, children)
    cuda.atomic.add(counts, FINISHED, finished)
    cuda.atomic.add(counts, FAULTS, faults)


def count_grandchildren(positions: Any, begin: int, end: int, counts: Any) -> None:
    """The kernel: the same two plies below; games that end on either ply are finished ones."""
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    children, finished, faults = 0, 0, 0
    for i in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
        s = load(positions, i)
        n = list_below(s, row, nowhere())
        faults += 1 if n != checked(n) else 0
        finished += 1 if n == 0 else 0
        for j in range(checked(n)):
            m = list_below(result(s, int(row[j])), nowhere(), nowhere())
            faults += 1 if m != checked(m) else 0
            finished += 1 if m == 0 else 0
            children += checked(m)
    cuda.atomic.add(counts, CHILDREN, children)
    cuda.atomic.add(counts, FINISHED, finished)
    cuda.atomic.add(counts, FAULTS, faults)


def make_children(positions: Any, begin: int, end: int, children: Any, taken: Any) -> None:
    """The kernel: the positions a ply below; `taken` says how many places are."""
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    for i in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
        s = load(positions, i)
        n = checked(list_below(s, row, nowhere()))
        first = int(cuda.atomic.add(taken, 0, n))
        for j in range(n):
            store(children, first + j, result(s, int(row[j])))


class Counter:
    """Counts trees of one game."""

    def __init__(self, on_gpu: OnGpu[Any], finished: bool, depth: int) -> None:
        self._on_gpu = on_gpu
        self._finished = finished
        self._most = _most_positions(len(on_gpu.fields), depth)

    def prepare(self, s: Any, depth: int) -> None:
        """Compile what counting to a depth needs, by counting to a small one."""
        if not SIMULATED:
            for plies in range(1, min(depth, 3) + 1):
                self.count(s, plies)

    def count(self, s: Any, depth: int) -> int:
        """The positions exactly `depth` plies below `s`."""
        return self._below(self._on_gpu.positions([s]), 0, 1, depth) if depth > 0 else 1

    def _below(self, positions: Any, begin: int, end: int, depth: int) -> int:
        """The same below all from `begin` to before `end` of an array."""
        if depth <= 2:
            kernel = count_children if depth == 1 else count_grandchildren
            return sum(self._counted(kernel, positions, begin, end))
        room, ended = self._counted(count_children, positions, begin, end)
        if room > self._most and end - begin > 1:
            middle = (begin + end) // 2
            parts = (begin, middle), (middle, end)
            return sum(self._below(positions, *part, depth) for part in parts)
        if room == 0:
            return ended
        children = cuda.device_array((positions.shape[0], room), np.int64)
        taken = cuda.to_device(np.zeros(1, np.int64))
        make = self._on_gpu.kernel(make_children)
        make(end - begin, positions, begin, end, children, taken)
        return ended + self._below(children, 0, room, depth - 1)

    def _counted(self, kernel: Function, positions: Any, begin: int, end: int) -> tuple[int, int]:
        """What a kernel counted: positions below, and games that ended if they count."""
        counts = cuda.to_device(np.zeros(COUNT_WORDS, np.int64))
        self._on_gpu.kernel(kernel)(end - begin, positions, begin, end, counts)
        found = self._on_gpu.fetch(counts)
        if found[FAULTS]:
            game = self._on_gpu.game
            raise BrokenRules(
                f"{game.name}: actions or outcomes returned no count from 0 to max_moves="
                f"{game.facts.max_moves} for some position; threefold conformance shows which"
            )
        return int(found[CHILDREN]), int(found[FINISHED]) if self._finished else 0


def _most_positions(fields: int, depth: int) -> int:
    """How many positions a level may have, so that all levels fit the memory that is free."""
    if SIMULATED:
        return MOST_POSITIONS
    free = cuda.current_context().get_memory_info().free
    return max(1, min(MOST_POSITIONS, int(free * MEMORY_SHARE) // (8 * fields * max(depth, 1))))
