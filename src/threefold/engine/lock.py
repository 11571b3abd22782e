"""A lock that one process at a time can hold, and that is free again when the process dies."""

import os
from contextlib import suppress
from pathlib import Path

from threefold.engine.running import Closing
from threefold.errors import ThreefoldError


class Lock(Closing):
    """Held by whoever works on a file or folder, so that nobody else does the same work.

    It is a file beside the other one, and gone when nobody holds it.
    """

    def __init__(self, beside: Path, name: str) -> None:
        self._path = beside.with_name(f".{beside.name}.{name}.lock")
        self._file: int | None = None

    def acquire(self) -> bool:
        """Take the lock; False if another process has it."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        while True:
            try:
                file = os.open(self._path, flags, 0o666)
            except OSError as error:
                raise ThreefoldError(f"{self._path} cannot be locked: {error.strerror}") from None
            try:
                _lock(file)
            except OSError:
                os.close(file)
                return False
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(self._path), os.fstat(file)):
                    self._file = file
                    return True
            os.close(file)  # whoever had it has just removed it: that was another lock

    def close(self) -> None:
        """Give the lock back."""
        if self._file is not None:
            with suppress(OSError):  # Windows removes no open file
                self._path.unlink()
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
