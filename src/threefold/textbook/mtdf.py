"""MTD(f): find the value by guessing it and repeatedly testing on which side of the guess it lies.

Each test is an alpha-beta search with a null window and a memory of what earlier tests found
(Plaat, Schaeffer, Pijls and de Bruin, 1995).
"""

from dataclasses import dataclass

from threefold.rules.contract import MAX
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


@dataclass
class _Known:
    """Bounds on a node's value, and the child that proves the bound the mover needs."""

    lower: Bound = -INFINITY
    upper: Bound = INFINITY
    best: Node | None = None


def mtdf(
    root: Node, trace: Trace, depth: int | None = None, guess: Bound = 0
) -> tuple[Bound, Line]:
    """Close the gap between a lower and an upper bound on the root's value."""
    memory: dict[str, _Known] = {}

    def test(node: Node, bound: Bound, above: bool, plies: int) -> Bound:
        """Is the value at least the bound (or, if `above`, more)? Returns a fail-soft bound."""

        def passes(value: Bound) -> bool:
            return value > bound if above else value >= bound

        known = memory.setdefault(node.name, _Known())
        if passes(known.lower):
            return known.lower
        if not passes(known.upper):
            return known.upper
        trace.enter(node, bound, bound)
        if stops(node, plies, depth):
            known.lower = known.upper = trace.leaf(node)
            return known.lower
        maximizing = node.player == MAX
        best: Bound = -INFINITY if maximizing else INFINITY
        chosen: Node | None = None
        for child in trace.expand(node):
            value = test(child, bound, above, plies + 1)
            trace.child(node, child, value)
            if chosen is None or (value > best if maximizing else value < best):
                best, chosen = value, child
            if passes(best) == maximizing:
                which = "beta" if maximizing else "alpha"
                sign = (">" if above else "≥") if maximizing else ("≤" if above else "<")
                trace.cutoff(node, which, best, sign, bound)
                break
        if passes(best):
            known.lower = best
        else:
            known.upper = best
        if passes(best) == maximizing:
            known.best = chosen
        sign = "=" if known.lower == known.upper else "≥" if passes(best) else "≤"
        trace.leave(node, best, (chosen, None) if chosen else None, sign)
        return best

    lower: Bound = -INFINITY
    upper: Bound = INFINITY
    value = guess
    while lower < upper:
        above = value == lower
        trace.note("guess", root.name, value=value, lower=lower, upper=upper)
        bound, value = value, test(root, value, above, 0)
        if value > bound or (value == bound and not above):
            lower = value
        else:
            upper = value
    line = _line(root, memory)
    trace.note("meet", root.name, value=value, choice=line[0].name if line else None)
    return value, line


def _line(root: Node, memory: dict[str, _Known]) -> Line:
    """The proven best children, starting at the root."""
    played = []
    node: Node | None = root
    while node is not None:
        node = memory[node.name].best
        if node is not None:
            played.append(node)
    line: Line = None
    for node in reversed(played):
        line = (node, line)
    return line
