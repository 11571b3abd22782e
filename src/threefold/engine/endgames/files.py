"""A table of end-games on disk: one file for each slice.

    8 bytes      the mark
    4 + 4 bytes  the length of the header, and its CRC-32
    the header   JSON: which slice of which game, how many positions are won, drawn and lost, the
                 layout and the code; then zeros up to a multiple of 8
    ends         where each block ends in the data, 4 bytes each; then zeros up to a multiple of 8
    checks       a checksum for each block, 4 bytes each; then zeros up to a multiple of 8
    data         the blocks, as `coding` has them

All numbers are little-endian. A file is mapped into memory, and blocks are decoded as they are
needed. Whatever is wrong with a file is an error that names it: the header, the ends and the checks
have a checksum, and each block is checked when it is decoded.

Of the header, these say how to read the rest:

    row          how long the rows of the layout are: see `layout`
    wide, deep   how wide and deep blocks are
    strides      how far back cells are copied from
    kinds        the cells that occur: a list for each class
    lengths      the lengths of the codes, a byte each: for each class, those of all symbols;
                 compressed as by zlib, then written as base64
    data         how many bytes of data there are
    index        the CRC-32 of the ends and checks, zeros included

With `distances`, each cell is the value of a position. Without them, a cell has the outcomes of
five: see `packing`.
"""

import base64
import json
import math
import mmap
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.coding import (
    BLOCK,
    Code,
    cells_by_number,
    check_code,
    decoding_table,
)
from threefold.engine.endgames.costs import costs_of_code
from threefold.engine.endgames.fitting import TooManyKinds, cells_in, fitted
from threefold.engine.endgames.huffman import codes_of
from threefold.engine.endgames.layout import Layout
from threefold.engine.endgames.packing import PACKED, unpacked_outcomes
from threefold.engine.endgames.parsing import ANYTHING, ROOM, TOKEN
from threefold.engine.endgames.symbols import STEPS
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
#: Numbers that are decoded at a time: so many stay in a processor's cache.
_PORTION: Final = 1 << 17
#: Bytes that a cell takes at most.
_MOST_BYTES: Final = 4


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
    #: The layout: how long rows are, and how wide and deep blocks.
    row: int = BLOCK
    wide: int = BLOCK
    deep: int = 1
    #: The code.
    strides: list[int] = field(default_factory=list)
    kinds: list[list[int]] = field(default_factory=list)
    lengths: str = ""
    #: Bytes of data, and the CRC-32 of the ends and checks.
    data: int = 0
    index: int = 0
    #: Seconds and versions: how it was made.
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def layout(self) -> Layout:
        """Which positions share a block."""
        return Layout(self.row, self.wide, self.deep)

    @property
    def blocks(self) -> int:
        """How many blocks the table has."""
        return self.layout.blocks(self.size)

    @property
    def block_cells(self) -> int:
        """How many cells a block has."""
        return self.layout.length // (1 if self.distances else PACKED)

    @property
    def code(self) -> Code:
        """How the blocks are written; ValueError if there is no such code."""
        check_code(self.strides, self.kinds)
        code = Code(self.strides, self.kinds, ())
        shape = len(self.kinds), STEPS * len(self.strides) + 1 + code.numbers
        try:
            data = base64.b64decode(self.lengths, validate=True)
            lengths = zlib.decompressobj().decompress(data, math.prod(shape) + 1)
            return replace(code, lengths=np.frombuffer(lengths, np.uint8).reshape(shape))
        except (ValueError, zlib.error):
            raise ValueError("the lengths of its codes are wrong") from None

    @property
    def seed(self) -> int:
        """What tells its blocks from those of other tables, and of other layouts."""
        described = f"{self.rules} {self.row} {self.wide} {self.deep}"
        return mix(self.slice + 1) ^ zlib.crc32(described.encode())


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
        length = self._begin + 2 * _padded(4 * self.header.blocks) + self.header.data
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
        data = begin + 2 * _padded(4 * header.blocks)
        if zlib.crc32(mapped[begin:data].tobytes()) != header.index:
            raise Damaged(self.path, "the places of its blocks are wrong")
        return mapped

    @cached_property
    def ends(self) -> Array:
        """Where each block ends in the data."""
        ends = self._mapped[self._begin : self._begin + 4 * self.header.blocks].view("<u4")
        if np.any(ends[1:] < ends[:-1]) or (len(ends) and ends[-1] > self.header.data):
            raise Damaged(self.path, "the places of its blocks are wrong")
        return ends

    @cached_property
    def checks(self) -> Array:
        """The checksum of each block."""
        begin = self._begin + _padded(4 * self.header.blocks)
        return self._mapped[begin : begin + 4 * self.header.blocks].view("<i4")

    @cached_property
    def data(self) -> Array:
        """The blocks."""
        return self._mapped[len(self._mapped) - self.header.data :]

    @cached_property
    def codes(self) -> Array:
        """What decodes them."""
        try:
            return decoding_table(self.header.code)
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
    counts = (header.slice, header.pieces, header.size, header.positions, header.data, header.row)
    outcomes = (header.won, header.drawn, header.lost)
    if min(*counts, *outcomes) < 0 or max(counts) >= 1 << 62 or sum(outcomes) != header.positions:
        raise Damaged(path, "the numbers in its header are wrong")
    if not _is_sound(header):
        raise Damaged(path, "its layout is wrong")
    return header


