"""Building a database: all groups of slices in order, as many at once as there are threads.

A table is written, read back, and verified against the rules: every position's value must be what
its successors say. Only then does it get its name in the database's folder. So whatever happens,
the folder holds nothing but verified tables, and the same command goes on where it was.
"""

import os
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
from threefold.engine.limits import check_whole
from threefold.engine.progress import StatusLine, bar
from threefold.engine.worker import PATIENCE, Worker
from threefold.errors import BrokenRules, ThreefoldError, argument
from threefold.rules.endgames import Endgames, Slice
from threefold.rules.game import Game
from threefold.rules.text import shorten
from threefold.solve.endgames.groups import Group, in_order
from threefold.solve.endgames.making import POSITION_BYTES, Maker, Stopped, Tables

S = TypeVar("S")

#: The prefix of tables that are not verified yet.
_UNVERIFIED: Final = "unverified-"
#: Bytes that a position of a group takes, its moves included, for a first guess.
_GUESSED_BYTES: Final = 120
#: Seconds between two looks at who is done.
_PAUSE: Final = 0.01
#: With this share of the work done, the time left can be told.
_SURE: Final = 0.02
#: How often each position is looked at: to list its moves, and to verify its value.
_LOOKS: Final = 2


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
    pieces: int,
    folder: str | Path,
    *,
    threads: int | None = None,
    distances: bool = True,
    gigabytes: float | None = None,
) -> Built:
    """Make all tables with at most so many pieces, but for those that are there already."""
    threads = threads or os.cpu_count() or 1
    check_whole("threads", threads, 1, 1024)
    builder = Builder(game, slices_of(game, pieces), Path(folder), threads, distances, gigabytes)
    return builder.run()


@dataclass
class Builder(Generic[S]):
    """One build."""

    game: Game[S]
    slices: list[Slice]
    folder: Path
    threads: int
    distances: bool
    gigabytes: float | None
    _total: int = 0
    _makers: list[Maker[S]] = field(default_factory=list)
    _running: dict[Maker[S], Group] = field(default_factory=dict)

    def run(self) -> Built:
        """Build what is missing."""
        began = time.monotonic()
        with _disk_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            for left in self.folder.glob(f".{_UNVERIFIED}*"):
                left.unlink()
            groups = in_order(self.slices, self.game.name)
            missing = [group for group in groups if not self._is_done(group)]
            self._total = _LOOKS * sum(group.size for group in missing)
            with StatusLine(self._status):
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
            header = TableFile(path).header
            rules = endgames_of(self.game).rules
            if (header.rules, header.slice, header.size) != (rules, each.number, each.size):
                raise ThreefoldError(
                    f"{shorten(str(path), 200)} is a table of {header.rules}, not of {rules}; "
                    "choose another folder"
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
        waiting = list(missing)
        unmade = {each.number for group in missing for each in group.slices}
        self._makers = [Maker(self.game) for _ in range(min(self.threads, len(missing)))]
        workers: dict[Maker[S], Worker] = {}
        budget = self._memory()
        try:
            while waiting or workers:
                for group in list(waiting):
                    spare = [maker for maker in self._makers if maker not in workers]
                    taken = sum(map(_memory_of, self._running.values()))
                    fits = not workers or taken + _memory_of(group) <= budget
                    is_ready = all(each.number not in unmade for each in group.exits)
                    if spare and fits and is_ready:
                        work = partial(self._make, group, spare[0], budget - taken)
                        self._running[spare[0]] = group
                        workers[spare[0]] = Worker(work)
                        waiting.remove(group)
                for maker in [each for each in workers if not workers[each].is_busy(_PAUSE)]:
                    workers.pop(maker).outcome()
                    made = self._running.pop(maker)
                    unmade.difference_update(each.number for each in made.slices)
        except BaseException:
            for maker in self._makers:
                maker.stop()
            for worker in workers.values():
                if not worker.is_busy(PATIENCE):
                    with suppress(Stopped):
                        worker.outcome()
            raise

    def _memory(self) -> int:
        """How many bytes may be used: what was asked for, or two thirds of what is free."""
        if self.gigabytes is not None:
            return int(self.gigabytes * (1 << 30))
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 2 // 3
        except (AttributeError, ValueError, OSError):
            return 4 << 30

    # One group.

    def _make(self, group: Group, maker: Maker[S], room: int) -> None:
        began = time.monotonic()
        tables = Tables(group)
        self._load_exits(tables, maker)
        maker.make(tables, room - POSITION_BYTES * group.size - tables.values.nbytes)
        seconds = time.monotonic() - began
        written = []
        for each in group.slices:
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
            path = self.folder / f".{_UNVERIFIED}{each.name}"
            write_table(path, header, values, maker.coder)
            written.append((each, path))
        for each, path in written:
            read_table(TableFile(path), tables.part(each), maker.coder)
        self._verify(tables, maker)
        for each, path in written:
            os.replace(path, path_of(self.folder, each.name))

    def _load_exits(self, tables: Tables, maker: Maker[S]) -> None:
        for each in tables.group.exits:
            table = TableFile(path_of(self.folder, each.name))
            if not table.header.distances:
                raise ThreefoldError(
                    f"{shorten(str(table.path), 200)} has outcomes without distances, and no more "
                    "tables can be made from it; choose another folder"
                )
            read_table(table, tables.part(each), maker.coder)

    def _verify(self, tables: Tables, maker: Maker[S]) -> None:
        threads = max(1, self.threads // max(1, len(self._running)))
        for each in tables.group.slices:
            wrong, first, _ = maker.differences(tables, each, threads)
            if wrong:
                raise BrokenRules(
                    f"{self.game.name}: {wrong:,} values of slice {each.name} are not what their "
                    f"successors say, the first of them that of number {first}; the numbering of "
                    "its positions is wrong, or a bug: threefold conformance may tell"
                )

    def _status(self, seconds: float) -> str:
        share = min(sum(maker.nodes for maker in self._makers) / max(self._total, 1), 1.0)
        left = f", {_shown_time(seconds / share - seconds)} left" if share > _SURE else ""
        names = "; ".join(group.name for group in list(self._running.values()))
        return f"building {bar(share)} {share:.0%}{left}: {names}"


def _shown_time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _memory_of(group: Group) -> int:
    """About how many bytes making a group takes."""
    return _GUESSED_BYTES * group.size + 2 * sum(each.size for each in group.exits)


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Say which folder cannot be written to, and why."""
    try:
        yield
    except OSError as error:
        raise ThreefoldError(
            f"the database in {shorten(str(folder), 200)} cannot be written: "
            f"{error.strerror or error}; what is finished stays, and the same command goes on"
        ) from None
