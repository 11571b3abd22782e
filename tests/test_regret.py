"""Games of hidden information, solved: what OpenSpiel finds, and what must hold for any game."""

import _thread
import random
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest
from guessing import guessing
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import Shell

from threefold import Game, ThreefoldError, game
from threefold.engine.clock import Clock
from threefold.engine.control import Control
from threefold.engine.limits import Limits
from threefold.engine.records import allocate, boxed, interpreted_record
from threefold.engine.running import Running
from threefold.errors import BrokenRules, Unsolved
from threefold.games.poker.rules import CALL, RAISE
from threefold.rules.rebind import interpreted
from threefold.solve import any_game, sequence_form
from threefold.solve.equilibrium import Equilibrium, observation_text
from threefold.solve.profile import Profile, profile, uniform
from threefold.solve.regret import Rounds, play_rounds
from threefold.solve.regret_search import _Listed, solved_by_regret
from threefold.solve.sampled_regret import Samples, play_samples
from threefold.solve.sequence_form import SequenceForm, _Interpreted, listing_of
from threefold.textbook.matrix import parse_matrix
from threefold.textbook.mixture import solve as solve_matrix

EXAMPLES = Path(__file__).parents[1] / "examples"
LIARS = str(EXAMPLES / "liars_dice.py")
#: Our games and OpenSpiel's.
PAIRS = {
    "kuhn-poker": "kuhn_poker",
    "leduc-poker": "leduc_poker",
    f"{LIARS}(faces=3)": "liars_dice(dice_sides=3)",
}


def form_of(g: Game[Any]) -> SequenceForm[Any]:
    form = listing_of(g, 64, allocate(Control)).form()
    assert form is not None
    return form


def solved(spec: str, **options: Any) -> Equilibrium[Any]:
    return solved_by_regret(game(spec), progress=False, **options)


# Against OpenSpiel.


def theirs(spec: str) -> Any:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not to be had here")
    return pyspiel, pyspiel.load_game(PAIRS[spec])


def their_states(form: SequenceForm[Any], peer: Any) -> dict[int, Any]:
    """For each of our information sets, a state of theirs in it; moves are in the same order."""
    g = form.game
    numbers = {
        (form.owner(i), g.observe(form.example(i), form.owner(i))): i
        for i in range(len(form.first))
    }
    found: dict[int, Any] = {}

    def compare(s: Any, t: Any) -> None:
        if not t.is_terminal():
            if not t.is_chance_node():
                p = g.player(s)
                assert p == t.current_player()
                found.setdefault(numbers[p, g.observe(s, p)], t)
            for a, b in zip(g.moves(s), t.legal_actions(), strict=True):
                compare(g.result(s, a), t.child(b))

    compare(g.initial(), peer.new_initial_state())
    assert len(found) == len(form.first)
    return found


def with_their_policy(form: SequenceForm[Any], peer: Any, policy: dict[str, Any]) -> Profile[Any]:
    """Their policy, by information state, as a profile of ours."""
    counts = np.zeros(len(form.move))
    for i, t in their_states(form, peer).items():
        counts[form.own(i)] = [chance for _, chance in policy[t.information_state_string()]]
    return profile(form, counts)


def exploitability(of: Profile[Any]) -> float:
    low, high = of.bounds
    return (high - low) / 2


@pytest.mark.parametrize(
    ("spec", "sets", "known"), [("kuhn-poker", 12, 0.458333), ("leduc-poker", 936, 2.373611)]
)
def test_all_moves_alike_can_be_exploited_as_published(spec: str, sets: int, known: float) -> None:
    form = form_of(game(spec))
    assert len(form.first) == sets
    assert exploitability(uniform(form)) == pytest.approx(known, abs=1e-6)


@pytest.mark.parametrize("spec", PAIRS)
def test_open_spiel_judges_its_policies_as_we_do(spec: str) -> None:
    pyspiel, peer = theirs(spec)
    form = form_of(game(spec))
    for seed in range(3):
        choose = random.Random(seed)
        table = {}
        for state, row in pyspiel.CFRSolver(peer).tabular_average_policy().policy_table().items():
            parts = [choose.random() ** 3 for _ in row]
            table[state] = [(a, part / sum(parts)) for (a, _), part in zip(row, parts, strict=True)]
        theirs_is = pyspiel.nash_conv(peer, pyspiel.TabularPolicy(table), True) / 2
        ours = exploitability(with_their_policy(form, peer, table))
        assert ours == pytest.approx(theirs_is, abs=1e-9)


