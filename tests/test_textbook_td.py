"""TD(λ): hand-computed runs, the theorems that tie it to other methods, and what it learns."""

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.textbook.listing import listing
from threefold.textbook.shapes import Circle, Text
from threefold.textbook.td import (
    MAX_EVENTS,
    Episode,
    Settings,
    Step,
    TDRun,
    TDTrace,
    Value,
    decimal,
    learn,
    rms_error,
    td,
)
from threefold.textbook.td_episodes import (
    Walk,
    Written,
    format_episode,
    parse_episode,
    parse_states,
    parse_values,
)
from threefold.textbook.td_game import SelfPlay
from threefold.textbook.td_narration import narrate, steps_of, table
from threefold.textbook.td_picture import TDSlides
from threefold.textbook.trace import at_most

F = Fraction
TENTH, HALF = F(1, 10), F(1, 2)


def on_walk(*texts: str, first: Value = HALF, n: int = 5, **settings: Any) -> TDRun:
    walk = Walk(n)
    values: dict[str, Value] = dict.fromkeys(walk.states, first)
    return learn(walk, [walk.parse(text) for text in texts], values, Settings(**settings))


# By hand.


def test_td_0_by_hand() -> None:
    """Sutton and Barto's walk: the first episode changes only the state before its end."""
    run = on_walk("C B A 0", "C B A 0", "C D E 1")
    first, second, third = run.trace.history[1:]
    assert first == {"A": F("0.45"), "B": HALF, "C": HALF, "D": HALF, "E": HALF}
    assert second == {"A": F("0.405"), "B": F("0.495"), "C": HALF, "D": HALF, "E": HALF}
    assert third == {**second, "E": F("0.55")}
    assert run.rms[1] == pytest.approx(
        math.sqrt(((0.45 - 1 / 6) ** 2 + (1 / 6) ** 2 + 0 + (1 / 6) ** 2 + (1 / 3) ** 2) / 5)
    )
    assert narrate(run)[:5] == [
        "TD(0), α = 0.1. Episodes start at C; at first every state is worth 0.5.",
        "Episode 1. C → B, reward 0. δ = 0 + 0.5 − 0.5 = 0. Nothing changes.",
        "B → A, reward 0. δ = 0 + 0.5 − 0.5 = 0. Nothing changes.",
        "A → end, reward 0. δ = 0 + 0 − 0.5 = −0.5. V(A) = 0.5 + 0.1 × (−0.5) = 0.45.",
        "Episode 2. C → B, reward 0. δ = 0 + 0.5 − 0.5 = 0. Nothing changes.",
    ]


def test_td_lambda_by_hand() -> None:
    """C D C D E 1 with λ = 1/2: every visit counts, and older ones half as much per step."""
    run = on_walk("C D C D E 1", lambda_=HALF)
    # The only error is 1/2, at the end: e(E) = 1, e(D) = 1/2 + 1/8, e(C) = 1/4 + 1/16.
    assert run.values["E"] == HALF + TENTH * HALF
    assert run.values["D"] == HALF + TENTH * HALF * F(5, 8)
    assert run.values["C"] == HALF + TENTH * HALF * F(5, 16)
    last = steps_of(run.events)[-1]
    assert last[0]["e"] == {"C": F(5, 16), "D": F(5, 8), "E": 1}
    replaced = on_walk("C D C D E 1", lambda_=HALF, replacing=True)
    assert replaced.values["D"] == HALF + TENTH * HALF * HALF
    assert replaced.values["C"] == HALF + TENTH * HALF * F(1, 4)


def test_discount_and_rewards_on_the_way() -> None:
    process = Written(("A", "B"), "A")
    steps = parse_episode("A 2 B -1", process.states)
    run = learn(process, [steps], {"A": F(1), "B": F(3)}, Settings(HALF, gamma=HALF))
    # A: 2 + 3/2 − 1 = 5/2; B: −1 + 0 − 3 = −4.
    assert run.values == {"A": 1 + F(5, 4), "B": F(1)}
    assert run.true_values is None
    assert run.rms == []
    assert run.to_json()["rms"] is None
    assert "δ = 2 + 0.5 × 3 − 1 = 2.5. V(A) = 1 + 0.5 × 2.5 = 2.25." in narrate(run)[1]


