"""Beyond a fixed depth: quiescence search, secondary search and singular extensions.

A search that stops at a fixed depth trusts STATIC wherever it happens to stop. It is fooled in the
middle of an exchange, and by any loss that pointless moves can push past the horizon.
"""

from fractions import Fraction

from threefold.rules.contract import MAX
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import MAX_DEPTH, Node, Number


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
    root: Node,
    trace: Trace,
    depth: int | None = None,
    margin: Number = 2,
    extra: int | None = None,
) -> tuple[Bound, Line]:
    """SINGULAR EXTENSIONS (Anantharaman, Campbell and Hsu, 1988): follow forced moves further.

    If a move, anywhere in the tree, is better than all its alternatives by more than a margin, or
    is the only one, it is searched again one ply deeper before its value is trusted. A forced move
    delays what it cannot prevent; following it costs little, because its siblings are not followed.
    No line is extended by more than `extra` plies, by default by as many as the depth limit.
    """

    def search(node: Node, plies: int, left: int) -> tuple[Bound, Line]:
        """Search `plies` deep, with up to `left` extensions on the way."""
        trace.enter(node)
        if not node.children or plies <= 0:
            return trace.leaf(node), None
        found: dict[str, tuple[Bound, Line]] = {}
        for child in trace.expand(node):
            value, below = search(child, plies - 1, left)
            trace.child(node, child, value)
            found[child.name] = value, (child, below)
        best = _choice(node, found)
        if left > 0 and best.children and _stands_out(best, found, margin):
            why = "it stands out among its siblings" if len(found) > 1 else "it is the only move"
            trace.note("extend", best.name, why=why)
            value, below = search(best, plies, left - 1)
            trace.child(node, best, value)
            found[best.name] = value, (best, below)
            best = _choice(node, found)
        value, line = found[best.name]
        trace.leave(node, value, line)
        return value, line

    if depth is None:
        depth, extra = MAX_DEPTH, 0  # there is no horizon
    return search(root, depth, depth if extra is None else extra)


def _choice(node: Node, found: dict[str, tuple[Bound, Line]]) -> Node:
    """The best child so far; the first of several."""
    choose = max if node.player == MAX else min
    return choose(node.children, key=lambda child: found[child.name][0])


def _stands_out(best: Node, found: dict[str, tuple[Bound, Line]], margin: Number) -> bool:
    """Whether a child is better than every other by more than the margin."""
    value, _ = found[best.name]
    others = (other for name, (other, _) in found.items() if name != best.name)
    return all(abs(value - other) > margin for other in others)  # type: ignore[operator]


def _last(line: Line) -> Node | None:
    node = None
    while line is not None:
        node, line = line
    return node