@pytest.mark.parametrize("spec", PAIRS)
@pytest.mark.parametrize(("method", "solver"), [("cfr", "CFRSolver"), ("cfr+", "CFRPlusSolver")])
def test_every_iteration_is_open_spiels(spec: str, method: str, solver: str) -> None:
    pyspiel, peer = theirs(spec)
    other = getattr(pyspiel, solver)(peer)
    for done in range(1, 13):
        other.evaluate_and_update_policy()
        if done in (1, 2, 5, 12):
            ours = solved(spec, method=method, iterations=done)
            average = other.tabular_average_policy()
            assert ours.exploitability == pytest.approx(
                pyspiel.nash_conv(peer, average, True) / 2, abs=1e-9
            )
            value = pyspiel.expected_returns(peer.new_initial_state(), average, -1, True, 0.0)[0]
            assert ours.value == pytest.approx(value, abs=1e-9)


# Known values.


@pytest.mark.parametrize("method", ["cfr", "cfr+", "external"])
def test_kuhn_poker_is_worth_minus_an_eighteenth(method: str) -> None:
    found = solved("kuhn-poker", method=method, exploitability=0.005)
    assert found.exploitability is not None
    assert found.bounds is not None
    assert found.exploitability <= 0.005
    assert found.complete
    assert not found.exact
    low, high = found.bounds
    assert low <= -1 / 18 <= high
    assert low <= found.value <= high
    assert found.exploitability == pytest.approx((high - low) / 2)
    assert found.value == pytest.approx(-1 / 18, abs=found.error)


def test_kuhn_pokers_strategy_is_kuhns() -> None:
    """He found all of MAX's: bet a king three times as often as a jack, at most always."""
    found = solved("kuhn-poker")
    g = found.game

    def chance(position: str, move: str) -> float:
        s = g.parse(position)
        return found.chances(s)[g.parse_move(s, move)]

    bluff = chance("J Q", "bet")
    assert 0 <= bluff <= 1 / 3 + 0.01
    near = 0.01
    assert chance("K Q", "bet") == pytest.approx(3 * bluff, abs=near)
    assert chance("Q K", "bet") == pytest.approx(0, abs=near)
    assert chance("Q K check bet", "call") == pytest.approx(bluff + 1 / 3, abs=near)
    assert chance("J K check bet", "call") == pytest.approx(0, abs=near)
    assert chance("K J check bet", "call") == pytest.approx(1, abs=near)
    assert chance("K J check", "bet") == pytest.approx(1 / 3, abs=near)
    assert chance("K Q bet", "call") == pytest.approx(1 / 3, abs=near)
    assert chance("J K check", "bet") == pytest.approx(1, abs=near)


def test_leduc_pokers_value() -> None:
    found = solved("leduc-poker", exploitability=3e-4)
    assert found.exploitability is not None
    assert found.exploitability <= 3e-4
    assert found.value == pytest.approx(-0.0856, abs=3e-4)
    assert found.nodes == 9457


@pytest.mark.parametrize(("faces", "value"), [(2, 1 / 2), (3, 1 / 9), (4, 1 / 16)])
def test_liars_dice(faces: int, value: float) -> None:
    found = solved(f"{LIARS}(faces={faces})", exploitability=1e-4)
    assert found.value == pytest.approx(value, abs=2e-4)


def test_who_does_not_see_a_coin_stops() -> None:
    found = solved_by_regret(guessing(), progress=False)
    assert found.value == pytest.approx(1, abs=1e-4)
    (first,) = (each for each in found.advice if each.position.done == 0)
    assert first.chances[0] == pytest.approx(1, abs=1e-4)


# Any matrix game is one of hidden information: MIN does not see MAX's row.


