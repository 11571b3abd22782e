"""Ratings of many players, compared with brute force and with the truth behind simulated games."""

import math
import random
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold.arena.meetings import Meetings
from threefold.arena.ratings import PRIOR, Ratings, parse_anchor, points_per_game, rate
from threefold.arena.record import ABANDONED, RULES, Task
from threefold.errors import ThreefoldError

UNIT = 400 / math.log(10)
Result = tuple[Task, float, str]
Counts = dict[tuple[int, int], tuple[int, int, int]]


def meetings(counts: Counts) -> Meetings:
    """Games by who is MAX and who is MIN: wins of MAX, draws, losses."""
    results: list[Result] = []
    for players, (wins, draws, losses) in counts.items():
        for utility in [1] * wins + [0] * draws + [-1] * losses:
            results.append((Task(len(results), players, 0), utility, RULES))
    return Meetings(results)


def by_player(ratings: Ratings) -> list[float]:
    return [one.rating or 0.0 for one in sorted(ratings.players, key=lambda one: one.player)]


def chances(difference: float, nu: float) -> tuple[float, float, float]:
    """Win, draw and loss at a difference in Elo: the model's definition, solved by bisection."""
    score = 1 / (1 + 10 ** (-difference / 400))
    low, high = 1e-12, 1 - 1e-12  # the chance of a win

    def rest(win: float) -> tuple[float, float]:
        # with a = sqrt(win), b = sqrt(loss): a² + nu a b + b² = 1
        a = math.sqrt(win)
        b = (-nu * a + math.sqrt((nu * a) ** 2 + 4 * (1 - win))) / 2
        return nu * a * b, b * b

    for _ in range(100):
        win = (low + high) / 2
        low, high = (win, high) if win + rest(win)[0] / 2 < score else (low, win)
    return (low, *rest(low))


@pytest.mark.parametrize(
    "counts",
    [
        {(0, 1): (12, 5, 3), (1, 0): (6, 6, 8), (1, 2): (9, 9, 2), (2, 0): (3, 2, 15)},
        {(0, 1): (4, 0, 1), (1, 2): (4, 0, 1), (2, 0): (4, 0, 1)},
        {(0, 1): (10, 0, 0), (1, 0): (0, 0, 10), (2, 0): (1, 30, 0)},
    ],
    ids=["usual", "a circle", "all won"],
)
def test_no_other_ratings_are_more_likely(counts: Counts) -> None:
    def likelihood(x: Sequence[float]) -> float:
        *ratings, advantage, log_nu = x
        total = -sum(r * r for r in [*ratings, advantage]) / (2 * PRIOR**2) - log_nu**2 / 18
        for (first, second), results in counts.items():
            of = chances(ratings[first] - ratings[second] + advantage, math.exp(log_nu))
            total += sum(n * math.log(max(p, 1e-300)) for n, p in zip(results, of, strict=True))
        return total

    fitted = rate(meetings(counts), 3)
    assert fitted.first_move.value is not None
    assert fitted.draw_rate is not None
    nu = 2 * fitted.draw_rate / (1 - fitted.draw_rate)
    at = [*by_player(fitted), fitted.first_move.value, math.log(nu)]
    best = likelihood(at)
    rng = random.Random(0)
    for size in (0.1, 1, 30):
        for _ in range(100):
            step = [rng.gauss(0, size) for _ in range(4)] + [rng.gauss(0, size / 200)]
            assert likelihood([x + y for x, y in zip(at, step, strict=True)]) < best


@given(*[st.integers(2, 400)] * 3)
def test_two_players_get_the_elo_of_their_score(wins: int, draws: int, losses: int) -> None:
    both = meetings({(0, 1): (wins, draws, losses), (1, 0): (losses, draws, wins)})
    elo = both.between(0, 1).elo.value
    one, other = by_player(rate(both, 2))
    assert one - other == pytest.approx(elo, rel=0.03, abs=0.1)
    assert one == pytest.approx(-other)


def test_the_error_of_two_players_is_that_of_their_difference() -> None:
    both = meetings({(0, 1): (120, 200, 80), (1, 0): (80, 200, 120)})
    ratings = rate(both, 2, anchor=(1, 1500.0))
    by = {one.player: one for one in ratings.players}
    # A trinomial score of 0.55 with the variance 0.1225 in 800 games; the slope of the Elo curve.
    expected = 1.959964 * math.sqrt(0.1225 / 800) * UNIT / (0.55 * 0.45)
    assert by[0].error == pytest.approx(expected, rel=0.005)
    assert (by[1].rating, by[1].error) == (1500.0, 0.0)
    assert ratings.draw_rate == pytest.approx(0.5, abs=0.01)


def simulate(
    seed: int, truth: Sequence[float], advantage: float, nu: float, games: int
) -> Meetings:
    rng = random.Random(seed)
    results: list[Result] = []
    for i in range(len(truth)):
        for j in range(len(truth)):
            if i != j:
                of = chances(truth[i] - truth[j] + advantage, nu)
                for utility in rng.choices((1, 0, -1), of, k=games):
                    results.append((Task(len(results), (i, j), 0), utility, RULES))
    return Meetings(results)


