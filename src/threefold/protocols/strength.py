"""Playing at a given strength: a rating in Elo as a level of the engine, or between two of them.

Between two levels every move is made at one of them: the nearer the rating is to a level, the more
often at that one.
"""

import random
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from threefold.engine.level import Strength

#: The rating of each level at chess, from level 1 up, as docs/levels.md says how it was measured.
RATINGS: Final = (10, 390, 720, 990, 1480, 1630, 1970, 2210, 2380, 2520)


def level_for(elo: int, rng: random.Random) -> "Strength":
    """The level at which to make the next move."""
    from threefold.engine.levels import LEVELS

    above = bisect_right(RATINGS, elo)
    if above == 0:
        return LEVELS[0]
    if above == len(RATINGS):
        return LEVELS[-1]
    low, high = RATINGS[above - 1], RATINGS[above]
    return LEVELS[above if rng.random() < (elo - low) / (high - low) else above - 1]