def of_matrix(rows: list[list[int]]) -> Game[Any]:
    """States are plain tuples, of MAX's row and MIN's column, so rules are not compiled."""

    def actions(s: tuple[int, ...], out: Any) -> int:
        n = (len(rows), len(rows[0]), 0)[len(s)]
        for i in range(n):
            out[i] = i
        return n

    return Game(
        "Matrix",
        initial=tuple,
        player=lambda s: len(s) % 2,
        actions=actions,
        result=lambda s, a: (*s, a),
        utility=lambda s: rows[s[0]][s[1]],
        observe=lambda s, p: (len(s), *(s if p == 0 else ())),
        max_moves=4,
        max_ply=2,
    )


@settings(max_examples=25)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(-5, 5), min_size=width, max_size=width), min_size=1, max_size=4
        )
    )
)
def test_matrix_games_have_their_value(rows: list[list[int]]) -> None:
    found = solved_by_regret(of_matrix(rows), exploitability=0.02, progress=False)
    assert found.bounds is not None
    low, high = found.bounds
    text = "; ".join(" ".join(map(str, row)) for row in rows)
    exact = float(solve_matrix(parse_matrix(text)).value)
    assert low - 1e-9 <= exact <= high + 1e-9
    assert high - low <= 0.04 + 1e-9
    # Nobody gets more by a move that they never make, or less than the value by one they do.
    mine, other = (dict(zip(a.moves, a.chances, strict=True)) for a in found.advice)
    against = [sum(rows[i][j] * other[j] for j in other) for i in mine]
    assert max(against) == pytest.approx(high, abs=1e-9)


# Both ways.


@pytest.mark.parametrize("spec", PAIRS)
def test_compiled_rules_list_the_same(spec: str) -> None:
    g = game(spec)
    compiled = form_of(g)
    interpreted = _Interpreted(g, allocate(Control)).form()
    assert interpreted is not None
    for name in ("parent", "first", "count", "sets", "sequences", "move", "row", "column"):
        assert np.array_equal(getattr(compiled, name), getattr(interpreted, name)), name
    assert compiled.payoff == pytest.approx(interpreted.payoff, abs=1e-12)
    assert compiled.positions == interpreted.positions
    assert [compiled.example(i) for i in range(5)] == interpreted.examples[:5]


def test_rounds_are_the_same_interpreted() -> None:
    form = form_of(game("kuhn-poker"))
    averages = []
    for compiled in (False, True):
        start, size = uniform(form), len(form.move)
        rounds = allocate(Rounds)
        rounds.plus, rounds.most = 1, 30
        average = np.zeros(size)
        own = (np.zeros(size), start.strategy, start.plan, average, np.zeros(size), np.zeros(size))
        known = (form.parent, form.first, form.count, form.sets, form.sequences)
        run = any_game.entry(play_rounds) if compiled else play_rounds
        matrix = (form.row, form.column, form.payoff)
        run(*known, *matrix, *own, boxed(rounds), boxed(allocate(Control)))
        assert rounds.done == 30
        averages.append((average.tolist(), rounds.exploitability))
    assert averages[0][0] == pytest.approx(averages[1][0], abs=1e-9)
    assert averages[0][1] == pytest.approx(averages[1][1], abs=1e-9)


def test_samples_are_the_same_interpreted() -> None:
    g = game("kuhn-poker")
    compiled, plies, moves = g.compiled(), g.facts.max_ply + 1, g.facts.max_moves
    found = []
    for compiled_way in (False, True):
        play = (
            compiled.entry(play_samples)
            if compiled_way
            else interpreted(cast("FunctionType", play_samples), g)
        )
        samples = (allocate if compiled_way else interpreted_record)(Samples, moves)
        samples.most, samples.random = 200, 5
        # Python's own integers, where the rules are Python's.
        kind: Any = np.int64 if compiled_way else object
        tables = (np.zeros((16, 3), kind), np.zeros((16, 6), kind), np.zeros(64, kind))
        options = np.zeros((64, 2))
        scratch = (np.zeros((2 * plies, moves), kind), *np.zeros((2, plies, moves)))
        play(*tables, options, *scratch, boxed(samples) if compiled_way else [samples])
        assert samples.sets == 12
        found.append((tables[0].tolist(), options.tolist(), int(samples.nodes)))
    assert found[0] == found[1]


# Sampling.


def test_sampling_depends_on_the_seed_alone() -> None:
    one, same, other = (
        solved("kuhn-poker", method="external", iterations=300, seed=seed) for seed in (1, 1, 2)
    )
    assert one.advice == same.advice
    assert one.advice != other.advice


