"""Monte Carlo tree search: what it proves is true, and what it guesses is near."""

import _thread
import math
import random
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import nim
import pytest
from test_compile import unpacks

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.engine.limits import Limits
from threefold.engine.mcts import MonteCarlo, mcts
from threefold.engine.result import Result
from threefold.engine.uct import Node
from threefold.errors import BrokenRules
from threefold.rules.contract import FINISHED

PLENTY = Limits(nodes=400_000)


@cache
def solver(g: Game[Any]) -> Callable[[Any], tuple[float, int]]:
    """A function of positions: MAX's value, and within how many plies the winner can end it."""

    @cache
    def value(s: Any) -> tuple[float, int]:
        moves = g.moves(s)
        if not moves:
            return g.utility(s), 0
        values = [value(g.result(s, a)) for a in moves]
        if g.player(s) == CHANCE:
            weights = [weight for _, weight in g.chances(s)]
            total = sum(w * v for w, (v, _) in zip(weights, values, strict=True))
            return total / sum(weights), 0
        sign = -1 if g.player(s) == 1 else 1
        best = max(sign * v for v, _ in values) * sign
        plies = [p for v, p in values if v == best]
        return best, 1 + (min(plies) if sign * best > 0 else max(plies))

    return value


def exact_value(g: Game[Any], s: Any) -> tuple[float, int]:
    """By brute force."""
    return solver(g)(s)


def random_positions(g: Game[Any], count: int, plies: int) -> list[Any]:
    """Unfinished positions where a player moves, a few random plies from the start."""
    rng = random.Random(3)
    positions: list[Any] = []
    while len(positions) < count:
        s = g.initial()
        for _ in range(rng.randrange(plies)):
            s = g.result(s, rng.choice(g.moves(s))) if g.moves(s) else s
        if g.moves(s) and g.player(s) != CHANCE:
            positions.append(s)
    return positions


def taking_one_keeps_the_turn(s: nim.State, a: int) -> nim.State:
    return nim.State(s.stones - a, s.turn if a == 1 else 1 - s.turn)


def taking_two_or_three_or_the_last(s: nim.State, out: Any) -> int:
    n = 0
    for a in range(1 if s.stones % 4 == 1 else 2, 4):
        if a <= s.stones:
            out[n] = a
            n += 1
    return n


def what_is_left_counts(s: nim.State) -> int:
    """A graded utility, zero included: MAX is paid for what MIN leaves lying, and vice versa."""
    return 3 - 2 * s.stones if s.turn == 1 else 2 * s.stones - 2


#: Wins, draws and grades, a player who moves twice, and rules with bounds and without.
SMALL_GAMES = {
    "tic-tac-toe": game("tic-tac-toe"),
    "misere nim": game("nim(heaps=1-2-3,misere=true)"),
    "connect three": game("connect-four(columns=4,rows=4,k=3)"),
    "othello": game("othello(size=4)"),
    "graded, the same player twice": nim.nim(
        initial=lambda: nim.State(15, 0),
        actions=taking_two_or_three_or_the_last,
        result=taking_one_keeps_the_turn,
        utility=what_is_left_counts,
    ),
    "bounds": nim.nim(initial=lambda: nim.State(15, 0), bounds=lambda s: (-1, 1)),
}
SMALL_NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] * (name in ("connect three", "othello")))
    for name in SMALL_GAMES
]


@pytest.mark.parametrize("name", SMALL_NAMES)
def test_what_is_proven_is_true(name: str) -> None:
    g = SMALL_GAMES[name]
    for s in random_positions(g, 12, 7):
        found = mcts(g, s, PLENTY, megabytes=64)
        sign = -1 if g.player(s) == 1 else 1
        value, plies = exact_value(g, s)
        assert found.exact, g.show(s)
        assert found.value == sign * value * (FINISHED if g.evaluations else 1)
        assert (found.win_in is None) == (value == 0)
        if found.win_in is not None:
            assert (found.win_in > 0) == (sign * value > 0)
            assert abs(found.win_in) >= plies, "no end is sooner than the soonest"
        assert found.best is not None
        assert exact_value(g, g.result(s, found.best))[0] == value


