"""A curve beside a picture: how a number changed over the steps of a run."""

from collections.abc import Iterator, Sequence

from threefold.textbook.shapes import Circle, Line, Point, Shape, Text

CURVE_WIDTH, CURVE_HEIGHT, CURVE_TOP = 300.0, 150.0, 60.0
#: A curve of more points than this is drawn through some of them.
_MAX_POINTS = 300


def curve(
    left: float,
    title: str,
    values: Sequence[float],
    here: int,
    css: str,
    top: float = CURVE_TOP,
) -> Iterator[Shape]:
    """A curve of values over the steps, with a mark where we are."""
    most = max(*values, 1e-9) if len(values) > 1 else max(values[0], 1e-9)

    def place(i: int) -> Point:
        x = left + i / max(len(values) - 1, 1) * CURVE_WIDTH
        return x, top + CURVE_HEIGHT * (1 - values[i] / most)

    yield Text(left, top - 16, title, "fill-ink strong", 13, "start")
    bottom = top + CURVE_HEIGHT
    yield Line(((left, top), (left, bottom), (left + CURVE_WIDTH, bottom)), "line-line thin")
    yield Text(left - 6 - 3.5 * len(f"{most:.4g}"), top, f"{most:.4g}", "fill-ink", 11)
    yield Text(left - 10, bottom, "0", "fill-ink", 11)
    every = max(len(values) // _MAX_POINTS, 1)
    points = [place(i) for i in range(0, len(values), every)]
    points += [place(len(values) - 1)] if len(points) < 2 else []
    yield Line(tuple(points), css)
    x, y = place(here)
    yield Line(((x, top), (x, bottom)), "line-line thin dashed")
    yield Circle(x, y, 5, "fill-ink")
    yield Text(min(x, left + CURVE_WIDTH - 20), bottom + 14, f"{values[here]:.4g}", "fill-ink", 12)
