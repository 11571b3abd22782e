"""Perft on a GPU: breadth first, in parts that fit the device's memory.

A level of the tree is an array of positions. How many positions follow is counted first. Then they
are made, each thread putting the children of its positions where an atomic counter says there is
room. A level that would be too large is made in halves. The last two plies are counted without
being stored, the last of them without being played.
"""

from typing import Any, Final

import numpy as np

from threefold.engine.control import Control
from threefold.gpu.driver import SIMULATED, cuda
from threefold.gpu.kernels import Kernels
from threefold.gpu.listing import checked, list_below
from threefold.gpu.slots import ROW_TYPE, load, nowhere, store
from threefold.rules.contract import MAX_MOVES, result
from threefold.rules.rebind import Function

# What the kernels count, in words of one array.
CHILDREN: Final = 0
ENDED: Final = 1
FAULTS: Final = 2
COUNT_WORDS: Final = 3

#: The most positions of a level, and the share of free memory that all levels may take.
MOST_POSITIONS: Final = 8 if SIMULATED else 1 << 24
MEMORY_SHARE: Final = 0.5


def add_up(children: int, finished: int, faults: int, counts: Any) -> None:
    """Add what a thread counted to the others' counts."""
    cuda.atomic.add(counts, CHILDREN, children)
    cuda.atomic.add(counts, ENDED, finished)
    cuda.atomic.add(counts, FAULTS, faults)


def count_children(positions: Any, begin: int, end: int, counts: Any) -> None:
    """The kernel: how many positions lie a ply below, and how many games have ended."""
    children, finished, faults = 0, 0, 0
    for i in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
        n = list_below(load(positions, i), nowhere())
        faults += 1 if n != checked(n) else 0
        finished += 1 if n == 0 else 0
        children += checked(n)
    add_up(children, finished, faults, counts)


def count_grandchildren(positions: Any, begin: int, end: int, counts: Any) -> None:
    """The kernel: the same two plies below; games that end on either ply are finished ones."""
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    children, finished, faults = 0, 0, 0
    for i in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
        s = load(positions, i)
        n = list_below(s, row)
        faults += 1 if n != checked(n) else 0
        finished += 1 if n == 0 else 0
        for j in range(checked(n)):
            m = list_below(result(s, int(row[j])), nowhere())
            faults += 1 if m != checked(m) else 0
            finished += 1 if m == 0 else 0
            children += checked(m)
    add_up(children, finished, faults, counts)


def make_children(positions: Any, begin: int, end: int, children: Any, taken: Any) -> None:
    """The kernel: the positions a ply below; `taken` counts the places in use."""
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    for i in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
        s = load(positions, i)
        n = checked(list_below(s, row))
        first = int(cuda.atomic.add(taken, 0, n))
        for j in range(n):
            store(children, first + j, result(s, int(row[j])))


class Counter:
    """Counts trees of one game; `control` has the positions counted so far."""

    def __init__(self, kernels: Kernels[Any], finished: bool, depth: int, control: Control) -> None:
        self._kernels = kernels
        self._finished = finished
        self._control = control
        self._most = _most_positions(len(kernels.fields), depth)

    def prepare(self, s: Any, depth: int) -> None:
        """Compile what counting to a depth needs, by counting to a small one."""
        if not SIMULATED:
            for plies in range(1, min(depth, 3) + 1):
                self.count(s, plies)
            self._control.nodes = 0

    def count(self, s: Any, depth: int) -> int:
        """The positions exactly `depth` plies below `s`."""
        if depth == 0:
            return 1
        total = 0
        with self._kernels.translate_device_errors():
            # Parts of levels that are still to be counted: an array, from where to where of it,
            # and how many plies below it.
            parts = [(self._kernels.positions([s]), 0, 1, depth)]
            while parts:
                positions, begin, end, plies = parts.pop()
                if plies <= 2:
                    kernel = count_children if plies == 1 else count_grandchildren
                    below, ended = self._counted(kernel, positions, begin, end)
                    total += below + ended
                    self._control.nodes += below
                    continue
                room, ended = self._counted(count_children, positions, begin, end)
                if room > self._most and end - begin > 1:
                    middle = (begin + end) // 2
                    parts += [(positions, middle, end, plies), (positions, begin, middle, plies)]
                    continue
                total += ended
                if room > 0:
                    children = self._children(positions, begin, end, room)
                    parts.append((children, 0, room, plies - 1))
        return total

    def _children(self, positions: Any, begin: int, end: int, room: int) -> Any:
        """The positions a ply below a part of a level, of which there are `room`."""
        children = cuda.device_array((positions.shape[0], room), np.int64)
        taken = cuda.to_device(np.zeros(1, np.int64))
        make = self._kernels.kernel(make_children)
        make(end - begin, positions, begin, end, children, taken)
        return children

    def _counted(self, kernel: Function, positions: Any, begin: int, end: int) -> tuple[int, int]:
        """What a kernel counted: positions below, and games that ended if they count."""
        counts = cuda.to_device(np.zeros(COUNT_WORDS, np.int64))
        self._kernels.kernel(kernel)(end - begin, positions, begin, end, counts)
        found = self._kernels.fetch(counts)
        if found[FAULTS]:
            raise self._kernels.bad_count()
        return int(found[CHILDREN]), int(found[ENDED]) if self._finished else 0


def _most_positions(fields: int, depth: int) -> int:
    """How many positions a level may have, so that all levels fit in free memory."""
    if SIMULATED:
        return MOST_POSITIONS
    free = cuda.current_context().get_memory_info().free
    return max(1, min(MOST_POSITIONS, int(free * MEMORY_SHARE) // (8 * fields * max(depth, 1))))
