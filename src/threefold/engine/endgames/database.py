"""A database of end-games: the tables in a folder, ready to be looked into.

`game.knowing(Database(game, folder))` is the same game with a database that its searches use.
"""

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.endgames.coding import BLOCK, count_symbols, decode_all, encode_blocks
from threefold.engine.endgames.files import SUFFIX, Coder, Damaged, TableFile, read_table
from threefold.engine.endgames.probing import (
    ENTRY,
    IS_DAMAGED,
    NOT_FOUND,
    SLICE,
    VALUES,
    DatabaseMemory,
    is_decided,
    probe_position,
)
from threefold.engine.endgames.reachable import (
    PositionsFile,
    other_rules,
    positions_path,
    rules_text,
)
from threefold.engine.endgames.values import plies_to_end
from threefold.engine.records import allocate, boxed
from threefold.errors import ThreefoldError, argument
from threefold.rules.bits import mix
from threefold.rules.contract import MIN
from threefold.rules.game import Game
from threefold.rules.text import shorten

S = TypeVar("S")

#: The hooks that decide what tables hold.
NEEDED: Final = frozenset(
    {"player", "actions", "result", "utility", "is_terminal", "drawn", "settled"}
)
#: For how many megabytes of values tables are decoded as a whole.
DECODED_MEGABYTES: Final = 64
#: How many decoded blocks a thread keeps, of 8 KB each.
_KEPT_BLOCKS: Final = 1 << 11


@dataclass(frozen=True)
class Known:
    """What a database says of a position, or of a move, for the player to move."""

    #: The utility.
    value: int
    #: Plies until the game is won, negative until it is lost; None if drawn or not known.
    win_in: int | None

    @property
    def words(self) -> str:
        """In words: won in 33 plies."""
        if self.win_in is not None:
            outcome = "won" if self.win_in >= 0 else "lost"
            return f"{outcome} in {abs(self.win_in)} pl{'y' if abs(self.win_in) == 1 else 'ies'}"
        if self.value == 0:
            return "drawn"
        return f"won, {self.value:+d}" if self.value > 0 else f"lost, {self.value:+d}"

    @property
    def rank(self) -> tuple[int, float]:
        """The larger, the better: sooner wins, and later losses."""
        return self.value, 0.0 if self.win_in is None else -float(self.win_in)


class Database(Generic[S]):
    """The tables of one game in a folder."""

    def __init__(self, game: Game[S], folder: str | Path) -> None:
        self.folder = Path(folder)
        self.tables = tables_in(self.folder)
        endgames, rules = game.endgames, rules_text(game)
        for table in self.tables.values():
            if table.header.rules != rules:
                raise other_rules(game, table.header, self.folder)
        #: Whether positions are worth a margin.
        self.has_margins = endgames is not None and endgames.margins
        #: What its tables count.
        self.unit = "positions" if endgames is None else endgames.unit
        #: All positions by number, where a game numbers no end-games.
        self.positions = None if endgames is not None else positions_of(self.folder, self.tables)
        self._compiled = Compiled(game.reduced_to(NEEDED))
        self._arrays: DatabaseArrays | None = None
        self._directory = _Directory(list(self.tables.values()), self.positions)
        self._decoded: dict[int, Any] = {}
        self._lock = threading.Lock()

    @property
    def pieces(self) -> int:
        """How many pieces the largest table has."""
        return max(table.header.pieces for table in self.tables.values())

    @property
    def extent(self) -> str:
        """Which positions it has, in words."""
        if self.positions is not None:
            return "all positions that play can reach from the start"
        return f"tables with up to {self.pieces} {self.unit}"

    @property
    def bytes(self) -> int:
        """How large all its files are."""
        others = 0 if self.positions is None else self.positions.bytes
        return others + sum(table.bytes for table in self.tables.values())

    def arrays(self, megabytes: int = DECODED_MEGABYTES) -> "DatabaseArrays":
        """What a thread needs to look into it.

        The smallest tables are decoded as a whole, as far as they fit into some megabytes. All
        threads share those.
        """
        with self._lock:
            self._decode(megabytes << 20)
        return DatabaseArrays(self._directory)

    def _decode(self, room: int) -> None:
        entry = self._compiled.entry
        coder = Coder(entry(count_symbols), entry(encode_blocks), entry(decode_all))
        for table in sorted(self.tables.values(), key=lambda each: each.header.size):
            room -= 2 * table.header.size
            if room < 0:
                return
            if table.header.slice not in self._decoded:
                values = np.empty(table.header.size, np.int16)
                read_table(table, values, coder)
                self._decoded[table.header.slice] = values
                place = self._directory.place_of(table.header.slice)
                self._directory.entries[ENTRY * place + VALUES] = values.ctypes.data

    def value(self, s: S) -> int | None:
        """A position's value as `values` has it; None if it is not in the database."""
        probe, words = self._compiled.entry(probe_position), self._compiled.words(s)
        with self._lock:  # a probe may exchange a block that another one is reading
            if self._arrays is None:
                self._arrays = DatabaseArrays(self._directory)
            memory = self._arrays.memory
            value = int(probe(words, boxed(memory)))
            damaged = int(memory.damaged)
        if value == IS_DAMAGED:
            raise self.damaged(damaged)
        return None if value == NOT_FOUND else value

    def look_up(self, s: S) -> Known | None:
        """What the database knows of a position; None if it is not in there."""
        value = self.value(s)
        if value is None:
            return None
        game = self._compiled.game
        if self.has_margins:
            settled = game.settled(s)[0]
            return Known(value + (-settled if game.player(s) == MIN else settled), None)
        sign = (value > 0) - (value < 0)
        # A game that is over is not won or lost in any number of plies.
        plies = plies_to_end(value) if is_decided(value) else 0
        return Known(sign, sign * plies if plies else None)

    def damaged(self, of_slice: int) -> ThreefoldError:
        """The error that a table cannot be read, which names its file."""
        return Damaged(self.tables[of_slice].path, "a block of it is damaged")


