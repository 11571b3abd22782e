"""Estimates for the 8-puzzle, from crude to good, and what each saves.

The pattern database is made by solving: a backward search from the goal over positions in which
only some tiles can be told apart. It counts the moves of those tiles alone, so the answers for
disjoint sets of tiles may be added up, and the sum never exceeds the moves that are left.
"""

import random
from collections import deque
from collections.abc import Callable
from statistics import fmean

from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.paths import a_star, ida_star
from threefold.textbook.puzzle import BLANK, GOAL, NEIGHBORS, Puzzle
from threefold.textbook.statistics import effective_branching_factor
from threefold.textbook.tree import Number

#: The tiles of each pattern; together all of them.
PATTERNS = ("1234", "5678")
DEPTHS = (6, 10, 14, 18)
POSITIONS = 3


class Misplaced(Puzzle):
    """The 8-puzzle, estimated by how many tiles are not in their place."""

    def estimate(self, state: str) -> Number:
        """Each of them needs at least one move."""
        pairs = zip(state, self.goal, strict=True)
        return sum(tile not in (there, BLANK) for tile, there in pairs)


class Patterns(Puzzle):
    """The 8-puzzle, estimated by a pattern database."""

    def __init__(self, goal: str = GOAL) -> None:
        super().__init__(goal)
        self._tables = [(tiles, pattern_database(tiles, goal)) for tiles in PATTERNS]

    def estimate(self, state: str) -> Number:
        """The moves of each pattern's tiles, added up."""
        return sum(
            table[tuple(state.index(tile) for tile in tiles)] for tiles, table in self._tables
        )


def pattern_database(tiles: str, goal: str = GOAL) -> dict[tuple[int, ...], int]:
    """For every arrangement of some tiles, the fewest moves of these tiles that bring them home.

    A breadth-first search backward from the goal. A position is the places of the tiles and of the
    blank. Moving one of the tiles costs 1, moving any other tile costs nothing.
    """
    home = tuple(goal.index(tile) for tile in tiles), goal.index(BLANK)
    distance = {home: 0}
    waiting = deque([home])
    while waiting:
        places, blank = waiting.popleft()
        moves = distance[places, blank]
        for place in NEIGHBORS[blank]:
            ours = place in places
            after = tuple(blank if each == place else each for each in places) if ours else places
            reached = after, place
            if moves + ours < distance.get(reached, moves + 2):
                distance[reached] = moves + ours
                # What costs nothing is looked at first, so that positions come in order of cost.
                (waiting.append if ours else waiting.appendleft)(reached)
    table: dict[tuple[int, ...], int] = {}
    for (places, _), moves in distance.items():
        table[places] = min(moves, table.get(places, moves))
    return table


def by_depth(goal: str = GOAL) -> list[list[str]]:
    """Every solvable position, by its distance from the goal: a breadth-first search backward."""
    puzzle = Puzzle(goal)
    layers, seen = [[goal]], {goal}
    while layers[-1]:
        layer = []
        for state in layers[-1]:
            for other, _ in puzzle.predecessors(state):
                if other not in seen:
                    seen.add(other)
                    layer.append(other)
        layers.append(layer)
    return layers[:-1]


HEURISTICS: dict[str, Callable[[], Puzzle]] = {
    "misplaced tiles": Misplaced,
    "Manhattan": Puzzle,
    "pattern database": Patterns,
}


def heuristics() -> Experiment:
    """The 8-puzzle with three estimates: nodes, and the effective branching factor."""
    draw = random.Random(0)
    layers = by_depth()
    chosen = {depth: draw.sample(layers[depth], POSITIONS) for depth in DEPTHS}
    rows = []
    for name, make in HEURISTICS.items():
        puzzle = make()
        for depth, positions in chosen.items():
            found = [(a_star(puzzle, s, GOAL), ida_star(puzzle, s, GOAL)) for s in positions]
            nodes = fmean(len(best.expanded) for best, _ in found)
            rows.append(
                {
                    "heuristic": name,
                    "depth": depth,
                    "estimate": round(fmean(puzzle.estimate(s) for s in positions), 2),
                    "a_star": round(nodes, 1),
                    "ida_star": round(fmean(len(again.expanded) for _, again in found), 1),
                    "branching": round(effective_branching_factor(round(nodes), depth), 2),
                    "optimal": all(each.cost == depth for pair in found for each in pair),
                }
            )
    lines = [
        f"{POSITIONS} positions of the 8-puzzle at each distance from the goal; all "
        f"{sum(map(len, layers)):,} positions were",
        f"listed by a backward search, and the farthest are {len(layers) - 1} moves away. Means:",
        "",
        "estimate            moves   estimated   A* expands   IDA* expands   branching factor",
        *(
            f"{row['heuristic']:<18} {row['depth']:>6} {row['estimate']:>11.1f} "
            f"{row['a_star']:>12.1f} {row['ida_star']:>14.1f} {row['branching']:>18.2f}"
            for row in rows
        ),
        "",
        "All of them are admissible, so every solution found is a shortest one. A better estimate",
        "saves more the farther the goal is. The effective branching factor is that of A*: the b",
        "for which a uniform tree of that depth has as many nodes.",
    ]
    return Experiment("heuristics", "What an estimate is worth", lines, {"rows": rows})
