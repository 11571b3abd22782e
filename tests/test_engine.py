"""The compiled search against the textbook: the same values, moves that are truly best."""

import _thread
import gc
import random
import re
import threading
import time
import weakref
from typing import Any, NamedTuple

import nim
import pytest
from breakthrough import breakthrough
from test_compile import ALL_GAMES

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.values import PLIES, WON
from threefold.errors import BrokenRules
from threefold.rules.contract import FINISHED, MAX_VALUE

#: One engine a game, so that tables are used again and again: they must not change an exact value.
_engines: dict[str, Engine[Any]] = {}


def engine(spec: str) -> Engine[Any]:
    if spec not in _engines:
        _engines[spec] = Engine(game(spec), megabytes=1)
    return _engines[spec]


def random_position(g: Game[Any], rng: random.Random, plies: int) -> Any:
    s = g.initial()
    for _ in range(rng.randrange(plies + 1)):
        if not g.moves(s):
            break
        s = g.result(s, rng.choice(g.moves(s)))
    return s


def minimax(g: Game[Any], s: Any, depth: int) -> tuple[float, int]:
    """MAX's value and the plies to the end that decide between equal ones, by the book.

    The second number is what a win in so many plies is worth above a win in infinitely many.
    """
    moves = g.moves(s)
    per_utility = FINISHED if g.evaluations else 1
    if not moves:
        u = g.utility(s)
        return u * per_utility * _DECIDED, 0
    if depth == 0:
        return g.evaluate(s), 0
    values = [minimax(g, g.result(s, a), depth - 1) for a in moves]
    if g.player(s) == CHANCE:
        weights = [weight for _, weight in g.chances(s)]
        total = sum(w * v for w, (v, _) in zip(weights, values, strict=True))
        return total / sum(weights), 0
    pick = min if g.player(s) == 1 else max
    value, plies = pick(values, key=lambda pair: (pair[0], -pair[1] if pair[0] > 0 else pair[1]))
    return value, plies + (abs(value) >= _DECIDED)


#: In games without chance any win outweighs any guess.
_DECIDED = MAX_VALUE + 1


def expected(g: Game[Any], s: Any, depth: int) -> tuple[float, int | None]:
    """What `analyze(exact=True)` must say: the value to the mover, and win_in."""
    sign = -1 if g.player(s) == 1 else 1
    if not g.facts.deterministic:
        return sign * expectation(g, s, depth), None
    value, plies = minimax(g, s, depth)
    if abs(value) >= _DECIDED:
        value = value // _DECIDED if value > 0 else -(-value // _DECIDED)
        return sign * value, plies if sign * value > 0 else -plies
    return sign * value, None


def expectation(g: Game[Any], s: Any, depth: int) -> float:
    if not g.moves(s):
        return float(g.utility(s) * (FINISHED if g.evaluations else 1))
    if depth == 0:
        return float(g.evaluate(s))
    values = [expectation(g, g.result(s, a), depth - 1) for a in g.moves(s)]
    if g.player(s) == CHANCE:
        weights = [weight for _, weight in g.chances(s)]
        return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
    return min(values) if g.player(s) == 1 else max(values)


GAMES = [*ALL_GAMES, "nim(heaps=1-2-3,misere=true)", "othello(size=4)", "mnk(m=4,n=3,k=3)"]


@pytest.mark.parametrize("spec", GAMES)
def test_exact_analysis_is_minimax(spec: str) -> None:
    g, rng = game(spec), random.Random(spec)
    for _ in range(5):
        s = random_position(g, rng, 8)
        if not g.moves(s):
            continue
        for depth in (1, 2, 3):
            found = engine(spec).analyze(s, Limits(depth=depth), exact=True)
            value, win_in = expected(g, s, depth)
            assert found.value == pytest.approx(value, abs=1e-3)
            assert found.win_in == win_in


@pytest.mark.parametrize("spec", GAMES)
def test_every_line_has_its_true_value(spec: str) -> None:
    g, rng = game(spec), random.Random(spec)
    for _ in range(4):
        s = random_position(g, rng, 6)
        if not g.moves(s) or g.player(s) == CHANCE:
            continue
        found = engine(spec).analyze(s, Limits(depth=3), exact=True, multipv=1000)
        assert sorted(line.move for line in found.lines) == sorted(g.moves(s))
        for line in found.lines:
            child = g.result(s, line.move)
            value, _ = expected(g, child, 2)
            same_side = (g.player(child) == 1) == (g.player(s) == 1)
            assert line.value == pytest.approx(value if same_side else -value, abs=1e-3)
        values = [line.value for line in found.lines]
        assert values == sorted(values, reverse=True)


# Every idea of the search, on a game that has hooks for all of them.


