"""Draws by rule where there are still moves, and clocks that tell one occurrence from another."""

from typing import Any, NamedTuple

import pytest

from threefold import CHANCE, Game, conformance
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.errors import BadGame, ThreefoldError
from threefold.rules.contract import CLAIMABLE, DRAWN


class State(NamedTuple):
    place: int
    clock: int
    turn: int


END = 6


def tug_of_war(claim: int = 8, limit: int = 12, **changes: Any) -> Game[State]:
    """Pull a rope from the middle to one's own end, 6 for MAX; or let it go on one's turn."""

    def initial() -> State:
        return State(3, 0, 0)

    def actions(s: State, out: Any) -> int:
        if s.place in (0, END):
            return 0
        out[0] = 0
        out[1] = 1
        return 2

    def result(s: State, a: int) -> State:
        return State(s.place + (1 if a == 1 else -1), s.clock + 1, 1 - s.turn)

    def drawn(s: State) -> int:
        if s.place == 0 or s.place == END:
            return 0
        return DRAWN if s.clock >= limit else CLAIMABLE if s.clock >= claim else 0

    def utility(s: State) -> int:
        return 1 if s.place == END else -1 if s.place == 0 else 0

    def evaluate(s: State) -> int:
        return s.place - 3

    hooks: dict[str, Any] = {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "evaluate": evaluate,
        "drawn": drawn,
        "clocks": ("clock",),
        "max_moves": 2,
        "max_ply": limit + 1,
    }
    return Game("Tug of war", **(hooks | changes))


def test_a_drawn_game_has_no_moves_but_perft_counts_on() -> None:
    g = tug_of_war()
    s = State(3, 12, 0)
    assert g.moves(s) == g.compiled().moves(s) == []
    assert g.all_moves(s) == [0, 1]
    for way in ("interpreted", "compiled"):
        assert g.perft(s, depth=2, way=way) == 4
        assert g.perft(s, depth=4, way=way) == g.perft(State(3, 0, 0), depth=4, way=way) == 12


def test_a_drawn_position_is_finished() -> None:
    g = tug_of_war()
    for found in (g.analyze(State(5, 12, 0)), g.solve(State(5, 12, 0))):
        assert found.best is None
        assert found.value == 0
        assert found.pv == ()
    assert g.analyze(State(5, 12, 0), method="mcts").best is None


def test_a_win_at_hand_comes_before_the_clock() -> None:
    found = tug_of_war().analyze(State(5, 11, 0), depth=3)
    assert (found.best, found.win_in) == (1, 1)


def test_a_claim_counts_in_a_search_but_not_in_minimax() -> None:
    g = tug_of_war()
    s = State(4, 7, 0)  # two steps from the end, one ply before a draw may be claimed
    assert g.analyze(s, depth=2).value == 0
    assert g.analyze(s, depth=2, exact=True).value == 1 == g.explain("minimax", s, depth=2).value


def minimax(g: Game[State], s: State, depth: int) -> int:
    moves = g.moves(s)
    if not moves:
        return 1000 * g.utility(s)
    if depth == 0:
        return g.evaluate(s)
    values = [minimax(g, g.result(s, a), depth - 1) for a in moves]
    return min(values) if s.turn else max(values)


@pytest.mark.parametrize("place", range(1, 6))
@pytest.mark.parametrize("clock", [0, 6, 9, 11])
def test_minimax_sees_the_same_draws(place: int, clock: int) -> None:
    g = tug_of_war()
    for turn in (0, 1):
        s = State(place, clock, turn)
        found = g.analyze(s, depth=4, exact=True)
        wanted = minimax(g, s, 4)
        assert found.value == (-wanted if turn else wanted)
        # Nobody can win a tug of war against a player who pulls back; but in one ply one can.
        at_hand = place == (1 if turn else END - 1) and clock < 12
        assert (found.win_in == 1) == at_hand


