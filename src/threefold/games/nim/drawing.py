"""Pictures of Nim: each heap a row of stones."""

from collections.abc import Callable

from threefold.games.nim.notation import unpack
from threefold.games.nim.rules import State, heap_width
from threefold.rules import svg

_STEP = 26.0
_LEFT = 64.0
_MOST_DRAWN = 24


def drawing(heaps: tuple[int, ...]) -> Callable[[State], str]:
    """The drawing of positions that come from `heaps`."""
    number, width = len(heaps), heap_width(heaps)
    longest = min(max(heaps), _MOST_DRAWN)

    def draw(s: State) -> str:
        piles = unpack(s, number, width)
        body = []
        for row, stones in enumerate(piles):
            y = 30 + row * 36.0
            body.append(svg.label(_LEFT / 2, y, f"{row + 1}:"))
            body += [
                svg.circle(_LEFT + i * _STEP, y, 10, "fill-ink")
                for i in range(min(stones, _MOST_DRAWN))
            ]
            body += [
                svg.place(_LEFT + (i - 0.5) * _STEP, y - 18, _STEP, 36, f"{row + 1}:{i + 1}")
                for i in range(min(stones, _MOST_DRAWN))
            ]
            body.append(svg.place(0, y - 18, _LEFT - _STEP / 2, 36, f"{row + 1}:0"))
            body.append(svg.label(_LEFT + (longest + 0.4) * _STEP, y, str(stones)))
        return svg.picture(
            _LEFT + (longest + 1.5) * _STEP,
            36.0 * number + 24,
            "Nim",
            f"Heaps of {', '.join(map(str, piles))} stones. Player {s.turn + 1} to move.",
            body,
        )

    return draw
