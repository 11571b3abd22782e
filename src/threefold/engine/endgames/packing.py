"""Outcomes without distances: five positions in a cell.

A cell is a number to the base of 3, whose digits are the outcomes of five positions that follow one
another: 0 lost, 1 drawn, 2 won. The first position is the lowest digit.
"""

from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.values import UNUSED

Array: TypeAlias = Any

#: How many outcomes a cell has.
PACKED: Final = 5


def packed_outcomes(values: Array) -> Array:
    """The outcomes of five values in each cell.

    Numbers that are not in use are like the last one that is. A cell of nothing else is not in use.
    """
    values = np.append(values, np.full(-len(values) % PACKED, UNUSED, np.int16))
    used = values != UNUSED
    before = np.maximum.accumulate(np.where(used, np.arange(len(values)), 0))
    digits = (np.sign(values).astype(np.int16) + 1)[before].reshape(-1, PACKED)
    cells = digits @ np.array([3**i for i in range(PACKED)], np.int16)
    return np.where(used.reshape(-1, PACKED).any(1), cells, np.int16(UNUSED))


def unpacked_outcomes(cells: Array) -> Array:
    """The outcomes in cells: 1 for a win, -1 for a loss."""
    powers = np.array([3**i for i in range(PACKED)], np.int16)
    return (cells[:, None] // powers % 3 - 1).reshape(-1)
