"""A table of end-games on disk: one file for each slice.

    8 bytes      the mark
    4 + 4 bytes  the length of the header, and its CRC-32
    the header   JSON: which slice of which game, how many positions are won, drawn and lost, the
                 code; then zeros up to a multiple of 8
    ends         where each block ends in the data, 8 bytes each
    checks       a checksum for each block, 4 bytes each; then zeros up to a multiple of 8
    data         the blocks, as `coding` has them

All numbers are little-endian. A file is mapped into memory, and blocks are decoded as they are
needed. Whatever is wrong with a file is an error that names it: the header, the ends and the checks
have a checksum, and each block is checked when it is decoded.

With *distances*, each cell is the value of a position. Without them, a cell has the outcomes of
five positions, as digits to the base of 3: 0 lost, 1 drawn, 2 won. The first position is the lowest
digit.
"""

import json
import math
import mmap
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.coding import (
    BLOCK,
    MOST_CELLS,
    RUN_SYMBOLS,
    code_lengths,
    codes_of,
    decoding_table,
)
from threefold.engine.endgames.values import UNUSED
from threefold.errors import ThreefoldError
from threefold.replacing import replacing
from threefold.rules.bits import mix
from threefold.rules.text import shorten

Array: TypeAlias = Any

FORMAT: Final = 1
SUFFIX: Final = ".endgame"
_MARK: Final = b"3fold-eg"
_START: Final = len(_MARK) + 8
#: How many outcomes a cell has.
PACKED: Final = 5
#: Bytes that are encoded at a time.
_PORTION: Final = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a file says of its table."""

    format: int = FORMAT
    #: The game as it was named, and the rules that the values depend on.
    game: str
    rules: str
    #: The slice.
    slice: int
    name: str
    pieces: int
    size: int
    #: Numbers that stand for a position, and how many of those the player to move wins.
    positions: int
    won: int
    drawn: int
    lost: int
    #: Plies of the longest win or loss; None if positions are worth margins.
    longest: int | None
    margins: bool
    distances: bool
    #: The cells that occur, the usual one, and the lengths of the codes: runs come last.
    cells: list[int] = field(default_factory=list)
    usual: int = 0
    lengths: list[int] = field(default_factory=list)
    #: Bytes of data, and the CRC-32 of the ends and checks.
    data: int = 0
    index: int = 0
    #: Seconds and versions: how it was made.
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def cell_count(self) -> int:
        """How many cells the table has."""
        return self.size if self.distances else -(-self.size // PACKED)

    @property
    def blocks(self) -> int:
        """How many blocks the table has."""
        return -(-self.cell_count // BLOCK)

    @property
    def seed(self) -> int:
        """What tells its blocks from those of other tables."""
        return mix(self.slice + 1) ^ zlib.crc32(self.rules.encode())


class Damaged(ThreefoldError):
    """A table cannot be used because its file is damaged."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"the end-game table {shorten(str(path), 200)} cannot be used: {why}; remove it and "
            "build the database again, which makes only what is missing"
        )


