"""How tables of end-games are compressed: blocks of cells, each decoded by itself.

A *cell* is a number of 16 bits: a value, or the outcomes of five positions (see `files`). Cells
come in blocks of 1,024. Within a block a cell is written as it is, or a run of cells as "so many
more like the last one". The last one, as a block begins, is the table's usual cell. So numbers that
stand for no position, which may hold anything, vanish in runs.

All that is written with a Huffman code, one for the whole table. A run of length n is the symbol
for its number of binary digits, followed by all digits but the first. Codes are at most 12 bits
long: one look at a table of 4,096 entries decodes a symbol.

    entry of that table:  bits 0-6   the length of the code in bits, 0 if no code begins this way
                          bit 7      whether it is a run
                          bits 8-    the cell, or how many more digits the length of the run has
"""

import heapq
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.values import UNUSED
from threefold.rules.bits import lsr, mul, wrap

Array: TypeAlias = Any  # of NumPy, or of compiled code

BLOCK: Final = 1024
#: Runs have at most BLOCK cells, whose number has at most this many binary digits.
RUN_SYMBOLS: Final = 11
LONGEST_CODE: Final = 12
#: A table has fewer different cells than this, so that each can have a code.
MOST_CELLS: Final = (1 << LONGEST_CODE) - RUN_SYMBOLS - 1
_CODE_MASK: Final = (1 << LONGEST_CODE) - 1
_IS_RUN: Final = 1 << 7
_LENGTH: Final = _IS_RUN - 1
#: Cells as indices.
_LEAST: Final = -(1 << 15)

#: Of the FNV-1a hash.
_PRIME: Final = 1099511628211
_OFFSET: Final = 0x4BF29CE484222325


def checksum(data: Array, begin: int, end: int, seed: int) -> int:
    """A checksum of 32 bits of the bytes of a block; `seed` tells blocks apart."""
    h = mul(_OFFSET ^ seed, _PRIME)
    for i in range(begin, end):
        h = mul(h ^ wrap(data[i]), _PRIME)
    return (h ^ lsr(h, 32)) & 0x7FFFFFFF


def decode_block(
    data: Array, begin: int, end: int, codes: Array, usual: int, out: Array, length: int
) -> bool:
    """Decode the bytes from `begin` to `end` into `length` cells; whether they made sense."""
    ahead, bits, at = 0, 0, begin
    last = usual
    n = 0
    while n < length:
        while bits <= 48 and at < end:
            ahead |= wrap(data[at]) << bits
            at += 1
            bits += 8
        entry = wrap(codes[ahead & _CODE_MASK])
        size = entry & _LENGTH
        if size == 0 or size > bits:
            return False
        ahead >>= size
        bits -= size
        if entry & _IS_RUN:
            digits = entry >> 8
            if digits > bits:
                return False
            run = (1 << digits) + (ahead & (1 << digits) - 1)
            ahead >>= digits
            bits -= digits
            if n + run > length:
                return False
            for _ in range(run):
                out[n] = last
                n += 1
        else:
            last = entry >> 8
            out[n] = last
            n += 1
    return True


def decode_all(
    data: Array, ends: Array, checks: Array, codes: Array, usual: int, seed: int, out: Array
) -> int:
    """Decode all blocks into as many cells as `out` has; return the first damaged block, or -1."""
    begin = 0
    for block in range(len(ends)):
        first = block * BLOCK
        length = min(BLOCK, len(out) - first)
        end = wrap(ends[block])
        if checksum(data, begin, end, seed ^ block) != checks[block]:
            return block
        if not decode_block(data, begin, end, codes, usual, out[first : first + length], length):
            return block
        begin = end
    return -1


def run_at(cells: Array, i: int, end: int, last: int) -> int:
    """How many cells from `i` on are like the last one, or may be."""
    begin = i
    while i < end and (cells[i] == last or cells[i] == UNUSED):
        i += 1
    return i - begin


def digits_of(run: int) -> int:
    """How many binary digits the length of a run has after the first."""
    digits = 0
    while run >> digits + 1:
        digits += 1
    return digits


def count_symbols(cells: Array, usual: int, symbol_of: Array, symbols: int, counts: Array) -> None:
    """How often each symbol is needed for all the cells; runs come after the cells' own."""
    begin = 0
    while begin < len(cells):
        end = min(begin + BLOCK, len(cells))
        i, last = begin, usual
        while i < end:
            run = run_at(cells, i, end, last)
            if run > 0:
                counts[symbols + digits_of(run)] += 1
                i += run
            else:
                last = int(cells[i])
                counts[symbol_of[last - _LEAST]] += 1
                i += 1
        begin = end


