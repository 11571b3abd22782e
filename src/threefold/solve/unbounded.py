"""Which field of a state grows without end, such as a pot that every round adds to.

Positions are numbered in the order in which they are found, nearest to the start first. A counter
without a limit keeps reaching new heights in that order, at a pace that hardly changes. A
bitboard, large as its numbers are, reaches its heights early or by leaps.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

#: How many stretches of equal length the positions are divided into.
_STRETCHES: Final = 8
#: At a constant pace, the last stretch has its share of all growth after the first. It has
#: less if several fields grow together, and more if a field is no counter; this much either way.
_SLOWEST: Final = 0.04
_FASTEST: Final = 0.3


def growing_field(names: Sequence[str], rows: Any) -> tuple[str, int] | None:
    """The field that grows most from the first row to the last, and the value it reached.

    A negative number grows by falling.
    """
    if len(rows) < _STRETCHES:
        return None
    stretches = np.array_split(rows, _STRETCHES)
    growing = []
    for column, name in enumerate(names):
        highest = [int(stretch[:, column].max()) for stretch in stretches]
        lowest = [int(stretch[:, column].min()) for stretch in stretches]
        if _keeps_growing(highest):
            growing.append((name, highest[-1]))
        if lowest[0] < 0 and _keeps_growing([-word for word in lowest]):
            growing.append((name, lowest[-1]))
    return max(growing, key=lambda found: abs(found[1]), default=None)


def _keeps_growing(heights: list[int]) -> bool:
    steps = np.diff(np.array(heights, object))
    return bool((steps > 0).all()) and _SLOWEST <= steps[-1] / sum(steps) <= _FASTEST