def quiet_minimax(g: Game[Any], s: Any, depth: int, ply: int = 0) -> int:
    """The mover's value as the search counts it, with quiescence at the end of the depth."""
    moves = g.moves(s)
    sign = -1 if g.player(s) == 1 else 1
    if not moves:
        u = sign * g.utility(s)
        return (WON + PLIES - ply) * u
    if depth > 0:
        return max(-quiet_minimax(g, g.result(s, a), depth - 1, ply + 1) for a in moves)
    stand_pat = sign * g.evaluate(s)
    noisy = [-quiet_minimax(g, g.result(s, a), 0, ply + 1) for a in g.noisy_moves(s)]
    return max([stand_pat, *noisy])


def shown(value: int) -> tuple[float, int | None]:
    if abs(value) < WON:
        return value, None
    plies = WON + PLIES - abs(value)
    return (FINISHED, plies) if value > 0 else (-FINISHED, -plies)


def test_exact_analysis_is_minimax_with_quiescence() -> None:
    g, rng = breakthrough(), random.Random(4)
    searches = Engine(g, megabytes=1)
    for _ in range(8):
        s = random_position(g, rng, 9)
        if g.moves(s):
            for depth in (1, 2, 3, 4):
                found = searches.analyze(s, Limits(depth=depth), exact=True)
                assert (found.value, found.win_in) == shown(quiet_minimax(g, s, depth))


def brute_force(g: Game[Any], s: Any, known: dict[Any, int]) -> int:
    """MAX's utility with best play."""
    if s not in known:
        values = [brute_force(g, g.result(s, a), known) for a in g.moves(s)]
        known[s] = (min if g.player(s) == 1 else max)(values) if values else g.utility(s)
    return known[s]


@pytest.mark.parametrize(
    "hooks",
    [
        {},
        pytest.param({"bounds": lambda _: (-1, 1)}, marks=pytest.mark.slow),
        pytest.param({"reductions": False, "futility": 0}, marks=pytest.mark.slow),
        pytest.param({"null_move": None, "extend": None}, marks=pytest.mark.slow),
        pytest.param({"noisy": None}, marks=pytest.mark.slow),
    ],
    ids=["all", "bounds", "no pruning", "no null move", "no quiescence"],
)
def test_what_a_selective_search_proves_is_true(hooks: dict[str, Any]) -> None:
    """Reductions, null moves and futility may overlook a win, but never invent one."""
    g, rng = breakthrough(3, 5, **hooks), random.Random(7)
    searches = Engine(g, megabytes=1)
    known: dict[Any, int] = {}
    proven = 0
    for _ in range(30):
        s = random_position(g, rng, 6)
        if not g.moves(s):
            continue
        sign = -1 if g.player(s) == 1 else 1
        for depth in (2, 5, 9):
            found = searches.analyze(s, Limits(depth=depth))
            assert found.best in g.moves(s)
            if found.exact or found.win_in is not None:
                assert found.value == sign * brute_force(g, s, known) * FINISHED
                proven += 1
    assert proven > 10


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_an_exact_value(threads: int) -> None:
    g, rng = breakthrough(), random.Random(8)
    alone, together = Engine(g), Engine(g, threads=threads)
    for _ in range(10):
        s = random_position(g, rng, 6)
        for depth in (3, 5):
            one = alone.analyze(s, Limits(depth=depth), exact=True)
            many = together.analyze(s, Limits(depth=depth), exact=True)
            assert (one.value, one.win_in) == (many.value, many.win_in)


def test_an_analysis_is_reproducible() -> None:
    g = game("connect-four")
    runs = [Engine(g).analyze("44", Limits(depth=9), seed=5) for _ in range(2)]
    assert len({(r.best, r.value, r.pv, r.nodes) for r in runs}) == 1


def test_a_seed_chooses_among_equal_moves() -> None:
    g = game("tic-tac-toe")
    searches = Engine(g, megabytes=1)
    chosen = {searches.analyze(None, Limits(depth=9), seed=seed).best for seed in range(40)}
    assert len(chosen) > 4  # all nine draw
    tied = searches.analyze(None, Limits(depth=9), multipv=9).tied
    assert sorted(tied) == sorted(g.moves(g.initial()))


def test_the_soonest_win_and_the_latest_loss() -> None:
    g = nim.nim()
    found = g.analyze("stones=3,turn=0", depth=20)
    assert (found.best, found.value, found.win_in) == (3, 1, 1)
    lost = g.analyze("stones=8,turn=1", depth=20)
    assert (lost.value, lost.win_in, lost.exact) == (-1, -4, True)


