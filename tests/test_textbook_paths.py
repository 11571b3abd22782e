"""Single-agent search: the lecture's answers, brute force, known puzzles, and every error."""

import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError
from threefold.textbook import paths
from threefold.textbook.graph import LECTURE_GRAPH, BadGraph, Graph, Problem, parse_graph
from threefold.textbook.path_narration import narrate
from threefold.textbook.path_trace import PathResult
from threefold.textbook.paths import (
    PATH_PROCEDURES,
    a_star,
    bidirectional,
    bidirectional_as_printed,
    breadth_first,
    depth_first,
    depth_limited,
    greedy,
    ida_star,
    iterative_deepening_search,
    uniform_cost,
)
from threefold.textbook.puzzle import GOAL, Puzzle
from threefold.textbook.tree import Number

LECTURE = parse_graph(LECTURE_GRAPH)
PROCEDURES = list(PATH_PROCEDURES)
#: A limit for depth-limited search that no test here needs to exceed.
LIMIT = 40


def searched(name: str, problem: Problem, start: str, goal: str) -> PathResult:
    """A procedure's result; depth-limited search needs a limit as well."""
    more = {"limit": LIMIT} if name == "depth-limited" else {}
    return PATH_PROCEDURES[name](problem, start, goal, **more)


def entries(text: str) -> list[list[object]]:
    """`C7 B12` as a fringe in JSON."""
    return [[entry[0], int(entry[1:])] for entry in text.split()]


# The lecture's answers.

WORKED = {
    "breadth-first": (
        "A B E G",
        14,
        "A B C D E F G",
        ["B1 C1", "C1 D2 E2", "D2 E2 F2", "E2 F2", "F2 G3", "G3", ""],
    ),
    "depth-first": (
        "A B D C F G",
        23,
        "A B D C F G",
        ["B1 C1", "C1 D2 E2", "C3 E3", "E3 F4", "E3 G5", ""],
    ),
    "depth-limited": (
        "A B D C F G",
        23,
        "A B D C F G",
        ["B1 C1", "C1 D2 E2", "C1 E2 C3 E3", "C1 E2 E3 F4", "C1 E2 E3 G5", ""],
    ),
    "iterative-deepening-search": (
        "A B E G",
        14,
        "A A B C A B D E C D F A B D C E E G",
        [
            *("", "B1 C1", "C1", ""),
            *("B1 C1", "C1 D2 E2", "C1 E2", "C1", "D2 F2", "F2", ""),
            *("B1 C1", "C1 D2 E2", "C1 E2 C3 E3", "C1 E2 E3", "C1 E2", "C1 G3", ""),
        ],
    ),
    "bidirectional-as-printed": (
        "A B D E G",
        13,
        "A G B E C F D",
        [
            *("G0 B1 C1", "B1 C1 E1 F1", "C1 E1 F1 D2 E2", "C1 F1 B2 D2 D2 E2"),
            *("F1 B2 D2 D2 E2 F2", "B2 C2 D2 D2 E2 F2", ""),
        ],
    ),
    "uniform-cost": (
        "A C D E G",
        9,
        "A C D B E F G",
        ["C1 B4", "D3 B4 F7", "B4 E7 F7", "E7 F7", "F7 G9", "G9", ""],
    ),
    "greedy": ("A C F G", 15, "A C F G", ["C6 B8", "F4 D5 B8", "G0 D5 B8", ""]),
    "a-star": (
        "A C D E G",
        9,
        "A C D E G",
        ["C7 B12", "D8 F11 B12", "E8 F11 B12", "G9 F11 B12", ""],
    ),
    "bidirectional": (
        "A B E G",
        14,
        "A G B E",
        ["G0 B1 C1", "B1 C1 E1 F1", "C1 E1 F1 D2 E2", ""],
    ),
    "ida-star": (
        "A C D E G",
        9,
        "A C D E A C D E G",
        ["C7", "D8", "E8", "", "C7", "D8", "E8", "G9", ""],
    ),
}


