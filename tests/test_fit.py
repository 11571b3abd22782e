"""Learning by regression: what is learned from games, and what from searches."""

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, game
from threefold.arena.contest import Contest
from threefold.arena.teaching import games_to_learn
from threefold.learn.learner import Plan
from threefold.learn.lessons import Lookout
from threefold.learn.recorded import Recorded, recorded
from threefold.learn.searched_play import SearchedPlay
from threefold.learn.targets import Calibration, mixed, sigmoid

TIC_TAC_TOE = game("tic-tac-toe")
WON_DRAWN_LOST = (-1, 0, 1)


# What values say about results.


def test_a_calibration_is_found_again() -> None:
    """Results drawn at random by known chances."""
    rng = np.random.default_rng(1)
    truth = Calibration(WON_DRAWN_LOST, 0.01, (-1.0, 0.5))
    values = rng.normal(0, 200, 40_000)
    chances = truth.targets(values)
    assert np.allclose(chances[:, 2], sigmoid(0.01 * values - 0.5))
    drawn = (rng.random(len(values))[:, None] > np.cumsum(chances, axis=1)).sum(axis=1) - 1
    found = Calibration.fitted(values, drawn, WON_DRAWN_LOST)
    assert found.slope == pytest.approx(0.01, rel=0.05)
    assert found.cuts == pytest.approx((-1.0, 0.5), abs=0.05)


def test_margins_are_a_multiple_of_values() -> None:
    values = np.linspace(-50, 50, 1001)
    found = Calibration.fitted(values, 0.3 * values, ())
    assert found.targets(np.array([10.0])) == pytest.approx(np.array([[3.0]]), rel=0.02)


@given(
    st.lists(st.tuples(st.floats(-1e4, 1e4), st.sampled_from(WON_DRAWN_LOST)), max_size=40),
    st.floats(-1e5, 1e5),
)
def test_chances_are_chances(games: list[tuple[float, int]], value: float) -> None:
    """Whatever the games were: none, all won, or the worse the better."""
    values, utilities = np.array([v for v, _ in games]), np.array([u for _, u in games])
    found = Calibration.fitted(values, utilities, WON_DRAWN_LOST)
    (chances,) = found.targets(np.array([value]))
    assert np.all(chances >= 0)
    assert chances.sum() == pytest.approx(1)


NAN = float("nan")


@pytest.mark.parametrize(
    ("utility", "value", "end", "mix", "target"),
    [
        (1.0, 0.0, NAN, 0.0, (0, 0, 1)),  # the result alone
        (1.0, 0.0, NAN, 1.0, (0.25, 0.5, 0.25)),  # the search alone
        (1.0, 0.0, NAN, 0.5, (0.125, 0.25, 0.625)),  # half and half
        (NAN, 0.0, NAN, 0.0, (0.25, 0.5, 0.25)),  # nothing but the search is known
        (-1.0, NAN, NAN, 1.0, (1, 0, 0)),  # nothing but the result is
        (1.0, NAN, -1.0, 1.0, (1, 0, 0)),  # the search saw the end
        (18.0, NAN, NAN, 0.0, (0, 0, 1)),  # a win by more is a win
    ],
)
def test_a_mix(utility: float, value: float, end: float, mix: float, target: Any) -> None:
    cut = float(np.log(3))  # a quarter wins, a quarter loses
    calibrations = [Calibration(WON_DRAWN_LOST, 1.0, (-cut, cut))]
    known = (np.array([utility]), np.array([value]), np.array([end]), np.zeros(1))
    assert mixed(*known, calibrations, mix)[0] == pytest.approx(target)


# Games that searches play.


@pytest.fixture(scope="module")
def searched() -> SearchedPlay[Any]:
    return SearchedPlay(TIC_TAC_TOE, nodes=3000, threads=2, openings=4, exploration=0.2)


@pytest.fixture(scope="module")
def searched_games(searched: SearchedPlay[Any]) -> list[Recorded]:
    return searched.play([TIC_TAC_TOE], range(40), 7)


def states(lesson: Recorded) -> list[Any]:
    return [TIC_TAC_TOE.state_type(*row) for row in lesson.states.tolist()]


