"""Bearing off: numbers, and tables against the interpreted rules and GNU Backgammon's."""

from copy import copy
from fractions import Fraction
from functools import cache
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import Shell

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.engine.race import HEADER, RACE_UNIT, race_value
from threefold.engine.race_building import EXACT_UNIT
from threefold.engine.race_odds import race_odds
from threefold.engine.race_tables import exact_values, race_table
from threefold.games.backgammon.endgames import (
    PAIRED,
    SIDES,
    race,
    race_position,
    reachable,
    side_number,
    side_of_number,
)
from threefold.games.backgammon.rules import State
from threefold.rules.contract import MAX, MIN
from threefold.rules.race import RaceSides, side_of_race
from threefold.solve import graph

BACKGAMMON = game("backgammon")
#: All positions of up to nine checkers.
FEWER = comb(9 + 6, 6)


@pytest.fixture(scope="module")
def small() -> Game[State]:
    """Backgammon with tables of up to nine checkers, which are made sooner."""
    twin = copy(BACKGAMMON)
    twin.race_sides = RaceSides(count=FEWER, paired=PAIRED, position=race_position)
    return twin


def points(number: int) -> tuple[int, ...]:
    """The checkers on points 1 to 6 of a side."""
    return tuple(side_of_number(number) >> 4 * point & 15 for point in range(1, 7))


def numbered(*checkers: int) -> int:
    """The number of a side with these checkers on points 1, 2, …"""
    low = 15 - sum(checkers) + sum(n << 4 * point for point, n in enumerate(checkers, 1))
    return side_number(low, 0)


@pytest.mark.parametrize(
    "checkers",
    ["-a----------------------A-", "-------AA---------a-a-----", "--AA------------------aa--"],
)
def test_about_how_many_positions_can_follow(checkers: str) -> None:
    s = BACKGAMMON.parse(f"XGID={checkers}:0:0:1:00:0:0:0:0:10")
    follow = BACKGAMMON.solve(s, method="graph").nodes
    assert follow <= reachable(s) <= 20 * follow


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("backgammon", "at most 6 checkers a side can be solved"),
        ("backgammon(cube=true)", "MB; an"),
    ],
)
def test_the_whole_game_is_refused_at_once(
    spec: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph.CompiledEnumeration, "__init__", pytest.fail)
    with pytest.raises(ThreefoldError, match=said):
        game(spec).solve()


def test_there_are_as_many_positions_as_known() -> None:
    assert (SIDES, PAIRED, PAIRED**2) == (54_264, 924, 853_776)
    assert numbered() == 0
    assert numbered(1) == 1
    assert numbered(0, 0, 0, 0, 0, 6) == PAIRED - 1
    assert numbered(0, 0, 0, 0, 0, 15) == SIDES - 1


@given(st.integers(0, SIDES - 1))
def test_numbers_lead_back_to_their_positions(number: int) -> None:
    low = side_of_number(number)
    assert sum(low >> 4 * place & 15 for place in range(7)) == 15
    assert side_number(low, 0) == number


def test_every_side_has_its_own_number() -> None:
    assert len({side_of_number(number) for number in range(SIDES)}) == SIDES


@given(st.integers(1, SIDES - 1), st.integers(1, SIDES - 1), st.sampled_from([MAX, MIN]))
def test_every_move_leads_to_a_smaller_number(of_x: int, of_o: int, turn: int) -> None:
    s = race_position(of_x, of_o)._replace(turn=turn)
    before = race(s)
    assert [side_of_race(before, player) for player in (MAX, MIN)] == [of_x, of_o]
    for event, _ in BACKGAMMON.chances(s):
        rolled = BACKGAMMON.result(s, event)
        assert race(rolled) == -1
        for a in BACKGAMMON.moves(rolled):
            after = race(BACKGAMMON.result(rolled, a))
            assert side_of_race(after, turn) < side_of_race(before, turn)
            assert side_of_race(after, 1 - turn) == side_of_race(before, 1 - turn)


