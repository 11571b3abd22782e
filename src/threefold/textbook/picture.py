"""The tree as a picture, at any step.

▲ MAX, ▼ MIN, ● chance, a box for a leaf; beside a node its value and its window [α, β]. The line
of best play is thick, a pruned part is dashed and a double bar crosses its edge, with the bound
that cut it, α or β. Nothing is said by colour alone.

The layout is that of the whole run, so that no node moves from one step to the next: a family
stands centred below its parent, subtrees are pushed together until their outlines touch
(Reingold and Tilford 1981), by loops, not by recursion.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import wrap

from threefold.rules.svg import Svg, label, number, path, picture, rect
from threefold.textbook.narration import narrate
from threefold.textbook.replay import (
    MAX_DRAWN,
    Scene,
    Shape,
    replay,
    scene,
    short,
    show,
    show_window,
)
from threefold.textbook.terminal import cut_word
from threefold.textbook.trace import Event

#: Half of a triangle's width, how far it reaches up and down; a circle; and a leaf's box.
HALF, POINT, FLAT = 23.0, 21.0, 16.0
RADIUS = 18.0
LEAF_HALF, LEAF_TALL = 17.0, 14.0
LEVEL, GAP, MARGIN = 92.0, 12.0, 28.0
#: How far down an edge its double bar stands, so low that those of a family keep apart; where the
#: edge has a weight too, that stands below the bar.
CUT_AT, CUT_ABOVE_WEIGHT_AT, WEIGHT_AT = 0.62, 0.46, 0.84
#: How far left of a node's middle the pointer ▶ begins; left of a leaf it stands in the gap.
POINTER = 33.0
#: Between a node and the texts beside it.
BESIDE = 5.0
VALUE_SIZE, WINDOW_SIZE, NAME_SIZE, CAPTION_SIZE = 15.0, 12.0, 13.0, 14.0
#: A longer name stands beside its node.
NAME_INSIDE = 4
#: The width of a letter, as a part of the size of its font.
LETTER = 0.58

STYLE = """
.tree .edge path{stroke-width:1.6}.tree .best>path{stroke-width:5}.tree .pruned>.way{
stroke-dasharray:5 4}.tree .shape{stroke-width:2;stroke-linejoin:round}
.tree .open .shape{stroke-width:3.5}.tree .best .shape{stroke-width:4}
.tree .unseen .shape{stroke-opacity:.5}.tree .unseen text{fill-opacity:.72}
.tree .pruned .shape{stroke-dasharray:3 4;stroke-opacity:.8;fill-opacity:0}
.tree .pruned text{fill-opacity:.72}.tree .unknown{display:none}
.tree .value,.tree .name,.tree .word{font-weight:650}.tree .unseen .value,.tree .pruned .value{
font-weight:400}.tree .halo{paint-order:stroke;stroke-width:5;stroke-linejoin:round}
"""


@dataclass(frozen=True)
class Look:
    """How one node, and the edge above it, are drawn at one step."""

    #: `unknown`, or any of `unseen`, `open`, `done`, `pruned`, `best`, `here`.
    css: str
    value: str
    window: str
    #: The bound that cut the node off; `–` where it was skipped without one; else empty.
    cut: str


@dataclass
class Layout:
    """Where every drawn node stands, the same at every step."""

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
        """Where a drawn node comes in tree order."""
        return self._places[node]

    @property
    def left_out(self) -> int:
        """How many nodes the picture does not show."""
        return sum(self.hidden.values())


def draw(events: Sequence[Event], step: int | None = None) -> Svg:
    """The tree after the first `step` events; without a number, at the end."""
    now = scene(events, step)
    layout = lay_out(events)
    caption = []
    if step:
        caption = [narrate(events)[step - 1]]
    looks = {node: look for node, look in look_at(now, layout).items() if look.css != "unknown"}
    body = [
        *(edge(now.shape, layout, node, looks[node]) for node in looks if node != now.shape.root),
        *(node_shape(now.shape, layout, node, looks[node]) for node in looks),
    ]
    return frame(now, layout, body, caption)


def frame(now: Scene, layout: Layout, body: Sequence[str], caption: Sequence[str]) -> Svg:
    """The whole picture around its nodes: what is left out, a caption and a description."""
    words = [sentence for sentence in caption if sentence]
    if layout.left_out:
        words.append(
            f"The first levels of a large tree: {layout.left_out:,} more nodes are not drawn."
        )
    width = max(layout.width, 260.0)
    fits = max(int((width - 2 * MARGIN) / (CAPTION_SIZE * LETTER * 0.92)), 20)
    lines = [line for sentence in words for line in wrap(sentence, fits)]
    height = layout.height + len(lines) * 20 + (8 if lines else 0)
    shift = (width - layout.width) / 2
    texts = [
        label(width / 2, layout.height + 20 * i, line, "fill-ink", CAPTION_SIZE)
        for i, line in enumerate(lines)
    ]
    return picture(
        width,
        height,
        f"{now.shape.procedure}: the tree after step {now.step}",
        describe(now),
        [
            f"<style>{STYLE.strip()}</style>",
            f'<g class="tree" transform="translate({number(shift)} 0)">',
            *body,
            "</g>",
            *texts,
        ],
    )


def describe(now: Scene) -> str:
    """The picture in words, for those who cannot see it."""
    shape, root = now.shape, now.spot(now.shape.root)
    players = {"CHANCE": "chance"}
    mover = players.get(shape.player[shape.root], shape.player[shape.root])
    said = [f"A game tree with {mover} to move at the root {shape.root}."]
    if root.says:
        said.append(f"Its value: {root.says}.")
    if now.line:
        said.append(f"Best line so far: {', '.join(map(short, now.line[:20]))}.")
    cut = [node for node in shape.walk() if now.spot(node).pruned]
    if cut:
        more = f" and {len(cut) - 20} more" if len(cut) > 20 else ""
        said.append(f"Pruned: {', '.join(cut[:20])}{more}.")
    return " ".join(said)


def look_at(now: Scene, layout: Layout) -> dict[str, Look]:
    """How every drawn node looks at a step."""
    shape = now.shape
    best = {shape.root, *now.line}
    return {node: _look(now, node, now.is_pruned(node), node in best) for node in layout.hidden}


class Looks:
    """How every drawn node looks, step after step: only what may have changed is looked at."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._doubtful = set(layout.hidden)
        self._looks: dict[str, Look] = {}
        self._pruned: set[str] = set()
        self._best: set[str] = set()
        self._here: str | None = None

    def watch(self, now: Scene) -> None:
        """Take note of a step."""
        self._doubtful |= now.touched()

    def changes(self, now: Scene) -> dict[str, Look]:
        """The drawn nodes that look different from when this was last asked."""
        best = {now.shape.root, *now.line}
        doubtful = self._doubtful | (best ^ self._best)
        doubtful |= {node for node in (self._here, now.current) if node is not None}
        waiting = [node for node in doubtful if now.spot(node).pruned != (node in self._pruned)]
        self._pruned ^= set(waiting)
        while waiting:  # with a node goes all that lies below it
            below = now.shape.children.get(waiting.pop(), ())
            doubtful.update(below)
            waiting.extend(below)
        changed = {}
        for node in sorted(doubtful & self._layout.hidden.keys(), key=self._layout.place):
            look = _look(now, node, now.is_pruned(node), node in best)
            if self._looks.get(node) != look:
                changed[node] = self._looks[node] = look
        self._best, self._here, self._doubtful = best, now.current, set()
        now.touched()  # by us
        return changed


