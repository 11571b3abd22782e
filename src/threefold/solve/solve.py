"""Exact answers, by whichever method suits the game.

| method | how | for |
| --- | --- | --- |
| graph | every position, then retrograde analysis from the ends | small games; cycles; chance |
| null-window | a series of yes-or-no searches with a table | games that end |
| table | one search with an open window and the same table | to compare |
| proof | proof-number search: is it won? is it drawn? | games won, drawn or lost |

By itself it takes the graph of a game so small that this is done at once. Where the rules promise
that play ends it goes on with null-window search, and comes back to the graph only if that takes
its time and the graph does not; else with as much of the graph as memory holds.

A `Solver` keeps its tables from one position to the next.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import TracebackType
from typing import Final, Generic, TypeVar

from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine, bar
from threefold.engine.result import Line, TableUse
from threefold.engine.worker import run_in_worker
from threefold.errors import ThreefoldError, Unsolved, argument
from threefold.rules.contract import CHANCE, MIN
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean
from threefold.solve import retrograde
from threefold.solve.exact import Stopped, TooLong
from threefold.solve.forcing import NEVER
from threefold.solve.graph import (
    MOST_POSITIONS,
    Enumeration,
    Graph,
    InterpretedEnumeration,
    enumeration,
)
from threefold.solve.growing_table import GrowingTable
from threefold.solve.memory import SearchMemory
from threefold.solve.root import ONE_MOVE, Root, RootProof, RootSearch
from threefold.solve.solution import Solution, best_of, ranked, signed_plies
from threefold.solve.stopwatch import Stopwatch

S = TypeVar("S")

METHODS: Final = ("auto", "graph", "table", "null-window", "proof")
DETAILS: Final = ("value", "win_in", "best", "moves")
#: As many positions, all of tic-tac-toe for one, are enumerated in a millisecond or two,
TINY: Final = 6_000
#: and as many in a fraction of a second,
SMALL: Final = 200_000
#: which a search of so many nodes takes too.
_LONG_SEARCH: Final = 1_000_000
DEFAULT_MEGABYTES: Final = 1024


def solve(
    game: Game[S],
    s: S,
    *,
    method: str = "auto",
    detail: str = "moves",
    megabytes: int = DEFAULT_MEGABYTES,
    time: float | None = None,
    nodes: int | None = None,
    progress: bool = True,
    stopped: Callable[[], bool] | None = None,
) -> Solution[S]:
    """What a position is worth when both sides play perfectly, and every move that keeps it.

    `detail` says how much is wanted: the "value" and one best move; with "win_in" how soon, too;
    every "best" move with the quickest first; or all "moves" with what each is worth and what
    follows. `stopped` is asked now and then whether to come back with what is known.
    """
    with Solver(game, megabytes=megabytes) as solver:
        return solver.solve(
            s,
            method=method,
            detail=detail,
            time=time,
            nodes=nodes,
            progress=progress,
            stopped=stopped,
        )


class Solver(Generic[S]):
    """Solves one position of a game after another, and remembers what it has proven.

    It takes memory as it needs it, up to `megabytes` for each method, keeps it for the next
    position, and gives it back when it is closed or the `with` block ends. One position at a time:
    a second thread waits its turn.
    """

    def __init__(self, game: Game[S], *, megabytes: int = DEFAULT_MEGABYTES) -> None:
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        game.require("solving", zero_sum=True, perfect_information=True)
        self.game = game
        self.megabytes = megabytes
        self._memory: SearchMemory[S] | None = SearchMemory(game, megabytes)
        self._turn = threading.Lock()
        self._clock: Stopwatch | None = None

    def solve(
        self,
        position: str | S | None = None,
        *,
        method: str = "auto",
        detail: str = "moves",
        time: float | None = None,
        nodes: int | None = None,
        progress: bool = True,
        stopped: Callable[[], bool] | None = None,
    ) -> Solution[S]:
        """What a position is worth, and its moves; the options are those of `solve`."""
        if method not in METHODS:
            raise ThreefoldError(f"there is no method {method!r}: {did_you_mean(method, METHODS)}")
        if detail not in DETAILS:
            raise ThreefoldError(f"there is no detail {detail!r}: {did_you_mean(detail, DETAILS)}")
        limits = Limits(time=time, nodes=nodes)
        s = self.game.position(position)
        with self._turn:
            if self._memory is None:
                raise ThreefoldError("this solver is closed; game.solver() makes another")
            self._memory.begin()
            self._clock = Stopwatch(self._memory.control, limits, stopped)
            try:
                return _Work(s, detail, limits, progress, self._memory, self._clock).solve(method)
            except (Unsolved, KeyboardInterrupt):
                raise
            except BaseException:
                self._memory.forget()  # nobody knows what rules that fail have left there
                raise
            finally:
                self._clock = None

    def stop(self) -> None:
        """Let the `solve` that runs in another thread come back with what is known."""
        clock = self._clock
        if clock is not None:
            clock.stop()

    def close(self) -> None:
        """Stop, and give the memory back."""
        self.stop()
        with self._turn:
            self._memory = None

    def __enter__(self) -> "Solver[S]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()


class _Work(Generic[S]):
    """One position to be solved, and what was spent on it."""

    def __init__(
        self,
        s: S,
        detail: str,
        limits: Limits,
        progress: bool,
        memory: SearchMemory[S],
        clock: Stopwatch,
    ) -> None:
        self._game = memory.game
        self._s = s
        self._detail = detail
        self._limits = limits
        self._progress = progress
        self._memory = memory
        self._table: GrowingTable | None = None
        self._control = memory.control
        self._clock = clock
        # Nature is seen with MAX's eyes.
        self._sign = -1 if self._game.player(s) == MIN else 1

    def solve(self, method: str) -> Solution[S]:
        """By the given method, or the one that suits."""
        game = self._game
        if not game.moves(self._s):
            return self._solution(self._sign * game.utility(self._s), method="rules")
        if method in ("auto", "graph"):
            positions = enumeration(game, self._s, self._memory.megabytes, self._control)
            if method == "graph" or not self._may_outgrow(positions) or self._fits(positions, TINY):
                return self._by_graph(positions)
            try:
                return self._by_search("null-window", positions)
            except TooLong:
                self._control.fault = self._control.stop = 0
                return self._by_graph(positions)
        if method == "proof":
            proof, self._table = self._memory.proof()
            return self._move_by_move(RootProof(game, self._s, proof), method)
        return self._by_search(method)

    def _may_outgrow(self, positions: Enumeration[S]) -> bool:
        """Whether something else can be done where there are too many positions to look at all."""
        facts = self._game.facts
        ends = facts.deterministic and facts.finite and not self._game.cyclic
        return ends and not isinstance(positions, InterpretedEnumeration)

    def _fits(self, positions: Enumeration[S], most: int) -> bool:
        """Whether the graph is the way to go: it is no larger, or there is no time for another."""
        # A limit of nodes is not to be spent on the attempt.
        if self._limits.nodes is not None:
            most = min(most, self._limits.nodes // 2)
        return self._find(positions, most) or self._clock.expired

    def _find(self, positions: Enumeration[S], most: int = MOST_POSITIONS) -> bool:
        with self._running(lambda: "looking for all positions"):
            return bool(run_in_worker(lambda: positions.run(most), self._control))

    def _by_graph(self, positions: Enumeration[S]) -> Solution[S]:
        game = self._game
        retrograde.prepare(game.facts.deterministic)
        if not self._find(positions):
            raise self._unsolved() if self._clock.expired else positions.shortage
        graph = positions.graph()
        with self._running(lambda: "retrograde analysis"):
            analysis = run_in_worker(
                lambda: retrograde.analyse(graph, self._control), self._control
            )
        if analysis is None:
            raise self._unsolved()
        moves = list(zip(game.moves(self._s), graph.children(0), strict=True))
        if not (game.cyclic and graph.deterministic):
            self._check_that_play_ends(graph, analysis)
            moves = [(a, i) for a, i in moves if not analysis.endless[i]]

        def valued(i: int, plies_before: int) -> tuple[float, int | None]:
            value = self._sign * analysis.value[i].item() + 0  # no negative zero
            plies = None if analysis.plies[i] == NEVER else int(analysis.plies[i]) + plies_before
            return value, signed_plies(value, plies)

        value, win_in = valued(0, 0)
        error = max(analysis.error[i].item() for i in (0, *(i for _, i in moves)))
        after = dict(moves)
        lines = [
            replace(line, pv=(line.move, *retrograde.best_line(graph, analysis, after[line.move])))
            for line in self._chosen(
                [Line(a, *valued(i, 1), True, (a,)) for a, i in moves], value, error
            )
        ]
        return self._solution(value, win_in, lines, method="graph", error=error)

    def _check_that_play_ends(self, graph: Graph[S], analysis: retrograde.Analysis) -> None:
        """Raise where the answer depends on what endless play is worth, which is not known."""
        after_some_move = self._detail == "moves" and analysis.endless[graph.children(0)].any()
        if not analysis.endless[0] and not after_some_move:
            return
        where = "" if analysis.endless[0] else "after some move "
        message = f"{where}play can go on for ever, and what that is worth decides"
        if graph.deterministic:
            message += "; declare repeats=True if it is a draw"
        elif analysis.endless[0]:
            value, error = self._sign * analysis.value[0], analysis.error[0]
            message += f"; the value is between {value - error:+.6f} and {value + error:+.6f}"
        if not analysis.endless[0]:
            message += f"; or ask for {argument('detail', 'best')}"
        raise ThreefoldError(f"{self._game.name}: {message}")

    def _by_search(self, method: str, positions: Enumeration[S] | None = None) -> Solution[S]:
        """By asking what each move is worth; `positions` is what else can be tried, if anything."""
        if not self._game.facts.deterministic:
            raise ThreefoldError(
                f"{method} search is for games without chance, and {self._game.name} has some; "
                "solve it by its graph"
            )
        if self._game.cyclic:
            raise ThreefoldError(
                f"{method} search is for games whose positions do not repeat, and those of "
                f"{self._game.name} do; solve it by its graph"
            )
        search, self._table = self._memory.exact()
        full_window = method == "table"
        root = RootSearch(self._game, self._s, search, self._clock, full_window=full_window)
        return self._move_by_move(root, method, positions)

    def _move_by_move(
        self, root: Root[S], method: str, positions: Enumeration[S] | None = None
    ) -> Solution[S]:
        """What is known in the end, be it by an answer or by a stop."""
        assert self._table is not None
        while True:
            complete = self._work_on(root, method, self._table)
            if positions is not None and not self._over and self._seems_small(root, complete):
                if self._fits(positions, SMALL) and not self._clock.expired:
                    return self._by_graph(positions)
                positions = None
            if complete or self._over:
                break
            self._grow(self._table)
        value = root.bound if root.utility is None else root.utility
        if value is None:
            raise self._unsolved()
        lines = list(root.lines()) or [Line(root.moves[0], value, None, False, (root.moves[0],))]
        win_in = ranked(lines)[0].win_in if lines else None
        exact = root.utility is not None
        return self._solution(value, win_in, lines, method=method, exact=exact, complete=complete)

    @property
    def _over(self) -> bool:
        """Whether there is no more time, or somebody wants no more."""
        return bool(self._control.stop) or self._clock.expired

    def _seems_small(self, root: Root[S], complete: bool) -> bool:
        """Whether to try the graph after all: where it takes no longer than the search has.

        It also knows how far away the end is where that was too dear for a search to find out.
        """
        if not complete:
            return bool(self._control.nodes >= _LONG_SEARCH)
        if self._detail == "value":
            return False
        return any(known.utility != 0 and known.plies is None for known in root.known.values())

    def _grow(self, table: GrowingTable) -> None:
        with self._running(lambda: "making room"):
            run_in_worker(table.grow, self._control)

    def _work_on(self, root: Root[S], method: str, table: GrowingTable) -> bool:
        """Find out more, as long as the table serves; whether all that was asked for is known."""

        def describe() -> str:
            known, moves = len(root.known), len(root.moves)
            return f"{method} {bar(known / moves)} {known}/{moves} moves"

        def work() -> None:
            with self._clock.at_most(table.nodes_worthwhile):
                root.run(self._detail)
            root.follow_lines()

        try:
            with self._running(describe):
                run_in_worker(work, self._control)
        except Stopped:
            check_fault(self._game, self._control)
        except KeyboardInterrupt:
            self._control.stop = 1
            if root.bound is None and root.utility is None:
                raise
        else:
            return True
        return False

    def _solution(
        self,
        value: float,
        win_in: int | None = None,
        lines: Sequence[Line] = (),
        *,
        method: str,
        exact: bool = True,
        complete: bool = True,
        error: float = 0.0,
    ) -> Solution[S]:
        """The answer, with the moves that were asked for."""
        chosen = self._chosen(lines, value, error)
        all_best = best_of((line for line in chosen if line.exact), value, error)
        depth = len(chosen[0].pv) if chosen else 0
        probes, hits = int(self._control.probes), int(self._control.hits)
        use = (
            TableUse(self._table.megabytes, probes, hits) if self._table and probes else TableUse()
        )
        return Solution(
            self._game,
            self._s,
            chosen,
            value,
            exact,
            win_in,
            depth,
            depth,
            nodes=int(self._control.nodes),
            seconds=self._clock.seconds,
            table=use,
            all_best=all_best,
            method=method,
            complete=complete,
            error=error,
        )

    def _chosen(self, lines: Iterable[Line], value: float, error: float) -> tuple[Line, ...]:
        """The moves that were asked for, the best first; where nature moves there are none."""
        if self._game.player(self._s) == CHANCE:
            return ()
        chosen = ranked(lines)
        if self._detail in ONE_MOVE:
            return chosen[:1]
        if self._detail == "best":
            return chosen[: len(best_of((line for line in chosen if line.exact), value, error))]
        return chosen

    def _unsolved(self) -> Unsolved:
        return Unsolved(
            f"{self._game.name}: not solved within the limits, and nothing is known for certain "
            f"after {self._control.nodes:,} positions"
        )

    @contextmanager
    def _running(self, describe: Callable[[], str]) -> Iterator[None]:
        """While the block runs, the clock does, and a line says what is being done."""

        def line(_: float) -> str:
            nodes, seconds = int(self._control.nodes), self._clock.seconds
            return f"{describe()}  {nodes:,} positions  {nodes / seconds / 1e6:.1f} M/s"

        with StatusLine(line) if self._progress else nullcontext(), self._clock:
            yield