@pytest.mark.parametrize("name", PROCEDURES)
def test_the_lectures_graph(name: str) -> None:
    path, cost, expanded, fringes = WORKED[name]
    answer = searched(name, LECTURE, "A", "G").to_json()
    more: dict[str, dict[str, object]] = {
        "bidirectional": {
            "directions": ["forward", "backward", "forward", "backward"],
            "met": "E",
        },
        "bidirectional-as-printed": {
            "directions": ["forward", "backward"] * 3 + ["forward"],
            "met": "D",
        },
        "ida-star": {"bounds": [8, 9]},
        "depth-limited": {"limit": LIMIT, "outcome": "solution"},
        "iterative-deepening-search": {"limits": [0, 1, 2, 3], "iterations": 4},
    }
    assert answer == {
        "procedure": name,
        "path": path.split(),
        "cost": cost,
        "expanded": expanded.split(),
        "fringes": [entries(fringe) for fringe in fringes],
    } | more.get(name, {})
    assert json.loads(json.dumps(answer)) == answer


TOLD = {
    "uniform-cost": """\
Expand A: C enters with 1, B enters with 4.
Expand C: D enters with 3, F enters with 7.
Expand D: E enters with 7.
Expand B: nothing new enters.
Expand E: G enters with 9.
Expand F: nothing new enters.
Expand G: it is the goal, and A C D E G costs 9.""",
    "bidirectional": """\
Forward, expand A: B enters with 1, C enters with 1.
Backward, expand G: E enters with 1, F enters with 1.
Forward, expand B: D enters with 2, E enters with 2.
Backward, expand E: the two searches have met at E, and A B E G costs 14.""",
    "ida-star": """\
Contour 1, up to 8: expand A: C enters with 7.
Expand C: D enters with 8.
Expand D: E enters with 8.
Expand E: nothing new within the bound.
Contour 2, up to 9: expand A: C enters with 7.
Expand C: D enters with 8.
Expand D: E enters with 8.
Expand E: G enters with 9.
Expand G: it is the goal, and A C D E G costs 9.""",
}


@pytest.mark.parametrize("name", TOLD)
def test_narration(name: str) -> None:
    assert narrate(searched(name, LECTURE, "A", "G")) == TOLD[name].splitlines()


def test_a_waiting_node_moves_to_the_top_of_the_stack() -> None:
    assert narrate(depth_first(LECTURE, "A", "G"))[2:4] == [
        "Expand D: C moves to the top with 3, E moves to the top with 3.",
        "Expand C: F enters with 4.",
    ]


@pytest.mark.parametrize(
    ("goal", "limit", "outcome", "path"),
    [
        ("G", 2, "cutoff", []),
        ("G", 3, "solution", ["A", "B", "E", "G"]),
        ("A", 0, "solution", ["A"]),
        ("Z", 4, "cutoff", []),
        ("Z", 5, "failure", []),
    ],
)
def test_depth_limited_says_whether_it_was_cut_off(
    goal: str, limit: int, outcome: str, path: list[str]
) -> None:
    """No path leads to Z, and the longest from A, A B D C F G, takes five steps."""
    result = depth_limited(parse_graph(LECTURE_GRAPH + "h Z 0"), "A", goal, limit)
    assert (result.outcome, result.path) == (outcome, path)
    assert result.to_json()["outcome"] == outcome
    said = narrate(result)[-1]
    assert said.startswith("Nothing is left within the limit") == (outcome == "cutoff")


def test_a_negative_limit() -> None:
    with pytest.raises(ThreefoldError, match="the limit -1 is negative"):
        depth_limited(LECTURE, "A", "G", -1)


def test_a_star_reopens_a_node() -> None:
    """C's estimate falls from 6 to 0 over an edge of 1: admissible, not consistent."""
    graph = parse_graph("A B 1\nA C 3\nB C 1\nC G 7\nh B 6\nh G 0")
    result = a_star(graph, "A", "G")
    assert (result.path, result.cost) == (["A", "B", "C", "G"], 9)
    assert result.expanded == ["A", "C", "B", "C", "G"]
    assert narrate(result) == [
        "Expand A: C enters with 3, B enters with 7.",
        "Expand C: G enters with 10.",
        "Expand B: C enters again with 2, by a cheaper path.",
        "Expand C: G improves from 10 to 9.",
        "Expand G: it is the goal, and A B C G costs 9.",
    ]
    assert ida_star(graph, "A", "G").cost == 9


