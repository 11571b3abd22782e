"""Pictures of Connect Four: the first player's stones have a ring, the second's a dot."""

from collections.abc import Callable, Iterator

from threefold.games.board import CELL, MARGIN, centre
from threefold.games.connect_four.notation import NAMES, board_rows
from threefold.games.connect_four.rules import State
from threefold.rules import svg

_RADIUS = CELL * 0.4


def drawing(columns: int, rows: int) -> Callable[[State], str]:
    """The drawing of positions on a board of `columns` and `rows`."""
    width, height = columns * CELL, rows * CELL

    def stones(letters: list[str]) -> Iterator[str]:
        for row, line in enumerate(letters):
            for column, letter in enumerate(line):
                x, y = centre(column, row)
                if letter == "X":
                    yield svg.circle(x, y, _RADIUS, "fill-max")
                    yield svg.circle(x, y, _RADIUS * 0.6, "line-paper")
                elif letter == "O":
                    yield svg.circle(x, y, _RADIUS, "fill-min")
                    yield svg.circle(x, y, _RADIUS * 0.25, "fill-paper")
                else:
                    yield svg.circle(x, y, _RADIUS, "fill-paper")

    def draw(s: State) -> str:
        letters = board_rows(s, columns, rows)
        names = (
            svg.label(centre(column, 0)[0], MARGIN * 1.5 + height, NAMES[column])
            for column in range(columns)
        )
        touched = [
            svg.place(MARGIN + column * CELL, MARGIN, CELL, height, NAMES[column])
            for column in range(columns)
        ]
        board = svg.rect(MARGIN, MARGIN, width, height, "fill-board", 10)
        return svg.picture(
            width + 2 * MARGIN,
            height + 2 * MARGIN,
            "Connect Four",
            f"Rows from the top: {', '.join(letters)}. {'First' if s.turn == 0 else 'Second'} "
            "player, " + ("X" if s.turn == 0 else "O") + ", to move.",
            [board, *names, *stones(letters), *touched],
        )

    return draw
