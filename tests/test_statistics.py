"""The statistics of matches, compared with fastchess's figures and with brute force."""

import itertools
import json
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from threefold.arena.meetings import Meetings
from threefold.arena.record import ABANDONED, RULES, Task
from threefold.arena.sprt import GAME_SCORES, NORMALIZED_ELO, PAIR_SCORES, Sprt
from threefold.arena.statistics import Scoreboard, Standing, Tally, Winnings, elo_of_score
from threefold.errors import ThreefoldError

counts = st.integers(0, 60)
five = st.tuples(counts, counts, counts, counts, counts)


def of_pairs(pentanomial: Sequence[int]) -> Tally:
    """A tally in which every even pair is a win and a loss."""
    ll, ld, even, wd, ww = pentanomial
    return Tally(2 * ww + wd + even, wd + ld, 2 * ll + ld + even, (ll, ld, even, wd, ww))


# What fastchess gives for these results, to the last digit shown.


@pytest.mark.parametrize(
    ("pentanomial", "elo", "error", "nelo", "nelo_error"),
    [
        ((34, 54, 63, 64, 75), "55.580", "27.653", "57.936", "28.275"),
        ((332, 433, 498, 333, 334), "-8.64", "10.33", "-9.17", "10.96"),
        ((7895, 8757, 5685, 568, 9999), "-21.04", "2.95", "-19.01", "2.65"),
    ],
)
def test_elo_of_pairs(
    pentanomial: Sequence[int], elo: str, error: str, nelo: str, nelo_error: str
) -> None:
    tally = of_pairs(pentanomial)
    for figure, expected in (
        (tally.elo.value, elo),
        (tally.elo.error, error),
        (tally.normalized_elo.value, nelo),
        (tally.normalized_elo.error, nelo_error),
    ):
        assert f"{figure:.{len(expected.split('.')[1])}f}" == expected


def test_elo_of_games_without_pairs() -> None:
    tally = Tally(136, 111, 96)
    assert tally.elo.value == pytest.approx(40.70, abs=0.005)
    assert tally.elo.error == pytest.approx(30.43, abs=0.005)
    assert tally.normalized_elo.value == pytest.approx(49.77, abs=0.005)
    assert tally.normalized_elo.error == pytest.approx(36.77, abs=0.005)
    assert tally.los == pytest.approx(0.9960, abs=0.00005)
    assert Tally(76, 123, 89).los == pytest.approx(0.1553, abs=0.00005)
    assert of_pairs((332, 433, 498, 333, 334)).los == pytest.approx(0.0505, abs=0.00005)


@pytest.mark.parametrize(
    ("sprt", "results", "llr"),
    [
        (Sprt(0, 2), (365, 16618, 36229, 16974, 390), "2.25037"),
        (Sprt(-1.75, 0.25), (127, 4883, 10712, 5150, 104), "3.01015"),
        (Sprt(0.5, 2.5, model="logistic"), (223, 9863, 21279, 10037, 246), "-3.07413"),
        (Sprt(0, 2, model="logistic"), (871, 26175, 55983, 26678, 821), "-4.98"),
        (Sprt(0, 2), (36027, 68692, 36433), "0.92329"),
        (Sprt(-1.75, 0.25), (10650, 20431, 10871), "2.30"),
        (Sprt(0.5, 2.5, model="logistic"), (21184, 40708, 21404), "-1.57"),
        (Sprt(0, 2, model="logistic"), (57030, 106593, 57433), "-2.59"),
        (Sprt(0, 2, model="bayesian"), (68526, 128429, 68965), "-1.26"),
        (Sprt(0.5, 2.5, model="bayesian"), (21484, 41111, 21629), "-1.13"),
    ],
)
def test_llr(sprt: Sprt, results: Sequence[int], llr: str) -> None:
    assert f"{sprt.llr(results):.{len(llr.split('.')[1])}f}" == llr


# The definition of the LLR: the best likelihood under each hypothesis, found without its equations.


