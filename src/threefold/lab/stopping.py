"""Ending a page's request because the page cancels or leaves, even before a search starts."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stop:
    """Says whether the page has canceled a request, and notifies its listeners."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._over = False
        self._listeners: list[Callable[[], None]] = []

    def __call__(self) -> bool:
        """Whether the page has canceled or left."""
        return self._over

    def set(self) -> None:
        """End the request, from any thread."""
        with self._lock:
            self._over = True
            listeners = list(self._listeners)
        for notify in listeners:
            notify()

    @contextmanager
    def notifying(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call a listener when the stop comes within the block, or now if it came before."""
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
