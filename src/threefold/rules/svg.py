"""Pictures: SVG with a title and a description, in light and in dark.

A drawing is a string, so that it can be written to a file, sent to a page or shown in a notebook.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Self

#: Colors by role. A color is never the only difference: a shape or a text says the same.
LIGHT = {
    "paper": "#ffffff",
    "board": "#eef1f6",
    "line": "#8a94a6",
    "ink": "#1d2433",
    "max": "#c2410c",
    "min": "#1d4ed8",
    "felt": "#2e7d52",
    "wood": "#dcb35c",
    "black": "#161a22",
    "white": "#fafafa",
}
DARK = LIGHT | {
    "paper": "#12161f",
    "board": "#222a38",
    "line": "#66728a",
    "ink": "#e6eaf2",
    "max": "#fb923c",
    "min": "#7aa2ff",
    "felt": "#1f5c3c",
    "wood": "#a07a35",
    "black": "#07090d",
    "white": "#e9edf2",
}


class Style(str):
    """A style sheet inside a drawing, among the parts of its body."""

    __slots__ = ()

    def __new__(cls, rules: str) -> Self:
        """The element around the rules."""
        return super().__new__(cls, f"<style>{rules}</style>")


class Svg(str):
    """The text of an SVG drawing; a notebook shows it as a picture."""

    __slots__ = ("_parts",)
    _parts: Sequence[str]

    def __new__(cls, text: str, parts: Sequence[str] = ()) -> Self:
        """A drawing of a text; `parts` are its lines, if it was made of any."""
        drawing = super().__new__(cls, text)
        drawing._parts = parts or (text._parts if isinstance(text, Svg) else (text,))
        return drawing

    @property
    def unstyled(self) -> str:
        """The drawing without its style sheets, for a page that has its own."""
        return "\n".join(part for part in self._parts if not isinstance(part, Style))

    def _repr_svg_(self) -> str:
        return str(self)


def picture(width: float, height: float, title: str, desc: str, body: Iterable[str]) -> Svg:
    """A whole SVG document around shapes that use the classes of `LIGHT` as `fill-…`, `line-…`."""
    name = f"threefold-{_slug(title)}"
    shapes = (
        f'<rect class="fill-paper" width="{number(width)}" height="{number(height)}"/>',
        *body,
    )
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" '
        f'viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(desc)}</desc>",
        Style(_style(name, _classes(shapes))),
        *shapes,
        "</svg>",
    )
    return Svg("\n".join(parts), parts)


def circle(x: float, y: float, r: float, css: str) -> str:
    """A circle around (x, y)."""
    return f'<circle class="{css}" cx="{number(x)}" cy="{number(y)}" r="{number(r)}"/>'


def rect(x: float, y: float, width: float, height: float, css: str, round_by: float = 0) -> str:
    """A rectangle by its top left corner."""
    return (
        f'<rect class="{css}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{number(round_by)}"/>'
    )


def place(x: float, y: float, width: float, height: float, name: str) -> str:
    """An invisible part of the picture that can be touched, by its name."""
    return (
        f'<rect data-place="{escape(name)}" x="{number(x)}" y="{number(y)}" '
        f'width="{number(width)}" height="{number(height)}" fill="none" pointer-events="all"/>'
    )


def path(commands: str, css: str, dash: str = "") -> str:
    """A path in SVG's own commands, dashed if `dash` says how."""
    dashed = f'stroke-dasharray="{dash}" ' if dash else ""
    return f'<path {dashed}class="{css}" d="{commands}"/>'


def label(
    x: float, y: float, text: str, css: str = "fill-ink", size: float = 14, anchor: str = "middle"
) -> str:
    """A text centered on (x, y); with the anchor `start` it begins there."""
    return (
        f'<text class="{css}" x="{number(x)}" y="{number(y)}" font-size="{number(size)}" '
        f'text-anchor="{anchor}" dominant-baseline="central">{escape(text)}</text>'
    )


def text_block(title: str, text: str) -> Svg:
    """A drawing of plain text, for games without their own drawing."""
    lines = text.splitlines() or [""]
    width = 9.0 * max(map(len, lines)) + 32
    body = [
        f'<text class="fill-ink" x="16" y="{28 + 20 * i}" font-size="15" '
        f'xml:space="preserve" font-family="monospace">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return picture(max(width, 120), 20 * len(lines) + 24, title, text, body)


def number(x: float) -> str:
    """A coordinate, without a superfluous fraction."""
    return f"{x:.2f}".rstrip("0").rstrip(".")


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _classes(shapes: Sequence[str]) -> set[str]:
    """The classes that shapes have."""
    given = re.findall(r'class="([^"]*)"', "".join(shapes))
    return {one for classes in given for one in classes.split()}


def _style(name: str, used: set[str]) -> str:
    """The style sheet of a drawing: the colors of the classes that it uses, and of no others."""

    def rules(colors: dict[str, str]) -> str:
        return "".join(
            f".{name} .{kind}-{role}{{{what}:{color}}}"
            for role, color in colors.items()
            for kind, what in (("fill", "fill"), ("line", "stroke"))
            if f"{kind}-{role}" in used
        )

    changed = {role: color for role, color in DARK.items() if LIGHT[role] != color}
    return (
        f".{name} text{{font-family:system-ui,sans-serif}}"
        f".{name} [class*=line-]{{fill:none;stroke-width:2}}.{name} .thick{{stroke-width:6}}"
        f"{rules(LIGHT)}@media(prefers-color-scheme:dark){{{rules(changed)}}}"
    )
