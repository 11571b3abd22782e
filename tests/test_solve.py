"""Exact answers: every method, every detail, and what happens when it is stopped."""

import gc
import importlib
import json
import random
import weakref
from functools import reduce
from operator import xor
from typing import Any, NamedTuple

import nim
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_graph import State, random_graph
from test_compile import run_python

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.engine.values import above
from threefold.errors import BrokenRules, NotCompilable, Unsolved
from threefold.solve import graph as graphs
from threefold.solve.exact import ExactSearch
from threefold.solve.growing_table import GrowingTable
from threefold.solve.root import composite
from threefold.solve.solution import Solution

#: The module, which the function of the same name hides.
solving: Any = importlib.import_module("threefold.solve.work")
#: Small tables: memory that is never used is never fetched.
MEGABYTES = 16


def position_of(g: Game[Any], rng: random.Random, most: int) -> Any:
    """A position some random moves from the start, not finished."""
    while True:
        s = g.initial()
        for _ in range(rng.randrange(most)):
            s = g.result(s, rng.choice(g.moves(s))) if g.moves(s) else s
        if g.moves(s):
            return s


# The answers.


def test_tic_tac_toe_is_a_draw_whatever_the_first_move() -> None:
    g = game("tic-tac-toe")
    solution = g.solve()
    assert solution.value == 0
    assert solution.exact
    assert solution.complete
    assert solution.win_in is None
    assert len(solution.all_best) == len(solution.lines) == 9
    assert solution.depth == len(solution.pv) == 9
    assert solution.nodes == 5478
    assert solution.method == "graph"


