"""The experiments with paths and local search, against other ways to count."""

import math
from collections import deque
from itertools import permutations

import pytest

from threefold.textbook.experiments import experiment
from threefold.textbook.experiments.contours import UniformTree
from threefold.textbook.experiments.cooling import SCHEDULES, shortest_tour
from threefold.textbook.experiments.fronts import ShiftRegister, comparisons_one_by_one
from threefold.textbook.experiments.heuristics import (
    PATTERNS,
    Misplaced,
    Patterns,
    by_depth,
    pattern_database,
)
from threefold.textbook.experiments.queens import by_columns, by_swaps
from threefold.textbook.graph import Problem
from threefold.textbook.local import random_cities, tour_length
from threefold.textbook.paths import a_star, bidirectional, ida_star
from threefold.textbook.puzzle import GOAL, Puzzle


def reachable(problem: Problem, start: str) -> dict[str, int]:
    """The number of steps to every node."""
    steps, waiting = {start: 0}, deque([start])
    while waiting:
        node = waiting.popleft()
        for other, _ in problem.successors(node):
            if other not in steps:
                steps[other] = steps[node] + 1
                waiting.append(other)
    return steps


@pytest.mark.parametrize(("b", "d"), [(2, 5), (3, 4), (4, 3)])
def test_the_words_are_as_far_apart_as_they_are_long(b: int, d: int) -> None:
    problem = ShiftRegister(b, d)
    steps = reachable(problem, problem.start)
    assert len(steps) == b**d
    assert steps[problem.goal] == d == max(steps.values())
    for word in steps:
        for after, _ in problem.successors(word):
            assert word in dict(problem.predecessors(after))
    found = bidirectional(problem, problem.start, problem.goal)
    assert len(found.path) == d + 1


