"""The window of alpha-beta after each child: cut, or take a better value into it."""

from threefold.textbook.trace import Bound, Trace
from threefold.textbook.tree import Node


def narrow(
    trace: Trace,
    node: Node,
    best: Bound,
    alpha: Bound,
    beta: Bound,
    *,
    maximising: bool,
    strict: bool = False,
) -> tuple[Bound, Bound, bool]:
    """The window after a node's best value so far, and whether the other children are cut.

    If `strict`, equality does not cut: a value equal to a bound is then exact.
    """
    if maximising and (best > beta or (best == beta and not strict)):
        trace.cutoff(node, "beta", best, ">" if strict else "≥", beta)
        return alpha, beta, True
    if not maximising and (best < alpha or (best == alpha and not strict)):
        trace.cutoff(node, "alpha", best, "<" if strict else "≤", alpha)
        return alpha, beta, True
    if maximising and best > alpha:
        alpha = best
        trace.bound(node, "alpha", alpha)
    elif not maximising and best < beta:
        beta = best
        trace.bound(node, "beta", beta)
    return alpha, beta, False
