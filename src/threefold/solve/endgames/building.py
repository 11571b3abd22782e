"""Building a database: all groups of slices in order, as many at once as there are threads.

A table is written, read back, and verified against the rules: every position's value must be what
its successors say. Only then does it get its name in the database's folder. So whatever happens,
the folder holds nothing but verified tables, and the same command goes on where it was.
"""

import math
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Generic, TypeVar

import numpy as np

import threefold
from threefold.engine.endgames.files import Header, TableFile, path_of, read_table, write_table
from threefold.engine.limits import MAX_THREADS, check_whole
from threefold.engine.lock import Lock
from threefold.engine.progress import StatusLine, bar
from threefold.engine.worker import PATIENCE, Worker
from threefold.errors import BrokenRules, ThreefoldError, argument
from threefold.replacing import UNFINISHED
from threefold.rules.endgames import Endgames, Slice
from threefold.rules.game import Game
from threefold.rules.text import shorten
from threefold.solve.endgames.groups import Group, in_order
from threefold.solve.endgames.making import POSITION_BYTES, Maker, Stopped, Tables

S = TypeVar("S")

#: The prefix of tables that are not verified yet.
UNVERIFIED: Final = "unverified-"
#: Bytes that a position of a group takes, its moves included, for a first guess.
_GUESSED_BYTES: Final = 120
#: Seconds between two looks at who is done.
_PAUSE: Final = 0.01
#: With this share of the work done, the time left can be told.
_SURE: Final = 0.02
#: Where tables can be made.
_DEVICES: Final = ("cpu", "gpu")
#: How often each position is looked at: to list its moves, and to verify its value.
LOOKS: Final = 2


@dataclass(frozen=True)
class Built:
    """What a build did."""

    folder: Path
    #: How many tables were made, and how many were there already.
    made: int
    kept: int
    seconds: float
    bytes: int
    positions: int


def endgames_of(game: Game[S]) -> Endgames[S]:
    """The end-games of a game, or an error if it has none."""
    if game.endgames is None:
        raise ThreefoldError(
            f"{game.name} has no end-game databases: it declares no endgames; see docs/databases.md"
        )
    return game.endgames


def slices_of(game: Game[S], pieces: int) -> list[Slice]:
    """The slices with at most so many pieces."""
    endgames = endgames_of(game)
    slices = list(endgames.slices(pieces)) if 0 <= pieces <= endgames.most else []
    if not slices:
        raise ThreefoldError(
            f"{argument('pieces', pieces)}: databases of {game.name} have up to {endgames.most} "
            f"{endgames.unit}"
        )
    return slices


def build(
    game: Game[S],
    pieces: int | None,
    folder: str | Path,
    *,
    threads: int | None = None,
    distances: bool = True,
    gigabytes: float | None = None,
    device: str = "cpu",
    cluster: str = "local",
) -> Built:
    """Make all tables with at most so many pieces, but for those that are there already.

    A game that declares no end-games has one table with all its positions; `pieces` is None then.

    On the device `gpu`, only the tables of one group and of those it leads to have to fit there.
    On a `cluster`, `ray` or `ray:ADDRESS`, `threads` is the most workers, and `gigabytes` is what
    each of them may use.
    """
    if device not in _DEVICES:
        given = argument("device", repr(device))
        raise ThreefoldError(f"{given} is not one of {', '.join(_DEVICES)}")
    if threads is not None:
        check_whole("threads", threads, 1, MAX_THREADS)
    if gigabytes is not None and not (gigabytes > 0 and math.isfinite(gigabytes)):
        raise ThreefoldError(f"{argument('memory', gigabytes)} is not a number above 0")
    if game.has_superko:
        raise ThreefoldError(
            f"{game.name} can have no database: by superko what a position is worth depends on the "
            "game before it"
        )
    if game.endgames is None:
        _check_plain(game, pieces, device, cluster)
        from threefold.solve.endgames.reachable import build_reachable

        return build_reachable(game, Path(folder), distances=distances, gigabytes=gigabytes)
    if pieces is None:
        raise ThreefoldError(
            f"databases of {game.name} need {argument('pieces', 'N')}: positions with up to N "
            f"{game.endgames.unit}"
        )
    slices, place = slices_of(game, pieces), Path(folder)
    if cluster != "local":
        from threefold.solve.endgames.cluster import ClusterBuilder

        if device != "cpu":
            raise ThreefoldError(
                f"{argument('device', device)}: on a cluster, tables are made on CPUs; leave it out"
            )
        return ClusterBuilder(game, slices, place, distances, gigabytes, cluster, threads).run()
    if device == "gpu":
        from threefold.gpu.driver import check_device

        check_device("tables can be made without one")
    threads = threads or os.cpu_count() or 1
    return Builder(game, slices, place, threads, distances, gigabytes, device).run()


