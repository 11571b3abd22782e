"""Pictures of the m,n,k game: crosses and rings."""

from collections.abc import Callable, Iterator

from threefold.games.board import CELL, LETTERS, board_picture, centre
from threefold.games.mnk.notation import board_rows
from threefold.games.mnk.rules import State
from threefold.rules import svg

_ARM = CELL * 0.28


def drawing(name: str, m: int, n: int) -> Callable[[State], str]:
    """The drawing of positions on `m` columns and `n` rows."""

    def stones(rows: list[str]) -> Iterator[str]:
        for row, letters in enumerate(rows):
            for column, letter in enumerate(letters):
                x, y = centre(column, row)
                if letter == "X":
                    arms = (
                        f"M{svg.number(x - _ARM)} {svg.number(y - _ARM)}l{2 * _ARM:g} {2 * _ARM:g}"
                        f"m0 {-2 * _ARM:g}l{-2 * _ARM:g} {2 * _ARM:g}"
                    )
                    yield svg.path(arms, "line-max thick")
                elif letter == "O":
                    yield svg.circle(x, y, _ARM, "line-min thick")

    def draw(s: State) -> str:
        rows = board_rows(s, m, n)
        return board_picture(
            name,
            f"Rows from the top: {', '.join(rows)}. {'XO'[s.turn]} to move.",
            LETTERS[:m],
            [str(row) for row in range(n, 0, -1)],
            surface="board",
            pieces=stones(rows),
        )

    return draw
