"""PROOF-NUMBER search: can MAX win? MAX nodes are OR nodes, MIN nodes AND nodes (Allis, 1994).

Each node has a proof number, the fewest leaves that must be won to prove it, and a disproof
number. The search always expands the leaf that would help the root most. A leaf counts as won
if its value is more than 0.
"""

from dataclasses import dataclass, field

from threefold.rules.contract import MAX
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


@dataclass(eq=False)
class _Entry:
    """A node of the tree grown so far."""

    node: Node
    plies: int
    parent: "_Entry | None" = None
    proof: float = 1
    disproof: float = 1
    children: list["_Entry"] = field(default_factory=list)


def proof_number(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """1 if MAX can force a win, else 0."""

    def grow(entry: _Entry) -> None:
        """Evaluate a leaf, or expand a node into children that are still unknown."""
        node = entry.node
        trace.enter(node)
        if stops(node, entry.plies, depth):
            won = trace.leaf(node) > 0
            entry.proof, entry.disproof = (0, INFINITY) if won else (INFINITY, 0)
            return
        entry.children = [_Entry(child, entry.plies + 1, entry) for child in trace.expand(node)]

    def update(entry: _Entry) -> _Entry:
        """Back up the numbers: OR sums disproofs and takes the least proof, AND the reverse.

        If a node's numbers do not change, neither do those above it, so the search continues from
        that node.
        """
        while True:
            before = entry.proof, entry.disproof
            if entry.children:
                proofs = [child.proof for child in entry.children]
                disproofs = [child.disproof for child in entry.children]
                if entry.node.player == MAX:
                    entry.proof, entry.disproof = min(proofs), sum(disproofs)
                else:
                    entry.proof, entry.disproof = sum(proofs), min(disproofs)
            trace.note("proof", entry.node.name, proof=entry.proof, disproof=entry.disproof)
            settled = entry.children and before == (entry.proof, entry.disproof)
            if settled or entry.parent is None:
                return entry
            entry = entry.parent

    def most_proving(entry: _Entry) -> _Entry:
        """Follow the least proof number at OR nodes and the least disproof number at AND nodes."""
        while entry.children:
            if entry.node.player == MAX:
                entry = min(entry.children, key=lambda child: child.proof)
            else:
                entry = min(entry.children, key=lambda child: child.disproof)
        return entry

    top = here = _Entry(root, 0)
    while top.proof != 0 and top.disproof != 0:
        leaf = most_proving(here)
        grow(leaf)
        here = update(leaf)
    return int(top.proof == 0), _line(top)


def _line(entry: _Entry) -> Line:
    """A line that shows the answer: proven children where it is proven, else disproven ones."""
    proven = entry.proof == 0
    played = []
    while entry.children:
        entry = next(
            child for child in entry.children if (child.proof if proven else child.disproof) == 0
        )
        played.append(entry.node)
    line: Line = None
    for node in reversed(played):
        line = (node, line)
    return line