def test_the_same_player_may_move_twice_running() -> None:
    def result(s: nim.State, a: int) -> nim.State:
        return nim.State(s.stones - a, s.turn if a == 1 else 1 - s.turn)

    g = nim.nim(result=result, initial=lambda: nim.State(9, 0), evaluate=lambda s: s.stones)
    searches = Engine(g, megabytes=1)
    for stones in range(1, 10):
        for turn in (0, 1):
            s = nim.State(stones, turn)
            for depth in range(1, 8):
                found = searches.analyze(s, Limits(depth=depth), exact=True)
                assert (found.value, found.win_in) == expected(g, s, depth)


# Draws by repetition.


class Ring(NamedTuple):
    mine: int
    yours: int
    turn: int


def ring(**changes: Any) -> Game[Ring]:
    """Two tokens on a line of six; a player steps left or right and wins by catching the other."""

    def actions(s: Ring, out: Any) -> int:
        if s.mine == s.yours:
            return 0
        here = s.mine if s.turn == 0 else s.yours
        count = 0
        for step in (-1, 1):
            if 0 <= here + step < 6:
                out[count] = here + step
                count += 1
        return count

    def result(s: Ring, a: int) -> Ring:
        return Ring(a, s.yours, 1) if s.turn == 0 else Ring(s.mine, a, 0)

    return Game(
        "Ring",
        initial=lambda: Ring(0, 3, 0),
        actions=actions,
        result=result,
        utility=lambda s: 1 if s.turn == 1 else -1,
        evaluate=lambda _: 7,
        **changes,
    )


def test_a_repeated_position_is_a_draw_where_the_game_says_so() -> None:
    """From an even distance the player to move is caught; from an odd one he catches."""
    searches = Engine(ring(repeats=True), megabytes=1)
    caught = searches.analyze(Ring(0, 2, 0), Limits(depth=12))
    assert caught.value < 0
    history = [Ring(1, 3, 0), Ring(0, 3, 1), Ring(0, 2, 0)]
    assert searches.analyze(Ring(1, 2, 1), Limits(depth=4), history=history).value == 1000


def test_a_repetition_in_the_game_so_far_counts() -> None:
    g = ring(repeats=True)
    searches = Engine(g, megabytes=1)
    s = Ring(0, 5, 0)
    # The only move leads to a position that stood before: a draw at once.
    after = Ring(1, 5, 1)
    assert searches.analyze(s, Limits(depth=3), exact=True).value != 0
    again = Engine(g, megabytes=1).analyze(s, Limits(depth=3), exact=True, history=[after])
    assert again.value == 0


# Limits.


def test_limits_are_kept() -> None:
    g = game("othello")
    searches = Engine(g)
    for nodes in (1, 2, 10, 1_000, 50_000):
        found = searches.analyze(None, Limits(nodes=nodes))
        assert found.nodes <= nodes
        assert found.best in g.moves(g.initial())
        assert found.pv
    assert searches.analyze(None, Limits(depth=4)).depth == 4
    assert searches.analyze(None, Limits(time=0.05)).best in g.moves(g.initial())
    assert searches.analyze(None, Limits(time=1e-6)).best in g.moves(g.initial())


def test_node_limits_hold_for_all_threads_together() -> None:
    found = Engine(game("othello"), threads=3).analyze(None, Limits(nodes=30_000))
    assert found.nodes <= 30_000


def test_a_search_without_end_streams_and_stops() -> None:
    depths = []
    for found in game("othello").stream():
        depths.append(found.depth)
        if len(depths) == 6:
            break
    assert depths == sorted(set(depths))


def test_a_search_can_be_stopped_from_another_thread() -> None:
    analysis = Engine(game("othello")).start()
    stopper = threading.Timer(0.2, analysis.stop)
    stopper.start()
    found = analysis.result()
    stopper.join()
    assert found.depth >= 1
    assert found.best is not None


def test_an_interrupt_gives_the_best_answer_so_far() -> None:
    analysis = Engine(game("othello")).start()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    seen: list[Any] = []
    found = analysis.result(seen.append)
    timer.join()
    assert found.best is not None
    assert seen[-1].nodes == found.nodes


# What is no ordinary position.


def test_a_finished_game_has_a_value_and_no_move() -> None:
    g = game("tic-tac-toe")
    found = g.analyze("XXX/OO./... O", depth=3)
    assert (found.best, found.pv, found.value, found.exact) == (None, (), -FINISHED, True)
    assert found.to_json()["best"] is None
    assert "the game is over" in str(found)


def test_where_nature_moves_there_is_an_expectation_and_no_move() -> None:
    g = game("dice-nim(loaded=true)")
    s = g.parse("5 1")
    found = g.analyze(s, depth=12)
    assert found.best is None
    assert found.exact
    assert found.value == pytest.approx(expectation(g, s, 12), abs=1e-3)
    assert "nature" in str(found)


