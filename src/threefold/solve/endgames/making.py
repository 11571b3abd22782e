"""Making the tables of one group of slices, and verifying what was made.

There are two ways to make them. From the end backwards is the faster one (`propagation`), but it
needs room for every move of the group. Sweeps until nothing changes (`sweeping`) need no more room
than the tables themselves; they also serve where positions are worth a margin.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.endgames.coding import count_symbols, decode_all, encode_blocks
from threefold.engine.endgames.database import NEEDED
from threefold.engine.endgames.files import Coder
from threefold.engine.endgames.sweeping import COMPARE, COMPARE_OUTCOMES, WRITE, Sweep, sweep
from threefold.engine.endgames.values import DECIDED, UNKNOWN, UNUSED
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed
from threefold.engine.worker import Worker
from threefold.errors import BrokenRules
from threefold.rules.bits import mix
from threefold.rules.endgames import Slice
from threefold.rules.game import Game
from threefold.solve.endgames.groups import Group
from threefold.solve.endgames.propagation import (
    Listing,
    count_exits,
    count_predecessors,
    list_edges,
    propagate,
    sort_exits,
    turn_round,
)

S = TypeVar("S")
Array: TypeAlias = Any

#: Edges that are listed at a time.
_PART: Final = 1 << 22
#: Bytes that an edge takes.
_EDGE_BYTES: Final = 4
#: Bytes that a position takes besides its edges and its value.
POSITION_BYTES: Final = 16


class Stopped(Exception):
    """The work was stopped from outside."""


class NoRoom(Exception):
    """There is not enough memory for every move of a group."""


@dataclass(frozen=True)
class Counts:
    """How many positions of a slice the player to move wins, and how long the longest game is."""

    positions: int
    won: int
    drawn: int
    lost: int
    longest: int | None


class Tables:
    """The values of a group's slices, then those of the slices it leads to, as `sweeping` wants."""

    def __init__(self, group: Group) -> None:
        self.group = group
        slices = (*group.slices, *group.exits)
        self.values = np.zeros(sum(each.size for each in slices), np.int16)
        self._begins: dict[int, int] = {}
        length, begin = 1, 0
        while length <= 2 * len(slices):
            length *= 2
        self.directory = np.zeros(2 * length, np.int64)
        for each in slices:
            i = mix(each.number) & length - 1
            while self.directory[2 * i] != 0:
                i = i + 1 & length - 1
            self.directory[2 * i : 2 * i + 2] = each.number + 1, begin
            self._begins[each.number] = begin
            begin += each.size

    def begin(self, of: Slice) -> int:
        """Where a slice's values begin."""
        return self._begins[of.number]

    def part(self, of: Slice) -> Array:
        """A slice's values."""
        return self.values[self.begin(of) : self.begin(of) + of.size]


def _taken_from(parts: list[tuple[int, int, Array]]) -> Iterator[tuple[int, int, Array]]:
    """The parts, the last one first, each of which is forgotten as soon as it was used."""
    while parts:
        yield parts.pop()


