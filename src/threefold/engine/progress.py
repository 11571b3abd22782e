"""A line on stderr that says what is going on, once it has gone on for a while.

On a terminal the line is drawn over itself and wiped at the end; elsewhere nothing is written.
"""

import shutil
import sys
import threading
import time
from collections.abc import Callable

from threefold.engine.color import paint

#: Seconds until anything is shown: most work is over before anybody wonders.
PATIENCE = 1.0
_INTERVAL = 0.2


class StatusLine:
    """Shows `describe(seconds)` on stderr while the block runs, after the first second.

    `describe` is called from another thread, with the seconds gone by.
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
            self._thread = None  # which holds us, and what `describe` holds

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


def bar(share: float, width: int = 24) -> str:
    """A bar filled to a share between 0 and 1."""
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "█" * filled + "░" * (width - filled)
