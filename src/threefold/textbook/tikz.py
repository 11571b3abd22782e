r"""The tree for slides: a `tikzpicture` with the layout of the picture.

It needs `\usepackage{tikz}` and nothing else; every length is written out, so that a node can be
moved by hand. As in the picture, the line of best play is thick, and a pruned part is dashed with
a double bar across its edge.
"""

from collections.abc import Iterator, Sequence

from threefold.textbook.layout import (
    BESIDE,
    FLAT,
    HALF,
    LEAF_TALL,
    POINT,
    RADIUS,
    WEIGHT_AT,
    Layout,
    cut_mark,
    edge_ends,
    is_named,
    lay_out,
)
from threefold.textbook.phases import PHASES, phase
from threefold.textbook.picture import Look, look_at
from threefold.textbook.replay import Scene, scene, show_on_edge
from threefold.textbook.trace import Event
from threefold.textbook.treeshape import Shape, short

#: Units of the picture per centimeter on the slide.
UNITS = 40.0
#: From one phase of simulations to the next, in the row above the tree.
PHASE_APART = 90.0
_MATHS = {
    "−": "-",
    "∞": r"\infty{}",
    "≤": r"\le{}",
    "≥": r"\ge{}",
    "→": r"\to{}",
    "⟨": r"\langle{}",
    "⟩": r"\rangle{}",
    "α": r"\alpha{}",
    "β": r"\beta{}",
    "–": r"\times{}",
    "×": r"\times{}",
}
#: What the picture's classes are called among TikZ's keys.
_STYLES = {
    "unseen": "not yet",
    "open": "on path",
    "done": "seen",
    "pruned": "cut off",
    "implausible": "left out",
    "best": "best line",
    "playout": "playout",
}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: "\\" + letter for letter in "$&#_%"},
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "≤": r"$\le$",
    "−": "$-$",
    "×": r"$\times$",
    "≈": r"$\approx$",
    "▸": r"$\triangleright$",
    "…": r"\dots{}",
}


def tikz(events: Sequence[Event], step: int | None = None) -> str:
    """The tree after the first `step` events, as TikZ; by default, after all of them."""
    now = scene(events, step)
    layout = lay_out(events)
    looks = {node: look for node, look in look_at(now, layout).items() if look.css != "unknown"}
    lines = [
        r"% \usepackage{tikz}",
        r"\begin{tikzpicture}[y=-1cm, line join=round, font=\small,",
        r"  best line/.style={line width=1.6pt}, seen/.style={thick}, on path/.style={very thick},",
        r"  cut off/.style={dashed, draw=gray}, left out/.style={dotted, draw=gray},"
        r" not yet/.style={draw=gray}, playout/.style={dash dot, very thick}]",
        *(f"  {line}" for line in _phase_row(now, layout)),
    ]
    for node in looks:
        if node != now.shape.root:
            lines += [f"  {line}" for line in _edge(now.shape, layout, node, looks[node])]
    for node in looks:
        lines += [f"  {line}" for line in _node(now.shape, layout, node, looks[node])]
    if layout.left_out:
        where = point(layout.width / 2, layout.height)
        lines.append(rf"  \node at {where} {{{layout.left_out} more nodes are not drawn.}};")
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _phase_row(now: Scene, layout: Layout) -> Iterator[str]:
    """The phases of simulations above the tree, the present one in a frame."""
    current = phase(now.event) if now.event else None
    if current is not None:
        left = layout.width / 2 - PHASE_APART * (len(PHASES) - 1) / 2
        for i, name in enumerate(PHASES):
            style = "draw, rounded corners=4pt" if i == current else "gray"
            yield rf"\node[{style}] at {point(left + PHASE_APART * i, 0)} {{{name}}};"


