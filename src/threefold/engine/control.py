"""Watching and stopping code that runs outside Python's grasp.

Compiled code cannot see Ctrl-C, and a thread that runs it cannot be killed. So it runs in a worker
thread with the GIL released, shares a few words with the main thread, and looks at them often.
"""

import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

Control: TypeAlias = Any  # a list of integers interpreted, an array compiled

# The shared words.
#: Nonzero asks the worker to come back at once, with whatever it has.
STOP: Final = 0
#: How much was counted so far, for the progress line.
NODES: Final = 1
#: A number of moves that a row cannot hold, where a hook returned one.
OVERFLOW: Final = 2
#: The best move at the root so far.
BEST: Final = 3
CONTROL_WORDS: Final = 4

#: Ten thousand plies of recursion fit with room to spare.
_STACK_BYTES = 64 << 20


def run_in_worker(work: Callable[[], Any], control: Control) -> Any:
    """Run `work()` in a thread and wait for it; Ctrl-C stops it and is raised here."""
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    size_before = threading.stack_size(_STACK_BYTES)
    worker = threading.Thread(target=body, daemon=True)
    worker.start()
    threading.stack_size(size_before)
    try:
        while worker.is_alive():
            worker.join(0.05)
    except KeyboardInterrupt:
        control[STOP] = 1
        worker.join()
        raise
    if failure:
        raise failure[0]
    return outcome[0]
