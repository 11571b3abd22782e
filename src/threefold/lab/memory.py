"""The memory of all searches together: one budget, from which each borrows a part.

No search takes more than half of what is left, so that later ones get less rather than nothing.
A solver, which takes a lot, leaves some for the rest, so that a move can be answered at any time. A
search that does not get its part within a while gets an error, and may ask again.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Generator
from dataclasses import dataclass
from traceback import clear_frames
from types import TracebackType
from typing import Any, Final

from threefold.errors import ThreefoldError
from threefold.lab.limits import LAB_MEGABYTES, SECONDS_TO_WAIT, SHARE_OF_THE_MACHINE
from threefold.lab.stopping import Stop

_BUSY: Final = "The lab is solving for others, and its memory is in use"
#: Searches after which it is worth the time to return their memory to the system.
_SEVERAL: Final = 8


class Busy(ThreefoldError):
    """All memory is in use by other searches."""


@dataclass(frozen=True)
class Need:
    """How many megabytes a search can use, the least it needs, and what it leaves free."""

    most: int
    least: int = 1
    leave: int = 0


class Memory:
    """The budget, and what is left of it."""

    def __init__(self, megabytes: int | None = None) -> None:
        self._all = self.free = _budget() if megabytes is None else megabytes
        #: Searches that ended since memory was last returned to the system.
        self._ended = 0
        self._changed = threading.Condition()

    def lend(self, need: Need, stop: Stop) -> Generator[dict[str, Any], None, "Loan"]:
        """Borrow part of the memory; a page that has to wait for it is notified."""
        megabytes = self._take(need)
        if not megabytes:
            yield {"waiting": f"{_BUSY}; this starts when some of it is free"}
            with stop.notifying(self._wake), self._changed:
                self._changed.wait_for(
                    lambda: stop() or self._part(need) >= need.least, SECONDS_TO_WAIT
                )
                megabytes = self._take(need)
        if not megabytes:
            raise Busy(f"{_BUSY}; try again in a moment")
        return Loan(self, megabytes)

    def give_back(self, megabytes: int) -> None:
        """Take it back from a search that has ended."""
        with self._changed:
            self.free += megabytes
            self._changed.notify_all()

    def tidy_up(self) -> None:
        """Return freed memory to the system, after several searches or when none is left.

        Call this after each search, once nothing refers to its memory.
        """
        with self._changed:
            self._ended += 1
            due = self._ended >= _SEVERAL or self.free == self._all
            if due:
                self._ended = 0
        if due:
            return_to_the_system()

    def _part(self, need: Need) -> int:
        return min(need.most, (self.free - need.leave) // 2)

    def _take(self, need: Need) -> int:
        """Take as much as is available for a need; 0 if that is too little."""
        with self._changed:
            megabytes = self._part(need)
            if megabytes < need.least:
                return 0
            self.free -= megabytes
            return megabytes

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


class Loan:
    """Memory that is lent until the end of its block."""

    def __init__(self, memory: Memory, megabytes: int) -> None:
        self._memory = memory
        self.megabytes = megabytes

    def __enter__(self) -> int:
        return self.megabytes

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        clear_frames(where)  # they refer to what the search had when it failed
        self._memory.give_back(self.megabytes)


def _budget() -> int:
    """How much of this machine's memory the lab may use."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, ValueError, OSError):  # on systems that do not say
        return LAB_MEGABYTES
    return min(LAB_MEGABYTES, machine // SHARE_OF_THE_MACHINE)


def return_to_the_system() -> None:
    """Release what the C library would keep for later; only Linux's does that."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