SPECS = [
    "tic-tac-toe",
    "connect-four(columns=4,rows=4)",
    "othello(size=4)",
    "nim(heaps=3-4-5)",
    "kalah(pits=3,seeds=2)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_methods_agree(spec: str) -> None:
    g = game(spec)
    rng = random.Random(3)
    for _ in range(5):
        s = position_of(g, rng, 8)
        by_graph = g.solve(s, method="graph")
        for method in ("null-window", "table"):
            by_search = g.solve(s, method=method, megabytes=MEGABYTES)
            assert by_search.value == by_graph.value
            assert by_search.win_in == by_graph.win_in
            assert set(by_search.all_best) == set(by_graph.all_best)
            values = {line.move: (line.value, line.win_in) for line in by_graph.lines}
            for line in by_search.lines:
                value, win_in = values[line.move]
                assert line.value == value
                assert line.win_in in (win_in, None)
                if value == by_graph.value:
                    assert line.win_in == win_in


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("method", ["graph", "null-window", "table"])
def test_lines_lead_to_what_they_promise(spec: str, method: str) -> None:
    g = game(spec)
    s = position_of(g, random.Random(8), 6)
    for line in g.solve(s, method=method, megabytes=MEGABYTES).lines:
        t = s
        for a in line.pv:
            t = g.result(t, a)
        assert not g.moves(t)
        assert g.utility(t) == line.value * (1, -1)[g.player(s)]
        if line.win_in is not None:
            assert abs(line.win_in) == len(line.pv)


def test_proofs_agree_too() -> None:
    g = game("tic-tac-toe")
    rng = random.Random(4)
    for s in [g.initial(), *(position_of(g, rng, 7) for _ in range(5))]:
        by_graph, by_proof = g.solve(s), g.solve(s, method="proof", megabytes=MEGABYTES)
        assert by_proof.value == by_graph.value
        assert set(by_proof.all_best) == set(by_graph.all_best)
        values = {line.move: line.value for line in by_graph.lines}
        assert {line.move: line.value for line in by_proof.lines} == values
        best = g.solve(s, method="proof", detail="best", megabytes=MEGABYTES)
        assert set(best.all_best) == {line.move for line in best.lines} == set(by_graph.all_best)
        assert by_proof.win_in is None


def test_a_graded_game_is_nothing_for_proofs() -> None:
    with pytest.raises(ThreefoldError, match="won by more or by less; solve it by null windows"):
        game("othello(size=4)").solve(method="proof", megabytes=MEGABYTES)


@pytest.mark.parametrize("misere", [False, True])
def test_nim_by_the_rule(misere: bool) -> None:
    g = game(f"nim(heaps=3-4-5,misere={str(misere).lower()})")
    for heaps in [(3, 4, 5), (1, 4, 5), (1, 1, 1), (0, 1, 1), (2, 2, 0), (3, 3, 1), (0, 0, 1)]:
        text = "-".join(map(str, heaps)) + " 2"
        ones = max(heaps) == 1
        won = (reduce(xor, heaps) != 0) != (misere and ones)
        assert g.solve(text).value == (1 if won else -1), text


def test_the_quickest_win_and_the_slowest_loss_come_first() -> None:
    g = game("nim(heaps=3-4-5)")
    won = g.solve("0-0-4 1")
    assert g.format_move(g.parse("0-0-4 1"), won.best) == "3:4"  # type: ignore[arg-type]
    assert won.win_in == 1
    lost = g.solve("2-2-0 1")
    assert lost.value == -1
    assert lost.win_in == -4
    assert [line.win_in for line in lost.lines] == [-4, -4, -2, -2]
    assert len(lost.all_best) == 4


def test_four_by_four_othello_is_lost_by_eight_discs_and_two_empty_squares() -> None:
    """The second player wins 11 to 3 (Joel Feinstein counted the same on 6×6); empties are his."""
    solution = game("othello(size=4)").solve()
    assert solution.value == -10
    assert len(solution.all_best) == 4


def test_a_larger_game_goes_to_the_search() -> None:
    g = game("connect-four(columns=5,rows=4)")
    solution = g.solve(megabytes=MEGABYTES, detail="best")
    assert solution.method == "null-window"
    assert solution.value == 0
    assert solution.nodes > solving.TINY


# Chance.


@pytest.mark.parametrize("spec", ["dice-nim(stones=4)", "dice-nim(stones=4,loaded=true)"])
def test_dice_against_the_textbook(spec: str) -> None:
    g = game(spec)
    for s in [g.initial(), *(g.result(g.initial(), face) for face in g.moves(g.initial()))]:
        solution = g.solve(s)
        assert solution.value == pytest.approx(float(g.explain("expectiminimax", s).value))
        assert isinstance(solution.value, float)
        assert solution.win_in is None
        if g.player(s) == CHANCE:
            assert solution.best is None
            assert solution.pv == solution.all_best == ()
            assert solution.lines == ()
            assert str(solution).startswith(f"nature is to move; value for {g.sides[0]}: ")
        else:
            assert solution.best in solution.all_best
            assert len(solution.lines) == len(g.moves(s))
        assert str(solution)
        assert json.dumps(solution.to_json())


def test_where_nature_moves_only_the_graph_will_do() -> None:
    g = game("dice-nim(stones=4)")
    for method in ("null-window", "table", "proof"):
        with pytest.raises(ThreefoldError, match="games without chance, and Dice Nim has some"):
            g.solve(method=method)


# Circles.


class Token(NamedTuple):
    place: int
    turn: int


def corridor(**changes: Any) -> Game[Token]:
    """A token between two doors: MAX wants it out on the right, at 6, MIN on the left, at 0."""

    def initial() -> Token:
        return Token(3, 0)

    def actions(s: Token, out: Any) -> int:
        if s.place == 0 or s.place == 6:
            return 0
        out[0] = 0
        out[1] = 1
        return 2

    def result(s: Token, a: int) -> Token:
        return Token(s.place + (1 if a else -1), 1 - s.turn)

    def utility(s: Token) -> int:
        return 2 if s.place == 6 else -1

    hooks = {"initial": initial, "actions": actions, "result": result, "utility": utility}
    return Game("Corridor", **(hooks | changes))


def test_endless_play_is_a_draw_if_the_game_says_so() -> None:
    g = corridor(repeats=True, finite=False)
    drawn = g.solve()
    assert drawn.value == 0
    assert drawn.win_in is None
    assert [(line.move, line.value) for line in drawn.lines] == [(0, 0), (1, 0)]
    won = g.solve(Token(5, 0))
    assert (won.value, won.win_in, won.best) == (2, 1, 1)
    assert won.lines[1].value == 0
    lost = g.solve(Token(5, 1))
    assert lost.value == 0


def test_endless_play_that_decides_is_an_error_else() -> None:
    for g in (corridor(), corridor(finite=False)):
        with pytest.raises(ThreefoldError, match=r"go on forever.*declare repeats=True if it is"):
            g.solve()
        # The best move does not hang on it, though another does.
        won = g.solve(Token(5, 0), detail="best")
        assert (won.value, won.win_in, won.all_best) == (2, 1, (1,))
        with pytest.raises(ThreefoldError, match="go on forever"):
            g.solve(Token(5, 0))


def test_searches_refuse_what_repeats() -> None:
    for method in ("null-window", "table", "proof"):
        with pytest.raises(ThreefoldError, match=r"positions do not repeat.*solve it by its graph"):
            corridor(repeats=True).solve(method=method)


# Rules that cannot be compiled.


def in_words(s: State) -> str:
    return f"{s.seed}:{s.node}"


def out_of_words(text: str) -> State:
    return State(*map(int, text.split(":")))


def spoken(g: Game[State], **changes: Any) -> Game[str]:
    """The same game with texts for states."""
    return Game(
        "Spoken",
        initial=lambda: in_words(g.initial()),
        player=lambda s: g.player(out_of_words(s)),
        actions=lambda s, out: g.actions(out_of_words(s), out),
        result=lambda s, a: in_words(g.result(out_of_words(s), a)),
        utility=lambda s: g.utility(out_of_words(s)),
        **changes,
    )


@example(seed=9_330_501_126_207)
@given(seed=st.integers(0, 1 << 60))
@settings(max_examples=30)
def test_random_games_the_same_both_ways(seed: int) -> None:
    g = random_graph(repeats=True, finite=False)
    compiled, interpreted = g.solve(State(seed, 0)), spoken(g, repeats=True).solve(f"{seed}:0")
    assert compiled.lines == interpreted.lines
    assert (compiled.value, compiled.win_in) == (interpreted.value, interpreted.win_in)


def test_random_games_by_search() -> None:
    """Games of graded utilities in which a side may move twice running."""
    g = random_graph(forwards=True)
    for seed in range(60):
        s = State(seed, 0)
        by_graph = spoken(g).solve(f"{seed}:0")
        by_search = g.solve(s, method="null-window", megabytes=1)
        assert (by_search.value, by_search.win_in) == (by_graph.value, by_graph.win_in), seed
        assert set(by_search.all_best) == set(by_graph.all_best), seed


def test_what_cannot_be_compiled_is_not_searched() -> None:
    g = spoken(random_graph(forwards=True))
    assert g.solve().method == "graph"
    with pytest.raises(NotCompilable):
        g.solve(method="null-window")


def test_too_many_positions_for_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "MOST_INTERPRETED", 3)
    with pytest.raises(ThreefoldError, match="too many for rules that are not compiled"):
        spoken(random_graph(forwards=True)).solve("7:0")