def test_only_sides_that_are_home_race() -> None:
    assert race(BACKGAMMON.initial()) == -1
    home = race_position(6, 6)
    assert race(home) >= 0
    assert race(home._replace(o_low=14 | 1 << 4 * 7)) == -1  # a checker on point 7
    assert race(home._replace(x_low=14, x_high=1 << 4 * (25 - 13))) == -1  # on the bar


def test_small_races_against_the_rules() -> None:
    """Expectiminimax with fractions over the interpreted rules."""

    @cache
    def value(s: State) -> Fraction:
        if BACKGAMMON.player(s) != CHANCE:
            return Fraction(BACKGAMMON.utility(s))
        total = Fraction(0)
        for event, weight in BACKGAMMON.chances(s):
            rolled = BACKGAMMON.result(s, event)
            after = [value(BACKGAMMON.result(rolled, a)) for a in BACKGAMMON.moves(rolled)]
            total += weight * (max(after) if s.turn == MAX else min(after))
        return total / 36

    table = exact_values(BACKGAMMON)
    pairs = [(numbered(0, 0, 0, 0, 0, 1), numbered(0, 0, 0, 0, 0, 1))]
    pairs += [(numbered(0, 0, 1, 0, 0, 1), numbered(1, 0, 0, 0, 1))]
    pairs += [(numbered(1, 1, 0, 1), numbered(0, 2)), (numbered(2, 1), numbered(0, 0, 0, 0, 0, 2))]
    for mine, theirs in pairs:
        found = Fraction(int(table[mine, theirs]), EXACT_UNIT)
        assert abs(found - value(race_position(mine, theirs))) < 1e-15
    assert Fraction(int(table[pairs[0]]), EXACT_UNIT) == Fraction(5, 8)  # it wins 13 of 16


def test_a_stack_on_the_ace_point_takes_what_its_recursion_says(small: Game[State]) -> None:
    """Two checkers a roll, four with a double: there is nothing to choose."""

    @cache
    def rolls(checkers: int) -> Fraction:
        if checkers <= 0:
            return Fraction(0)
        return 1 + Fraction(5, 6) * rolls(checkers - 2) + Fraction(1, 6) * rolls(checkers - 4)

    for checkers in range(1, 10):
        odds = race_odds(small, race_position(numbered(checkers), numbered(1)))
        assert odds.rolls == pytest.approx((float(rolls(checkers)), 1))
        assert odds.exact == (checkers <= 6)


def test_solving_says_what_the_table_says() -> None:
    position = "XGID=-BBA------------------abb-:0:0:1:61:0:0:0:0:10"
    found = BACKGAMMON.solve(position)
    assert found.method == "race table"
    truth = BACKGAMMON.solve(position, method="graph")
    assert found.value == pytest.approx(truth.value, abs=1e-12)
    values = {line.move: line.value for line in truth.lines}
    assert {line.move: line.value for line in found.lines} == pytest.approx(values, abs=1e-12)
    # Where nature rolls, the value is X's, whoever's turn it is.
    before = BACKGAMMON.solve(position.replace(":1:61:", ":-1:00:"))
    assert before.value == pytest.approx(
        -exact_values(BACKGAMMON)[(numbered(2, 2, 1),) * 2] / EXACT_UNIT
    )


def distributions(table: Any) -> Any:
    """How likely each side finishes with which roll."""
    paired, count, width = (int(each) for each in table[:HEADER])
    begin = HEADER + paired**2
    return table[begin : begin + count * width].reshape(count, width) / RACE_UNIT


def check_rolls(table: Any, sides: list[int]) -> None:
    """Compare with GNU Backgammon, which keeps 16 bits and may choose differently by a hair."""
    gnubg = pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed")
    ours = distributions(table)
    for side in sides:
        theirs = np.array(gnubg.bearoff_probabilities(points(side)))
        assert ours[side, 1 : len(theirs) + 1] == pytest.approx(theirs, abs=1e-3)
        mean = ours[side] @ np.arange(ours.shape[1])
        assert mean == pytest.approx(theirs @ np.arange(1, len(theirs) + 1), abs=1e-3)
    assert ours.sum(axis=1) == pytest.approx(1, abs=1e-6)