def likelihood_at(results: Sequence[int], ratio: float) -> float:
    """The largest log-likelihood of three results where (mean - 1/2) / deviation is `ratio`.

    A distribution of three results has two free numbers. One is tried at all its values; the
    condition decides the other.
    """
    best = -math.inf
    seen = [count or 1e-3 for count in results]

    def given_draws(draws: float) -> float:
        # mean - 1/2 = (win - loss) / 2 = d / 2, variance = (1 - draws) / 4 - d^2 / 4
        d = math.copysign(math.sqrt(ratio**2 * (1 - draws) / (1 + ratio**2)), ratio)
        win, loss = (1 - draws + d) / 2, (1 - draws - d) / 2
        if min(win, loss) <= 0:
            return -math.inf
        chances = (loss, draws, win)
        return sum(n * math.log(p) for n, p in zip(seen, chances, strict=True))

    low, high = 1e-9, 1 - 1e-9
    for _ in range(6):  # a grid that closes in on its best point
        step = (high - low) / 100
        grid = [low + step * i for i in range(101)]
        best, at = max((given_draws(x), x) for x in grid)
        low, high = max(1e-12, at - step), min(1 - 1e-12, at + step)
    return best


@given(st.tuples(*[st.integers(1, 500)] * 3), st.sampled_from([(0, 5), (-3, 1), (-20, 30)]))
def test_normalized_llr_is_a_ratio_of_best_likelihoods(
    results: tuple[int, int, int], elos: tuple[float, float]
) -> None:
    zero, one = (likelihood_at(results, elo / NORMALIZED_ELO) for elo in elos)
    assert Sprt(*elos).llr(results) == pytest.approx(one - zero, abs=1e-5)


@given(five)
@example((0, 0, 0, 0, 0))
@example((50, 0, 0, 0, 0))
@example((1, 0, 0, 0, 0))
def test_llr_is_finite_antisymmetric_and_falls_with_harder_hypotheses(
    pentanomial: tuple[int, int, int, int, int],
) -> None:
    for model in ("normalized", "logistic"):
        llr = Sprt(-2, 7, model=model).llr(pentanomial)
        assert math.isfinite(llr)
        mirrored = Sprt(-7, 2, model=model).llr(pentanomial[::-1])
        assert llr == pytest.approx(-mirrored, abs=1e-6)
        wide = Sprt(-200, 200, model=model).llr(pentanomial)
        assert math.isfinite(wide)


def test_a_test_decides_at_its_bounds() -> None:
    sprt = Sprt(0, 5)
    lower, upper = sprt.bounds
    assert (round(lower, 5), round(upper, 5)) == (-2.94444, 2.94444)
    assert sprt.verdict(upper) == "accepted"
    assert sprt.verdict(lower) == "rejected"
    assert sprt.verdict(0.99 * upper) is None
    assert Sprt(0, 5, alpha=0.01, beta=0.1).bounds == (math.log(0.1 / 0.99), math.log(90))


def test_errors_of_a_test_are_as_rare_as_promised() -> None:
    """Matches between equal players, and between players that differ by elo1."""
    for elo, wrong in ((0.0, "accepted"), (100.0, "rejected")):
        rng = random.Random(7)
        sprt = Sprt(0, 100)
        # win - loss such that the normalized Elo of a pair is `elo`, with half of the games drawn
        d = elo / NORMALIZED_ELO
        d *= math.sqrt(0.5 / (1 + d * d))
        chances = ((0.5 - d) / 2, 0.5, (0.5 + d) / 2)
        mistakes = 0
        for _ in range(150):
            pairs = [0] * 5
            while True:
                for _ in range(8):
                    one, two = rng.choices((0, 1, 2), chances, k=2)
                    pairs[one + two] += 1
                if verdict := sprt.verdict(sprt.llr(pairs)):
                    break
            mistakes += verdict == wrong
        assert mistakes <= 15, elo  # 5 % of 150 are 7.5; 16 or more happen once in 300 times


@pytest.mark.parametrize("text", ["", "5", "5,0", "0,0", "a,b", "0,5,7", "nan,5", "0,inf", "0,999"])
def test_a_bad_test_is_refused(text: str) -> None:
    with pytest.raises(ThreefoldError, match="sprt"):
        Sprt.parse(text)


