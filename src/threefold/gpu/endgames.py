"""Sweeps through tables of end-games on the device, one thread per position.

The work for a position is that of `threefold.engine.endgames.sweeping`, which also says how tables
are laid out. Threads read values while others write them. That does no harm: whatever mix of old
and new values a position is derived from, a win or a loss in the table is a real one. It may be
nearer than the table says, never farther, and its distance only ever shrinks. No value is seen
half written, as a store of 16 bits is whole. So sweeps come to the same values in the end, if not
by the same steps.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.control import Control
from threefold.engine.endgames.sweeping import COMPARE_OUTCOMES, WRITE, implied_value, is_used
from threefold.engine.endgames.values import UNKNOWN, UNUSED, outcome, plies_to_end
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, layout
from threefold.errors import NoGpu
from threefold.gpu.driver import SIMULATED, cuda, free_memory
from threefold.gpu.kernels import Kernels
from threefold.gpu.slots import ROW_TYPE, nowhere
from threefold.rules.bits import wrap
from threefold.rules.contract import HAS_MARGINS, MAX_MOVES, position_of
from threefold.rules.game import Game

Array: TypeAlias = Any  # of NumPy, or on the device

# What the kernel counts, in words of one array.
USED: Final = 0
CHANGED: Final = 1
FIRST_CHANGED: Final = 2
OPEN: Final = 3
FAULT: Final = 4
RETURNED: Final = 5
COUNT_WORDS: Final = 6

#: Past any number.
_FAR: Final = 1 << 62
#: Where a thread notes a fault.
_CONTROL: Final = layout(Control)

#: How many numbers are launched at first, at least and at most, and the seconds that a launch
#: should take: a build that is stopped waits for the end of one, and so does the progress line.
FIRST_LAUNCH: Final = 64 if SIMULATED else 1 << 22
LEAST_LAUNCH: Final = 64 if SIMULATED else 1 << 20
MOST_LAUNCH: Final = 1 << 32
LAUNCH_SECONDS: Final = 0.2
LAUNCH_GROWTH: Final = 4
#: The share of free memory that tables may take; threads need some for their moves.
MEMORY_SHARE: Final = 0.95


def is_final(value: int, done: int) -> bool:
    """Whether no further sweep changes a value, after so many of them through the whole group.

    A sweep finds the games that are over, and each further one at least what is decided a ply
    earlier, with its distance. So all that is decided in fewer than `done` plies is known, and what
    is said to be decided within `done` plies cannot be decided sooner.
    """
    if HAS_MARGINS:
        return value != UNKNOWN
    return value != 0 and plies_to_end(value) <= done


def sweep_numbers(
    of_slice: int,
    begin: int,
    first: int,
    last: int,
    task: int,
    done: int,
    values: Any,
    directory: Any,
    found: Any,
) -> None:
    """The kernel: the numbers of a slice from `first` to before `last`, as `sweep` has it.

    Before it, `done` sweeps went through all slices that are made together: what is final since
    then is not looked at again.
    """
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    control = cuda.local.array(1, _CONTROL)[0]
    control.stop = 0
    control.fault = 0
    used, changed, first_changed, open_ones = 0, 0, _FAR, 0
    for number in range(first + cuda.grid(1), last, cuda.gridsize(1)):
        before = wrap(values[begin + number])
        if task == WRITE and (before == UNUSED or is_final(before, done)):
            used += 1 if before != UNUSED else 0
            continue
        s = position_of(of_slice, number)
        if not is_used(s, of_slice, number):
            if task == WRITE:
                values[begin + number] = UNUSED
            continue
        used += 1
        value = implied_value(s, values, directory, row, nowhere(), control)
        if control.stop != 0:
            break
        differs = value != before
        if task == COMPARE_OUTCOMES:
            differs = outcome(value) != outcome(before)
        if differs:
            changed += 1
            first_changed = min(first_changed, number)
            if task == WRITE:
                values[begin + number] = value
        open_ones += 0 if is_final(value, done + 1) else 1
    cuda.atomic.add(found, USED, used)
    cuda.atomic.add(found, CHANGED, changed)
    cuda.atomic.min(found, FIRST_CHANGED, first_changed)
    cuda.atomic.add(found, OPEN, open_ones)
    # Only one thread tells of a fault, so that what a hook returned is told with the right hook.
    if control.fault != 0 and cuda.atomic.cas(found, FAULT, 0, control.fault) == 0:
        found[RETURNED] = control.returned


@dataclass(frozen=True)
class Swept:
    """What a sweep through a slice found."""

    #: Numbers that stand for a position.
    used: int
    #: Positions whose value is not what their successors said, and the first of them, or -1.
    changed: int
    first_changed: int
    #: Positions that have to be looked at again, if the sweep was to write.
    open: int


class Sweeper:
    """Sweeps through tables on the device: first `load`, then `sweep`, then `fetch`."""

    def __init__(self, game: Game[Any]) -> None:
        self._kernels = Kernels(game)
        self._kernel = self._kernels.kernel(sweep_numbers)
        self._values: Array = None
        self._directory: Array = None
        self._launch = FIRST_LAUNCH

    def load(self, values: Array, directory: Array, name: str) -> None:
        """Copy tables to the device; `name` says in an error which they are."""
        self.drop()
        with self._kernels.translate_device_errors():
            free = free_memory()
            if values.nbytes > MEMORY_SHARE * free:
                raise NoGpu(
                    f"{self._kernels.game.name}: {name} and the tables it leads to take "
                    f"{values.nbytes / 1e9:,.1f} GB, and the GPU has {free / 1e9:,.1f} GB of free "
                    "memory; they can be made on the CPU"
                )
            self._values = cuda.to_device(values)
            self._directory = cuda.to_device(directory)

    def fetch(self, into: Array) -> None:
        """Copy the first values from the device, as many as there is room for."""
        self._kernels.fetch(self._values[: len(into)], into)

    def drop(self) -> None:
        """Free the device's memory."""
        self._values = self._directory = None

    def sweep(
        self,
        of_slice: int,
        begin: int,
        size: int,
        task: int,
        *,
        done: int = 0,
        watch: Callable[[int], None] = lambda _: None,
    ) -> Swept:
        """Go through a slice whose values begin at `begin`, launch by launch.

        `done` sweeps through the whole group came before. After each launch, `watch` hears how many
        numbers were gone through; it may raise to stop the sweep.
        """
        counts = np.zeros(COUNT_WORDS, np.int64)
        counts[FIRST_CHANGED] = _FAR
        there = cuda.to_device(counts)
        first = 0
        while first < size:
            last = min(first + self._launch, size)
            numbers = (of_slice, begin, first, last, task, done)
            arguments = (*numbers, self._values, self._directory, there)
            with self._kernels.translate_device_errors():
                self._kernel.prepare(*arguments)
                began = time.perf_counter()
                self._kernel(last - first, *arguments)
            self._kernels.fetch(there, counts)
            control = allocate(Control)
            control.fault, control.returned = int(counts[FAULT]), int(counts[RETURNED])
            check_fault(self._kernels.game, control)
            self._adapt(last - first, time.perf_counter() - began)
            first = last
            watch(first)
        first_changed = int(counts[FIRST_CHANGED]) if counts[CHANGED] else -1
        return Swept(int(counts[USED]), int(counts[CHANGED]), first_changed, int(counts[OPEN]))

    def _adapt(self, numbers: int, seconds: float) -> None:
        """Choose how many numbers to launch next, if as many as planned were launched now."""
        if seconds > LAUNCH_GROWTH * LAUNCH_SECONDS:
            self._launch = max(numbers // LAUNCH_GROWTH, LEAST_LAUNCH)
        elif seconds < LAUNCH_SECONDS and numbers == self._launch:
            self._launch = min(numbers * LAUNCH_GROWTH, MOST_LAUNCH)
