"""Compiling, which must not be cut short and should not keep the user waiting.

A compiler interrupted halfway by an exception loses the exception or is left in a broken state. So
it works in a thread that no Ctrl-C reaches. A caller that waits for it gets the interrupt
immediately, and the work finishes in the background: the next caller finds it done.
"""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from threefold.engine.worker import Worker

T = TypeVar("T")

#: The threads that are compiling, or loading compiled code.
_compiling: set[int] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compiling.clear)


def finish(work: Callable[[], T]) -> T:
    """Return what `work()` returns; Ctrl-C ends the waiting, not the work."""
    if threading.current_thread() is not threading.main_thread():
        return _compile(work)  # no Ctrl-C reaches this thread
    worker = Worker(lambda: _compile(work))
    while worker.is_busy(0.05):
        pass
    outcome: T = worker.outcome()
    return outcome


@contextmanager
def interrupt_later() -> Iterator[None]:
    """Delay Ctrl-C until the block is done, for a compiler that works in the calling thread.

    If Ctrl-C is ignored, as shells arrange for background commands, it stays ignored.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        with _marked():
            yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def is_compiling(thread: int | None) -> bool:
    """Whether a thread is making or loading machine code right now."""
    return thread in _compiling


def leave(code: int) -> None:
    """End the program immediately if a compilation that nothing waits for is still running."""
    if _compiling:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _compile(work: Callable[[], T]) -> T:
    with _marked():
        return work()


@contextmanager
def _marked() -> Iterator[None]:
    """Count this thread among those that are compiling."""
    thread = threading.get_ident()
    if is_compiling(thread):
        yield
        return
    _compiling.add(thread)
    try:
        yield
    finally:
        _compiling.discard(thread)


@atexit.register
def _let_the_compiler_come_out() -> None:
    """Keep Python from tearing LLVM down while it works: wait for its current call to finish.

    No further call is let in; the thread ends with the process.
    """
    if _compiling:
        from threefold.engine.jit.private import keep_others_out_of_llvm

        with suppress(KeyboardInterrupt):
            keep_others_out_of_llvm()
