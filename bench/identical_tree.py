"""Plain alpha-beta on the same tree: ours against OpenSpiel's, node for node.

No table, no ordering, moves as the game numbers them. Leaves are worth a hash of the moves that
led to them, so that neither program's evaluation counts: both search the same tree, visit the same
nodes and find the same value, or the comparison is refused.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from comparison import Comparison, LeftOut, quickest, say

from threefold import Game, game
from threefold.engine.alphabeta import choose
from threefold.rules.bits import add, lsr, mul

SCATTER = -0x61C8864680B583EB
MASK = (1 << 64) - 1
# game of ours, game of theirs, depth, wanted ratio
GAMES = [("connect-four", "connect_four", 9, 40.0), ("othello", "othello", 7, 100.0)]


class Traced(NamedTuple):
    """A position of two boards, and a hash of the moves that led to it."""

    one: int
    two: int
    turn: int
    trace: int


def step(trace: int, a: int) -> int:
    """The history one move later: a number whose digits are moves."""
    return add(mul(trace, 67), a)


def worth(trace: int) -> int:
    """What a leaf is worth by its history, from -512 to 511: less than the end of a game."""
    return (lsr(mul(trace, SCATTER), 20) & 1023) - 512


def traced(spec: str) -> Game[Traced]:
    """A game whose unfinished leaves are worth a hash of their history."""
    inner = game(spec)
    state, its_utility = inner.state_type, inner.utility
    its_actions, its_result = inner.actions, inner.result

    def initial() -> Traced:
        s = inner.initial()
        return Traced(s[0], s[1], s[2], 1)

    def actions(s: Traced, out: Any) -> int:
        return its_actions(state(s.one, s.two, s.turn), out)

    def result(s: Traced, a: int) -> Traced:
        t = its_result(state(s.one, s.two, s.turn), a)
        return Traced(t[0], t[1], t[2], step(s.trace, a))

    def utility(s: Traced) -> int:
        return its_utility(state(s.one, s.two, s.turn))

    def evaluate(s: Traced) -> int:
        return worth(s.trace)

    return Game(
        f"traced {spec}",
        initial=initial,
        actions=actions,
        result=result,
        utility=utility,
        evaluate=evaluate,
        max_moves=inner.facts.max_moves,
    )


def measure() -> Iterator[Comparison | LeftOut]:
    for spec, theirs, depth, wanted in GAMES:
        what = f"{spec}, plain alpha-beta to depth {depth}, the same tree"
        say(what)
        try:
            from open_spiel.python.algorithms import minimax
        except ImportError:
            yield LeftOut(what, 'pip install -e ".[bench]" installs OpenSpiel')
            continue
        g = traced(spec)
        start = g.initial()
        choose(g, start, 1, hurry=False)  # compiles
        our_seconds, ours = quickest(lambda: choose(g, start, depth, hurry=False), 5)  # noqa: B023
        began = time.perf_counter()
        value = _open_spiel(minimax, theirs, depth)
        their_seconds = time.perf_counter() - began
        nodes = _count_nodes(minimax, theirs, depth)
        if (ours.nodes, ours.value) != (nodes, value):
            yield LeftOut(
                what,
                f"the trees differ: {ours.nodes} nodes and value {ours.value} here, {nodes} nodes "
                f"and value {value} there",
            )
            continue
        yield Comparison(
            f"{what} ({nodes:,} nodes and value {value} in both)",
            nodes / our_seconds,
            "OpenSpiel's alpha_beta_search",
            nodes / their_seconds,
            "nodes/s",
            wanted,
        )


def _open_spiel(minimax: Any, name: str, depth: int) -> float:
    """What OpenSpiel's search finds; there a finished game is worth 1 or -1."""
    import pyspiel

    def value_of(state: Any) -> float:
        trace = 1
        for a in state.history():
            trace = trace * 67 + a
        return (((trace * SCATTER & MASK) >> 20 & 1023) - 512) / 1024

    value, _ = minimax.alpha_beta_search(
        pyspiel.load_game(name),
        value_function=value_of,
        maximum_depth=depth,
        maximizing_player_id=0,
    )
    return float(value * 1024)


def _count_nodes(minimax: Any, name: str, depth: int) -> int:
    """How many nodes OpenSpiel's search visits: one more run, untimed, counting every call."""
    nodes, search = 0, minimax._alpha_beta

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal nodes
        nodes += 1
        return search(*arguments, **named)

    minimax._alpha_beta = counted
    try:
        _open_spiel(minimax, name, depth)
    finally:
        minimax._alpha_beta = search
    return nodes
