"""Games with chance: EXPECTIMINIMAX, and Ballard's *-minimax, which can also cut at chance nodes.

A chance node is worth the mean of its children, each weighted by its probability. Given bounds L
and U on all values, Star1 stops as soon as the remaining children, at their best or worst, cannot
bring the mean back into the window. Star2 first probes one child of each child for better bounds.
"""

from collections.abc import Sequence
from fractions import Fraction

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, MAX
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node, Number, simplest
from threefold.textbook.window import narrow

#: The largest tree that is scanned for its least and greatest value.
MAX_SCANNED = 200_000


def expectiminimax(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """MAX takes the highest, MIN the lowest, chance the weighted mean."""

    def search(node: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(node)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        if node.player == CHANCE:
            mean: Number = 0
            for child, weight in zip(trace.expand(node), node.weights, strict=True):
                value, _ = search(child, plies + 1)
                trace.child(node, child, value)
                mean = simplest(mean + weight * _exact(value))
            trace.leave(node, mean, None)
            return mean, None
        best: Bound = -INFINITY if node.player == MAX else INFINITY
        line: Line = None
        for child in trace.expand(node):
            value, below = search(child, plies + 1)
            trace.child(node, child, value)
            if line is None or (value > best if node.player == MAX else value < best):
                best, line = value, (child, below)
        trace.leave(node, best, line)
        return best, line

    return search(root, 0)


def star1(
    root: Node,
    trace: Trace,
    depth: int | None = None,
    bounds: tuple[Number, Number] | None = None,
) -> tuple[Bound, Line]:
    """*-minimax with cutoffs at chance nodes (Ballard, 1983)."""
    return _star(root, trace, depth, bounds, probing=False)


def star2(
    root: Node,
    trace: Trace,
    depth: int | None = None,
    bounds: tuple[Number, Number] | None = None,
) -> tuple[Bound, Line]:
    """Star1 after probing: one child of each child gives a bound before the real search."""
    return _star(root, trace, depth, bounds, probing=True)


def _star(
    root: Node,
    trace: Trace,
    depth: int | None,
    bounds: tuple[Number, Number] | None,
    *,
    probing: bool,
) -> tuple[Bound, Line]:
    least, most = bounds if bounds is not None else _extremes(root, depth)

    def search(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        trace.enter(node, alpha, beta)
        if stops(node, plies, depth):
            return trace.leaf(node), None
        if node.player == CHANCE:
            return mean(node, alpha, beta, plies), None
        maximizing = node.player == MAX
        best: Bound = -INFINITY if maximizing else INFINITY
        line: Line = None
        for child in trace.expand(node):
            value, below = search(child, alpha, beta, plies + 1)
            trace.child(node, child, value)
            if line is None or (value > best if maximizing else value < best):
                best, line = value, (child, below)
            alpha, beta, cut = narrow(trace, node, best, alpha, beta, maximizing=maximizing)
            if cut:
                break
        trace.leave(node, best, line)
        return best, line

    def mean(node: Node, alpha: Bound, beta: Bound, plies: int) -> Bound:
        """A chance node's mean, or a bound on it if the mean lies outside the window."""
        children, weights = trace.expand(node), node.weights
        low = [Fraction(least)] * len(children)  # a lower bound on each child's value,
        high = [Fraction(most)] * len(children)  # and an upper bound

        if probing:
            for i, child in enumerate(children):
                if child.player == CHANCE or stops(child, plies + 1, depth):
                    continue
                first = child.children[0]
                trace.note("probe", child.name, child=first.name)
                value, _ = search(first, -INFINITY, INFINITY, plies + 2)
                (low if child.player == MAX else high)[i] = Fraction(value)
        for i, child in enumerate(children):
            at_most, at_least = _mean(weights, high), _mean(weights, low)
            if at_most <= alpha:
                return leave(node, "alpha", at_most, "≤", alpha)
            if at_least >= beta:
                return leave(node, "beta", at_least, "≥", beta)
            # The window in which this child can still bring the mean into the node's window.
            child_alpha = (alpha - at_most) / weights[i] + high[i]
            child_beta = (beta - at_least) / weights[i] + low[i]
            value, _ = search(child, child_alpha, child_beta, plies + 1)
            trace.child(node, child, value)
            if value < child_beta:
                high[i] = Fraction(value)
            if value > child_alpha:
                low[i] = Fraction(value)
        at_most, at_least = _mean(weights, high), _mean(weights, low)
        if at_least >= beta:
            return leave(node, "beta", at_least, "≥", beta)
        if at_most <= alpha:
            return leave(node, "alpha", at_most, "≤", alpha)
        trace.leave(node, at_least, None)
        return at_least

    def leave(node: Node, which: str, value: Number, sign: str, bound: Bound) -> Number:
        trace.cutoff(node, which, value, sign, bound)
        trace.leave(node, value, None)
        return value

    return search(root, -INFINITY, INFINITY, 0)


def _mean(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Number:
    pairs = zip(weights, values, strict=True)
    return simplest(sum((weight * value for weight, value in pairs), Fraction(0)))


def _extremes(root: Node, depth: int | None) -> tuple[Number, Number]:
    """The least and the greatest value of the nodes where a search to `depth` may end."""
    values = leaf_values(root, depth)
    if not values:
        raise ThreefoldError("no leaf has a value, so there are no bounds to cut by")
    return min(values), max(values)


def leaf_values(root: Node, depth: int | None) -> list[Number]:
    """The values of the nodes where a search to `depth` may end."""
    values: list[Number] = []
    layer, plies = [root], 0
    while layer:
        for node in layer:
            if stops(node, plies, depth) and isinstance(node.value, int | Fraction):
                values.append(node.value)
        layer = [
            child for node in layer if not stops(node, plies, depth) for child in node.children
        ]
        plies += 1
        if len(values) + len(layer) > MAX_SCANNED:
            raise ThreefoldError("the tree is too large to scan for its bounds; reduce the depth")
    return values


def _exact(value: Bound) -> Number:
    assert not isinstance(value, float), "an infinite value is not an outcome"
    return value
