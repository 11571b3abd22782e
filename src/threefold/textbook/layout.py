"""Where every node of a tree's picture is drawn.

The layout is that of the whole run, so that no node moves from one step to the next: a family is
centered below its parent, and subtrees are pushed together until their outlines touch
(Reingold and Tilford 1981), with loops instead of recursion.

The stepper's script (stepper/treeview.js) places the nodes again when a subtree is folded. It gets
its measures and the size of every node from here, by `Layout.to_json`.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from threefold.textbook.replay import Spot, replay, show
from threefold.textbook.trace import Event
from threefold.textbook.treeshape import GROWING, MAX_DRAWN, Shape, short

T = TypeVar("T", bound=Hashable)
#: For each level, how far a subtree reaches left and right of its root.
Outline: TypeAlias = list[tuple[float, float]]

#: Half of a triangle's width, how far it reaches up and down; a circle; and a leaf's box.
HALF, POINT, FLAT = 23.0, 21.0, 16.0
RADIUS = 18.0
LEAF_HALF, LEAF_TALL = 17.0, 14.0
#: From one level to the next, between two subtrees, around the tree, and below its last level.
LEVEL, GAP, MARGIN, FOOT = 92.0, 12.0, 28.0, 28.0
#: More below the last level of a tree that grows, whose leaves have two more lines of text.
MORE_FOOT = 18.0
#: How far down an edge its double bar is drawn: low enough to keep apart from its siblings' bars.
#: Where the edge has a weight too, the weight is below the bar.
CUT_AT, CUT_ABOVE_WEIGHT_AT, WEIGHT_AT = 0.62, 0.46, 0.84
#: A double bar: half the distance between its two bars, and half of their length.
BAR_APART, BAR_HALF = 3.0, 8.0
#: From the middle of a double bar to the bound that caused the cutoff.
WORD_BESIDE, WORD_ABOVE = 15.0, 5.0
#: How far left of a node's middle the pointer ▶ begins; left of a leaf it is in the gap.
POINTER = 33.0
#: Between a node and the texts beside it.
BESIDE = 5.0
VALUE_SIZE, WINDOW_SIZE, NAME_SIZE, CAPTION_SIZE = 15.0, 12.0, 13.0, 14.0
#: A longer name is written beside its node; one longer than this is shortened.
NAME_INSIDE, NAME_LONGEST = 4, 9
#: The width of a letter, as a fraction of its font size.
LETTER = 0.58
#: The room to the right of a node with a text on its edge: a weight, or a count.
WEIGHT_ROOM = 34.0

#: What the stepper's script needs to place nodes and to draw edges; and how much room is below.
MEASURES = {
    "half": HALF,
    "beside": BESIDE,
    "point": POINT,
    "level": LEVEL,
    "gap": GAP,
    "margin": MARGIN,
    "cutAt": CUT_AT,
    "cutAboveWeightAt": CUT_ABOVE_WEIGHT_AT,
    "weightAt": WEIGHT_AT,
    "barApart": BAR_APART,
    "barHalf": BAR_HALF,
    "wordBeside": WORD_BESIDE,
    "wordAbove": WORD_ABOVE,
}


@dataclass
class Layout:
    """The position of every drawn node, the same at every step."""

    x: dict[str, float] = field(default_factory=dict)
    y: dict[str, float] = field(default_factory=dict)
    #: How far a node with its texts reaches to the left and to the right of its middle.
    left: dict[str, float] = field(default_factory=dict)
    right: dict[str, float] = field(default_factory=dict)
    #: The drawn nodes in tree order, each with how many nodes below it are left out.
    hidden: dict[str, int] = field(default_factory=dict)
    width: float = 0
    height: float = 0

    @cached_property
    def _places(self) -> dict[str, int]:
        return {node: i for i, node in enumerate(self.hidden)}

    def place(self, node: str) -> int:
        """The index of a drawn node in tree order."""
        return self._places[node]

    @property
    def left_out(self) -> int:
        """How many nodes the picture does not show."""
        return sum(self.hidden.values())

    def to_json(self, shape: Shape) -> dict[str, Any]:
        """What the stepper's script needs: measures, and the kind and extent of each node.

        The nodes are the drawn ones, in tree order, each with how far it reaches in each direction.
        """
        nodes = list(self.hidden)
        return {
            "measures": MEASURES | {"foot": _foot(shape)},
            "kinds": [_kind(shape, node) for node in nodes],
            "left": [round(self.left[node], 3) for node in nodes],
            "right": [round(self.right[node], 3) for node in nodes],
            "up": [_up(shape, node) for node in nodes],
            "down": [_down(shape, node) for node in nodes],
        }


def lay_out(events: Sequence[Event], most: int = MAX_DRAWN) -> Layout:
    """The layout of a run, with room at each node for the longest texts it will ever have.

    If a tree has more than `most` nodes, only its first levels are drawn.
    """
    layout = Layout()
    shape: Shape | None = None
    beside: dict[str, float] = {}
    for now in replay(events):
        if shape is None:
            shape = now.shape
            layout.hidden = shape.first_levels(most)
        assert now.event is not None
        compared = now.event["children"] if now.event.kind == "select" else ()
        for node in (now.event.node, *compared):
            if node in layout.hidden:
                room = _room(now.spot(node), is_leaf=node in shape.leaves)
                beside[node] = max(beside.get(node, 0), room)
    assert shape is not None  # replay raises where there are no events
    for node in layout.hidden:
        if node in shape.leaves:
            given = show(shape.given.get(node))
            name = fitted(short(shape, node))
            half = leaf_half(max(beside.get(node, 0), len(given) * VALUE_SIZE * LETTER), name)
            layout.left[node] = layout.right[node] = half + 2
        else:
            name = fitted(short(shape, node))
            name_width = len(name) * NAME_SIZE * LETTER if len(name) > NAME_INSIDE else 0.0
            layout.left[node] = POINTER
            player = shape.player[node]
            player_width = len(player) * WINDOW_SIZE * LETTER if is_named(player) else 0.0
            texts_width = max(beside.get(node, 0), name_width, player_width)
            layout.right[node] = HALF + BESIDE + texts_width
        if node in shape.weight or node in shape.count:
            layout.right[node] = max(layout.right[node], WEIGHT_ROOM)
    _place(shape, layout)
    return layout


def _room(spot: Spot, *, is_leaf: bool) -> float:
    """The width of the texts that a node has now."""
    counts = "" if is_leaf and not spot.visits else spot.counts
    small = max(len(counts), len(spot.remark)) * WINDOW_SIZE
    return max(len(spot.says) * VALUE_SIZE, small) * LETTER


def is_named(player: str) -> bool:
    """Whether a player has a name of their own, to be written beside the node."""
    return player not in {"", "MAX", "MIN", "CHANCE"}


def leaf_half(text_width: float, name: str) -> float:
    """Half the width of a leaf's box, wide enough for its value, or of the name below it."""
    name_width = len(name) * NAME_SIZE * LETTER
    return max(LEAF_HALF, text_width / 2 + 7, name_width / 2)


