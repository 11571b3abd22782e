"""A pair of axes to draw on: ticks at round numbers, lines, bands, bars and marks, as SVG."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from threefold.rules import svg
from threefold.rules.svg import Svg

Point = tuple[float, float]
Range = tuple[float, float]

_LEFT: Final = 76.0
_RIGHT: Final = 24.0
_TOP: Final = 52.0
_BOTTOM: Final = 56.0


class Axes:
    """A plot in the making; `svg` is the picture."""

    def __init__(
        self,
        title: str,
        horizontal: tuple[str, Range],
        vertical: tuple[str, Range],
        size: Point = (640.0, 360.0),
        left: float = _LEFT,
    ) -> None:
        """Each axis has a label and the range of its numbers."""
        self.title = title
        self.width, self.height = size
        self._left = left
        (self._x_label, (self._x0, self._x1)) = (horizontal[0], _widened(horizontal[1]))
        (self._y_label, (self._y0, self._y1)) = (vertical[0], _widened(vertical[1]))
        self._body: list[str] = []

    def x(self, value: float) -> float:
        """Where a number is on the horizontal axis."""
        share = (value - self._x0) / (self._x1 - self._x0)
        return self._left + share * (self.width - self._left - _RIGHT)

    def y(self, value: float) -> float:
        """Where a number is on the vertical axis."""
        share = (value - self._y0) / (self._y1 - self._y0)
        return self.height - _BOTTOM - share * (self.height - _TOP - _BOTTOM)

    def line(self, points: Iterable[Point], css: str = "line-min", dash: str = "") -> None:
        """A line through points."""
        if commands := self._through(points):
            self._body.append(svg.path(commands, css, dash))

    def band(self, lower: Sequence[Point], upper: Sequence[Point]) -> None:
        """The area between two lines."""
        if lower:
            commands = self._through([*lower, *reversed(upper)])
            self._body.append(svg.path(f"{commands}Z", "fill-board"))

    def level(self, value: float, name: str, dash: str = "6 4", css: str = "line-line") -> None:
        """A horizontal line across, with its name above its right end."""
        y = svg.number(self.y(value))
        end = self.width - _RIGHT
        self._body.append(svg.path(f"M{svg.number(self._left)} {y}H{svg.number(end)}", css, dash))
        if name:
            self._body.append(svg.label(end, self.y(value) - 10, name, size=12, anchor="end"))

    def bar(self, start: float, end: float, value: float, css: str = "fill-min") -> None:
        """A bar from 0 up to a value."""
        zero = max(self._y0, 0.0)
        top, bottom = sorted((self.y(value), self.y(zero)))
        left, right = self.x(start) + 0.5, self.x(end) - 0.5
        self._body.append(svg.rect(left, top, max(0.5, right - left), bottom - top, css))

    def interval(self, value: float, low: float, high: float, at: float) -> None:
        """A mark with a horizontal error bar, at a height."""
        y = self.y(at)
        left, right = self.x(max(low, self._x0)), self.x(min(high, self._x1))
        bars = "".join(f"M{svg.number(x)} {svg.number(y - 5)}v10" for x in (left, right))
        self._body.append(
            svg.path(f"M{svg.number(left)} {svg.number(y)}H{svg.number(right)}{bars}", "line-min")
        )
        self._body.append(svg.circle(self.x(value), y, 5, "fill-min"))

    def name(self, at: float, text: str) -> None:
        """A name to the left of the axes, at a height."""
        self._body.append(svg.label(self._left - 12, self.y(at), text, size=13, anchor="end"))

    def note(self, at: Point, text: str) -> None:
        """A text that ends just above a point."""
        x, y = self.x(at[0]), self.y(min(max(at[1], self._y0), self._y1))
        self._body.append(svg.label(x, max(y - 10, _TOP - 4), text, size=12, anchor="end"))

    def svg(self, description: str, *, x_ticks: bool = True, y_ticks: bool = True) -> Svg:
        """The picture, with the description that a screen reader reads."""
        bottom, end = self.height - _BOTTOM, self.width - _RIGHT
        frame = [
            svg.label(self._left, 18, self.title, size=16, anchor="start"),
            svg.label((self._left + end) / 2, self.height - 14, self._x_label, size=13),
        ]
        if self._y_label:
            frame.append(svg.label(self._left, 38, self._y_label, size=13, anchor="start"))
        for value in ticks(self._x0, self._x1, 8) if x_ticks else ():
            x = svg.number(self.x(value))
            frame.append(svg.path(f"M{x} {svg.number(bottom)}v5", "line-line"))
            frame.append(svg.label(self.x(value), bottom + 17, tick_text(value), size=12))
        for value in ticks(self._y0, self._y1, 6) if y_ticks else ():
            y = self.y(value)
            frame.append(svg.path(f"M{svg.number(self._left - 5)} {svg.number(y)}h5", "line-line"))
            frame.append(svg.label(self._left - 9, y, tick_text(value), size=12, anchor="end"))
        corner = f"M{svg.number(self._left)} {svg.number(_TOP)}V{svg.number(bottom)}"
        frame.append(svg.path(f"{corner}H{svg.number(end)}", "line-line"))
        return svg.picture(self.width, self.height, self.title, description, [*self._body, *frame])

    def _through(self, points: Iterable[Point]) -> str:
        """A path through points, kept inside the axes."""
        texts = []
        for x, y in points:
            inside = min(max(y, self._y0), self._y1)
            texts.append(f"{svg.number(self.x(x))} {svg.number(self.y(inside))}")
        return "M" + "L".join(texts) if texts else ""


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers in a range, at most this many."""
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(step * k for k in (1, 2, 5, 10, 20) if (high - low) / (step * k) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A number at a tick."""
    return f"{0.0 if abs(value) < 1e-12 else value:,.6g}"


def _widened(given: Range) -> Range:
    """A range that is not empty."""
    low, high = given
    return (low, high) if high > low else (low - 0.5, high + 0.5)
