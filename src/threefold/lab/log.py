"""The lab's log: a repeated message is logged once, with a count of its repetitions."""

import logging
import time
from collections import Counter
from typing import Any, Final

#: Seconds within which a message is not logged twice.
PAUSE: Final = 60.0
#: The loggers of the lab and of the libraries it uses.
LOGGERS: Final = ("threefold.lab", "uvicorn.error", "asyncio")


class Unrepeated(logging.Filter):
    """Passes a message, and then no other like it for a while."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[Any, float] = {}
        self._left_out: Counter[Any] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log it; the number of repetitions suppressed before is added to it."""
        kind, now = _kind(record), time.monotonic()
        if now - self._said.get(kind, -PAUSE) < PAUSE:
            self._left_out[kind] += 1
            return False
        self._said[kind] = now
        if again := self._left_out.pop(kind, 0):
            record.msg = f"{record.getMessage()} (and {again:,} more times before)"
            record.args = ()
        return True


def _kind(record: logging.LogRecord) -> Any:
    """What makes two messages alike: the line that logs them, their beginning, and the error."""
    error = record.exc_info[0] if record.exc_info else None
    return record.pathname, record.lineno, str(record.msg).partition("\n")[0], error


def say_once() -> None:
    """Add one filter to each of the lab's loggers, however often this is called."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, Unrepeated) for each in logger.filters):
            logger.addFilter(Unrepeated())