def test_other_bad_parts_of_a_test() -> None:
    with pytest.raises(ThreefoldError, match="alpha"):
        Sprt.parse("0,5", alpha=0)
    with pytest.raises(ThreefoldError, match="beta"):
        Sprt.parse("0,5", beta=0.7)
    with pytest.raises(ThreefoldError, match="no SPRT model 'elo'"):
        Sprt(0, 5, model="elo")  # type: ignore[arg-type]
    with pytest.raises(ThreefoldError, match="pairs"):
        Sprt(0, 5, model="bayesian").llr((1, 1, 1, 1, 1))
    assert Sprt.parse("-1.5, 2") == Sprt(-1.5, 2)


# Little or extreme data.


def score_of_elo(elo: float) -> float:
    """The share of the points that is expected at a difference in strength."""
    return 1 / (1 + 10 ** (-elo / 400))


@given(five, st.booleans())
@example((0, 0, 0, 0, 0), True)
@example((0, 0, 0, 0, 1), False)
def test_every_standing_is_strict_json(
    pentanomial: tuple[int, int, int, int, int], lone_game: bool
) -> None:
    tally = of_pairs(pentanomial)
    if lone_game:
        tally = Tally(tally.wins + 1, tally.draws, tally.losses, pentanomial)
    shown = Standing(tally, Sprt(0, 5)).to_json()
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert (shown["elo"] is None) == (tally.points in (0, tally.games))
    if tally.games:
        assert 0 <= tally.los <= 1  # type: ignore[operator]


@given(five)
def test_the_opponent_sees_the_opposite(pentanomial: tuple[int, int, int, int, int]) -> None:
    tally = of_pairs(pentanomial)
    other = tally.reversed()
    assert other.reversed() == tally
    if tally.elo.value is not None:
        assert other.elo.value == pytest.approx(-tally.elo.value)
        assert other.elo.error == pytest.approx(tally.elo.error)
    if tally.los is not None:
        assert other.los == pytest.approx(1 - tally.los)


def test_one_sided_matches() -> None:
    nothing = Tally()
    assert (nothing.elo.value, nothing.los, nothing.score, nothing.draw_rate) == (None,) * 4
    sweep = of_pairs((0, 0, 0, 0, 50))
    assert (sweep.elo.value, sweep.elo.error, sweep.normalized_elo.value) == (None, None, None)
    assert sweep.los == pytest.approx(1)
    sweep_once = (0, 0, 0, 0, 1)
    one = Tally(1, 0, 0)
    assert one.los == pytest.approx(0.8413, abs=1e-4)
    even = of_pairs((0, 0, 1, 0, 0))
    assert (even.elo.value, even.elo.error, even.los) == (0, None, 0.5)
    # nothing is known of the error where all pairs ended alike, however many games have no partner
    for alike in (
        of_pairs((0, 0, 2, 0, 0)),
        of_pairs((0, 0, 0, 30, 0)),
        Tally(3, 0, 1, sweep_once),
    ):
        assert (alike.elo.error, alike.elo_limits) == (None, (None, None))
        assert alike.elo.value is not None
    # the upper end of the interval is beyond 100 %, so the error is the distance to the lower one
    nearly = of_pairs((0, 0, 0, 1, 9))
    below = score_of_elo(nearly.elo.value - nearly.elo.error)  # type: ignore[operator]
    spread = math.sqrt((0.9 * 0.025**2 + 0.1 * 0.225**2) / 10)
    assert below == pytest.approx(0.975 - 1.959964 * spread)
    for seen, end in ((nearly, 0), (nearly.reversed(), 1)):
        assert seen.elo_limits[1 - end] is None
        assert abs(seen.elo_limits[end] or 0) == pytest.approx(elo_of_score(below))


@given(five)
def test_the_error_is_half_of_the_interval(pentanomial: tuple[int, int, int, int, int]) -> None:
    tally = of_pairs(pentanomial)
    low, high = tally.elo_limits
    if low is not None and high is not None:
        assert tally.elo.error == pytest.approx((high - low) / 2)
        assert low < (tally.elo.value or 0) < high
    assert (tally.elo.error is None) == (low is None and high is None)


@given(st.floats(-700, 700))
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


# Counting games as they end.


