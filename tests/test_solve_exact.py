"""The exact search: minimax's value with the distance, whatever the window, table and hooks."""

import random
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import nim
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, game
from threefold.engine.control import Control, clear
from threefold.engine.records import allocate
from threefold.engine.values import PLIES, WON, plies_of, utility_of
from threefold.rules.contract import MAX_VALUE
from threefold.solve.exact import ExactSearch, Stopped
from threefold.solve.null_window import MOST_GAIN


def new_search(g: Game[Any], megabytes: int = 1) -> ExactSearch[Any]:
    return ExactSearch(g, megabytes, allocate(Control))


def oracle(g: Game[Any]) -> Callable[[Any], int]:
    """The value to the player who moves, by plain minimax that remembers positions."""

    @cache
    def to_max(s: Any) -> int:
        moves = g.moves(s)
        if not moves:
            u = g.utility(s)
            return u * PLIES + (WON if u > 0 else -WON if u < 0 else 0)
        best = max if g.player(s) == 0 else min
        value = best(to_max(g.result(s, a)) for a in moves)
        return value - (value > 0) + (value < 0)

    return lambda s: -to_max(s) if g.player(s) == 1 else to_max(s)


def random_positions(g: Game[Any], count: int, seed: int, least: int = 0) -> list[Any]:
    """Positions of random games, finished ones among them, at least so many plies in."""
    rng = random.Random(seed)
    found: list[Any] = []
    while len(found) < count:
        path = [g.initial()]
        while moves := g.moves(path[-1]):
            path.append(g.result(path[-1], rng.choice(moves)))
        found.append(path[rng.randrange(min(least, len(path) - 1), len(path))])
    return found


def twice_running() -> Game[Any]:
    """Taking one stone keeps the turn; what is left to whoever cannot move is counted."""

    def result(s: nim.State, a: int) -> nim.State:
        return nim.State(s.stones - a, s.turn if a == 1 else 1 - s.turn)

    return nim.nim(result=result)


def graded() -> Game[Any]:
    """The winner gets as much as the last heap was worth; three last stones are worth a draw."""

    def actions(s: nim.State, out: Any) -> int:
        n = min(4, s.stones % 64)
        for i in range(n):
            out[i] = i + 1
        return n

    def result(s: nim.State, a: int) -> nim.State:
        return nim.State(s.stones % 64 - a + 64 * a, 1 - s.turn)

    def utility(s: nim.State) -> int:
        last = s.stones // 64
        return (last - 3) * (10 if s.turn == 1 else -10)

    return nim.nim(
        initial=lambda: nim.State(21, 0), actions=actions, result=result, utility=utility
    )