# The theorems.

STATES = ("A", "B", "C")
fractions = st.fractions(-2, 2, max_denominator=6)
shares = st.fractions(0, 1, max_denominator=8)


@st.composite
def any_episode(draw: st.DrawFn) -> list[Step]:
    states = draw(st.lists(st.sampled_from(STATES), min_size=1, max_size=7))
    rewards = [draw(fractions) for _ in states]
    return [
        Step(s, r, after) for s, r, after in zip(states, rewards, [*states[1:], None], strict=True)
    ]


@st.composite
def any_values(draw: st.DrawFn) -> dict[str, Value]:
    return {s: draw(fractions) for s in STATES}


def learned(
    episode: Sequence[Step], values: dict[str, Value], settings: Settings
) -> dict[str, Value]:
    return learn(Written(STATES, "A"), [episode], dict(values), settings).values


def returns(episode: Sequence[Step], gamma: Value) -> list[Value]:
    """What was earned from each step on."""
    found: list[Value] = []
    for step in reversed(episode):
        found.append(step.reward + gamma * (found[-1] if found else 0))
    return found[::-1]


def lambda_return(
    episode: Sequence[Step], t: int, values: dict[str, Value], lambda_: Value, gamma: Value
) -> Value:
    """The forward view, from its definition: the weighted mean of all n-step returns."""
    total: Value = 0
    left = len(episode) - t
    for n in range(1, left + 1):
        part: Value = sum(gamma**k * episode[t + k].reward for k in range(n))
        if n < left:
            part += gamma**n * values[episode[t + n].state]
            total += (1 - lambda_) * lambda_ ** (n - 1) * part
        else:
            total += lambda_ ** (n - 1) * part
    return total


@given(any_episode(), any_values(), shares, shares)
def test_offline_the_backward_view_is_the_forward_view(
    episode: list[Step], values: dict[str, Value], lambda_: Fraction, gamma: Fraction
) -> None:
    """Sutton's theorem: traces sum up to the λ-return, exactly."""
    expected = dict(values)
    for t, step in enumerate(episode):
        goal = lambda_return(episode, t, values, lambda_, gamma)
        expected[step.state] += TENTH * (goal - values[step.state])
    settings = Settings(TENTH, lambda_, gamma, offline=True)
    assert learned(episode, values, settings) == expected


@given(any_episode(), any_values(), shares)
def test_td_1_offline_is_monte_carlo(
    episode: list[Step], values: dict[str, Value], gamma: Fraction
) -> None:
    """Every visit moves toward what was earned after it."""
    expected = dict(values)
    for step, earned in zip(episode, returns(episode, gamma), strict=True):
        expected[step.state] += TENTH * (earned - values[step.state])
    assert learned(episode, values, Settings(TENTH, 1, gamma, offline=True)) == expected


@given(any_episode(), any_values())
def test_td_1_offline_with_replacing_traces_is_first_visit_monte_carlo(
    episode: list[Step], values: dict[str, Value]
) -> None:
    """Singh and Sutton, 1996."""
    expected, seen = dict(values), set()
    for step, earned in zip(episode, returns(episode, 1), strict=True):
        if step.state not in seen:
            seen.add(step.state)
            expected[step.state] += TENTH * (earned - values[step.state])
    settings = Settings(TENTH, 1, 1, replacing=True, offline=True)
    assert learned(episode, values, settings) == expected


@given(any_episode(), any_values(), shares)
def test_td_0_online_moves_one_value_a_step(
    episode: list[Step], values: dict[str, Value], gamma: Fraction
) -> None:
    expected = dict(values)
    for step in episode:
        goal = step.reward + (gamma * expected[step.next] if step.next else 0)
        expected[step.state] = expected[step.state] * F(9, 10) + goal / 10
    assert learned(episode, values, Settings(TENTH, 0, gamma)) == expected


# The walk.


