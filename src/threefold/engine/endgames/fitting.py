"""Choosing what suits a table: its layout, its strides, the classes of its cells, and their codes.

All is judged by samples: blocks that are parsed as they will be when they are written. Costs follow
from how often symbols are needed, and what is needed follows from the costs. So that is repeated.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.coding import BLOCK, MOST_CLASSES, MOST_KINDS, MOST_STRIDES, Code
from threefold.engine.endgames.costs import Costs, bits_by_counts, costs_by_counts, costs_of_bits
from threefold.engine.endgames.huffman import CODES, LONGEST_CODE, code_lengths
from threefold.engine.endgames.layout import Layout, layouts
from threefold.engine.endgames.packing import PACKED, packed_outcomes
from threefold.engine.endgames.parsing import ANYTHING, ROOM, TOKEN
from threefold.engine.endgames.symbols import KIND_DIGITS, STEPS, least_length
from threefold.engine.endgames.values import UNUSED

Array: TypeAlias = Any
#: `coding.count_symbols`, compiled.
Counter: TypeAlias = Callable[..., Any]

#: Numbers of a table that are arranged at a time.
_PORTION: Final = 1 << 20
#: Cells of the samples: to find strides, to compare layouts, and to make the code. For the first
#: one a share of a small table will do.
_FEW: Final = 1 << 14
_SOME: Final = 1 << 18
_MANY: Final = 1 << 19
_SHARE: Final = 16

#: How many cells are compared with those before them to find strides that are likely to be good;
#: how many of those are tried; and of the best of these, how many are tried again.
_COMPARED: Final = 1 << 10
_LIKELY: Final = 1 << 10
_TRIED: Final = 96
#: For so many cells, a table has one more stride, and one more class.
_CELLS_PER_STRIDE: Final = 1 << 10
_CELLS_PER_CLASS: Final = 1 << 15
#: What a copy is taken to cost before anything is known, in bits.
_GUESSED_COPY: Final = 8.0
#: What a copy is taken to cost when strides are compared, and what each cell would cost otherwise.
_COPY_BITS: Final = 6
_CELL_BITS: Final = 4
#: With more kinds than this there is only one class.
_MOST_DISTINCT: Final = 1 << 10
#: How often kinds change their classes, and what keeps these apart from nothing.
_ROUNDS: Final = 8
_LIKE_ALL, _LIKE_ANY = 0.05, 0.001
#: Copies get a code, and kinds, unless they are rarer than one in 2 to the power of this.
_RARE_COPY: Final = 13
_RARE_KIND: Final = 14

_LEAST_LENGTHS: Final = np.array([least_length(step) for step in range(STEPS)])


class TooManyKinds(Exception):
    """There are more different cells in a table than can be numbered."""


def fitted(values: Array, outcomes: bool, count_symbols: Counter) -> tuple[Layout, Code]:
    """The layout and the code that suit a table, with `outcomes` and nothing else in its cells."""
    together = PACKED if outcomes else 1
    seen = np.where(values == UNUSED, UNUSED, np.sign(values)) if outcomes else values
    trials = [
        Trial(values, layout, outcomes, count_symbols)
        for layout in layouts(seen, BLOCK * together, together)
    ]
    best = min(trials, key=lambda trial: trial.bits)
    return best.layout, best.code()


def cells_in(values: Array, layout: Layout, outcomes: bool) -> Iterator[Array]:
    """The cells of a table, block after block, in portions."""
    for first, last in layout.portions(len(values), _PORTION):
        arranged = layout.arranged(values[first:last])
        yield packed_outcomes(arranged) if outcomes else arranged


class Trial:
    """A layout on trial. Until there is a code, kinds are numbered by how often they occur."""

    def __init__(
        self, values: Array, layout: Layout, outcomes: bool, count_symbols: Counter
    ) -> None:
        self.layout = layout
        self._values = values
        self._outcomes = outcomes
        self._count_symbols = count_symbols
        self._cells = layout.blocks(len(values)) * layout.length // (PACKED if outcomes else 1)
        counts = np.zeros(1 << 16, np.int64)
        for cells in cells_in(values, layout, outcomes):
            counts += np.bincount(cells.astype(np.int64) - UNUSED, minlength=1 << 16)
        counts[0] = 0  # of those that are not in use
        if not counts.any():
            counts[-UNUSED] = 1
        used = int(np.count_nonzero(counts))
        if used > MOST_KINDS:
            raise TooManyKinds(f"{used:,} different values, more than {MOST_KINDS:,}")
        order = np.argsort(-counts, kind="stable")[:used]
        self._kinds = order + UNUSED
        self._shares = counts[order] / counts.sum()
        self._number_of = np.full(1 << 16, ANYTHING, np.int16)
        self._number_of[order] = np.arange(used)

        sample = self._sample(_SOME)
        self._strides, needed = self._find_strides(sample)
        self._costs = costs_by_counts(needed, len(self._strides))
        #: About how long the table becomes.
        self.bits = bits_by_counts(needed, len(self._strides)) * self._cells / sample.size

    def _sample(self, cells: int) -> Array:
        """Some blocks, about so many cells in all, as numbers of kinds."""
        count = self.layout.blocks(len(self._values))
        wanted = max(1, cells * count // self._cells)
        chosen = range(count)
        if wanted < count:
            chosen = np.random.default_rng(0).choice(count, wanted, replace=False).tolist()
        blocks = np.stack([self.layout.block(self._values, block) for block in sorted(chosen)])
        if self._outcomes:
            blocks = packed_outcomes(blocks.reshape(-1)).reshape(len(blocks), -1)
        return self._number_of[blocks.astype(np.int64) - UNUSED]

    def _counts(
        self, sample: Array, strides: Array, shift: int, numbers: int, costs: Costs
    ) -> Array:
        """How often each symbol is needed, by class."""
        counts = np.zeros((len(costs.copies), STEPS * len(strides) + 1 + numbers), np.int64)
        room, tokens = (np.empty(each, np.int32) for each in ((ROOM, 2 * BLOCK), (BLOCK, TOKEN)))
        self._count_symbols(
            *(sample.reshape(-1), sample.shape[1], shift, strides, costs.copies, costs.kinds),
            *(room, tokens, counts),
        )
        return counts

    def _overall(self, sample: Array, strides: Array, costs: Costs) -> Array:
        """The same with one class."""
        return self._counts(sample, strides, KIND_DIGITS, len(self._kinds), costs)

    def _find_strides(self, sample: Array) -> tuple[Array, Array]:
        """The strides that save most, and how often each symbol is needed with them."""
        wanted = min(MOST_STRIDES, max(1, self._cells // _CELLS_PER_STRIDE))
        few = sample[:: -(-sample.size // min(_FEW, -(-self._cells // _SHARE)))]
        strides = likely_strides(few)
        counts = self._overall(few, strides, self._guessed(strides))
        strides, _ = most_useful(strides, counts, _TRIED)
        costs = self._guessed(strides)
        for part, most in ((sample[::4], 2 * wanted), (sample[::2], wanted)):
            strides, counts = most_useful(strides, self._overall(part, strides, costs), most)
            costs = costs_by_counts(counts, len(strides))
        return strides, self._overall(sample, strides, costs)

    def _guessed(self, strides: Array) -> Costs:
        """Costs before anything was counted."""
        copies = np.full(STEPS * len(strides) + 1, _GUESSED_COPY)
        kinds = (1 - np.log2(self._shares)).clip(1, LONGEST_CODE + 1)
        return costs_of_bits(np.append(copies, kinds)[None], len(strides))

    def code(self) -> Code:
        """The code that suits the table with this layout."""
        sample, strides = self._sample(_MANY), self._strides
        costs = costs_by_counts(self._overall(sample, strides, self._costs), len(strides))
        of_class = self._classes(sample, costs)
        kinds = [self._kinds[of_class == each].tolist() for each in range(of_class.max() + 1)]
        code = Code(strides.tolist(), kinds, ())
        numbers = np.empty(len(self._kinds), np.int16)
        numbers[np.argsort(of_class, kind="stable")] = code.kind_numbers
        sample = np.where(sample == ANYTHING, sample, numbers[sample])
        costs = costs.of_classes(len(kinds)).renumbered(numbers, code.numbers)
        for _ in range(2):
            counts = self._counts(sample, strides, code.shift, code.numbers, costs)
            costs = costs_by_counts(counts, len(strides))
        lengths = [lengths_for(each, len(strides)) for each in counts]
        return replace(code, lengths=np.array(lengths, np.uint8))

    def _classes(self, sample: Array, costs: Costs) -> Array:
        """The class of each kind."""
        kinds = len(self._kinds)
        most = min(MOST_CLASSES, self._cells // _CELLS_PER_CLASS)
        if most < 2 or kinds > _MOST_DISTINCT:
            return np.zeros(kinds, np.int64)
        counts = self._counts(sample, self._strides, 0, kinds, costs.of_classes(kinds))
        return classes_by_counts(counts, most)


def likely_strides(blocks: Array) -> Array:
    """Strides at which cells are often equal, the best first."""
    count, length = blocks.shape
    equal, rng = np.zeros(length, np.int64), np.random.default_rng(0)
    for place in rng.integers(count * length, size=_COMPARED).tolist():
        block, i = divmod(place, length)
        if blocks[block, i] != ANYTHING:
            equal[1 : i + 1] += blocks[block, :i][::-1] == blocks[block, i]
    return (np.argsort(-equal[1:], kind="stable")[:_LIKELY] + 1).astype(np.int32)


def most_useful(strides: Array, counts: Array, most: int) -> tuple[Array, Array]:
    """The strides whose copies save most, and the counts with no others."""
    copies = counts[0, : STEPS * len(strides)].reshape(-1, STEPS)
    saved = copies @ (_CELL_BITS * _LEAST_LENGTHS - _COPY_BITS)
    order = np.argsort(-saved, kind="stable")[: min(most, np.count_nonzero(saved > 0))]
    kinds = counts[0, STEPS * len(strides) :]
    return strides[order], np.append(copies[order].reshape(-1), kinds)[None]


def classes_by_counts(counts: Array, most: int) -> Array:
    """Classes of kinds after which similar symbols are needed; kind 0 is in class 0.

    There is a row of counts for each kind. Again and again, each kind goes to the class with whose
    code its symbols would be the shortest.
    """
    rows = counts.astype(np.float64)
    overall = rows.sum(0) / rows.sum()
    sums = rows[:most]
    for _ in range(_ROUNDS):
        shares = sums + _LIKE_ALL * overall + _LIKE_ANY
        bits = -np.log2(shares / shares.sum(1, keepdims=True))
        nearest = (rows @ bits.T).argmin(1)
        sums = np.stack([rows[nearest == each].sum(0) for each in range(len(sums))])
    _, first, classes = np.unique(nearest, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[classes]


def lengths_for(counts: Array, strides: int) -> list[int]:
    """The lengths of codes for symbols that occur so often; rare ones get none."""
    by_number = STEPS * strides
    rare = np.full(len(counts), _RARE_KIND)
    rare[:by_number] = _RARE_COPY
    kept = np.where(counts << rare < counts.sum(), 0, counts)
    kept[np.argsort(-kept, kind="stable")[CODES // 2 :]] = 0
    # Kinds without a code are written by their numbers.
    kept[by_number] = max(1, counts.sum() - kept.sum())
    return code_lengths(kept.tolist())