def gaining(worth: int = 1) -> Game[Any]:
    """Who takes one stone gets a point, and the last stones are worth more; no bounds are known."""

    def actions(s: nim.State, out: Any) -> int:
        n = min(3, s.stones % 64)
        for i in range(n):
            out[i] = i + 1
        return n

    def result(s: nim.State, a: int) -> nim.State:
        points = s.stones // 64 + (2 * a if s.stones % 64 == a else a == 1) * (1 - 2 * s.turn)
        return nim.State(s.stones % 64 - a + 64 * points, 1 - s.turn)

    return nim.nim(
        initial=lambda: nim.State(14, 0),
        actions=actions,
        result=result,
        utility=lambda s: s.stones // 64 * worth,
        settled=lambda s: (s.stones // 64 * worth, s.stones % 64),
    )


GAMES: dict[str, Callable[[], Game[Any]]] = {
    "tic-tac-toe": lambda: game("tic-tac-toe"),
    "mnk": lambda: game("mnk(m=4,n=3,k=3)"),
    "connect-four 4×4": lambda: game("connect-four(columns=4,rows=4)"),
    "connect-four 5×4": lambda: game("connect-four(columns=5,rows=4)"),
    "connect-three": lambda: game("connect-four(columns=4,rows=4,k=3)"),
    "othello 4×4": lambda: game("othello(size=4)"),
    "nim": lambda: game("nim(heaps=1-3-5)"),
    "misère nim": lambda: game("nim(heaps=2-3-4,misere=true)"),
    "the same player twice": twice_running,
    "graded": graded,
    "settled": lambda: game("kalah(pits=2,seeds=2)"),
    "settled without bounds": gaining,
    "gains past what a table holds": lambda: gaining(worth=MOST_GAIN // 4),
}
#: Each is compiled anew, so those that differ least from others are left to the slow tests.
SLOW = {"mnk", "connect-four 4×4", "connect-four 5×4", "othello 4×4", "nim", "misère nim"}
NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in GAMES]
#: Plies played before the first position compared, so that Python's minimax keeps up.
PLAYED = {"connect-four 5×4": 10, "connect-four 4×4": 4, "mnk": 3, "othello 4×4": 3}

_searches: dict[str, tuple[Game[Any], ExactSearch[Any], Callable[[Any], int]]] = {}


def searched(name: str) -> tuple[Game[Any], ExactSearch[Any], Callable[[Any], int]]:
    if name not in _searches:
        g = GAMES[name]()
        _searches[name] = g, new_search(g), oracle(g)
    return _searches[name]


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_minimax(name: str) -> None:
    g, search, value = searched(name)
    for s in random_positions(g, 40, seed=1, least=PLAYED.get(name, 0)):
        assert search.value(s) == value(s), g.format(s)
        assert utility_of(search.value(s, quickest=False, guess=-3)) == utility_of(value(s))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_contract_of_a_window_holds(name: str, data: st.DataObject) -> None:
    g, search, value = searched(name)
    seed = data.draw(st.integers(0, 30))
    s = random_positions(g, 1, seed, least=PLAYED.get(name, 0))[0]
    truth = value(s)
    near = st.integers(-6, 6).map(lambda step: truth + step)
    alpha = data.draw(near | st.sampled_from([-WON - 70 * PLIES, -1, 0, WON]))
    beta = alpha + data.draw(st.integers(1, 4) | st.just(2 * WON))
    found = search.bound(s, alpha, beta)
    if truth <= alpha:
        assert truth <= found <= alpha
    elif truth >= beta:
        assert beta <= found <= truth
    else:
        assert found == truth


@pytest.mark.parametrize("name", ["connect-four 5×4", "othello 4×4", "graded", "settled"])
def test_a_tiny_table_gives_the_same_values(name: str) -> None:
    g, _, value = searched(name)
    search = new_search(g, 0)
    for s in random_positions(g, 15, seed=2, least=PLAYED.get(name, 0)):
        assert search.value(s) == value(s)


@pytest.mark.parametrize(
    ("spec", "played"),
    [
        ("connect-four(columns=4,rows=4)", 2),
        ("connect-four(columns=5,rows=4)", 9),
        ("connect-four(columns=4,rows=4,k=3)", 0),
        ("connect-four(columns=3,rows=3,k=2)", 0),
        ("connect-four(columns=2,rows=3,k=1)", 0),
        ("othello(size=4)", 3),
    ],
)
def test_hooks_promise_nothing_that_they_do_not_keep(spec: str, played: int) -> None:
    g = game(spec)
    value = oracle(g)
    for s in random_positions(g, 60, seed=3, least=played):
        moves = g.moves(s)
        chosen = [0] * g.facts.max_moves
        chosen = chosen[: g.sufficient(s, chosen)]
        assert set(chosen) <= set(moves)
        assert bool(chosen) == bool(moves)
        low, high = g.bounds(s)
        exact = utility_of(value(s)) * (-1 if g.player(s) == 1 else 1)
        assert low <= exact <= high
        if moves:
            sign = {a: 1 if g.player(g.result(s, a)) == g.player(s) else -1 for a in moves}
            worth = {a: sign[a] * value(g.result(s, a)) for a in moves}
            assert max(worth[a] for a in chosen) == max(worth.values()), g.format(s)
        for symmetry in g.symmetries:
            assert value(symmetry(s)) == value(s)
            assert g.key(symmetry(s)) == g.key(s) or symmetry(s) != s


@pytest.mark.parametrize("spec", ["connect-four", "connect-four(columns=6,rows=7,k=5)"])
def test_a_key_belongs_to_one_position(spec: str) -> None:
    g = game(spec)
    positions = set(random_positions(g, 500, seed=4))
    assert len({g.key(s) for s in positions}) == len(positions)


@pytest.mark.parametrize("spec", ["othello", "othello(size=6)", "othello(size=4)"])
def test_all_symmetries_of_the_square_are_known(spec: str) -> None:
    g = game(spec)
    for s in random_positions(g, 20, seed=5):
        images = {s, *(symmetry(s) for symmetry in g.symmetries)}
        for image in images:
            assert {image, *(symmetry(image) for symmetry in g.symmetries)} == images
            assert len(g.moves(image)) == len(g.moves(s))


def score(played: str, value: int) -> int:
    """Connect Four's usual score: 22 less the stones that the winner has set in the end."""
    if value == 0:
        return 0
    return utility_of(value) * (22 - (len(played) + plies_of(value) + 1) // 2)


# Positions and scores from Pascal Pons' test sets.
PUBLISHED = [
    ("2252576253462244111563365343671351441", -1),
    ("7422341735647741166133573473242566", 1),
    ("23163416124767223154467471272416755633", 0),
    ("5554224333234511764415115", 4),
    ("52753311433677442422121", 8),
    ("1233722555341451114725221333", -1),
    ("32164625", 11),
    ("243335424257", 12),
]


def test_published_scores_of_connect_four() -> None:
    g = game("connect-four")
    search = new_search(g, 16)
    for played, published in PUBLISHED:
        assert score(played, search.value(g.parse(played))) == published


def test_othello_on_four_by_four_is_won_by_the_second_player() -> None:
    """Eleven discs to three, and the two empty squares."""
    g, search, _ = searched("othello 4×4")
    assert utility_of(search.value(g.initial(), quickest=False)) == -10


def test_a_published_end_game_of_othello() -> None:
    """FForum 20 of the problems that come with Edax: h5 wins by six."""
    g = game("othello")
    s = g.parse("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
    search = new_search(g)
    assert utility_of(search.value(s, quickest=False)) == 6
    reply = g.result(s, g.parse_move(s, "h5"))
    assert utility_of(search.value(reply, quickest=False)) == -6


def test_a_search_can_be_stopped() -> None:
    g = game("connect-four")
    control = allocate(Control)
    search = ExactSearch(g, 1, control)

    def stop() -> None:
        while control.nodes < 100_000:
            time.sleep(0.001)
        control.stop = 1

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises(Stopped):
        search.value(g.initial())
    stopper.join()
    clear(control)
    assert utility_of(search.value(g.parse("121212"))) == 1


@pytest.mark.parametrize("limit", [500, 50_000])
def test_nodes_can_be_limited(limit: int) -> None:
    g = game("connect-four")
    control = allocate(Control)
    search = ExactSearch(g, 1, control)
    control.node_limit = limit
    with pytest.raises(Stopped):
        search.value(g.initial())
    assert control.node_limit == limit
    assert limit <= control.nodes < limit + 1000


def test_a_game_that_lasts_longer_than_it_says_is_refused() -> None:
    for max_ply in (6, 600):
        g = nim.nim(max_ply=max_ply, initial=lambda: nim.State(1000, 0))
        with pytest.raises(ThreefoldError, match=f"longer than max_ply={max_ply}"):
            new_search(g).value(g.initial())


def test_a_long_game_is_searched_in_a_thread_of_its_own() -> None:
    g = nim.nim(max_ply=1000, initial=lambda: nim.State(999, 0))
    assert utility_of(new_search(g).value(g.initial(), quickest=False)) == 1


def test_other_kinds_of_games_are_refused() -> None:
    with pytest.raises(ThreefoldError, match="without chance"):
        new_search(game("dice-nim"))
    with pytest.raises(ThreefoldError, match="no position occurs twice"):
        new_search(nim.nim(repeats=True))
    with pytest.raises(ThreefoldError, match="by 32 bits only"):
        new_search(nim.nim(move_range=1 << 40))


def test_a_utility_past_every_value_is_refused() -> None:
    g = nim.nim(utility=lambda s: 2 * MAX_VALUE)
    with pytest.raises(ThreefoldError, match="utility returned"):
        new_search(g).value(g.initial())