def test_searched_games_follow_the_rules(searched_games: list[Recorded]) -> None:
    for lesson in searched_games:
        positions = states(lesson)
        assert positions[0] == TIC_TAC_TOE.initial()
        for s, after in pairwise(positions):
            assert after in [TIC_TAC_TOE.result(s, a) for a in TIC_TAC_TOE.moves(s)]
        assert not TIC_TAC_TOE.moves(positions[-1])
        assert lesson.utility == TIC_TAC_TOE.utility(positions[-1])
        assert lesson.first <= lesson.sound
        assert np.isnan(lesson.values[: lesson.first]).all()


def test_searches_know_what_is_won(searched_games: list[Recorded]) -> None:
    """With enough nodes for the whole game, a search sees the end just where plain minimax does;
    and after its last random move nobody loses who need not.
    """
    seen = 0
    for lesson in searched_games:
        for ply, s in enumerate(states(lesson)[:-1]):
            if ply >= lesson.first:
                value = minimax(TIC_TAC_TOE, s)
                assert value == (0 if np.isnan(lesson.ends[ply]) else lesson.ends[ply])
                seen += value != 0
            if ply >= lesson.sound:
                assert lesson.utility == value * (1 if TIC_TAC_TOE.player(s) == 0 else -1)
    assert seen > 10


@cache
def minimax(of: Game[Any], s: Any) -> int:
    """A position's utility to the player to move."""
    moves = of.moves(s)
    if not moves:
        return of.utility(s) * (1 if of.player(s) == 0 else -1)
    return max(-minimax(of, of.result(s, a)) for a in moves)


def test_games_depend_on_their_numbers_alone(
    searched: SearchedPlay[Any], searched_games: list[Recorded]
) -> None:
    alone = SearchedPlay(TIC_TAC_TOE, nodes=3000, threads=1, openings=4, exploration=0.2)
    for number in (0, 13, 39):
        (again,) = alone.play([TIC_TAC_TOE], [number], 7)
        assert (again.states == searched_games[number].states).all()
    (other,) = searched.play([TIC_TAC_TOE], [0], 8)
    assert not np.array_equal(other.states, searched_games[0].states)


def test_two_evaluations_meet(searched: SearchedPlay[Any]) -> None:
    """In pairs of games with the same opening, sides exchanged; each has its own units."""
    other = TIC_TAC_TOE.using("threats")
    lessons = searched.play([TIC_TAC_TOE, other], range(6), 3)
    for one, two in zip(lessons[::2], lessons[1::2], strict=True):
        assert one.first == two.first
        assert (one.states[: one.first + 1] == two.states[: two.first + 1]).all()
        assert one.units == tuple(reversed(two.units)) == ("lines", "threats")


# Which positions are learned from.


def test_noisy_positions_are_left_out() -> None:
    checkers = game("checkers")
    quiet, to_take = checkers.initial(), checkers.parse("B:W18:B14")
    rows = np.array([list(quiet), list(to_take)], np.int64)
    assert list(Lookout(checkers).look(rows)[2]) == [True, False]


# Recorded games.


