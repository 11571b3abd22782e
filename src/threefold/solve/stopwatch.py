"""How long a solver has worked, and the word that stops it when it may work no longer."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

from threefold.engine.control import Control
from threefold.engine.limits import Limits

#: How often a limit is looked at, in seconds.
_INTERVAL: Final = 0.005
_NO_LIMIT: Final = 1 << 62


class Stopwatch:
    """Counts the seconds that its blocks take, and stops what runs in them at the limits.

    What lies between the blocks, compiling above all, is not counted.
    """

    def __init__(
        self, control: Control, limits: Limits, stopped: Callable[[], bool] | None = None
    ) -> None:
        self._control = control
        self._limits = limits
        self._stopped = stopped
        self._told_to_stop = False
        self._before = 0.0
        self._began: float | None = None
        self._over = threading.Event()
        self._budget = _NO_LIMIT
        # Nobody says stop on account of a budget that has just been lifted.
        self._lock = threading.Lock()
        control.node_limit = self._most_nodes

    @property
    def seconds(self) -> float:
        """The time counted so far."""
        running = 0.0 if self._began is None else time.perf_counter() - self._began
        return self._before + running

    @property
    def seconds_left(self) -> float:
        """Until the limit, if there is one."""
        return math.inf if self._limits.time is None else self._limits.time - self.seconds

    @property
    def expired(self) -> bool:
        """Whether a limit was reached, or the budget around this part of the work."""
        if self._told_to_stop or (self._stopped is not None and self._stopped()):
            return True
        return self.seconds_left <= 0 or bool(self._control.nodes >= self._most_nodes)

    def stop(self) -> None:
        """Stop now, and for good; any thread may say so."""
        with self._lock:
            self._told_to_stop = True
            self._control.stop = 1

    @contextmanager
    def at_most(self, nodes: int | None) -> Iterator[None]:
        """A budget of nodes for a part of the work; what is stopped by it alone can go on after."""
        around = self._budget
        if nodes is not None:
            self._budget = min(around, int(self._control.nodes) + nodes)
        self._control.node_limit = self._most_nodes
        if self.expired:
            self._control.stop = 1
        try:
            yield
        finally:
            with self._lock:
                spent = self._control.nodes >= self._budget
                self._budget = around
                self._control.node_limit = self._most_nodes
                if spent and not self.expired:
                    self._control.stop = 0

    def __enter__(self) -> "Stopwatch":
        self._began = time.perf_counter()
        if self._stopped is not None or not self._limits.endless:
            self._over = threading.Event()
            threading.Thread(target=self._watch, args=(self._over,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._over.set()
        self._before, self._began = self.seconds, None

    @property
    def _most_nodes(self) -> int:
        return min(self._limits.nodes or _NO_LIMIT, self._budget)

    def _watch(self, over: threading.Event) -> None:
        while not over.wait(_INTERVAL):
            with self._lock:
                if self.expired:
                    self._control.stop = 1
