"""The tree as a picture, at any step.

▲ MAX, ▼ MIN, ● chance, a box for a leaf; beside a node its value and its window [α, β]. The line
of best play is thick, a pruned part is dashed and a double bar crosses its edge, with the bound
that caused the cutoff, α or β. What MOVEGEN did not generate is dotted, without a bar. Of
simulations it shows the phase, means, visits n and upper confidence bounds u, and the path of the
round thick, with its playout in dashes and dots. Color alone never carries meaning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from threefold.rules.svg import Style, Svg, label, number, path, picture, rect
from threefold.textbook.layout import (
    BESIDE,
    CAPTION_SIZE,
    FLAT,
    HALF,
    LEAF_TALL,
    LETTER,
    MARGIN,
    NAME_INSIDE,
    NAME_SIZE,
    POINT,
    POINTER,
    VALUE_SIZE,
    WEIGHT_AT,
    WINDOW_SIZE,
    Layout,
    cut_mark,
    edge_ends,
    fitted,
    is_named,
    lay_out,
)
from threefold.textbook.narration import narrate
from threefold.textbook.page_files import page_file
from threefold.textbook.phases import PHASES, phase
from threefold.textbook.replay import Scene, scene, show, show_on_edge
from threefold.textbook.terminal import cut_word
from threefold.textbook.trace import Event
from threefold.textbook.treeshape import GROWING, Shape, short

#: How the parts of a tree are drawn; the stepper uses the same rules.
STYLE = page_file("tree.css").strip()
#: The height of the row of phases above the tree.
BANNER = 30


@dataclass(frozen=True)
class Look:
    """How one node, and the edge above it, are drawn at one step."""

    #: `unknown`, or any of `unseen`, `open`, `done`, `pruned`, `implausible`, `best`,
    #: `here`.
    css: str
    value: str
    window: str
    #: The bound that cut the node off; `–` if it was skipped without one; else empty.
    cut: str
    #: In simulations, the upper confidence bound or the playout's outcome.
    remark: str = ""


def draw(events: Sequence[Event], step: int | None = None) -> Svg:
    """The tree after the first `step` events; by default, after all of them."""
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
    banner = phase_banner(now.event, width)
    top = BANNER if banner else 0
    height = top + layout.height + len(lines) * 20 + (8 if lines else 0)
    shift = (width - layout.width) / 2
    texts = [
        label(width / 2, top + layout.height + 20 * i, line, "fill-ink", CAPTION_SIZE)
        for i, line in enumerate(lines)
    ]
    return picture(
        width,
        height,
        f"{now.shape.procedure}: the tree after step {now.step}",
        describe(now),
        [
            Style(STYLE),
            *banner,
            f'<g class="tree" transform="translate({number(shift)} {top})">',
            *body,
            "</g>",
            *texts,
        ],
    )


def phase_banner(event: Event | None, width: float) -> list[str]:
    """The four phases of simulations in a row, the present one in a frame."""
    current = None if event is None else phase(event)
    if current is None:
        return []
    apart = min(width / len(PHASES), 110.0)
    left = width / 2 - apart * (len(PHASES) - 1) / 2
    parts = []
    for i, name in enumerate(PHASES):
        x, is_current = left + apart * i, i == current
        if is_current:
            half = len(name) * WINDOW_SIZE * LETTER / 2 + 8
            parts.append(rect(x - half, 8, 2 * half, 22, "line-ink", 11))
        weight = ' font-weight="650"' if is_current else ' fill-opacity=".72"'
        parts.append(f"<g{weight}>{label(x, 19, name, 'fill-ink', WINDOW_SIZE)}</g>")
    return parts


def describe(now: Scene) -> str:
    """The picture in words, for readers who cannot see it."""
    shape, root = now.shape, now.spot(now.shape.root)
    players = {"CHANCE": "chance"}
    mover = players.get(shape.player[shape.root], shape.player[shape.root])
    said = [f"A game tree with {mover} to move at the root {shape.root}."]
    if root.says:
        said.append(f"Its value: {root.says}.")
    current = phase(now.event) if now.event else None
    if current is not None:
        said.append(f"The phase: {PHASES[current].lower()}.")
    if now.line:
        which = "Best line so far"
        if shape.procedure in GROWING:
            which = "The most visited line" if current is None else "The path of this round"
        said.append(f"{which}: {', '.join(short(now.shape, node) for node in now.line[:20])}.")
    spots = {node: now.spot(node) for node in shape.walk()}
    cut = [node for node, spot in spots.items() if spot.pruned and not spot.implausible]
    for what, nodes in (
        ("Pruned", cut),
        ("Not generated", [node for node, spot in spots.items() if spot.implausible]),
    ):
        if nodes:
            more = f" and {len(nodes) - 20} more" if len(nodes) > 20 else ""
            said.append(f"{what}: {', '.join(nodes[:20])}{more}.")
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
        """Record a step."""
        self._doubtful |= now.touched()

    def changes(self, now: Scene) -> dict[str, Look]:
        """The drawn nodes that look different from the last time this was called."""
        best = {now.shape.root, *now.line}
        doubtful = self._doubtful | (best ^ self._best)
        doubtful |= {node for node in (self._here, now.current) if node is not None}
        waiting = [node for node in doubtful if now.spot(node).pruned != (node in self._pruned)]
        self._pruned ^= set(waiting)
        while waiting:  # everything below a node goes with it
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
    css = state + (" implausible" if pruned and now.is_implausible(node) else "")
    css += " best" if best and spot.looked else ""
    css += " playout" if spot.played else ""
    css += " here" if node == now.current else ""
    is_leaf = node in now.shape.leaves
    value = spot.says
    if is_leaf and not value:
        value = show(now.shape.given[node]) if node in now.shape.given else "?"
    window = "" if pruned or (is_leaf and not spot.visits) else spot.counts
    cut = (cut_word(spot.cut) or "–") if spot.pruned and not spot.implausible else ""
    return Look(css, value, window, cut, spot.remark)


def edge(shape: Shape, layout: Layout, node: str, look: Look, *, changing: bool = False) -> str:
    """The edge above a node, with its weight and, where it was cut, the double bar.

    An edge that is `changing` has the double bar at any step, for a script to show.
    """
    x1, y1, x2, y2 = edge_ends(shape, layout, node)
    color = "ink" if "best" in look.css.split() else "line"
    parts = [path(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", f"way line-{color}")]
    if on_edge := show_on_edge(shape, node):
        x, y = x1 + (x2 - x1) * WEIGHT_AT, y1 + (y2 - y1) * WEIGHT_AT
        parts.append(label(x, y, on_edge, "fill-ink line-paper halo", 12))
    if look.cut or changing:
        parts.append(_cut_shape(shape, layout, node, look.cut))
    return f'<g class="edge {look.css}">{"".join(parts)}</g>'


def _cut_shape(shape: Shape, layout: Layout, node: str, word: str) -> str:
    bars, where = cut_mark(shape, layout, node)
    commands = "".join(f"M{number(a)} {number(b)}L{number(c)} {number(d)}" for a, b, c, d in bars)
    said = label(*where, word, "fill-ink line-paper halo word", 14)
    return f'<g class="bars">{path(commands, "line-ink")}{said}</g>'


def node_shape(
    shape: Shape, layout: Layout, node: str, look: Look, *, changing: bool = False
) -> str:
    """A node with its name, value and window, and the pointer ▶ where it is the current one.

    A node that is `changing` has the pointer at any step, for a script to show.
    """
    x, y, player = layout.x[node], layout.y[node], shape.player[node]
    if node in shape.leaves:
        parts = list(_leaf_parts(fitted(short(shape, node)), layout.left[node] - 2, look))
    else:
        parts = list(_inner_parts(fitted(short(shape, node)), look, player))
    if shape.procedure in GROWING:
        parts += _simulation_parts(shape, node, look)
    if "here" in look.css.split() or changing:
        at = layout.left[node] + 11 if node in shape.leaves else POINTER
        parts.append(path(f"M{number(-at)} -6l11 6l-11 6z", "pointer fill-ink"))
    if layout.hidden[node]:
        parts.append(label(0, POINT + 14, f"⋯ {layout.hidden[node]:,}", "fill-ink", 12))
    where = f'transform="translate({number(x)} {number(y)})"'
    return f'<g class="node {look.css}" {where}>{"".join(parts)}</g>'


def _leaf_parts(name: str, half: float, look: Look) -> Iterator[str]:
    yield rect(-half, -LEAF_TALL, 2 * half, 2 * LEAF_TALL, "shape fill-board line-line", 6)
    yield label(0, 0, look.value, "fill-ink value", VALUE_SIZE)
    yield label(0, LEAF_TALL + 12, name, "fill-ink line-paper halo name", 12)


def _simulation_parts(shape: Shape, node: str, look: Look) -> Iterator[str]:
    """The upper confidence bound or the outcome of a playout; at a leaf the visits, too."""
    if node in shape.leaves:
        halo = "fill-ink line-paper halo"
        yield label(0, LEAF_TALL + 26, look.window, f"{halo} window", WINDOW_SIZE)
        yield label(0, LEAF_TALL + 40, look.remark, f"{halo} remark", WINDOW_SIZE)
    else:
        name_is_beside = len(fitted(short(shape, node))) > NAME_INSIDE
        yield _beside(31.0 if name_is_beside else 24.0, look.remark, "remark", WINDOW_SIZE)


def _inner_parts(name: str, look: Look, player: str) -> Iterator[str]:
    yield path(outline_of(player), f"shape fill-board line-{_color(player)}")
    drop = {"MAX": 4.0, "MIN": -5.0}.get(player, 0.0)
    value_y, window_y = -8.0, 9.0
    if len(name) > NAME_INSIDE:
        value_y, window_y = 0.0, 16.0
        yield _beside(-18, name, "name", NAME_SIZE)
    else:
        yield label(0, drop, name, "fill-ink name", NAME_SIZE - max(len(name) - 2, 0))
    yield _beside(value_y, look.value, "value", VALUE_SIZE)
    yield _beside(window_y, look.window, "window", WINDOW_SIZE)
    if is_named(player):
        yield _beside(-34 if len(name) > NAME_INSIDE else -24, player, "player", WINDOW_SIZE)


def _beside(y: float, text: str, kind: str, size: float) -> str:
    """A text to the right of a node."""
    return label(HALF + BESIDE, y, text, f"fill-ink line-paper halo {kind}", size, "start")


def outline_of(player: str) -> str:
    """The shape of a node: ▲, ▼, ● or, for any other player, a square."""
    if player == "MAX":
        return f"M0 {-POINT:g}L{HALF:g} {FLAT:g}H{-HALF:g}Z"
    if player == "MIN":
        return f"M0 {POINT:g}L{HALF:g} {-FLAT:g}H{-HALF:g}Z"
    if player == "CHANCE":
        return "M-18 0a18 18 0 1 0 36 0a18 18 0 1 0 -36 0Z"
    return "M-18 -18H18V18H-18Z"


def _color(player: str) -> str:
    return {"MAX": "max", "MIN": "min"}.get(player, "felt")
