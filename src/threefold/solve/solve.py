"""Exact answers, by whichever method suits the game.

| method | how | for |
| --- | --- | --- |
| database | looked up: see `threefold.engine.endgames` | end-games, if there is a database |
| race table | looked up: see `threefold.engine.race_tables` | the end of a race; chance |
| graph | every position, then retrograde analysis from the ends | small games; cycles; chance |
| null-window | a series of yes-or-no searches with a table | games that end |
| table | one search with an open window and the same table | to compare |
| proof | proof-number search: is it won? is it drawn? | games won, drawn or lost |
| partition | yes or no, with what that depends on: see `threefold.solve.partition` | card games |
| superko | what each side can force: see `threefold.solve.within` | games such as Go |

`auto` looks a race up if a table has it. It takes the graph if a game is so small that this is done
immediately. A game that says what matters about a position is solved by partition search. If the
rules promise that play ends, it goes on with null-window search, and returns to the graph only if
the search takes long and the graph is small. Otherwise it takes as much of the
graph as memory holds.

A `Solver` keeps its tables from one position to the next.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar

from threefold.engine.clock import Clock, Turn
from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.running import Closing, Report, Running
from threefold.errors import ThreefoldError
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean
from threefold.solve.memory import SearchMemory
from threefold.solve.options import refuse_options
from threefold.solve.regret_search import REGRET_METHODS, solved_by_regret
from threefold.solve.solution import Solution, score_of
from threefold.solve.work import Wanted, Work, unsolved

S = TypeVar("S")

METHODS: Final = ("auto", "graph", "table", "null-window", "partition", "proof", "superko")
DETAILS: Final = ("value", "win_in", "best", "moves")
DEFAULT_MEGABYTES: Final = 1024


def solve(
    game: Game[S],
    s: S,
    *,
    score: str | None = None,
    method: str = "auto",
    detail: str = "moves",
    megabytes: int = DEFAULT_MEGABYTES,
    time: float | None = None,
    nodes: int | None = None,
    iterations: int | None = None,
    exploitability: float | None = None,
    seed: int | None = None,
    progress: bool = True,
) -> Solution[S]:
    """What a position is worth when both sides play perfectly, and every move that keeps it.

    `detail` says how much is wanted: the "value" and one best move; with "win_in" how soon, too;
    every "best" move with the quickest first; or all "moves" with what each is worth and what
    follows. `score` names another unit of the game for the values.

    A game of hidden information is solved from its start, by `threefold.solve.regret_search`, until
    the strategies are within an `exploitability`, or after some `iterations`; the answer is an
    `Equilibrium`.
    """
    if not game.facts.perfect_information and game.is_terminal(s):
        game = game.with_nothing_hidden()
    if game.facts.perfect_information:
        other = method if method in REGRET_METHODS else None
        refuse_options("hidden", game, iterations=iterations, exploitability=exploitability)
        refuse_options("hidden", game, seed=seed, method=other)
    else:
        usual = None if detail == "moves" else detail
        other = method if method in METHODS[1:] else None
        refuse_options("perfect", game, score=score, nodes=nodes, detail=usual, method=other)
        return solved_by_regret(
            game,
            s,
            method=method,
            megabytes=megabytes,
            time=time,
            iterations=iterations,
            exploitability=exploitability,
            seed=0 if seed is None else seed,
            progress=progress,
        )
    if score is not None and score not in game.utilities:
        score_of(game, score)  # is there one?
    counted = game.counted_by(score) if score in game.utilities else game
    solver = Solver(counted, megabytes=megabytes)
    found = solver.solve(s, method=method, detail=detail, time=time, nodes=nodes, progress=progress)
    if score in game.utilities:
        return found.in_units()
    return found if score is None else found.scored(score)


class Solver(Closing, Generic[S]):
    """Solves one position of a game after another, and remembers what it has proven.

    It takes memory as needed, up to `megabytes` for each method, keeps it for the next
    position, and releases it when it is closed or the `with` block ends. One position at a time is
    solved; another one waits its turn.
    """

    def __init__(self, game: Game[S], *, megabytes: int = DEFAULT_MEGABYTES) -> None:
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        game.require("solving", zero_sum=True, perfect_information=True)
        self.game = game
        self.megabytes = megabytes
        self._memory: SearchMemory[S] | None = SearchMemory(game, megabytes)
        self._turn = Turn()
        #: The clocks of all questions that are being answered or wait to be.
        self._clocks: set[Clock] = set()
        self._closed = False

    def solve(self, position: str | S | None = None, **options: Any) -> Solution[S]:
        """What a position is worth, and its moves; the options are those of `solve`."""
        return self.start(position, **options).result()

    def start(
        self,
        position: str | S | None = None,
        *,
        before: Sequence[S] = (),
        method: str = "auto",
        detail: str = "moves",
        time: float | None = None,
        nodes: int | None = None,
        progress: bool = True,
        lines: bool = True,
        guess: int | None = None,
    ) -> Running[Solution[S]]:
        """Start solving a position; what is proven on the way can be asked for at any time.

        `before` are the earlier positions of the game; they count only under superko. Without
        `lines` nothing is done to find what follows a move. `guess` is a utility for the player to
        move from which partition search starts asking.
        """
        if method not in METHODS:
            raise ThreefoldError(f"there is no method {method!r}: {did_you_mean(method, METHODS)}")
        if detail not in DETAILS:
            raise ThreefoldError(f"there is no detail {detail!r}: {did_you_mean(detail, DETAILS)}")
        if self._closed:
            raise _closed()
        limits = Limits(time=time, nodes=nodes)
        s = self.game.position(position)
        wanted = Wanted(detail, lines, guess, progress)
        question = _Question(self, s, before, method, wanted, limits)
        self._clocks.add(question.clock)
        return Running(question)

    def forget(self) -> None:
        """Forget what partition search remembers, before a position unlike the ones before.

        It helps where positions have little in common, such as deals of other cards.
        """
        with self._turn.taken(Clock(Limits())):
            if self._memory is not None:
                self._memory.forget_positions()

    def stop(self) -> None:
        """Stop what is being solved, and what waits to be, with what is known so far."""
        for clock in [*self._clocks]:
            clock.stop()

    def close(self) -> None:
        """Stop, and release the memory as soon as nothing is running."""
        self._closed = True
        self.stop()
        if self._turn.is_free:  # otherwise the search that has the turn releases it
            self._memory = None

    @contextmanager
    def turn(self, clock: Clock) -> Iterator[SearchMemory[S]]:
        """The memory, for one position at a time, within its limits."""
        try:
            with self._turn.taken(clock) as mine:
                memory = self._memory
                if memory is None or self._closed:
                    raise _closed()
                if not mine or clock.is_stopped:
                    raise unsolved(self.game, 0)
                with memory.in_use(), clock.enforce(memory.control):
                    yield memory
        finally:
            self._clocks.discard(clock)
            if self._closed and self._turn.is_free:
                self._memory = None


def _closed() -> ThreefoldError:
    return ThreefoldError("this solver is closed; game.solver() makes another")


class _Question(Generic[S]):
    """One position to be solved, from before its turn until after it."""

    def __init__(
        self,
        solver: Solver[S],
        s: S,
        before: Sequence[S],
        method: str,
        wanted: Wanted,
        limits: Limits,
    ) -> None:
        self.clock = Clock(limits)
        self._solver = solver
        self._s = s
        self._before = before
        self._method = method
        self._wanted = wanted
        self._work: Work[S] | None = None
        self._solution: Solution[S] | None = None

    @property
    def found(self) -> object:
        """What is proven so far."""
        work = self._work
        return self._solution if work is None else work.found

    def run(self, report: Report) -> Solution[S]:  # noqa: ARG002  polled, not called
        """Solve it when its turn comes."""
        with self._solver.turn(self.clock) as memory:
            self._work = Work(self._s, self._before, self._wanted, memory, self.clock)
            try:
                self._solution = self._work.solve(self._method)
            finally:
                self._work = None  # it refers to the solver's memory
        return self._solution

    def answer(self) -> Solution[S]:
        """What is proven so far, as a solution that is not complete."""
        work = self._work
        if work is not None:
            return work.so_far()
        if self._solution is not None:
            return self._solution
        raise unsolved(self._solver.game, 0)
