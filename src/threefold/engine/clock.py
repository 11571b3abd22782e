"""How long a search has worked, and the one place where its limits are enforced.

Compiled code looks at the `Control` that it shares with Python and at nothing else. A `Clock` sets
its fields: the count of nodes at which to stop, and `stop` when time is up or a stop is requested.
One thread keeps the time for all searches.
"""

import math
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from threefold.engine.control import NO_LIMIT, Control
from threefold.engine.limits import Limits

#: Seconds until the thread that keeps the time looks again, and ends if no clock needs it.
_LINGER: Final = 1.0
#: Seconds between two looks at whether a search that waits for its turn was stopped.
_LOOK_EVERY: Final = 0.02


class Clock:
    """Counts the seconds that its blocks take, and stops a search at its limits.

    Anything between the blocks, above all compiling, is not counted.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        #: What the searches share with us, and the count of nodes at which each is to stop; a
        #: budget lowers that for a while.
        self._controls: tuple[Control, ...] = ()
        self._node_limits: tuple[int, ...] = ()
        self._told_to_stop = False
        self._before = 0.0
        self._began: float | None = None
        # Do not stop because of a budget that has just been lifted.
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """The time counted so far."""
        began = self._began
        return self._before + (0.0 if began is None else time.perf_counter() - began)

    @property
    def seconds_left(self) -> float:
        """Until the limit, if there is one."""
        return math.inf if self.limits.time is None else self.limits.time - self.seconds

    @property
    def expired(self) -> bool:
        """Whether a stop was requested, or a limit or this part's budget was reached."""
        if self._told_to_stop or self.seconds_left <= 0:
            return True
        limits = zip(self._controls, self._node_limits, strict=False)
        return any(control.nodes >= limit for control, limit in limits)

    @property
    def is_stopped(self) -> bool:
        """Whether a stop was requested, even before the search began."""
        return self._told_to_stop

    def stop(self) -> None:
        """Stop now, and for good; from any thread."""
        with self._lock:
            self._told_to_stop = True
            self._set_stop(True)

    @contextmanager
    def enforce(self, *controls: Control) -> Iterator[None]:
        """Apply the limits to searches with these shared words while the block runs.

        They share the nodes among them, each counting from where it is.
        """
        nodes = self.limits.nodes
        with self._lock:
            self._controls = controls
            share = None if nodes is None else nodes // len(controls)
            self._set_node_limits(
                NO_LIMIT if share is None else int(control.nodes) + share for control in controls
            )
            self._set_stop(self._told_to_stop)
        try:
            yield
        finally:
            with self._lock:
                self._controls = self._node_limits = ()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the time of the block, and stop what runs in it when time is up."""
        self._began = time.perf_counter()
        if self.limits.time is not None:
            _alarms.set(self, self._began + self.limits.time - self._before)
        try:
            yield
        finally:
            if self.limits.time is not None:
                _alarms.cancel(self)
            self._before, self._began = self.seconds, None

    @contextmanager
    def at_most(self, nodes: int | None) -> Iterator[None]:
        """A budget of nodes for part of the work; work that only the budget stopped can resume."""
        (control,) = self._controls
        (around,) = self._node_limits
        budget = around if nodes is None else min(around, int(control.nodes) + nodes)
        self._set_node_limits([budget])
        if self.expired:
            control.stop = 1
        try:
            yield
        finally:
            with self._lock:
                spent = control.nodes >= budget
                self._set_node_limits([around])
                if spent and not self.expired:
                    control.stop = 0

    def resume(self) -> None:
        """Let a search go on that has stopped by itself, unless a stop was requested."""
        with self._lock:
            self._set_stop(self._told_to_stop)

    def _set_stop(self, stop: bool) -> None:
        for control in self._controls:
            control.stop = int(stop)

    def _set_node_limits(self, limits: Iterable[int]) -> None:
        self._node_limits = tuple(limits)
        for control, limit in zip(self._controls, self._node_limits, strict=True):
            control.node_limit = limit


class Turn:
    """One search at a time; a search that waits for its turn can be stopped.

    Waiting does not count as time, as compiling does not.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, clock: Clock) -> Iterator[bool]:
        """Wait for the turn, and keep it for the block; False if the clock was stopped first."""
        mine = self._lock.acquire(blocking=False)
        while not mine and not clock.is_stopped:
            mine = self._lock.acquire(timeout=_LOOK_EVERY)
        try:
            yield mine
        finally:
            if mine:
                self._lock.release()

    @property
    def is_free(self) -> bool:
        """Whether nobody has the turn."""
        return not self._lock.locked()


class _Alarms:
    """One thread that stops clocks when their time is up; it exists while they need it."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start over, as in a child process, which has no such thread."""
        self._changed = threading.Condition()
        self._due: dict[Clock, float] = {}
        self._next = math.inf
        self._thread: threading.Thread | None = None

    def set(self, clock: Clock, when: float) -> None:
        """Stop a clock at a given `perf_counter` time."""
        with self._changed:
            self._due[clock] = when
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep_time, daemon=True, name="clock")
                self._thread.start()
            elif when < self._next:
                self._changed.notify()

    def cancel(self, clock: Clock) -> None:
        """Cancel a clock's alarm."""
        with self._changed:
            self._due.pop(clock, None)

    def _keep_time(self) -> None:
        while self._wait():
            self._stop_those_due()

    def _wait(self) -> bool:
        """Wait for the next alarm; False if there has been none for a while."""
        with self._changed:
            now = time.perf_counter()
            self._next = min([now + _LINGER, *self._due.values()])
            self._changed.wait(max(self._next - now, 0.0))
            if self._due or time.perf_counter() < self._next:
                return True
            self._thread = None
            return False

    def _stop_those_due(self) -> None:
        now = time.perf_counter()
        with self._changed:
            over = [clock for clock, when in self._due.items() if when <= now]
            for clock in over:
                del self._due[clock]
        for clock in over:
            clock.stop()


_alarms = _Alarms()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alarms.forget)
