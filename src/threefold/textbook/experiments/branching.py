"""The branching factor of chess, and what is left of it with alpha-beta."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from threefold.games.catalogue import game
from threefold.textbook.compare import Theory
from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.explain import explain
from threefold.textbook.gametree import GameNode
from threefold.textbook.statistics import effective_branching_factor, statistics
from threefold.textbook.tree import Node, Value

#: The Two Knights Defense: 33 moves, about as many as chess has on average.
POSITION = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"


class _Ordered(Node):
    """A position whose moves come in the game's own order: captures first."""

    def __init__(self, node: GameNode) -> None:
        self._node = node
        self.name, self.player = node.name, node.player

    @property
    def value(self) -> Value | None:  # type: ignore[override]
        """The position's own."""
        return self._node.value

    @cached_property
    def children(self) -> Sequence[Node]:  # type: ignore[override]
        """The captures, the most valuable victim first, then the rest as generated."""
        first = self._node.order()
        order = sorted(range(len(first)), key=lambda i: -first[i])
        return [_Ordered(self._node.children[i]) for i in order]  # type: ignore[arg-type]


def branching() -> Experiment:
    """The effective branching factor of chess: minimax, and alpha-beta by the order of moves."""
    chess = game("chess").using("material")
    root = GameNode(chess, chess.parse(POSITION))
    ordered = _Ordered(root)
    layers = _count(root, 3)
    b = layers[3] ** (1 / 3)
    rows = [
        ("minimax, every move", 3, sum(layers), layers[3]),
        _row("alpha-beta, as generated", "alphabeta", root, 3),
        _row("alpha-beta, captures first", "alphabeta", ordered, 3),
        _row("iterative deepening, captures first", "iterative-deepening", ordered, 3),
        _row("alpha-beta, captures first", "alphabeta", ordered, 4),
    ]
    fewest = [Theory(round(b), depth).fewest_leaves for depth in (3, 4)]
    lines = [
        chess.render(chess.parse(POSITION)),
        "",
        f"{layers[1]} moves here; {layers[3]:,} lines of three plies, so {b:.1f} moves on average.",
        "",
        f"{'':<36} plies   nodes  leaves  branching",
        *(
            f"{name:<36} {depth:>5} {nodes:>7,} {leaves:>7,} {_factor(nodes, depth):>10.1f}"
            for name, depth, nodes, leaves in rows
        ),
        "",
        f"In perfect order {fewest[0]:,} leaves would do for 3 plies and {fewest[1]:,} for 4.",
        "One lecture says 35, of which the square root is left in perfect order; another says that",
        f"30 become about 8. √35 = {math.sqrt(35):.1f} and √30 = {math.sqrt(30):.1f}, but real",
        "orders are not perfect. An odd number of plies needs more: b^⌈d/2⌉ + b^⌊d/2⌋ − 1 leaves.",
    ]
    figures = {
        "moves": b,
        "rows": [
            {
                "procedure": name,
                "depth": depth,
                "nodes": nodes,
                "leaves": leaves,
                "branching": _factor(nodes, depth),
            }
            for name, depth, nodes, leaves in rows
        ],
    }
    return Experiment("branching", "The branching factor of chess", lines, figures)


def _count(root: GameNode, plies: int) -> list[int]:
    """How many positions there are at each ply; minimax visits all of them."""
    layer: list[Any] = [root.state]
    counts = [1]
    for _ in range(plies - 1):
        layer = [root.game.result(s, a) for s in layer for a in root.game.moves(s)]
        counts.append(len(layer))
    return [*counts, sum(len(root.game.moves(s)) for s in layer)]


def _row(name: str, procedure: str, root: Node, depth: int) -> tuple[str, int, int, int]:
    counted = statistics(explain(procedure, root, depth=depth).events)
    return name, depth, counted.nodes, counted.leaves


def _factor(nodes: int, depth: int) -> float:
    return round(effective_branching_factor(nodes, depth), 2)
