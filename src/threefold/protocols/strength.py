"""Playing at a given strength: a rating in Elo as a level of the engine, or between two of them.

Between two levels every move is made at one of them: the nearer the rating is to a level, the more
often at that one.
"""

import random
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from threefold.engine.level import Strength

#: The rating of each level at chess, from level 1 up.
RATINGS: Final = (400, 600, 800, 1000, 1300, 1600, 1900, 2150, 2300, 2450)


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
