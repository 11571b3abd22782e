from typing import NamedTuple

from threefold import Game


class State(NamedTuple):
    stones: int
    turn: int  # 0: MAX, who moves first; 1: MIN


def initial():
    return State(stones=21, turn=0)


def actions(s, out):  # take one, two or three stones
    n = min(3, s.stones)
    for i in range(n):
        out[i] = i + 1
    return n


def result(s, a):
    return State(s.stones - a, 1 - s.turn)


def utility(s):  # whoever took the last stone has won
    return 1 if s.turn == 1 else -1


game = Game("Twenty-one", initial=initial, actions=actions, result=result, utility=utility)