def test_without_a_compiler() -> None:
    done = run_python(
        "from threefold import game; print(game('tic-tac-toe').solve().value)",
        NUMBA_DISABLE_JIT="1",
    )
    assert done.stdout.strip() == "0", done.stderr


# Details.


def test_details() -> None:
    g = game("tic-tac-toe")
    s = g.parse("XX./OO./... X")
    for method in ("graph", "null-window", "table", "proof"):
        value, best, moves = (
            g.solve(s, method=method, detail=detail, megabytes=MEGABYTES)
            for detail in ("value", "best", "moves")
        )
        assert value.value == best.value == moves.value == 1
        assert value.best == best.best == moves.best == g.parse_move(s, "c3")
        assert len(value.lines) == len(best.lines) == 1
        assert [line.value for line in moves.lines] == [1, 0, -1, -1, -1]


@pytest.mark.parametrize("method", ["graph", "null-window", "proof"])
def test_finished_positions(method: str) -> None:
    g = game("tic-tac-toe")
    lost = g.solve("XXX/OO./... O", method=method)
    assert (lost.value, lost.best, lost.pv, lost.win_in) == (-1, None, (), None)
    assert lost.exact
    assert str(lost) == "the game is over: -1, proven"
    said = lost.to_json()
    assert said["moves"] == said["pv"] == said["all_best"] == []
    assert said["best"] is None


def test_json_and_text() -> None:
    g = game("tic-tac-toe")
    said = g.solve("XX./OO./... X").to_json()
    assert list(said)[-1] == "all_best"
    assert said["all_best"] == [said["best"]] == ["c3"]
    assert (said["value"], said["win_in"], said["exact"]) == (1, 1, True)
    assert said["moves"][1] == {"move": "c2", "value": 0, "pv": said["moves"][1]["pv"]}
    shown = str(g.solve("XX./OO./... X"))
    assert shown.splitlines()[0].strip() == "+1, won in 1  c3"
    assert "solved by graph" in shown


# Values.


def test_composite_values() -> None:
    for utility in (-7, -1, 1, 7):
        assert above(utility - 1) < composite(utility, 3) <= above(utility)
    assert composite(1, 3) > composite(1, 4)
    assert composite(-1, 3) < composite(-1, 4)
    assert above(-1) < composite(0, 9) == 0 <= above(0)