def encode_blocks(
    first: int,
    cells: Array,
    usual: int,
    symbol_of: Array,
    symbols: int,
    codes: Array,
    lengths: Array,
    out: Array,
    ends: Array,
    checks: Array,
    seed: int,
) -> int:
    """Write blocks from number `first` on while there is room in `out`; return the next block.

    `ends` gets where each block ends in `out`, `checks` its checksum.
    """
    at, block = 0, first
    while block * BLOCK < len(cells):
        begin = block * BLOCK
        end = min(begin + BLOCK, len(cells))
        if at + 4 * BLOCK > len(out):
            return block
        start, ahead, bits = at, 0, 0
        i, last = begin, usual
        while i < end:
            run = run_at(cells, i, end, last)
            if run > 0:
                digits = digits_of(run)
                symbol = symbols + digits
                i += run
            else:
                digits = 0
                last = int(cells[i])
                symbol = wrap(symbol_of[last - _LEAST])
                i += 1
            size = wrap(lengths[symbol])
            ahead |= (wrap(codes[symbol]) | (run & (1 << digits) - 1) << size) << bits
            bits += size + digits
            while bits >= 8:
                out[at] = ahead & 255
                at += 1
                ahead >>= 8
                bits -= 8
        if bits > 0:
            out[at] = ahead & 255
            at += 1
        ends[block] = at
        checks[block] = checksum(out, start, at, seed ^ block)
        block += 1
    return block


# The code, in Python.


def code_lengths(counts: Sequence[int]) -> list[int]:
    """The best lengths of codes for symbols that occur so often, none longer than `LONGEST_CODE`.

    By merging packages (Larmore and Hirschberg 1990): of all coins, of worth 1/2 to 1/2^12 and
    weighing as much as a symbol occurs, take the lightest worth n - 1 in all. A symbol's code is as
    long as the number of its coins.
    """
    used = [symbol for symbol, count in enumerate(counts) if count > 0]
    lengths = [0] * len(counts)
    if len(used) == 1:
        lengths[used[0]] = 1
        return lengths
    coins = sorted((counts[symbol], (symbol,)) for symbol in used)
    packages: list[tuple[int, tuple[int, ...]]] = []
    for _ in range(LONGEST_CODE):
        row = list(heapq.merge(coins, packages))
        packages = [
            (row[i][0] + row[i + 1][0], row[i][1] + row[i + 1][1])
            for i in range(0, len(row) - 1, 2)
        ]
    for _, symbols in packages[: len(used) - 1]:
        for symbol in symbols:
            lengths[symbol] += 1
    return lengths


def codes_of(lengths: Sequence[int]) -> list[int]:
    """The canonical code with these lengths, first bit lowest.

    Shorter codes come first; of the same length, those of smaller symbols.
    """
    codes, code, before = [0] * len(lengths), 0, 0
    for symbol in sorted(range(len(lengths)), key=lambda each: (lengths[each], each)):
        size = lengths[symbol]
        if size:
            code = code + 1 << size - before if before else 0
            codes[symbol] = int(f"{code:0{size}b}"[::-1], 2)
            before = size
    return codes


def decoding_table(cells: Sequence[int], lengths: Sequence[int]) -> Array:
    """The table that `decode_block` reads; ValueError if the lengths are those of no code."""
    if len(lengths) != len(cells) + RUN_SYMBOLS or not any(lengths):
        raise ValueError("there is no code for each symbol")
    if any(not 0 <= size <= LONGEST_CODE for size in lengths):
        raise ValueError("a code is too long")
    if sum(1 << LONGEST_CODE - size for size in lengths if size) > 1 << LONGEST_CODE:
        raise ValueError("the codes are too short")
    table = np.zeros(1 << LONGEST_CODE, np.int32)
    for symbol, (code, size) in enumerate(zip(codes_of(lengths), lengths, strict=True)):
        if size:
            is_run = symbol >= len(cells)
            payload = symbol - len(cells) if is_run else int(cells[symbol])
            table[code :: 1 << size] = payload << 8 | (_IS_RUN if is_run else 0) | size
    return table
