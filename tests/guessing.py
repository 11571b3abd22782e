"""A game of one coin that shows where sampled deals go wrong: stop for 1, or guess for 2 or -2."""

from typing import Any, NamedTuple

from threefold import CHANCE, Game

STOP, GO_ON, GUESS = 0, 1, 2


class State(NamedTuple):
    """The coin, 1 or 2, that MAX never sees; what MAX has done; whose turn it is."""

    coin: int
    done: int
    turn: int


def initial() -> State:
    return State(0, 0, CHANCE)


def actions(s: State, out: Any) -> int:
    if s.done == 0:
        out[0], out[1] = STOP, GO_ON
        return 2
    if s.done == 1 + GO_ON:
        out[0], out[1] = GUESS + 1, GUESS + 2
        return 2
    return 0


def result(s: State, a: int) -> State:
    return State(a, 0, 0) if s.turn == CHANCE else State(s.coin, 1 + a, 0)


def utility(s: State) -> int:
    if s.done == 1 + STOP:
        return 1
    return 2 if s.done == 1 + GUESS + s.coin else -2


def outcomes(s: State, out: Any, weight: Any) -> int:
    out[0], out[1] = 1, 2
    weight[0], weight[1] = 1, 1
    return 2


def observe(s: State, p: int) -> tuple[int, int, int]:
    return 0 if p == 0 else s.coin, s.done, s.turn


def guessing(**changes: Any) -> Game[State]:
    hooks: dict[str, Any] = {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "outcomes": outcomes,
        "observe": observe,
        "max_moves": 2,
        "max_ply": 4,
        "as_seen": lambda s, p: s._replace(coin=0) if p == 0 else s,
    }
    return Game("Guessing", **hooks | changes)
