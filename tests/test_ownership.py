"""Estimates of territory: who owns what at the end of games that are played out."""

from typing import Any, NamedTuple

import pytest

from threefold import Game, game
from threefold.engine import ownership as room
from threefold.engine.limits import Limits
from threefold.engine.ownership import Ownership, ownership, start_ownership
from threefold.errors import BadGame, BrokenRules, NotCompilable, ThreefoldError
from threefold.rules.records import Territory

#: Black has two eyes at the bottom, white two at the top.
SETTLED = ".O.OO/OOOOO/XXXXX/X.X.X/.X.X. O"


class State(NamedTuple):
    first: int
    second: int
    turn: int


def claiming(places: int = 3, **changed: Any) -> Game[State]:
    """A game without a playout of its own: claim places in turn until all are taken."""

    def actions(s: State, out: Any) -> int:
        n = 0
        for place in range(places):
            if not (s.first | s.second) >> place & 1:
                out[n] = place
                n += 1
        return n

    def result(s: State, a: int) -> State:
        if s.turn == 0:
            return State(s.first | 1 << a, s.second, 1)
        return State(s.first, s.second | 1 << a, 0)

    hooks: dict[str, Any] = {
        "initial": lambda: State(0, 0, 0),
        "actions": actions,
        "result": result,
        "utility": lambda _: 1,
        "owners": lambda s: (s.first, s.second),
        "territory": Territory(places=list("abc"), score=lambda lead: f"{lead:g}"),
        "max_moves": places,
    }
    return Game("Claiming", **hooks | changed)


def test_what_is_settled_is_seen() -> None:
    go = game("go(size=5,komi=0.5)")
    found = ownership(go, go.position(SETTLED))
    assert found.games == 1000
    assert set(found.balance) == {f"{column}{row}" for column in "ABCDE" for row in range(1, 6)}
    assert found.balance["A5"] == found.balance["C4"] == -1
    assert found.balance["B2"] == found.balance["A3"] == 1
    assert found.score == "B+4.5"


def test_a_finished_game_is_counted() -> None:
    go = game("go(size=5,komi=0)")
    found = ownership(go, go.position("X..../...../...../...../....O X passes=2"), playouts=3)
    assert found.games == 3
    assert found.balance["A5"] == 1
    assert found.balance["E1"] == -1
    assert found.balance["C3"] == 0
    assert found.score == "0"


@pytest.mark.parametrize("g", [game("go(size=3)"), claiming()], ids=["go", "claiming"])
def test_the_same_games_interpreted(g: Game[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ownership(g, g.initial(), playouts=50, seed=3)
    assert compiled == ownership(g, g.initial(), playouts=50, seed=3)
    assert compiled != ownership(g, g.initial(), playouts=50, seed=4)

    def not_compilable(_: Any) -> None:
        raise NotCompilable("not today")

    monkeypatch.setattr(room, "Compiled", not_compilable)
    assert ownership(g, g.initial(), playouts=50, seed=3) == compiled


def test_the_first_to_claim_has_more() -> None:
    found = ownership(claiming(), State(0, 0, 0))
    assert found.score == "1"
    assert sum(found.balance.values()) == pytest.approx(1)
    assert found.to_json()["games"] == 1000


def test_games_that_last_too_long_do_not_count() -> None:
    endless = claiming(max_ply=1, result=lambda s, _: State(s.first, s.second, 1 - s.turn))
    found = ownership(endless, State(0, 0, 0), playouts=10)
    assert found == Ownership({"a": 0, "b": 0, "c": 0}, "0", 0)


def test_an_estimate_can_be_stopped() -> None:
    go = game("go")
    with start_ownership(go, go.initial(), Limits()) as running:
        running.stop()
        assert running.result().games >= 0


def test_what_is_wrong_is_said() -> None:
    nim = game("nim")
    with pytest.raises(ThreefoldError, match="Nim has no territory to estimate"):
        ownership(nim, nim.initial())
    go = game("go(size=2)")
    with pytest.raises(ThreefoldError, match="playouts 0 is not a whole number from 1"):
        ownership(go, go.initial(), playouts=0)
    with pytest.raises(BrokenRules, match="owners returned 3 words; for 3 places"):
        ownership(claiming(owners=lambda _: (0, 0, 0)), State(0, 0, 0))
    with pytest.raises(BadGame, match="owners and territory go together"):
        claiming(owners=None)
    with pytest.raises(BadGame, match="owners and territory go together"):
        claiming(territory=None)
    with pytest.raises(BadGame, match="territory='abc' is not a Territory"):
        claiming(territory="abc")
    no_lead: Any = lambda: ""  # noqa: E731
    wrong = Territory(places="abc", score=no_lead)
    with pytest.raises(BadGame, match="score of territory takes"):
        claiming(territory=wrong)
