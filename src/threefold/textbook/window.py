"""The alpha-beta window after each child: cut, or narrow it with a better value."""

from threefold.textbook.trace import Bound, Trace
from threefold.textbook.tree import Node


def narrow(
    trace: Trace,
    node: Node,
    best: Bound,
    alpha: Bound,
    beta: Bound,
    *,
    maximizing: bool,
    strict: bool = False,
) -> tuple[Bound, Bound, bool]:
    """The window given a node's best value so far, and whether the other children are cut.

    If `strict`, equality does not cut: a value equal to a bound is then exact.
    """
    if maximizing and (best > beta or (best == beta and not strict)):
        trace.cutoff(node, "beta", best, ">" if strict else "≥", beta)
        return alpha, beta, True
    if not maximizing and (best < alpha or (best == alpha and not strict)):
        trace.cutoff(node, "alpha", best, "<" if strict else "≤", alpha)
        return alpha, beta, True
    if maximizing and best > alpha:
        alpha = best
        trace.bound(node, "alpha", alpha)
    elif not maximizing and best < beta:
        beta = best
        trace.bound(node, "beta", beta)
    return alpha, beta, False
