"""A line on stderr that says what is going on, once that has taken a while.

On a terminal the line is redrawn in place and erased at the end. Elsewhere nothing is written, but
for the one line of `note_elsewhere`.
"""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from threefold.engine.color import paint

#: Seconds until anything is shown: most work is over sooner.
PATIENCE = 1.0
_INTERVAL = 0.2


class StatusLine:
    """Shows `describe(seconds)` on stderr while the block runs, after the first second.

    `describe` is called from another thread, with the seconds elapsed.
    """

    def __init__(self, describe: Callable[[float], str], patience: float = PATIENCE) -> None:
        self._describe = describe
        self._patience = patience
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "StatusLine":
        if sys.stderr.isatty():
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None  # it refers to this object, and to what `describe` refers to

    def _run(self) -> None:
        began = time.monotonic()
        if self._over.wait(self._patience):
            return
        while True:
            width = shutil.get_terminal_size().columns - 1
            line = self._describe(time.monotonic() - began)[:width]
            sys.stderr.write(f"\r\x1b[2K{paint(line, 'busy', sys.stderr)}")
            sys.stderr.flush()
            if self._over.wait(_INTERVAL):
                break
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


@contextmanager
def note_elsewhere(text: str, patience: float = PATIENCE) -> Iterator[None]:
    """Write a line to a log, that is, to a stderr that is not a terminal, if the block is slow."""
    timer = threading.Timer(patience, lambda: sys.stderr.write(f"{text}\n"))
    timer.daemon = True
    if not sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def bar(share: float, width: int = 24) -> str:
    """A bar filled to a share between 0 and 1."""
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "█" * filled + "░" * (width - filled)
