"""Rollouts: unbiased, with little luck left in them, and the same games in every way of playing.

The oracles are the value of the policy that rollouts play, found by going through all rolls, and
the exact solution where that policy is perfect.
"""

import json
from collections import Counter
from functools import cache
from types import FunctionType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_nets import random_net

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.arena.lines import parse_line
from threefold.arena.players import make
from threefold.cli.main import main
from threefold.engine.limits import Limits
from threefold.engine.records import interpreted_record
from threefold.engine.rollout_games import NOTES, Rollout, play_out, share_of_roll
from threefold.engine.rollout_result import Options, RolloutResult
from threefold.engine.rollout_threads import OnThreads
from threefold.engine.rollouts import GIVE_UP_AFTER, start_rollouts
from threefold.games.dice_nim.notation import notation
from threefold.games.dice_nim.rules import State, rules
from threefold.protocols.player import Budget, Turn
from threefold.rules.contract import FINISHED
from threefold.rules.rebind import interpreted

STONES, FACES = 12, 4


@cache
def judged(seed: int) -> Game[Any]:
    g = game(f"dice-nim(stones={STONES},faces={FACES},loaded=true)")
    return g.judged_by(random_net(g, seed))


def with_evaluation(evaluate: Any) -> Game[State]:
    hooks = rules(STONES, FACES, True)
    return Game("Judged dice nim", **hooks, **notation(STONES, FACES), evaluate=evaluate)


@cache
def remainders() -> Game[State]:
    """An evaluation that knows something, but far from all."""
    return with_evaluation(lambda s: (s.stones % 5 * 100 - 200) * (1 - 2 * s.turn))


@cache
def perfect() -> Game[State]:
    """An evaluation that is the solution."""
    exact = game(f"dice-nim(stones={STONES},faces={FACES},loaded=true)")
    values = tuple(
        round(FINISHED * exact.solve(f"{n} 1", progress=False).value) for n in range(1, STONES + 1)
    )
    return with_evaluation(lambda s: values[s.stones - 1] * (1 - 2 * s.turn) if s.stones else 0)


def rolled(
    g: Game[Any], position: str, games: int | None, limits: Limits | None = None, **others: Any
) -> RolloutResult[Any]:
    names = {"multipv", "threads"}
    more = {name: others.pop(name) for name in names & others.keys()}
    options = Options(games=games, **others)
    found = start_rollouts(g, g.parse(position), limits or Limits(), options, **more).result()
    assert isinstance(found, RolloutResult)
    return found


def policy_value(g: Game[Any], s: Any, rolls: int) -> float:
    """What MAX gets where both sides do as the evaluation says, and a game has so many rolls."""
    if not g.moves(s):
        return g.utility(s)
    if g.player(s) == CHANCE:
        if rolls == 0:
            return g.evaluate(s) / FINISHED
        events = g.chances(s)
        total = sum(w * policy_value(g, g.result(s, e), rolls - 1) for e, w in events)
        return total / sum(w for _, w in events)
    sign = 1 if g.player(s) == 0 else -1

    def seems(child: Any) -> float:
        return sign * (g.utility(child) * FINISHED if not g.moves(child) else g.evaluate(child))

    children = [g.result(s, a) for a in g.moves(s)]
    return policy_value(g, max(children, key=seems), rolls)


@pytest.mark.parametrize("reduce_variance", [True, False])
@pytest.mark.parametrize("truncate", [None, 3])
def test_the_mean_is_the_value_of_the_policy(reduce_variance: bool, truncate: int | None) -> None:
    for g in (remainders(), judged(1)):
        for position in ("12 1 4", "9 2 3", "7 1"):
            s = g.parse(position)
            found = rolled(
                *(g, position, 2000),
                truncate=truncate,
                reduce_variance=reduce_variance,
                multipv=FACES,
            )
            for each in found.rolled:
                after = s if each.move is None else g.result(s, each.move)
                sign = -1 if g.player(s) == 1 else 1
                expected = sign * policy_value(g, after, truncate or STONES)
                assert abs(each.mean - expected) <= 4.5 * each.error + 0.002, (position, each)


def test_luck_explains_most_of_the_results() -> None:
    for g, most in ((perfect(), 0.01), (remainders(), 0.95)):
        found = rolled(g, "12 1 4", 500).rolled[0]
        assert found.error < most * found.plain_error