def test_costs_are_exact() -> None:
    graph = parse_graph("A B 0.1\nB C 0.2\nA C .4")
    result = uniform_cost(graph, "A", "C")
    assert result.cost == Fraction(3, 10)
    assert result.to_json()["cost"] == 0.3
    assert narrate(result)[-1] == "Expand C: it is the goal, and A B C costs 0.3."


@pytest.mark.parametrize("name", PROCEDURES)
def test_the_start_may_be_the_goal(name: str) -> None:
    result = searched(name, LECTURE, "C", "C")
    assert (result.path, result.cost, result.expanded) == (["C"], 0, ["C"])
    assert result.fringes == [[]]
    assert len(narrate(result)) == 1


@pytest.mark.parametrize("name", PROCEDURES)
def test_no_path_is_an_answer(name: str) -> None:
    result = searched(name, LECTURE, "G", "A")
    assert (result.path, result.cost) == ([], None)
    assert result.to_json()["cost"] is None
    assert narrate(result)[-1] == "Nothing is left to expand: no path was found."


# Bidirectional search, as printed and as it should be.


def test_as_printed_an_odd_path_is_missed() -> None:
    graph = parse_graph("A B 1\nB C 1\nC D 1")
    missed = bidirectional_as_printed(graph, "A", "D")
    assert (missed.path, missed.cost) == ([], None)
    assert bidirectional(graph, "A", "D").path == ["A", "B", "C", "D"]
    shorter = bidirectional_as_printed(graph, "A", "C")
    assert shorter.path == ["A", "B", "C"]
    assert shorter.met == "B"


def test_as_printed_an_even_path_is_missed_where_one_front_runs_ahead() -> None:
    graph = parse_graph("S A 1\nS B 1\nS C 1\nC G 1")
    assert bidirectional_as_printed(graph, "S", "G").path == []
    assert bidirectional(graph, "S", "G").path == ["S", "C", "G"]


def test_as_printed_a_longer_path_is_found_in_the_lectures_graph() -> None:
    printed = bidirectional_as_printed(LECTURE, "A", "G")
    assert printed.path == ["A", "B", "D", "E", "G"]
    assert printed.to_json()["met"] == "D"
    assert bidirectional(LECTURE, "A", "G").path == ["A", "B", "E", "G"]


def numbered(start: str, near: Callable[[str], list[str]]) -> tuple[dict[str, int], dict[str, int]]:
    """By node, in a breadth-first search: its number, and that of the node that generates it."""
    number: dict[str, int] = {}
    generated = {start: 0}
    queue = [start]
    for node in queue:  # grows on the way
        number[node] = len(number) + 1
        for other in near(node):
            if other not in generated:
                generated[other] = number[node]
                queue.append(other)
    return number, generated


def test_when_exactly_the_printed_search_finds_a_path() -> None:
    """On all graphs with four nodes: the rule of the docs, and its counts."""
    pairs = list(permutations("ABCD", 2))
    counts: Counter[tuple[int, str]] = Counter()
    for chosen in product((False, True), repeat=len(pairs)):
        edges = [pair for pair, there in zip(pairs, chosen, strict=True) if there]
        after = {name: [b for a, b in edges if a == name] for name in "ABCD"}
        before = {name: [a for a, b in edges if b == name] for name in "ABCD"}
        forward, _ = numbered("A", after.__getitem__)
        backward, generated = numbered("D", before.__getitem__)
        graph = Graph([(a, b, 1) for a, b in edges], dict.fromkeys("ABCD", 0))
        path = bidirectional_as_printed(graph, "A", "D").path
        assert bool(path) == any(
            generated[name] < forward[name] <= backward[name]
            for name in forward.keys() & backward.keys()
        )
        best = len(breadth_first(graph, "A", "D").path) - 1
        if best > 0:
            found = len(path) - 1
            counts[best, "best" if found == best else "longer" if path else "none"] += 1
    assert counts == {
        (1, "longer"): 1296,
        (1, "none"): 752,
        (2, "best"): 768,
        (2, "none"): 128,
        (3, "none"): 128,
    }


def test_as_printed_an_odd_path_is_found_where_one_side_is_slower() -> None:
    graph = parse_graph("S A 1\nS C 1\nC D 1\nD G 1")
    assert bidirectional_as_printed(graph, "S", "G").path == ["S", "C", "D", "G"]


