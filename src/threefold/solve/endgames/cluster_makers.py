"""Those who make tables of end-games on the nodes of a cluster.

A worker is given a whole group, or one sweep through a part of a group that is too large. For that
it has the values of the whole group, and learns only what has changed in them since its last part.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from threefold.cluster.nodes import Shared, Unable
from threefold.engine.endgames.files import Damaged, TableFile, path_of, read_table
from threefold.errors import ThreefoldError
from threefold.games.catalogue import game as game_named
from threefold.rules.endgames import Slice
from threefold.solve.endgames.building import Builder, slices_of
from threefold.solve.endgames.groups import Group, in_order
from threefold.solve.endgames.making import Maker, Tables

S = TypeVar("S")
Array: TypeAlias = Any
#: The finished files of slices, as bytes, by the number of the slice.
Files: TypeAlias = Mapping[int, Shared[Array]]


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A group to be made and verified, by the number of its first slice."""

    number: int
    group: int
    #: Of the slices that it leads to.
    files: Files


@dataclass(frozen=True)
class Changes:
    """What has changed in a part of a slice: where, from the part's first number on."""

    first: int
    places: Array
    values: Array


@dataclass(frozen=True)
class Version:
    """The values of a slice: all of them as they once were, and what has changed since."""

    #: Tells the first values from others; None stands for those that nothing is known about.
    base: int = 0
    values: Shared[Array] | None = None
    changes: tuple[Shared[tuple[Changes, ...]], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a group to be swept through once: some numbers of a slice."""

    number: int
    group: int
    files: Files
    of: int
    first: int
    last: int
    #: To write or to compare; see `sweeping`.
    task: int
    start: int
    values: Mapping[int, Version]


@dataclass(frozen=True)
class Made:
    """The answer to `Whole`: the finished files."""

    number: int
    files: Mapping[int, Array]


@dataclass(frozen=True)
class Swept:
    """The answer to `Part`: how many values are not what their successors say, and the right ones.

    `first_changed` is the first number that has one.
    """

    number: int
    changed: int
    first_changed: int
    changes: Changes


@dataclass
class _Kept:
    """The values of a group, and which version they are: its base, and how many changes."""

    tables: Tables
    known: dict[int, tuple[int, int]] = field(default_factory=dict)


class TableMakers(Generic[S]):
    """Makes tables in a process of a node; see `threefold.cluster.nodes.Crew`."""

    def __init__(self, game: str, pieces: int, gigabytes: float | None) -> None:
        """`gigabytes` is the memory to use, or None for this worker's share of what is free."""
        self.game = game_named(game, own_net=False)
        groups = in_order(slices_of(self.game, pieces), self.game.name)
        self._groups = {group.slices[0].number: group for group in groups}
        self._gigabytes = gigabytes
        self._maker: Maker[Any] = Maker(self.game)
        self._kept: _Kept | None = None

    def get_ready(self) -> None:
        """Make the first group, to compile what is needed."""
        number, group = next(iter(self._groups.items()))
        assert not group.exits
        try:
            self.play(Whole(number=0, group=number, files={}))
        except Unable as error:
            raise ThreefoldError(f"it cannot make tables: {error}") from None

    def play(self, task: Whole | Part) -> Made | Swept:
        """Do a task."""
        try:
            return self._make(task) if isinstance(task, Whole) else self._sweep(task)
        except (OSError, MemoryError, Damaged) as error:
            raise Unable(str(error)) from None
        finally:
            self._maker.controls.clear()

    def _make(self, task: Whole) -> Made:
        group = self._groups[task.group]
        self._kept = None
        tables = self._loaded(group, task.files)
        with TemporaryDirectory(prefix="threefold-") as name:
            folder = Path(name)
            builder = Builder(self.game, list(group.slices), folder, 1, True, self._gigabytes)
            workers = 1 if self._gigabytes is not None else os.cpu_count() or 1
            builder.make_tables(tables, self._maker, builder.memory() // workers)
            files = {
                each.number: np.fromfile(path_of(folder, each.name), np.uint8)
                for each in group.slices
            }
        return Made(task.number, files)

    def _sweep(self, task: Part) -> Swept:
        group = self._groups[task.group]
        tables = self._current(group, task)
        (of,) = (each for each in group.slices if each.number == task.of)
        part = tables.part(of)[task.first : task.last]
        before = part.copy()
        found = self._maker.sweep_part(tables, of, task.first, task.last, task.task)
        places = np.flatnonzero(part != before).astype(np.uint32)
        changes = Changes(task.first, places, part[places])
        part[:] = before  # so that they are of one version; they come again with the next
        return Swept(task.number, int(found.changed), int(found.first_changed), changes)

    def _current(self, group: Group, task: Part) -> Tables:
        """The values of a group as they are now."""
        if self._kept is None or self._kept.tables.group is not group:
            self._kept = None  # before there is room for others
            self._kept = _Kept(self._loaded(group, task.files))
        for each in group.slices:
            self._update(self._kept, each, task)
        return self._kept.tables

    def _loaded(self, group: Group, files: Files) -> Tables:
        """The tables of a group, with the values of all that it leads to."""
        tables = Tables(group)
        with TemporaryDirectory(prefix="threefold-") as name:
            for each in group.exits:
                path = path_of(Path(name), each.name)
                path.write_bytes(files[each.number].get())
                read_table(TableFile(path), tables.part(each), self._maker.coder)
                path.unlink()  # should this process be killed, little is left behind
        return tables

    def _update(self, kept: _Kept, of: Slice, task: Part) -> None:
        """Learn what has changed in a slice."""
        version, values = task.values[of.number], kept.tables.part(of)
        base, count = kept.known.get(of.number, (-1, 0))
        if base != version.base:
            count = 0
            values[:] = task.start if version.values is None else version.values.get()
        for step in version.changes[count:]:
            for each in step.get():
                values[each.first :][each.places] = each.values
        kept.known[of.number] = version.base, len(version.changes)

    def close(self) -> None:
        """Nothing is open."""
