"""A database with every position of a small game, for games that declare no end-games.

All positions that play can reach from the start are found and valued in memory, as solving by the
graph does. They are written in the order in which they were found, with a hash table that finds
them again: see `threefold.engine.endgames.reachable`. What was written is read back, and every
value is compared with what its successors say. Only then do the files get their names.
"""

import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np

import threefold
from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.endgames.coding import count_symbols, decode_all, encode_blocks
from threefold.engine.endgames.database import NEEDED, files_in, positions_of
from threefold.engine.endgames.files import (
    Coder,
    Damaged,
    Header,
    TableFile,
    path_of,
    read_table,
    write_table,
)
from threefold.engine.endgames.reachable import (
    ALL,
    PositionsFile,
    number_by_hash,
    other_rules,
    positions_bytes,
    positions_path,
    rules_text,
    write_positions,
)
from threefold.engine.endgames.values import DECIDED
from threefold.engine.limits import MAX_MEGABYTES
from threefold.engine.lock import Lock
from threefold.engine.progress import StatusLine
from threefold.engine.records import allocate
from threefold.errors import BrokenRules, NotCompilable, ThreefoldError, argument
from threefold.rules.contract import MIN, state
from threefold.rules.game import Game
from threefold.solve import retrograde
from threefold.solve.endgames.building import UNVERIFIED, Built, disk_errors, remove_unfinished
from threefold.solve.endgames.verifying import Verified
from threefold.solve.expansion import Array, slot_of
from threefold.solve.graph import MOST_POSITIONS, CompiledEnumeration, Graph, room

S = TypeVar("S")

#: Unless told, it takes as much memory as solving does.
_GIGABYTES: Final = 1.0
#: A game's own guess at how many positions follow may be so many times the truth.
_FAR_TOO_MANY: Final = 10
#: The longest win that a table can hold, in plies.
_LONGEST: Final = DECIDED - 2


def place_all(states: Array, slots: Array) -> None:
    """The entry: put the numbers of all positions into a hash table that is empty."""
    for i in range(len(states)):
        slots[slot_of(state(states[i]), states, slots)] = i + 1


def misplaced(states: Array, slots: int, last_slot: int, positions: int) -> int:
    """The entry: how many positions do not have their own number by their hash."""
    wrong = 0
    for i in range(len(states)):
        if number_by_hash(state(states[i]), slots, last_slot, positions) != i:
            wrong += 1
    return wrong


def build_reachable(
    game: Game[S], folder: Path, *, distances: bool, gigabytes: float | None
) -> Built:
    """Make the database of all positions of a game, unless it is there already."""
    began = time.monotonic()
    _check_kind(game)
    with disk_errors(folder):
        kept = _is_there(game, folder, distances)
        if not kept:
            _make(game, folder, distances, gigabytes)
        table = TableFile(path_of(folder, ALL))
        length = table.bytes + positions_bytes(folder)
    seconds = time.monotonic() - began
    return Built(folder, int(not kept), int(kept), seconds, length, table.header.positions)


def verify_reachable(
    game: Game[S], folder: Path, watch: Callable[[Verified], None]
) -> list[Verified]:
    """Verify such a database: its positions, their numbers, and every value."""
    files = files_in(folder)
    try:
        tables = {each.header.slice: each for each in map(TableFile, files)}
        table = next(iter(tables.values()))
        if table.header.rules != rules_text(game):
            raise other_rules(game, table.header, folder)
        found = _verify_files(game, table, positions_of(folder, tables))
    except Damaged as error:
        found = Verified(ALL, 0, 0, "", str(error))
    watch(found)
    return [found]


def _verify_files(game: Game[S], table: TableFile, positions: PositionsFile) -> Verified:
    every = _Every(game, MAX_MEGABYTES, len(positions))
    if not np.array_equal(every.graph.states, positions.states):
        return Verified(ALL, 0, 0, "", f"the positions in {positions.path.name} are not the game's")
    wrong = every.wrong(table, positions)
    first = game.format(every.graph.state(int(wrong[0]))) if len(wrong) else ""
    return Verified(ALL, len(positions), len(wrong), first)