def _place(shape: Shape, layout: Layout) -> None:
    """Set x and y of every node."""
    shown = list(layout.hidden)
    extent = {node: (layout.left[node], layout.right[node]) for node in shown}
    offset, outlines = tidy(shown, lambda node: shape.children.get(node, ()), extent)
    whole = outlines[shape.root]
    layout.x[shape.root] = MARGIN - min(left for left, _ in whole)
    layout.y[shape.root] = MARGIN + POINT
    for node in shown[1:]:
        layout.x[node] = layout.x[shape.parent[node]] + offset[node]
        layout.y[node] = layout.y[shape.parent[node]] + LEVEL
    layout.width = layout.x[shape.root] + max(right for _, right in whole) + MARGIN
    layout.height = max(layout.y.values()) + MARGIN + _foot(shape)


def _foot(shape: Shape) -> float:
    """The room below the last level."""
    return FOOT + (MORE_FOOT if shape.procedure in GROWING else 0)


def tidy(
    nodes: Sequence[T],
    children: Callable[[T], Iterable[T]],
    extent: Mapping[T, tuple[float, float]],
) -> tuple[dict[T, float], dict[T, Outline]]:
    """How far right of its parent each node is, and the outline of the tree below each root.

    `nodes` has parents before their children, and `extent` how far a node reaches left and right.
    Children come first, each subtree against the outline of those to its left.
    """
    offset: dict[T, float] = {}
    outlines: dict[T, Outline] = {}
    for node in reversed(nodes):
        family = [child for child in children(node) if child in extent]
        outline: Outline = []
        for child in family:
            below = outlines.pop(child)
            apart = [right - left for (_, right), (left, _) in zip(outline, below, strict=False)]
            x = max(apart) + GAP if apart else 0.0
            offset[child] = x
            moved = [(left + x, right + x) for left, right in below]
            both = zip(outline, moved, strict=False)
            merged = [(a_left, b_right) for (a_left, _), (_, b_right) in both]
            outline = merged + outline[len(merged) :] + moved[len(merged) :]
        middle = (offset[family[0]] + offset[family[-1]]) / 2 if family else 0.0
        for child in family:
            offset[child] -= middle
        own = (-extent[node][0], extent[node][1])
        outlines[node] = [own, *((left - middle, right - middle) for left, right in outline)]
    return offset, outlines


