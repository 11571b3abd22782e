"""What ends a page's request: the page says so, or it leaves; perhaps before a search has begun."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stop:
    """Can be asked whether the page wants no more, and tells those who registered for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._over = False
        self._listeners: list[Callable[[], None]] = []

    def __call__(self) -> bool:
        """Whether the page wants no more."""
        return self._over

    def set(self) -> None:
        """End it; from any thread."""
        with self._lock:
            self._over = True
            listeners = list(self._listeners)
        for tell in listeners:
            tell()

    @contextmanager
    def tells(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call a listener when the stop comes within the block, or at once if it came before."""
        with self._lock:
            self._listeners.append(listener)
            over = self._over
        if over:
            listener()
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)
