"""A user's own game of twenty lines: plain alpha-beta against easyAI's and a textbook's in Python.

The game is `examples/twenty_one.py`, the README's. Each program searches its own tree to a fixed
depth without a table. The figures compared are nodes per second.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comparison import Comparison, LeftOut, best_rate, say

from threefold import game
from threefold.engine.alphabeta import choose

EXAMPLE = Path(__file__).parents[1] / "examples" / "twenty_one.py"
#: More stones than the start has, for a tree that takes a while.
STONES = 60
DEPTH = 23
PEER_DEPTH = 17
WANTED = 50.0


def measure() -> Iterator[Comparison | LeftOut]:
    say("a user's own game")
    ours = _our_rate()
    what = "a game of twenty lines, alpha-beta"
    try:
        theirs = _easy_ai_rate()
    except ImportError:
        yield LeftOut(f"{what} against easyAI", 'pip install -e ".[bench]" installs it')
    else:
        yield Comparison(what, ours, "easyAI Negamax", theirs, "nodes/s", WANTED)
    yield Comparison(what, ours, "a textbook's in Python", _textbook_rate(), "nodes/s", WANTED)


def _our_rate() -> float:
    g = game(str(EXAMPLE))
    start = g.parse(f"stones={STONES},turn=0")
    choose(g, start, 1)  # compiles
    return best_rate(lambda: choose(g, start, DEPTH).nodes)


def _easy_ai_rate() -> float:
    from easyAI import Negamax, TwoPlayerGame

    class TwentyOne(TwoPlayerGame):  # type: ignore[misc]
        def __init__(self) -> None:
            self.players: list[Any] = [None, None]
            self.stones = STONES
            self.current_player = 1

        def possible_moves(self) -> list[int]:
            return [n for n in (1, 2, 3) if n <= self.stones]

        def make_move(self, move: int) -> None:
            self.stones -= move

        def unmake_move(self, move: int) -> None:
            self.stones += move

        def is_over(self) -> bool:
            return self.stones == 0

        def scoring(self) -> int:
            return -1 if self.stones == 0 else 0

        def show(self) -> None:
            sys.stderr.write(f"{self.stones}\n")

    class Counted(TwentyOne):
        nodes = 0

        def make_move(self, move: int) -> None:
            Counted.nodes += 1
            super().make_move(move)

    search = Negamax(PEER_DEPTH)
    search(Counted())
    began = time.perf_counter()
    search(TwentyOne())
    return Counted.nodes / (time.perf_counter() - began)


class TextbookGame:
    """The game as in a textbook's Python code: a class, and a new list of moves each time."""

    initial = (STONES, 0)

    def actions(self, state: tuple[int, int]) -> list[int]:
        return [n for n in (1, 2, 3) if n <= state[0]]

    def result(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        return (state[0] - move, 1 - state[1])

    def utility(self, state: tuple[int, int], player: int) -> int:
        return 1 if state[1] != player else -1

    def terminal_test(self, state: tuple[int, int]) -> bool:
        return state[0] == 0

    def to_move(self, state: tuple[int, int]) -> int:
        return state[1]


def _textbook_rate() -> float:
    """MAX-VALUE and MIN-VALUE with a cut-off, as printed."""
    g = TextbookGame()
    player = g.to_move(g.initial)
    nodes = 0

    def max_value(state: tuple[int, int], alpha: float, beta: float, depth: int) -> float:
        nonlocal nodes
        nodes += 1
        if g.terminal_test(state):
            return g.utility(state, player)
        if depth == 0:
            return 0
        value = -float("inf")
        for a in g.actions(state):
            value = max(value, min_value(g.result(state, a), alpha, beta, depth - 1))
            if value >= beta:
                return value
            alpha = max(alpha, value)
        return value

    def min_value(state: tuple[int, int], alpha: float, beta: float, depth: int) -> float:
        nonlocal nodes
        nodes += 1
        if g.terminal_test(state):
            return g.utility(state, player)
        if depth == 0:
            return 0
        value = float("inf")
        for a in g.actions(state):
            value = min(value, max_value(g.result(state, a), alpha, beta, depth - 1))
            if value <= alpha:
                return value
            beta = min(beta, value)
        return value

    began = time.perf_counter()
    max_value(g.initial, -float("inf"), float("inf"), PEER_DEPTH)
    return nodes / (time.perf_counter() - began)
