"""The best codes of limited length: Huffman's, as Larmore and Hirschberg (1990) find them.

A code is given by its lengths in bits, one for each symbol, 0 for a symbol that has none. The codes
themselves are numbered: shorter ones come first, and of the same length those of smaller symbols.
With the first bit in front, each is the number after the one before, with zeros added. In a file,
the first bit of a code comes in the lowest bit that is free.
"""

import heapq
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

Array: TypeAlias = Any

#: So one look at a table of 2,048 entries decodes a symbol.
LONGEST_CODE: Final = 11
CODES: Final = 1 << LONGEST_CODE


def code_lengths(counts: Sequence[int]) -> list[int]:
    """The best lengths of codes for symbols that occur so often, none longer than `LONGEST_CODE`.

    By merging packages: of all coins, of worth 1/2 to 1/2^11 and weighing as much as a symbol
    occurs, take the lightest worth n - 1 in all. A symbol's code is as long as the number of its
    coins.
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
    """The codes of these lengths, first bit lowest."""
    codes, code, before = [0] * len(lengths), 0, 0
    for symbol in sorted(range(len(lengths)), key=lambda each: (lengths[each], each)):
        size = lengths[symbol]
        if size:
            code = code + 1 << size - before if before else 0
            codes[symbol] = int(f"{code:0{size}b}"[::-1], 2)
            before = size
    return codes


#: All numbers of `LONGEST_CODE` bits with their first bit last.
_REVERSED: Final = np.array([int(f"{number:0{LONGEST_CODE}b}"[::-1], 2) for number in range(CODES)])


def symbols_by_bits(lengths: Array) -> Array:
    """For the next `LONGEST_CODE` bits, the symbol whose code they begin with, or -1.

    ValueError if the lengths are those of no code.
    """
    used = np.flatnonzero(lengths)
    used = used[np.argsort(lengths[used], kind="stable")]
    if len(used) == 0 or lengths.max() > LONGEST_CODE:
        raise ValueError("the lengths of its codes are wrong")
    begin = np.repeat(used, CODES >> lengths[used].astype(np.int64))
    if len(begin) > CODES:
        raise ValueError("its codes are too short")
    return np.append(begin, np.full(CODES - len(begin), -1))[_REVERSED]
