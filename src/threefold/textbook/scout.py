"""SCOUT and principal-variation search: trust the first move, and test that the others are worse.

A test with a null window costs less than finding a value. Only if it fails is the move searched
again. Both return minimax's value.
"""

from threefold.rules.contract import MAX, Player
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


def scout(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """Pearl's SCOUT (1980): EVAL finds a value, TEST only asks whether it exceeds a bound."""

    def evaluate(node: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(node)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        first, *others = trace.expand(node)
        best, below = evaluate(first, plies + 1)
        line: Line = (first, below)
        trace.child(node, first, best)
        for child in others:
            if test(child, best, plies + 1, above=node.player == MAX):
                trace.note("search-again", child.name, alpha=-INFINITY, beta=INFINITY, value=best)
                best, below = evaluate(child, plies + 1)
                line = (child, below)
                trace.child(node, child, best)
        trace.leave(node, best, line)
        return best, line

    def test(node: Node, bound: Bound, plies: int, *, above: bool) -> bool:
        """Is the value above the bound (better for MAX), or below it (better for MIN)?"""

        def passes(value: Bound) -> bool:
            return value > bound if above else value < bound

        trace.enter(node, bound, bound)
        if stops(node, plies, depth):
            return passes(trace.leaf(node))
        # The player who wants the test to pass needs one such child; the other needs all to fail.
        wants = above == (node.player == MAX)
        answer = not wants
        chosen: Line = None
        children = trace.expand(node)
        for child in children:
            if test(child, bound, plies + 1, above=above) == wants:
                answer, chosen = wants, (child, None)
                if child is not children[-1]:
                    which = "beta" if node.player == MAX else "alpha"
                    sign = (">" if above else "≥") if which == "beta" else ("≤" if above else "<")
                    trace.cutoff(node, which, bound, sign, bound)
                break
        trace.leave(node, bound, chosen, "≥" if answer == above else "≤")
        return answer

    return evaluate(root, 0)


def pvs(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """Principal-variation search: after the first child, a null window at its value.

    With integers a null window is (alpha, alpha + 1). With arbitrary numbers it is [alpha, alpha],
    and `strict` names the player for whom equality does not cut.
    """

    def search(
        node: Node, alpha: Bound, beta: Bound, plies: int, strict: Player | None = None
    ) -> tuple[Bound, Line]:
        trace.enter(node, alpha, beta)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        maximizing = node.player == MAX
        best: Bound = -INFINITY if maximizing else INFINITY
        line: Line = None
        for child in trace.expand(node):
            if line is None or strict is not None:
                value, below = search(child, alpha, beta, plies + 1, strict)
            else:
                bound = alpha if maximizing else beta
                value, below = search(child, bound, bound, plies + 1, node.player)
                if alpha < value < beta:
                    trace.note("search-again", child.name, alpha=alpha, beta=beta, value=value)
                    value, below = search(child, alpha, beta, plies + 1)
            trace.child(node, child, value)
            if line is None or (value > best if maximizing else value < best):
                best, line = value, (child, below)
            limit = beta if maximizing else alpha
            if (best > limit if maximizing else best < limit) or (
                best == limit and strict != node.player
            ):
                which = "beta" if maximizing else "alpha"
                equal = strict != node.player
                sign = ("≥" if equal else ">") if maximizing else ("≤" if equal else "<")
                trace.cutoff(node, which, best, sign, limit)
                break
            if maximizing and best > alpha:
                alpha = best
                trace.bound(node, "alpha", alpha)
            elif not maximizing and best < beta:
                beta = best
                trace.bound(node, "beta", beta)
        trace.leave(node, best, line)
        return best, line

    return search(root, -INFINITY, INFINITY, 0)