@pytest.mark.parametrize("name", SMALL_NAMES)
def test_bounds_hold_all_along(name: str) -> None:
    g = SMALL_GAMES[name]
    for s in random_positions(g, 4, 5):
        search = MonteCarlo(g, s, megabytes=16, seed=5)
        for nodes in (1, 10, 100, 1000):
            search.run(Limits(nodes=nodes))
            assert search.tree[0].low <= exact_value(g, s)[0] <= search.tree[0].high


@pytest.mark.parametrize("heaps", ["1-2-3", "1-2-4", "0-3-3", "2-2-1", "1-1-1", "2-3-4"])
def test_nim_is_won_where_the_heaps_do_not_cancel(heaps: str) -> None:
    g = game("nim")
    won = 0
    for heap in heaps.split("-"):
        won ^= int(heap)
    found = mcts(g, g.parse(f"{heaps} 1"), PLENTY)
    assert found.exact
    assert (found.value > 0) == (won != 0)
    assert found.win_in is not None
    assert (found.win_in > 0) == (won != 0)


def test_tic_tac_toe_is_proven_to_be_drawn() -> None:
    g = game("tic-tac-toe")
    found = mcts(g, g.initial(), Limits())
    assert (found.value, found.exact, found.win_in) == (0, True, None)


@pytest.mark.parametrize(
    ("spec", "position", "best", "win_in"),
    [
        ("tic-tac-toe", "XX./OO./... X", "c3", 1),
        ("tic-tac-toe", "XX./OO./X.. O", "c2", 1),
        ("tic-tac-toe", "XX./.O./... O", "c3", None),
        ("connect-four", "121212", "1", 1),
        ("connect-four", "12121", "1", None),
        ("connect-four", "4433", "2", 3),
    ],
)
def test_wins_are_taken_and_threats_met(
    spec: str, position: str, best: str, win_in: int | None
) -> None:
    g = game(spec)
    found = mcts(g, g.parse(position), Limits(nodes=20_000))
    assert found.to_json()["best"] in (best, "5" if position == "4433" else best)
    if win_in is not None:
        assert (found.win_in, found.exact) == (win_in, True)


def test_a_lost_game_is_known_to_be() -> None:
    """Two open ends: whatever is played, the other side wins on its next move."""
    g = game("connect-four")
    found = mcts(g, g.parse("44332"), Limits(nodes=20_000), multipv=7)
    assert found.exact
    assert found.win_in == -2
    assert len(found.lines) == 7
    assert {line.win_in for line in found.lines} == {-2}


# Chance.


@pytest.mark.parametrize("position", ["2 1 2", "3 1 3", "3 2 1", "4 2 3"])
def test_expectations_are_proven(position: str) -> None:
    g = game("dice-nim(loaded=true)")
    s = g.parse(position)
    found = mcts(g, s, PLENTY)
    value, sign = exact_value(g, s)[0], -1 if g.player(s) == 1 else 1
    assert found.exact
    assert found.value == pytest.approx(sign * value)
    assert found.best is not None
    assert exact_value(g, g.result(s, found.best))[0] == pytest.approx(value)


@pytest.mark.parametrize("position", ["8 1 1", "9 2 2", "12 1 3"])
def test_expectations_are_approached(position: str) -> None:
    g = game("dice-nim(loaded=true)")
    s = g.parse(position)
    found = mcts(g, s, Limits(nodes=100_000))
    value, sign = exact_value(g, s)[0], -1 if g.player(s) == 1 else 1
    assert found.value == pytest.approx(sign * value, abs=0.1)
    assert found.best is not None
    assert exact_value(g, g.result(s, found.best))[0] == pytest.approx(value, abs=0.05)


def test_nature_leaves_nothing_to_choose() -> None:
    g = game("dice-nim(loaded=true)")
    with pytest.raises(ThreefoldError, match="nature is to move"):
        mcts(g, g.initial(), Limits(nodes=10))


# The answer.


def answer(found: Result[Any]) -> Any:
    return found.lines, found.value, found.exact, found.nodes, found.selective_depth


@pytest.mark.parametrize("spec", ["connect-four", "othello", "dice-nim(loaded=true)"])
def test_a_seed_gives_the_same_answer(spec: str) -> None:
    g = game(spec)
    s = g.initial() if g.facts.deterministic else g.result(g.initial(), 3)
    runs = [mcts(g, s, Limits(nodes=3000), seed=seed, multipv=3) for seed in (7, 7, 8)]
    assert answer(runs[0]) == answer(runs[1])
    assert answer(runs[0]) != answer(runs[2])


