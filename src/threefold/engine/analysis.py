"""Analysing a position: searches in the background, answers as they improve, and limits kept."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Generic, TypeVar

from threefold.engine.compile import Compiled
from threefold.engine.deepening import Iteration, Searcher, Task, Variation
from threefold.engine.limits import MAX_DEPTH, MAX_MEGABYTES, MAX_THREADS, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.result import Line, Result, TableUse
from threefold.engine.table import BUCKET_WORDS, GENERATIONS, Table, new_table
from threefold.engine.values import UNIT, WON, plies_of, utility_of
from threefold.engine.worker import PATIENCE, Worker
from threefold.rules.contract import CHANCE, FINISHED, MIN
from threefold.rules.game import Game

S = TypeVar("S")

DEFAULT_MEGABYTES: Final = 64
#: How much of the table is looked at to tell how full it is.
_SAMPLE: Final = 1024


class Engine(Generic[S]):
    """The compiled search for one game, with a table that serves one analysis after another."""

    def __init__(
        self,
        game: Game[S],
        *,
        megabytes: int = DEFAULT_MEGABYTES,
        threads: int = 1,
        compiled: Compiled[S] | None = None,
    ) -> None:
        """`compiled` saves looking through rules that are known not to have changed."""
        check_whole("threads", threads, 1, MAX_THREADS)
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        game.require("alpha-beta", zero_sum=True, perfect_information=True)
        self.game = game
        self.megabytes = megabytes
        self.threads = threads
        self._compiled: Compiled[S] = compiled or game.compiled()
        self._table = new_table(megabytes)
        self._generation = 0

    def analyze(
        self, position: str | S | None = None, limits: Limits | None = None, **options: Any
    ) -> Result[S]:
        """Search a position and return the answer; Ctrl-C ends the search, not the program."""
        return self.start(position, limits, **options).result()

    def start(
        self,
        position: str | S | None = None,
        limits: Limits | None = None,
        *,
        multipv: int = 1,
        exact: bool = False,
        seed: int | None = None,
        history: Sequence[S] = (),
    ) -> "Analysis[S]":
        """Begin to search a position.

        `multipv` asks for so many lines, each with its true value; `exact` for the value of plain
        minimax to the depth; `seed` picks among equal moves; `history` are the positions of the
        game so far, for draws by repetition.
        """
        s = self.game.position(position)
        check_whole("multipv", multipv, 1, 1 << 30)
        self._generation = (self._generation + 1) % GENERATIONS
        task = Task(self.game, s, multipv, exact, seed, history)
        return Analysis(
            self._compiled, task, limits or Limits(), self._table, self._generation, self.threads
        )


class Analysis(Generic[S]):
    """A search under way: iterate over its improving answers, stop it, ask for its result."""

    def __init__(
        self,
        compiled: Compiled[S],
        task: Task[S],
        limits: Limits,
        table: Table,
        generation: int,
        threads: int,
    ) -> None:
        self._task = task
        self._table = table
        self._latest: Iteration = Iteration(0, ())
        self._over = not task.game.moves(task.position)
        self._news = threading.Condition()
        self._searchers: list[Searcher[S]] = []
        self._workers: list[Worker] = []
        self._seconds: float | None = None
        if not self._over:
            threads = min(threads, limits.nodes or threads)
            share = limits.nodes and limits.nodes // threads
            self._searchers = [
                Searcher(compiled, task, table, generation, share) for _ in range(threads)
            ]
        self._began = time.perf_counter()
        self._timer = None
        if self._over:
            self._seconds = 0.0
            return
        if limits.time is not None:
            self._timer = threading.Timer(min(limits.time, threading.TIMEOUT_MAX), self.stop)
            self._timer.daemon = True
            self._timer.start()
        depth = limits.depth or MAX_DEPTH
        for number, helper in enumerate(self._searchers[1:]):
            # Every other helper is a ply ahead, so that they do not all do the same.
            first = 1 + number % 2
            self._workers.append(Worker(lambda h=helper, f=first: h.deepen(f, depth)))  # type: ignore[misc]
        self._workers.append(Worker(lambda: self._lead(depth)))

    def _lead(self, depth: int) -> None:
        try:
            self._searchers[0].deepen(1, depth, self._publish)
        finally:
            for searcher in self._searchers:
                searcher.stop()
            with self._news:
                self._seconds = time.perf_counter() - self._began
                self._news.notify_all()

    def _publish(self, iteration: Iteration) -> None:
        with self._news:
            self._latest = iteration
            self._news.notify_all()

    def stop(self) -> None:
        """End the search; it has its answer in a moment."""
        for searcher in self._searchers:
            searcher.stop()

    def __iter__(self) -> Iterator[Result[S]]:
        """The answers as they improve, the last one among them."""
        shown = self._latest
        while self._seconds is None:
            with self._news:
                while self._seconds is None and self._latest is shown:
                    self._news.wait()
                shown = self._latest
            if self._seconds is None:
                yield self._result_of(shown)
        yield self.result()

    def result(self, watch: Callable[[Result[S]], None] | None = None) -> Result[S]:
        """Wait for the search to end and return its answer; Ctrl-C ends it at once.

        `watch` is called with every better answer, and with the last.
        """
        try:
            if watch is not None:
                for improved in self:
                    watch(improved)
            self._wait()
        except KeyboardInterrupt:
            self.stop()
            if any(worker.is_busy(PATIENCE) for worker in self._workers):
                raise
            if watch is not None:
                watch(self.result())
        self._cancel_timer()
        for searcher in self._searchers:
            check_fault(self._task.game, searcher.memory)
        for worker in self._workers:
            worker.outcome()
        return self._result_of(self._latest)

    def is_running(self, seconds: float) -> bool:
        """Wait so long for the answer at most; whether the search goes on then."""
        with self._news:
            if self._seconds is None:
                self._news.wait_for(lambda: self._seconds is not None, seconds)
            return self._seconds is None

    def _wait(self) -> None:
        while any(worker.is_busy(0.5) for worker in self._workers):
            pass

    def __enter__(self) -> "Analysis[S]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.stop()
        self._cancel_timer()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # it holds on to us
            self._timer = None

    # What was found, for people.

    def now(self) -> Result[S]:
        """The best answer so far."""
        with self._news:
            return self._result_of(self._latest)

    def _result_of(self, iteration: Iteration) -> Result[S]:
        game, s = self._task.game, self._task.position
        if self._over:
            value = shown_finished(game, s)
            return self._result(0, (), value, True, None)
        variations = iteration.variations or self._unsearched()
        lines = tuple(self._line(variation) for variation in variations)
        best = lines[0]
        if game.player(s) == CHANCE:
            lines = ()
        return self._result(iteration.depth, lines, best.value, best.exact, best.win_in)

    def _result(
        self, depth: int, lines: tuple[Line, ...], value: float, exact: bool, win_in: int | None
    ) -> Result[S]:
        seconds = self._seconds
        return Result(
            game=self._task.game,
            position=self._task.position,
            lines=lines,
            value=value,
            exact=exact,
            win_in=win_in,
            depth=depth,
            selective_depth=max([depth, *(x.selective_depth for x in self._searchers)]),
            nodes=self._sum("nodes"),
            seconds=time.perf_counter() - self._began if seconds is None else seconds,
            table=TableUse(
                self._table.nbytes >> 20,
                self._sum("probes"),
                self._sum("hits"),
                fullness(self._table),
            ),
        )

    def _sum(self, field: str) -> int:
        return sum(int(getattr(searcher.memory, field)) for searcher in self._searchers)

    def _line(self, variation: Variation) -> Line:
        game = self._task.game
        exact = self._searchers[0].is_proven(variation)
        value, win_in = shown_value(game, variation.value)
        return Line(variation.move, value, win_in, exact, variation.pv)

    def _unsearched(self) -> tuple[Variation, ...]:
        """A move to name when there was no time to look at any: the first, at a glance."""
        game, s = self._task.game, self._task.position
        sign = -1 if game.player(s) == MIN else 1
        unit = 1 if game.facts.deterministic else UNIT
        value = sign * game.evaluate(s) * unit
        if game.player(s) == CHANCE:
            return (Variation(0, value, False, ()),)
        a = self._searchers[0].first_move
        return (Variation(a, value, False, (a,)),)


def fullness(table: Table) -> float:
    """How much of a table is filled, by a sample."""
    places = len(table) // BUCKET_WORDS
    step = max(1, places // _SAMPLE) * BUCKET_WORDS
    entries = table[1::step]
    return float((entries & 3 != 0).mean())


def shown_value(game: Game[Any], value: int) -> tuple[float, int | None]:
    """A value of the search in units for people, and in how many plies the game is won or lost.

    Finished games count `FINISHED` evaluation units for each of utility where the game has an
    evaluation, and their utility where it has none.
    """
    per_utility = FINISHED if game.evaluations else 1
    if not game.facts.deterministic:
        return value / UNIT * per_utility / FINISHED, None
    if abs(value) < WON:
        return value, None
    plies = plies_of(value)
    return utility_of(value) * per_utility, plies if value > 0 else -plies


def shown_finished(game: Game[S], s: S) -> float:
    """What a finished game is worth to the player who would move, in the same units."""
    value = game.utility(s) * (FINISHED if game.evaluations else 1)
    return -value if game.player(s) == MIN else value
