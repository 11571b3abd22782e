"""The 15-puzzle by IDA* over compiled rules, against the same search in Python.

Korf's hundred instances (1985) are the field's yardstick. A few of the easier ones, and his first,
must be solved in the published number of moves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from comparison import Comparison, best_rate, say

from threefold.games.sliding_puzzle import sliding_puzzle
from threefold.solve.ida_star import interpreted_contours, shortest_solution
from threefold.textbook.paths import ida_star
from threefold.textbook.puzzle import GOAL, Puzzle

#: By number: the tiles, with the gap first when solved, and the fewest moves.
KORF = {
    79: ("0 1 9 7 11 13 5 3 14 12 4 2 8 6 10 15", 42),
    12: ("14 1 9 6 4 8 12 5 7 2 3 0 10 11 13 15", 45),
    42: ("4 5 7 2 9 14 12 13 0 3 6 11 8 1 15 10", 42),
    55: ("13 8 14 3 9 1 0 7 15 5 4 10 12 2 6 11", 41),
    85: ("4 7 13 10 1 2 9 6 12 8 14 5 3 0 11 15", 44),
    9: ("3 14 9 11 5 4 8 2 13 12 6 7 10 1 15 0", 46),
    1: ("14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", 57),
}
SAME = 12
#: One of the two positions of the 8-puzzle that are farthest from home: 31 moves.
FARTHEST_OF_8 = "867254301"
WANTED = 100.0


@dataclass(frozen=True)
class Solved:
    """An instance solved in as few moves as was published."""

    number: int
    moves: int
    nodes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"Korf's instance {self.number}: {self.moves} moves, as published "
            f"({self.nodes:,} nodes, {self.seconds:.2f} s)"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def gap_last(tiles: str) -> str:
    """The same puzzle turned around and renumbered: Korf's gap is first when solved, ours last."""
    numbers = list(map(int, tiles.split()))
    return " ".join(str(-tile % 16) for tile in reversed(numbers))


def measure() -> Iterator[Comparison | Solved]:
    g, text = sliding_puzzle(4), gap_last(KORF[SAME][0])
    say(f"the 15-puzzle, Korf's instance {SAME}")
    ours = best_rate(lambda: shortest_solution(g, text).expanded, repeats=20)
    theirs = best_rate(
        lambda: shortest_solution(g, text, contours=interpreted_contours).expanded, repeats=1
    )
    what = f"15-puzzle, IDA* on Korf's instance {SAME}"
    yield Comparison(what, ours, "the same rules and search in Python", theirs, "nodes/s", WANTED)
    say("the 8-puzzle, 31 moves")
    small = sliding_puzzle(3)
    ours = best_rate(lambda: shortest_solution(small, FARTHEST_OF_8).expanded, repeats=20)
    theirs = best_rate(lambda: len(ida_star(Puzzle(), FARTHEST_OF_8, GOAL).expanded), repeats=1)
    what = "8-puzzle, IDA* over 31 moves"
    yield Comparison(what, ours, "the textbook's ida-star", theirs, "nodes/s", WANTED)
    for number, (tiles, moves) in KORF.items():
        say(f"Korf's instance {number}")
        found = shortest_solution(g, gap_last(tiles))
        if found.length != moves:
            raise AssertionError(
                f"instance {number}: {found.length} moves, where {moves} are known"
            )
        yield Solved(number, moves, found.expanded, found.seconds)
