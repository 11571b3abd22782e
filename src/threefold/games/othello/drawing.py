"""Pictures of Othello: black and white discs, outlined, on felt."""

from collections.abc import Callable, Iterator

from threefold.games.board import CELL, LETTERS, board_picture, centre
from threefold.games.othello.notation import board_rows
from threefold.games.othello.rules import State
from threefold.rules import svg
from threefold.rules.bits import popcount

_RADIUS = CELL * 0.4


def drawing(size: int) -> Callable[[State], str]:
    """The drawing of positions on `size` × `size` squares."""

    def discs(rows: list[str]) -> Iterator[str]:
        for row, letters in enumerate(rows):
            for column, letter in enumerate(letters):
                if letter != "-":
                    x, y = centre(column, row)
                    color, rim = ("black", "white") if letter == "X" else ("white", "black")
                    yield svg.circle(x, y, _RADIUS, f"fill-{color}")
                    yield svg.circle(x, y, _RADIUS, f"line-{rim}")

    def draw(s: State) -> str:
        rows = board_rows(s, size)
        return board_picture(
            "Othello",
            f"Rows from the top, X black, O white: {', '.join(rows)}. "
            f"Black {popcount(s.black)}, white {popcount(s.white)}; "
            f"{'black' if s.turn == 0 else 'white'} to move.",
            LETTERS[:size],
            [str(row) for row in range(1, size + 1)],
            surface="felt",
            pieces=discs(rows),
        )

    return draw
