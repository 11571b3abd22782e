"""A* against IDA*: what it costs to remember only one path."""

from itertools import pairwise

from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.graph import Problem, parse_graph
from threefold.textbook.paths import a_star, ida_star
from threefold.textbook.tree import Number

#: Lengths of the chain; the first is the lecture's.
CHAINS = (13, 25, 50)
#: Branching factors and depths of the uniform trees.
TREES = ((2, 10), (3, 7), (4, 5), (10, 3))


class UniformTree(Problem):
    """A tree in which every node down to a depth has b children; the goal is its last leaf."""

    def __init__(self, b: int, depth: int) -> None:
        self._letters = [chr(ord("a") + i) for i in range(b)]
        self._depth = depth
        self.start = "."
        self.goal = "." + self._letters[-1] * depth

    def successors(self, state: str) -> list[tuple[str, Number]]:
        """The children, each a step of 1 away."""
        if len(state) > self._depth:
            return []
        return [(state + letter, 1) for letter in self._letters]

    def predecessors(self, state: str) -> list[tuple[str, Number]]:
        """The parent."""
        return [(state[:-1], 1)] if len(state) > 1 else []

    def estimate(self, state: str) -> Number:
        """Nothing is known, so a contour is a layer of the tree."""
        del state
        return 0

    def check(self, start: str, goal: str) -> None:
        """Both ends are ours."""
        assert (start, goal) == (self.start, self.goal)


def contours() -> Experiment:
    """A* against IDA*: a contour for every node, and contours that grow by a factor."""
    chains = []
    for m in CHAINS:
        names = [f"n{i:02}" for i in range(1, m + 1)]
        edges = pairwise(names)
        chain = parse_graph("\n".join(f"{one} {other} 1" for one, other in edges))
        best, deepening = (run(chain, names[0], names[-1]) for run in (a_star, ida_star))
        chains.append({"m": m, "a_star": len(best.expanded), "ida_star": len(deepening.expanded)})
    trees: list[dict[str, Number | float]] = []
    for b, depth in TREES:
        tree = UniformTree(b, depth)
        best, deepening = (run(tree, tree.start, tree.goal) for run in (a_star, ida_star))
        ratio = len(deepening.expanded) / len(best.expanded)
        trees.append(
            {
                "b": b,
                "d": depth,
                "a_star": len(best.expanded),
                "ida_star": len(deepening.expanded),
                "ratio": round(ratio, 3),
                "limit": round(b / (b - 1), 3),
            }
        )
    lines = [
        "A chain of m nodes where every contour adds just one:",
        "",
        " m   A* expands   IDA* expands   1 + 2 + … + m",
        *(
            f"{row['m']:>2} {row['a_star']:>12} {row['ida_star']:>14} "
            f"{row['m'] * (row['m'] + 1) // 2:>15}"
            for row in chains
        ),
        "",
        "That is about m²/2: the worst case. In a uniform tree each contour is b times as large as",
        "the last one, and going over all of them again costs little:",
        "",
        " b   d   A* expands   IDA* expands   ratio   b/(b − 1)",
        *(
            f"{row['b']:>2} {row['d']:>3} {row['a_star']:>12} {row['ida_star']:>14} "
            f"{row['ratio']:>7.3f} {row['limit']:>11.3f}"
            for row in trees
        ),
        "",
        "The lecture allows a factor of b for IDA*; the factor is b/(b − 1). A* keeps every node",
        "it has met. IDA* keeps one path and what branches off it.",
    ]
    return Experiment(
        "ida-star", "The price of one path", lines, {"chains": chains, "trees": trees}
    )