def test_a_perfect_evaluation_rolls_out_to_the_solution() -> None:
    exact = game(f"dice-nim(stones={STONES},faces={FACES},loaded=true)")
    for position in ("12 1 4", "11 2 3", "9 1 4", "6 2 4"):
        found, solved = rolled(perfect(), position, 40, multipv=9), exact.solve(position)
        assert found.best in solved.all_best
        values = {line.move: line.value for line in solved.lines}
        for each in found.rolled:
            assert each.move is not None
            assert each.mean == pytest.approx(values[each.move], abs=0.01)


@pytest.mark.parametrize(
    "options", [Options(), Options(truncate=2), Options(reduce_variance=False)]
)
def test_interpreted_and_compiled_play_the_same_games(options: Options) -> None:
    g = remainders()
    starts = [g.parse(text) for text in ("12 2", "8 1 3", "1 2", "0 1")]
    compiled = OnThreads(g, starts, options, 2)
    notes = compiled.play(range(len(starts)), 5, 60)
    assert isinstance(play_out, FunctionType)
    play = interpreted(play_out, g)
    memory = interpreted_record(Rollout, g.facts.max_moves)
    for name in ("seed", "max_rolls", "max_turns", "measure_luck"):
        setattr(memory, name, getattr(compiled.controls[0], name))

    for place, s in enumerate(starts):
        for number in range(5, 60):
            noted: dict[tuple[int, int], int] = {}
            play(s, number, noted, 0, memory)
            assert [int(noted[i, 0]) for i in range(NOTES)] == notes[place, :, number - 5].tolist()
    assert compiled.judge() == [
        (g.evaluate(s) if g.moves(s) else g.utility(s) * FINISHED) * 1024 for s in starts
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(-(1 << 63), (1 << 63) - 1))
def test_the_first_two_rolls_are_in_strata(first: int, second: int, seed: int) -> None:
    pairs = Counter(
        (
            share_of_roll(number, 0, first, first, 0, seed),
            share_of_roll(number, 1, second, first, 0, seed),
        )
        for number in range(first * second)
    )
    assert set(pairs.values()) == {1}
    assert set(pairs) == {(i, j) for i in range(first) for j in range(second)}


def test_later_rolls_are_fair() -> None:
    shares = Counter(share_of_roll(0, 2, 6, 6, 12345 + 77 * i, 1) for i in range(6000))
    assert all(abs(shares[i] - 1000) < 150 for i in range(6))


def test_threads_change_nothing() -> None:
    one, two = (rolled(judged(2), "12 1 4", 300, threads=n, multipv=4) for n in (1, 2))
    assert one.rolled == two.rolled


def test_the_seed_decides_the_games() -> None:
    means = [rolled(judged(2), "12 1 4", 100, seed=seed).rolled[0].plain_mean for seed in (1, 1, 2)]
    assert means[0] == means[1] != means[2]


def test_moves_far_behind_are_given_up() -> None:
    found = rolled(perfect(), "10 1 4", 2 * GIVE_UP_AFTER, margin=3000)
    best, *others = found.rolled
    assert best.games == 2 * GIVE_UP_AFTER
    assert others
    assert all(GIVE_UP_AFTER <= each.games < best.games for each in others)
    assert [each.behind for each in others] == sorted(each.behind for each in others)
    several = rolled(perfect(), "10 1 4", 2 * GIVE_UP_AFTER, margin=3000, multipv=4)
    assert {each.games for each in several.rolled} == {2 * GIVE_UP_AFTER}
    assert len(several.lines) == 4


def test_moves_to_roll_out_are_those_that_seem_best() -> None:
    g = remainders()
    found = rolled(g, "12 1 4", 36, candidates=2, margin=3000)
    assert {each.move for each in found.rolled} == {2, 1}  # 10 and 11 stones: 0 and 1 modulo 5
    assert len(rolled(g, "12 1 4", 36, margin=0).rolled) == 1


def test_a_game_that_is_over_and_one_that_ends_at_once() -> None:
    over = rolled(perfect(), "0 2", 36)
    assert (over.best, over.value, over.exact, over.rolled) == (None, -1000, True, ())
    last = rolled(perfect(), "1 2 1", 36)
    assert (last.best, last.value, last.rolled[0].results) == (1, 1000, {1: 36})


def test_time_and_nodes_end_it_in_the_middle() -> None:
    g = judged(1)
    timed = rolled(g, "12 1 4", None, Limits(time=0.1))
    assert timed.rolled[0].games > 0
    assert len({each.games for each in timed.rolled[:1]}) == 1
    few = rolled(g, "12 1 4", 1000, Limits(nodes=50))
    assert few.best in g.moves(g.parse("12 1 4"))
    assert few.nodes < 5000


