"""The chess programs of 1948–1950 and level 5 against each other: every pair plays a match.

threefold bench history                        20 games of each pair
THREEFOLD_GAMES=100 threefold bench history
"""

from collections.abc import Iterator
from itertools import combinations

from duel import Score, game_count, match

NAMES = ("turochamp", "shannon-a", "shannon-b", "5")


def measure() -> Iterator[Score]:
    for one, other in combinations(NAMES, 2):
        what = f"{shown(one)} against {shown(other)}"
        yield match(what, "chess", f"level({one})", f"level({other})", game_count(20))


def shown(name: str) -> str:
    """A level as readers know it."""
    return f"level {name}" if name.isdigit() else name
