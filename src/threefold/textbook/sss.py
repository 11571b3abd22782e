"""SSS*: best-first search over MAX's strategies (Stockman, 1979).

OPEN holds nodes, each LIVE or SOLVED, with an upper bound on the root's value called its merit. The
node with the best merit is always taken next. While alpha-beta goes from left to right, SSS* works
on the strategy that still promises most, so it never visits a leaf that alpha-beta skips. It keeps
all of OPEN in memory at once.
"""

import heapq
from dataclasses import dataclass, field
from itertools import count

from threefold.rules.contract import MAX
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


@dataclass(eq=False)
class _Place:
    """A node with the path to it: which child of which parent it is."""

    node: Node
    path: tuple[int, ...] = ()
    parent: "_Place | None" = field(default=None, repr=False)
    settled: bool = False

    def child(self, index: int) -> "_Place":
        return _Place(self.node.children[index], (*self.path, index), self)

    def is_forgotten(self) -> bool:
        """Whether an ancestor is settled, so that nothing below it matters anymore."""
        above = self.parent
        while above is not None and not above.settled:
            above = above.parent
        return above is not None


def sss(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """Stockman's six cases. A MIN root is the mirror image of a MAX root."""
    sign = 1 if root.player == MAX else -1
    serial = count()
    newest = 0
    # Best merit first, ties from left to right; `origin` is the leaf that set the merit.
    open_list: list[tuple[Bound, tuple[int, ...], int, bool, _Place, _Place | None]] = []

    def put(place: _Place, solved: bool, merit: Bound, origin: _Place | None) -> None:
        nonlocal newest
        newest = next(serial)
        heapq.heappush(open_list, (-merit, place.path, newest, solved, place, origin))

    put(_Place(root), False, INFINITY, None)
    while True:
        negated, _, number, solved, place, origin = heapq.heappop(open_list)
        merit, node, parent = -negated, place.node, place.parent
        if number != newest and place.is_forgotten():
            continue
        if not solved:
            trace.enter(node)
            if stops(node, len(place.path), depth):
                value = sign * trace.leaf(node)
                put(place, True, *((value, place) if value < merit else (merit, origin)))
            elif node.player == root.player:  # every child may turn out to be the best
                for index, _ in enumerate(trace.expand(node)):
                    put(place.child(index), False, merit, origin)
            else:  # one at a time: each may lower the merit
                trace.expand(node)
                put(place.child(0), False, merit, origin)
        elif parent is None:
            return sign * merit, _line(origin)
        else:
            trace.child(parent.node, node, sign * merit)
            ours = parent.node.player == root.player
            if not ours and place.path[-1] + 1 < len(parent.node.children):
                put(parent.child(place.path[-1] + 1), False, merit, origin)
                continue
            if ours and len(parent.node.children) > 1:
                # This child has the best remaining merit: its siblings cannot do better.
                trace.note("settled", parent.node.name, child=node.name, value=sign * merit)
            parent.settled = True
            trace.leave(parent.node, sign * merit, (_toward(parent, origin) or node, None))
            put(parent, True, merit, origin)


def _toward(place: _Place, leaf: _Place | None) -> Node | None:
    """The child on the path to a leaf, if the leaf is below."""
    if leaf is None or leaf.path[: len(place.path)] != place.path:
        return None
    return place.node.children[leaf.path[len(place.path)]]


def _line(leaf: _Place | None) -> Line:
    """The path from the root down to a leaf."""
    line: Line = None
    while leaf is not None and leaf.parent is not None:
        line = (leaf.node, line)
        leaf = leaf.parent
    return line