def _look(now: Scene, node: str, pruned: bool, best: bool) -> Look:
    spot = now.spot(node)
    if not spot.known:
        return Look("unknown", "", "", "")
    state = "pruned" if pruned else "open" if spot.open else "done" if spot.looked else "unseen"
    css = state + (" best" if best and spot.looked else "")
    css += " here" if node == now.current else ""
    is_leaf = node in now.shape.leaves
    value = spot.says
    if is_leaf and not value:
        value = show(now.shape.given[node]) if node in now.shape.given else "?"
    window = "" if is_leaf or pruned else show_window(spot.window)
    return Look(css, value, window, (cut_word(spot.cut) or "–") if spot.pruned else "")


def lay_out(events: Sequence[Event], most: int = MAX_DRAWN) -> Layout:
    """The layout of a run, with room at each node for the longest texts it will ever have.

    The first levels of a tree of more than `most` nodes are drawn.
    """
    layout = Layout()
    shape: Shape | None = None
    beside: dict[str, float] = {}
    for now in replay(events):
        if shape is None:
            shape = now.shape
            layout.hidden = shape.first_levels(most)
        node = now.current
        if node in layout.hidden and node is not None:
            spot = now.spot(node)
            window = "" if node in shape.leaves else show_window(spot.window)
            texts = len(spot.says) * VALUE_SIZE, len(window) * WINDOW_SIZE
            beside[node] = max(beside.get(node, 0), max(texts) * LETTER)
    assert shape is not None  # replay raises where there are no events
    for node in layout.hidden:
        if node in shape.leaves:
            given = show(shape.given.get(node))
            half = leaf_half(max(beside.get(node, 0), len(given) * VALUE_SIZE * LETTER), node)
            layout.left[node] = layout.right[node] = half + 2
        else:
            name = _fitted(node)
            name_width = len(name) * NAME_SIZE * LETTER if len(name) > NAME_INSIDE else 0.0
            layout.left[node] = POINTER
            layout.right[node] = HALF + BESIDE + max(beside.get(node, 0), name_width)
        if shape.player.get(shape.parent.get(node, "")) == "CHANCE":
            layout.right[node] = max(layout.right[node], 34.0)
    _place(shape, layout)
    return layout


