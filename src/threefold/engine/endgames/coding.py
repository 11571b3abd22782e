"""How tables of end-games are compressed: blocks of cells, each decoded by itself.

A *cell* is a number of 16 bits: a value, or the outcomes of five positions (see `packing`). Which
positions a block has is said by `layout`.

A block is written as symbols (see `symbols`): copies of cells that came earlier in it, and kinds of
cells. There is a Huffman code for the symbols after each *class* of cells (see `huffman`). The
number of a kind has its class in its upper digits:

    class × 2^shift + place within the class

where 2^shift is the least power of two that is not less than the kinds of any class. So the class
of the last cell says which code the next symbol has. As a block begins, the last cell is taken to
be of kind 0, the first one of class 0.

The bytes of a block are filled from their lowest bits on. The first bit of a code comes first; of
the digits that follow a symbol, the lowest. What is left of the last byte is zeros.
"""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.huffman import CODES, LONGEST_CODE, symbols_by_bits
from threefold.engine.endgames.parsing import CLASS, CONTENT, SYMBOL, parse
from threefold.engine.endgames.symbols import FEW, KIND_DIGITS, STEPS, digits_after
from threefold.engine.endgames.values import UNUSED
from threefold.rules.bits import lsr, mul, wrap

Array: TypeAlias = Any  # of NumPy, or of compiled code

#: A block has at most so many cells.
BLOCK: Final = 4096
MOST_STRIDES: Final = 31
MOST_CLASSES: Final = 8
#: A table has at most so many different cells.
MOST_KINDS: Final = 1 << KIND_DIGITS

#: What `decode_block` reads begins with how far the class is shifted, and how many numbers of kinds
#: there are. Then come, for each class, the entries for the next bits; then the cells by number.
_SHIFT, _NUMBERS = range(2)
HEAD: Final = 2
#: An entry has the length of a code in its lowest bits, 0 if no code begins this way; then what it
#: is a code for, a kind by default; then the number of a kind, or the s and the stride of a copy.
_SIZE: Final = 15
_IS_COPY: Final = 1 << 4
_IS_NUMBER: Final = 1 << 5
_CONTENT: Final = 8
_STRIDE: Final = 13

#: Of the FNV-1a hash.
_PRIME: Final = 1099511628211
_OFFSET: Final = 0x4BF29CE484222325


def four_bytes(data: Array, at: int) -> int:
    """Four bytes as a number."""
    low = wrap(data[at]) | wrap(data[at + 1]) << 8
    return low | wrap(data[at + 2]) << 16 | wrap(data[at + 3]) << 24


def checksum(data: Array, begin: int, end: int, seed: int) -> int:
    """A checksum of 31 bits of the bytes of a block; `seed` tells blocks apart."""
    h = mul(_OFFSET ^ seed, _PRIME)
    at = begin
    while at + 4 <= end:
        h = mul(h ^ four_bytes(data, at), _PRIME)
        at += 4
    while at < end:
        h = mul(h ^ wrap(data[at]), _PRIME)
        at += 1
    return (h ^ lsr(h, 32)) & 0x7FFFFFFF


def decode_block(data: Array, begin: int, end: int, codes: Array, out: Array, length: int) -> bool:
    """Decode the bytes from `begin` to `end` into `length` cells; whether they made sense.

    What is decoded are the numbers of kinds. `codes` is what `decoding_table` made.
    """
    shift = wrap(codes[_SHIFT])
    ahead, bits, at = 0, 0, begin
    n, last = 0, 0
    while n < length:
        if bits < 32:
            if at + 4 <= end:
                ahead |= four_bytes(data, at) << bits
                at += 4
                bits += 32
            else:
                while bits < 32 and at < end:
                    ahead |= wrap(data[at]) << bits
                    at += 1
                    bits += 8
        entry = wrap(codes[HEAD + (last >> shift << LONGEST_CODE) + (ahead & CODES - 1)])
        size = entry & _SIZE
        if size == 0 or size > bits:
            return False
        ahead >>= size
        bits -= size
        if entry & _IS_COPY:
            stride = entry >> _STRIDE
            run = (entry >> _CONTENT & STEPS - 1) + 1
            if run > FEW:
                digits = digits_after(run - 1)
                if digits > bits:
                    return False
                run = ((2 | run & 1) << digits) + (ahead & (1 << digits) - 1)
                ahead >>= digits
                bits -= digits
            stop = n + run
            if stride > n or stop > length:
                return False
            if stride >= 8 and n + 8 <= length:
                # Mostly that is enough. All are read before any is written, so that the processor
                # can move them at once; those that are too many are overwritten later.
                m = n - stride
                a, b, c, d = out[m], out[m + 1], out[m + 2], out[m + 3]
                e, f, g, h = out[m + 4], out[m + 5], out[m + 6], out[m + 7]
                out[n], out[n + 1], out[n + 2], out[n + 3] = a, b, c, d
                out[n + 4], out[n + 5], out[n + 6], out[n + 7] = e, f, g, h
                n += 8
            while n < stop:
                out[n] = out[n - stride]
                n += 1
            n = stop
            last = wrap(out[n - 1])
        else:
            last = entry >> _CONTENT
            if entry & _IS_NUMBER:
                last = ahead & MOST_KINDS - 1
                if bits < KIND_DIGITS or last >= codes[_NUMBERS]:
                    return False
                ahead >>= KIND_DIGITS
                bits -= KIND_DIGITS
            out[n] = last
            n += 1
    return True