class TableFile:
    """A table that is mapped into memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header, self._begin = read_header(path)
        try:
            self.bytes = path.stat().st_size
        except OSError as error:
            raise _unreadable(path, error) from None

    def check_length(self) -> None:
        """Raise if the file does not have as many bytes as its header says."""
        header = self.header
        length = self._begin + 8 * header.blocks + _padded(4 * header.blocks) + header.data
        if self.bytes != length:
            raise Damaged(self.path, f"it has {self.bytes:,} bytes instead of {length:,}")

    @cached_property
    def _mapped(self) -> Array:
        """The file as bytes, once its size is known to be right."""
        header, begin = self.header, self._begin
        self.check_length()
        try:
            with open(self.path, "rb") as file:
                mapped = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), "u1")
        except OSError as error:
            raise _unreadable(self.path, error) from None
        if len(mapped) != self.bytes:
            raise Damaged(self.path, "its length has changed")
        data = begin + 8 * header.blocks + _padded(4 * header.blocks)
        if zlib.crc32(mapped[begin:data].tobytes()) != header.index:
            raise Damaged(self.path, "the places of its blocks are wrong")
        return mapped

    @cached_property
    def ends(self) -> Array:
        """Where each block ends in the data."""
        ends = self._mapped[self._begin : self._begin + 8 * self.header.blocks].view("<i8")
        if len(ends) and (ends[0] < 0 or np.any(np.diff(ends) < 0) or ends[-1] > self.header.data):
            raise Damaged(self.path, "the places of its blocks are wrong")
        return ends

    @cached_property
    def checks(self) -> Array:
        """The checksum of each block."""
        begin = self._begin + 8 * self.header.blocks
        return self._mapped[begin : begin + 4 * self.header.blocks].view("<i4")

    @cached_property
    def data(self) -> Array:
        """The blocks."""
        return self._mapped[len(self._mapped) - self.header.data :]

    @cached_property
    def codes(self) -> Array:
        """What decodes them."""
        try:
            return decoding_table(self.header.cells, self.header.lengths)
        except ValueError as error:
            raise Damaged(self.path, str(error)) from None


def path_of(folder: Path, name: str) -> Path:
    """The file of a slice in a database's folder."""
    return folder / f"{name}{SUFFIX}"