def test_sampling_makes_room_for_more_sets() -> None:
    found = solved(f"{LIARS}(faces=6)", method="external", iterations=60)
    assert len(found.advice) == 24576
    assert found.exploitability is not None


def test_a_game_that_is_too_large_to_list_is_sampled_and_not_judged(shell: Shell) -> None:
    spec = f"{LIARS}(faces=8)"
    with pytest.raises(ThreefoldError, match="does not fit into 8 MB; a larger megabytes= may be"):
        solved(spec, megabytes=8)
    found = solved(spec, method="external", iterations=20, megabytes=8)
    assert found.exploitability is None
    assert found.bounds is None
    assert "exploitability: not known" in str(found)
    assert -1 <= found.value <= 1
    s = found.game.parse("3 5 1x1")
    assert sum(found.chances(s).values()) == pytest.approx(1)
    answer = found.to_json()
    assert answer["exploitability"] is None
    assert answer["bounds"] is None
    with pytest.raises(ThreefoldError, match="information sets and more do not fit into 1 MB"):
        solved(spec, method="external", iterations=20000, megabytes=1)


def test_where_sampling_never_came_to_all_moves_are_as_likely() -> None:
    found = solved("leduc-poker", method="external", iterations=1)
    shorter = replace(found, advice=found.advice[:1])
    s = found.game.parse("Js Qh bet raise")
    assert shorter.chances(s) == {0: 0.5, 1: 0.5}


# What cannot be solved.


def forgetful(s: Any, p: int) -> tuple[int, ...]:
    """A player forgets the card once something was done."""
    own = s.first if p == 0 else s.second
    return (0 if s.betting else own, s.table, s.betting, s.later, s.turn)


def telling(s: Any, out: Any) -> int:
    """MAX must check where MIN holds a king."""
    if s.betting == 0 and s.second == 3:
        out[0] = CALL
        return 1
    if s.betting == 0:
        out[0], out[1] = CALL, RAISE
        return 2
    return 0


def poker(**changes: Any) -> Game[Any]:
    """Kuhn poker with another hook, as a user may have written it."""
    g = game("kuhn-poker")
    facts = {name: getattr(g.facts, name) for name in ("max_moves", "max_ply", "move_range")}
    hooks = {name: hook for name, hook in g.hooks.items() if name != "deal"}
    return Game("Mine", **{**hooks, **facts, "format": g.format, "parse": g.parse, **changes})


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"observe": forgetful},
            "J Q check bet and Q J check bet look the same to the first player, who came there by "
            "other moves or knew other things on the way; observe keeps what a player knew and did",
        ),
        (
            {"actions": telling, "is_terminal": None},
            "J Q and J K look the same to the first player, who has other moves in each; actions "
            "lists the same moves in the same order wherever observe is the same",
        ),
    ],
)
def test_who_forgets_or_is_told_is_named(
    changes: dict[str, Any], words: str, compiled: bool
) -> None:
    g, control = poker(**changes), allocate(Control)
    listing = listing_of(g, 64, control) if compiled else _Interpreted(g, control)
    with pytest.raises(BrokenRules, match=words):
        listing.form()


def test_a_game_that_lasts_too_long_is_named() -> None:
    g = poker(max_ply=3)
    with pytest.raises(BrokenRules, match="Mine: a game lasts longer than max_ply=3"):
        g.solve(progress=False)
    with pytest.raises(BrokenRules, match="Mine: a game lasts longer than max_ply=3"):
        g.solve(method="external", progress=False)


def test_too_many_positions_for_python_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_form, "MOST_INTERPRETED", 5)
    with pytest.raises(ThreefoldError, match="5 positions and more are too many for rules that"):
        of_matrix([[1, 2, 3], [4, 5, 6]]).solve(progress=False)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"finite": False}, "Mine may go on forever, so its strategies cannot be listed"),
        ({"zero_sum": False}, "solving by regrets is for zero-sum games, and Mine is not one"),
        (
            {"seat": lambda s: 0 if s.turn == 0 else 1, "seats": 4},
            "Mine: partners see different things",
        ),
        ({"observe": lambda s, p: s.turn}, "Mine: observe returned -1, not a tuple of whole"),
    ],
)
def test_games_of_another_kind_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ThreefoldError, match=words):
        poker(**changes).solve(progress=False)


