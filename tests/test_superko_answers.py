"""What searches may call certain, and what opponents may play, in games with superko."""

from typing import Any, NamedTuple

import pytest

from threefold import Game, game
from threefold.engine.levels import Opponent, level


class Step(NamedTuple):
    board: int
    worth: int
    over: int
    turn: int


def steps(s: Step, out: Any) -> int:
    """Take 1 at once, step, or pass; after a step, answer or pass."""
    if s.over != 0:
        return 0
    out[0] = 1
    if s.board == 0:
        out[1] = 2
        out[2] = 0
        return 3
    out[1] = 0
    return 2


def after_step(s: Step, a: int) -> Step:
    if a == 0:
        return Step(s.board, 0 if s.board == 0 else 2, 1, 1 - s.turn)
    if s.board == 0:
        return Step(7, 1, 1, 1) if a == 1 else Step(1, 0, 0, 1)
    return Step(0, 0, 1, 0)  # the only good answer brings the first board back


GREED = Game(
    "Greed",
    initial=lambda: Step(0, 0, 0, 0),
    actions=steps,
    result=after_step,
    utility=lambda s: s.worth,
    is_terminal=lambda s: s.over != 0,
    superko=lambda s: (s.board,),
)


@pytest.mark.parametrize("options", [{"method": "mcts", "nodes": 200}, {"depth": 6}])
def test_a_win_at_once_is_not_the_value_where_superko_may_give_more(
    options: dict[str, Any],
) -> None:
    assert GREED.solve(progress=False).value == 2
    found = GREED.analyze(**options)
    assert not found.exact
    assert (found.value, found.win_in) == (1, 1)


@pytest.mark.parametrize("options", [{"method": "mcts", "nodes": 200}, {"depth": 3}])
def test_what_every_move_ends_is_certain(options: dict[str, Any]) -> None:
    go = game("go(size=3,komi=0)")
    s = go.parse("X.X/XXX/X.X O passes=1")  # B1 and B3 are suicide
    assert [go.format_move(s, a) for a in go.moves(s)] == ["pass"]
    found = go.analyze(s, **options)
    assert found.exact
    assert found.value < 0


class Place(NamedTuple):
    at: int
    passes: int
    turn: int


def walk(s: Place, a: int) -> Place:
    try:  # which nobody can compile
        step = 1 if a else 3
    finally:
        pass
    if a == 2:
        return Place(s.at, s.passes + 1, 1 - s.turn)
    return Place((s.at + step) % 4, 0, 1 - s.turn)


def ways(s: Place, out: Any) -> int:
    if s.passes >= 2:
        return 0
    for a in range(3):
        out[a] = a
    return 3


def test_an_opponent_that_is_not_compiled_obeys_superko() -> None:
    ring = Game(
        "Ring",
        initial=lambda: Place(0, 0, 0),
        actions=ways,
        result=walk,
        utility=lambda s: 1 if s.at % 2 else -1,
        evaluate=lambda s: s.at,
        superko=lambda s: (s.at,),
    )
    start = ring.initial()
    s = ring.result(start, 1)
    for seed in range(20):
        assert Opponent(ring, level("5"), seed=seed).choose(s, [start]) != 0
