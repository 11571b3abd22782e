"""Ctrl-C while a net learns: what was learned is kept."""

import signal
import threading
from collections.abc import Callable
from typing import Any


class Interrupts:
    """A block in which Ctrl-C, or being asked to end, is a wish to be heard between rounds.

    The second time it is a KeyboardInterrupt, and while results are saved it is nothing.
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        #: Whether the run should end.
        self.wanted = False
        #: Set while nothing may be interrupted any more.
        self.ignored = False
        self._say = say
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, _number: int, _frame: object) -> None:
        if self.ignored:
            return
        if self.wanted:
            raise KeyboardInterrupt
        self.wanted = True
        self._say("finishing this round; Ctrl-C again leaves it out")