def test_the_first_meeting_is_not_always_the_best() -> None:
    """C is taken out first, two steps from G; both sides have reached R, one step from G."""
    graph = parse_graph("S B 1\nS C 1\nS R 1\nC A 1\nA G 1\nR G 1")
    result = bidirectional(graph, "S", "G")
    assert (result.expanded[-1], result.met) == ("C", "R")
    assert result.path == ["S", "R", "G"]


# Properties on random graphs.

NAMES = "ABCDEFG"


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to seven nodes with exact costs, self-loops and roads of no cost among them."""
    size = draw(st.sampled_from([0, 4, 12, 18]))
    pairs = draw(st.sets(st.sampled_from(list(product(NAMES, NAMES))), min_size=size, max_size=20))
    cost = st.one_of(st.integers(0, 9), st.integers(0, 40).map(lambda tenths: Fraction(tenths, 10)))
    return Graph(
        [(one, other, draw(cost)) for one, other in sorted(pairs)], dict.fromkeys(NAMES, 0)
    )


def brute_force(graph: Graph, start: str, goal: str) -> tuple[Number | None, int | None]:
    """The least cost and the fewest edges, over all paths that repeat no node."""
    costs: list[Number] = []
    lengths: list[int] = []
    waiting: list[tuple[list[str], Number]] = [([start], 0)]
    while waiting:
        path, cost = waiting.pop()
        if path[-1] == goal:
            costs.append(cost)
            lengths.append(len(path) - 1)
            continue
        for name, step in graph.successors(path[-1]):
            if name not in path:
                waiting.append(([*path, name], cost + step))
    return min(costs, default=None), min(lengths, default=None)


def edges_of(graph: Graph) -> list[tuple[str, str, Number]]:
    return [(one, other, cost) for one in graph.nodes for other, cost in graph.successors(one)]


def check_steps(graph: Graph, result: PathResult) -> None:
    """What is true of every result: it is a path, and each fringe is sorted."""
    if result.path:
        assert (result.path[0], result.path[-1]) == ("A", "G")
        steps = zip(result.path, result.path[1:], strict=False)
        assert result.cost == sum(dict(graph.successors(one))[other] for one, other in steps)
        assert result.fringes[-1] == []
    assert len(result.fringes) == len(result.expanded)
    for fringe in result.fringes:
        assert fringe == sorted(fringe, key=lambda entry: (entry[1], entry[0]))
    assert len(narrate(result)) == len(result.expanded) + (not result.path)


@given(graphs(), st.data())
def test_exact_procedures_agree_with_brute_force(graph: Graph, data: st.DataObject) -> None:
    """With estimates that never overestimate, consistent or not."""
    share = st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 3)])
    estimates: dict[str, Number] = {}
    for name in NAMES:
        # Where there is no way to the goal, no estimate is too high.
        left = brute_force(graph, name, "G")[0]
        estimates[name] = (50 if left is None else left) * data.draw(share)
    informed = Graph(edges_of(graph), estimates)
    cost, _ = brute_force(graph, "A", "G")
    for search in (uniform_cost, a_star, ida_star):
        result = search(informed, "A", "G")
        assert result.cost == cost
        check_steps(informed, result)
    found = greedy(informed, "A", "G")
    assert bool(found.path) == (cost is not None)
    check_steps(informed, found)


@given(graphs(), st.lists(st.integers(0, 30), min_size=7, max_size=7))
def test_wild_estimates_lose_no_path(graph: Graph, estimates: list[int]) -> None:
    """The path may cost more than the best one then, but it is one."""
    wild = Graph(edges_of(graph), dict(zip(NAMES, estimates, strict=True)))
    cost, _ = brute_force(graph, "A", "G")
    for search in (greedy, a_star, ida_star):
        result = search(wild, "A", "G")
        check_steps(wild, result)
        assert (result.cost is None) == (cost is None)
        assert result.cost is None or cost is None or result.cost >= cost


@given(graphs())
def test_bidirectional_finds_the_fewest_edges(graph: Graph) -> None:
    _, fewest = brute_force(graph, "A", "G")
    result = bidirectional(graph, "A", "G")
    assert (len(result.path) - 1 if result.path else None) == fewest
    check_steps(graph, result)
    printed = bidirectional_as_printed(graph, "A", "G")
    assert fewest is not None or printed.path == []


@given(graphs(), st.integers(0, 6))
def test_blind_searches_agree_with_brute_force(graph: Graph, limit: int) -> None:
    _, fewest = brute_force(graph, "A", "G")
    for search in (breadth_first, iterative_deepening_search):
        result = search(graph, "A", "G")
        check_steps(graph, result)
        assert (len(result.path) - 1 if result.path else None) == fewest
    deep = depth_first(graph, "A", "G")
    check_steps(graph, deep)
    assert bool(deep.path) == (fewest is not None)
    assert len(set(deep.expanded)) == len(deep.expanded)
    limited = depth_limited(graph, "A", "G", limit)
    check_steps(graph, limited)
    assert bool(limited.path) == (fewest is not None and fewest <= limit)
    assert len(limited.path) - 1 <= limit
    if not limited.path:
        assert limited.cut_off == (longest(graph, "A") > limit)


def longest(graph: Graph, start: str) -> int:
    """The steps of the longest path that repeats no node."""
    most, waiting = 0, [[start]]
    while waiting:
        path = waiting.pop()
        most = max(most, len(path) - 1)
        waiting += [[*path, name] for name, _ in graph.successors(path[-1]) if name not in path]
    return most


@given(graphs())
def test_depth_first_is_the_order_of_recursion(graph: Graph) -> None:
    """Visit each successor that was not visited, in the order of the alphabet."""
    visited: list[str] = []

    def visit(node: str) -> bool:
        visited.append(node)
        return node == "G" or any(
            visit(name) for name, _ in graph.successors(node) if name not in visited
        )

    visit("A")
    assert depth_first(graph, "A", "G").expanded == visited


def test_many_graphs_drawn_evenly() -> None:
    """Hypothesis likes small graphs; what needs a detour to go wrong is found by plain chance."""
    draw = random.Random(3)
    reopened = 0
    for _ in range(600):
        pairs = draw.sample(list(permutations(NAMES, 2)), 14)
        graph = Graph([(one, other, draw.randint(0, 9)) for one, other in pairs])
        left = {name: brute_force(graph, name, "G")[0] for name in graph.nodes}
        estimates = {name: cost * draw.randint(0, 1) for name, cost in left.items() if cost}
        informed = Graph(edges_of(graph), dict.fromkeys(NAMES, 0) | estimates)
        cost, fewest = brute_force(informed, "A", "G")
        result = a_star(informed, "A", "G")
        assert result.cost == cost == uniform_cost(informed, "A", "G").cost
        assert ida_star(informed, "A", "G").cost == cost
        reopened += len(set(result.expanded)) < len(result.expanded)
        path = bidirectional(informed, "A", "G").path
        assert (len(path) - 1 if path else None) == fewest
    assert reopened, "no graph tested it"


@given(graphs())
def test_text_both_ways(graph: Graph) -> None:
    text = "".join(f"{one} {other} {float(cost)}\n" for one, other, cost in edges_of(graph))
    again = parse_graph(text + "h A 0\n")
    assert edges_of(again) == edges_of(graph)
    for name in again.nodes:
        assert again.predecessors(name) == [
            (one, cost) for one, other, cost in edges_of(graph) if other == name
        ]


# Graphs as text.


def test_a_graphs_text() -> None:
    graph = parse_graph("\ufeff# roads\n\nA B 4  # there\r\nB A +2.50\nB A 3\nA h 1\nh A 8\n1 2 3")
    assert graph.nodes == ["1", "2", "A", "B", "h"]
    assert graph.successors("A") == [("B", 4), ("h", 1)]
    assert graph.successors("B") == [("A", Fraction(5, 2))], "of two edges the cheaper counts"
    assert graph.predecessors("A") == [("B", Fraction(5, 2))]
    assert [graph.estimate(name) for name in "AB"] == [8, 0]
    assert graph.successors("h") == []


def test_the_names_come_in_alphabetical_order() -> None:
    assert parse_graph("A C 1\nA B 1").successors("A") == [("B", 1), ("C", 1)]


BAD_GRAPHS = [
    ("", "the graph is empty"),
    ("# nothing\n\n", "the graph is empty"),
    ("A B", "graph, line 1: 'A B' is not a line of a graph; write A B 4 or h A 8"),
    ("A B 4\nA B 4 5", "graph, line 2: 'A B 4 5' is not a line"),
    ("A B x", "graph, line 1: the cost 'x' is not a number; write A B 4"),
    ("A B nan", "the cost 'nan' is not a number"),
    ("A B inf", "the cost 'inf' is not a number"),
    ("A B 1e9", "the cost '1e9' is not a number"),
    ("A B ٣", "the cost '٣' is not a number"),
    ("A B " + "9" * 5000, "is not a number; write A B 4 (up to 30 digits)"),
    ("\nA B -4", "graph, line 2: the cost -4 is negative; it must be 0 or more"),
    ("h A -0.5", "graph, line 1: the estimate -0.5 is negative"),
    ("h A B", "graph, line 1: the estimate 'B' is not a number; write h A 8"),
    ("h A 8\nA B 4\nh A 7", "graph, line 3: the estimate of 'A' is given twice; keep one"),
]


@pytest.mark.parametrize(("text", "message"), BAD_GRAPHS)
def test_bad_graphs(text: str, message: str) -> None:
    with pytest.raises(BadGraph) as caught:
        parse_graph(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("cost", [-1, nan, inf])
def test_bad_costs_in_code(cost: Number) -> None:
    with pytest.raises(BadGraph, match="the cost of A B is"):
        Graph([("A", "B", cost)])
    with pytest.raises(BadGraph, match="the estimate of A is"):
        Graph([], {"A": cost})


@pytest.mark.parametrize("name", PROCEDURES)
@pytest.mark.parametrize(("start", "goal"), [("Z", "G"), ("A", "Z")])
def test_unknown_nodes(name: str, start: str, goal: str) -> None:
    with pytest.raises(BadGraph) as caught:
        searched(name, LECTURE, start, goal)
    assert str(caught.value) == "the graph has no node 'Z'; it has A, B, C, D, E, F, G"


def test_a_big_graphs_nodes_are_not_all_listed() -> None:
    graph = parse_graph("\n".join(f"n{i:02} n{i + 1:02} 1" for i in range(50)))
    with pytest.raises(BadGraph, match=r"it has n00, n01, .*, n11, …$"):
        uniform_cost(graph, "A", "n01")


# Searches that are too big.


@pytest.mark.parametrize("name", PROCEDURES)
def test_a_search_that_takes_too_long(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MAX_EXPANSIONS", 20)
    with pytest.raises(ThreefoldError, match=f"{name} expands more than 20 nodes; try a smaller"):
        searched(name, Puzzle(), "867254301", GOAL)


@pytest.mark.parametrize("name", PROCEDURES)
def test_the_fringes_of_a_big_search_are_left_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = searched(name, LECTURE, "A", "G")
    assert "fringes_left_out" not in whole.to_json()
    monkeypatch.setattr(paths, "MAX_FRINGE_ENTRIES", 5)
    short = searched(name, LECTURE, "A", "G")
    assert (short.path, short.expanded) == (whole.path, whole.expanded)
    assert short.fringes == whole.fringes[: len(short.fringes)]
    left_out = len(whole.fringes) - len(short.fringes)
    assert short.to_json()["fringes_left_out"] == left_out > 0
    assert len(narrate(short)) == len(short.expanded)


@pytest.mark.parametrize(
    "name", ["breadth-first", "depth-first", "uniform-cost", "greedy", "a-star", "bidirectional"]
)
def test_a_long_road(name: str) -> None:
    graph = Graph([(f"n{i:05}", f"n{i + 1:05}", 1) for i in range(20_000)])
    assert searched(name, graph, "n00000", "n20000").cost == 20_000


def test_a_long_road_by_ida_star() -> None:
    edges = [(f"n{i:05}", f"n{i + 1:05}", 1) for i in range(20_000)]
    graph = Graph(edges, {f"n{i:05}": 20_000 - i for i in range(20_000)})
    assert ida_star(graph, "n00000", "n20000").cost == 20_000
