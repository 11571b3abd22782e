"""A game small enough to break in one place: twenty stones, take one, two or three."""

from typing import Any, NamedTuple

from threefold import Game


class State(NamedTuple):
    stones: int
    turn: int


def initial() -> State:
    return State(20, 0)


def actions(s: State, out: Any) -> int:
    n = min(3, s.stones)
    for i in range(n):
        out[i] = i + 1
    return n


def result(s: State, a: int) -> State:
    return State(s.stones - a, 1 - s.turn)


def utility(s: State) -> int:
    return 1 if s.turn == 1 else -1


def nim(**changes: Any) -> Game[Any]:
    """The game with some of its hooks or facts exchanged."""
    hooks = {"initial": initial, "actions": actions, "result": result, "utility": utility}
    return Game("Nim 20", **(hooks | changes))