class Counted(str):
    """A word that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str(self) == str(other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def test_comparisons_are_those_that_a_list_makes() -> None:
    problem = ShiftRegister(3, 4)
    found = bidirectional(problem, problem.start, problem.goal)
    reached: dict[str, list[Counted]] = {
        "forward": [Counted(problem.start)],
        "backward": [Counted(problem.goal)],
    }
    Counted.compared = 0
    for node, direction in zip(found.expanded, found.directions, strict=True):
        other = "backward" if direction == "forward" else "forward"
        if any(word == node for word in reached[other]):
            break
        near = problem.successors if direction == "forward" else problem.predecessors
        known = set(map(str, reached[direction]))
        reached[direction] += [Counted(name) for name, _ in near(node) if name not in known]
    assert comparisons_one_by_one(problem, found) == Counted.compared


def test_fronts() -> None:
    for row in experiment("fronts").figures["rows"]:
        assert row["one_search"] == row["b"] ** row["d"]
        assert row["lookups"] <= 4 * row["b^(d/2)"]
        assert row["b^d"] / 4 <= row["one_by_one"] <= 4 * row["b^d"]


def test_a_chain_costs_the_square_and_a_tree_a_factor() -> None:
    figures = experiment("ida-star").figures
    first = figures["chains"][0]
    assert (first["m"], first["a_star"], first["ida_star"]) == (13, 13, 91)
    for row in figures["chains"]:
        assert row["ida_star"] == sum(range(row["m"] + 1))
    for row in figures["trees"]:
        nodes = [sum(row["b"] ** layer for layer in range(k + 1)) for k in range(row["d"] + 1)]
        assert (row["a_star"], row["ida_star"]) == (nodes[-1], sum(nodes))
        assert row["ratio"] == pytest.approx(row["b"] / (row["b"] - 1), abs=0.01)
    tree = UniformTree(2, 3)
    assert tree.predecessors(tree.goal) == [(tree.goal[:-1], 1)]
    assert tree.predecessors(tree.start) == []


@pytest.fixture(scope="module")
def depths() -> dict[str, int]:
    return {state: depth for depth, layer in enumerate(by_depth()) for state in layer}


def test_every_position_is_listed(depths: dict[str, int]) -> None:
    assert len(depths) == math.factorial(9) // 2
    assert max(depths.values()) == 31
    assert depths == reachable(Puzzle(), GOAL)


def test_no_estimate_exceeds_the_moves_left(depths: dict[str, int]) -> None:
    misplaced, manhattan, patterns = Misplaced(), Puzzle(), Patterns()
    for state, depth in depths.items():
        crude, better, best = (h.estimate(state) for h in (misplaced, manhattan, patterns))
        assert crude <= better <= best <= depth, state
    assert sum(patterns.estimate(state) > manhattan.estimate(state) for state in depths) > 10_000


def test_a_pattern_database_counts_the_moves_of_its_own_tiles(depths: dict[str, int]) -> None:
    """A pattern of all tiles is the puzzle itself; patterns together are all tiles."""
    assert sorted("".join(PATTERNS)) == sorted(GOAL.replace("0", ""))
    one = pattern_database("1")
    # A tile alone walks straight home: the Manhattan distance.
    assert one == {(place,): place // 3 + place % 3 for place in range(9)}
    assert len(pattern_database("1234")) == 9 * 8 * 7 * 6
    whole = pattern_database("12345678")
    for state, depth in list(depths.items())[::997]:
        assert whole[tuple(state.index(tile) for tile in "12345678")] == depth


def test_better_estimates_expand_less() -> None:
    rows = experiment("heuristics").figures["rows"]
    assert all(row["optimal"] for row in rows)
    by_name = {(row["heuristic"], row["depth"]): row["a_star"] for row in rows}
    for depth in {row["depth"] for row in rows}:
        crude, better, best = (
            by_name[name, depth] for name in ("misplaced tiles", "Manhattan", "pattern database")
        )
        assert crude >= better >= best


def test_shortest_with_any_estimate(depths: dict[str, int]) -> None:
    misplaced, patterns = Misplaced(), Patterns()
    for state in list(depths)[5:8_000:1_000]:
        assert a_star(misplaced, state, GOAL).cost == depths[state]
    for state in list(depths)[5::20_000]:
        assert a_star(patterns, state, GOAL).cost == depths[state]
        assert ida_star(patterns, state, GOAL).cost == depths[state]


def test_hill_climbing_gets_stuck_as_often_as_is_known() -> None:
    rows = {(row["n"], row["formulation"]): row for row in experiment("queens").figures["rows"]}
    # Russell and Norvig: 86 %, after 3 moves; solved after 4.
    known = rows[8, "one queen per column"]
    assert known["stuck"] == pytest.approx(0.86, abs=0.05)
    assert (round(known["moves_stuck"]), round(known["moves_solved"])) == (3, 4)
    for n in {n for n, _ in rows}:
        assert rows[n, "a permutation, swaps"]["stuck"] < rows[n, "one queen per column"]["stuck"]


def test_some_boards_are_solved_and_three_queens_never() -> None:
    for climb in (by_columns, by_swaps):
        assert any(climb(6, seed).solved for seed in range(60))
        assert not any(climb(3, seed).solved for seed in range(20))


@pytest.mark.parametrize("seed", range(5))
def test_the_shortest_tour_by_trying_all(seed: int) -> None:
    cities = random_cities(7, seed)
    best = min(tour_length(cities, (0, *rest)) for rest in permutations(range(1, 7)))
    assert shortest_tour(cities) == pytest.approx(best)
    assert shortest_tour(cities[:3]) == pytest.approx(tour_length(cities[:3], (0, 1, 2)))


def test_annealing_promises_nothing() -> None:
    figures = experiment("annealing").figures
    shares = {row["schedule"]: row["optimal"] for row in figures["rows"]}
    assert list(shares) == list(SCHEDULES)
    assert max(shares, key=shares.__getitem__) == "slow"
    assert all(share < 1 for share in shares.values())
    assert all(row["mean"] >= figures["shortest"] for row in figures["rows"])
