r"""Drawings made of a few shapes, written as SVG or as TikZ.

A shape's look is a list of words: `fill-…` and `line-…` with a color's role (threefold/rules/svg.py
has the roles), and any of `thin`, `bold`, `dashed`, `faint`, `strong` (text). TikZ needs
`\usepackage{tikz}` and nothing else.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import TypeAlias

from threefold.rules import svg
from threefold.rules.svg import Style, Svg, number
from threefold.textbook.page_files import page_file
from threefold.textbook.tikz import UNITS, point
from threefold.textbook.tikz import escape as tex

STYLE = page_file("shapes.css").strip()
#: The width of a letter, as a fraction of its font size.
LETTER = 0.58
CAPTION_SIZE, CAPTION_LINE = 15.0, 21.0
#: The size of an arrowhead.
_HEAD, _HEAD_HALF = 9.0, 4.0
_TIKZ_COLORS = {
    "paper": "white",
    "board": "gray!15",
    "line": "gray",
    "ink": "black",
    "max": "orange!80!black",
    "min": "blue!70!black",
    "felt": "green!50!black",
    "black": "black",
    "white": "white",
}
_TIKZ_WORDS = {
    "thin": "line width=0.4pt",
    "bold": "line width=1.4pt",
    "dashed": "dashed",
    "faint": "opacity=0.5",
    "strong": r"font=\bfseries",
}

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Circle:
    """A circle around a point."""

    x: float
    y: float
    r: float
    css: str

    def svg(self) -> str:
        """As an element of SVG."""
        return svg.circle(self.x, self.y, self.r, self.css)

    def tikz(self) -> str:
        """As a command of TikZ."""
        where = point(self.x, self.y)
        return rf"\path[{_tikz(self.css)}] {where} circle[radius={self.r / UNITS:.3g}];"


@dataclass(frozen=True)
class Box:
    """A rectangle by its top left corner."""

    x: float
    y: float
    width: float
    height: float
    css: str
    round_by: float = 0

    def svg(self) -> str:
        """As an element of SVG."""
        return svg.rect(self.x, self.y, self.width, self.height, self.css, self.round_by)

    def tikz(self) -> str:
        """As a command of TikZ."""
        far = point(self.x + self.width, self.y + self.height)
        corners = ", rounded corners=2pt" if self.round_by else ""
        return rf"\path[{_tikz(self.css)}{corners}] {point(self.x, self.y)} rectangle {far};"


@dataclass(frozen=True)
class Line:
    """A line through points or, with two `bends`, a curve (a cubic one) between two points."""

    points: tuple[Point, ...]
    css: str
    bends: tuple[Point, Point] | None = None
    #: Whether there is an arrowhead at the end, and at the beginning.
    arrow: bool = False
    both: bool = False

    def svg(self) -> str:
        """As elements of SVG."""
        start, *rest = self.points
        if self.bends:
            one, two = self.bends
            steps = f"C{_pair(one)} {_pair(two)} {_pair(rest[0])}"
        else:
            steps = "".join(f"L{_pair(each)}" for each in rest)
        drawn = svg.path(f"M{_pair(start)}{steps}", self.css)
        color = next((word for word in self.css.split() if word.startswith("line-")), "line-line")
        fill = color.replace("line-", "fill-") + (" faint" if "faint" in self.css else "")
        ends = [self._tip(at_end=True)] if self.arrow else []
        ends += [self._tip(at_end=False)] if self.both else []
        return drawn + "".join(svg.path(end, fill) for end in ends)

    def _tip(self, *, at_end: bool) -> str:
        tip = self.points[-1] if at_end else self.points[0]
        before = self.points[-2] if at_end else self.points[1]
        if self.bends:
            before = self.bends[1] if at_end else self.bends[0]
        dx, dy = tip[0] - before[0], tip[1] - before[1]
        length = math.hypot(dx, dy) or 1.0
        ux, uy = dx / length, dy / length
        base = tip[0] - ux * _HEAD, tip[1] - uy * _HEAD
        one = base[0] - uy * _HEAD_HALF, base[1] + ux * _HEAD_HALF
        two = base[0] + uy * _HEAD_HALF, base[1] - ux * _HEAD_HALF
        return f"M{_pair(tip)}L{_pair(one)}L{_pair(two)}Z"

    def tikz(self) -> str:
        """As a command of TikZ."""
        heads = {(True, False): "->, ", (True, True): "<->, ", (False, True): "<-, "}
        head = heads.get((self.arrow, self.both), "")
        if self.bends:
            one, two = (point(*bend) for bend in self.bends)
            way = f"{point(*self.points[0])} .. controls {one} and {two} .. "
            way += point(*self.points[1])
        else:
            way = " -- ".join(point(*each) for each in self.points)
        return rf"\draw[{head}{_tikz(self.css, line=True)}] {way};"


@dataclass(frozen=True)
class Text:
    """A text centered on a point; with the anchor `start` it begins there, with `end` it ends."""

    x: float
    y: float
    text: str
    css: str = "fill-ink"
    size: float = 14
    anchor: str = "middle"

    def svg(self) -> str:
        """As an element of SVG."""
        return svg.label(self.x, self.y, self.text, self.css, self.size, self.anchor)

    def tikz(self) -> str:
        """As a command of TikZ."""
        words = self.css.split()
        color = next((word[5:] for word in words if word.startswith("fill-")), "ink")
        style = [f"text={_TIKZ_COLORS[color]}", "inner sep=1pt"]
        side = {"start": "west", "end": "east"}.get(self.anchor)
        style += [f"anchor={side}"] if side else []
        style += ["fill=white"] if "halo" in words else []
        style += [_TIKZ_WORDS[word] for word in words if word in {"faint"}]
        size = r"\scriptsize" if self.size < 13 else r"\small"
        weight = r"\bfseries" if "strong" in words else ""
        style.append(f"font={size}{weight}")
        return rf"\node[{', '.join(style)}] at {point(self.x, self.y)} {{{tex(self.text)}}};"


@dataclass(frozen=True)
class Tiles:
    """A small board around a point: rows of letters in a frame."""

    x: float
    y: float
    rows: tuple[str, ...]
    size: float
    css: str
    ink: str

    @property
    def _left(self) -> float:
        return self.x - len(self.rows[0]) * self.size / 2

    @property
    def _top(self) -> float:
        return self.y - len(self.rows) * self.size / 2

    @property
    def _frame(self) -> Box:
        wide, tall = len(self.rows[0]) * self.size, len(self.rows) * self.size
        return Box(self._left - 2, self._top - 2, wide + 4, tall + 4, self.css, 3)

    def svg(self) -> str:
        """As elements of SVG: a row is one text whose letters have their own places."""
        rows = []
        for i, row in enumerate(self.rows):
            tiles = [(tile, j) for j, tile in enumerate(row) if tile.strip()]
            across = " ".join(number(self._left + (j + 0.5) * self.size) for _, j in tiles)
            letters = escape("".join(tile for tile, _ in tiles))
            rows.append(
                f'<text class="{self.ink}" x="{across}" '
                f'y="{number(self._top + (i + 0.5) * self.size)}" '
                f'font-size="{number(self.size * 0.8)}" text-anchor="middle" '
                f'dominant-baseline="central">{letters}</text>'
            )
        return self._frame.svg() + "".join(rows)

    def tikz(self) -> str:
        """As commands of TikZ."""
        texts = [
            Text(
                self._left + (j + 0.5) * self.size,
                self._top + (i + 0.5) * self.size,
                tile,
                self.ink,
                self.size * 0.8,
            )
            for i, row in enumerate(self.rows)
            for j, tile in enumerate(row)
            if tile.strip()
        ]
        return "\n  ".join([self._frame.tikz(), *(text.tikz() for text in texts)])


Shape: TypeAlias = Circle | Box | Line | Text | Tiles


@dataclass(frozen=True)
class Drawing:
    """Shapes on a sheet, with what they show in words."""

    width: float
    height: float
    title: str
    about: str
    shapes: Sequence[Shape]
    #: What is written below, such as what was left out.
    notes: Sequence[str] = ()
    #: Where the step happens, for a frame that does not show all of a big drawing.
    focus: Point | None = None

    def svg(self, caption: str = "") -> Svg:
        """The picture, with a caption below it."""
        fits = max(int((self.width - 40) / (CAPTION_SIZE * LETTER * 0.92)), 20)
        said = [text for text in (caption, *self.notes) if text]
        lines = [line for text in said for line in wrap(text, fits)]
        below = [
            svg.label(self.width / 2, self.height + CAPTION_LINE * i + 4, line, size=CAPTION_SIZE)
            for i, line in enumerate(lines)
        ]
        height = self.height + CAPTION_LINE * len(lines) + (8 if lines else 0)
        body = [Style(STYLE), '<g class="drawn">', *(each.svg() for each in self.shapes), "</g>"]
        return svg.picture(self.width, height, self.title, self.about, [*body, *below])

    def tikz(self) -> str:
        """The same as a `tikzpicture`."""
        lines = [
            r"% \usepackage{tikz}",
            r"\begin{tikzpicture}[y=-1cm, line join=round, >=stealth]",
            *(f"  {shape.tikz()}" for shape in self.shapes),
        ]
        for i, note in enumerate(self.notes):
            where = point(self.width / 2, self.height + CAPTION_LINE * i)
            lines.append(rf"  \node[font=\small] at {where} {{{tex(note)}}};")
        return "\n".join([*lines, r"\end{tikzpicture}", ""])


def text_width(text: str, size: float) -> float:
    """About how wide a text is."""
    return len(text) * size * LETTER


def _pair(where: Point) -> str:
    return f"{number(where[0])} {number(where[1])}"


def _tikz(css: str, *, line: bool = False) -> str:
    """The keys of TikZ for a shape's words."""
    keys = []
    for word in css.split():
        kind, _, role = word.partition("-")
        if kind == "fill" and not line:
            keys.append(f"fill={_TIKZ_COLORS[role]}")
        elif kind == "line":
            keys.append(f"draw={_TIKZ_COLORS[role]}")
        elif word in _TIKZ_WORDS:
            keys.append(_TIKZ_WORDS[word])
    return ", ".join(keys)
