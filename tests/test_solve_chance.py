"""Games of chance in which positions come up again: bounds that are true, and where they end."""

from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import nim
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pig import HOLD, ROLL, State, pig
from test_solve_graph import analyzed, control, whole

from threefold import CHANCE, Game, ThreefoldError, conformance
from threefold.cli.main import main
from threefold.errors import argument
from threefold.rules.contract import MAX, MIN
from threefold.solve.graph import Graph, InterpretedEnumeration
from threefold.solve.retrograde import analyze
from threefold.solve.unbounded import growing_field
from threefold.textbook.trace import at_most

# Pig, against value iteration by hand.


def chance_to_win(goal: int) -> float:
    """The chance of the player to move at 0 to 0, by the equations of the game.

    P(i, j, k) = max(1/6 (1 - P(j, i, 0)) + 1/6 sum P(i, j, k + face), 1 - P(j, i + k, 0)), and 1
    where i + k reaches the goal.
    """
    chance = np.zeros((goal, goal, goal + 6))
    for i in range(goal):
        chance[i, :, goal - i :] = 1.0
    for _ in range(400):
        before = chance.copy()
        for i, k in product(range(goal), repeat=2):
            if i + k < goal:
                rolled = (1 - chance[:, i, 0] + chance[i, :, k + 2 : k + 7].sum(axis=1)) / 6
                chance[i, :, k] = rolled if k == 0 else np.maximum(rolled, 1 - chance[:, i + k, 0])
        if abs(before - chance).max() < 1e-15:
            break
    return float(chance[0, 0, 0])


@pytest.mark.parametrize(("goal", "value"), [(10, 0.4188), (30, 0.1358)])
def test_pig(goal: int, value: float) -> None:
    found = pig(goal).solve()
    assert found.value == pytest.approx(value, abs=5e-5)
    # The utility is 1 or -1.
    assert abs(found.value - (2 * chance_to_win(goal) - 1)) <= found.error + 1e-13
    assert 0 < found.error < 1e-10
    assert found.exact
    assert (found.best, found.all_best, found.win_in) == (ROLL, (ROLL,), None)


def test_a_choice_in_pig() -> None:
    g = pig(10)
    found = g.solve(State(0, 0, 8, 0, 0))
    assert found.lines[0].value == found.value
    assert {line.move for line in found.lines} == {ROLL, HOLD}
    # The other player to move is worth the same the other way round.
    mirrored = g.solve(State(0, 0, 8, 0, 1))
    assert abs(mirrored.value - found.value) <= found.error + mirrored.error
    # And seen from MAX's side while the die rolls.
    rolls = g.solve(State(0, 0, 8, 1, 1))
    worth = next(line.value for line in mirrored.lines if line.move == ROLL)
    assert abs(rolls.value + worth) <= rolls.error + mirrored.error


def test_the_error_is_said() -> None:
    found = pig(10).solve()
    assert found.to_json()["error"] == found.error
    assert "; values within " in str(found)
    certain = nim.nim().solve()
    assert certain.error == 0
    assert "error" not in certain.to_json()
    assert "within" not in str(certain)


def test_pig_keeps_the_contract() -> None:
    assert not conformance(pig(10), games=5).defects


@pytest.mark.slow
def test_pig_to_a_hundred() -> None:
    """Neller and Presser, 2004: whoever begins wins 53.06 %."""
    found = pig(100).solve()
    assert (found.value + 1) / 2 == pytest.approx(0.5306, abs=5e-5)
    assert found.error < 1e-9


# Small graphs, against every plan and the equations of each, solved in fractions.


@st.composite
def graphs_with_chance(draw: st.DrawFn) -> Graph[Any]:
    n = draw(st.integers(2, 6))
    first, child, weight, mover, utility = [0], [], [], [], []
    for _ in range(n):
        children = draw(st.lists(st.integers(0, n - 1), max_size=3))
        child += children
        mover.append(draw(st.sampled_from([MAX, MIN, CHANCE])))
        weight += [draw(st.integers(1, 3)) if mover[-1] == CHANCE else 0 for _ in children]
        utility.append(0 if children else draw(st.integers(-2, 2)))
        first.append(len(child))
    return graph_of(first, child, weight, mover, utility, nim.nim())


