"""What a contract scores in duplicate bridge, to the side of the declarer.

After the Laws of Duplicate Bridge (2017), law 77.
"""

from typing import Final

#: Tricks that a bid promises besides its level.
BOOK: Final = 6
DOUBLED: Final = 1
REDOUBLED: Final = 2

_MINORS: Final = 2
_NO_TRUMPS: Final = 4
#: What the tricks of a contract count at least for a game.
_GAME: Final = 100
_PART_SCORE_BONUS: Final = 50
_GAME_BONUS: Final = 300
_VULNERABLE_GAME_BONUS: Final = 500
_SMALL_SLAM: Final = 6
_SMALL_SLAM_BONUS: Final = 500
_VULNERABLE_SMALL_SLAM_BONUS: Final = 750


def trick_points(level: int, strain: int, doubled: int) -> int:
    """What the tricks of a contract count: 20 or 30 each, the first one of no trumps 40."""
    each = 20 if strain < _MINORS else 30
    return (level * each + (10 if strain == _NO_TRUMPS else 0)) << doubled


def made_score(level: int, strain: int, doubled: int, vulnerable: int, over: int) -> int:
    """The score of a contract made with so many tricks over it."""
    points = trick_points(level, strain, doubled)
    score = points + _PART_SCORE_BONUS
    if points >= _GAME:
        score = points + (_VULNERABLE_GAME_BONUS if vulnerable else _GAME_BONUS)
    if level >= _SMALL_SLAM:
        slam = _VULNERABLE_SMALL_SLAM_BONUS if vulnerable else _SMALL_SLAM_BONUS
        score += slam if level == _SMALL_SLAM else 2 * slam
    if doubled == 0:
        return score + over * (20 if strain < _MINORS else 30)
    # For the insult, and doubled overtricks.
    return score + 50 * doubled + over * (200 if vulnerable else 100) * doubled


def down_score(doubled: int, vulnerable: int, down: int) -> int:
    """What a contract that fails by so many tricks costs."""
    if doubled == 0:
        return down * (100 if vulnerable else 50)
    if vulnerable:
        return (300 * down - 100) * doubled
    # The first 100, the second and third 200 each, every further one 300.
    first_three = 200 * min(down, 3) - 100
    return (first_three + 300 * max(down - 3, 0)) * doubled


def score(level: int, strain: int, doubled: int, vulnerable: int, tricks: int) -> int:
    """The score of a contract in which the declarer's side won so many tricks."""
    over = tricks - BOOK - level
    if over >= 0:
        return made_score(level, strain, doubled, vulnerable, over)
    return -down_score(doubled, vulnerable, -over)