def _is_sound(header: Header) -> bool:
    """Whether the layout is one that tables have, so that nothing becomes too large."""
    if min(header.row, header.wide, header.deep) < 1:
        return False
    each = 1 if header.distances else PACKED
    length = header.layout.length
    padded = header.blocks * length
    return length % each == 0 and length <= BLOCK * each and padded <= 2 * (header.size + length)


def _has_type(value: object, wanted: object) -> bool:
    """Whether a value of JSON has the type of a field of the header."""
    if wanted == list[int]:
        return isinstance(value, list) and all(type(each) is int for each in value)
    if wanted == list[list[int]]:
        return isinstance(value, list) and all(_has_type(each, list[int]) for each in value)
    if wanted == int | None:
        return value is None or type(value) is int
    return type(value) is (wanted if wanted in (int, str, bool) else dict)


@dataclass(frozen=True)
class Coder:
    """The compiled functions that a table is written and read with: see `coding`."""

    count_symbols: Callable[..., Any]
    encode_blocks: Callable[..., Any]
    decode_all: Callable[..., Any]


def write_table(path: Path, header: Header, values: Array, coder: Coder) -> int:
    """Write the values of a slice; return how many bytes the file has.

    The file is whole or not there at all.
    """
    try:
        layout, code = fitted(values, not header.distances, coder.count_symbols)
    except TooManyKinds as error:
        raise ThreefoldError(f"slice {header.name} has {error}") from None
    header = replace(
        header,
        **asdict(layout),
        strides=code.strides,
        kinds=code.kinds,
        lengths=base64.b64encode(zlib.compress(code.lengths.tobytes(), 9)).decode(),
    )
    ends, checks = np.zeros(header.blocks, np.int64), np.zeros(header.blocks, np.int32)
    portions = list(_encoded(header, values, code, coder, ends, checks))
    index = _with_zeros(ends.astype("<u4").tobytes()) + _with_zeros(checks.tobytes())
    header = replace(header, data=sum(map(len, portions)), index=zlib.crc32(index))
    text = json.dumps(asdict(header)).encode()
    numbers = np.array([len(text), zlib.crc32(text)], "<u4").tobytes()
    with replacing(str(path)) as file:
        file.write(_with_zeros(_MARK + numbers + text))
        file.write(index)
        for portion in portions:
            file.write(portion)
    return path.stat().st_size


def _encoded(
    header: Header, values: Array, code: Code, coder: Coder, ends: Array, checks: Array
) -> Iterator[bytes]:
    """The blocks in portions; their ends and checks are filled in."""
    length, costs = header.block_cells, costs_of_code(code)
    number_of = np.full(1 << 16, ANYTHING, np.int16)
    number_of[code.kind_cells - UNUSED] = code.kind_numbers
    codes = np.array([codes_of(each) for each in code.lengths.tolist()], np.int32)
    arrays = (
        *(np.array(code.strides, np.int32), costs.copies, costs.kinds),
        *(np.empty((ROOM, 2 * BLOCK), np.int32), np.empty((BLOCK, TOKEN), np.int32)),
        *(codes, code.lengths.astype(np.int32)),
    )
    block, before = 0, 0
    for portion in cells_in(values, header.layout, not header.distances):
        cells = number_of[portion.astype(np.int64) - UNUSED]
        room = np.empty(_MOST_BYTES * len(cells), np.uint8)
        size = coder.encode_blocks(
            *(cells, length, code.shift, *arrays, block, header.seed, room, ends, checks)
        )
        after = block + len(cells) // length
        ends[block:after] += before
        block, before = after, before + int(size)
        yield room[:size].tobytes()


def _with_zeros(content: bytes) -> bytes:
    """Zeros added up to a multiple of 8 bytes."""
    return content + bytes(-len(content) % 8)


def read_table(table: TableFile, out: Array, coder: Coder) -> None:
    """Decode a whole table into the values of its slice.

    Numbers that stand for no position get any value. Without distances, a win is 1 and a loss -1.
    """
    header, layout = table.header, table.header.layout
    arrays = (table.data, table.ends, table.checks, table.codes)
    values = cells_by_number(table.codes).astype(np.int16)
    first = 0
    for begin, end in layout.portions(header.size, _PORTION):
        cells = np.empty(layout.blocks(end - begin) * header.block_cells, np.int16)
        damaged = int(coder.decode_all(*arrays, first, header.seed, header.block_cells, cells))
        if damaged >= 0:
            raise Damaged(table.path, f"block {damaged} of it is damaged")
        found = values[cells]
        if not header.distances:
            found = unpacked_outcomes(found)
        layout.put_back(found, out[begin:end])
        first += layout.blocks(end - begin)
