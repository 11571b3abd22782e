"""A table on the terminal that is drawn again and again, in place."""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

#: Seconds between two drawings of the table.
_INTERVAL: Final = 0.2


class LiveTable:
    """Draws lines on a terminal's stderr again and again, in place; elsewhere it draws nothing."""

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        self._lines = lines
        self._height = 0
        self._next = 0.0
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> "LiveTable":
        return self

    def draw(self) -> None:
        """Draw the lines if it is time to."""
        if not self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        size = shutil.get_terminal_size()
        lines = [line[: size.columns - 1] for line in self._lines()][: size.lines - 1]
        self._erase()
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        sys.stderr.flush()
        self._height = len(lines)

    def _erase(self) -> None:
        if self._height:
            sys.stderr.write(f"\x1b[{self._height}A\x1b[0J")
            self._height = 0

    def __exit__(self, *_: object) -> None:
        self._erase()
        sys.stderr.flush()
