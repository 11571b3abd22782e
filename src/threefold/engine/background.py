"""Compiling, which must not be cut short and should not keep anybody waiting.

A compiler that an exception hits halfway loses the exception, or is left in pieces. So it works in
a thread where no Ctrl-C arrives. Whoever waits for it gets the interrupt at once, and the work goes
on to its end unattended: the next one to ask finds it done.
"""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from threefold.engine.worker import Worker

T = TypeVar("T")

#: The threads that compile, or load what was compiled.
_compiling: set[int] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compiling.clear)


def finish(work: Callable[[], T]) -> T:
    """Return what `work()` returns; Ctrl-C ends the waiting, not the work."""
    if threading.current_thread() is not threading.main_thread():
        return _compile(work)  # no Ctrl-C arrives here
    worker = Worker(lambda: _compile(work))
    while worker.is_busy(0.05):
        pass
    outcome: T = worker.outcome()
    return outcome


@contextmanager
def interrupt_later() -> Iterator[None]:
    """Put Ctrl-C off until the block is done, for a compiler that works in the calling thread.

    Where Ctrl-C is ignored, as a shell has it for commands in the background, it stays ignored.
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
    """Whether a thread makes or loads machine code just now."""
    return thread in _compiling


def leave(code: int) -> None:
    """End the program at once if something still compiles that nobody waits for any more."""
    if _compiling:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _compile(work: Callable[[], T]) -> T:
    with _marked():
        return work()


@contextmanager
def _marked() -> Iterator[None]:
    """Count this thread among those that compile."""
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
    """Keep Python from tearing LLVM down while it works: wait for the call that it is in.

    The next call is never let in; the thread ends with the process.
    """
    if _compiling:
        from threefold.engine.jit.private import keep_others_out_of_llvm

        keep_others_out_of_llvm()
