"""Building a database: all groups of slices in order, as many at once as there are threads.

A table is written, read back, and verified against the rules: every position's value must be what
its successors say. Only then does it get its name in the database's folder. So whatever happens,
the folder holds nothing but verified tables, and the same command goes on where it was.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

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
    _makers: dict[int, Maker[S]] = field(default_factory=dict)
    _looked: int = 0

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
            found = found and header.distances >= self._keeps_distances
        return found

    @property
    def _keeps_distances(self) -> bool:
        return self.distances or endgames_of(self.game).margins

    # Scheduling.

    def _make_all(self, missing: list[Group]) -> None:
        """Make the groups, each once those that it leads to are done."""
        waiting = list(missing)
        unmade = {each.number for group in missing for each in group.slices}
        running: dict[Worker, Group] = {}
        spare = [Maker(self.game) for _ in range(min(self.threads, len(missing)))]
        self._all = list(spare)
        budget = self._memory()
        try:
            while waiting or running:
                for group in list(waiting):
                    taken = sum(map(_memory_of, running.values()))
                    fits = not running or taken + _memory_of(group) <= budget
                    is_ready = all(each.number not in unmade for each in group.exits)
                    if spare and fits and is_ready:
                        maker, room = spare.pop(), budget - taken
                        worker = Worker(partial(self._make, group, maker, room))
                        running[worker] = group
                        self._makers[id(worker)] = maker
                        waiting.remove(group)
                for worker in [each for each in running if not each.is_busy(0.02)]:
                    group = running.pop(worker)
                    spare.append(self._makers.pop(id(worker)))
                    worker.outcome()
                    unmade.difference_update(each.number for each in group.slices)
        except BaseException:
            for maker in self._all:
                maker.stop()
            for worker in running:
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
            written.append((each, header, path))
        for each, _, path in written:
            read_table(TableFile(path), tables.part(each), maker.coder)
        self._verify(tables, maker)
        for each, header, path in written:
            if not self._keeps_distances:
                values, header = tables.part(each), replace(header, distances=False, longest=None)
                write_table(path, header, values, maker.coder)
            os.replace(path, path_of(self.folder, each.name))

    def _load_exits(self, tables: Tables, maker: Maker[S]) -> None:
        for each in tables.group.exits:
            table = TableFile(path_of(self.folder, each.name))
            if not table.header.distances:
                raise ThreefoldError(
                    f"{shorten(str(table.path), 200)} has no distances, and tables with more "
                    f"{endgames_of(self.game).unit} cannot be made from it"
                )
            read_table(table, tables.part(each), maker.coder)

    def _verify(self, tables: Tables, maker: Maker[S]) -> None:
        threads = max(1, self.threads // max(1, len(self._makers)))
        for each in tables.group.slices:
            wrong, first, _ = maker.differences(tables, each, threads)
            if wrong:
                raise BrokenRules(
                    f"{self.game.name}: {wrong:,} values of slice {each.name} are not what their "
                    f"successors say, the first of them that of number {first}; the numbering of "
                    "its positions is wrong, or a bug: threefold conformance may tell"
                )

    def _status(self, seconds: float) -> str:
        looked = sum(maker.nodes for maker in self._all) if self._makers else 0
        share = min(looked / max(self._total, 1), 1.0)
        left = f", {seconds / share - seconds:.0f} s left" if share > 0.01 else ""
        names = "…"
        return f"building {self.game.name} {bar(share)} {share:.0%} {names} {seconds:.0f} s{left}"


def _memory_of(group: Group) -> int:
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


def verify(
    game: Game[S], folder: str | Path, watch: Callable[[str, int], None] = lambda _n, _w: None
) -> int:
    """Verify every table of a database again; how many values are wrong."""
    raise NotImplementedError


_ = Any
