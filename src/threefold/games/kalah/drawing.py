"""Pictures of Kalah: South's pits at the bottom, its store on the right; North's top and left."""

from collections.abc import Callable, Iterator
from math import cos, pi, sin, sqrt

from threefold.games.kalah.notation import SIDES
from threefold.games.kalah.rules import State, unpacked
from threefold.rules import svg

_STEP = 74.0
_RADIUS = 31.0
_EDGE = 32.0
_STORE = 2 * _RADIUS + 20
_HEIGHT = 236.0
#: Distances from the middle of the board, up and down: the seed counts, the pits.
_NUMBER = 13.0
_ROW = 64.0

_SEED = 4.4
_APART = 6.2
_MOST_DRAWN = 16
#: Seeds laid out in a spiral by the golden angle never overlap.
_GOLDEN = pi * (3 - sqrt(5))


def _spiral(n: int) -> list[tuple[float, float]]:
    """Positions for `n` seeds around a center."""
    polar = [(_APART * sqrt(i + 0.5), i * _GOLDEN) for i in range(n)]
    places = [(r * cos(angle), r * sin(angle)) for r, angle in polar]
    x, y = (sum(coordinate) / n for coordinate in zip(*places, strict=True)) if n else (0.0, 0.0)
    return [(a - x, b - y) for a, b in places]


def drawing(pits: int) -> Callable[[State], str]:
    """The drawing of positions with `pits` pits per side."""
    width = pits * _STEP + 2 * _STORE
    right, bottom, middle = _EDGE + width, _EDGE + _HEIGHT, _EDGE + _HEIGHT / 2

    def column(i: int) -> float:
        return _EDGE + _STORE + (i + 0.5) * _STEP

    def seeds(x: float, y: float, n: int, color: str) -> Iterator[str]:
        """The seeds of a heap, or as many as can be drawn; a number gives the count."""
        for dx, dy in _spiral(min(n, _MOST_DRAWN)):
            yield svg.circle(x + dx, y + dy, _SEED, color)

    def pit(i: int, down: int, n: int, name: int, color: str) -> Iterator[str]:
        """A pit above the middle, `down` -1, or below it, 1."""
        yield svg.circle(column(i), middle + down * _ROW, _RADIUS, "fill-paper")
        yield from seeds(column(i), middle + down * _ROW, n, color)
        yield svg.label(column(i), middle + down * _NUMBER, str(n), size=15)
        yield svg.label(column(i), middle + down * (_HEIGHT + _EDGE) / 2, str(name), size=12)

    def touched(name: str, x: float, y: float) -> Iterator[str]:
        yield svg.place(x - _RADIUS, y - _RADIUS, 2 * _RADIUS, 2 * _RADIUS, name)

    def store(x: float, n: int, color: str) -> Iterator[str]:
        height = 2 * (_ROW + _RADIUS)
        yield svg.rect(x - _RADIUS, middle - height / 2, 2 * _RADIUS, height, "fill-paper", _RADIUS)
        yield from seeds(x, middle, n, color)
        yield svg.label(x, middle - _ROW, str(n), size=15)

    def draw(s: State) -> str:
        south, north = unpacked(s, pits)
        names = [f"{side} to move" if s.turn == i else side for i, side in enumerate(SIDES)]
        body = [
            svg.rect(_EDGE, _EDGE, width, _HEIGHT, "fill-board", 40),
            svg.label(right - _STORE / 2, bottom + _EDGE / 2, names[0], size=12),
            svg.label(_EDGE + _STORE / 2, _EDGE / 2, names[1], size=12),
            *store(right - _STORE / 2, south[pits], "fill-max"),
            *store(_EDGE + _STORE / 2, north[pits], "fill-min"),
        ]
        for i in range(pits):
            body += pit(i, 1, south[i], i + 1, "fill-max")
            body += pit(pits - 1 - i, -1, north[i], i + 1, "fill-min")
            body += touched(f"S{i + 1}", column(i), middle + _ROW)
            body += touched(f"N{i + 1}", column(pits - 1 - i), middle - _ROW)
        body += touched(f"S{pits + 1}", right - _STORE / 2, middle)
        body += touched(f"N{pits + 1}", _EDGE + _STORE / 2, middle)
        said = (
            f"{side}'s pits from its left {', '.join(map(str, places[:pits]))}, its store "
            f"{places[pits]}."
            for side, places in zip(SIDES, (south, north), strict=True)
        )
        return svg.picture(
            right + _EDGE,
            bottom + _EDGE,
            "Kalah",
            f"{' '.join(said)} {SIDES[s.turn]} to move.",
            body,
        )

    return draw