def test_solving_leaves_the_clock_out() -> None:
    g = tug_of_war(limit=1000)
    solution = g.solve()
    assert solution.value == 0
    assert solution.nodes < 20
    assert g.solve(State(5, 700, 0)).win_in == 1
    interpreted = Game("Tug", **{**_hooks(g), "clocks": ("clock",)})
    assert interpreted.solve(State(5, 3, 0)).win_in == 1
    for method in ("null-window", "table", "proof"):
        with pytest.raises(ThreefoldError, match="graph"):
            g.solve(method=method)


def _hooks(g: Game[State]) -> dict[str, Any]:
    return {name: hook for name, hook in g.hooks.items() if name not in ("evaluate", "key")}


def test_positions_are_the_same_at_any_time() -> None:
    g = tug_of_war()
    assert g.key(State(3, 0, 0)) == g.key(State(3, 8, 0)) != g.key(State(3, 0, 1))
    assert g.compiled().key(State(3, 5, 0)) == g.key(State(3, 8, 0))
    assert g.timeless(State(2, 7, 1)) == State(2, 0, 1)


def test_conformance_looks_at_draws() -> None:
    assert not conformance(tug_of_war(), games=5).defects
    odd = conformance(tug_of_war(drawn=lambda s: 3), games=2)
    assert "none of 0, CLAIMABLE and DRAWN" in str(odd)
    worth = conformance(tug_of_war(utility=lambda s: 1), games=9)
    assert "its utility is not 0" in str(worth)


def test_is_terminal_need_not_know_of_draws() -> None:
    at_an_end = tug_of_war(is_terminal=lambda s: s.place == 0 or s.place == END)
    assert not conformance(at_an_end, games=5).defects
    never = conformance(tug_of_war(is_terminal=lambda s: False), games=5)
    assert "is_terminal says that the game goes on" in str(never)


def test_a_clock_is_a_field() -> None:
    with pytest.raises(BadGame, match="clocks names 'time'"):
        tug_of_war(clocks=("time",))


def test_no_rule_is_asked_where_nature_moves() -> None:
    def outcomes(s: State, out: Any, weight: Any) -> int:
        out[0], weight[0] = 1, 1
        return 1

    g = tug_of_war(player=lambda s: CHANCE if s.clock >= 12 else s.turn, outcomes=outcomes)
    s = State(3, 12, 0)
    assert g.moves(s) == g.compiled().moves(s) == [1]
    assert g.chances(s) == [(1, 1)]


class Step(NamedTuple):
    node: int
    turn: int


#: Where each node leads. At 1, MIN's turn, both ways are lost: by 2 in five plies, by 3 in three.
#: From 4, where MAX can win at once, the game may also go back to 0.
LEADS_TO = ((1, -1), (2, 3), (5, -1), (4, -1), (8, 0), (6, -1), (7, -1), (8, -1), (-1, -1))


def roundabout(**changes: Any) -> Game[Step]:
    def actions(s: Step, out: Any) -> int:
        n = 0
        for i in range(2):
            if LEADS_TO[s.node][i] >= 0:
                out[n] = i
                n += 1
        return n

    def result(s: Step, a: int) -> Step:
        node = LEADS_TO[s.node][a]
        return Step(node, 1 if node == 1 else 0)

    hooks: dict[str, Any] = {
        "initial": lambda: Step(0, 0),
        "actions": actions,
        "result": result,
        "utility": lambda s: 1,
        "repeats": True,
        "max_moves": 2,
    }
    return Game("Roundabout", **(hooks | changes))


@pytest.mark.parametrize("bounds", [{}, {"bounds": lambda s: (-1, 1)}])
def test_a_proof_does_not_hold_where_the_game_so_far_makes_a_draw_of_it(
    bounds: dict[str, Any],
) -> None:
    engine = Engine(roundabout(**bounds), megabytes=1)
    fresh = engine.analyze(Step(0, 0), Limits(depth=12))
    assert (fresh.value, fresh.exact) == (1, True)
    # MAX was at 4 and went on to 0; if he comes to 4 once more, it is a draw.
    found = engine.analyze(Step(0, 0), Limits(depth=12), history=[Step(4, 0)])
    assert not found.exact
