"""Every position of a game, and retrograde analysis against brute force."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import nim
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_graph import NODES, State, random_graph

from threefold import CHANCE, Game, game
from threefold.engine.control import Control
from threefold.engine.records import allocate
from threefold.errors import BrokenRules
from threefold.solve import graph as graphs
from threefold.solve.forcing import NEVER
from threefold.solve.graph import (
    CompiledEnumeration,
    Enumeration,
    Graph,
    InterpretedEnumeration,
    enumeration,
)
from threefold.solve.retrograde import Analysis, analyze, best_line


def control() -> Control:
    return allocate(Control)


def whole(positions: Enumeration[Any]) -> Graph[Any]:
    assert positions.run()
    return positions.graph()


def analyzed(graph: Graph[Any]) -> Analysis:
    analysis = analyze(graph, control())
    assert analysis is not None
    return analysis


# Enumeration.


@pytest.mark.parametrize("spec", ["tic-tac-toe", "dice-nim(loaded=true)", "othello(size=4)"])
def test_compiled_and_interpreted_find_the_same_graph(spec: str) -> None:
    g = game(spec)
    compiled = whole(CompiledEnumeration(g, g.initial(), 64, control()))
    interpreted = whole(InterpretedEnumeration(g, g.initial(), control()))
    assert len(compiled) == len(interpreted)
    assert [compiled.state(i) for i in range(len(compiled))] == interpreted.states
    for part in ("mover", "utility", "first", "child", "weight"):
        assert (getattr(compiled, part) == getattr(interpreted, part)).all(), part
        assert getattr(compiled, part).dtype == getattr(interpreted, part).dtype, part


def test_known_numbers_of_positions() -> None:
    for spec, count in (("tic-tac-toe", 5478), ("connect-four(columns=4,rows=4)", 161029)):
        g = game(spec)
        assert len(whole(enumeration(g, g.initial(), 64, control()))) == count


def test_colliding_keys_join_nothing() -> None:
    g = nim.nim(key=lambda s: 7)
    assert len(whole(enumeration(g, g.initial(), 64, control()))) == 40


def test_an_enumeration_goes_on_where_it_stopped() -> None:
    g = game("tic-tac-toe")
    positions = enumeration(g, g.initial(), 64, control())
    assert not positions.run(100)
    assert 100 < positions.positions < 150
    assert len(whole(positions)) == 5478


def test_memory_is_kept_to() -> None:
    g = game("connect-four(columns=4,rows=4)")
    positions = enumeration(g, g.initial(), 4, control())
    assert not positions.run()
    assert 10_000 < positions.positions < 40_000
    assert "do not fit into 4 MB; a larger megabytes= may be enough" in str(positions.shortage)


def test_python_stops_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "MOST_INTERPRETED", 1000)
    g = game("tic-tac-toe")
    positions = InterpretedEnumeration(g, g.initial(), control())
    assert not positions.run()
    assert "NamedTuple of integers goes a hundred times as far" in str(positions.shortage)


def test_an_enumeration_can_be_stopped() -> None:
    g = game("tic-tac-toe")
    words = control()
    words.stop = 1
    assert not enumeration(g, g.initial(), 64, words).run()
    assert not InterpretedEnumeration(g, g.initial(), words).run()


def test_more_moves_at_once_than_there_was_room_for() -> None:
    def actions(s: nim.State, out: Any) -> int:
        for i in range(s.stones):
            out[i] = i + 1
        return s.stones

    g = nim.nim(actions=actions, initial=lambda: nim.State(6000, 0), max_moves=6000)
    positions = enumeration(g, nim.State(6000, 0), 1, control())
    assert not positions.run()
    assert len(whole(enumeration(g, nim.State(700, 0), 64, control()))) == 2 * 700


def test_a_utility_past_all_bounds_is_an_error() -> None:
    g = nim.nim(utility=lambda s: 1 << 40)
    for kind in (enumeration(g, g.initial(), 1, control()), interpreted(g)):
        with pytest.raises(BrokenRules, match=f"utility returned {1 << 40}"):
            kind.run()


def interpreted(g: Game[Any]) -> InterpretedEnumeration[Any]:
    return InterpretedEnumeration(g, g.initial(), control())


# Analysis against brute force.


def outcome(graph: Graph[Any], choice: dict[int, int], i: int, endless: int) -> int:
    """What MAX gets when everybody sticks to one move per position: utility first, then plies."""
    plies = 0
    while len(graph.children(i)) > 0:
        i = graph.children(i)[choice[i]]
        plies += 1
        if plies > len(graph):
            return endless
    utility = int(graph.utility[i])
    return 1000 * utility - plies * (utility > 0) + plies * (utility < 0)


def choices(graph: Graph[Any], side: int) -> Iterator[dict[int, int]]:
    mine = [i for i in range(len(graph)) if graph.mover[i] == side and graph.children(i)]
    for picked in product(*(range(len(graph.children(i))) for i in mine)):
        yield dict(zip(mine, picked, strict=True))


def brute_force(graph: Graph[Any], endless: int) -> int:
    """The first position's value: MAX's best plan against MIN's best answer to it."""
    return max(
        min(outcome(graph, plan | answer, 0, endless) for answer in choices(graph, 1))
        for plan in choices(graph, 0)
    )


