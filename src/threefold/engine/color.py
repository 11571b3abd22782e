"""Color on a terminal where it helps; never in a pipe or a file, nor where NO_COLOR is set."""

import os
import re
from typing import TextIO

#: Colors by role; words or shapes also convey each role.
STYLES = {
    "strong": "1",
    "faint": "2",
    "mark": "1;7",
    "good": "32",
    "bad": "31",
    "busy": "36",
}

_FAINT = re.compile(r"[.·]+")


def is_wanted(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal whose user has not turned color off: see no-color.org."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream is not None and stream.isatty()


def paint(text: str, style: str, stream: TextIO | None) -> str:
    """A text in a style, if the stream it goes to shows color."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if text and is_wanted(stream) else text


def paint_board(board: str, before: str | None, stream: TextIO | None) -> str:
    """A board with its empty squares faint, and marked wherever the last move changed it.

    Changes are found by comparing the texts, which works for every game that draws its board in
    the same places from move to move. If the shape of the text changes, nothing is marked.
    """
    if not is_wanted(stream):
        return board
    lines, old = board.splitlines(), (before or board).splitlines()
    if [*map(len, lines)] != [*map(len, old)]:
        old = lines
    return "\n".join(_paint_line(line, was, stream) for line, was in zip(lines, old, strict=True))


def _paint_line(line: str, was: str, stream: TextIO | None) -> str:
    painted, start = [], 0
    for i in range(1, len(line) + 1):
        changed = line[start] != was[start]
        if i == len(line) or (line[i] != was[i]) != changed:
            run = line[start:i]
            painted.append(
                paint(run, "mark", stream)
                if changed
                else _FAINT.sub(lambda dots: paint(dots[0], "faint", stream), run)
            )
            start = i
    return "".join(painted)