def decode_all(
    data: Array,
    ends: Array,
    checks: Array,
    codes: Array,
    first: int,
    seed: int,
    length: int,
    out: Array,
) -> int:
    """Decode blocks from number `first` on until `out` is full; return a damaged one, or -1."""
    for begin in range(0, len(out), length):
        block = first + begin // length
        start = wrap(ends[block - 1]) if block > 0 else wrap(0)
        end = wrap(ends[block])
        if checksum(data, start, end, seed ^ block) != checks[block]:
            return block
        if not decode_block(data, start, end, codes, out[begin : begin + length], length):
            return block
    return wrap(-1)


def count_symbols(
    cells: Array,
    length: int,
    shift: int,
    strides: Array,
    copies: Array,
    kinds: Array,
    room: Array,
    tokens: Array,
    counts: Array,
) -> None:
    """How often blocks of so many cells need each symbol, by class; see `parsing` for the rest."""
    for begin in range(0, len(cells), length):
        block = cells[begin : begin + length]
        for i in range(parse(block, shift, strides, copies, kinds, room, tokens)):
            counts[tokens[i, CLASS], tokens[i, SYMBOL]] += 1


def encode_blocks(
    cells: Array,
    length: int,
    shift: int,
    strides: Array,
    copies: Array,
    kinds: Array,
    room: Array,
    tokens: Array,
    codes: Array,
    sizes: Array,
    first: int,
    seed: int,
    out: Array,
    ends: Array,
    checks: Array,
) -> int:
    """Write blocks of so many cells, the first of which has the number `first`.

    `codes` and `sizes` are the codes of symbols, and their lengths, for each class. Return how many
    bytes `out` gets, at most four for each cell. Where a block ends there goes to `ends`, its
    checksum to `checks`.
    """
    at, by_number = 0, STEPS * len(strides)
    for begin in range(0, len(cells), length):
        start, ahead, bits = at, 0, 0
        block = cells[begin : begin + length]
        for i in range(parse(block, shift, strides, copies, kinds, room, tokens)):
            of_class, symbol = wrap(tokens[i, CLASS]), wrap(tokens[i, SYMBOL])
            digits = 0
            if symbol < by_number:
                digits = digits_after(symbol & STEPS - 1)
            elif sizes[of_class, symbol] == 0:
                symbol, digits = by_number, wrap(KIND_DIGITS)
            size = wrap(sizes[of_class, symbol])
            follows = wrap(tokens[i, CONTENT]) & (1 << digits) - 1
            ahead |= (wrap(codes[of_class, symbol]) | follows << size) << bits
            bits += size + digits
            while bits >= 8:
                out[at] = ahead & 255
                at += 1
                ahead >>= 8
                bits -= 8
        if bits > 0:
            out[at] = ahead
            at += 1
        number = first + begin // length
        ends[number] = at
        checks[number] = checksum(out, start, at, seed ^ number)
    return at


# What tables differ in, in Python.


@dataclass(frozen=True)
class Code:
    """How the blocks of one table are written."""

    #: How far back cells are copied from, the most useful first.
    strides: list[int]
    #: The cells that occur, by class.
    kinds: list[list[int]]
    #: The lengths of the codes: a row for each class, a column for each symbol.
    lengths: Array

    @property
    def shift(self) -> int:
        """How many digits of a kind's number are its place within its class."""
        return (max(map(len, self.kinds)) - 1).bit_length()

    @property
    def numbers(self) -> int:
        """Kinds have numbers less than this."""
        return len(self.kinds) << self.shift

    @property
    def kind_cells(self) -> Array:
        """The cells that occur."""
        return np.array([cell for kinds in self.kinds for cell in kinds])

    @property
    def kind_numbers(self) -> Array:
        """Their numbers."""
        return np.array(
            [
                of_class << self.shift | place
                for of_class, kinds in enumerate(self.kinds)
                for place in range(len(kinds))
            ]
        )


def check_code(strides: list[int], kinds: list[list[int]]) -> None:
    """Raise a ValueError if no code can be like this."""
    if len(strides) > MOST_STRIDES or any(not 0 < stride <= BLOCK for stride in strides):
        raise ValueError("its strides are wrong")
    if not kinds or len(kinds) > MOST_CLASSES or not all(kinds):
        raise ValueError("its classes are wrong")
    if Code(strides, kinds, ()).numbers > MOST_KINDS:
        raise ValueError("it has too many different cells")
    if any(not UNUSED < cell < -UNUSED for each in kinds for cell in each):
        raise ValueError("its cells are wrong")


def decoding_table(code: Code) -> Array:
    """What `decode_block` reads; ValueError if the lengths are those of no code."""
    steps, strides = np.arange(STEPS), np.array(code.strides, np.int64)[:, None]
    contents = np.concatenate(
        [
            (_IS_COPY | steps << _CONTENT | strides << _STRIDE).reshape(-1),
            [_IS_NUMBER],
            np.arange(code.numbers) << _CONTENT,
        ]
    )
    entries = []
    for lengths in code.lengths.astype(np.int64):
        symbols = symbols_by_bits(lengths)
        entries.append(np.where(symbols < 0, 0, contents[symbols] | lengths[symbols]))
    cells = np.zeros(code.numbers, np.int64)
    cells[code.kind_numbers] = code.kind_cells
    return np.concatenate([[code.shift, code.numbers], *entries, cells]).astype(np.int32)


def table_length(codes: Array) -> int:
    """How long what `decode_block` reads is, by its first two numbers."""
    numbers = wrap(codes[_NUMBERS])
    return HEAD + (numbers >> wrap(codes[_SHIFT]) << LONGEST_CODE) + numbers


def cells_by_number(codes: Array) -> Array:
    """The cells at the end of it."""
    return codes[len(codes) - codes[_NUMBERS] :]
