"""Pig: roll a die as often as you like, and bank the points; but a one takes them all.

Positions come up again: after two ones in turn everything is as it was before.
"""

from typing import Any, NamedTuple

from threefold import CHANCE, Game
from threefold.rules.contract import MAX

ROLL, HOLD = 0, 1


class State(NamedTuple):
    banked_max: int
    banked_min: int
    points: int  # of this turn, not banked yet
    rolling: int  # 1 while the die rolls
    turn: int


def pig(goal: int, *, must_stop: bool = True, **changes: Any) -> Game[State]:
    """Pig to a number of points; unless they `must_stop` players may roll on when they have won."""

    def initial() -> State:
        return State(0, 0, 0, 0, MAX)

    def player(s: State) -> int:
        return CHANCE if s.rolling else s.turn

    def actions(s: State, out: Any) -> int:
        if s.banked_max >= goal or s.banked_min >= goal:
            return 0
        banked = s.banked_max if s.turn == MAX else s.banked_min
        if must_stop and banked + s.points >= goal:
            out[0] = HOLD
            return 1
        out[0] = ROLL
        if s.points == 0:
            return 1
        out[1] = HOLD
        return 2

    def outcomes(s: State, out: Any, weight: Any) -> int:
        for face in range(1, 7):
            out[face - 1], weight[face - 1] = face, 1
        return 6

    def result(s: State, a: int) -> State:
        if s.rolling and a == 1:
            return State(s.banked_max, s.banked_min, 0, 0, 1 - s.turn)
        if s.rolling:
            return State(s.banked_max, s.banked_min, s.points + a, 0, s.turn)
        if a == ROLL:
            return State(s.banked_max, s.banked_min, s.points, 1, s.turn)
        if s.turn == MAX:
            return State(s.banked_max + s.points, s.banked_min, 0, 0, 1 - s.turn)
        return State(s.banked_max, s.banked_min + s.points, 0, 0, 1 - s.turn)

    def utility(s: State) -> int:
        return 1 if s.banked_max >= goal else -1

    def format_move(s: State, a: int) -> str:
        return str(a) if s.rolling else ("roll", "hold")[a]

    facts = {"finite": False, "max_moves": 6, "move_range": 7}
    return Game(
        "Pig",
        initial=initial,
        player=player,
        actions=actions,
        outcomes=outcomes,
        result=result,
        utility=utility,
        format_move=format_move,
        **(facts | changes),
    )
