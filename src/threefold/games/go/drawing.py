"""Pictures of Go: stones on the crossings of lines, and at the end who has which points."""

from collections.abc import Callable, Iterator
from typing import Any

from threefold.games.board import CELL, board_picture, centre
from threefold.games.go.groups import Groups
from threefold.games.go.handicap import star_line
from threefold.games.go.notation import Points
from threefold.games.go.rules import LAST_PASS, NO_KO
from threefold.rules import svg
from threefold.rules.wide import Cells

_STONE = CELL * 0.47
_STAR = CELL * 0.08
#: Half a side of the square that marks a point of area, or one that is barred.
_MARK = CELL * 0.13


def star_points(size: int) -> list[tuple[int, int]]:
    """The columns and rows of the points that are marked on a board."""
    if size < 7:
        return []
    edge = star_line(size)
    lines = [edge, size - 1 - edge]
    corners = [(x, y) for x in lines for y in lines]
    if size % 2 == 0:
        return corners
    middle = size // 2
    sides = [(middle, y) for y in lines] + [(x, middle) for x in lines] if size >= 13 else []
    return [*corners, (middle, middle), *sides]


def drawing(points: Points, score_text: Callable[[Any], str]) -> Callable[[Any], str]:
    """The drawing of positions on one size of board; `score_text` tells who is ahead at the end."""
    size, board, sets = points.size, points.board, points.sets
    groups = Groups(board)

    def at(cell: int) -> tuple[float, float]:
        return centre(cell % size, size - 1 - cell // size)

    def mark(cell: int, css: str) -> str:
        x, y = at(cell)
        return svg.rect(x - _MARK, y - _MARK, 2 * _MARK, 2 * _MARK, css)

    def stones(s: Any) -> Iterator[str]:
        for cells, color in ((sets.black(s), "black"), (sets.white(s), "white")):
            for cell in board.cells_of(cells):
                yield svg.circle(*at(cell), _STONE, f"fill-{color} line-black")

    def area(s: Any) -> Iterator[str]:
        """The empty points that each side surrounds, once the game is over."""
        black, white = sets.black(s), sets.white(s)
        owned: tuple[tuple[Cells, str], ...] = (
            (groups.surrounded(black, white), "fill-black line-white"),
            (groups.surrounded(white, black), "fill-white line-black"),
        )
        for cells, css in owned:
            for cell in board.cells_of(cells):
                yield mark(cell, css)

    def pieces(s: Any) -> Iterator[str]:
        for x, y in star_points(size):
            yield svg.circle(*centre(x, size - 1 - y), _STAR, "fill-black")
        yield from stones(s)
        if s.ko != NO_KO:
            yield mark(s.ko, "line-black")
        if s.passes >= LAST_PASS:
            yield from area(s)

    def draw(s: Any) -> str:
        rows = ", ".join(points.rows(s))
        turn = "black" if s.turn == 0 else "white"
        then = score_text(s) if s.passes >= LAST_PASS else f"{turn} to move"
        barred = f"; {points.name(s.ko)} is barred by ko" if s.ko != NO_KO else ""
        return board_picture(
            "Go",
            f"Rows from the top, X black, O white: {rows}. {then}{barred}.",
            points.columns,
            points.numbers,
            surface="wood",
            pieces=pieces(s),
            lines_color="black",
            on_crossings=True,
        )

    return draw
