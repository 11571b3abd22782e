"""Shapes of 3×3 points that are worth a reply, as in MoGo (Gelly, Wang, Munos and Teytaud, 2006).

The point in the middle is empty, and one side is to move there. A shape is written by rows:

    X O   a stone of one side and of the other; the sides may be exchanged
    x o   anything but that stone
    .     an empty point
    ?     anything on the board
    #     beyond the edge

Each holds in all eight orientations.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from threefold.rules.bits import word

SHAPES: Final = (
    ("XOX", "...", "???"),  # hane that encloses
    ("XO.", "...", "?.?"),  # hane that does not cut
    ("XO?", "X..", "x.?"),  # turn
    (".O.", "X..", "..."),  # diagonal attachment
    ("XO?", "O.o", "?o?"),  # cut that nothing protects
    ("XO?", "O.X", "???"),  # cut that was peeped at
    ("?X?", "O.O", "ooo"),  # push between
    ("OX?", "o.O", "???"),  # cut of a knight's move
    ("X.?", "O.?", "###"),  # chase along the edge
    ("OX?", "X.O", "###"),  # block a cut at the edge
    ("?X?", "x.O", "###"),  # block a connection at the edge
    ("?XO", "x.x", "###"),  # descent to the edge
    ("?OX", "X.O", "###"),  # cut at the edge
)
_MEANING: Final = {
    "X": "X",
    "O": "O",
    ".": ".",
    "x": "O.",
    "o": "X.",
    "?": "XO.",
    "#": "#",
}
#: A point's two bits: that it holds my stone, that it holds theirs; beyond the edge has both.
_BITS: Final = {".": (0, 0), "X": (1, 0), "O": (0, 1), "#": (1, 1)}


def shape_table() -> tuple[int, ...]:
    """A bit for each of 65,536 surroundings: eight bits of my stones, then eight of theirs."""
    words = [0] * 1024
    for code in {code for shape in SHAPES for code in _codes(shape)}:
        words[code >> 6] |= 1 << (code & 63)
    return tuple(map(word, words))


def _codes(shape: Iterable[str]) -> Iterator[int]:
    rows = tuple(shape)
    for turned in _orientations(rows):
        around = "".join(turned)
        around = around[:4] + around[5:]
        for points in _filled(around):
            for mine, theirs in ((0, 1), (1, 0)):
                code = 0
                for place, point in enumerate(points):
                    bits = _BITS[point]
                    code |= bits[mine] << place | bits[theirs] << place + 8
                yield code


def _orientations(rows: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for _ in range(4):
        rows = tuple("".join(column) for column in zip(*rows[::-1], strict=True))
        yield rows
        yield rows[::-1]


def _filled(around: str) -> Iterator[str]:
    """Every way to fill the points around, one of those that each sign allows."""
    if not around:
        yield ""
        return
    for rest in _filled(around[1:]):
        for point in _MEANING[around[0]]:
            yield point + rest
