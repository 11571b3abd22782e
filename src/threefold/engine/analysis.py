"""Analyzing a position: alpha-beta in one or more threads, and its answers as they improve."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Generic, TypeVar

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.deepening import (
    Iteration,
    Searcher,
    Task,
    Variation,
    root_moves,
    value_unit,
)
from threefold.engine.endgames.database import Database
from threefold.engine.endgames.lines import best_play
from threefold.engine.endgames.values import DECIDED
from threefold.engine.limits import MAX_DEPTH, MAX_MEGABYTES, MAX_THREADS, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.policy_nets import refuse_policy
from threefold.engine.result import Line, Result, TableUse
from threefold.engine.running import Report, Running
from threefold.engine.selectivity import selectivity as selectivity_of
from threefold.engine.table import BUCKET_WORDS, GENERATIONS, Table, new_table
from threefold.engine.values import FAR, UNIT, WON, plies_of, utility_of
from threefold.engine.worker import Worker
from threefold.errors import ThreefoldError
from threefold.rules import superko
from threefold.rules.contract import CHANCE, FINISHED, MAX_VALUE, MIN, Action
from threefold.rules.game import Game

S = TypeVar("S")

DEFAULT_MEGABYTES: Final = 64
#: How many entries are looked at to estimate how full the table is.
_SAMPLE: Final = 1024


class Engine(Generic[S]):
    """The compiled search for one game, with a table that serves one analysis after another."""

    #: It searches ever deeper, so a limit of depth means something.
    deepens = True
    #: A node is a position.
    simulations_a_node = 1

    def __init__(
        self,
        game: Game[S],
        *,
        megabytes: int = DEFAULT_MEGABYTES,
        threads: int = 1,
        selectivity: Mapping[str, int] | None = None,
        compiled: Compiled[S] | None = None,
    ) -> None:
        """Pass `compiled`, of `game.weighing()`, if its rules are known not to have changed.

        `selectivity` replaces some of the numbers that make the search selective, by their names
        in `threefold.engine.selectivity.SELECTIVE`.
        """
        check_whole("threads", threads, 1, MAX_THREADS)
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        game.require("alpha-beta", zero_sum=True, perfect_information=True)
        refuse_policy(game, "alpha-beta")
        self.game = game
        self.megabytes = megabytes
        self.threads = threads
        self.selectivity = selectivity_of(game, selectivity)
        self._compiled: Compiled[S] = compiled or Compiled(game.weighing())
        self._table = new_table(megabytes)
        self._generation = 0

    def clear(self) -> None:
        """Forget all that was found, so that what comes next does not depend on it."""
        self._table = new_table(self.megabytes)
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
        moves: Sequence[Action] = (),
    ) -> Running[Result[S]]:
        """Start searching a position.

        `multipv` is how many lines to find, each with its true value; `exact` asks for the value of
        plain minimax to that depth; `seed` picks among equal moves; `history` is the positions of
        the game so far, for draws by repetition; `moves`, if there are any, are the only ones to
        consider at the root.
        """
        s = self.game.position(position)
        check_whole("multipv", multipv, 1, 1 << 30)
        if moves and not set(moves) <= set(self.game.moves(s, history)):
            raise ThreefoldError(f"{self.game.name}: the moves to consider are not all legal")
        self._generation = (self._generation + 1) % GENERATIONS
        task = Task(self.game, s, multipv, exact, seed, self.selectivity, history, moves)
        limits = Limits() if limits is None else limits
        search = Analysis(self._compiled, task, limits, self._table, self._generation, self.threads)
        return Running(search)


class Analysis(Generic[S]):
    """One search of a position: how it runs, and its answers in readable form."""

    def __init__(
        self,
        compiled: Compiled[S],
        task: Task[S],
        limits: Limits,
        table: Table,
        generation: int,
        threads: int,
    ) -> None:
        self.clock = Clock(limits)
        #: The last depth that was finished, or what is known of one that was not.
        self.found: Iteration | None = None
        self._compiled = compiled
        self._task = task
        self._table = table
        self._generation = generation
        self._threads = threads if limits.nodes is None else min(threads, limits.nodes)
        self._searchers: list[Searcher[S]] = []

    def run(self, report: Report) -> Result[S]:
        """Search ever deeper, in several threads if asked to."""
        game = self._task.game
        if not game.moves(self._task.position):
            return self._finished()
        if self.clock.is_stopped:
            return self.answer()
        self._searchers = [
            Searcher(self._compiled, self._task, self._table, self._generation)
            for _ in range(self._threads)
        ]
        depth = self.clock.limits.depth
        last = MAX_DEPTH if depth is None else depth

        def publish(iteration: Iteration) -> None:
            self.found = iteration
            report()

        leader, *helpers = self._searchers
        workers: list[Worker] = []
        with self.clock.enforce(*(searcher.memory for searcher in self._searchers)):
            try:
                with self.clock.counting():
                    for number, helper in enumerate(helpers):
                        # Every other helper is a ply ahead, to keep them from doing the same work.
                        workers.append(Worker(partial(helper.deepen, 1 + number % 2, last)))
                    leader.deepen(1, last, publish)
            finally:
                for helper in helpers:
                    helper.stop()
                for worker in workers:
                    worker.wait()
        for worker in workers:
            worker.outcome()
        for searcher in self._searchers:
            check_fault(game, searcher.memory)
        return self.answer()

    # What was found, in readable form.

    def answer(self) -> Result[S]:
        """The best answer so far."""
        game, s, found = self._task.game, self._task.position, self.found
        if found is not None:
            depth, lines = found.depth, tuple(map(self._line, found.variations))
        elif game.moves(s):
            depth, lines = 0, (self._first_sight(),)
        else:
            return self._finished()
        best = lines[0]
        if game.player(s) == CHANCE:
            lines = ()
        # Superko is seen at the root alone: another move may be worth more than it seems.
        exact = best.exact and (not game.has_superko or superko.ends_at_once(game, s))
        return self._result(depth, lines, best.value, exact, best.win_in)

    def _finished(self) -> Result[S]:
        """The answer for a game that is over."""
        value = shown_finished(self._task.game, self._task.position)
        return self._result(0, (), value, exact=True, win_in=None)

    def _result(
        self, depth: int, lines: tuple[Line, ...], value: float, exact: bool, win_in: int | None
    ) -> Result[S]:
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
            seconds=self.clock.seconds,
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
        if game.has_superko and not exact:
            win_in = None
        return Line(variation.move, value, win_in, exact, self._to_the_end(variation.pv, win_in))

    def _to_the_end(self, pv: tuple[Action, ...], win_in: int | None) -> tuple[Action, ...]:
        """A line with what a database of end-games adds to it.

        The search looks no further where the database knows who wins.
        """
        game, s = self._task.game, self._task.position
        database = None if self._task.exact else game.database
        if win_in is None or not isinstance(database, Database) or len(pv) >= abs(win_in):
            return pv
        for a in pv:
            s = game.result(s, a)
        return (*pv, *best_play(game, database, s))

    def _first_sight(self) -> Line:
        """A move to name when there was no time to search any: the first, at its static value."""
        game, s = self._task.game, self._task.position
        sign = -1 if game.player(s) == MIN else 1
        value, _ = shown_value(game, sign * game.evaluate(s) * value_unit(game))
        if game.player(s) == CHANCE:
            return Line(0, value, None, False, ())
        a = root_moves(self._task)[0]
        return Line(a, value, None, False, (a,))


def fullness(table: Table) -> float:
    """How full a table is, estimated from a sample."""
    places = len(table) // BUCKET_WORDS
    step = max(1, places // _SAMPLE) * BUCKET_WORDS
    entries = table[1::step]
    return float((entries & 3 != 0).mean())


def shown_value(game: Game[Any], value: int) -> tuple[float, int | None]:
    """A value of the search in readable units, and in how many plies the game is won or lost.

    Finished games count `FINISHED` evaluation units per point of utility where the game has an
    evaluation, and their utility where it has none.
    """
    per_utility = FINISHED if game.evaluation is not None else 1
    if not game.facts.deterministic:
        return value / UNIT * per_utility / FINISHED, None
    if game.database is not None and MAX_VALUE - 2 * DECIDED <= abs(value) <= MAX_VALUE:
        # Surely won or lost, if no rule about the length of games prevents it.
        return per_utility if value > 0 else -per_utility, None
    if abs(value) < WON:
        return value if game.denominator == 1 else value / game.denominator, None
    plies = plies_of(value) if plies_of(value) < FAR else None
    signed = plies if plies is None or value > 0 else -plies
    return utility_of(value) * per_utility, signed


def shown_finished(game: Game[S], s: S) -> float:
    """What a finished game is worth to the player who would move, in the same units."""
    value = game.utility(s) * (FINISHED if game.evaluation is not None else 1)
    return -value if game.player(s) == MIN else value