def test_a_finished_position_has_a_value(shell: Shell) -> None:
    answer = shell.json("solve", "kuhn-poker", "J Q check check")
    assert (answer["value"], answer["best"], answer["pv"]) == (-1, None, [])


def test_sampling_ends_by_itself(shell: Shell) -> None:
    answer = shell.json("solve", "kuhn-poker", "--method", "external")
    assert 0 < answer["exploitability"] <= 0.01


def test_a_game_that_is_over_at_once_is_refused() -> None:
    with pytest.raises(ThreefoldError, match="Matrix is over before it begins"):
        solved_by_regret(replace_start(of_matrix([[1]]), (0, 0)), progress=False)


def replace_start(g: Game[Any], start: Any) -> Game[Any]:
    g.initial = lambda: start
    return g


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"position": "J Q"},
            "depends on how both players came there; it is solved from the start",
        ),
        ({"method": "graph"}, "method graph is for games of perfect information, and Kuhn poker"),
        ({"method": "cfr++"}, "no method 'cfr\\+\\+' for hidden information: did you mean cfr"),
        ({"detail": "best"}, "detail best is for games of perfect information"),
        ({"score": "chips"}, "score chips is for games of perfect information"),
        ({"nodes": 5}, "nodes 5 is for games of perfect information"),
        ({"iterations": 0}, "iterations 0 is not a whole number from 1"),
        ({"exploitability": -1.0}, "exploitability -1.0 is not a number above 0"),
        ({"exploitability": float("nan")}, "exploitability nan is not a number above 0"),
        ({"seed": -1}, "seed -1 is not a whole number from 0"),
        ({"megabytes": 0}, "megabytes 0 is not a whole number from 1"),
        ({"time": -1.0}, "time -1.0 is not a number of seconds above 0"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ThreefoldError, match=words):
        game("kuhn-poker").solve(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"iterations": 5}, "iterations 5 is for games of hidden information, and Nim is not one"),
        ({"exploitability": 0.1}, "exploitability 0.1 is for games of hidden information"),
        ({"seed": 1}, "seed 1 is for games of hidden information"),
        ({"method": "cfr+"}, "method cfr\\+ is for games of hidden information"),
    ],
)
def test_open_games_have_no_regrets(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ThreefoldError, match=words):
        game("nim").solve(**options)


# Stopping.


def test_a_time_limit_ends_it_with_the_best_so_far() -> None:
    found = solved("leduc-poker", time=0.3, exploitability=1e-12)
    assert found.iterations > 0
    assert not found.complete
    assert found.exploitability is not None