def test_distances_of_graded_utilities_are_given_up_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("threefold.solve.root._SPARE_NODES", -(10**9))
    g = game("othello(size=4)")
    solution = g.solve(method="null-window", megabytes=1)
    assert solution.value == -10
    assert solution.win_in is None
    assert solution.complete
    assert len(solution.all_best) == 4
    assert all(len(line.pv) == 1 for line in solution.lines)


def small_at_first(budget: int) -> property:
    """A table of 2 MB serves for so many nodes, and one of 16 MB is the largest."""
    return property(lambda table: budget if table.megabytes < 16 else None)


def test_a_small_table_comes_first_and_a_large_one_if_need_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    g = game("othello(size=4)")
    first = g.solve(method="null-window", megabytes=16)
    assert first.table.megabytes == 2
    sizes = set()
    for method in ("null-window", "table"):
        for budget in (100, 3000, 10_000):
            monkeypatch.setattr(GrowingTable, "nodes_worthwhile", small_at_first(budget))
            again = g.solve(method=method, megabytes=16)
            sizes.add(again.table.megabytes)
            assert again.complete
            assert set(again.lines) == set(first.lines)
    assert sizes == {2, 16}
    monkeypatch.setattr(GrowingTable, "nodes_worthwhile", small_at_first(1000))
    proven = game("tic-tac-toe").solve(method="proof", megabytes=16)
    assert proven.complete
    assert len(proven.all_best) == 9


def test_solutions_are_results() -> None:
    solution: Solution[Any] = game("nim(heaps=3-4-5)").solve()
    assert solution.player == 0
    assert solution.rate > 0
    assert "<table>" in solution._repr_html_()


class Walk(NamedTuple):
    left: int
    turn: int


def walk(length: int) -> Game[Walk]:
    """A step at a time, passing the turn on or keeping it; who is to move at the end has lost."""

    def actions(s: Walk, out: Any) -> int:
        out[0] = 0
        out[1] = 1
        return min(s.left, 2)

    def result(s: Walk, a: int) -> Walk:
        return Walk(s.left - 1, s.turn if a == 1 else 1 - s.turn)

    return Game(
        "Walk",
        initial=lambda: Walk(length, 0),
        actions=actions,
        result=result,
        utility=lambda s: 1 if s.turn == 1 else -1,
        max_moves=2,
        max_ply=length,
    )


@pytest.mark.slow
def test_a_game_longer_than_a_value_can_tell() -> None:
    g = walk(5000)
    assert g.solve(method="graph").win_in == 5000
    for method in ("null-window", "table"):
        with pytest.raises(ThreefoldError, match=r"longer than the 4092 plies .* by its graph"):
            g.solve(method=method)
    assert walk(300_000).solve().value == 1


def test_fractions_are_refused() -> None:
    g = nim.nim(utility=lambda s: 0.5)
    with pytest.raises(BrokenRules, match=r"utility returned 0\.5"):
        g.solve()
    with pytest.raises(NotCompilable, match=r"utility is 0\.5, not a whole number"):
        g.analyze()


WON_BY_THE_LAST_STONE = "44444411111177"


def test_scores_of_what_is_known() -> None:
    g = game("connect-four")
    every = g.solve(WON_BY_THE_LAST_STONE, megabytes=MEGABYTES).scored("pons")
    best = g.solve(WON_BY_THE_LAST_STONE, detail="best", megabytes=MEGABYTES).scored("pons")
    assert (best.value, best.all_best) == (every.value, every.all_best)
    seen = set()
    for nodes in range(1000, every.nodes, every.nodes // 25):
        try:
            found = g.solve(WON_BY_THE_LAST_STONE, nodes=nodes, megabytes=MEGABYTES)
        except Unsolved:
            seen.add("unsolved")
            continue
        assert found.best in g.moves(found.position)
        try:
            assert found.scored("pons").value == every.value
            seen.add("scored")
        except Unsolved as error:
            assert "when the game ends" in str(error)
            seen.add("no distance")
    assert "scored" in seen


def test_a_table_goes_with_its_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a smaller one did not suffice: nothing waits for the garbage collector."""
    searches: list[weakref.ref[Any]] = []

    class Watched(ExactSearch[Any]):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            searches.append(weakref.ref(self))

    monkeypatch.setattr("threefold.solve.memory.ExactSearch", Watched)
    monkeypatch.setattr(GrowingTable, "nodes_worthwhile", small_at_first(1000))
    g = game("kalah(pits=3,seeds=3)")
    gc.disable()
    try:
        assert g.solve(method="null-window", megabytes=16, progress=False).value == 2
        assert [search() for search in searches] == [None]
    finally:
        gc.enable()