def leaf_half(text_width: float, node: str) -> float:
    """Half the width of a leaf's box, wide enough for its value, or of the name below it."""
    return max(LEAF_HALF, text_width / 2 + 7, min(len(short(node)), 9) * NAME_SIZE * LETTER / 2)


def _place(shape: Shape, layout: Layout) -> None:
    """Set x and y: children first, each subtree against the outline of those to its left."""
    shown = list(layout.hidden)
    offset: dict[str, float] = {}
    # A subtree's outline: for each level, how far it reaches left and right of its root.
    outlines: dict[str, list[tuple[float, float]]] = {}
    for node in reversed(shown):
        family = [child for child in shape.children.get(node, ()) if child in layout.hidden]
        outline: list[tuple[float, float]] = []
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
        own = (-layout.left[node], layout.right[node])
        outlines[node] = [own, *((left - middle, right - middle) for left, right in outline)]
    whole = outlines[shape.root]
    layout.x[shape.root] = MARGIN - min(left for left, _ in whole)
    layout.y[shape.root] = MARGIN + POINT
    for node in shown[1:]:
        layout.x[node] = layout.x[shape.parent[node]] + offset[node]
        layout.y[node] = layout.y[shape.parent[node]] + LEVEL
    layout.width = layout.x[shape.root] + max(right for _, right in whole) + MARGIN
    layout.height = max(layout.y.values()) + MARGIN + 28


def edge_ends(shape: Shape, layout: Layout, node: str) -> tuple[float, float, float, float]:
    """Where the edge above a node begins, below its parent, and ends."""
    above = shape.parent[node]
    down = {"MAX": FLAT, "MIN": POINT}.get(shape.player[above], RADIUS)
    up = {"MAX": POINT, "MIN": FLAT}.get(shape.player[node], RADIUS)
    if node in shape.leaves:
        up = LEAF_TALL
    return layout.x[above], layout.y[above] + down, layout.x[node], layout.y[node] - up


