"""The word that ends what a page asked for: when the page says so, and when it leaves."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stop:
    """Asked whether it is over by whoever looks now and then; told to whoever does not."""

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
        """Call somebody at the stop within the block, or at once where it came before."""
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
