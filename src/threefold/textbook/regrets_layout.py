"""Where a tree with information sets is drawn: on its side, with a lane for each dashed line.

The root is at the left, so that there is room for texts between the nodes. A line that joins the
nodes of an information set runs beside their column; lines that would overlap are in different
lanes. Families are placed as in every other picture of a tree (see `layout.tidy`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from threefold.textbook.information import InformationSet, InformationTree
from threefold.textbook.layout import tidy
from threefold.textbook.tree import Node

#: Half of a triangle, a circle's radius, half of a leaf's box.
HALF, RADIUS = 14.0, 12.0
LEAF_WIDE, LEAF_HIGH = 16.0, 10.0
#: Above and below the middle of an inner node with its texts, and of a leaf.
_ROOM, _LEAF_ROOM = 26.0, 7.0
#: From one column to the next without lanes; before the first lane, and between two.
_COLUMN, _FIRST_LANE, _LANE = 112.0, 10.0, 8.0
_MARGIN = 24.0
#: Above the tree, for a title.
_HEAD = 36.0


@dataclass
class SideLayout:
    """The place of every node, and of the line for each information set."""

    x: dict[str, float] = field(default_factory=dict)
    y: dict[str, float] = field(default_factory=dict)
    #: Where the dashed line of a set runs; none if it has only one node in a column.
    lane: dict[tuple[InformationSet, int], float] = field(default_factory=dict)
    #: By column: where the room for the texts on the edges ends, left of its lanes.
    free_until: list[float] = field(default_factory=list)
    column: dict[str, int] = field(default_factory=dict)
    width: float = 0
    height: float = 0


def lay_out(tree: InformationTree) -> SideLayout:
    """The layout of a tree."""
    layout = SideLayout(column={tree.root.name: 0})
    nodes = {node.name: node for node in tree.nodes}
    for node in tree.nodes:
        for child in node.children:
            layout.column[child.name] = layout.column[node.name] + 1
    extent = {name: _extent(node) for name, node in nodes.items()}
    offset, outlines = tidy(
        list(nodes), lambda name: [child.name for child in nodes[name].children], extent
    )
    whole = outlines[tree.root.name]
    layout.y[tree.root.name] = _HEAD - min(up for up, _ in whole)
    for node in tree.nodes:
        for child in node.children:
            layout.y[child.name] = layout.y[node.name] + offset[child.name]
    layout.height = layout.y[tree.root.name] + max(down for _, down in whole) + _MARGIN
    _place_columns(tree, layout)
    return layout


def _extent(node: Node) -> tuple[float, float]:
    return (_ROOM, _ROOM) if node.children else (_LEAF_ROOM, _LEAF_ROOM)


def _place_columns(tree: InformationTree, layout: SideLayout) -> None:
    """Set x of every node, with room for the lanes left of each column."""
    x = _MARGIN + HALF
    for column in range(max(layout.column.values()) + 1):
        spans = {
            each: [layout.y[node.name] for node in each.nodes if layout.column[node.name] == column]
            for each in tree.sets
        }
        lanes = _lanes({each: span for each, span in spans.items() if len(span) > 1})
        count = max(lanes.values(), default=-1) + 1
        if column:
            layout.free_until.append(x + _COLUMN - HALF - _FIRST_LANE)
            x += _COLUMN + (count * _LANE + _FIRST_LANE if count else 0)
        else:
            layout.free_until.append(x)
        for each, lane in lanes.items():
            layout.lane[each, column] = x - HALF - _FIRST_LANE - lane * _LANE
        for name in (name for name, own in layout.column.items() if own == column):
            layout.x[name] = x
    layout.width = x + LEAF_WIDE + _MARGIN


def _lanes(spans: Mapping[InformationSet, Sequence[float]]) -> dict[InformationSet, int]:
    """The lane of each set, from 0 next to the nodes: short lines first, none over another."""
    taken: list[list[tuple[float, float]]] = []
    lanes = {}
    for each, span in sorted(spans.items(), key=lambda item: max(item[1]) - min(item[1])):
        low, high = min(span), max(span)
        for lane in range(len(taken) + 1):
            if lane == len(taken):
                taken.append([])
            if all(high < start or end < low for start, end in taken[lane]):
                taken[lane].append((low, high))
                lanes[each] = lane
                break
    return lanes
