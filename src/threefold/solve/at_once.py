"""Running a compiled search: here if it takes only a moment, else in a thread."""

from collections.abc import Callable
from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.worker import in_worker, run_in_worker

#: A search of this few nodes is over before a thread would have started.
AT_ONCE: Final = 5_000


def is_stopped(control: Control) -> bool:
    """Whether to return immediately; what is returned then means nothing."""
    return control.stop != 0 or control.nodes >= control.node_limit


def run_stoppable(work: Callable[[], Any], control: Control, *, deep: bool) -> tuple[Any, bool]:
    """What the work returns, and whether it was stopped, so that this means nothing.

    Deep recursion needs the stack of a worker from the start.
    """
    limit = int(control.node_limit)
    try:
        at_once = 0 if deep or in_worker() else AT_ONCE
        control.node_limit = min(limit, int(control.nodes) + at_once)
        found = work() if at_once else None
        if not control.stop and control.node_limit <= control.nodes < limit:
            control.node_limit = limit
            found = run_in_worker(work, control)
        return found, is_stopped(control)
    finally:
        control.node_limit = limit
