"""What symbols cost, as `parsing` wants to know it: in parts of a bit, for each class."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.coding import Code
from threefold.engine.endgames.huffman import LONGEST_CODE
from threefold.engine.endgames.parsing import NEVER, PARTS
from threefold.engine.endgames.symbols import KIND_DIGITS, STEPS, digits_after

Array: TypeAlias = Any

#: How many digits follow each s of a copy.
_DIGITS: Final = np.array([digits_after(step) for step in range(STEPS)])
#: How often a symbol is taken to occur that did not, and by how many symbols a class is taken to be
#: like the others.
_UNSEEN: Final = 0.02
_LIKE_OTHERS: Final = 2
#: No symbol is taken to cost less, in bits.
_LEAST_BITS: Final = 0.2


@dataclass(frozen=True)
class Costs:
    """The costs of copies, by their symbols, and those of kinds, by their numbers."""

    copies: Array
    kinds: Array

    def of_classes(self, count: int) -> "Costs":
        """The same costs for so many classes, if they were for one."""
        return Costs(np.repeat(self.copies, count, 0), np.repeat(self.kinds, count, 0))

    def renumbered(self, numbers: Array, count: int) -> "Costs":
        """The same for kinds that get other numbers, less than `count`."""
        kinds = np.full((len(self.kinds), count), NEVER, np.int32)
        kinds[:, numbers] = self.kinds
        return Costs(self.copies, kinds)


def costs_of_bits(bits: Array, strides: int) -> Costs:
    """Costs by the bits that each symbol takes."""
    copies = bits[:, : STEPS * strides] + np.tile(_DIGITS, strides)
    by_number = bits[:, STEPS * strides, None] + KIND_DIGITS
    kinds = np.minimum(bits[:, STEPS * strides + 1 :], by_number)
    return Costs(*(np.round(each * PARTS).astype(np.int32) for each in (copies, kinds)))


def costs_of_code(code: Code) -> Costs:
    """Costs with a code."""
    bits = np.where(code.lengths > 0, code.lengths, NEVER / PARTS)
    return costs_of_bits(bits, len(code.strides))


def costs_by_counts(counts: Array, strides: int) -> Costs:
    """Costs with the best code for symbols that occur so often."""
    overall = counts.sum(0) + _UNSEEN
    smooth = counts + _LIKE_OTHERS * overall / overall.sum()
    bits = -np.log2(smooth / smooth.sum(1, keepdims=True))
    return costs_of_bits(bits.clip(_LEAST_BITS, LONGEST_CODE + 1), strides)


def bits_by_counts(counts: Array, strides: int) -> float:
    """How many bits all these symbols take with the best code for them, digits included."""
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    bits = -(counts * np.log2(np.where(counts > 0, shares, 1))).sum()
    digits = counts[:, : STEPS * strides].sum(0) @ np.tile(_DIGITS, strides)
    return float(bits + digits)
