"""The 8-puzzle: eight tiles in a frame with nine places, one of them empty.

1 2 3        A position is its nine digits row by row, 0 for the blank: 123456780. A move
4 5 6        slides a tile next to the blank into it and costs 1.
7 8 0
"""

from collections.abc import Sequence
from itertools import combinations

from threefold.errors import BadPosition
from threefold.rules.text import shorten
from threefold.textbook.graph import Problem
from threefold.textbook.tree import Number

SIDE = 3
#: The tiles in order, row by row; 0 is the gap.
GOAL = "123456780"
BLANK = "0"


def _distance(one: int, other: int) -> int:
    """Rows and columns between two places: the Manhattan distance."""
    return abs(one // SIDE - other // SIDE) + abs(one % SIDE - other % SIDE)


PLACES = range(SIDE * SIDE)
#: The places next to each place.
NEIGHBORS = [[other for other in PLACES if _distance(place, other) == 1] for place in PLACES]


class Puzzle(Problem):
    """The 8-puzzle with a goal."""

    def __init__(self, goal: str = GOAL) -> None:
        _check_text(goal)
        self.goal = goal
        self._far = {
            tile: [_distance(place, goal.index(tile)) for place in PLACES]
            for tile in goal
            if tile != BLANK
        }
        # The blank moves too, but counting it would count each step twice.
        self._far[BLANK] = [0 for _ in PLACES]

    def successors(self, state: str) -> list[tuple[str, Number]]:
        """Each tile next to the blank slides into it."""
        blank = state.index(BLANK)
        return sorted((_swapped(state, blank, place), 1) for place in NEIGHBORS[blank])

    def predecessors(self, state: str) -> list[tuple[str, Number]]:
        """The same positions, because every move can be undone."""
        return self.successors(state)

    def estimate(self, state: str) -> Number:
        """The total distance of the tiles from their places: never more than the moves left.

        A move brings one tile at most one place nearer, so the estimate is consistent too.
        """
        return sum([self._far[tile][place] for place, tile in enumerate(state)])

    def tiles(self, state: str) -> Sequence[str]:
        """The three rows of the frame."""
        rows = (state[i : i + SIDE] for i in range(0, len(state), SIDE))
        return [row.replace(BLANK, " ") for row in rows]

    def check(self, start: str, goal: str) -> None:
        """The start must be a position from which the goal can be reached."""
        _check_text(start)
        if goal != self.goal:
            raise BadPosition(
                f"this puzzle's goal is {self.goal}, not {shorten(goal)}; use Puzzle(goal)"
            )
        if _inversions(start) % 2 != _inversions(goal) % 2:
            raise BadPosition(
                f"the puzzle {start} cannot be solved: no moves lead to {goal} (odd parity); "
                "swap any two tiles to make it solvable"
            )


def _check_text(text: str) -> None:
    if sorted(text) != sorted(GOAL):
        raise BadPosition(
            f"the puzzle {shorten(text)} is not a position: write each digit from 0 (the blank) to "
            f"8 once, row by row, like {GOAL}"
        )


def _swapped(state: str, one: int, other: int) -> str:
    tiles = list(state)
    tiles[one], tiles[other] = tiles[other], tiles[one]
    return "".join(tiles)


def _inversions(state: str) -> int:
    """The number of pairs of tiles in the wrong order.

    A move along a row does not change the order. A move between rows carries a tile past two
    others. So odd stays odd and even stays even, and half of all positions cannot reach the other
    half.
    """
    tiles = state.replace(BLANK, "")
    return sum(one > other for one, other in combinations(tiles, 2))
