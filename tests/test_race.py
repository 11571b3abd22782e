"""Tables of races: against the rules, played out with exact fractions; and on disk."""

import json
import logging
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pile_race import State, race_game
from random_nets import random_net

from threefold import CHANCE, Game, ThreefoldError
from threefold.cli.main import main
from threefold.engine import cache as engine_cache
from threefold.engine import race_tables
from threefold.engine.compile import Compiled
from threefold.engine.nets import Net
from threefold.engine.race import HEADER, RACE_UNIT, is_paired, race_value
from threefold.engine.race_building import EXACT_UNIT
from threefold.engine.race_odds import race_odds, race_win_probability
from threefold.engine.race_tables import exact_values, race_table
from threefold.engine.rollout_result import Options
from threefold.engine.rollout_threads import OnThreads
from threefold.engine.values import UNIT
from threefold.learn.self_play import Chooser, SelfPlay
from threefold.rules.contract import MAX, MIN, race, state
from threefold.rules.race import RaceSides, race_number, side_of_race, turn_of_race
from threefold.solve.race import known_race

SIDES = 25


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables of these tests are made by these tests."""
    monkeypatch.setattr("threefold.engine.kept_arrays.folder", lambda room: tmp_path / room)
    monkeypatch.setattr(race_tables, "_in_memory", {})
    return tmp_path / "tables"


def with_pairs(paired: int, double: bool = False) -> Game[State]:
    """The game with a smaller table of pairs, so that other races are estimated."""
    sides = race_game().race_sides
    assert sides is not None
    return race_game(
        double, race_sides=RaceSides(count=SIDES, paired=paired, position=sides.position)
    )


def expectation(
    game: Game[State], pick: Callable[[State, list[State]], Fraction]
) -> Callable[[State], Fraction]:
    """What a position before a roll is worth to MAX, if `pick` values the choice after a roll."""

    def value(s: State) -> Fraction:
        if game.player(s) != CHANCE:
            return Fraction(game.utility(s))
        events = game.chances(s)
        total = sum(weight for _, weight in events)
        rolled = [(game.result(s, event), weight) for event, weight in events]
        return sum(
            (
                Fraction(weight, total) * pick(r, [game.result(r, a) for a in game.moves(r)])
                for r, weight in rolled
            ),
            Fraction(0),
        )

    return value


def by_best_play(game: Game[State]) -> Callable[[State], Fraction]:
    """Expectiminimax over the interpreted rules."""

    @cache
    def value(s: State) -> Fraction:
        return expectation(game, best)(s)

    def best(rolled: State, after: list[State]) -> Fraction:
        return (max if rolled.turn == MAX else min)(map(value, after))

    return value


def by_fewest_rolls(game: Game[State]) -> Callable[[State], Fraction]:
    """The same if both sides minimize the rolls that they need on average."""
    sides = game.race_sides
    assert sides is not None

    @cache
    def rolls(side: int) -> Fraction:
        if side == 0:
            return Fraction(0)
        s = sides.position(side, 1)
        total = sum(weight for _, weight in game.chances(s))
        mean = Fraction(1)
        for event, weight in game.chances(s):
            rolled = game.result(s, event)
            left = [
                side_of_race(game.race(game.result(rolled, a)), MAX) for a in game.moves(rolled)
            ]
            mean += Fraction(weight, total) * min(map(rolls, left))
        return mean

    @cache
    def value(s: State) -> Fraction:
        return expectation(game, quickest)(s)

    def quickest(rolled: State, after: list[State]) -> Fraction:
        return value(min(after, key=lambda t: rolls(side_of_race(game.race(t), rolled.turn))))

    return value


def test_a_number_holds_both_sides_and_the_turn() -> None:
    for turn, of_max, of_min in ((MAX, 0, 5), (MIN, 54263, 0), (MAX, 1, (1 << 20) - 1)):
        number = race_number(turn, of_max, of_min)
        assert turn_of_race(number) == turn
        assert (side_of_race(number, MAX), side_of_race(number, MIN)) == (of_max, of_min)


@pytest.mark.parametrize("double", [False, True])
def test_pairs_are_worth_what_best_play_gets(double: bool) -> None:
    game = race_game(double)
    sides, values, truth = game.race_sides, exact_values(game), by_best_play(game)
    assert sides is not None
    assert values.shape == (SIDES, SIDES)
    for mine in range(1, SIDES):
        for theirs in range(1, SIDES):
            off = Fraction(int(values[mine, theirs]), EXACT_UNIT) - truth(
                sides.position(mine, theirs)
            )
            assert abs(off) <= Fraction(SIDES, EXACT_UNIT)


@pytest.mark.parametrize("double", [False, True])
def test_other_races_are_worth_what_quick_play_gets(double: bool) -> None:
    game = with_pairs(2, double)
    sides, table, truth = game.race_sides, race_table(game), by_fewest_rolls(game)
    assert sides is not None
    for of_max in range(1, SIDES):
        for of_min in range(1, SIDES):
            for turn in (MAX, MIN):
                s = sides.position(of_max, of_min)._replace(turn=turn)
                assert abs(race_value(game.race(s), table) / RACE_UNIT - truth(s)) < 1e-7


def test_the_table_of_an_evaluation_has_the_exact_values_rounded() -> None:
    game = race_game()
    table, exact = race_table(game), exact_values(game)
    for mine in range(1, SIDES):
        for theirs in range(1, SIDES):
            number = race_number(MAX, mine, theirs)
            assert is_paired(number, table)
            off = race_value(number, table) / RACE_UNIT - exact[mine, theirs] / EXACT_UNIT
            assert abs(off) <= 0.5 / RACE_UNIT
            assert race_value(race_number(MIN, theirs, mine), table) == -race_value(number, table)


def look_up(words: tuple[int, ...], table: Any) -> int:
    """A template."""
    return race_value(race(state(words)), table)


def test_templates_look_up_the_same() -> None:
    game = with_pairs(9, True)
    table, sides = race_table(game), game.race_sides
    assert sides is not None
    entry = Compiled(game).entry(look_up)
    for of_max, of_min, turn in ((3, 5, 0), (8, 8, 1), (9, 3, 0), (24, 24, 1), (1, 24, 1)):
        s = sides.position(of_max, of_min)._replace(turn=turn)
        assert entry(tuple(s), table) == race_value(game.race(s), table)


def test_odds_are_for_max_whoever_rolls() -> None:
    game = with_pairs(6, True)
    sides = game.race_sides
    assert sides is not None
    for of_max, of_min in ((5, 3), (12, 24), (24, 6)):
        ours = race_odds(game, sides.position(of_max, of_min))
        mirrored = race_odds(game, sides.position(of_min, of_max)._replace(turn=MIN))
        assert ours.win == pytest.approx(1 - mirrored.win)
        assert ours.value == pytest.approx(-mirrored.value, abs=1e-7)
        assert ours.rolls == mirrored.rolls[::-1]
        assert ours.exact == (max(of_max, of_min) < 6)
    assert race_odds(game, sides.position(1, 24)).win == 1
    with pytest.raises(ThreefoldError, match="not a race before a roll"):
        race_odds(game, game.result(game.initial(), 1))


def test_win_probabilities_follow_from_distributions() -> None:
    # The first to roll needs 1 or 2 rolls, the other 1: it wins half the games.
    assert race_win_probability([0, 1, 1], [0, 1, 0]) == 0.5
    assert race_win_probability([0, 0, 1], [0, 3, 1]) == 0.25
    assert race_win_probability([0, 1], [0, 1]) == 1


def test_solving_looks_races_up() -> None:
    game = race_game()
    start = game.initial()
    assert game.solve().method == "race table"
    for s in (start, game.result(start, 1), game.result(start, 3), State(1, 2, 3, 1, 2, MIN)):
        found, truth = game.solve(s), game.solve(s, method="graph")
        assert found.method == "race table"
        assert found.value == pytest.approx(truth.value, abs=1e-12)
        assert sorted(found.all_best) == sorted(truth.all_best)
        ours = {line.move: line.value for line in found.lines}
        assert ours == pytest.approx({line.move: line.value for line in truth.lines}, abs=1e-12)
        assert 0 < found.error < 1e-12


def test_what_no_table_has_is_solved_otherwise() -> None:
    game = with_pairs(6)
    assert known_race(game, game.initial()) is None
    assert game.solve().method == "graph"
    assert game.solve(State(2, 0, 0, 1, 2, MAX)).method == "race table"
    # One of the moves leads to a race that no table has.
    assert game.solve(State(4, 2, 1, 0, 1, MAX)).method == "graph"


def test_a_table_is_read_again_and_made_again_if_it_is_damaged(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = []

    class Counting(race_tables._Builder):
        def __init__(self, game: Game[Any]) -> None:
            made.append(game)
            super().__init__(game)

    monkeypatch.setattr(race_tables, "_Builder", Counting)
    first = exact_values(race_game())
    (file,) = own_folder.iterdir()
    race_tables._in_memory.clear()
    assert np.array_equal(exact_values(race_game()), first)
    assert len(made) == 1
    content = bytearray(file.read_bytes())
    content[-100] ^= 1
    file.write_bytes(bytes(content))
    race_tables._in_memory.clear()
    with caplog.at_level(logging.WARNING, "threefold"):
        assert np.array_equal(exact_values(race_game()), first)
    assert len(made) == 2
    assert "cannot be used (it is damaged); making it again" in caplog.text
    exact_values(race_game(True))  # other rules, another table
    assert len(made) == 3
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1


def test_a_full_disk_costs_only_time(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("threefold.engine.kept_arrays.write_private", full)
    monkeypatch.setattr(engine_cache, "_said", set())
    game = race_game()
    with caplog.at_level(logging.WARNING, "threefold"):
        assert exact_values(game) is exact_values(game)
    assert "the table cannot be kept" in caplog.text
    assert "No space left on device" in caplog.text
    assert not list(own_folder.iterdir())


def test_bad_races_are_refused() -> None:
    sides = race_game().race_sides
    assert sides is not None
    with pytest.raises(ThreefoldError, match="race and race_sides go together"):
        race_game(race_sides=None)
    with pytest.raises(ThreefoldError, match="race_sides=5 is not a RaceSides"):
        race_game(race_sides=5)
    with pytest.raises(ThreefoldError, match="pairs 30 of 25 positions"):
        race_game(race_sides=RaceSides(count=25, paired=30, position=sides.position))
    with pytest.raises(ThreefoldError, match="count of race_sides=1 is not a whole number"):
        race_game(race_sides=RaceSides(count=1, paired=1, position=sides.position))
    with pytest.raises(ThreefoldError, match="has no races"):
        exact_values(race_game(race=None, race_sides=None))


def test_numbers_that_do_not_fall_are_refused() -> None:
    def rising(s: State) -> int:
        if s.die != 0:
            return -1
        return race_number(s.turn, 24 - 5 * s.max_large - s.max_small, 1)

    with pytest.raises(ThreefoldError, match="does not lead to a smaller number"):
        exact_values(race_game(race=rising))


def test_utilities_that_overflow_are_refused() -> None:
    with pytest.raises(ThreefoldError, match=r"the weights of a race's rolls, 6 in all, times"):
        exact_values(race_game(utility=lambda s: 100 if s.max_small + s.max_large == 0 else -100))


def test_the_header_says_how_large_the_parts_are() -> None:
    table = race_table(with_pairs(6))
    paired, count, width = (int(each) for each in table[:HEADER])
    assert (paired, count) == (6, SIDES)
    assert len(table) == HEADER + paired**2 + 2 * count * width


FILE = str(Path(__file__).with_name("pile_race.py"))
START = "max_small=4,max_large=4,min_small=4,min_large=4,die=0,turn=1"


def test_evaluate_shows_the_odds(capsys: pytest.CaptureFixture[str]) -> None:
    game = race_game()
    odds = race_odds(game, game.initial()._replace(turn=MIN))
    assert main(["evaluate", FILE, START, "--eval", "race", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["evaluation"] == "race"
    assert shown["exact"] is True
    assert (shown["win"], shown["value"]) == (odds.win, 1000 * odds.value)
    assert shown["rolls"] == list(odds.rolls)
    assert main(["evaluate", FILE, START, "--eval", "race"]) == 0
    text = capsys.readouterr().out
    assert f"first player wins {100 * odds.win:.2f} %" in text
    assert f"second player needs {odds.rolls[1]:.3f} rolls on average" in text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([START.replace("die=0", "die=1")], "is not a race before a roll"),
        ([START, "--svg", "odds.svg"], "--svg needs an evaluation with terms; race has none"),
        ([START, "--weights", "x=1"], "--weights needs an evaluation with terms"),
    ],
)
def test_evaluate_says_what_has_no_odds(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", FILE, *words, "--eval", "race"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line


# Where a net judges the game.


def positions(game: Game[State]) -> list[State]:
    """All races that are not over, before a roll."""
    assert game.race_sides is not None
    return [
        game.race_sides.position(of_max, of_min)._replace(turn=turn)
        for of_max in range(1, SIDES)
        for of_min in range(1, SIDES)
        for turn in (MAX, MIN)
    ]


@pytest.fixture
def judged() -> Game[State]:
    game = race_game(True)
    return game.judged_by(random_net(game, 3, results=(-2, -1, 1, 2)))


def test_a_net_leaves_races_to_the_table(judged: Game[State]) -> None:
    truth = by_best_play(judged)
    for s in positions(judged):
        assert abs(judged.evaluate(s) - 1000 * truth(s)) <= Fraction(1, 2) + Fraction(1, 10**5)


@pytest.mark.parametrize("paired", [2, 9])
def test_compiled_it_does_the_same(paired: int) -> None:
    game = with_pairs(paired, True)
    net = random_net(game, 3)
    judged = game.judged_by(net)
    compiled, own = judged.compiled(), set()
    for s in positions(game)[::7]:
        rolled, finished = s._replace(die=2), s._replace(max_small=0, max_large=0, turn=MIN)
        for each in (s, rolled, finished):
            assert compiled.evaluate(each) == judged.evaluate(each)
        for each in (rolled, finished):  # of which the table says nothing
            alone = net.value(each, 1000)
            own.add(alone)
            assert judged.evaluate(each) == (alone if each.turn == MAX else -alone)
    assert len(own) > 2


def test_a_rollout_looks_races_up(judged: Game[State]) -> None:
    truth, starts = by_best_play(judged), positions(judged)[::29]
    values = OnThreads(judged, starts, Options(), 1).judge()
    for s, value in zip(starts, values, strict=True):
        assert abs(value - 1000 * UNIT * truth(s)) < 1


@pytest.mark.slow
def test_a_search_looks_races_up(judged: Game[State]) -> None:
    truth = by_best_play(judged)
    for s in positions(judged)[::97]:
        rolled = s._replace(die=2)
        after = [judged.result(rolled, a) for a in judged.moves(rolled)]
        values = [truth(each) for each in after]
        found = judged.analyze(rolled, depth=1)
        assert abs(found.value - 1000 * (max(values) if s.turn == MAX else -min(values))) <= 1
        # What the table says is rounded, and so proves nothing.
        assert found.exact == all(judged.player(each) != CHANCE for each in after)


def test_one_ply_play_in_a_race_is_best_play(judged: Game[State]) -> None:
    truth = by_best_play(judged)
    assert isinstance(judged.net, Net)
    chooser = Chooser(judged.net)
    for s in positions(judged)[::5]:
        for die in (1, 2, 3):
            rolled = s._replace(die=die)
            gain = {a: truth(judged.result(rolled, a)) for a in judged.moves(rolled)}
            best = (max if s.turn == MAX else min)(gain.values())
            assert abs(gain[chooser.choose(rolled)] - best) < 1e-6


def test_a_net_learns_from_itself_alone() -> None:
    with_table, without = race_game(), race_game(race=None, race_sides=None)
    found, expected = (
        SelfPlay(game).play(random_net(game, 4), 20, seed=1) for game in (with_table, without)
    )
    assert (found.words == expected.words).all()
    assert (found.targets == expected.targets).all()
    # The two play differently where the table is asked.
    rolled = [s._replace(die=3) for s in positions(with_table)[::5]]
    choosers = [Chooser(random_net(game, 4)) for game in (with_table, without)]
    assert any(len({chooser.choose(s) for chooser in choosers}) == 2 for s in rolled)


def test_the_chances_of_a_race_are_the_tables_if_only_who_wins_counts(
    judged: Game[State],
) -> None:
    net, truth, own = judged.net, by_best_play(judged), 0
    assert isinstance(net, Net)
    for s in positions(judged)[::11]:
        if max(s.max_large, s.min_large) < 4:
            win = float(1 + truth(s)) / 2
            assert net.outlook(s) == pytest.approx({2: 0, 1: win, -1: 1 - win, -2: 0}, abs=1e-6)
            assert net.win(s) == pytest.approx(win, abs=1e-6)
        else:
            own += net.outlook(s)[2] > 0
    assert own > 10