def edge_ends(shape: Shape, layout: Layout, node: str) -> tuple[float, float, float, float]:
    """Where the edge above a node begins, below its parent, and ends."""
    above = shape.parent[node]
    return (
        layout.x[above],
        layout.y[above] + _down(shape, above),
        layout.x[node],
        layout.y[node] - _up(shape, node),
    )


def _up(shape: Shape, node: str) -> float:
    """From a node's middle up to the end of its edge."""
    if node in shape.leaves:
        return LEAF_TALL
    return {"MAX": POINT, "MIN": FLAT}.get(shape.player[node], RADIUS)


def _down(shape: Shape, node: str) -> float:
    """From a node's middle down to where its children's edges begin."""
    return {"MAX": FLAT, "MIN": POINT}.get(shape.player[node], RADIUS)


def _kind(shape: Shape, node: str) -> str:
    """MAX, MIN, chance or leaf; or the name of one of more than two players."""
    if node in shape.leaves:
        return "leaf"
    player = shape.player[node]
    return "chance" if player == "CHANCE" else player or "player"


def cut_mark(
    shape: Shape, layout: Layout, node: str
) -> tuple[list[tuple[float, float, float, float]], tuple[float, float]]:
    """Two short bars across the edge above a node, and where the bound is written."""
    x1, y1, x2, y2 = edge_ends(shape, layout, node)
    labeled = node in shape.weight or node in shape.count
    at = CUT_ABOVE_WEIGHT_AT if labeled else CUT_AT
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
    along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
    middle_x, middle_y = x1 + at * (x2 - x1), y1 + at * (y2 - y1)
    bars = []
    for shift in (-BAR_APART, BAR_APART):
        x, y = middle_x + along_x * shift, middle_y + along_y * shift
        across_x, across_y = BAR_HALF * along_y, BAR_HALF * along_x
        bars.append((x - across_x, y + across_y, x + across_x, y - across_y))
    side = -1 if x2 < x1 - 1 else 1
    return bars, (middle_x + side * WORD_BESIDE, middle_y - WORD_ABOVE)


def fitted(name: str) -> str:
    """A name, shortened if it is too long for the picture."""
    return name if len(name) <= NAME_LONGEST else name[: NAME_LONGEST - 1] + "…"