def test_nature_rolls_first() -> None:
    found = rolled(perfect(), "12 1", 72)
    assert found.best is None
    assert not found.lines
    said = found.to_json()
    assert said["best"] is None
    assert said["moves"] == []
    assert [each["move"] for each in said["rollouts"]["moves"]] == [None]
    assert found.value == pytest.approx(perfect().evaluate(State(12, 0, 0)), abs=10)


FILE = """
from threefold.games.dice_nim.notation import notation
from threefold.games.dice_nim.rules import rules
from threefold import Game

own = Game("Own", **rules(9, 3, False), **notation(9, 3), evaluate=lambda s: 10 * s.stones)
"""


@pytest.fixture
def own(tmp_path: Any) -> str:
    (tmp_path / "own.py").write_text(FILE)
    return str(tmp_path / "own.py")


def test_the_command_line(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["analyze", own, "9 1 3", "--method", "rollout", "--games", "72", "--multipv", "2"]
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said)[:6] == ["game", "position", "player", "best", "value", "exact"]
    assert len(said["moves"]) == 2
    details = said["rollouts"]
    assert details["games"] == 72
    assert said["best"] == said["pv"][0] == details["moves"][0]["move"]
    assert said["value"] == pytest.approx(1000 * details["moves"][0]["mean"])
    assert sum(details["moves"][0]["results"].values()) == 72
    assert main([*command, "--truncate", "1"]) == 0
    assert "truncated: " in capsys.readouterr().out
    assert main([*command[:7], "--filter", "1,0", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rollouts"]["moves"]) == 1
    assert main([*command[:5], "--games", "1", "--json"]) == 0
    assert '"error": null' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess", "--method", "rollout"], "a game without chance, so every rollout would be"),
        (["dice-nim", "--method", "rollout"], "by an evaluation, and Dice Nim has none; train"),
        (["OWN", "--method", "rollout", "--depth", "2"], "rollouts look one ply ahead; --depth"),
        (["OWN", "--method", "rollout", "--exact"], "rollouts have no --exact"),
        (["OWN", "--method", "rollout", "--memory", "5"], "rollouts have no --memory"),
        (["OWN", "--method", "rollout", "--games", "0"], "--games 0 is not a whole number from 1"),
        (["OWN", "--method", "rollout", "--truncate", "0"], "--truncate 0 is not a whole number"),
        (["OWN", "--games", "5"], "--games is for --method rollout, not for alphabeta"),
        (["OWN", "--truncate", "5"], "--truncate is for --method rollout, not for alphabeta"),
        (["OWN", "--filter", "-1"], "--filter: '-1' is not K or K,MARGIN"),
        (["OWN", "--filter", "8,x"], "'8,x' is not K or K,MARGIN"),
        (["chess", "--filter", "8"], "moves are filtered by an evaluation, in games of chance"),
        (["OWN", "9 1 3", "--filter", "8", "--method", "mcts"], "mcts has no --filter"),
    ],
)
def test_what_cannot_be_rolled_out_is_said_in_a_line(
    own: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        assert main(["analyze", *(own if each == "OWN" else each for each in arguments)]) == 2
    except SystemExit as left:
        assert left.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_player_that_rolls_out() -> None:
    g = perfect()
    player = make(parse_line("rollout(games=36,filter=3,truncate=4)"), g, Budget())
    player.prepare()
    s = g.parse("9 1 4")
    reply = player.choose(Turn((s,), (), seed=7))
    assert (
        reply.move
        in game(f"dice-nim(stones={STONES},faces={FACES},loaded=true)")
        .solve("9 1 4", progress=False)
        .all_best
    )
    for line, message in (
        ("rollout", "needs games=N or time=SECONDS"),
        ("rollout(games=x)", "'x' is not a whole number above 0"),
        ("rollout(depth=2)", "rollout has no option depth"),
        ("rollout(games=5,filter=-1)", "filter=-1 is not a whole number"),
        ("rollout(games=5,luck=1)", "has no option 'luck'"),
    ):
        with pytest.raises(ThreefoldError, match=message.replace("(", r"\(")):
            make(parse_line(line), g, Budget())
    with pytest.raises(ThreefoldError, match="without chance"):
        make(parse_line("rollout(games=5)"), game("nim"), Budget())
