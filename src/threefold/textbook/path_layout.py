"""Where the nodes of a search tree are drawn, the same at every step of an iteration."""

from collections.abc import Sequence
from dataclasses import dataclass

from threefold.textbook.layout import tidy
from threefold.textbook.path_scene import STACKS, WHY, PathScene, TreeNode
from threefold.textbook.path_trace import PathResult
from threefold.textbook.shapes import text_width
from threefold.textbook.tree import Number, format_number

#: A node's radius, that of one that was given up, and a small square of a board.
RADIUS, SMALL, TILE = 15.0, 12.0, 14.0
NAME_SIZE, LABEL_SIZE = 13.0, 11.0
#: Between a node and what is written below it, and between two levels.
LABEL_ROOM, _BETWEEN = 14.0, 28.0
_MARGIN = 24.0
#: Between the two trees of a bidirectional search.
_APART = 40.0
#: A longer name is shortened.
_LONGEST_NAME = 12


@dataclass(frozen=True)
class TreeLayout:
    """The drawn nodes of one search tree and their places."""

    x: dict[int, float]
    y: dict[int, float]
    width: float
    height: float
    #: How many nodes are not drawn.
    left_out: int


def lay_out_tree(scene: PathScene, most: int) -> TreeLayout:
    """The layout of a finished tree: of its first `most` nodes, and of the path."""
    tree, tiles = scene.tree, _tiles(scene.result, scene.tree)
    chosen = [k for k, node in enumerate(tree) if not (tiles and node.why and node.why in WHY)]
    # A path longer than what fits is left out as well.
    path = set(scene.path_nodes[:most])
    drawn = [k for i, k in enumerate(chosen) if i < most or k in path]
    extent = {k: _extent(scene.result, tree[k]) for k in drawn}
    families: dict[int | None, list[int]] = {}
    for k in drawn:
        families.setdefault(tree[k].parent, []).append(k)
    if scene.result.procedure in STACKS:
        # What was generated last is visited first, and stands on the left.
        families = {parent: family[::-1] for parent, family in families.items()}
    offset, outlines = tidy(drawn, lambda k: families.get(k, ()), extent)
    step = 2 * half_height(scene.result) + LABEL_ROOM + _BETWEEN
    x: dict[int, float] = {}
    y: dict[int, float] = {}
    right = 0.0
    for root in families.get(None, ()):
        outline = outlines[root]
        x[root] = right + _MARGIN - min(left for left, _ in outline)
        y[root] = _MARGIN + half_height(scene.result)
        right = x[root] + max(reach for _, reach in outline) + _APART - _MARGIN
    for k in drawn:
        above = tree[k].parent
        if above is not None:
            x[k], y[k] = x[above] + offset[k], y[above] + step
    return TreeLayout(
        x,
        y,
        right - _APART + 2 * _MARGIN,
        max(y.values(), default=0) + half_height(scene.result) + LABEL_ROOM + _MARGIN,
        len(chosen) - len(drawn),
    )


def _extent(result: PathResult, node: TreeNode) -> tuple[float, float]:
    """How far a node with its texts reaches left and right."""
    below = text_width(below_node(result, node), LABEL_SIZE) / 2
    half = half_node(result, node)
    # On the left there is the number of its expansion.
    number = 8 + 6 * len(str(node.order)) if node.order else 0
    return max(half + number, below) + 2, max(half, below) + 2


def half_node(result: PathResult, node: TreeNode) -> float:
    """Half of the width of a node: a circle, a longer box for a longer name, or a board."""
    if result.problem is not None and (rows := result.problem.tiles(node.state)):
        return len(rows[0]) * TILE / 2
    if node.status == "dropped":
        return max(SMALL, text_width(fitted(node.state), LABEL_SIZE) / 2 + 5)
    return max(RADIUS, text_width(fitted(node.state), NAME_SIZE) / 2 + 6)


def half_height(result: PathResult) -> float:
    """Half of the height of a node."""
    rows = result.problem.tiles(result.expanded[0]) if result.problem and result.expanded else ()
    return len(rows) * TILE / 2 if rows else RADIUS


def below_node(result: PathResult, node: TreeNode) -> str:
    """A node's priority, or why it was given up."""
    if node.why and node.why != "bound":
        return WHY[node.why]
    shown = shown_priority(result, node.g, node.priority)
    return f"{shown} beyond" if node.why else shown


def shown_priority(result: PathResult, g: Number | None, priority: Number | None) -> str:
    """A priority as text; with f, what it is made of."""
    if priority is None:
        return ""
    if g is not None and result.procedure in {"a-star", "ida-star"}:
        return f"{format_number(g)}+{format_number(priority - g)}={format_number(priority)}"
    return format_number(priority)


def fitted(name: str) -> str:
    """A name, shortened if it is too long for a picture."""
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _tiles(result: PathResult, tree: Sequence[TreeNode]) -> bool:
    """Whether states are drawn as boards."""
    return bool(tree and result.problem is not None and result.problem.tiles(tree[0].state))
