"""The numbers that make the search selective: data, with today's search as their default."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from breakthrough import breakthrough
from hypothesis import given, settings
from hypothesis import strategies as st
from test_engine import brute_force, random_position

from threefold import Game, ThreefoldError, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.selectivity import NEVER, SELECTIVE, selectivity
from threefold.rules.contract import FINISHED


@cache
def small() -> Game[Any]:
    """A game that permits everything: null moves, futility, reductions, extensions."""
    return breakthrough(3, 5)


def tree(depth: int, changes: dict[str, int] | None = None, g: Game[Any] | None = None) -> Any:
    g = g or small()
    found = Engine(g, megabytes=1, selectivity=changes).analyze(None, Limits(depth=depth))
    return found.nodes, found.value, found.best


def test_the_defaults_search_the_tree_of_the_constants_they_replaced() -> None:
    """Counted with the last version whose search had these numbers in its code."""
    assert [tree(depth) for depth in (5, 7, 9)] == [(702, 1, 6), (3122, 1, 6), (9620, 1, 6)]


def test_to_give_every_default_changes_nothing() -> None:
    own = {name: number.own(small()) for name, number in SERVING.items()}
    assert selectivity(small(), own) == selectivity(small())
    assert tree(9, own) == tree(9)


#: The numbers that games without chance are searched by; `test_lookahead` has the others.
SERVING = {name: number for name, number in SELECTIVE.items() if number.serves(breakthrough())}

#: For each number a change that shows.
CHANGES: list[dict[str, int]] = [
    {"null_depth": NEVER},
    {"null_reduction": 1},
    {"null_slope": 16},
    {"reverse_futility": 5},
    {"reverse_futility_depth": 1},
    {"futility": 2},
    {"futility_depth": 0},
    {"futility": 2, "spare_checks": 0},
    {"reduction_depth": NEVER},
    {"full_moves": 1},
    {"reduction": 3},
    {"late_moves": 1},
    {"reduction_slope": 8},
    {"singular_depth": 4},
    {"singular_margin": 20},
    {"aspiration_depth": NEVER},
    {"aspiration": 1},
]


@pytest.mark.parametrize("changes", CHANGES, ids=",".join)
def test_every_number_changes_the_tree(changes: dict[str, int]) -> None:
    g = breakthrough()
    without = {name: value for name, value in changes.items() if name != "spare_checks"}
    before = {} if without == changes else without
    trees = [[tree(depth, each, g) for depth in range(6, 13)] for each in (before, changes)]
    assert trees[0] != trees[1]


def test_every_number_is_tested() -> None:
    assert {name for changes in CHANGES for name in changes} == set(SERVING)
    assert set(SELECTIVE) - set(SERVING) == {"filter", "filter_margin"}


def test_without_a_margin_nothing_is_futile() -> None:
    switched_off = {"futility_depth": 0, "reverse_futility_depth": 0}
    assert tree(9, {"futility": 0, "reverse_futility": 0}) == tree(9, switched_off)


def test_an_exact_search_ignores_them() -> None:
    changes = {"null_depth": 1, "reverse_futility": 1, "futility": 1, "reduction": 16}
    exact = [
        Engine(small(), megabytes=1, selectivity=each).analyze(None, Limits(depth=6), exact=True)
        for each in (None, changes)
    ]
    assert exact[0].nodes == exact[1].nodes


@cache
def brute_known() -> dict[Any, int]:
    return {}


@settings(max_examples=40, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.integers(number.low, min(number.high, 200)) for name, number in SERVING.items()
        },
    ),
    st.integers(0, 1000),
)
def test_whatever_they_are_what_is_proven_is_true(changes: dict[str, int], seed: int) -> None:
    g, rng = small(), random.Random(seed)
    engine = Engine(g, megabytes=1, selectivity=changes)
    for depth in (2, 5, 8):
        s = random_position(g, rng, 6)
        if not g.moves(s):
            continue
        found = engine.analyze(s, Limits(depth=depth, nodes=20_000))
        assert found.best in g.moves(s)
        if found.exact or found.win_in is not None:
            sign = -1 if g.player(s) == 1 else 1
            assert found.value == sign * brute_force(g, s, brute_known()) * FINISHED


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"null_dept": 2}, "the search has no number 'null_dept' to set; did you mean null_depth"),
        ({"null_depth": 0}, "null_depth=0 is not a whole number from 1 to 127"),
        ({"null_depth": 128}, "null_depth=128 is not a whole number from 1 to 127"),
        ({"reduction": 1.5}, "reduction=1.5 is not a whole number from 0 to 16"),
        ({"spare_checks": True}, "spare_checks=True is not a whole number from 0 to 1"),
    ],
)
def test_bad_numbers_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ThreefoldError) as raised:
        Engine(small(), selectivity=changes)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "name", "why"),
    [
        ("othello", "null_depth", "the game declares no null_move"),
        ("othello", "futility", "the game declares no futility"),
        ("checkers", "spare_checks", "the game declares no futility and extend"),
        ("tic-tac-toe", "reduction", "the game declares no reductions"),
        ("dice-nim", "reduction", "games of chance are searched without it"),
        ("dice-nim", "filter", "moves are filtered by an evaluation, in games of chance"),
        ("othello", "filter", "moves are filtered by an evaluation, in games of chance"),
    ],
)
def test_a_number_that_would_change_nothing_is_refused(spec: str, name: str, why: str) -> None:
    with pytest.raises(ThreefoldError) as raised:
        selectivity(game(spec), {name: 1})
    assert str(raised.value) == f"{name} changes nothing in {game(spec).name}: {why}"


def test_margins_are_in_the_units_of_the_weights() -> None:
    chess = game("chess")
    own = selectivity(chess)
    assert (own.futility, own.reverse_futility, own.singular_margin) == (100, 100, 7)
    # With other weights nobody has said what a quiet move changes, unless it is given.
    halves = chess.using("positional", weights={"mobility": 1.5})
    unknown, given_ = selectivity(halves), selectivity(halves, {"futility": 90})
    assert (unknown.futility, unknown.futility_depth, unknown.singular_margin) == (0, -1, 1)
    assert (given_.futility, given_.futility_depth) == (180, 6)


def test_the_docs_list_every_number() -> None:
    page = (Path(__file__).parents[1] / "docs" / "tune.md").read_text("utf-8")
    chess = game("chess")
    for name, number in SELECTIVE.items():
        row = f"| `{name}` | {number.own(chess)} | {number.low} to {number.high} | {number.about} |"
        assert row in page
