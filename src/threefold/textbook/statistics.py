"""What a run cost: nodes, leaves, cutoffs, and the most nodes held in memory at once.

A depth-first search holds the current path and the children generated along it. A bottom-up search
holds the whole tree. That is also why a breadth-first search cannot prune: by the time the first
value is known, everything it might have cut has been generated.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from threefold.textbook.trace import Event
from threefold.textbook.treeshape import shape_of

#: More halvings than a float has digits.
_HALVINGS = 60


@dataclass(frozen=True)
class Statistics:
    """The statistics of one run."""

    #: Visits: a node that is searched twice counts twice.
    nodes: int
    leaves: int
    cutoffs: int
    #: Cutoffs by the first child: a measure of the ordering.
    first_move_cutoffs: int
    #: The depth of the deepest node visited, in plies below the root.
    depth: int
    #: The b for which a uniform tree of that depth has as many nodes: 1 + b + b² + … + b^depth.
    effective_branching_factor: float
    #: The most nodes that had been generated and were still needed, at any step.
    most_held: int

    def to_json(self) -> dict[str, Any]:
        """The statistics as JSON types."""
        return asdict(self)


def statistics(events: Sequence[Event]) -> Statistics:
    """The statistics of a run, counted from its events."""
    nodes = leaves = cutoffs = first_move_cutoffs = 0
    looked_at: dict[str, int] = {}
    for event in events:
        if event.kind == "enter":
            nodes += 1
        elif event.kind in {"leaf", "playout"}:
            leaves += 1
        elif event.kind == "expand":
            looked_at[event.node] = 0
        elif event.kind == "child":
            looked_at[event.node] = looked_at.get(event.node, 0) + 1
        elif event.kind == "cutoff":
            cutoffs += 1
            first_move_cutoffs += looked_at.get(event.node) == 1
    depth = _deepest(events)
    return Statistics(
        nodes=nodes,
        leaves=leaves,
        cutoffs=cutoffs,
        first_move_cutoffs=first_move_cutoffs,
        depth=depth,
        effective_branching_factor=effective_branching_factor(nodes, depth),
        most_held=_most_held(events),
    )


def effective_branching_factor(nodes: int, depth: int) -> float:
    """The b such that 1 + b + b² + … + b^depth = nodes, to nine digits; 0 for a lone root."""
    if depth < 1 or nodes < 2:
        return 0.0
    low, high = 0.0, float(nodes)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        total = layer = 1.0
        for _ in range(depth):
            layer *= middle
            total += layer
            if total > nodes:
                break
        low, high = (low, middle) if total > nodes else (middle, high)
    return float(f"{low:.9g}")


def _deepest(events: Sequence[Event]) -> int:
    if not events:
        return 0
    shape = shape_of(events)
    depth = {shape.root: 0}
    for node in shape.walk():
        if node != shape.root:
            depth[node] = depth[shape.parent[node]] + 1
    return max((depth.get(event.node, 0) for event in events if event.kind == "enter"), default=0)


def _most_held(events: Sequence[Event]) -> int:
    if not events:
        return 0
    held: dict[str, int] = {}
    generated = most = 1
    for event in events:
        if event.kind == "expand":
            children = len(event.data.get("children", ()))
            children -= len(event.data.get("implausible", ()))
            generated += children - held.get(event.node, 0)
            held[event.node] = children
            most = max(most, generated)
        elif event.kind in {"leave", "leaf"}:
            generated -= held.pop(event.node, 0)
    return most