def graph_of(
    first: list[int],
    child: list[int],
    weight: list[int],
    mover: list[int],
    utility: list[int],
    game: Game[Any],
) -> Graph[Any]:
    return Graph(
        game,
        list(range(len(mover))),
        np.array(mover, np.int8),
        np.array(utility, np.int32),
        np.array(first, np.int64),
        np.array(child, np.int32),
        np.array(weight, np.int64),
    )


def plans(graph: Graph[Any], side: int) -> list[dict[int, int]]:
    """Every choice of one move per position of a side."""
    at = [i for i in range(len(graph)) if graph.mover[i] == side and graph.children(i)]
    return [
        dict(zip(at, chosen, strict=True))
        for chosen in product(*(sorted(set(graph.children(i))) for i in at))
    ]


def payoff(graph: Graph[Any], plan: dict[int, int], endless: int) -> list[Fraction]:
    """What each position is worth when everybody keeps to a plan: the equations of the chain."""
    n = len(graph)
    steps: list[dict[int, Fraction]] = []
    for i in range(n):
        children = graph.children(i)
        if i in plan:
            steps.append({plan[i]: Fraction(1)})
            continue
        weights = [int(w) for w in graph.weight[graph.first[i] : graph.first[i + 1]]]
        step: dict[int, Fraction] = {}
        for j, w in zip(children, weights, strict=True):
            step[j] = step.get(j, Fraction(0)) + Fraction(w, sum(weights))
        steps.append(step)
    ending = {i for i in range(n) if not steps[i]}
    while True:  # positions from which play may still end
        more = {i for i in range(n) if ending & set(steps[i])} - ending
        if not more:
            break
        ending |= more
    rows = []
    for i in range(n):
        row = [Fraction(int(i == j)) for j in range(n)] + [Fraction(0)]
        if i not in ending:
            row[n] = Fraction(endless)
        elif not steps[i]:
            row[n] = Fraction(int(graph.utility[i]))
        else:
            for j, share in steps[i].items():
                row[j] -= share
        rows.append(row)
    for k in range(n):  # Gauss and Jordan
        pivot = next(r for r in range(k, n) if rows[r][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for r in range(n):
            if r != k and rows[r][k] != 0:
                rows[r] = [x - rows[r][k] * y for x, y in zip(rows[r], rows[k], strict=True)]
    return [row[n] for row in rows]


def by_all_plans(graph: Graph[Any], endless: int) -> list[Fraction]:
    """The value of each position: the best plan of MAX against the best reply to it.

    With one move per position a side does as well as with any other way to play.
    """
    mins = plans(graph, MIN)
    guaranteed = [
        [min(column) for column in zip(*(payoff(graph, p | q, endless) for q in mins), strict=True)]
        for p in plans(graph, MAX)
    ]
    return [max(column) for column in zip(*guaranteed, strict=True)]


#: Each would rather wait than roll: MAX at 0 and MIN at 1 wait for each other, or toss a coin.
WAITING = ([0, 2, 4, 6, 8, 8, 8], [1, 2, 0, 3, 4, 5, 4, 5], [0, 0, 0, 0, 1, 3, 3, 1])
WAITING_GRAPH = graph_of(
    *WAITING, [MAX, MIN, CHANCE, CHANCE, MAX, MAX], [0, 0, 0, 0, 1, -1], nim.nim()
)
#: MIN waits, or lets nature end the game one time in three: bounds of a third, which is rounded.
A_THIRD_GRAPH = graph_of(
    [0, 0, 2, 2, 2, 5],
    [1, 4, 0, 1, 1],
    [0, 0, 1, 1, 1],
    [MAX, MIN, MAX, MAX, CHANCE],
    [1, 0, 0, 0, 0],
    nim.nim(),
)


@given(graph=graphs_with_chance())
@example(graph=WAITING_GRAPH)
@example(graph=A_THIRD_GRAPH)
def test_bounds_hold_whatever_endless_play_is_worth(graph: Graph[Any]) -> None:
    assume(not graph.deterministic and graph.weight.any())
    assume(len(plans(graph, MAX)) * len(plans(graph, MIN)) <= 100)
    analysis = analyzed(graph)
    worst = by_all_plans(graph, min(-1, int(graph.utility.min())))
    best = by_all_plans(graph, max(1, int(graph.utility.max())))
    for i in range(len(graph)):
        value, error = Fraction(float(analysis.value[i])), Fraction(float(analysis.error[i]))
        assert value - error <= worst[i] <= best[i] <= value + error
        assert error - (best[i] - worst[i]) / 2 < Fraction(1, 10**9)
        assert analysis.endless[i] == (worst[i] != best[i])


@given(graph=graphs_with_chance(), seed=st.integers(0, 9))
def test_endless_play_without_chance_is_a_draw_if_the_game_says_so(
    graph: Graph[Any], seed: int
) -> None:
    """The same graphs, where nature moves to finished positions only."""
    n, ends = len(graph), [int(i) for i in np.flatnonzero(np.diff(graph.first) == 0)]
    assume(ends and graph.weight.any())
    origin = np.repeat(np.arange(n), np.diff(graph.first))
    child = [
        ends[(seed + edge) % len(ends)] if graph.mover[origin[edge]] == CHANCE else int(j)
        for edge, j in enumerate(graph.child)
    ]
    weight, mover, first = graph.weight.tolist(), graph.mover.tolist(), graph.first.tolist()
    drawn = graph_of(first, child, weight, mover, graph.utility.tolist(), nim.nim(repeats=True))
    assume(len(plans(drawn, MAX)) * len(plans(drawn, MIN)) <= 100)
    analysis = analyzed(drawn)
    assert not analysis.endless.any()
    for i, value in enumerate(by_all_plans(drawn, 0)):
        assert analysis.value[i] == pytest.approx(float(value), abs=1e-12)


# What cannot be answered.


class Wait(NamedTuple):
    turn: int
    tossed: int  # 0: not yet; 1: the coin is in the air; 2: heads; 3: tails


def waiting(**changes: Any) -> Game[Wait]:
    """Either player may wait, or toss a coin that favors the other."""

    def actions(s: Wait, out: Any) -> int:
        if s.tossed >= 2:
            return 0
        out[0], out[1] = 0, 1
        return 2

    def outcomes(s: Wait, out: Any, weight: Any) -> int:
        out[0], weight[0] = 2, 1 if s.turn == MAX else 3
        out[1], weight[1] = 3, 3 if s.turn == MAX else 1
        return 2

    def result(s: Wait, a: int) -> Wait:
        if s.tossed == 1:
            return Wait(s.turn, a)
        return Wait(s.turn, 1) if a else Wait(1 - s.turn, 0)

    hooks: dict[str, Any] = {
        "initial": lambda: Wait(0, 0),
        "player": lambda s: CHANCE if s.tossed == 1 else s.turn,
        "actions": actions,
        "outcomes": outcomes,
        "result": result,
        "utility": lambda s: 1 if s.tossed == 2 else -1,
        "finite": False,
    }
    return Game("Waiting", **(hooks | changes))


def test_endless_play_that_decides_is_not_guessed_at() -> None:
    with pytest.raises(
        ThreefoldError,
        match=r"play can go on forever.* decides; the value is between -0\.5\d* and \+0\.5\d*$",
    ):
        waiting().solve()
    drawn = waiting(repeats=True).solve()
    assert drawn.value == 0
    assert [(line.move, line.value) for line in drawn.lines] == [(0, 0), (1, -0.5)]


def test_a_draw_by_repetition_with_chance_in_the_circle_is_refused() -> None:
    with pytest.raises(ThreefoldError, match="repeats makes a position that comes up again a draw"):
        pig(10, repeats=3).solve()


def test_circles_without_a_compiler() -> None:
    def nature_adds_or_takes_one(s: nim.State, out: Any, weight: Any) -> int:
        out[0], out[1] = 1, -1
        weight[0], weight[1] = 1, 1
        return 2

    g = nim.nim(
        player=lambda s: CHANCE if s.stones == 2 else s.turn,
        outcomes=nature_adds_or_takes_one,
        result=lambda s, a: nim.State(s.stones - a, 1 - s.turn),
    )
    graph = whole(InterpretedEnumeration(g, nim.State(4, 0), control()))
    analysis = analyze(graph, control())
    assert analysis is not None
    oracle = by_all_plans(graph, -1)
    assert oracle == by_all_plans(graph, 1)
    assert analysis.value.tolist() == pytest.approx([float(value) for value in oracle])


def test_value_iteration_can_be_stopped() -> None:
    with pytest.raises(ThreefoldError, match="not solved within the limits"):
        pig(30).solve(time=0.001)


# What grows forever.


def test_a_field_that_grows_is_named() -> None:
    with pytest.raises(ThreefoldError, match=r"field points reached [\d,]+ and grows, perhaps"):
        pig(10, must_stop=False).solve(megabytes=8)


def test_a_field_that_falls_is_named() -> None:
    debt = nim.nim(
        initial=lambda: nim.State(0, 0),
        actions=two_ways,
        finite=False,
    )
    with pytest.raises(ThreefoldError, match=r"field stones reached -[\d,]+ and falls"):
        debt.solve(megabytes=4)


def two_ways(s: nim.State, out: Any) -> int:
    out[0], out[1] = 1, 2
    return 2


def test_what_comes_to_an_end_is_not_named() -> None:
    rows = np.arange(80).reshape(40, 2)
    assert growing_field(("a", "b"), rows) == ("b", 79)
    assert growing_field(("a", "b"), rows[:4]) is None  # too few to tell
    assert growing_field(("a", "b"), rows % 20) is None  # comes round
    assert growing_field(("a",), rows[::-1]) is None  # a number that shrinks
    assert growing_field(("a",), 1 << np.arange(40).reshape(40, 1)) is None  # a bitboard


# The names of arguments in messages.


@pytest.mark.parametrize(
    ("asked", "python", "command"),
    [
        (argument("megabytes"), "megabytes=", "--memory"),
        (argument("megabytes", 0), "megabytes 0", "--memory 0"),
        (argument("playouts_on", "gpu"), "playouts_on gpu", "--playouts-on gpu"),
        (argument("time", "a\0b\0c"), "time a?b?c", "--time a?b?c"),
    ],
)
def test_arguments_in_messages(
    asked: str,
    python: str,
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: Any) -> int:
        raise ThreefoldError(f"{asked} is no use")

    monkeypatch.setattr("threefold.cli.games.run", refuse)
    assert str(ThreefoldError(f"{asked} is no use")) == f"{python} is no use"
    assert main(["games"]) == 2
    assert capsys.readouterr().err == f"threefold: {command} is no use\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("solve", "othello", "--method", "graph", "--memory", "1"), "a larger --memory may be"),
        (("solve", "nim", "--memory", "0"), "--memory 0 is not a whole number"),
        (("solve", "nim", "--time", "-1"), "--time -1.0 is not a number of seconds"),
        (("analyze", "nim", "--method", "mcts", "--exact"), "no exact mode; leave out --exact"),
        (("analyze", "nim", "--playouts-on", "gpu"), "--playouts-on 'gpu' is mcts's"),
        (("perft", "nim", "--depth", "-1"), "--depth -1 is not a whole number"),
    ],
)
def test_the_command_line_names_its_own_options(
    command: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    assert said in capsys.readouterr().err


def test_the_textbook_names_its_own_too(capsys: pytest.CaptureFixture[str]) -> None:
    with at_most(100), pytest.raises(ThreefoldError, match=r"reduce the depth \(depth=\)"):
        nim.nim().explain("minimax")
    with at_most(100):
        assert main(["explain", "minimax", "--game", "nim"]) == 2
    assert "reduce the depth (--depth)" in capsys.readouterr().err