@pytest.mark.parametrize("n", [1, 3, 5, 19, 25])
def test_true_values_of_the_walk(n: int) -> None:
    assert list(Walk(n).exact(1).values()) == [F(i, n + 1) for i in range(1, n + 1)]


@given(st.sampled_from([1, 3, 7]), shares)
def test_true_values_satisfy_bellmans_equation(n: int, gamma: Fraction) -> None:
    values = [F(0), *(F(v) for v in Walk(n).exact(gamma).values()), F(0)]
    for i in range(1, n + 1):
        right = F(1) if i == n else gamma * values[i + 1]
        assert values[i] == (gamma * values[i - 1] + right) / 2


def test_random_walks_are_walks() -> None:
    walk = Walk(5)
    steps = [list(episode) for episode in walk.episodes(300, 7)]
    for episode in steps:
        assert episode[0].state == "C"
        assert walk.parse(format_episode(episode)) == episode
    wins = fmean(float(episode[-1].reward) for episode in steps)
    assert wins == pytest.approx(0.5, abs=0.1)
    assert fmean(map(len, steps)) == pytest.approx(9, abs=1)
    assert steps == [list(episode) for episode in walk.episodes(300, 7)]


def mean_errors(alpha: float, lambda_: float, episodes: int = 100, runs: int = 20) -> list[float]:
    """The RMS error by episode, averaged over runs, as in Sutton and Barto's figure 6.2."""
    walk = Walk(5)
    errors = []
    for seed in range(runs):
        values: dict[str, Value] = dict.fromkeys(walk.states, 0.5)
        settings = Settings(alpha, lambda_, 1.0)
        errors.append(learn(walk, walk.episodes(episodes, seed), values, settings).rms)
    return [fmean(column) for column in zip(*errors, strict=True)]


def test_errors_fall_as_in_the_book() -> None:
    slow, fast = mean_errors(0.05, 0), mean_errors(0.15, 0)
    assert fast[5] < slow[5] < slow[0] == pytest.approx(math.sqrt(1 / 18))
    assert slow[100] < fast[100]
    monte_carlo = min(mean_errors(alpha, 1)[100] for alpha in (0.01, 0.02, 0.03, 0.04))
    assert slow[100] < monte_carlo


def mean_error_of_19(alpha: float, lambda_: float) -> float:
    """The RMS error over the first ten episodes of the walk of 19 states."""
    walk = Walk(19)
    errors = []
    for seed in range(5):
        values: dict[str, Value] = dict.fromkeys(walk.states, 0.5)
        run = learn(walk, walk.episodes(10, seed), values, Settings(alpha, lambda_, 1.0))
        errors.append(fmean(run.rms[1:]))
    return fmean(errors)


def test_traces_help_most_between_the_extremes() -> None:
    """Sutton and Barto's figure 12.3: neither λ = 0 nor λ = 1 is best."""
    td_0 = min(mean_error_of_19(alpha, 0.0) for alpha in (0.4, 0.8))
    td_1 = min(mean_error_of_19(alpha, 1.0) for alpha in (0.005, 0.01, 0.02))
    assert mean_error_of_19(0.4, 0.8) < min(td_0, td_1)


def test_values_that_diverge_are_stopped() -> None:
    walk = Walk(19)
    values: dict[str, Value] = dict.fromkeys(walk.states, 0.5)
    with pytest.raises(ThreefoldError, match="the values diverge: the TD error at "):
        learn(walk, walk.episodes(100, 1), values, Settings(0.9, 1.0, 1.0))


# Games.


@pytest.mark.parametrize(
    "spec", ["dice-nim(stones=4)", "dice-nim(stones=5,loaded=true)", "nim(heaps=1-2)"]
)
def test_exact_values_are_those_of_expectiminimax(spec: str) -> None:
    g = game(spec)
    process = SelfPlay(g)
    exact = process.exact(1)
    for state in process.states:
        assert exact[state] == g.explain("expectiminimax", state, depth=12).value


