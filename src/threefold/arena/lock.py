"""A lock that one process at a time can hold, and that is free again when the process dies."""

import hashlib
import os
import tempfile
from pathlib import Path

from threefold.engine.running import Closing


class Lock(Closing):
    """Held by whoever plays a match into a file, so that nobody else plays the same games."""

    def __init__(self, *what: str) -> None:
        name = hashlib.sha256("\0".join(what).encode()).hexdigest()[:24]
        self._path = Path(tempfile.gettempdir(), f"threefold-{name}.lock")
        self._file: int | None = None

    def acquire(self) -> bool:
        """Take the lock; False if another process has it."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        file = os.open(self._path, flags, 0o600)
        try:
            _lock(file)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def close(self) -> None:
        """Give the lock back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _lock(file: int) -> None:
    """Lock an open file, or raise OSError."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
