"""NEGAMAX: alpha-beta in one function for both sides.

Values are from the point of view of the player to move. The sign and the window flip only where
the turn really passes to the other side.
"""

from threefold.rules.contract import MAX
from threefold.textbook.cut import EQUAL, Cut
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


def _for_max(node: Node, value: Bound) -> Bound:
    return value if node.player == MAX else -value


def _bound_name(node: Node) -> str:
    """The name of the mover's lower bound, in a picture drawn from MAX's point of view."""
    return "alpha" if node.player == MAX else "beta"


def _window(node: Node, alpha: Bound, beta: Bound) -> tuple[Bound, Bound]:
    return (alpha, beta) if node.player == MAX else (-beta, -alpha)


def _cut(trace: Trace, node: Node, value: Bound, beta: Bound, cut: Cut) -> None:
    if node.player == MAX:
        trace.cutoff(node, "beta", value, "≥" if cut.at_max else ">", beta)
    else:
        trace.cutoff(node, "alpha", -value, "≤" if cut.at_min else "<", -beta)


def negamax(
    root: Node, trace: Trace, depth: int | None = None, cut: Cut = EQUAL
) -> tuple[Bound, Line]:
    """Alpha-beta, fail-soft, in one function."""

    def search(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        trace.enter(node, *_window(node, alpha, beta))
        if stops(node, plies, depth):
            return _for_max(node, trace.leaf(node)), None
        best: Bound = -INFINITY
        line: Line = None
        for child in trace.expand(node):
            if child.player == node.player:
                value, below = search(child, alpha, beta, plies + 1)
            else:
                value, below = search(child, -beta, -alpha, plies + 1)
                value = -value
            trace.child(node, child, _for_max(node, value))
            if value > best:
                best, line = value, (child, below)
            if best > beta or (best == beta and cut.at(node.player)):
                _cut(trace, node, best, beta, cut)
                break
            if best > alpha:
                alpha = best
                trace.bound(node, _bound_name(node), _for_max(node, alpha))
        trace.leave(node, _for_max(node, best), line)
        return best, line

    value, line = search(root, -INFINITY, INFINITY, 0)
    return _for_max(root, value), line