def test_self_play_learns_the_best_play() -> None:
    process = SelfPlay(game("dice-nim(stones=6)"))
    values: dict[str, Value] = dict.fromkeys(process.states, 0.0)
    before = process.policy(values, process.exact(1), 1)
    run = learn(process, process.episodes(values, 1.0, 0.1, 3000, 1), values, Settings(0.05, 0.0))
    assert run.true_values is not None
    assert process.policy(run.values, run.true_values, 1) == (before[1], before[1])
    assert run.rms[-1] < 0.2 < run.rms[0]
    explored = [event for event in run.events if event.kind == "explore"]
    assert explored
    for step in steps_of(run.events):
        if any(event.kind == "explore" for event in step):
            assert not any(event.kind == "update" for event in step)


def test_players_choose_by_the_values_of_the_moment() -> None:
    """Without exploring, every choice is the best one by the values that stand then."""
    process = SelfPlay(game("dice-nim(stones=5)"))
    values: dict[str, Value] = dict.fromkeys(process.states, 0.0)
    run = learn(process, process.episodes(values, 1.0, 0.0, 40, 3), values, Settings(0.3, 0.5))
    now = dict(run.trace.history[0])
    checked = 0
    for event in run.events:
        if event.kind == "step":
            roll, move = event["how"].split(", ")
            (turn,) = [t for t in process.turns[event.node] if t.events == (roll,)]
            worth = {c.move: c.utility if c.after is None else now[c.after] for c in turn.choices}
            best = max(worth.values()) if "MAX" in move else min(worth.values())
            assert worth[move.split()[-1]] == best
            checked += len(set(worth.values())) > 1
        elif event.kind == "update":
            now[event.node] = event["after"]
    assert checked > 20


def test_games_that_do_not_fit() -> None:
    with pytest.raises(ThreefoldError, match="more than 60 positions"):
        SelfPlay(game("tic-tac-toe"))
    with pytest.raises(ThreefoldError, match="game is over"):
        SelfPlay(game("dice-nim"), "0 1")


# What the events say.


@given(
    st.lists(any_episode(), min_size=1, max_size=3),
    any_values(),
    shares,
    st.booleans(),
    st.booleans(),
)
def test_the_events_tell_the_whole_run(
    episodes: list[list[Step]],
    values: dict[str, Value],
    lambda_: Fraction,
    replacing: bool,
    offline: bool,
) -> None:
    """Scenes are rebuilt from the events alone, and end where the procedure did."""
    settings = Settings(TENTH, lambda_, 1, replacing, offline)
    run = learn(Written(STATES, "A"), episodes, dict(values), settings)
    slides = TDSlides(run)
    assert slides.steps == sum(map(len, episodes)) + 2
    ends = {0: values}
    for scene in slides.scenes(range(1, slides.steps)):
        if scene.over not in ends:
            ends[scene.over] = dict(scene.values)
    assert [ends[i] for i in range(len(episodes) + 1)] == run.trace.history
    assert slides.at().values == run.values
    # Jumping to a step shows the same as walking there.
    middle = slides.steps // 2
    walked = [dict(scene.values) for scene in slides.scenes(range(1, middle + 1))]
    assert slides.at(middle).values == walked[-1]


def test_pictures_pages_and_text() -> None:
    run = on_walk("C D E 1", "C B A 0", lambda_=F(4, 5))
    slides = TDSlides(run)
    for step in range(1, slides.steps + 1):
        ET.fromstring(slides.picture(step))
        assert slides.tikz(step).startswith("% \\usepackage{tikz}")
    drawn = slides.picture(4)
    assert "V(E) = 0.55" in drawn
    assert slides.text(slides.at(4), 80).splitlines() == [
        "TD(0.8), α = 0.1: episode 1, δ = 0.5",
        "",
        "state      V     e  was    true",
        "A        0.5             0.1667",
        "B        0.5             0.3333",
        "C      0.532  0.64  0.5     0.5",
        "D       0.54   0.8  0.5  0.6667",
        "E ◂     0.55     1  0.5  0.8333",
    ]
    data = slides.stepper()
    assert len(data["frames"]) == slides.steps == len(data["sentences"])
    code = listing(td)
    assert "delta = r + gamma * next_value - values[s]" in code.lines[data["lines"][1]]
    assert code.printed[data["lines"][1]] == "δ ← r + γV(s') − V(s)"
    assert data["lines"][0] is None
    assert "image/svg+xml" in run._repr_mimebundle_()


