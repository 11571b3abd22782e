"""MINIMAX: the value of a position if both sides play their best.

Complete on finite trees; optimal against an optimal opponent, and never worse than its value
against any other (von Neumann's minimax theorem: two players, zero sum, finite). Time O(b^m),
space O(b·m) depth first; O(b^m) bottom up.
"""

from threefold.rules.contract import MAX
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node, levels


def stops(node: Node, plies: int, depth: int | None) -> bool:
    """TERMINAL-TEST, or CUTOFF-TEST if there is a depth limit."""
    return (depth is not None and plies >= depth) or node.is_over


def minimax(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """MINIMAX-DECISION: the depth-first recursion of MAX-VALUE and MIN-VALUE."""

    def max_value(node: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(node)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        v: Bound = -INFINITY
        line: Line = None
        for child in trace.expand(node):
            # as printed: v ← MAX(v, MIN-VALUE(s)), because turns always alternate
            value, below = value_of(child, plies + 1)
            trace.child(node, child, value)
            if value > v:
                v, line = value, (child, below)
        trace.leave(node, v, line)
        return v, line

    def min_value(node: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(node)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        v: Bound = INFINITY
        line: Line = None
        for child in trace.expand(node):
            # as printed: v ← MIN(v, MAX-VALUE(s)), because turns always alternate
            value, below = value_of(child, plies + 1)
            trace.child(node, child, value)
            if value < v:
                v, line = value, (child, below)
        trace.leave(node, v, line)
        return v, line

    def value_of(node: Node, plies: int) -> tuple[Bound, Line]:
        return max_value(node, plies) if node.player == MAX else min_value(node, plies)

    return value_of(root, 0)


def minimax_bottom_up(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """The five-step version: build the whole tree, then back values up layer by layer.

    1. Generate the game tree down to the terminal states, or to the depth limit.
    2. Apply the utility function to each of them.
    3. Back the values up one layer: MAX takes the highest, MIN the lowest.
    4. Continue up to the root.
    5. Choose the move with the highest value.

    Nothing can be pruned: by the time a value is known, its siblings' subtrees have been built.
    """
    layers = []
    for plies, layer in enumerate(levels(root)):
        layers.append(layer)
        for node in layer:
            if not stops(node, plies, depth):
                trace.expand(node)
        if plies == depth:
            break
    best: dict[str, tuple[Bound, Line]] = {}
    for plies in range(len(layers) - 1, -1, -1):
        for node in layers[plies]:
            trace.enter(node)
            if stops(node, plies, depth):
                best[node.name] = trace.leaf(node), None
                continue
            choose = max if node.player == MAX else min
            for child in node.children:
                trace.child(node, child, best[child.name][0])
            chosen = choose(node.children, key=lambda child: best[child.name][0])
            value, below = best[chosen.name]
            best[node.name] = value, (chosen, below)
            trace.leave(node, *best[node.name])
    return best[root.name]
