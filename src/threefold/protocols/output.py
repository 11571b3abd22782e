"""Lines to the program at the other end, from any thread."""

import threading
from typing import TextIO

from threefold.rules.text import printable


class Output:
    """Writes whole lines, one at a time; once nobody reads them any more, they are dropped."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        #: Whether the reader is gone.
        self.is_closed = False

    def say(self, line: str) -> None:
        """Write a line at once."""
        text = (
            printable(line.replace("…", "..."), keep="\t")
            .encode("ascii", "backslashreplace")
            .decode("ascii")
        )
        with self._lock:
            if self.is_closed:
                return
            try:
                self._stream.write(f"{text}\n")
                self._stream.flush()
            except (OSError, ValueError):
                self.is_closed = True