def _check_plain(game: Game[S], pieces: int | None, device: str, cluster: str) -> None:
    """Raise if something is asked for that only games with declared end-games have."""
    asked = {"pieces": pieces, "device": device, "cluster": cluster}
    for name, ordinary in (("pieces", None), ("device", "cpu"), ("cluster", "local")):
        if asked[name] != ordinary:
            raise ThreefoldError(
                f"{argument(name, asked[name])}: {game.name} declares no end-games, so its "
                "database has all reachable positions and is made on the CPU here; leave it out"
            )


class Agenda:
    """Which groups are still to be made, and which of them can be made now."""

    def __init__(self, groups: list[Group]) -> None:
        self.waiting = list(groups)
        self._unmade = {each.number for group in groups for each in group.slices}

    def ready(self) -> list[Group]:
        """The groups that wait, although all that they lead to is there."""
        return [
            group
            for group in self.waiting
            if all(each.number not in self._unmade for each in group.exits)
        ]

    def done(self, group: Group) -> None:
        """The tables of a group are there."""
        self._unmade.difference_update(each.number for each in group.slices)


@dataclass
class Builder(Generic[S]):
    """One build."""

    game: Game[S]
    slices: list[Slice]
    folder: Path
    threads: int
    distances: bool
    gigabytes: float | None
    device: str = "cpu"
    #: Tells the files of this build from those of another one in the same folder.
    _token: str = field(default_factory=lambda: secrets.token_hex(4))
    _total: int = 0
    _makers: list[Maker[S]] = field(default_factory=list)
    _running: dict[Maker[S], Group] = field(default_factory=dict)

    def run(self) -> Built:
        """Build what is missing."""
        began = time.monotonic()
        with disk_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with Lock(self.folder / "tables", "build") as lock:
                # If another build is at work here, both make the same tables, each its own.
                if lock.acquire():
                    remove_unfinished(self.folder)
                groups = in_order(self.slices, self.game.name)
                missing = [group for group in groups if not self._is_done(group)]
                self._total = LOOKS * sum(group.size for group in missing)
                self._make_all(missing)
                if not self.distances and not endgames_of(self.game).margins:
                    self._drop_distances()
                headers = [TableFile(path_of(self.folder, each.name)) for each in self.slices]
        made = sum(len(group.slices) for group in missing)
        return Built(
            self.folder,
            made,
            len(self.slices) - made,
            time.monotonic() - began,
            sum(each.bytes for each in headers),
            sum(each.header.positions for each in headers),
        )

    def _is_done(self, group: Group) -> bool:
        """Whether the tables of a group are there, made for the same rules."""
        found = True
        for each in group.slices:
            path = path_of(self.folder, each.name)
            if not path.exists():
                found = False
                continue
            table = TableFile(path)
            table.check_length()
            header, rules = table.header, endgames_of(self.game).rules
            if (header.rules, header.slice, header.size) != (rules, each.number, each.size):
                raise ThreefoldError(
                    f"{shorten(str(path), 200)} is the table {header.name} of {header.rules}, not "
                    f"{each.name} of {rules}; remove it, or choose another folder"
                )
            if self.distances and not header.distances:
                raise ThreefoldError(
                    f"{shorten(str(path), 200)} has outcomes without distances; choose another "
                    "folder, or ask for outcomes only"
                )
        return found

    def _drop_distances(self) -> None:
        """Keep only outcomes. Tables are made with distances, because only those can be proven."""
        maker = Maker(self.game)
        for each in self.slices:
            table = TableFile(path_of(self.folder, each.name))
            if table.header.distances:
                values = np.empty(each.size, np.int16)
                read_table(table, values, maker.coder)
                write_table(table.path, replace(table.header, distances=False), values, maker.coder)

    # Scheduling.

    def _make_all(self, missing: list[Group]) -> None:
        """Make the groups, each once those that it leads to are done."""
        self._makers = self._start_makers(len(missing))
        with StatusLine(self._status):
            self._make_in_threads(Agenda(missing))

    def _make_in_threads(self, agenda: Agenda) -> None:
        workers: dict[Maker[S], Worker] = {}
        budget = self.memory()
        try:
            while agenda.waiting or workers:
                for group in agenda.ready():
                    spare = [maker for maker in self._makers if maker not in workers]
                    taken = sum(map(_memory_of, self._running.values()))
                    fits = not workers or taken + _memory_of(group) <= budget
                    if spare and fits:
                        work = partial(self._make, group, spare[0], budget - taken)
                        self._running[spare[0]] = group
                        workers[spare[0]] = Worker(work)
                        agenda.waiting.remove(group)
                for maker in [each for each in workers if not workers[each].is_busy(_PAUSE)]:
                    workers.pop(maker).outcome()
                    agenda.done(self._running.pop(maker))
        except BaseException:
            for maker in self._makers:
                maker.stop()
            for worker in workers.values():
                if not worker.is_busy(PATIENCE):
                    with suppress(Stopped):
                        worker.outcome()
            raise

    def _start_makers(self, groups: int) -> list[Maker[S]]:
        """One for each thread, but no more than there are groups; or one for the GPU."""
        if self.device == "gpu":
            from threefold.solve.endgames.gpu_making import GpuMaker

            return [GpuMaker(self.game)] if groups else []
        return [Maker(self.game) for _ in range(min(self.threads, groups))]

    def memory(self) -> int:
        """How many bytes may be used: what was asked for, or two thirds of what is free."""
        if self.gigabytes is not None:
            return int(self.gigabytes * (1 << 30))
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 2 // 3
        except (AttributeError, ValueError, OSError):
            return 4 << 30

    # One group.

    def _make(self, group: Group, maker: Maker[S], room: int) -> None:
        """Make the tables of a group, and verify them, in about so many bytes of memory."""
        tables = Tables(group)
        self._load_exits(tables, maker)
        self.make_tables(tables, maker, room)

    def make_tables(self, tables: Tables, maker: Maker[S], room: int) -> None:
        """The same, where the values of the slices that they lead to are loaded."""
        began, group = time.monotonic(), tables.group
        maker.make(tables, room - POSITION_BYTES * group.size - tables.values.nbytes)
        self._write(tables, maker, time.monotonic() - began)
        self._verify(tables, maker)
        self._accept(group)

    def _write(self, tables: Tables, maker: Maker[S], seconds: float) -> None:
        """Write the tables of a group under other names, and read them back."""
        for each in tables.group.slices:
            values, counts = tables.part(each), maker.counts(tables.part(each))
            header = Header(
                game=self.game.spec,
                rules=endgames_of(self.game).rules,
                slice=each.number,
                name=each.name,
                pieces=each.pieces,
                size=each.size,
                positions=counts.positions,
                won=counts.won,
                drawn=counts.drawn,
                lost=counts.lost,
                longest=counts.longest,
                margins=endgames_of(self.game).margins,
                distances=True,
                made={"threefold": threefold.__version__, "seconds": round(seconds, 3)},
            )
            write_table(self._unverified(each), header, values, maker.coder)
        for each in tables.group.slices:
            read_table(TableFile(self._unverified(each)), tables.part(each), maker.coder)

    def _unverified(self, of: Slice) -> Path:
        """Where a table is until it is verified."""
        return self.folder / f".{UNVERIFIED}{self._token}-{of.name}"

    def _accept(self, group: Group) -> None:
        """Give the verified tables of a group their names."""
        for each in group.slices:
            os.replace(self._unverified(each), path_of(self.folder, each.name))

    def _load_exits(self, tables: Tables, maker: Maker[S]) -> None:
        for each in tables.group.exits:
            read_table(self._finished(each), tables.part(each), maker.coder)

    def _finished(self, of: Slice) -> TableFile:
        """The table of a slice that others lead to."""
        table = TableFile(path_of(self.folder, of.name))
        if not table.header.distances:
            raise ThreefoldError(
                f"{shorten(str(table.path), 200)} has outcomes without distances, and no more "
                "tables can be made from it; choose another folder"
            )
        return table

    def _verify(self, tables: Tables, maker: Maker[S]) -> None:
        threads = max(1, self.threads // max(1, len(self._running)))
        for each in tables.group.slices:
            wrong, first, _ = maker.differences(tables, each, threads)
            if wrong:
                raise self._wrong_values(each, wrong, first)

    def _wrong_values(self, of: Slice, wrong: int, first: int) -> BrokenRules:
        return BrokenRules(
            f"{self.game.name}: {wrong:,} values of slice {of.name} are not what their successors "
            f"say, the first of them that of number {first}; the numbering of its positions is "
            "wrong, or a bug: threefold conformance may tell"
        )

    # Progress.

    def _status(self, seconds: float) -> str:
        share = min(self._looked() / max(self._total, 1), 1.0)
        left = f", {_shown_time(seconds / share - seconds)} left" if share > _SURE else ""
        return f"building {bar(share)} {share:.0%}{left}: {'; '.join(self._at_work())}"

    def _looked(self) -> int:
        """How often positions were looked at so far."""
        return sum(maker.nodes for maker in self._makers)

    def _at_work(self) -> list[str]:
        """The groups that are being made."""
        return [group.name for group in list(self._running.values())]


def _shown_time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _memory_of(group: Group) -> int:
    """About how many bytes making a group takes."""
    return _GUESSED_BYTES * group.size + 2 * sum(each.size for each in group.exits)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed builds have left."""
    for prefix in (f".{UNVERIFIED}", UNFINISHED):
        for left in folder.glob(f"{prefix}*"):
            left.unlink()


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Say which folder cannot be written to, and why."""
    try:
        yield
    except OSError as error:
        raise ThreefoldError(
            f"the database in {shorten(str(folder), 200)} cannot be written: "
            f"{error.strerror or error}; what is finished stays, and the same command goes on"
        ) from None
