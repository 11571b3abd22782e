"""A game on a random graph, a different one for every seed: one game to compile, endless variety.

The nodes are few, some finished. Who moves at each is random, so that a player may move twice
running; so are the moves, which may lead round in circles, unless they are told to go forwards.
"""

from typing import Any, NamedTuple

from threefold import Game
from threefold.rules.bits import add, lsr, mix

NODES = 7
MOST_MOVES = 3


class State(NamedTuple):
    seed: int
    node: int


def noise(s: State, what: int, choices: int) -> int:
    return lsr(mix(add(mix(s.seed), 64 * s.node + what)), 1) % choices


def random_graph(*, forwards: bool = False, **changes: Any) -> Game[State]:
    def initial() -> State:
        return State(0, 0)

    def player(s: State) -> int:
        return noise(s, 1, 2)

    def actions(s: State, out: Any) -> int:
        n = 0 if s.node == NODES - 1 else noise(s, 2, MOST_MOVES + 1)
        for i in range(n):
            out[i] = i
        return n

    def result(s: State, a: int) -> State:
        if forwards:
            return State(s.seed, s.node + 1 + noise(s, 3 + a, NODES - 1 - s.node))
        return State(s.seed, noise(s, 3 + a, NODES))

    def utility(s: State) -> int:
        return noise(s, 50, 5) - 2

    hooks = {"initial": initial, "player": player, "actions": actions, "result": result}
    hooks["utility"] = utility
    return Game("Random graph", **(hooks | {"max_moves": MOST_MOVES} | changes))