def test_a_result_tells_all_of_itself() -> None:
    g = game("connect-four")
    found = g.analyze("121212", depth=6, multipv=2)
    said = found.to_json()
    assert set(said) == {
        *("game", "position", "player", "best", "value", "exact", "win_in"),
        *("depth", "nodes", "seconds", "pv", "moves"),
    }
    assert (said["best"], said["win_in"], said["pv"]) == ("1", 1, ["1"])
    assert [set(move) for move in said["moves"]] == [{"move", "value", "pv"}] * 2
    assert "won in 1" in str(found)
    assert "<table>" in found._repr_html_()
    assert 0 <= found.table.hit_rate <= 1


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"time": 0}, "time 0 is not a number of seconds above 0"),
        ({"time": float("nan")}, "time nan"),
        ({"depth": 0}, "depth 0 is not a whole number from 1 to"),
        ({"depth": 1_000}, "depth 1000"),
        ({"nodes": 0}, "nodes 0"),
        ({"multipv": 0}, "multipv 0"),
        ({"threads": 0}, "threads 0"),
        ({"megabytes": -1}, "megabytes -1"),
        ({"method": "magic"}, "there is no method 'magic'"),
        ({"method": "mcts", "exact": True}, "mcts has no exact mode"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(complaint)):
        game("tic-tac-toe").analyze(**options)


def test_a_game_that_is_not_zero_sum_is_refused() -> None:
    with pytest.raises(ThreefoldError, match="zero-sum"):
        nim.nim(zero_sum=False).analyze(depth=1)


def test_a_utility_past_what_a_table_holds_is_an_error() -> None:
    with pytest.raises(BrokenRules, match="utility returned"):
        nim.nim(utility=lambda s: 1 << 40).analyze("stones=4,turn=0", depth=9)


def test_a_count_past_the_row_is_an_error() -> None:
    def actions(s: nim.State, out: Any) -> int:
        out[0] = 1
        return 1_000 if s.stones < 18 else 1

    with pytest.raises(BrokenRules, match="actions returned 1000"):
        nim.nim(actions=actions).analyze(depth=5)


def test_lines_are_legal_where_some_go_deeper_than_others() -> None:
    g = breakthrough()
    rng = random.Random(5)
    searches = Engine(g, megabytes=1)
    for _ in range(60):
        s = random_position(g, rng, 10)
        for line in searches.analyze(s, Limits(depth=6), multipv=2).lines:
            t = s
            for a in line.pv:
                assert a in g.moves(t)
                t = g.result(t, a)


def test_an_analysis_leaves_nothing_behind() -> None:
    """Not even until the garbage is collected: a table is large."""
    g = game("tic-tac-toe")
    searches = Engine(g, megabytes=1)
    gc.collect()
    gc.disable()
    try:
        analysis = searches.start(None, Limits(time=100))
        analysis.stop()
        analysis.result()
        gone = weakref.ref(analysis)
        del analysis
        assert gone() is None
    finally:
        gc.enable()


def test_leaving_a_stream_ends_its_threads() -> None:
    before = threading.active_count()
    for _ in range(3):
        next(game("connect-four").stream(time=300))
    for _ in range(100):
        if threading.active_count() <= before:
            break
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_threads_keep_to_the_depth() -> None:
    found = game("tic-tac-toe").analyze(depth=3, threads=8)
    assert found.selective_depth == 3


def test_a_stopped_search_gives_the_lines_that_were_asked_for() -> None:
    g = game("othello")
    rng = random.Random(2)
    searches = Engine(g, megabytes=1)
    for _ in range(40):
        s = random_position(g, rng, 40)
        for multipv in (1, 3):
            limits = Limits(nodes=rng.randrange(20, 2000))
            lines = searches.analyze(s, limits, multipv=multipv).lines
            assert len(lines) <= multipv
            assert [line.value for line in lines] == sorted((x.value for x in lines), reverse=True)


def test_a_very_long_time_is_a_time() -> None:
    assert game("tic-tac-toe").analyze(time=1e12, depth=3).depth == 3


class Dice(NamedTuple):
    rolled: int
    turn: int


def dice(weight: int) -> Game[Dice]:
    """One throw: 1 with a third of the chances, else 0."""

    def outcomes(s: Dice, out: Any, weights: Any) -> int:
        for i in range(2):
            out[i] = i
            weights[i] = weight * (2 - i)
        return 2

    return Game(
        "Dice",
        initial=lambda: Dice(-1, CHANCE),
        actions=lambda s, out: 0,
        outcomes=outcomes,
        result=lambda s, a: Dice(a, 0),
        utility=lambda s: s.rolled,
    )


def test_weights_are_what_an_expectation_can_hold() -> None:
    assert dice(10**7).analyze(depth=2).value == pytest.approx(1 / 3, abs=1e-3)
    for ask in ("analyze", "solve"):
        with pytest.raises(BrokenRules, match=r"weight .* their sum is at most 67108864"):
            getattr(dice(10**9), ask)()