def check_estimates(table: Any, pairs: list[tuple[int, int]]) -> None:
    gnubg = pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed")
    for mine, theirs in pairs:
        board = [[*points(side), *[0] * 19] for side in (theirs, mine)]
        win, gammon, _, lost_gammon, _ = gnubg.probabilities(board, 0)
        ours = race_value(race(race_position(mine, theirs)), table) / RACE_UNIT
        assert ours == pytest.approx(2 * win - 1 + gammon - lost_gammon, abs=3e-3)


def test_pairs_against_gnu_backgammon() -> None:
    gnubg = pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed")
    table, random = exact_values(BACKGAMMON), Random(7)
    for _ in range(500):
        mine, theirs = random.randrange(1, PAIRED), random.randrange(1, PAIRED)
        # The second half of its board is that of the side to roll.
        board = [[*points(side), *[0] * 19] for side in (theirs, mine)]
        win = gnubg.probabilities(board, 0)[0]
        assert (1 + table[mine, theirs] / EXACT_UNIT) / 2 == pytest.approx(win, abs=1e-4)


def test_rolls_against_gnu_backgammon(small: Game[State]) -> None:
    random = Random(8)
    table = race_table(small)
    check_rolls(table, random.sample(range(1, FEWER), 500))
    sides = random.sample(range(PAIRED, FEWER), 200)
    check_estimates(table, list(zip(sides[::2], sides[1::2], strict=True)))


@pytest.mark.slow
def test_all_fifteen_checkers_against_gnu_backgammon() -> None:
    random = Random(9)
    table = race_table(BACKGAMMON)
    check_rolls(table, random.sample(range(1, SIDES), 2000))
    sides = random.sample(range(PAIRED, SIDES), 2000)
    check_estimates(table, list(zip(sides[::2], sides[1::2], strict=True)))
    # A gammon is likely if the loser has not borne off a checker.
    ahead = race_odds(BACKGAMMON, race_position(numbered(0, 0, 0, 0, 1), SIDES - 1))
    assert ahead.win == pytest.approx(1)
    assert 1.9 < ahead.value < 2


# What `threefold evaluate` says of races.


@pytest.mark.parametrize(
    ("xgid", "value"),
    [
        ("XGID=-A------------------------:0:0:1:00:0:0:0:0:10", -1000),
        ("XGID=-------------------ddg----:0:0:-1:00:0:0:0:0:10", 2000),
    ],
)
@pytest.mark.parametrize("evaluation", ["race", "net"])
def test_a_finished_game_is_worth_its_utility(
    shell: Shell, xgid: str, value: int, evaluation: str
) -> None:
    answer = shell.json("evaluate", "backgammon", xgid, "--eval", evaluation)
    assert (answer["value"], answer["win"]) == (value, float(value > 0))
    if evaluation == "net":
        assert answer["results"][str(value // 1000)] == 1


@pytest.mark.parametrize("checkers", ["-CCCBBB------------bbbccc-", "-O------------------bbbc--"])
def test_a_nets_chances_fit_its_value_in_a_race(shell: Shell, checkers: str) -> None:
    xgid = f"XGID={checkers}:0:0:1:00:0:0:0:0:10"
    answer = shell.json("evaluate", "backgammon", xgid)
    odds = shell.json("evaluate", "backgammon", xgid, "--eval", "race")
    assert answer["win"] == odds["win"]
    results = {int(result): chance for result, chance in answer["results"].items()}
    assert sum(results.values()) == pytest.approx(1)
    assert sum(results[r] for r in (1, 2, 3)) == pytest.approx(answer["win"])
    mean = sum(result * chance for result, chance in results.items())
    assert 1000 * mean == pytest.approx(answer["value"], abs=0.51)


def test_what_evaluate_says_where_the_tables_do_not_serve(shell: Shell) -> None:
    rolled = "XGID=-CCCBBB------------bbbccc-:0:0:1:66:0:0:0:0:10"
    assert shell("evaluate", "backgammon", rolled) == 0
    assert shell.out.endswith("before a roll; analyze --depth 1 looks at these moves.\n")
    said = shell.refused("evaluate", "backgammon(cube=true)", rolled, "--eval", "race")
    assert "the tables of races are for games without stakes" in said
