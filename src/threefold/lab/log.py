"""The lab's log: what is wrong is said once, and how often it came again, not every time."""

import logging
import time
from collections import Counter
from typing import Any, Final

#: Seconds in which the same is not said twice.
PAUSE: Final = 60.0
#: Where the lab and what it rests on report.
LOGGERS: Final = ("threefold.lab", "uvicorn.error", "asyncio")


class Unrepeated(logging.Filter):
    """Lets a message pass, and then no other like it for a while."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[Any, float] = {}
        self._left_out: Counter[Any] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to say it; how often it was left out before is added to it."""
        kind, now = _kind(record), time.monotonic()
        if now - self._said.get(kind, -PAUSE) < PAUSE:
            self._left_out[kind] += 1
            return False
        self._said[kind] = now
        if again := self._left_out.pop(kind, 0):
            record.msg = f"{record.getMessage()} (and {again:,} times more before)"
            record.args = ()
        return True


def _kind(record: logging.LogRecord) -> Any:
    """What makes two messages alike: the line that says them, their beginning, and the error."""
    error = record.exc_info[0] if record.exc_info else None
    return record.pathname, record.lineno, str(record.msg).partition("\n")[0], error


def say_once() -> None:
    """Put one filter before all of the lab's loggers, however often this is called."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, Unrepeated) for each in logger.filters):
            logger.addFilter(Unrepeated())