def test_the_truth_is_found() -> None:
    truth = [250.0, 120.0, 30.0, -60.0, -140.0, -200.0]
    ratings = rate(simulate(5, truth, 40, 1.5, 400), 6)
    assert [one.player for one in ratings.players] == [0, 1, 2, 3, 4, 5]
    for one in ratings.players:
        assert one.error is not None
        assert 3 < one.error < 20
        assert one.rating == pytest.approx(truth[one.player], abs=2 * one.error)
    assert ratings.first_move.error is not None
    assert ratings.first_move.value == pytest.approx(40, abs=2 * ratings.first_move.error)
    assert ratings.draw_rate == pytest.approx(1.5 / 3.5, abs=0.02)


def test_errors_cover_the_truth_as_often_as_they_say() -> None:
    truth = [100.0, 0.0, -20.0, -80.0]
    inside = total = 0
    for seed in range(60):
        for one in rate(simulate(seed, truth, 25, 1.0, 20), 4).players:
            inside += abs((one.rating or 0) - truth[one.player]) < (one.error or 0)
            total += 1
    assert 0.90 < inside / total < 0.99


def test_lost_games_and_strangers() -> None:
    nobody = rate(Meetings(), 3)
    assert [(one.rating, one.error, one.games) for one in nobody.players] == [(0, None, 0)] * 3
    assert (nobody.first_move.value, nobody.draw_rate) == (None, None)
    sweep = rate(meetings({(0, 1): (50, 0, 0), (1, 0): (0, 0, 50)}), 2)
    (best, worst) = sweep.players
    assert (best.player, worst.player) == (0, 1)
    assert best.rating is not None
    assert 200 < best.rating < 1500
    more = rate(meetings({(0, 1): (500, 0, 0), (1, 0): (0, 0, 500)}), 2)
    assert (more.players[0].rating or 0) > best.rating
    # two groups that never met: finite, with an error that admits it
    apart = rate(meetings({(0, 1): (30, 5, 5), (2, 3): (20, 5, 15)}), 4)
    assert all((one.error or 0) > 500 for one in apart.players)


def test_a_player_who_moved_first_only_is_not_credited_with_it() -> None:
    """Who moves first wins 3 of 4 games, whoever it is; the third one is never second."""
    counts = {(0, 1): (75, 0, 25), (1, 0): (75, 0, 25), (2, 0): (75, 0, 25), (2, 1): (75, 0, 25)}
    ratings = rate(meetings(counts), 3)
    assert by_player(ratings) == pytest.approx([0, 0, 0], abs=1)
    assert ratings.first_move.value == pytest.approx(400 * math.log10(3), abs=1)


def test_anchors() -> None:
    names = ["random", "uci(stockfish,Skill Level=5)"]
    assert parse_anchor("uci(stockfish,Skill Level=5)=2204", names) == (1, 2204)
    assert parse_anchor(" uci( stockfish, Skill Level=5)=-1.5", names) == (1, -1.5)
    for bad, said in (("2204", "such as"), ("random=x", "such as"), ("me=3", "no player 'me'")):
        with pytest.raises(ThreefoldError, match=said):
            parse_anchor(bad, names)


def test_points_per_game_of_games_of_chance() -> None:
    utilities = {0: (3, 1), 1: (-1, 2), 2: (1, 1), 3: (2, -3)}
    results = []
    for pair, (one, other) in utilities.items():
        results.append((Task(2 * pair, (0, 1), pair), one, RULES))
        results.append((Task(2 * pair + 1, (1, 0), pair), other, RULES))
    results.append((Task(8, (0, 1), 4), 3, ABANDONED))
    met = Meetings(results)
    ratings = points_per_game(met, 3)
    assert [one.player for one in ratings.players] == [0, 1, 2]
    assert ratings.players[0].rating == pytest.approx((3 - 1 - 1 - 2 + 1 - 1 + 2 + 3) / 8)
    assert ratings.players[1].rating == -(ratings.players[0].rating or 0)
    assert ratings.players[2].rating is None
    means = [(3 - 1) / 2, (-1 - 2) / 2, 0, (2 + 3) / 2]
    mean = sum(means) / 4
    deviation = math.sqrt(sum((x - mean) ** 2 for x in means) / 3)
    assert ratings.players[0].error == pytest.approx(1.959964 * deviation / 2)
    assert met.of(0).games == 8
    assert met.of(0).pentanomial == (1, 0, 2, 0, 1)


def test_weaker_opponents_are_no_luck() -> None:
    """Against each opponent a player's pairs scatter by 1 or so, but opponents differ by 10."""
    rng = random.Random(3)
    results: list[Result] = []
    of_opponent: dict[int, list[float]] = {1: [], 2: []}
    for opponent, strength in ((1, 0), (2, 10)):
        for _ in range(50):
            one, other = (strength + rng.choice((-2, -1, 1, 2)) for _ in range(2))
            number = len(results)
            results.append((Task(number, (0, opponent), number // 2), one, RULES))
            results.append((Task(number + 1, (opponent, 0), number // 2), -other, RULES))
            of_opponent[opponent].append((one + other) / 2)
    rated = {one.player: one for one in points_per_game(Meetings(results), 3).players}
    # The mean of two means, each of 50 pairs.
    variances = [statistics.variance(pairs) / 50 for pairs in of_opponent.values()]
    assert rated[0].error == pytest.approx(1.959964 * math.sqrt(sum(variances)) / 2)
    everything = [each for pairs in of_opponent.values() for each in pairs]
    assert rated[0].rating == pytest.approx(statistics.mean(everything))
    assert rated[0].error is not None
    assert rated[0].error < 0.5 * 1.96 * statistics.stdev(everything) / 10
