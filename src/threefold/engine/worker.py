"""Threads that search: deep stacks, low priority if asked for, and Ctrl-C that stops them."""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final
from weakref import WeakSet

from threefold.engine.control import Control

#: Ten thousand plies of recursion fit with room to spare.
_STACK_BYTES = 64 << 20
#: Seconds that a search may take to stop; after that, its rules are assumed never to end.
PATIENCE: Final = 2.0
_stack_lock = threading.Lock()
_workers: WeakSet[threading.Thread] = WeakSet()
#: Threads without work, kept for the next search; none in a child process, which has no threads.
_idle: "list[_Thread]" = []
_MOST_IDLE: Final = 4
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)

_niceness = 0


def be_nice(niceness: int) -> None:
    """Give searches from now on a lower priority than the rest of this process."""
    global _niceness
    _niceness = niceness


class _Thread(threading.Thread):
    """Does one piece of work after another: starting a thread takes longer than most of them."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        _workers.add(self)
        with _stack_lock:
            size_before = threading.stack_size(_STACK_BYTES)
            self.start()
            threading.stack_size(size_before)

    def run(self) -> None:
        """Work, then wait for more."""
        while True:
            self.work.get()()
            if len(_idle) >= _MOST_IDLE:
                return
            _idle.append(self)


class Worker:
    """A piece of work in another thread, with a stack deep enough for any search."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._outcome: Any = None
        self._failure: BaseException | None = None
        self._done = threading.Event()
        try:
            thread = _idle.pop()
        except IndexError:
            thread = _Thread()
        thread.work.put(self._run)

    def _run(self) -> None:
        if _niceness and sys.platform == "linux":  # where threads have their own priorities
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _niceness)
        try:
            self._outcome = self._work()
        except BaseException as failure:
            self._failure = failure
        finally:
            del self._work  # what it refers to can be large, and may refer back to this object
            self._done.set()

    def is_busy(self, seconds: float) -> bool:
        """Wait at most this many seconds; return whether it is still working."""
        return not self._done.wait(seconds)

    def wait(self) -> None:
        """Wait until it is done."""
        self._done.wait()

    def outcome(self) -> Any:
        """Wait for the work and return what it returned, or raise what it raised, once."""
        self._done.wait()
        failure, self._failure = self._failure, None
        if failure is None:
            return self._outcome
        try:
            raise failure
        finally:
            del failure  # else it and this frame would keep each other, and a search's table, alive


def in_worker() -> bool:
    """Whether the calling thread is such a thread."""
    return threading.current_thread() in _workers


def run_in_worker(work: Callable[[], Any], control: Control) -> Any:
    """Run `work()` in a thread and wait for it; Ctrl-C stops it and is raised here.

    Called from such a thread, it simply does the work there.
    """
    if in_worker():
        return work()
    worker = Worker(work)
    try:
        while worker.is_busy(0.05):
            pass
    except KeyboardInterrupt:
        control.stop = 1
        worker.is_busy(PATIENCE)
        raise
    return worker.outcome()
