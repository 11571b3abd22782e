"""ALPHA-BETA: minimax that skips what cannot change the result.

alpha is what MAX is already sure of on the path to a node, beta what MIN is sure of. If a node's
value falls outside that window, play will not reach it. The value at the root is minimax's. With
perfect ordering, a uniform tree of branching factor b and depth d costs b^⌈d/2⌉ + b^⌊d/2⌋ − 1
leaves instead of b^d.

A comment "as printed" on a line is what the lecture's listing has there; the stepper shows both.
"""

from threefold.rules.contract import MAX
from threefold.textbook.cut import EQUAL, Cut
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


def alphabeta(
    root: Node,
    trace: Trace,
    depth: int | None = None,
    cut: Cut = EQUAL,
    alpha: Bound = -INFINITY,
    beta: Bound = INFINITY,
) -> tuple[Bound, Line]:
    """Fail-soft: a node returns the best it has seen, inside the window or not."""

    def max_value(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        trace.enter(node, alpha, beta)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        v: Bound = -INFINITY
        line: Line = None
        for child in trace.expand(node):
            # as printed: v ← MAX(v, MIN-VALUE(RESULT(s, a), α, β)), with s for state
            value, below = value_of(child, alpha, beta, plies + 1)
            trace.child(node, child, value)
            if value > v:
                v, line = value, (child, below)
            # as printed: if v > β then return v (--cut strict; the book has v ≥ β)
            if v > beta or (v == beta and cut.at_max):
                trace.cutoff(node, "beta", v, "≥" if cut.at_max else ">", beta)
                break
            if v > alpha:
                alpha = v
                trace.bound(node, "alpha", alpha)
        trace.leave(node, v, line)
        return v, line

    def min_value(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        trace.enter(node, alpha, beta)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        v: Bound = INFINITY
        line: Line = None
        for child in trace.expand(node):
            # as printed: v ← MIN(v, MAX-VALUE(RESULT(s, a), α, β)), with s for state
            value, below = value_of(child, alpha, beta, plies + 1)
            trace.child(node, child, value)
            if value < v:
                v, line = value, (child, below)
            # as printed: if v < α then return v (--cut strict; the book has v ≤ α)
            if v < alpha or (v == alpha and cut.at_min):
                trace.cutoff(node, "alpha", v, "≤" if cut.at_min else "<", alpha)
                break
            if v < beta:
                beta = v
                trace.bound(node, "beta", beta)
        trace.leave(node, v, line)
        return v, line

    def value_of(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        search = max_value if node.player == MAX else min_value
        return search(node, alpha, beta, plies)

    return value_of(root, alpha, beta, 0)


def alphabeta_hard(
    root: Node,
    trace: Trace,
    depth: int | None = None,
    cut: Cut = EQUAL,
    alpha: Bound = -INFINITY,
    beta: Bound = INFINITY,
) -> tuple[Bound, Line]:
    """The CUTOFF-TEST and EVAL form, fail-hard: what a node returns lies within its window."""

    def max_value(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        trace.enter(node, alpha, beta)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        line: Line = None
        for child in trace.expand(node):
            value, below = value_of(child, alpha, beta, plies + 1)
            trace.child(node, child, value)
            if value > alpha or line is None:
                line = (child, below)
            if value > alpha:
                alpha = value
                trace.bound(node, "alpha", alpha)
            # as printed: if α ≥ β then return β (--cut max=equal)
            if alpha > beta or (alpha == beta and cut.at_max):
                trace.cutoff(node, "beta", alpha, "≥" if cut.at_max else ">", beta)
                trace.leave(node, beta, line)
                return beta, line
        trace.leave(node, alpha, line)
        return alpha, line

    def min_value(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        trace.enter(node, alpha, beta)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        line: Line = None
        for child in trace.expand(node):
            value, below = value_of(child, alpha, beta, plies + 1)
            trace.child(node, child, value)
            if value < beta or line is None:
                line = (child, below)
            if value < beta:
                beta = value
                trace.bound(node, "beta", beta)
            # as printed: if β < α then return α (--cut min=strict)
            if beta < alpha or (beta == alpha and cut.at_min):
                trace.cutoff(node, "alpha", beta, "≤" if cut.at_min else "<", alpha)
                trace.leave(node, alpha, line)
                return alpha, line
        trace.leave(node, beta, line)
        return beta, line

    def value_of(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        search = max_value if node.player == MAX else min_value
        return search(node, alpha, beta, plies)

    return value_of(root, alpha, beta, 0)
