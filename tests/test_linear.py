"""Learning the weights of an evaluation's terms."""

import random
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, game
from threefold.learn.learner import Plan
from threefold.learn.linear import LinearLearner, Weighting, log_loss, logistic_fit, with_terms
from threefold.learn.recorded import Recorded, recorded
from threefold.learn.targets import sigmoid
from threefold.rules.weights_file import read_weights

CHESS = game("chess")
TIC_TAC_TOE = game("tic-tac-toe")


# Logistic regression.


def test_known_weights_are_found_again() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([0.5, -1.0, 2.0])
    x = rng.normal(size=(20_000, 3))
    won = (rng.random(len(x)) < sigmoid(x @ truth)).astype(float)
    found = logistic_fit(x, won, np.zeros(3), 1.0)
    assert found == pytest.approx(truth, abs=0.1)


def test_what_never_differs_keeps_its_weight() -> None:
    x = np.array([[1.0, 0.0], [-1.0, 0.0]] * 50)
    found = logistic_fit(x, np.array([0.9, 0.1] * 50), np.array([0.0, 7.0]), 1.0)
    assert found[0] > 1
    assert found[1] == pytest.approx(7.0)


@settings(max_examples=30)
@given(st.integers(0, 1 << 30))
def test_no_other_weights_fit_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 10, (30, 3)).astype(float) * rng.choice([0.01, 1, 100], 3)
    shares, believed = rng.random(30), rng.normal(size=3)
    trust = np.mean(np.square(x), axis=0)

    def loss(weights: Any) -> float:
        belief = 0.5 * np.sum(trust * np.square(weights - believed))
        return float(log_loss(x @ weights, shares).sum() + belief)

    found = logistic_fit(x, shares, believed, 1.0)
    for _ in range(20):
        other = found + rng.normal(size=3) * 0.1 / np.sqrt(trust + 1e-9)
        assert loss(found) <= loss(other) + 1e-6 * abs(loss(found)) + 1e-6


# Weights from games.


def oracle_games(truth: dict[str, float], scale: float, count: int) -> list[Recorded]:
    """Positions of random games of chess, and results drawn by chances that weights decide."""
    rng = random.Random(4)
    terms = CHESS.terms["material"]
    found = []
    for _ in range(count):
        s = CHESS.initial()
        for _ in range(rng.randrange(60, 90)):
            moves = CHESS.moves(s)
            captures: list[int] = [0] * 256
            noisy = captures[: CHESS.noisy(s, captures)] if moves else []
            if not moves:
                break
            s = CHESS.result(s, rng.choice(noisy if noisy and rng.random() < 0.6 else moves))
        lead = sum(
            weight * (terms[name].feature(s, 0) - terms[name].feature(s, 1))
            for name, weight in truth.items()
        )
        won = rng.random() < sigmoid(np.array(lead / scale))
        if CHESS.moves(s):
            after = CHESS.result(s, rng.choice(CHESS.moves(s)))
            found.append(recorded(CHESS, [s, after], 1.0 if won else -1.0))
    return found


@pytest.mark.slow
def test_piece_values_of_chess() -> None:
    """Queens are worth what the games say, whatever the game's own weights are."""
    truth = {"pawn": 1.0, "knight": 3.0, "bishop": 3.0, "rook": 5.0, "queen": 14.0}
    plan = Plan(method="fit", terms="material", threads=1)
    learner = LinearLearner(CHESS, plan, iter(oracle_games(truth, 3.0, 3000)))
    for _ in range(60):
        learner.round()
    found = learner.net().weights
    for name in ("knight", "bishop", "rook", "queen"):
        ratio = float(found[name] / found["rook"])
        assert ratio == pytest.approx(truth[name] / truth["rook"], rel=0.3), name
    assert found["queen"] / found["rook"] > Fraction(9, 5) * Fraction(11, 10)


class State(NamedTuple):
    left: int
    gold: int
    lead_pears: int
    turn: int


def fruit() -> Game[State]:
    """A game whose evaluation has two terms that games can tell apart: gold wins, pears do not."""

    def initial() -> State:
        return State(8, 0, 0, 0)

    def actions(s: State, out: Any) -> int:
        out[0] = 0
        out[1] = 1
        return 2 if s.left > 0 else 0

    def result(s: State, a: int) -> State:
        by = 1 if s.turn == 0 else -1
        return State(s.left - 1, s.gold + by * a, s.lead_pears + by * (1 - a), 1 - s.turn)

    def utility(s: State) -> int:
        return 1 if s.gold > 0 else -1 if s.gold < 0 else 0

    def gold(s: State, p: int) -> int:
        return max(s.gold, 0) if p == 0 else max(-s.gold, 0)

    def pears(s: State, p: int) -> int:
        return max(s.lead_pears, 0) if p == 0 else max(-s.lead_pears, 0)

    return Game(
        "Fruit",
        initial=initial,
        actions=actions,
        result=result,
        utility=utility,
        terms={"basket": {"gold": (gold, 1), "pears": (pears, 5)}},
    )


@pytest.fixture(scope="module")
def fruits() -> Game[State]:
    return fruit()


@pytest.mark.parametrize("method", ["fit", "td"])
def test_playing_teaches_what_counts(fruits: Game[State], method: str) -> None:
    """The game's own weights prefer pears, which are worth nothing."""
    learner = LinearLearner(fruits, Plan(method=method, nodes=4, threads=2))
    learner.prepare()
    assert learner.net().weights == {"gold": 1, "pears": 5}
    for _ in range(4):
        done = learner.round()
    assert done.games == 64
    assert done.positions > 100
    found = learner.net().weights
    assert found["gold"] > 0
    assert found["gold"] > 2 * found["pears"]


def test_a_learner_goes_on_where_it_was(fruits: Game[State]) -> None:
    plan = Plan(method="fit", nodes=4, threads=2)
    whole, begun, ended = (LinearLearner(fruits, plan) for _ in range(3))
    whole.round()
    whole.round()
    begun.round()
    ended.restore({name: np.array(array) for name, array in begun.state().items()})
    ended.round()
    assert ended.net().weights == whole.net().weights != begun.net().weights
    with pytest.raises(ThreefoldError, match="what was saved has 2 weights, and positional"):
        LinearLearner(CHESS, plan).restore(begun.state())


def test_what_was_learned_is_a_file_of_weights(tmp_path: Path) -> None:
    weights = {"pawn": Fraction(1), "queen": Fraction(19, 2)}
    path = tmp_path / "weights.txt"
    Weighting(CHESS, "material", weights, {"seed": 3, "loss": None}).save(path)
    assert read_weights(path) == weights
    assert "# seed: 3\n" in path.read_text()
    assert "loss" not in path.read_text()
    s = CHESS.parse("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    judged = CHESS.using(str(path))
    assert Fraction(judged.evaluate(s), judged.denominator) == weights["queen"]
    with pytest.raises(ThreefoldError, match="cannot be written"):
        Weighting(CHESS, "material", weights).save(tmp_path / "no" / "weights.txt")


def test_which_evaluation() -> None:
    assert with_terms(CHESS, None) == "positional"
    assert with_terms(CHESS, "material") == "material"
    with pytest.raises(ThreefoldError, match="has no evaluation 'x'"):
        with_terms(CHESS, "x")
    with pytest.raises(ThreefoldError, match="no weights to learn"):
        with_terms(game("nim"), None)
    with pytest.raises(ThreefoldError, match=r"pips has one term, .* position would do"):
        with_terms(game("backgammon"), "pips")