def combined(analysis: Analysis, i: int = 0) -> int:
    """A value as `outcome` has it."""
    value, plies = int(analysis.value[i]), int(analysis.plies[i])
    assert (plies == NEVER) == (value == 0)
    return 1000 * value - plies * (value > 0) + plies * (value < 0)


@given(seed=st.integers(0, 1 << 60))
@settings(max_examples=150)
def test_graded_utilities_and_cycles_against_every_plan(seed: int) -> None:
    graph = whole(InterpretedEnumeration(random_graph(), State(seed, 0), control()))
    analysis = analyzed(graph)
    assert combined(analysis) == brute_force(graph, endless=0)
    # Endless play is noticed where its worth makes a difference to the utility, and only there.
    worths = [1000 * utility for utility in (-1, 1, *graph.utility.tolist())]
    utilities = {round(brute_force(graph, worth) / 1000) for worth in (min(worths), max(worths))}
    assert analysis.endless[0] == (len(utilities) > 1)


@given(seed=st.integers(0, 1 << 60))
@settings(max_examples=50)
def test_lines_keep_the_value_to_the_end(seed: int) -> None:
    g = random_graph()
    graph = whole(InterpretedEnumeration(g, State(seed, 0), control()))
    analysis = analyzed(graph)
    s = State(seed, 0)
    line = best_line(graph, analysis, 0)
    for a in line:
        s = g.result(s, a)
    if analysis.plies[0] != NEVER:
        assert len(line) == analysis.plies[0]
        assert g.moves(s) == []
        assert g.utility(s) == analysis.value[0]
    else:
        assert len(line) <= NODES


def test_compiled_analysis_of_many_random_graphs() -> None:
    g = random_graph()
    for seed in range(20):
        graph = whole(enumeration(g, State(seed, 0), 1, control()))
        twin = whole(InterpretedEnumeration(g, State(seed, 0), control()))
        assert (analyzed(graph).value == analyzed(twin).value).all()


def brute_force_tic_tac_toe(g: Game[Any], s: Any, memo: dict[Any, int]) -> int:
    if s not in memo:
        moves = g.moves(s)
        values = [brute_force_tic_tac_toe(g, g.result(s, a), memo) for a in moves]
        values = [v - (v > 0) + (v < 0) for v in values]
        memo[s] = (max, min)[g.player(s)](values) if moves else 1000 * g.utility(s)
    return memo[s]


def test_all_of_tic_tac_toe() -> None:
    g = game("tic-tac-toe")
    graph = whole(enumeration(g, g.initial(), 64, control()))
    analysis = analyzed(graph)
    memo: dict[Any, int] = {}
    for i in range(len(graph)):
        assert combined(analysis, i) == brute_force_tic_tac_toe(g, graph.state(i), memo)
    assert not analysis.endless.any()


# Chance.


@st.composite
def forward_graphs_with_chance(draw: st.DrawFn) -> Graph[Any]:
    n = draw(st.integers(2, 9))
    first, child, weight, mover, utility = [0], [], [], [], []
    for i in range(n):
        children = draw(st.lists(st.integers(i + 1, n - 1), max_size=3)) if i < n - 1 else []
        child += children
        weight += [draw(st.integers(1, 6)) for _ in children]
        mover.append(draw(st.sampled_from([0, 1, CHANCE])))
        utility.append(0 if children else draw(st.integers(-9, 9)))
        first.append(len(child))
    return Graph(
        nim.nim(),
        list(range(n)),
        np.array(mover, np.int8),
        np.array(utility, np.int32),
        np.array(first, np.int64),
        np.array(child, np.int32),
        np.array(weight, np.int64),
    )


def expectation(graph: Graph[Any], i: int) -> Fraction:
    children = graph.children(i)
    values = [expectation(graph, j) for j in children]
    if not children:
        return Fraction(int(graph.utility[i]))
    if graph.mover[i] != CHANCE:
        return (max, min)[graph.mover[i]](values)
    weights = [int(w) for w in graph.weight[graph.first[i] : graph.first[i + 1]]]
    return sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0)) / sum(weights)


@given(graph=forward_graphs_with_chance())
def test_expectations_against_fractions(graph: Graph[Any]) -> None:
    assume(not graph.deterministic)
    analysis = analyzed(graph)
    for i in range(len(graph)):
        assert analysis.value[i] == pytest.approx(float(expectation(graph, i)), abs=1e-12)
        assert analysis.plies[i] == NEVER


def test_an_analysis_can_be_stopped() -> None:
    g = game("tic-tac-toe")
    graph = whole(enumeration(g, g.initial(), 64, control()))
    words = control()
    words.stop = 1
    assert analyze(graph, words) is None
