"""A group that is made by parts, because it is too large for one worker of a cluster.

Its slices are swept through one after another, as long as anything changes. The parts of a slice
are swept through by different workers at the same time, all with the values from before that sweep.
Most moves lead from one slice to another, so with one slice at a time they soon see what is new; to
sweep through the same part twice in a row would change hardly anything.

Where the values settle does not depend on who was first: see `sweeping`. In the end they are
written, read back, and verified by parts in the same way.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, TypeAlias

from threefold.cluster.nodes import Shared
from threefold.engine.endgames.sweeping import COMPARE, WRITE
from threefold.rules.endgames import Slice
from threefold.solve.endgames.cluster_makers import Changes, Files, Part, Swept, Version
from threefold.solve.endgames.groups import Group
from threefold.solve.endgames.making import Tables

Array: TypeAlias = Any

#: Bytes that a value takes, and a change with its place.
_VALUE_BYTES: Final = 2
_CHANGE_BYTES: Final = 6


@dataclass(frozen=True)
class Wrong:
    """Values of a slice that turned out to be wrong, and the first of them."""

    of: Slice
    values: int
    first: int


class Split:
    """A group that is made by parts: its values, and what is to be done next.

    `share` has all workers share something. `numbers` gives each task its number.
    """

    def __init__(
        self,
        group: Group,
        files: Files,
        start: int,
        share: Callable[[Any], Shared[Any]],
        numbers: Iterator[int],
    ) -> None:
        self.group = group
        #: The values of the group; those that it leads to are needed by workers alone.
        self.tables = Tables(Group(group.slices, ()))
        self.tables.values[:] = start
        self._began = time.monotonic()
        self._files, self._start = files, start
        self._share, self._numbers = share, numbers
        self._versions = {each.number: Version() for each in group.slices}
        self._bases = count(1)
        #: Slices to be swept through, because something has changed since they were.
        self._stale = deque(group.slices)
        #: The parts to be handed out, and those that are with a worker.
        self._parts: deque[Part] = deque()
        self._out: dict[int, Part] = {}
        self._changes: list[Changes] = []
        self.is_verifying = False
        self.steps = 0
        self.changed = 0
        self.wrong: list[Wrong] = []

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._began

    @property
    def is_settled(self) -> bool:
        """Whether all was done: to make it, or then to verify it."""
        return not (self._stale or self._parts or self._out)

    def next_part(self, length: Callable[[Slice], int]) -> Part | None:
        """A part to be handed out, if there is one now; a new slice has parts of a length."""
        if not self._parts and self._stale and not self._out:
            of = self._stale.popleft()
            self.steps += 1
            self._divide(of, length(of), WRITE)
        if not self._parts:
            return None
        part = self._parts.popleft()
        self._out[part.number] = part
        return part

    def verify(self, length: Callable[[Slice], int]) -> None:
        """Go on to verify the values as they are now."""
        self.is_verifying = True
        for each in self.group.slices:
            self._share_all(each)
        for each in self.group.slices:
            self._divide(each, length(each), COMPARE)

    def _divide(self, of: Slice, length: int, task: int) -> None:
        self._parts.extend(
            Part(
                number=next(self._numbers),
                group=self.group.slices[0].number,
                files=self._files,
                of=of.number,
                first=first,
                last=min(first + length, of.size),
                task=task,
                start=self._start,
                values=dict(self._versions),
            )
            for first in range(0, of.size, length)
        )

    def take(self, swept: Swept) -> int:
        """What became of a part; returns how many numbers it has."""
        part = self._out.pop(swept.number)
        (of,) = (each for each in self.group.slices if each.number == part.of)
        if self.is_verifying:
            if swept.changed:
                self.wrong.append(Wrong(of, swept.changed, swept.first_changed))
        else:
            self._changes.append(swept.changes)
            if not (self._out or self._parts):
                self._end_step(of)
        return part.last - part.first

    def _end_step(self, of: Slice) -> None:
        """Put the parts of a slice together, and tell all who depend on it."""
        changes = tuple(each for each in self._changes if len(each.places))
        self._changes.clear()
        self.changed = sum(len(each.places) for each in changes)
        if not changes:
            return
        values = self.tables.part(of)
        for each in changes:
            values[each.first :][each.places] = each.values
        self._share_changes(of, changes)
        for other in self.group.slices:
            # A slice that leads to itself need not mention it.
            if other not in self._stale and (other is of or of.number in other.leads_to):
                self._stale.append(other)

    def _share_changes(self, of: Slice, changes: tuple[Changes, ...]) -> None:
        """Share what has changed, or all values where that is less."""
        version = self._versions[of.number]
        if _CHANGE_BYTES * self.changed > _VALUE_BYTES * of.size:
            self._share_all(of)
            return
        self._versions[of.number] = Version(
            version.base, version.values, (*version.changes, self._share(changes))
        )

    def _share_all(self, of: Slice) -> None:
        values = self._share(self.tables.part(of).copy())
        self._versions[of.number] = Version(next(self._bases), values)
