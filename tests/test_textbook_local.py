"""Hill climbing on queens and simulated annealing on tours: every step, and no guarantee."""

import json
from itertools import permutations
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError
from threefold.textbook.local import (
    conflicts,
    hill_climbing,
    parse_cities,
    random_cities,
    render_queens,
    simulated_annealing,
    tour_length,
)

# Hill climbing.


def test_hill_climbing_stuck_and_solved() -> None:
    stuck = hill_climbing(4, 0, start=(0, 2, 3, 1))
    assert not stuck.solved
    assert stuck.to_json() == {
        "procedure": "hill-climbing",
        "n": 4,
        "seed": 0,
        "outcome": "local optimum",
        "board": [0, 2, 3, 1],
        "conflicts": 1,
        "steps": [{"board": [0, 2, 3, 1], "conflicts": 1}],
    }
    assert stuck.narrate() == [
        "Start with 1 attacking pair.",
        "No move makes it better: stuck at a local optimum.",
    ]
    assert render_queens((1, 3, 0, 2)) == ". . Q .\nQ . . .\n. . . Q\n. Q . ."
    solved = hill_climbing(4, 0, start=(1, 3, 0, 0))
    assert solved.narrate() == [
        "Start with 1 attacking pair.",
        "The queen in column 4 moves to row 3: 0 attacking pairs.",
        "No queen attacks another: solved.",
    ]
    assert solved.to_json()["outcome"] == "solution"
    assert hill_climbing(1, 0).solved


def plain_conflicts(board: tuple[int, ...]) -> int:
    n = len(board)
    return sum(
        board[i] == board[j] or abs(board[i] - board[j]) == j - i
        for i in range(n)
        for j in range(i + 1, n)
    )


@given(st.integers(1, 9), st.integers(0, 10**6))
def test_every_climb_is_the_steepest(n: int, seed: int) -> None:
    run = hill_climbing(n, seed)
    assert run == hill_climbing(n, seed)
    for index, step in enumerate(run.steps):
        assert step.conflicts == plain_conflicts(step.board) == conflicts(step.board)
        neighbours = [
            (plain_conflicts(board), column, row)
            for column in range(n)
            for row in range(n)
            if row != step.board[column]
            for board in [(*step.board[:column], row, *step.board[column + 1 :])]
        ]
        best, column, row = min(neighbours, default=(0, 0, 0))
        assert step.best_neighbor == best
        if index + 1 < len(run.steps):
            assert best < step.conflicts
            assert run.steps[index + 1].board[column] == row
        else:
            assert best >= step.conflicts
    assert run.solved == (run.steps[-1].conflicts == 0)
    assert len(run.narrate()) == len(run.steps) + 1


def test_a_peak_that_every_move_leaves_for_worse() -> None:
    peak = hill_climbing(7, 0, start=(1, 3, 5, 2, 4, 6, 0))
    assert (peak.steps[0].conflicts, peak.steps[0].best_neighbor) == (1, 2)
    assert peak.narrate()[-1] == "Every move makes it worse: stuck at a local optimum."


@pytest.mark.parametrize("n", [0, -1, 61])
def test_bad_numbers_of_queens(n: int) -> None:
    with pytest.raises(ThreefoldError, match=f"{n} queens: use 1 to 60"):
        hill_climbing(n, 0)


@pytest.mark.parametrize("board", [(0, 1), (0, 1, 2, 4), (-1, 0, 1, 2)])
def test_bad_boards(board: tuple[int, ...]) -> None:
    with pytest.raises(ThreefoldError, match="give the row of each, 0 to 3"):
        hill_climbing(4, 0, start=board)


# Simulated annealing.


@pytest.mark.parametrize("seed", range(4))
def test_annealing_finds_the_best_of_few_cities(seed: int) -> None:
    cities = random_cities(7, seed)
    best = min(tour_length(cities, (0, *rest)) for rest in permutations(range(1, 7)))
    run = simulated_annealing(cities, seed)
    assert run == simulated_annealing(cities, seed)
    assert run.length == pytest.approx(best)
    assert run.length == pytest.approx(tour_length(cities, run.tour))
    hasty = simulated_annealing(cities, 2 if seed < 2 else 5 - seed, cooling=0.5, steps=30)
    assert hasty.length >= best - 1e-9


def test_annealing_guarantees_nothing() -> None:
    cities = random_cities(7, 0)
    best = min(tour_length(cities, (0, *rest)) for rest in permutations(range(1, 7)))
    assert simulated_annealing(cities, 2, cooling=0.5, steps=30).length > 1.1 * best


@given(st.integers(3, 8), st.integers(0, 1000))
def test_each_step_of_annealing(n: int, seed: int) -> None:
    cities = random_cities(n, seed)
    run = simulated_annealing(cities, seed, temperature=30, cooling=0.9, steps=40)
    current, lengths = run.start, [run.start_length]
    for index, step in enumerate(run.steps):
        assert sorted(step.proposal) == list(range(n))
        assert step.length == pytest.approx(tour_length(cities, step.proposal))
        assert step.change == pytest.approx(step.length - tour_length(cities, current))
        assert step.temperature == pytest.approx(30 * 0.9**index)
        assert step.accepted or step.change > 0
        if step.accepted:
            current = step.proposal
            lengths.append(step.length)
    assert run.length == min(lengths)
    answer = run.to_json()
    assert json.loads(json.dumps(answer)) == answer
    assert len(answer["steps"]) == 40
    told = run.narrate()
    assert len(told) == 42
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in told)


def test_annealing_where_all_tours_are_equal_and_in_the_cold() -> None:
    same = simulated_annealing([(1, 1)] * 4, 0, steps=3)
    assert same.length == 0
    assert "the same): accepted." in same.narrate()[1]
    cold = simulated_annealing(random_cities(6, 1), 0, cooling=0.1, steps=500)
    assert cold.steps[-1].temperature == 0
    assert not any(step.accepted and step.change > 0 for step in cold.steps[-100:])


def test_cities_as_text() -> None:
    assert parse_cities("0 0\n# by the sea\n\n3 4.5  # port\n-1 2") == [(0, 0), (3, 4.5), (-1, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 0\n1", "cities, line 2: '1' is not a city; write two numbers, like 3 4.5"),
        ("0 x", "cities, line 1: '0 x' is not a city"),
        ("0 0\n1 1", "2 cities: a tour needs 3 to 100"),
        ("0 0\n" * 101, "101 cities: a tour needs 3 to 100"),
        ("0 0\n1 nan\n2 2", "city 1 is at 1.0, nan; coordinates must be finite"),
        ("0 0\n1 1\ninf 2", "city 2 is at inf, 2.0; coordinates must be finite"),
    ],
)
def test_bad_cities(text: str, message: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        parse_cities(text)
    assert message in str(caught.value)


def test_bad_schedules() -> None:
    cities = random_cities(4, 0)
    for temperature in (0, -1, inf, nan):
        with pytest.raises(ThreefoldError, match="must be finite and greater than 0"):
            simulated_annealing(cities, 0, temperature=temperature)
    for cooling in (0, 1, nan):
        with pytest.raises(ThreefoldError, match=r"must be between 0 and 1, such as 0\.99"):
            simulated_annealing(cities, 0, cooling=cooling)
    for steps in (0, 100_001):
        with pytest.raises(ThreefoldError, match=f"{steps} steps: use 1 to 100,000"):
            simulated_annealing(cities, 0, steps=steps)
    for n in (2, 101):
        with pytest.raises(ThreefoldError, match=f"{n} cities: use 3 to 100"):
            random_cities(n, 0)