def test_every_step_of_every_kind_is_drawn() -> None:
    process = SelfPlay(game("dice-nim(stones=3)"))
    values: dict[str, Value] = dict.fromkeys(process.states, 0.0)
    played = learn(process, process.episodes(values, 1.0, 0.5, 9, 1), values, Settings(0.1, 0.5))
    written = Written(("A", "Home"), "A")
    episode = parse_episode("A 1 A -1 Home 0", written.states)
    zero: dict[str, Value] = dict.fromkeys(written.states, F(0))
    own = learn(written, [episode], zero, Settings(offline=True))
    assert any(event.kind == "explore" for event in played.events)
    for run in (played, own, on_walk("A 0", n=1), on_walk("A 1", n=1)):
        slides = TDSlides(run)
        for scene in slides.scenes(range(1, slides.steps + 1)):
            drawn = slides.draw(scene)
            ET.fromstring(drawn.svg())
            for shape in drawn.shapes:
                if isinstance(shape, Circle | Text):
                    assert 0 <= shape.x <= drawn.width
                    assert 0 <= shape.y <= drawn.height
            assert slides.text(scene, 30).splitlines()[0] == slides.text(scene, 80)[:30].strip("\n")


def test_the_table_and_the_answer() -> None:
    run = on_walk("C B A 0", "C D E 1")
    assert table(run).splitlines() == [
        "episodes       0      1      2   true",
        "A          0.500  0.450  0.450  0.167",
        "B          0.500  0.500  0.500  0.333",
        "C          0.500  0.500  0.500  0.500",
        "D          0.500  0.500  0.500  0.667",
        "E          0.500  0.500  0.550  0.833",
        "RMS error  0.236  0.222  0.208",
    ]
    assert str(run) == (
        "TD(0), α = 0.1, 2 episodes: V(C) = 0.5, RMS error 0.2357 before, 0.2079 after"
    )
    answer = run.to_json()
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert list(answer)[:5] == ["procedure", "value", "path", "visited", "pruned"]
    assert answer["path"] == ["D", "E"]
    assert answer["visited"] == ["C", "B", "A", "C", "D", "E"]
    assert answer["values"]["A"] == 0.45
    assert answer["true_values"]["E"] == pytest.approx(5 / 6)
    assert len(answer["rms"]) == 3
    kinds = [event["kind"] for event in answer["events"]]
    assert kinds.count("update") == 2
    assert kinds.count("end") == 2


def test_a_long_run_keeps_its_first_events() -> None:
    walk = Walk(25)
    values: dict[str, Value] = dict.fromkeys(walk.states, 0.5)
    run = learn(walk, walk.episodes(150, 1), values, Settings(0.1, 0.9, 1.0))
    assert len(run.events) == MAX_EVENTS
    assert run.to_json()["events_left_out"] == run.trace.left_out > 0
    told = narrate(run)
    slides = TDSlides(run)
    assert told[-1].startswith("After 150 episodes, the RMS error is ")
    assert slides.at().values == run.values
    assert len(run.rms) == 151


def test_a_run_has_limits() -> None:
    walk = Walk(5)
    values: dict[str, Value] = dict.fromkeys(walk.states, 0.5)
    with (
        at_most(50),
        pytest.raises(ThreefoldError, match="these episodes take more than 50 steps"),
    ):
        learn(walk, walk.episodes(100, 1), values, Settings())


def test_the_error_is_over_all_states_alike() -> None:
    assert rms_error({"A": 1, "B": 0}, {"A": 0, "B": 0}) == pytest.approx(math.sqrt(0.5))
    trace = TDTrace(None)
    none: list[Episode] = []
    td(none, {"A": 0}, trace, Settings())
    assert trace.events == []


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (-0.00001, "0"), (F(-1, 3), "−0.3333"), (2, "2"), (10, "10")]
)
def test_values_are_short(value: Value, text: str) -> None:
    assert decimal(value) == text


