"""Pictures of checkers: outlined discs on a checkered board, kings crowned."""

from collections.abc import Iterator

from threefold.games.board import CELL
from threefold.games.checkers.notation import format_pieces, letter_at
from threefold.games.checkers.routes import SQUARES
from threefold.games.checkers.rules import State
from threefold.rules import svg

_MARGIN = 12.0
_SIZE = 8 * CELL
_RADIUS = CELL * 0.36
_GROOVE = CELL * 0.28
#: A crown in a box of 22 × 16 around its middle.
_CROWN = "m-11 8v-14l5.5 6l5.5 -8l5.5 8l5.5 -6v14z"


def _corner(number: int) -> tuple[float, float]:
    """The top left corner of a square, by its number from 0."""
    row, place = divmod(number, 4)
    return _MARGIN + (2 * place + (row + 1) % 2) * CELL, _MARGIN + row * CELL


def _squares() -> Iterator[str]:
    yield svg.rect(_MARGIN, _MARGIN, _SIZE, _SIZE, "fill-board")
    for number in range(len(SQUARES)):
        x, y = _corner(number)
        yield svg.rect(x, y, CELL, CELL, "fill-felt")
        yield svg.label(x + 7, y + 8, str(number + 1), "fill-white", size=8)
    yield svg.rect(_MARGIN, _MARGIN, _SIZE, _SIZE, "line-line")


def _pieces(s: State) -> Iterator[str]:
    for number, square in enumerate(SQUARES):
        letter = letter_at(s, square)
        if letter:
            corner_x, corner_y = _corner(number)
            x, y = corner_x + CELL / 2, corner_y + CELL / 2
            color, rim = ("black", "white") if letter in "bB" else ("white", "black")
            yield svg.circle(x, y, _RADIUS, f"fill-{color}")
            yield svg.circle(x, y, _RADIUS, f"line-{rim}")
            if letter in "BW":
                start = f"M{svg.number(x)} {svg.number(y)}"
                yield svg.path(start + _CROWN, f"fill-{rim}")
            else:
                yield svg.circle(x, y, _GROOVE, f"line-{rim}")


def _places() -> Iterator[str]:
    for number in range(len(SQUARES)):
        yield svg.place(*_corner(number), CELL, CELL, str(number + 1))


def draw(s: State) -> str:
    """A position as SVG."""
    white, black = (", ".join(format_pieces(s, letters)) or "none" for letters in ("wW", "bB"))
    return svg.picture(
        _SIZE + 2 * _MARGIN,
        _SIZE + 2 * _MARGIN,
        "Checkers",
        f"Pieces by square, K for kings. Black, at the top: {black}. White: {white}. "
        f"{'Black' if s.turn == 0 else 'White'} to move.",
        [*_squares(), *_pieces(s), *_places()],
    )
