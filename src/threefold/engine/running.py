"""A search under way: one handle to watch it, stop it and ask for its answer.

`Engine.start`, `MonteCarlo.start` and `Solver.start` all return a `Running`. The search itself, its
compiling included, runs in a worker thread (`threefold.engine.worker`), and a `Clock` enforces its
limits.

    with game.start(position, time=10) as running:
        for answer in running:  # better and better, the last one included
            ...
    running.result()
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from typing import Final, Generic, Protocol, Self, TypeVar

from threefold.engine import background
from threefold.engine.clock import Clock
from threefold.engine.worker import PATIENCE, Worker
from threefold.errors import ThreefoldError, Unsolved

Answer = TypeVar("Answer")
AnyAnswer = TypeVar("AnyAnswer", covariant=True)
#: What a search calls when it has a better answer.
Report = Callable[[], None]

#: Seconds between two looks at a search that does not report.
_INTERVAL: Final = 0.2


class Search(Protocol[AnyAnswer]):
    """What a `Running` runs."""

    @property
    def clock(self) -> Clock:
        """What enforces its limits, and stops it."""

    @property
    def found(self) -> object:
        """Changes with every better answer; None until there is one to give."""

    def run(self, report: Report) -> AnyAnswer:
        """Compile, then search until an answer, a limit or a stop. Called once, in a worker."""

    def answer(self) -> AnyAnswer:
        """The best answer so far, from any thread; `Unsolved` if nothing is known."""


class Closing:
    """Something that is closed at the end of its `with` block."""

    def close(self) -> None:
        """Stop whatever is running."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Running(Closing, Generic[Answer]):
    """A search under way: iterate over its improving answers, stop it, ask for its result.

    Leaving its `with` block stops it. A search without limits goes on until it is stopped or has
    proven its answer, also when its handle is forgotten: use `with`.
    """

    def __init__(self, search: Search[Answer]) -> None:
        self._search = search
        self._news = threading.Condition()
        self._reports = 0
        self._over = False
        self._failure: BaseException | None = None
        self._thread: int | None = None
        self._worker = Worker(self._run)

    def _run(self) -> Answer:
        self._thread = threading.get_ident()
        try:
            return self._search.run(self._report)
        finally:
            with self._news:
                self._over = True
                self._news.notify_all()

    def _report(self) -> None:
        with self._news:
            self._reports += 1
            self._news.notify_all()

    @property
    def is_compiling(self) -> bool:
        """Whether the rules are still being compiled; time limits do not count that."""
        return not self._over and background.is_compiling(self._thread)

    def is_running(self, seconds: float = 0.0) -> bool:
        """Wait at most this many seconds for the end; return whether it is still running."""
        with self._news:
            return not self._news.wait_for(lambda: self._over, seconds)

    def wait(self, seen: int, seconds: float) -> int:
        """Wait at most this long for more than `seen` reports, or for the end; how many there are.

        A search reports its better answers, except where it can only be asked (`now`).
        """
        with self._news:
            self._news.wait_for(lambda: self._over or self._reports > seen, seconds)
            return self._reports

    def stop(self) -> None:
        """Stop the search, from any thread; its answer is ready in a moment.

        Compiling is not cut short, but a search that has not begun to compile never does.
        """
        self._search.clock.stop()

    def close(self) -> None:
        """Stop, and wait until nothing is running; but never wait for the compiler."""
        self.stop()
        self._is_stuck()

    def now(self) -> Answer:
        """The best answer so far; `Unsolved` if a solver knows nothing for certain."""
        return self._outcome() if self._over else self._search.answer()

    def __iter__(self) -> Iterator[Answer]:
        """The answers as they improve, the last one included."""
        shown, reports = None, 0
        while True:
            with self._news:
                if not self._over and self._reports == reports:
                    self._news.wait(_INTERVAL)
                if self._over:
                    break
                reports = self._reports
            found = self._search.found
            if found is not None and found != shown:
                shown = found
                with suppress(Unsolved):  # it has just failed, and `result` says why
                    yield self._search.answer()
        yield self.result()

    def result(self, watch: Callable[[Answer], None] | None = None) -> Answer:
        """Wait for the search to end and return its answer.

        Ctrl-C ends it with the best answer so far, and is raised if there is none. `watch` is
        called with every better answer, and with the last one.
        """
        try:
            if watch is not None:
                for better in self:
                    watch(better)
            self._wait()
        except KeyboardInterrupt:
            self.stop()
            if self._is_stuck() or self._search.found is None:
                raise
            if watch is not None:
                watch(self._outcome())
        except BaseException:
            self.stop()
            raise
        return self._outcome()

    def _is_stuck(self) -> bool:
        """Whether a search ignores a stop because it is compiling or its rules never end."""
        return self.is_compiling or self._worker.is_busy(PATIENCE)

    def _outcome(self) -> Answer:
        """Wait for what the search returns, or raise what it raised."""
        self._wait()
        with self._news:
            if self._failure is not None:
                raise _copied(self._failure)
            try:
                outcome: Answer = self._worker.outcome()
            except BaseException as error:
                self._failure = _copied(error)
                raise
            return outcome

    def _wait(self) -> None:
        while self._worker.is_busy(_INTERVAL):  # short waits, so that Ctrl-C works everywhere
            pass


def _copied(error: BaseException) -> BaseException:
    """The same error without its traceback, which would keep a search's memory alive."""
    try:
        return copy(error)
    except Exception:  # an exception class of the rules' author that cannot be made again
        return ThreefoldError(f"{type(error).__name__}: {error}")