def _check_kind(game: Game[S]) -> None:
    """Raise unless the game is one of two players with perfect information and without chance."""
    game.require("a database", zero_sum=True, perfect_information=True)
    if not game.facts.deterministic:
        raise ThreefoldError(f"databases are for games without chance, and {game.name} has some")


def _is_there(game: Game[S], folder: Path, distances: bool) -> bool:
    """Whether the database is there already; an error if the folder has another game's."""
    if not folder.is_dir():
        return False
    found = False
    for path in folder.glob("*.endgame"):
        header = TableFile(path).header
        if (header.rules, path) == (rules_text(game), path_of(folder, ALL)):
            found = header.distances == distances
        elif (header.game, path) != (game.spec, path_of(folder, ALL)):
            raise ThreefoldError(f"{other_rules(game, header, folder)}; choose another folder")
    if not found or not positions_path(folder).exists():
        return False
    table = TableFile(path_of(folder, ALL))
    positions_of(folder, {0: table})
    return True


def _make(game: Game[S], folder: Path, distances: bool, gigabytes: float | None) -> None:
    megabytes = int(1024 * (_GIGABYTES if gigabytes is None else gigabytes))
    megabytes = min(max(megabytes, 1), MAX_MEGABYTES)
    began = time.monotonic()
    every = _Every(game, megabytes)
    values = every.values()
    won, lost = int((values > 0).sum()), int((values < 0).sum())
    decided = values[values != 0]
    header = Header(
        game=game.spec,
        rules=rules_text(game),
        slice=0,
        name=ALL,
        pieces=0,
        size=len(values),
        positions=len(values),
        won=won,
        drawn=len(values) - won - lost,
        lost=lost,
        longest=int(DECIDED - np.abs(decided).min()) if len(decided) else 0,
        margins=False,
        distances=True,
        made={
            "threefold": threefold.__version__,
            "seconds": round(time.monotonic() - began, 3),
        },
    )
    folder.mkdir(parents=True, exist_ok=True)
    with Lock(folder / "tables", "build") as lock:
        if lock.acquire():
            remove_unfinished(folder)
        _write(every, folder, header, values, distances)


def _write(
    every: "_Every[S]", folder: Path, header: Header, values: Array, distances: bool
) -> None:
    """Write both files under other names, verify them, and give them their names."""
    start = f".{UNVERIFIED}{secrets.token_hex(4)}-"
    table, positions = folder / f"{start}table", folder / f"{start}positions"
    try:
        write_positions(positions, header.rules, every.slots(), every.graph.states)
        write_table(table, header, values, every.coder)
        wrong = every.wrong(TableFile(table), PositionsFile(positions))
        if len(wrong):
            raise BrokenRules(
                f"{every.game.name}: {len(wrong):,} values are not what their successors say: a bug"
            )
        if not distances:
            write_table(table, replace(header, distances=False), values, every.coder)
        os.replace(positions, positions_path(folder))
        os.replace(table, path_of(folder, ALL))
    finally:
        table.unlink(missing_ok=True)
        positions.unlink(missing_ok=True)