# What people write.


@given(any_episode())
def test_an_episode_is_read_as_it_is_written(episode: list[Step]) -> None:
    assert parse_episode(format_episode(episode), STATES) == episode


@pytest.mark.parametrize(
    "text", ["C D E 1", "C D E end", "C, D, E, 1", "C→D→E→1", "C -> D -> E 1", "C 0 D 0 E 1"]
)
def test_forms_of_an_episode(text: str) -> None:
    steps = Walk(5).parse(text)
    assert [step.state for step in steps] == ["C", "D", "E"]
    assert steps[-1] == Step("E", 1, None)
    for one, other in pairwise(steps):
        assert one.next == other.state


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the last reward is missing"),
        ("C D E", "the last reward is missing; write it at the end: C D E 1"),
        ("1", "no state stands before the 1"),
        ("C D E 1 0", "no state stands before the 0"),
        ("C X 1", "'X' is neither a state nor a reward; the states are A, B, C, D, E"),
        ("C E 1", "C to E is not a step of the walk"),
        ("C 1 D E 1", "a step from C to D earns nothing"),
        ("C D E 0", "the end beyond E is worth 1, not 0"),
        ("C B A 1", "the end beyond A is worth 0, not 1"),
        ("C D 1", "a walk does not end at D, but beyond A with 0 or beyond E with 1"),
        ("C D end", "write the last reward, 0 or 1"),
        ("C D E 1/0", "1/0 divides by zero"),
    ],
)
def test_bad_episodes(text: str, message: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        Walk(5).parse(text)
    assert message in str(caught.value)


def test_a_walk_of_one_state_may_end_at_both_sides() -> None:
    assert Walk(1).parse("A 1") == [Step("A", 1, None)]
    assert Walk(1).parse("A 0") == [Step("A", 0, None)]
    with pytest.raises(ThreefoldError, match="is worth 0 or 1, not 2"):
        Walk(1).parse("A 2")


def test_states_and_values_are_read() -> None:
    assert parse_states("A, B Home") == ("A", "B", "Home")
    assert parse_values("A=0.2, B = 1/2 C:−1", STATES) == {"A": F(1, 5), "B": HALF, "C": F(-1)}
    assert parse_values("0", STATES) == dict.fromkeys(STATES, F(0))


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (parse_states, "A A", "A is there twice"),
        (parse_states, "A 2", "'2' is not a name"),
        (parse_states, "A end", "'end' is not a name"),
        (parse_states, "", "0 names; use 1 to 60"),
        (lambda text: parse_values(text, STATES), "Q=1", "there is no state 'Q'"),
        (lambda text: parse_values(text, STATES), "A=1 A=2", "A is given two values"),
        (lambda text: parse_values(text, STATES), "A", "'A' is not a value; write it as A=0.5"),
        (lambda text: parse_values(text, STATES), "A=x", "'A=x' is not a value"),
        (lambda text: parse_values(text, STATES), " ", "nothing is given"),
        (lambda text: parse_values(text, STATES), "A=1/0", "1/0 divides by zero"),
    ],
)
def test_bad_states_and_values(read: Any, text: str, message: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        read(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 2}, "alpha 2 is not from 0 to 1"),
        ({"alpha": 0}, "alpha 0: nothing is learned"),
        ({"lambda_": -1}, "lambda -1 is not from 0 to 1"),
        ({"gamma": F(3, 2)}, "gamma 1.5 is not from 0 to 1"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        Settings(**settings)
    assert message in str(caught.value)


@pytest.mark.parametrize("n", [0, 2, 27, -1])
def test_bad_walks(n: int) -> None:
    with pytest.raises(ThreefoldError, match="use an odd number from 1 to 25"):
        Walk(n)


@pytest.mark.parametrize("count", [0, -1, 10_001])
def test_bad_numbers_of_episodes(count: int) -> None:
    with pytest.raises(ThreefoldError, match=f"{count} episodes: use 1 to 10,000"):
        Walk(5).episodes(count, 1)