@given(st.lists(st.tuples(st.sampled_from([-3, -1, 0, 1, 2]), st.booleans())), st.randoms())
def test_games_are_counted_in_any_order(
    games: list[tuple[float, bool]], shuffled: random.Random
) -> None:
    tasks = [
        (Task(i, (i % 2, 1 - i % 2), i // 2), utility, RULES if counts else ABANDONED)
        for i, (utility, counts) in enumerate(games)
    ]
    met = Meetings(shuffled.sample(tasks, len(tasks)))
    mine = {
        task.number: utility * (1 if task.players[0] == 0 else -1)
        for task, utility, ending in tasks
        if ending == RULES
    }
    tally = met.between(0, 1)
    assert tally.wins == sum(x > 0 for x in mine.values())
    assert tally.draws == sum(x == 0 for x in mine.values())
    assert tally.losses == sum(x < 0 for x in mine.values())
    expected = [0] * 5
    for k in range(len(games)):
        if {2 * k, 2 * k + 1} <= mine.keys():
            expected[2 + sum((mine[i] > 0) - (mine[i] < 0) for i in (2 * k, 2 * k + 1))] += 1
    assert list(tally.pentanomial) == expected
    if mine:
        assert met.winnings(0).per_game.value == pytest.approx(sum(mine.values()) / len(mine))


def test_the_second_players_scoreboard() -> None:
    boards = Scoreboard(0), Scoreboard(1)
    for number, utility in enumerate((1, -1, 0, -1, 1, 1)):
        for board in boards:
            board.add(Task(number, (number % 2, 1 - number % 2), 0), utility)
    assert boards[0].tally == boards[1].tally.reversed()
    # the first player's results: win, win; draw, win; win, loss
    assert boards[0].tally == Tally(4, 1, 1, (0, 0, 1, 1, 1))


# Duplicate dice.


def test_duplicate_dice_save_variance() -> None:
    """A game is skill plus luck; the luck of a pair's games cancels out."""
    rng = random.Random(1)
    winnings = Winnings()
    for _ in range(4000):
        luck = rng.gauss(0, 2)
        one, other = (0.3 + sign * luck + rng.gauss(0, 1) for sign in (1, -1))
        winnings = winnings.plus_game(one).plus_game(other).plus_pair(one, other)
    # a game has the variance 4 + 1; the mean of a pair 1 / 2 instead of 5 / 2
    assert winnings.variance_saved == pytest.approx(0.8, abs=0.02)
    assert winnings.per_game.value == pytest.approx(0.3, abs=0.05)
    assert winnings.per_game.error == pytest.approx(1.96 * math.sqrt(0.5 / 4000), rel=0.05)


def test_independent_games_save_nothing() -> None:
    rng = random.Random(2)
    winnings = Winnings()
    for _ in range(4000):
        one, other = rng.choice((-3, -1, 1, 2)), rng.choice((-3, -1, 1, 2))
        winnings = winnings.plus_game(one).plus_game(other).plus_pair(one, other)
    assert winnings.variance_saved == pytest.approx(0, abs=0.06)


def test_little_luck() -> None:
    assert Winnings().per_game.value is None
    assert Winnings().variance_saved is None
    one_pair = Winnings().plus_game(2).plus_game(-1).plus_pair(2, -1)
    assert (one_pair.per_game.value, one_pair.per_game.error) == (0.5, None)
    same = Winnings()
    for _ in range(3):
        same = same.plus_game(1).plus_game(1).plus_pair(1, 1)
    assert (same.per_game.error, same.variance_saved) == (None, None)
    opposite = Winnings()
    for _ in range(2):
        opposite = opposite.plus_game(1).plus_game(-1).plus_pair(1, -1)
    assert (opposite.per_game.value, opposite.per_game.error) == (0, None)
    assert opposite.variance_saved is None
    assert str(opposite.reversed().per_game.value) == "0.0"
    shown = Standing(Tally(6), winnings=same).to_json()
    assert (shown["points_per_game"], shown["points_error"], shown["variance_saved"]) == (
        1,
        None,
        None,
    )


def test_scores_are_evenly_spaced() -> None:
    for scores in (PAIR_SCORES, GAME_SCORES):
        assert len({b - a for a, b in itertools.pairwise(scores)}) == 1
