"""Compiling, which must not be cut short and shall not keep anybody waiting.

A compiler that an exception hits halfway loses the exception, or is left in pieces. So it works in
a thread of its own. Ctrl-C is raised at once where somebody waits for it, and the work goes on to
its end behind their back: who asks again finds it done.
"""

import atexit
import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from threefold.engine.worker import Worker

T = TypeVar("T")

_unfinished: set[Worker] = set()


def finish(work: Callable[[], T]) -> T:
    """What `work()` returns; Ctrl-C ends the waiting, not the work."""
    if threading.current_thread() is not threading.main_thread():
        return work()  # nobody presses Ctrl-C here
    worker = Worker(work)
    _unfinished.add(worker)
    while worker.is_busy(0.05):
        pass
    _unfinished.discard(worker)
    outcome: T = worker.outcome()
    return outcome


def leave(code: int) -> None:
    """End the program if work goes on that nobody waits for any more."""
    if _is_busy():
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


@atexit.register
def _let_the_compiler_come_out() -> None:
    """Keep Python from tearing LLVM down while it works: wait for the call that it is in.

    The next call is never let in; the thread ends with the process.
    """
    if _is_busy():
        from threefold.engine.jit.private import keep_others_out_of_llvm

        keep_others_out_of_llvm()


def _is_busy() -> bool:
    return any(worker.is_busy(0) for worker in _unfinished)