class Maker(Generic[S]):
    """Makes tables of one game; one thread uses it at a time.

    `controls` are the records through which its compiled code can be watched and stopped.
    """

    def __init__(self, game: Game[S]) -> None:
        self._game = game.reduced_to(NEEDED)
        self._compiled = Compiled(self._game)
        assert game.endgames is not None
        self._margins = game.endgames.margins
        self.controls: list[Control] = []
        self._stopped = False
        entry = self._compiled.entry
        self.coder = Coder(entry(count_symbols), entry(encode_blocks), entry(decode_all))

    @property
    def nodes(self) -> int:
        """How many positions were looked at so far."""
        return sum(int(control.nodes) for control in self.controls)

    def stop(self) -> None:
        """Stop, from any thread."""
        self._stopped = True
        for control in self.controls:
            control.stop = 1

    def _control(self, kind: Callable[[], Any]) -> Any:
        control = allocate(kind)
        self.controls.append(control)
        control.stop = self._stopped
        return control

    def _check(self, control: Control) -> None:
        check_fault(self._game, control)
        if self._stopped:
            raise Stopped

    # Making.

    def make(self, tables: Tables, room: int) -> None:
        """Find the values of a group, with about so many bytes of memory for its moves."""
        if not self._margins and tables.group.size < 1 << 31:
            try:
                self._make_backwards(tables, room)
                return
            except NoRoom:
                pass
        self._make_by_sweeps(tables)

    def _make_backwards(self, tables: Tables, room: int) -> None:
        size, entry = tables.group.size, self._compiled.entry
        exits, counts = np.empty(size, np.int16), np.empty(size, np.int16)
        starts = np.zeros(size + 1, np.int32)
        edges = 0
        parts: list[tuple[int, int, Array]] = []
        for first, last, part in self._list(tables, exits, counts):
            entry(count_predecessors)(part, len(part), starts)
            parts.append((first, last, part))
            edges += len(part)
            if edges * _EDGE_BYTES > room:
                raise NoRoom
            if 2 * edges * _EDGE_BYTES > room:
                parts.clear()  # there is not room for both lists: the moves are listed again
        if edges >= 1 << 31:
            starts = starts.astype(np.int64)
        np.cumsum(starts, out=starts)
        sources = np.empty(edges, np.int32)
        is_complete = sum(len(part) for _, _, part in parts) == edges
        parts.reverse()
        listed = _taken_from(parts) if is_complete else self._list(tables, exits, counts)
        for first, last, part in listed:
            entry(turn_round)(first, last, counts, part, starts, sources)
        ends = np.zeros(DECIDED + 1, np.int64)
        seeds = np.empty(entry(count_exits)(exits, ends), np.int32)
        np.cumsum(ends, out=ends)
        entry(sort_exits)(exits, counts, ends, seeds)
        control = self._control(Control)
        values, queue = tables.values[:size], np.empty(size, np.int32)
        entry(propagate)(exits, counts, ends, seeds, starts, sources, values, queue, boxed(control))
        self._check(control)

    def _list(
        self, tables: Tables, exits: Array, counts: Array
    ) -> Iterator[tuple[int, int, Array]]:
        """The edges of a group in parts: of the positions from one number to another."""
        rows = self._compiled.rows(2)
        room = np.empty(_PART, np.int32)
        for each in tables.group.slices:
            control, begin, size = self._control(Listing), tables.begin(each), each.size
            while control.next < size:
                first = int(control.next)
                control.edges = 0
                self._compiled.entry(list_edges)(
                    *(each.number, begin, size, tables.group.size),
                    *(tables.values, tables.directory, exits, counts, room, rows, boxed(control)),
                )
                self._check(control)
                yield begin + first, begin + int(control.next), room[: control.edges].copy()

    def _make_by_sweeps(self, tables: Tables) -> None:
        tables.values[: tables.group.size] = UNKNOWN if self._margins else 0
        while True:
            changed = 0
            for each in tables.group.slices:
                changed += self.sweep_part(tables, each, 0, each.size, WRITE).changed
            unknown = self._margins and any(
                np.any(tables.part(each) == UNKNOWN) for each in tables.group.slices
            )
            if changed == 0 and unknown:
                raise self._returning(tables.group)
            if changed == 0 or (self._margins and not unknown):
                return

    def _returning(self, group: Group) -> BrokenRules:
        return BrokenRules(
            f"{self._game.name}: play can return to a position of {group.name}, so its margins are "
            "not defined"
        )

    def check_known(self, tables: Tables) -> None:
        """Raise what is wrong with the rules if sweeps change nothing, but margins are unknown."""
        if self._margins and np.any(tables.values[: tables.group.size] == UNKNOWN):
            raise self._returning(tables.group)

    def sweep_part(self, tables: Tables, of: Slice, first: int, last: int, task: int) -> Sweep:
        """Go once through some numbers of a slice, to write or to compare; see `sweeping`."""
        control: Sweep = self._control(Sweep)
        control.next = first
        rows = self._compiled.rows(2)
        self._compiled.entry(sweep)(
            *(of.number, tables.begin(of), last, task),
            *(tables.values, tables.directory, rows, boxed(control)),
        )
        self._check(control)
        return control

    # Verifying.

    def differences(
        self, tables: Tables, of: Slice, threads: int = 1, *, outcomes: bool = False
    ) -> tuple[int, int, int]:
        """How many values of a slice are not what their successors say, and the first of them.

        The third number is how many positions the slice has. With `outcomes`, it only matters
        whether a value is a win, a draw or a loss.
        """
        task = COMPARE_OUTCOMES if outcomes else COMPARE
        places = [of.size * i // threads for i in range(threads + 1)]
        bounds = pairwise(places)
        workers = [
            Worker(partial(self.sweep_part, tables, of, first, last, task))
            for first, last in bounds
        ]
        for worker in workers:
            worker.wait()
        found = [worker.outcome() for worker in workers]
        wrong = [int(each.first_changed) for each in found if each.changed]
        changed = sum(int(each.changed) for each in found)
        return changed, min(wrong, default=-1), sum(int(each.used) for each in found)

    def counts(self, values: Array) -> Counts:
        """How many positions are won, drawn and lost, and how far away the end is at most."""
        used = values[values != UNUSED]
        won, lost = int((used > 0).sum()), int((used < 0).sum())
        longest = None
        if not self._margins:
            decided = used[used != 0]
            longest = int(DECIDED - np.abs(decided).min()) if len(decided) else 0
        return Counts(len(used), won, len(used) - won - lost, lost, longest)