@dataclass
class _Every(Generic[S]):
    """Every position of a game, and what each is worth."""

    game: Game[S]
    megabytes: int
    most: int = MOST_POSITIONS

    def __post_init__(self) -> None:
        reduced = self.game.reduced_to(NEEDED)
        self._check_size()
        self._control = allocate(Control)
        try:
            self._compiled = Compiled(reduced)
            start = reduced.timeless(reduced.initial())
            positions = CompiledEnumeration(reduced, start, self.megabytes, self._control)
        except NotCompilable as error:
            raise NotCompilable(f"databases need rules that can be compiled: {error}") from None
        with StatusLine(lambda _: f"looking for all positions  {positions.positions:,}"):
            if not positions.run(self.most):
                raise self._shortage(positions)
        self.graph: Graph[S] = positions.graph()
        self._check_utilities()
        entry = self._compiled.entry
        self.coder = Coder(entry(count_symbols), entry(encode_blocks), entry(decode_all))

    def _check_size(self) -> None:
        """Raise if the game says that far more positions follow than fit into memory."""
        game = self.game
        if game.reachable is None:
            return
        count = game.reachable(game.initial())
        if count > _FAR_TOO_MANY * room(game, self.megabytes):
            raise ThreefoldError(
                f"{game.name}: about 10^{len(str(count)) - 1} positions can follow, too many for "
                f"{self.megabytes / 1024:.3g} GB"
            )

    def _shortage(self, positions: CompiledEnumeration[S]) -> ThreefoldError:
        return ThreefoldError(
            f"{self.game.name}: {positions.positions:,} positions and more do not fit into "
            f"{self.megabytes / 1024:.3g} GB; {positions.remark}a larger "
            f"{argument('memory', 'GB')} may be enough"
        )

    def _check_utilities(self) -> None:
        most = int(np.abs(self.graph.utility).max(initial=0))
        if most > 1:
            raise ThreefoldError(
                f"{self.game.name}: a game can end with a utility of ±{most}, and a database holds "
                "only wins, draws and losses; solve finds out what is gained"
            )

    def slots(self) -> Array:
        """A hash table of all positions, at least half of it empty."""
        slots = np.zeros(1 << (2 * len(self.graph) - 1).bit_length(), np.int32)
        self._compiled.entry(place_all)(self.graph.states, slots)
        return slots

    def values(self) -> Array:
        """What each position is worth, as tables have it."""
        with StatusLine(lambda _: f"retrograde analysis of {len(self.graph):,} positions"):
            analysis = retrograde.analyze(self.graph, self._control)
        assert analysis is not None, "nobody stops it"
        if not self.game.cyclic and analysis.endless.any():
            raise ThreefoldError(
                f"{self.game.name}: play can go on forever, and what that is worth decides; "
                "declare repeats=True if it is a draw"
            )
        longest = int(analysis.plies.max())
        if longest > _LONGEST:
            raise ThreefoldError(
                f"{self.game.name}: a win takes {longest:,} plies, and a database has up to "
                f"{_LONGEST:,}"
            )
        to_mover = np.where(self._is_min, -analysis.value, analysis.value)
        return (np.sign(to_mover) * (DECIDED - analysis.plies)).astype(np.int16)

    def wrong(self, table: TableFile, positions: PositionsFile) -> Array:
        """The numbers of the values in a table that are not what their successors say."""
        lost = self._compiled.entry(misplaced)(self.graph.states, *positions.fields)
        if lost:
            raise Damaged(positions.path, f"{lost:,} positions have another number than their own")
        values = np.empty(table.header.size, np.int16)
        read_table(table, values, self.coder)
        if table.header.distances:
            return np.flatnonzero(self._implied(values) != values)
        # Without distances a win is as far away as any.
        values *= DECIDED >> 1
        return np.flatnonzero(np.sign(self._implied(values)) != np.sign(values))

    @property
    def _is_min(self) -> Any:
        return self.graph.mover == MIN

    def _implied(self, values: Array) -> Array:
        """What each position is worth by the values of its successors, for the player to move."""
        graph, is_min = self.graph, self._is_min
        implied = np.where(is_min, -graph.utility, graph.utility) * DECIDED
        counts = np.diff(graph.first)
        if len(graph.child):
            gained = values[graph.child]
            np.negative(gained, out=gained, where=np.repeat(is_min, counts) != is_min[graph.child])
            gained -= np.sign(gained)  # a ply later
            goes_on = counts > 0
            implied[goes_on] = np.maximum.reduceat(gained, graph.first[:-1][goes_on])
        return implied
