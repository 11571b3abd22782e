"""Iterative deepening: search to depth 1, then 2, then 3, …, with an answer ready at every step.

The last iteration costs far more than all earlier ones together, and each iteration shows the next
one which move to try first.
"""

from collections.abc import Sequence

from threefold.rules.contract import MAX
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, NoValue, Trace, names
from threefold.textbook.tree import Node
from threefold.textbook.window import narrow


def iterative_deepening(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """Repeated alpha-beta, one ply deeper each time, trying the last iteration's best first."""
    worth: dict[str, Bound] = {}
    reached_limit = False

    def ordered(node: Node) -> Sequence[Node]:
        children = trace.expand(node)
        if node.player == MAX:
            return sorted(children, key=lambda child: -worth.get(child.name, -INFINITY))
        return sorted(children, key=lambda child: worth.get(child.name, INFINITY))

    def search(
        node: Node, alpha: Bound, beta: Bound, plies: int, limit: int, strict: bool = False
    ) -> tuple[Bound, Line]:
        nonlocal reached_limit
        trace.enter(node, alpha, beta)
        if stops(node, plies, limit):
            reached_limit |= plies >= limit and bool(node.children)
            return trace.leaf(node), None
        maximizing = node.player == MAX
        best: Bound = -INFINITY if maximizing else INFINITY
        line: Line = None
        place = {child.name: i for i, child in enumerate(node.children)}
        for child in ordered(node):
            # Ties go to the first child in tree order, so one searched late needs an exact value.
            earlier = line is not None and place[child.name] < place[line[0].name]
            value, below = search(child, alpha, beta, plies + 1, limit, strict or earlier)
            worth[child.name] = value
            trace.child(node, child, value)
            better = value > best if maximizing else value < best
            if line is None or better or (earlier and value == best):
                best, line = value, (child, below)
            alpha, beta, cut = narrow(
                trace, node, best, alpha, beta, maximizing=maximizing, strict=strict
            )
            if cut:
                break
        trace.leave(node, best, line)
        return best, line

    limit = 1 if depth is None else min(1, depth)
    while True:
        reached_limit = False
        try:
            value, line = search(root, -INFINITY, INFINITY, 0, limit)
        except NoValue as missing:
            # No static value at this horizon: no answer here, but there may be one deeper.
            if limit == depth or not missing.node.children:
                raise
            trace.restart()
            trace.note("deepen", root.name, depth=limit, without=missing.node.name)
        else:
            trace.note("deepen", root.name, depth=limit, value=value, path=names(line))
            # If the depth limit cut no line short, deeper iterations would find nothing new.
            if limit == depth or not reached_limit:
                return value, line
        limit += 1