@pytest.mark.parametrize("method", ["cfr", "external"])
def test_stopped_before_the_first_iteration_nothing_is_known(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(Clock):
        def __init__(self, limits: Limits) -> None:
            super().__init__(limits)
            self.stop()

    monkeypatch.setattr("threefold.solve.regret_search.Clock", Stopped)
    with pytest.raises(Unsolved, match="stopped before the first iteration was over"):
        solved("kuhn-poker", method=method)


def test_the_progress_says_how_far_it_is() -> None:
    search = _Listed(game("kuhn-poker"), 64, Limits(), 20, 0.0, plus=True)
    assert search.describe(0.0) == "Kuhn poker: listing the game"
    search.run(lambda: None)
    assert search.describe(0.0).startswith("cfr+, 20 iterations, exploitability 0.0")
    assert search.describe(0.0).endswith("█" * 24)


# Playing by it.


def test_moves_depend_on_what_is_seen_alone() -> None:
    found = solved("leduc-poker", iterations=20)
    g = found.game
    one, other = (g.parse(f"{card} Qh bet call / Ks bet") for card in ("Js", "Kh"))
    assert [found.choose(one, seed) for seed in range(50)] == [
        found.choose(other, seed) for seed in range(50)
    ]


def test_moves_are_made_by_their_chances() -> None:
    found = solved("kuhn-poker")
    s = found.game.parse("J K check")
    chosen = [found.choose(s, seed) for seed in range(2000)]
    for a, chance in found.chances(s).items():
        assert chosen.count(a) / 2000 == pytest.approx(chance, abs=0.05)


def test_a_player_of_matches_plays_by_a_strategy(shell: Shell, tmp_path: Path) -> None:
    line = "cfr(iterations=500,exploitability=0.001,memory=64,method=cfr,seed=3)"
    file = str(tmp_path / "matches.db")
    match = ("--game", "kuhn-poker", "--games", "20", "--db", file)
    answer = shell.json("match", line, "random", *match)
    assert answer["games"] == 20
    assert answer["crashes"] == 0
    assert shell("match", "cfr", "random", "--game", "nim", "--games", "2", "--db", file) == 2
    assert "for games that hide something: Nim is solved without" in shell.err
    assert shell("match", "cfr(time=1)", "random", *match) == 2
    assert "cfr has no option time" in shell.err


# What is printed.


def test_the_answer_in_json(shell: Shell) -> None:
    answer = shell.json("solve", "kuhn-poker")
    assert {"game", "position", "value", "exploitability", "strategy"} <= answer.keys()
    assert answer["game"] == "kuhn-poker"
    assert answer["position"] == "- -"
    assert answer["value"] == pytest.approx(-1 / 18, abs=1e-4)
    assert 0 <= answer["exploitability"] <= 1e-5
    assert answer["bounds"][0] <= -1 / 18 <= answer["bounds"][1]
    assert answer["method"] == "cfr+"
    assert answer["iterations"] > 0
    assert len(answer["strategy"]) == 12
    for each in answer["strategy"]:
        assert [*each] == ["player", "observation", "moves"]
        assert sum(each["moves"].values()) == pytest.approx(1)
    named = {each["observation"]: each["moves"] for each in answer["strategy"]}
    assert [*named][:4] == ["J ?", "J ? check bet", "Q ?", "Q ? check bet"]
    assert named["? K bet"] == pytest.approx({"fold": 0, "call": 1}, abs=1e-3)


def test_the_answer_in_words(shell: Shell) -> None:
    assert shell("solve", "kuhn-poker", "--iterations", "1000") == 0
    lines = shell.out.splitlines()
    assert lines[0].startswith("value -0.0555")
    assert lines[0].endswith("chips for the first player, if both play as below")
    assert lines[1].startswith("the game's value is between -0.05")
    assert lines[2].startswith("exploitability 0.000")
    assert lines[4].split() == ["first", "player", "check", "bet"]
    assert [line.split()[0] for line in lines[5:8]] == ["J", "Q", "K"]
    assert lines[-1].startswith("cfr+, 1,000 iterations in ")
    assert lines[-1].endswith("12 information sets, 58 positions")


def test_long_strategies_are_cut_short(shell: Shell) -> None:
    assert shell("solve", "leduc-poker", "--iterations", "2", "--method", "cfr") == 0
    assert "… and 816 information sets more" in shell.out
    assert repr(solved("kuhn-poker", iterations=1)).startswith("value ")
    assert solved("kuhn-poker", iterations=1).headline().startswith("cfr+, 1 iterations")


def test_without_a_way_to_show_it_an_observation_is_its_words() -> None:
    g = poker()
    assert observation_text(g, g.parse("J Q check"), 1) == "2 0 2 0 1"
    matrix = of_matrix([[1, 2], [3, 4]])
    assert observation_text(matrix, (1,), 1) == "1"
    odd = Game(
        "Odd",
        initial=lambda: "",
        actions=lambda s, out: 0,
        result=lambda s, a: s,
        utility=lambda s: 0,
        player=lambda s: 0,
        observe=lambda s, p: f"seen by {p}",
    )
    assert observation_text(odd, "", 1) == "seen by 1"


def test_ctrl_c_gives_the_best_so_far() -> None:
    search = _Listed(game("leduc-poker"), 64, Limits(), 1 << 40, -1.0, plus=True)

    def interrupt() -> None:
        while search.found is None:
            time.sleep(0.01)
        _thread.interrupt_main()

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    found = Running(search).result()
    interrupter.join()
    assert found.iterations > 0
    assert found.exploitability is not None
    assert not found.complete
    assert search.found is not None
    with pytest.raises(Unsolved):
        search.answer()