def _edge(shape: Shape, layout: Layout, node: str, look: Look) -> Iterator[str]:
    x1, y1, x2, y2 = edge_ends(shape, layout, node)
    style = ", ".join(word for word in _styles(look) if word not in {"seen", "on path"})
    yield rf"\draw[{style}] {point(x1, y1)} -- {point(x2, y2)};"
    if text := show_on_edge(shape, node):
        x, y = x1 + WEIGHT_AT * (x2 - x1), y1 + WEIGHT_AT * (y2 - y1)
        label = _maths(text)
        yield rf"\node[fill=white, inner sep=1pt, font=\scriptsize] at {point(x, y)} {{{label}}};"
    if look.cut:
        bars, (x, y) = cut_mark(shape, layout, node)
        for a, b, c, d in bars:
            yield rf"\draw[thick] {point(a, b)} -- {point(c, d)};"
        yield rf"\node at {point(x, y)} {{{_maths(look.cut)}}};"


def _node(shape: Shape, layout: Layout, node: str, look: Look) -> Iterator[str]:
    x, y, player = layout.x[node], layout.y[node], shape.player[node]
    name, style = escape(short(shape, node)), ", ".join(_styles(look))
    if node in shape.leaves:
        half = layout.left[node] - 2
        box = f"{point(x - half, y - LEAF_TALL)} rectangle {point(x + half, y + LEAF_TALL)}"
        yield rf"\draw[{style}, rounded corners=2pt] {box};"
        yield rf"\node at {point(x, y)} {{{_maths(look.value)}}};"
        yield rf"\node[font=\scriptsize] at {point(x, y + LEAF_TALL + 11)} {{{name}}};"
        for i, text in enumerate(filter(None, (look.window, look.remark))):
            where = point(x, y + LEAF_TALL + 25 + 14 * i)
            yield rf"\node[font=\scriptsize] at {where} {{{_maths(text)}}};"
        return
    if player in {"MAX", "MIN"}:
        up = 1 if player == "MAX" else -1
        corners = [(x, y - up * POINT), (x + HALF, y + up * FLAT), (x - HALF, y + up * FLAT)]
        yield rf"\draw[{style}] {' -- '.join(point(*corner) for corner in corners)} -- cycle;"
        yield rf"\node at {point(x, y + up * 5)} {{{name}}};"
    else:
        yield rf"\draw[{style}] {point(x, y)} circle[radius={RADIUS / UNITS:g}];"
        yield rf"\node at {point(x, y)} {{{name}}};"
    beside = r"\node[anchor=west, inner sep=0pt"
    if look.value:
        yield rf"{beside}] at {point(x + HALF + BESIDE, y - 8)} {{{_maths(look.value)}}};"
    if look.window:
        where = point(x + HALF + BESIDE, y + 9)
        yield rf"{beside}, font=\scriptsize] at {where} {{{_maths(look.window)}}};"
    if look.remark:
        where = point(x + HALF + BESIDE, y + 24)
        yield rf"{beside}, font=\scriptsize] at {where} {{{_maths(look.remark)}}};"
    if is_named(player):
        where = point(x + HALF + BESIDE, y - 24)
        yield rf"{beside}, font=\scriptsize] at {where} {{{escape(player)}}};"
    if layout.hidden[node]:
        count = rf"$\cdots$ {layout.hidden[node]}"
        yield rf"\node[font=\scriptsize] at {point(x, y + POINT + 12)} {{{count}}};"


def escape(name: str) -> str:
    """A name with the special characters of TeX escaped."""
    return "".join(_SPECIAL.get(letter, letter) for letter in name)


def _maths(text: str) -> str:
    return "$" + "".join(_MATHS.get(letter, letter) for letter in text).strip() + "$"


def point(x: float, y: float) -> str:
    """Coordinates on the slide."""
    return f"({round(x / UNITS, 3):g},{round(y / UNITS, 3):g})"


def _styles(look: Look) -> list[str]:
    return [_STYLES[word] for word in look.css.split() if word in _STYLES]