class DatabaseArrays:
    """What a `DatabaseMemory` has the addresses of; keep it as long as the search runs."""

    def __init__(self, directory: "_Directory") -> None:
        self._directory = directory
        self._tags = np.zeros(_KEPT_BLOCKS, np.int64)
        self._blocks = np.empty(_KEPT_BLOCKS * BLOCK, np.int16)
        self.memory = allocate(DatabaseMemory)
        for name, value in zip(DatabaseMemory.__slots__, self.fields(), strict=False):
            setattr(self.memory, name, value)

    def fields(self) -> tuple[int, ...]:
        """The fields of a `DatabaseMemory`."""
        entries = self._directory.entries
        addresses = (self._tags.ctypes.data, self._blocks.ctypes.data)
        return (
            *(entries.ctypes.data, len(entries) // ENTRY - 1),
            *(*addresses, _KEPT_BLOCKS - 1, 0, 0, 0),
            *self._directory.by_hash,
        )


class _Directory:
    """The directory of `probing`, and what it has the addresses of."""

    def __init__(self, tables: list[TableFile], positions: PositionsFile | None) -> None:
        #: Where all positions are, for `number_by_hash`.
        self.by_hash = (0, 0, 0) if positions is None else positions.fields
        length = 1
        while length <= 2 * len(tables):
            length *= 2
        self.entries = np.zeros(length * ENTRY, np.int64)
        self._kept: list[Any] = [positions]
        blocks = 0
        for table in tables:
            header = table.header
            arrays = (table.ends, table.checks, table.data, table.codes)
            self._kept += arrays
            i = self.place_of(header.slice)
            self.entries[ENTRY * i : ENTRY * (i + 1)] = (
                *(header.slice + 1, header.size, header.distances),
                *(header.row, header.wide, header.deep),
                *(array.ctypes.data for array in arrays),
                *(blocks, header.seed, 0),
            )
            blocks += header.blocks

    def place_of(self, of_slice: int) -> int:
        """The number of a slice's entry, or of the one where it belongs."""
        last = len(self.entries) // ENTRY - 1
        i = mix(of_slice) & last
        while self.entries[ENTRY * i + SLICE] not in (0, of_slice + 1):
            i = i + 1 & last
        return i


def positions_of(folder: Path, tables: dict[int, TableFile]) -> PositionsFile:
    """All positions of a database that numbers them by hashing."""
    path, table = positions_path(folder), next(iter(tables.values()))
    found = PositionsFile(path)
    if (found.rules, len(found)) != (table.header.rules, table.header.size):
        raise Damaged(path, f"it does not belong to {table.path.name}")
    return found


def rules_of(folder: Path) -> str:
    """The rules that the database in a folder is for."""
    return next(iter(tables_in(folder).values())).header.rules


def tables_in(folder: Path) -> dict[int, TableFile]:
    """The tables in a folder, by slice."""
    tables = [TableFile(path) for path in files_in(folder)]
    tables.sort(key=lambda table: (table.header.pieces, table.header.slice))
    return {table.header.slice: table for table in tables}


def files_in(folder: Path) -> list[Path]:
    """The files of a database, or an error if there is none."""
    try:
        names = [each.name for each in os.scandir(folder) if each.name.endswith(SUFFIX)]
    except (FileNotFoundError, NotADirectoryError):
        raise ThreefoldError(
            f"there is no database in {shorten(str(folder), 200)}: it is not a folder"
        ) from None
    except OSError as error:
        raise ThreefoldError(
            f"the folder {shorten(str(folder), 200)} cannot be read: {error.strerror or error}"
        ) from None
    if not names:
        raise ThreefoldError(
            f"there is no database in {shorten(str(folder), 200)}; make one with threefold "
            f"database build and {argument('dir', 'DIR')}"
        )
    return [folder / name for name in sorted(names)]