def edge(shape: Shape, layout: Layout, node: str, look: Look, name: str = "") -> str:
    """The edge above a node, with its weight and, where it was cut, the double bar."""
    x1, y1, x2, y2 = edge_ends(shape, layout, node)
    parts = [path(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", "way line-line")]
    if "best" in look.css.split():
        parts = [parts[0].replace("line-line", "line-ink")]
    weight = shape.weight.get(node)
    if weight is not None:
        x, y = x1 + (x2 - x1) * WEIGHT_AT, y1 + (y2 - y1) * WEIGHT_AT
        parts.append(label(x, y, show(weight), "fill-ink line-paper halo", 12))
    if look.cut or name:
        parts.append(_cut_shape(shape, layout, node, look.cut))
    return f'<g{_id("e", name)} class="edge {look.css}">{"".join(parts)}</g>'


def cut_mark(
    shape: Shape, layout: Layout, node: str
) -> tuple[list[tuple[float, float, float, float]], tuple[float, float]]:
    """Two short bars across the edge above a node, and where their word stands."""
    x1, y1, x2, y2 = edge_ends(shape, layout, node)
    at = CUT_ABOVE_WEIGHT_AT if node in shape.weight else CUT_AT
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
    along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
    middle_x, middle_y = x1 + at * (x2 - x1), y1 + at * (y2 - y1)
    bars = []
    for shift in (-3.0, 3.0):
        x, y = middle_x + along_x * shift, middle_y + along_y * shift
        bars.append((x - 8 * along_y, y + 8 * along_x, x + 8 * along_y, y - 8 * along_x))
    side = -1 if x2 < x1 - 1 else 1
    return bars, (middle_x + side * 15, middle_y - 5)


def _cut_shape(shape: Shape, layout: Layout, node: str, word: str) -> str:
    bars, where = cut_mark(shape, layout, node)
    commands = "".join(f"M{number(a)} {number(b)}L{number(c)} {number(d)}" for a, b, c, d in bars)
    said = label(*where, word, "fill-ink line-paper halo word", 14)
    return f'<g class="bars">{path(commands, "line-ink")}{said}</g>'


def node_shape(shape: Shape, layout: Layout, node: str, look: Look, name: str = "") -> str:
    """A node with its name, value and window; with a `name` for scripts to find it by."""
    x, y, player = layout.x[node], layout.y[node], shape.player[node]
    if node in shape.leaves:
        parts = list(_leaf_parts(layout, node, look))
    else:
        parts = list(_inner_parts(node, look, player))
    if "here" in look.css.split() or name:
        at = layout.left[node] + 11 if node in shape.leaves else POINTER
        parts.append(path(f"M{number(-at)} -6l11 6l-11 6z", "pointer fill-ink"))
    if layout.hidden[node]:
        parts.append(label(0, POINT + 14, f"⋯ {layout.hidden[node]:,}", "fill-ink", 12))
    where = f'transform="translate({number(x)} {number(y)})"'
    return f'<g{_id("n", name)} class="node {look.css}" {where}>{"".join(parts)}</g>'


def _leaf_parts(layout: Layout, node: str, look: Look) -> Iterator[str]:
    half = layout.left[node] - 2
    yield rect(-half, -LEAF_TALL, 2 * half, 2 * LEAF_TALL, "shape fill-board line-line", 6)
    yield label(0, 0, look.value, "fill-ink value", VALUE_SIZE)
    yield label(0, LEAF_TALL + 12, _fitted(node), "fill-ink line-paper halo name", 12)


def _inner_parts(node: str, look: Look, player: str) -> Iterator[str]:
    yield path(outline_of(player), f"shape fill-board line-{_colour(player)}")
    name, drop = _fitted(node), {"MAX": 4.0, "MIN": -5.0}.get(player, 0.0)
    value_y, window_y = -8.0, 9.0
    if len(name) > NAME_INSIDE:
        value_y, window_y = 0.0, 16.0
        yield _beside(-18, name, "name", NAME_SIZE)
    else:
        yield label(0, drop, name, "fill-ink name", NAME_SIZE - max(len(name) - 2, 0))
    yield _beside(value_y, look.value, "value", VALUE_SIZE)
    yield _beside(window_y, look.window, "window", WINDOW_SIZE)


def _beside(y: float, text: str, kind: str, size: float) -> str:
    """A text to the right of a node."""
    said = label(HALF + BESIDE, y, text, f"fill-ink line-paper halo {kind}", size)
    return said.replace('"middle"', '"start"')


def outline_of(player: str) -> str:
    """The shape of a node: ▲, ▼, ● or, for anyone else, a square."""
    if player == "MAX":
        return f"M0 {-POINT:g}L{HALF:g} {FLAT:g}H{-HALF:g}Z"
    if player == "MIN":
        return f"M0 {POINT:g}L{HALF:g} {-FLAT:g}H{-HALF:g}Z"
    if player == "CHANCE":
        return "M-18 0a18 18 0 1 0 36 0a18 18 0 1 0 -36 0Z"
    return "M-18 -18H18V18H-18Z"


def _colour(player: str) -> str:
    return {"MAX": "max", "MIN": "min"}.get(player, "felt")


def _fitted(node: str) -> str:
    name = short(node)
    return name if len(name) <= 9 else name[:8] + "…"


def _id(kind: str, name: str) -> str:
    return f' id="{kind}{name}"' if name else ""