@pytest.mark.parametrize("spec", ["tic-tac-toe", "othello(size=4)", "dice-nim(loaded=true)"])
def test_the_tree_is_the_same_both_ways(spec: str) -> None:
    g = game(spec)
    s = g.initial() if g.facts.deterministic else g.result(g.initial(), 3)
    compiled = MonteCarlo(g, s, megabytes=1)
    plain = MonteCarlo(g, s, megabytes=1)
    plain.prepare(interpreted=True)
    both = [answer(search.run(Limits(nodes=500), multipv=3)) for search in (compiled, plain)]
    assert both[0] == both[1]
    for node in range(plain.control.tree_size):
        assert [getattr(compiled.tree[node], name) for name in Node.__slots__] == [
            getattr(plain.tree[node], name) for name in Node.__slots__
        ]


@pytest.mark.parametrize("nodes", [1, 2, 1000])
def test_simulations_are_counted_exactly(nodes: int) -> None:
    g = game("connect-four")
    search = MonteCarlo(g, g.initial())
    found = search.run(Limits(nodes=nodes))
    assert found.nodes == nodes == search.tree[0].visits
    assert found.best in g.moves(g.initial())
    assert search.run(Limits(nodes=nodes)).nodes == 2 * nodes, "it can be gone on with"


def test_visits_and_totals_add_up() -> None:
    g = game("othello")
    search = MonteCarlo(g, g.initial())
    search.run(Limits(nodes=5000))
    tree = search.tree
    for node in range(200):
        first = tree[node].first
        if first:
            children = range(first, first + tree[node].children)
            visited = sum(int(tree[child].visits) for child in children)
            assert visited == tree[node].visits - (node != 0)


def test_lines_are_playable_and_the_best_comes_first() -> None:
    g = game("connect-four")
    found = mcts(g, g.initial(), Limits(nodes=20_000), multipv=7)
    assert sorted(line.move for line in found.lines) == list(range(7))
    assert found.best == found.lines[0].move == 3
    assert found.value == found.lines[0].value
    for line in found.lines:
        assert line.pv[0] == line.move
        assert len(found.texts(line.pv)) == len(line.pv)
    assert found.depth == len(found.pv) > 3
    assert found.selective_depth >= found.depth


def test_a_move_that_is_sure_comes_before_one_that_only_looks_as_good() -> None:
    g = game("connect-four")
    found = mcts(g, g.parse("121212"), Limits(nodes=1000), multipv=7)
    assert found.lines[0].exact
    assert [line.exact for line in found.lines[1:]] == [False] * 6
    assert max(line.value for line in found.lines[1:]) <= FINISHED


def test_values_are_utilities_where_there_is_no_evaluation() -> None:
    g = nim.nim()
    assert -1 <= mcts(g, g.initial(), Limits(nodes=300)).value <= 1


def test_a_finished_game_has_its_value_and_no_line() -> None:
    g = game("connect-four")
    found = mcts(g, g.parse("1212121"), Limits(time=1))
    assert (found.value, found.exact, found.lines, found.nodes) == (-FINISHED, True, (), 0)
    assert found.best is None
    assert found.to_json()["pv"] == []


def test_rules_that_know_the_value_leave_nothing_to_simulate() -> None:
    """Nobody can fill a line any more."""
    g = game("connect-four")
    rng = random.Random(1)
    s = g.initial()
    while g.bounds(s) != (0, 0) or not g.moves(s):
        s = g.result(s, rng.choice(g.moves(s))) if g.moves(s) else g.initial()
    found = mcts(g, s, Limits(time=1))
    assert (found.value, found.exact, found.nodes) == (0, True, 0)
    assert found.best in g.moves(s)


def test_more_playouts_from_a_leaf() -> None:
    g = game("othello")
    one, four = (mcts(g, g.initial(), Limits(nodes=500), playouts=n) for n in (1, 4))
    assert one.nodes == four.nodes == 500
    assert one.value != four.value


# Limits of every kind.


def test_a_full_tree_goes_on_without_growing() -> None:
    g = game("connect-four")
    search = MonteCarlo(g, g.initial(), megabytes=1)
    found = search.run(Limits(nodes=400_000))
    assert found.nodes == 400_000
    assert 0.99 < found.table.full <= 1
    assert search.control.tree_size <= len(search.tree)
    assert found.best == 3


