"""Bidirectional search: what comparing the two sides costs, one by one and by hashing."""

from string import digits

from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.graph import Problem
from threefold.textbook.path_trace import FORWARD, PathResult
from threefold.textbook.paths import bidirectional, uniform_cost
from threefold.textbook.tree import Number

#: Branching factors, and distances for each.
SIZES = ((2, (4, 6, 8, 10)), (3, (4, 6)), (4, (4,)))


class ShiftRegister(Problem):
    """Words of d letters. A step drops the first letter and adds any of b letters at the end.

    Every word has b successors and b predecessors, and from 00…0 to the last
    letter repeated there is exactly one way of d steps. So the trees of both sides are as wide as
    trees with branching factor b can be.
    """

    def __init__(self, b: int, d: int) -> None:
        self._letters = digits[:b]
        self.start, self.goal = "0" * d, self._letters[-1] * d

    def successors(self, state: str) -> list[tuple[str, Number]]:
        """Every letter added at the end."""
        return [(state[1:] + letter, 1) for letter in self._letters]

    def predecessors(self, state: str) -> list[tuple[str, Number]]:
        """Every letter that may have been dropped."""
        return [(letter + state[:-1], 1) for letter in self._letters]

    def estimate(self, state: str) -> Number:
        """Nothing is known."""
        del state
        return 0

    def check(self, start: str, goal: str) -> None:
        """Both ends are ours."""
        assert (start, goal) == (self.start, self.goal)


def comparisons_one_by_one(problem: Problem, found: PathResult) -> int:
    """How many pairs a bidirectional run compares if it has no hash table.

    Each removed node is compared with what the other side has reached, in the order in which it was
    reached, until an equal one turns up.
    """
    start, goal = found.path[0], found.path[-1]
    ours, theirs = {start: None}, {goal: None}
    compared = 0
    for node, direction in zip(found.expanded, found.directions, strict=True):
        forward = direction == FORWARD
        mine, other = (ours, theirs) if forward else (theirs, ours)
        if node in other:
            return compared + list(other).index(node) + 1
        compared += len(other)
        neighbors = problem.successors(node) if forward else problem.predecessors(node)
        mine.update(dict.fromkeys(name for name, _ in neighbors))
    return compared


def fronts() -> Experiment:
    """Bidirectional search, its two sides compared one by one and by hashing."""
    rows = []
    for b, distances in SIZES:
        for d in distances:
            problem = ShiftRegister(b, d)
            one_side = uniform_cost(problem, problem.start, problem.goal)
            both = bidirectional(problem, problem.start, problem.goal)
            rows.append(
                {
                    "b": b,
                    "d": d,
                    "one_search": len(one_side.expanded),
                    "both_sides": len(both.expanded),
                    "lookups": len(both.expanded),
                    "one_by_one": comparisons_one_by_one(problem, both),
                    "b^d": b**d,
                    "b^(d/2)": b ** (d // 2),
                }
            )
    lines = [
        "A word of d letters out of b; a step drops the first letter and adds one at the end.",
        "From the first letter repeated to the last one repeated, with b^d nodes in all:",
        "",
        " b   d   expanded by one search   by both sides   lookups   one by one   b^d   b^(d/2)",
        *(
            f"{row['b']:>2} {row['d']:>3} {row['one_search']:>24} {row['both_sides']:>15} "
            f"{row['lookups']:>9} {row['one_by_one']:>12} {row['b^d']:>5} {row['b^(d/2)']:>9}"
            for row in rows
        ),
        "",
        "Both sides together expand a small multiple of b^(d/2) nodes. A hash table needs one",
        "lookup for each of them. Without one, each node is compared with all that the other side",
        "has reached: a product, b^(d/2) · b^(d/2) = b^d, and what two fronts save is lost again.",
    ]
    return Experiment("fronts", "Where two fronts meet", lines, {"rows": rows})
