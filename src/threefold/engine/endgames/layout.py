"""Which positions of a table share a block.

A block can say briefly what repeats within it. Values repeat at the strides of their numbers, and
those may be longer than a block: the next place of a king, say. So a table is seen as a rectangle
whose rows have as many numbers as such a stride, and a block is a part of it, some columns wide and
some rows deep:

                             columns
    rows             0 to wide - 1   wide to 2 wide - 1   ...
    0 to deep - 1       block 0           block 1
    from deep on     the next one        and so on

Within a block positions come row by row. Blocks may stick out of the rectangle on the right and
below; nothing stands there for a position.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.values import UNUSED

Array: TypeAlias = Any

#: How many values are compared with those before them to find out how long rows should be.
_COMPARED: Final = 1 << 10
#: Rows are at least as long as this, and at most. If there is more than one position in a cell,
#: they may be shorter: only strides from the beginning of a cell to that of another are of use.
_LEAST_ROW: Final = 256
_MOST_ROW: Final = 1 << 18
_LEAST_SHORT_ROW: Final = 24
#: How often values have to be equal from row to row, as a share of how often neighbors are.
_GOOD: Final = 0.75
#: With fewer rows than this, blocks may stick out by much.
_FEW_ROWS: Final = 256
#: By this factor a table may grow because blocks stick out, besides the last one.
_GROWTH: Final = 1.05
#: About how wide blocks may be.
_WIDTHS: Final = (64, 128)


@dataclass(frozen=True)
class Layout:
    """How long rows are, and how wide and deep blocks."""

    row: int
    wide: int
    deep: int

    @property
    def strips(self) -> int:
        """How many blocks lie side by side."""
        return -(-self.row // self.wide)

    @property
    def band(self) -> int:
        """How many numbers those have together."""
        return self.row * self.deep

    @property
    def length(self) -> int:
        """How many positions a block has."""
        return self.wide * self.deep

    def blocks(self, size: int) -> int:
        """How many blocks a table of this size has."""
        return -(-size // self.band) * self.strips

    def portions(self, size: int, about: int) -> Iterator[tuple[int, int]]:
        """From where to where there are whole blocks, of about so many numbers each time."""
        step = max(1, about // self.band) * self.band
        for first in range(0, size, step):
            yield first, min(first + step, size)

    def arranged(self, values: Array) -> Array:
        """A portion of values, block after block."""
        bands = -(-len(values) // self.band)
        rows = np.full(bands * self.band, UNUSED, np.int16)
        rows[: len(values)] = values
        rectangle = np.full((bands * self.deep, self.strips * self.wide), UNUSED, np.int16)
        rectangle[:, : self.row] = rows.reshape(-1, self.row)
        parts = rectangle.reshape(bands, self.deep, self.strips, self.wide)
        return parts.swapaxes(1, 2).reshape(-1)

    def put_back(self, arranged: Array, out: Array) -> None:
        """The same portion in the order of its numbers again."""
        parts = arranged.reshape(-1, self.strips, self.deep, self.wide).swapaxes(1, 2)
        rectangle = parts.reshape(-1, self.strips * self.wide)
        out[:] = rectangle[:, : self.row].reshape(-1)[: len(out)]

    def block(self, values: Array, block: int) -> Array:
        """The values of one block of a table."""
        band, strip = divmod(block, self.strips)
        part = np.full((self.deep, self.wide), UNUSED, np.int16)
        columns = min(self.wide, self.row - strip * self.wide)
        for i in range(self.deep):
            first = (band * self.deep + i) * self.row + strip * self.wide
            found = values[first : first + columns]
            part[i, : len(found)] = found
        return part.reshape(-1)


def layouts(values: Array, most: int, together: int) -> list[Layout]:
    """Layouts that may suit a table, with at most so many positions in a block.

    So many positions together are in a cell.
    """
    plain = min(most, -(-len(values) // together) * together)
    found = [Layout(plain, plain, 1)]
    for row in _rows(values, together > 1):
        for width in (row,) if row < _LEAST_ROW else (_width(row, about) for about in _WIDTHS):
            wide = -(-width // together) * together
            layout = Layout(row, wide, most // wide)
            grown = layout.blocks(len(values)) * layout.length
            if grown <= _GROWTH * len(values) + most and layout not in found:
                found.append(layout)
    return found


def _rows(values: Array, may_be_short: bool) -> list[int]:
    """Strides at which values are often equal."""
    most = min(_MOST_ROW, len(values) // 4)
    if most <= _LEAST_ROW:
        return []
    equal = np.zeros(most, np.int64)
    for i in np.random.default_rng(0).integers(most, len(values), _COMPARED).tolist():
        if values[i] != UNUSED:
            equal += values[i - most : i] == values[i]
    equal = np.append(0, equal[::-1])  # by stride
    found: list[int] = []
    least, middle = _GOOD * equal[1], max(_LEAST_ROW, len(values) // _FEW_ROWS)
    for first, last in ((_LEAST_ROW, middle), (middle, most + 1)):
        stride = first + int(equal[first:last].argmax()) if first < last else 0
        if equal[stride] > least and not any(stride % row == 0 for row in found):
            found.append(stride)
            least = equal[stride]
    if may_be_short:
        found.append(_LEAST_SHORT_ROW + int(equal[_LEAST_SHORT_ROW:_LEAST_ROW].argmax()))
    return found


def _width(row: int, about: int) -> int:
    """About this width, and one that divides rows evenly if there is one."""
    even = [each for each in range(about * 2 // 3, about * 3 // 2) if row % each == 0]
    return min(even, key=lambda each: abs(each - about), default=about)