def test_matches_are_games_to_learn(tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    players = ["alphabeta(depth=2)", "random"]
    with Contest("tic-tac-toe", players, db=db, openings="random:2") as contest:
        contest.play(6)
    lessons = list(games_to_learn(TIC_TAC_TOE, db))
    assert len(lessons) == 6
    for number, lesson in enumerate(lessons):
        assert lesson.first == 2
        assert lesson.utility == TIC_TAC_TOE.utility(states(lesson)[-1])
        searcher = number % 2  # the sides are exchanged after each game
        known = ~np.isnan(lesson.values)
        assert set(lesson.movers[known]) == {searcher}
    with pytest.raises(ThreefoldError, match="no games of nim; it has tic-tac-toe"):
        games_to_learn(game("nim"), db)


PGN = """
[Event "?"]
[Result "1-0"]

1. e4 {[%eval 0.3]} e5 {-0.25/12 0.5s} 2. Qh5 Ke7 3. Qxe5# 1-0

[Event "nobody knows"]
[Result "*"]

1. e4 *

[Event "no such move"]
[Result "0-1"]

1. e5 0-1
"""


def test_records_are_games_to_learn(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    complaints: list[str] = []
    (lesson,) = games_to_learn(game("chess"), path, complaints.append)
    assert lesson.plies == 5
    assert lesson.utility == 1
    # After 1. e4 White's 0.3, which Black overrules by its own −0.25.
    assert lesson.values[1] == -0.25
    assert np.isnan(np.delete(lesson.values, 1)).all()
    (complaint,) = complaints
    assert "this game is left out" in complaint


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("chess", "", "has no game that was played to an end"),
        ("nim", "1-0", "is not a file of matches"),
    ],
)
def test_files_without_games(name: str, text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(text)
    with pytest.raises(ThreefoldError, match=complaint):
        games_to_learn(game(name), path)


# The learner.


def drawn_games(count: int) -> list[Recorded]:
    """Random games whose result is what the center says, whatever the rules say: an oracle."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(count):
        s = TIC_TAC_TOE.initial()
        positions = [s]
        while moves := TIC_TAC_TOE.moves(s):
            s = TIC_TAC_TOE.result(s, int(rng.choice(moves)))
            positions.append(s)
        center = TIC_TAC_TOE.format(s).split("/")[1][1]
        found.append(recorded(TIC_TAC_TOE, positions, {"X": 1, "O": -1}.get(center, 0)))
    return found


def test_a_net_learns_what_games_show() -> None:
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    from threefold.learn.fit import FitLearner

    plan = Plan(method="fit", hidden=(16,), threads=1)
    learner = FitLearner(TIC_TAC_TOE, plan, iter(drawn_games(400)))
    learner.rate = 0.02
    first, *_, last = [learner.round().loss for _ in range(15)]
    assert last < 0.8 * first  # until the center is taken, nothing is certain
    net = learner.net()
    for text, value in (("X../.X./..O O", 1), ("X.X/.O./..O X", -1)):
        assert net.evaluate(TIC_TAC_TOE.parse(text)) * value > 700


def test_a_learner_goes_on_where_it_was() -> None:
    """The same seed makes the same net, also in two parts."""
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    from threefold.learn import fit

    plan = Plan(method="fit", hidden=(8,), threads=2, nodes=50)
    whole, begun, ended = (fit.FitLearner(TIC_TAC_TOE, plan) for _ in range(3))
    for _ in range(2):
        whole.round(20)
    begun.round(20)
    ended.restore({name: np.array(array) for name, array in begun.state().items()})
    ended.round(20)
    assert (whole.net().first == ended.net().first).all()
    assert (whole.net().layers[-1].weights == ended.net().layers[-1].weights).all()
    assert not (begun.net().first == ended.net().first).all()


def test_a_better_net_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are played with the net once it does better, and a resumed run knows that."""
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    from threefold.learn import fit

    plan = Plan(method="fit", hidden=(8,), threads=2, nodes=20)
    learner = fit.FitLearner(TIC_TAC_TOE, plan)
    monkeypatch.setattr(fit, "_TRIAL_EVERY", 1)
    monkeypatch.setattr(fit, "_NEEDED", 1.1)
    learner.round()
    assert learner.champion.net is None
    monkeypatch.setattr(fit, "_NEEDED", 0.0)
    learner.round()
    assert learner.champion.net is not None
    other = fit.FitLearner(TIC_TAC_TOE, plan)
    other.restore({name: np.array(array) for name, array in learner.state().items()})
    s = TIC_TAC_TOE.parse("X../.../... O")
    assert other.champion.evaluate(s) == learner.champion.evaluate(s)


def test_nothing_to_learn_from() -> None:
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    from threefold.learn.fit import FitLearner

    unknown = recorded(TIC_TAC_TOE, [TIC_TAC_TOE.initial()], None)
    learner = FitLearner(TIC_TAC_TOE, Plan(method="fit"), iter([unknown]))
    with pytest.raises(ThreefoldError, match="there is nothing to learn from"):
        learner.round()
