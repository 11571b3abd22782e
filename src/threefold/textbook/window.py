"""The window of alpha-beta after each child: cut, or take a better value into it."""

from threefold.textbook.trace import Bound, Trace
from threefold.textbook.tree import Node


def narrow(
    trace: Trace, node: Node, best: Bound, alpha: Bound, beta: Bound, *, maximising: bool
) -> tuple[Bound, Bound, bool]:
    """The window after a node's best value so far, and whether the other children are cut."""
    if maximising and best >= beta:
        trace.cutoff(node, "beta", best, "≥", beta)
        return alpha, beta, True
    if not maximising and best <= alpha:
        trace.cutoff(node, "alpha", best, "≤", alpha)
        return alpha, beta, True
    if maximising and best > alpha:
        alpha = best
        trace.bound(node, "alpha", alpha)
    elif not maximising and best < beta:
        beta = best
        trace.bound(node, "beta", beta)
    return alpha, beta, False