def _padded(length: int) -> int:
    return -(-length // 8) * 8


def read_header(path: Path) -> tuple[Header, int]:
    """The header of a file, and where it ends."""
    try:
        with open(path, "rb") as file:
            start = file.read(_START)
            if len(start) < _START or start[: len(_MARK)] != _MARK:
                raise Damaged(path, "it is not a table of end-games")
            length, crc = np.frombuffer(start[len(_MARK) :], "<u4").tolist()
            text = file.read(min(length, 1 << 24))
    except OSError as error:
        raise _unreadable(path, error) from None
    if len(text) != length or zlib.crc32(text) != crc:
        raise Damaged(path, "its header is wrong")
    return _checked_header(path, text), _padded(_START + length)


def _unreadable(path: Path, error: OSError) -> ThreefoldError:
    why = error.strerror or error
    return ThreefoldError(f"the end-game table {shorten(str(path), 200)} cannot be read: {why}")


def _checked_header(path: Path, text: bytes) -> Header:
    """A header whose numbers can be relied upon."""
    try:
        described = json.loads(text)
    except ValueError:
        raise Damaged(path, "its header is wrong") from None
    version = described.get("format") if isinstance(described, dict) else None
    if version != FORMAT:
        raise Damaged(path, f"it has format {version}, and this version reads {FORMAT}")
    for each in fields(Header):
        if not _has_type(described.get(each.name), each.type):
            raise Damaged(path, f"its header is wrong about {each.name}")
    if set(described) != {each.name for each in fields(Header)}:
        raise Damaged(path, "its header says something that this version does not know")
    header = Header(**described)
    counts = (header.slice, header.pieces, header.size, header.positions, header.data)
    outcomes = (header.won, header.drawn, header.lost)
    if min(*counts, *outcomes) < 0 or max(counts) >= 1 << 62 or sum(outcomes) != header.positions:
        raise Damaged(path, "the numbers in its header are wrong")
    if any(not UNUSED < cell < -UNUSED for cell in (*header.cells, header.usual)):
        raise Damaged(path, "the numbers in its header are wrong")
    return header


def _has_type(value: object, wanted: object) -> bool:
    """Whether a value of JSON has the type of a field of the header."""
    if wanted == list[int]:
        return isinstance(value, list) and all(type(each) is int for each in value)
    if wanted == int | None:
        return value is None or type(value) is int
    return type(value) is (wanted if wanted in (int, str, bool) else dict)


@dataclass(frozen=True)
class Coder:
    """The compiled functions that a table is written and read with: see `coding`."""

    count_symbols: Callable[..., Any]
    encode_blocks: Callable[..., Any]
    decode_all: Callable[..., Any]


def packed_outcomes(values: Array) -> Array:
    """The outcomes of five values in each cell; numbers that are not in use are like the last."""
    digits = np.sign(values).astype(np.int8) + 1
    used = values != UNUSED
    before = np.maximum.accumulate(np.where(used, np.arange(len(values)), 0))
    digits = np.append(digits[before], np.zeros(-len(values) % PACKED, np.int8))
    powers = np.array([3**i for i in range(PACKED)], np.int16)
    return (digits.reshape(-1, PACKED).astype(np.int16) * powers).sum(1).astype(np.int16)


def write_table(path: Path, header: Header, values: Array, coder: Coder) -> int:
    """Write the values of a slice; return how many bytes the file has.

    The file is whole or not there at all.
    """
    cells = values if header.distances else packed_outcomes(values)
    kinds, counts = np.unique(cells, return_counts=True)
    if kinds[0] == UNUSED:
        kinds, counts = kinds[1:], counts[1:]
    if len(kinds) > MOST_CELLS:
        raise ThreefoldError(
            f"slice {header.name} has {len(kinds):,} different values, more than {MOST_CELLS:,}"
        )
    usual = int(kinds[counts.argmax()]) if len(kinds) else 0
    symbol_of = np.zeros(1 << 16, np.int32)
    symbol_of[kinds.astype(np.int64) + (1 << 15)] = np.arange(len(kinds))
    needed = np.zeros(len(kinds) + RUN_SYMBOLS, np.int64)
    coder.count_symbols(cells, usual, symbol_of, len(kinds), needed)
    lengths = code_lengths(needed.tolist())
    codes, sizes = np.array(codes_of(lengths), np.int32), np.array(lengths, np.int32)

    ends, checks = np.zeros(header.blocks, np.int64), np.zeros(header.blocks, np.int32)
    portions, room = [], np.zeros(_PORTION, np.uint8)
    block, before = 0, 0
    while block < header.blocks:
        after = coder.encode_blocks(
            block,
            *(cells, usual, symbol_of, len(kinds), codes, sizes),
            *(room, ends, checks, header.seed),
        )
        length = int(ends[after - 1])
        portions.append(room[:length].tobytes())
        ends[block:after] += before
        before += length
        block = after

    index = _with_zeros(ends.tobytes()) + _with_zeros(checks.tobytes())
    described = asdict(header) | {
        "cells": kinds.tolist(),
        "usual": usual,
        "lengths": lengths,
        "data": before,
        "index": zlib.crc32(index),
    }
    text = json.dumps(described).encode()
    numbers = np.array([len(text), zlib.crc32(text)], "<u4").tobytes()
    with replacing(str(path)) as file:
        file.write(_with_zeros(_MARK + numbers + text))
        file.write(index)
        for portion in portions:
            file.write(portion)
    return path.stat().st_size


def _with_zeros(content: bytes) -> bytes:
    """Zeros added up to a multiple of 8 bytes."""
    return content + bytes(-len(content) % 8)


def read_table(table: TableFile, out: Array, coder: Coder) -> None:
    """Decode a whole table into the values of its slice.

    Numbers that stand for no position get any value. Without distances, a win is 1 and a loss -1.
    """
    header = table.header
    cells = out if header.distances else np.empty(header.cell_count, np.int16)
    arrays = (table.data, table.ends, table.checks, table.codes)
    block = int(coder.decode_all(*arrays, header.usual, header.seed, cells))
    if block >= 0:
        raise Damaged(table.path, f"block {block} of it is damaged")
    if not header.distances:
        for i in range(PACKED):
            digits = (cells % 3 - 1)[: -(-(len(out) - i) // PACKED)]
            out[i::PACKED] = digits
            cells //= 3


def bytes_per_position(length: int, positions: int) -> float:
    """How many bytes each position takes."""
    return length / positions if positions else math.nan
