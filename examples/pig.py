"""Pig: roll a die as often as you dare, and bank the points before a 1 takes them.

A game with chance: where `player` returns CHANCE, `outcomes` lists the faces and their weights.
Rolling a 1 loses the points of this turn; holding adds them to the score. First to the goal wins.

    threefold play examples/pig.py
    threefold analyze "examples/pig.py(goal=30)"
"""

from typing import NamedTuple

from threefold import CHANCE, Game

HOLD, ROLL = 0, 1
FACES = 6


class State(NamedTuple):
    first: int  # the players' scores
    second: int
    pot: int  # the points of this turn, not yet safe
    rolling: int  # 1 while the die is in the air
    turn: int


def pig(goal: int = 10) -> Game[State]:
    """Roll to add points, or hold to keep them; a 1 loses the points of this turn."""
    if not 1 <= goal <= 1000:
        raise ValueError(f"goal={goal} is not from 1 to 1000")

    def player(s):
        return CHANCE if s.rolling else s.turn

    def outcomes(_, out, weight):
        for face in range(FACES):
            out[face] = face + 1
            weight[face] = 1
        return FACES

    def actions(s, out):
        if s.first >= goal or s.second >= goal:
            return 0
        out[0] = ROLL
        if s.pot == 0:  # holding nothing would be a pass
            return 1
        out[1] = HOLD
        return 2

    def result(s, a):
        if s.rolling:
            if a == 1:
                return State(s.first, s.second, 0, 0, 1 - s.turn)
            # Points past the goal make no difference.
            mine = s.first if s.turn == 0 else s.second
            return State(s.first, s.second, min(s.pot + a, goal - mine), 0, s.turn)
        if a == ROLL:
            return State(s.first, s.second, s.pot, 1, s.turn)
        if s.turn == 0:
            return State(s.first + s.pot, s.second, 0, 0, 1)
        return State(s.first, s.second + s.pot, 0, 0, 0)

    def utility(s):
        return 1 if s.first >= goal else -1

    def evaluate(s):
        return 10 * (s.first - s.second) + (5 * s.pot if s.turn == 0 else -5 * s.pot)

    def format_move(s, a):
        return f"die-{a}" if s.rolling else ("hold", "roll")[a]

    def render(s):
        whose = ("first player", "second player")[s.turn]
        air = ", the die is in the air" if s.rolling else ""
        return f"{s.first} : {s.second} of {goal}; {whose} has {s.pot} to lose{air}"

    return Game(
        f"Pig to {goal}",
        initial=lambda: State(0, 0, 0, 0, 0),
        player=player,
        outcomes=outcomes,
        actions=actions,
        result=result,
        utility=utility,
        evaluate=evaluate,
        format_move=format_move,
        render=render,
        finite=False,  # two unlucky players could roll ones forever
        max_moves=FACES,
        move_range=FACES + 1,
    )
