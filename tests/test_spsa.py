"""SPSA on hills whose tops are known, felt through noise."""

import math
import random
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold.arena.spsa import Parameter, Plan, Spsa, usual_rate

PAIRS = 8


def parameter(name: str, start: float, whole: bool = False) -> Parameter:
    return Parameter(name, -100, 100, start, 10, whole)


def run(parameters: Sequence[Parameter], iterations: int, rate: float, seed: int) -> Spsa:
    return Spsa(Plan(tuple(parameters), iterations, PAIRS, rate), seed)


def climb(spsa: Spsa, elo: Callable[[Mapping[str, float]], float], seed: int) -> None:
    """Run to the end. `elo` says how strong a player is; games are won and lost accordingly."""
    rng = random.Random(seed)
    while spsa.done < spsa.iterations:
        trial = spsa.trial()
        expected = 1 / (1 + 10 ** ((elo(trial.minus) - elo(trial.plus)) / 400))
        spsa.learn(sum(1 if rng.random() < expected else -1 for _ in range(2 * PAIRS)))


def hill(values: Mapping[str, float]) -> float:
    """Strongest at a = 40, b = -20, whatever c is; 80 Elo weaker at a = 0, 20 at b = 0."""
    return -((values["a"] - 40) ** 2) / 20 - (values["b"] + 20) ** 2 / 20


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_it_climbs_a_hill_through_noise(whole: bool, seed: int) -> None:
    parameters = [parameter(name, 0, whole) for name in "abc"]
    spsa = run(parameters, 1500, usual_rate(1500 * PAIRS), seed)
    climb(spsa, hill, seed)
    assert hill({"a": 0, "b": 0}) == -100
    assert hill(spsa.values) > -15
    if whole:
        assert all(value == int(value) for value in spsa.values.values())


def test_without_a_hill_it_stays_near_its_start() -> None:
    """Chance moves a parameter by about half a step at the usual rate: here, within three."""
    ends = []
    for seed in range(20):
        spsa = run([parameter("a", 0)], 400, usual_rate(400 * PAIRS), seed)
        climb(spsa, lambda _: 0.0, seed)
        ends.append(spsa.values["a"])
    assert max(map(abs, ends)) < 30
    assert 1 < math.sqrt(sum(end * end for end in ends) / len(ends)) < 15


def test_one_iteration_by_hand() -> None:
    """Against the formulas of the module, written out for the first and the last of ten."""
    spsa = run([Parameter("a", 0, 100, 50, 4, False)], 10, 0.01, seed=3)
    moved = 4 * 10**0.101
    trial = spsa.trial()
    assert trial.plus["a"] - 50 == pytest.approx(trial.signs[0] * moved, abs=1e-3)
    assert trial.minus["a"] - 50 == pytest.approx(-trial.signs[0] * moved, abs=1e-3)
    spsa.learn(3)
    a_end = 0.01 * 4**2
    a_1 = a_end * (1 + 10) ** 0.602 / (1 + 1) ** 0.602
    assert spsa.path[1][0] - 50 == pytest.approx(trial.signs[0] * a_1 / moved**2 * moved * 3)
    for _ in range(8):
        spsa.learn(0)
    before, last = spsa.path[-1][0], spsa.trial()
    assert abs(last.plus["a"] - last.minus["a"]) == pytest.approx(8, abs=2e-3)
    spsa.learn(-2)
    assert spsa.path[-1][0] - before == pytest.approx(last.signs[0] * 0.01 * 4 * -2)


@given(
    st.integers(0, 1 << 32),
    st.lists(st.integers(-16, 16), min_size=1, max_size=20),
    st.booleans(),
)
def test_values_stay_in_range_and_follow_from_the_results(
    seed: int, results: list[int], whole: bool
) -> None:
    parameters = [Parameter("a", 1, 9, 8, 2, whole), Parameter("b", -5, 5, 0, 0.5, whole)]
    runs = [run(parameters, 20, 0.5, seed) for _ in range(2)]
    for result in results:
        trials = [one.trial() for one in runs]
        assert trials[0] == trials[1]
        for each in parameters:
            for values in (trials[0].plus, trials[0].minus, runs[0].values):
                assert each.low <= values[each.name] <= each.high
                assert float(each.text(values[each.name])) == values[each.name]
                assert not whole or values[each.name] == int(values[each.name])
        for one in runs:
            one.learn(result)
    assert runs[0].path == runs[1].path


def test_another_seed_tries_something_else() -> None:
    parameters = [parameter(name, 0) for name in "abcdef"]
    assert len({run(parameters, 10, 0.1, seed).trial().signs for seed in range(10)}) > 1


@given(st.integers(-6000, 6000), st.integers(0, 63))
def test_rounding_is_fair_and_keeps_a_step_of_a_half_apart(part: int, other: int) -> None:
    each, value, chance = parameter("a", 0, whole=True), part / 64, other / 64
    assert each.playable(value + 0.5, chance) - each.playable(value - 0.5, chance) >= 1
    assert abs(each.playable(value, chance) - value) < 1
    mean = sum(each.playable(value, (i + 0.5) / 1000) for i in range(1000)) / 1000
    assert mean == pytest.approx(value, abs=2e-3)
