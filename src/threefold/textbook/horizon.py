"""Beyond a fixed depth: quiescence search, secondary search and singular extensions.

A search that stops at a fixed depth trusts STATIC wherever it happens to stop. It is fooled in the
middle of an exchange, and by any loss that pointless moves can push past the horizon.
"""

from fractions import Fraction

from threefold.rules.contract import MAX
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node, Number


def _better(node: Node, value: Bound, than: Bound) -> bool:
    return value > than if node.player == MAX else value < than


def _worst(node: Node) -> Bound:
    return -INFINITY if node.player == MAX else INFINITY


def quiescence(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """Stop at the depth limit only where the position is quiet; otherwise continue until it is.

    Below the horizon a player need not make a noisy move. If the node has a static value, the
    player may stand pat on it when no noisy move is better.
    """

    def search(node: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(node)
        beyond = depth is not None and plies >= depth
        if not node.children or (beyond and node.quiet):
            return trace.leaf(node), None
        best: Bound = _worst(node)
        line: Line = None
        moves = trace.expand(node)
        if beyond:
            trace.note("extend", node.name, why="not quiet")
            moves = [child for child in moves if child.noisy]
            if isinstance(node.value, int | Fraction):
                best = node.value
                trace.note("stand-pat", node.name, value=best)
        for child in moves:
            value, below = search(child, plies + 1)
            trace.child(node, child, value)
            if _better(node, value, best):
                best, line = value, (child, below)
        trace.leave(node, best, line)
        return best, line

    return search(root, 0)


def secondary(
    root: Node, trace: Trace, depth: int | None = None, extra: int = 2
) -> tuple[Bound, Line]:
    """Search to the depth limit, then search a few plies below the chosen line before trusting it.

    If that changes the value of the position at the end of the line, the values are backed up
    again, and the line that is now best is checked in turn.
    """
    corrected: dict[str, Bound] = {}

    def search(node: Node, plies: int, limit: int | None) -> tuple[Bound, Line]:
        trace.enter(node)
        if not node.children or (limit is not None and plies >= limit):
            if node.name in corrected:
                trace.note("leaf", node.name, value=corrected[node.name])
                return corrected[node.name], None
            return trace.leaf(node), None
        best: Bound = _worst(node)
        line: Line = None
        for child in trace.expand(node):
            value, below = search(child, plies + 1, limit)
            trace.child(node, child, value)
            if line is None or _better(node, value, best):
                best, line = value, (child, below)
        trace.leave(node, best, line)
        return best, line

    while True:
        value, line = search(root, 0, depth)
        last = _last(line)
        if last is None or last.name in corrected or not last.children:
            return value, line
        trace.note("extend", last.name, why="a second look at the end of the chosen line")
        corrected[last.name], _ = search(last, 0, extra)


def singular(
    root: Node, trace: Trace, depth: int | None = None, margin: Number = 2
) -> tuple[Bound, Line]:
    """At the horizon, search a child deeper if it is better than all others by a margin.

    A forced move delays what it cannot prevent. Following it costs little, because its siblings
    are not followed.
    """

    def search(node: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(node)
        if not node.children or (depth is not None and plies >= depth):
            return trace.leaf(node), None
        best: Bound = _worst(node)
        line: Line = None
        values: list[tuple[Bound, Node]] = []
        for child in trace.expand(node):
            value, below = search(child, plies + 1)
            trace.child(node, child, value)
            values.append((value, child))
            if line is None or _better(node, value, best):
                best, line = value, (child, below)
        at_horizon = depth is not None and plies == depth - 1
        if at_horizon and line is not None and _stands_out(line[0], values, margin):
            best, line = extended(node, line[0], values)
        trace.leave(node, best, line)
        return best, line

    def extended(node: Node, child: Node, values: list[tuple[Bound, Node]]) -> tuple[Bound, Line]:
        """The node's value with its outstanding child searched one ply deeper."""
        why = "it stands out among its siblings" if len(values) > 1 else "it is the only move"
        trace.note("extend", child.name, why=why)
        assert depth is not None
        value, below = search(child, depth - 1)
        trace.child(node, child, value)
        best: Bound = value
        line: Line = (child, below)
        for other_value, other in values:
            if other is not child and _better(node, other_value, best):
                best, line = other_value, (other, None)
        return best, line

    return search(root, 0)


def _stands_out(best: Node, values: list[tuple[Bound, Node]], margin: Number) -> bool:
    """Whether a child is better than every other by more than the margin, and can be followed."""
    value = next(v for v, child in values if child is best)
    others = [v for v, child in values if child is not best]
    far = all(abs(value - v) > margin for v in others)  # type: ignore[operator]
    return far and bool(best.children)


def _last(line: Line) -> Node | None:
    node = None
    while line is not None:
        node, line = line
    return node