def test_a_game_without_end_is_cut() -> None:
    g = nim.nim(result=lambda s, a: nim.State(s.stones, 1 - s.turn), max_ply=30, finite=False)
    found = mcts(g, g.initial(), Limits(nodes=2000))
    assert found.nodes == 2000
    assert found.value == 0
    assert found.selective_depth <= 30


def test_time_ends_it() -> None:
    g = game("othello")
    assert mcts(g, g.initial(), Limits(time=0.05)).nodes > 10


def test_progress_is_reported_from_the_thread_that_waits() -> None:
    g = game("othello")
    said: list[tuple[Result[Any], int]] = []
    last = mcts(
        g,
        g.initial(),
        Limits(time=0.7),
        watch=lambda found: said.append((found, threading.get_ident())),
    )
    assert said
    assert {thread for _, thread in said} == {threading.get_ident()}
    assert all(0 < found.nodes <= last.nodes and found.lines for found, _ in said)


def test_another_thread_may_stop_it() -> None:
    g = game("othello")
    running = MonteCarlo(g, g.initial()).start(Limits())
    threading.Timer(0.1, running.stop).start()
    assert running.result().best is not None


def test_an_interrupt_gives_the_best_so_far() -> None:
    g = game("othello")
    search = MonteCarlo(g, g.initial())
    threading.Timer(0.2, _thread.interrupt_main).start()
    assert search.run(Limits()).best in g.moves(g.initial())


def test_an_interrupt_before_anything_is_known_is_passed_on() -> None:
    g = nim.nim()
    search = MonteCarlo(g, g.initial())
    over = threading.Event()
    search.prepare()
    search._trees[0].grow = over.wait
    threading.Timer(0.1, _thread.interrupt_main).start()
    threading.Timer(0.3, over.set).start()
    with pytest.raises(KeyboardInterrupt):
        search.run(Limits())


def test_what_a_listener_raises_ends_the_search() -> None:
    def listen(_: Result[Any]) -> None:
        raise ThreefoldError("enough")

    g = game("othello")
    with pytest.raises(ThreefoldError, match="enough"):
        mcts(g, g.initial(), Limits(), watch=listen)


# What cannot be.


def test_a_game_that_cannot_be_compiled_is_searched_all_the_same() -> None:
    g = nim.nim(bounds=lambda s: (-1, unpacks((1, s.stones))))
    found = mcts(g, nim.State(6, 0), Limits(nodes=300))
    assert found.best == 2
    assert found.exact


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limits": Limits(depth=3)}, "no depth to limit"),
        ({"exploration": -1}, "exploration -1 is not a number of at least 0"),
        ({"exploration": math.nan}, "exploration nan"),
        ({"exploration": "much"}, "exploration 'much'"),
        ({"multipv": 0}, "multipv 0"),
        ({"megabytes": 0}, "megabytes 0"),
        ({"playouts": 0}, "playouts 0"),
        ({"seed": 0.5}, "seed 0.5"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    g = nim.nim()
    with pytest.raises(ThreefoldError, match=message):
        mcts(g, g.initial(), **({"limits": Limits(nodes=1)} | options))


def test_games_of_another_kind_are_refused() -> None:
    hidden = nim.nim(observe=lambda s, p: s.turn)
    with pytest.raises(ThreefoldError, match="hides some"):
        mcts(hidden, hidden.initial(), Limits(nodes=1))
    generous = nim.nim(zero_sum=False)
    with pytest.raises(ThreefoldError, match="zero-sum"):
        mcts(generous, generous.initial(), Limits(nodes=1))


def test_a_utility_past_what_searches_hold_is_told_on() -> None:
    g = nim.nim(utility=lambda s: 1 << 40)
    with pytest.raises(BrokenRules, match="utility returned"):
        mcts(g, g.initial(), Limits(nodes=100))


def test_a_move_that_comes_late_in_most_games_is_tried() -> None:
    g = game("go(size=5)")  # white lives with two eyes, and wins by passing alone
    s = g.parse(".O.OO/OOOOO/XXXXX/X.X.X/.X.X. O")
    found = mcts(g, s, Limits(nodes=3000))
    assert found.value > 0
    assert found.texts(found.pv)[0] == "pass"
