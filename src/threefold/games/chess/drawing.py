"""Pictures of chess: Threefold's own pieces, white ones outlined, black ones filled.

Each piece is drawn for a square of 48 × 48: its outline, and the lines on it.
"""

from collections.abc import Iterator

from threefold.games.board import CELL, MARGIN, board_picture
from threefold.games.chess.moves import is_check
from threefold.games.chess.notation import FILES, board_rows
from threefold.games.chess.rules import State
from threefold.rules import svg

#: The inset of the frame around a king in check.
_FRAME = 2.0

_SHAPES = {
    "p": (
        "M24 8.5a6 6 0 0 1 4.2 10.3l2.6 1.7v1.8h-3.6c.4 6 2.3 9.4 6.3 12.7 1.4 1.2 2 2.6 2 4.5v2"
        "h-23v-2c0-1.9.6-3.3 2-4.5 4-3.3 5.9-6.7 6.3-12.7h-3.6v-1.8l2.6-1.7A6 6 0 0 1 24 8.5z",
        "M20.8 22.3h6.4",
    ),
    "n": (
        "M14 41.5c-.4-6.5 3.2-9.4 6.6-12.4 1.6-1.4 2.6-2.7 2.9-4.3-2.4 1.6-4.6 2-6.9 2.5"
        "-1.5 1.4-2.3 3.5-4.1 4-1 .3-1.6-.7-2-1.5-1.3.2-2.4-.9-2.6-2.6-.2-2.1 2.8-5.7 4.1-8.6"
        ".6-4.3 3.4-7.2 6.9-8.9l-.3-4.2c0-.6.6-.8 1-.4l3.6 3c9.6 1 14.6 9 14.3 21"
        "-.1 4.6 0 8.4.3 12.4z",
        "M17.5 16.2v.2M11.3 26.2v.2M25 12.3c6.2 2.6 8.6 8.6 8.4 18",
    ),
    "b": (
        "M24 10.2c4.2 3.4 8.2 7.8 8.2 13.1 0 3.1-1.4 5.5-3.7 7.2l.9 3.9c.3 1.4 1 2 2.4 2.3l3.5.7"
        "c1.1.2 1.7.8 1.7 1.9v2.2H11v-2.2c0-1.1.6-1.7 1.7-1.9l3.5-.7c1.4-.3 2.1-.9 2.4-2.3l.9-3.9"
        "c-2.3-1.7-3.7-4.1-3.7-7.2 0-5.3 4-9.7 8.2-13.1z"
        "M24 5.4a2.4 2.4 0 0 1 0 4.8 2.4 2.4 0 0 1 0-4.8z",
        "M19.5 30.5h9M18.6 34.4h10.8M27.8 14.5l-4.3 8",
    ),
    "r": (
        "M14 9.5h4.4v3.2h3.4V9.5h4.4v3.2h3.4V9.5H34v8l-3 2.8.9 12.2 3.1 2.7v2.3h2v4H11v-4h2v-2.3"
        "l3.1-2.7.9-12.2-3-2.8z",
        "M17 20.3h14M16.1 32.5h15.8M13 37.5h22",
    ),
    "q": (
        "M9.5 15.5l5.4 9.8 2.1-13.6 5 12.6 2-13.8 2 13.8 5-12.6 2.1 13.6 5.4-9.8-3.2 15.6"
        "c-.3 1.5 0 2.4 1.2 3.4.8.7 1.1 1.3 1.1 2.4v4.6H10.4v-4.6c0-1.1.3-1.7 1.1-2.4"
        " 1.2-1 1.5-1.9 1.2-3.4z",
        "M12.9 31.5c7-1.8 15.2-1.8 22.2 0M11.5 36.5c8-2 17-2 25 0",
    ),
    "k": (
        "M24 17c2-3.6 5.6-4.6 9-4.2 4.4.5 7 3.7 6.5 8-.4 3.8-3 6.7-5.2 10.3-.7 1.1-.4 2 .6 3"
        " .8.8 1.2 1.5 1.2 2.6v4.8H11.9v-4.8c0-1.1.4-1.8 1.2-2.6 1-1 1.3-1.9.6-3"
        "-2.2-3.6-4.8-6.5-5.2-10.3-.5-4.3 2.1-7.5 6.5-8 3.4-.4 7 .6 9 4.2z"
        "M22.7 4h2.6v2.6h2.6v2.5h-2.6V17h-2.6V9.1h-2.6V6.6h2.6z",
        "M24 18v12M13.7 31.1c6.5-2 14-2 20.6 0M12.5 36c7.5-2 15.5-2 23 0",
    ),
}


def piece(letter: str, x: float, y: float) -> str:
    """A piece on the square whose top left corner is at (x, y)."""
    fill, line = ("white", "black") if letter.isupper() else ("black", "white")
    outline, lines = _SHAPES[letter.lower()]
    return (
        f'<g transform="translate({svg.number(x)} {svg.number(y)})" '
        f'stroke-linejoin="round" stroke-linecap="round">'
        f"{svg.path(outline, f'fill-{fill} line-black')}{svg.path(lines, f'line-{line}')}</g>"
    )


def check_mark(x: float, y: float) -> Iterator[str]:
    """The mark of a king in check: a frame around its square, and the + that players write."""
    edge = CELL - 2 * _FRAME
    yield svg.rect(x + _FRAME, y + _FRAME, edge, edge, "line-max", round_by=6)
    yield svg.circle(x + CELL - 9, y + 9, 7, "fill-max")
    yield svg.path(f"M{svg.number(x + CELL - 13)} {svg.number(y + 9)}h8m-4 -4v8", "line-white")


def draw(s: State) -> str:
    """A position, white at the bottom."""
    rows = board_rows(s)
    threatened = "Kk"[s.turn] if is_check(s) else ""

    def shapes() -> Iterator[str]:
        for row, letters in enumerate(rows):
            for column, letter in enumerate(letters):
                x, y = MARGIN + column * CELL, MARGIN + row * CELL
                if (row + column) % 2:
                    yield svg.rect(x, y, CELL, CELL, "fill-line")
                if letter != ".":
                    yield piece(letter, x, y)
                if letter == threatened:
                    yield from check_mark(x, y)

    return board_picture(
        "Chess",
        f"Ranks from the eighth down, capitals white: {', '.join(rows)}; "
        f"{'white' if s.turn == 0 else 'black'} to move{', in check' if threatened else ''}.",
        FILES,
        [str(rank) for rank in range(8, 0, -1)],
        surface="white",
        pieces=shapes(),
    )
