"""Boards of squares: their letters, and how they look in a terminal and in a picture.

Rows are given from the top, as they are printed.
"""

from collections.abc import Iterable, Sequence

from threefold.rules import svg
from threefold.rules.svg import Svg

#: The names of a board's columns.
LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: How wide a cell is drawn.
CELL = 48.0
#: The margin that holds the coordinates.
MARGIN = 30.0
#: How large the coordinates are on a board of up to twelve columns and rows.
_LABEL = 14.0


def letter_rows(
    first: int, second: int, squares: Iterable[Iterable[int]], empty: str = "."
) -> list[str]:
    """Rows of letters for two bitboards: X and O where they have a piece."""

    def letter(square: int) -> str:
        return "X" if first >> square & 1 else "O" if second >> square & 1 else empty

    return ["".join(map(letter, row)) for row in squares]


def render_grid(rows: Sequence[str], columns: Sequence[str], numbers: Sequence[str]) -> str:
    """A grid of one-letter squares with its column and row labels."""
    width = max(map(len, numbers), default=0)
    lines = [
        f"{number:>{width}} " + " ".join(row) for number, row in zip(numbers, rows, strict=True)
    ]
    return "\n".join([*lines, " " * (width + 1) + " ".join(columns)])


def centre(column: int, row: int) -> tuple[float, float]:
    """The center of a square in a picture."""
    return MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL


def board_picture(
    title: str,
    desc: str,
    columns: Sequence[str],
    numbers: Sequence[str],
    *,
    surface: str,
    pieces: Iterable[str],
    lines_color: str = "line",
    on_crossings: bool = False,
) -> Svg:
    """A board with its labels and lines, the pieces on top, and a place for each square.

    The lines are around the squares, or if pieces stand on their crossings, through the centers. A
    large board, which is shown smaller, has larger labels.
    """
    size = max(_LABEL, _LABEL / 12 * max(len(columns), len(numbers)))
    width, height = len(columns) * CELL, len(numbers) * CELL
    right, bottom = MARGIN + width, MARGIN + height
    inset = CELL / 2 if on_crossings else 0.0
    begin, lines_fewer = MARGIN + inset, int(on_crossings)
    across = (svg.number(begin + i * CELL) for i in range(len(columns) + 1 - lines_fewer))
    down = (svg.number(begin + i * CELL) for i in range(len(numbers) + 1 - lines_fewer))
    lines = [
        *(f"M{x} {svg.number(begin)}V{svg.number(bottom - inset)}" for x in across),
        *(f"M{svg.number(begin)} {y}H{svg.number(right - inset)}" for y in down),
    ]
    labels = [
        *(
            svg.label(centre(i, 0)[0], bottom + MARGIN / 2, text, size=size)
            for i, text in enumerate(columns)
        ),
        *(
            svg.label(MARGIN / 2, centre(0, i)[1], text, size=size)
            for i, text in enumerate(numbers)
        ),
    ]
    places = [
        svg.place(MARGIN + i * CELL, MARGIN + j * CELL, CELL, CELL, f"{column}{row}")
        for j, row in enumerate(numbers)
        for i, column in enumerate(columns)
    ]
    body = [
        svg.rect(MARGIN, MARGIN, width, height, f"fill-{surface}"),
        svg.path("".join(lines), f"line-{lines_color}"),
        *labels,
        *pieces,
        *places,
    ]
    return svg.picture(right + MARGIN, bottom + MARGIN, title, desc, body)
