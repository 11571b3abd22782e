"""A chart of nodes against depth on a logarithmic scale, with the theoretical curves."""

import math
from collections.abc import Mapping
from itertools import cycle

from threefold.rules import svg
from threefold.rules.svg import Svg
from threefold.textbook.compare import Comparison, Theory

_WIDTH, _HEIGHT = 640.0, 420.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 190.0, 40.0, 50.0
#: Curves differ in their marks, not only in color.
_MARKS = ("circle", "square", "triangle", "cross", "diamond", "bar", "dot")


def chart(results: Mapping[int, Comparison], branching: int | None = None) -> Svg:
    """One curve per procedure, from the comparisons at each depth."""
    depths = sorted(results)
    curves = {
        row.procedure: [results[d].rows[i].nodes for d in depths]
        for i, row in enumerate(results[depths[0]].rows)
    }
    theory = {}
    if branching is not None:
        theory = {
            "theory: all leaves": [Theory(branching, d).all_leaves for d in depths],
            "theory: fewest leaves": [Theory(branching, d).fewest_leaves for d in depths],
        }
    most = max(max(counts) for counts in (curves | theory).values())
    decades = max(1, math.ceil(math.log10(max(most, 2))))

    def x(i: int) -> float:
        share = i / (len(depths) - 1) if len(depths) > 1 else 0.5
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(count: float) -> float:
        share = math.log10(max(count, 1)) / decades
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    body = [svg.path(f"M{_LEFT:g} {_TOP:g}V{y(1):g}H{_WIDTH - _RIGHT + 10:g}", "line-ink")]
    for power in range(decades + 1):
        body.append(svg.label(_LEFT - 30, y(10**power), f"{10**power:,}", size=12))
        body.append(svg.path(f"M{_LEFT - 4:g} {svg.number(y(10**power))}h4", "line-ink"))
    body += [svg.label(x(i), _HEIGHT - _BOTTOM + 18, str(d)) for i, d in enumerate(depths)]
    body.append(svg.label((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, "depth in plies"))
    body.append(svg.label(_LEFT, _TOP - 20, "nodes"))
    for row, ((name, counts), mark) in enumerate(zip(curves.items(), cycle(_MARKS), strict=False)):
        points = [(x(i), y(count)) for i, count in enumerate(counts)]
        body.append(_line(points, "line-min"))
        body += [_mark(mark, *point) for point in points]
        body += [_mark(mark, _WIDTH - _RIGHT + 30, _TOP + 22 * row)]
        body.append(_legend(name, row))
    for row, (name, counts) in enumerate(theory.items(), len(curves)):
        points = [(x(i), y(count)) for i, count in enumerate(counts)]
        dash = "6 4" if "all" in name else "2 3"
        body.append(_line(points, "line-max", dash))
        sample = [(_WIDTH - _RIGHT + 18, _TOP + 22 * row), (_WIDTH - _RIGHT + 42, _TOP + 22 * row)]
        body += [_line(sample, "line-max", dash), _legend(name, row)]
    described = "; ".join(
        f"{name}: {', '.join(map(str, counts))}" for name, counts in (curves | theory).items()
    )
    return svg.picture(_WIDTH, _HEIGHT, "Nodes against depth", described, body)


def _legend(name: str, row: int) -> str:
    left, top = _WIDTH - _RIGHT + 50, _TOP + 22 * row
    return svg.label(left, top, name, size=12, anchor="start")


def _line(points: list[tuple[float, float]], css: str, dash: str = "") -> str:
    commands = "M" + "L".join(f"{svg.number(a)} {svg.number(b)}" for a, b in points)
    return svg.path(commands, css, dash)


def _mark(kind: str, x: float, y: float) -> str:
    shapes = {
        "circle": "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
        "square": "m-4 -4h8v8h-8z",
        "triangle": "m0 -5l5 9h-10z",
        "cross": "m-4 -4l8 8m0 -8l-8 8",
        "diamond": "m0 -5l5 5l-5 5l-5 -5z",
        "bar": "m-5 0h10",
        "dot": "m-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0",
    }
    return svg.path(f"M{svg.number(x)} {svg.number(y)}{shapes[kind]}", "line-ink")
