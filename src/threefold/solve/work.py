"""Solving one position: by the method asked for, or the one that suits the game."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Final, Generic, NamedTuple, TypeVar

from threefold.engine.clock import Clock
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine
from threefold.engine.result import Line, TableUse
from threefold.errors import NotCompilable, ThreefoldError, Unsolved, argument
from threefold.rules.contract import CHANCE, MIN
from threefold.rules.game import Game
from threefold.solve import retrograde
from threefold.solve.endgames.looking_up import known_ending
from threefold.solve.exact import Stopped, TooLong
from threefold.solve.forcing import NEVER
from threefold.solve.graph import (
    MOST_POSITIONS,
    Enumeration,
    Graph,
    InterpretedEnumeration,
    enumeration,
    room,
)
from threefold.solve.growing_table import FixedTable, GrowingTable
from threefold.solve.memory import SearchMemory
from threefold.solve.race import known_race
from threefold.solve.root import ONE_MOVE, Root, RootProof, RootSearch
from threefold.solve.root_partition import RootPartition
from threefold.solve.solution import Solution, best_of, ranked, signed_plies
from threefold.solve.superko import RootSuperko

S = TypeVar("S")

#: This many positions, all of tic-tac-toe for one, are enumerated in a millisecond or two,
TINY: Final = 6_000
#: and this many in a fraction of a second,
SMALL: Final = 200_000
#: which is also what a search of this many nodes takes.
_LONG_SEARCH: Final = 1_000_000
#: A game's own guess at how many positions follow may be so many times the truth.
_FAR_TOO_MANY: Final = 10


class Wanted(NamedTuple):
    """What is asked about a position."""

    detail: str
    lines: bool
    guess: int | None
    progress: bool


class Work(Generic[S]):
    """One position being solved, and what was spent on it."""

    def __init__(
        self,
        s: S,
        before: Sequence[S],
        wanted: Wanted,
        memory: SearchMemory[S],
        clock: Clock,
    ) -> None:
        self._game = memory.game
        self._s = s
        self._before = before
        self._detail, self._lines, self._guess, self._progress = wanted
        self._memory = memory
        self._table: GrowingTable | FixedTable | None = None
        self._root: tuple[Root[S], str] | None = None
        self._control = memory.control
        self._clock = clock
        # Nature counts as MAX.
        self._sign = -1 if self._game.player(s) == MIN else 1

    @property
    def found(self) -> object:
        """What is proven so far; None if nothing is."""
        if self._root is None or self._root[0].value is None:
            return None
        root, _ = self._root
        return root.utility, root.bound, len(root.known)

    def solve(self, method: str) -> Solution[S]:
        """By the given method, or the one that suits the game."""
        game = self._game
        if not game.moves(self._s):
            return self._solution(self._sign * game.utility(self._s), method="rules")
        if method == "auto" and (known := self._look_up()) is not None:
            return known
        if method == "auto":
            self._check_size()
        if game.has_superko or method == "superko":
            return self._by_superko(method)
        if method == "partition" or (method == "auto" and "gist" in game.hooks):
            return self._by_partition()
        if method in ("auto", "graph"):
            positions = enumeration(game, self._s, self._memory.megabytes, self._control)
            if method == "graph" or not self._may_outgrow(positions) or self._fits(positions, TINY):
                return self._by_graph(positions)
            try:
                return self._by_search("null-window", positions)
            except TooLong:
                self._control.fault = 0
                self._clock.resume()
                return self._by_graph(positions)
        if method == "proof":
            proof, self._table = self._memory.proof()
            return self._move_by_move(RootProof(game, self._s, proof), method)
        return self._by_search(method)

    def _look_up(self) -> Solution[S] | None:
        """What a table of races or of end-games says; None if there is none with the position."""
        try:
            known = known_race(self._game, self._s)
            ending = known_ending(self._game, self._s, in_full=self._detail == "moves")
        except NotCompilable:
            return None
        if ending is not None:
            self._control.nodes += max(1, len(ending.lines))
            return self._solution(ending.value, ending.win_in, ending.lines, method="database")
        if known is None:
            return None
        self._control.nodes += max(1, len(known.lines))
        return self._solution(
            known.value, None, known.lines, method="race table", error=known.error
        )

    def _check_size(self) -> None:
        """Raise if the game says that far more positions follow than fit into memory."""
        game, megabytes = self._game, self._memory.megabytes
        if game.reachable is None:
            return
        positions = game.reachable(self._s)
        if positions <= _FAR_TOO_MANY * room(game, megabytes):
            return
        instead = "analyze searches it instead"
        if game.race_sides is not None:
            instead = (
                f"{game.race_sides.exact_name} can be solved, evaluate with "
                f"{argument('eval', 'race')} has the odds of longer races, and analyze searches "
                "the rest"
            )
        raise ThreefoldError(
            f"{game.name}: about 10^{len(str(positions)) - 1} positions can follow, too many to "
            f"solve in {megabytes:,} MB; {instead}"
        )

    def _may_outgrow(self, positions: Enumeration[S]) -> bool:
        """Whether there is an alternative if there are too many positions to look at them all."""
        facts = self._game.facts
        ends = facts.deterministic and facts.finite and not self._game.cyclic
        return ends and not isinstance(positions, InterpretedEnumeration)

    def _fits(self, positions: Enumeration[S], most: int) -> bool:
        """Whether to use the graph: it is no larger, or there is no time for another method."""
        # The attempt must not use up a node limit.
        nodes = self._clock.limits.nodes
        if nodes is not None:
            most = min(most, nodes // 2)
        return self._find(positions, most) or self._clock.expired

    def _find(self, positions: Enumeration[S], most: int = MOST_POSITIONS) -> bool:
        with self._running(lambda: "looking for all positions"):
            return positions.run(most)

    def _by_graph(self, positions: Enumeration[S]) -> Solution[S]:
        game = self._game
        retrograde.prepare(game.facts.deterministic)
        if not self._find(positions):
            if not self._clock.expired:
                raise positions.shortage
            return self.so_far()
        graph = positions.graph()
        with self._running(lambda: "retrograde analysis"):
            analysis = retrograde.analyze(graph, self._control)
        if analysis is None:
            return self.so_far()
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
        """Raise if the answer depends on what endless play is worth, which is not known."""
        after_some_move = self._detail == "moves" and analysis.endless[graph.children(0)].any()
        if not analysis.endless[0] and not after_some_move:
            return
        where = "" if analysis.endless[0] else "after some move "
        message = f"{where}play can go on forever, and what that is worth decides"
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

    def _by_partition(self) -> Solution[S]:
        """By a search that forgets what did not matter."""
        search = self._memory.partition()
        self._table = FixedTable(search.megabytes)
        if self._lines:
            search.prepare_lines()
        root = RootPartition(self._game, self._s, search, self._guess)
        return self._move_by_move(root, "partition")

    def _by_superko(self, method: str) -> Solution[S]:
        """By proofs that keep the whole game in view."""
        if not self._game.has_superko:
            raise ThreefoldError(
                f"method superko is for games in which no board may come back, and "
                f"{self._game.name} has no such rule"
            )
        if method not in ("auto", "superko"):
            right = argument("method", "superko")
            raise ThreefoldError(
                f"{self._game.name}: by superko what a position is worth depends on the game "
                f"before it, which {method} does not see; solve it by {right}"
            )
        search = self._memory.superko()
        self._table = FixedTable(search.megabytes)
        root = RootSuperko(self._game, self._s, search, self._clock, self._before)
        return self._move_by_move(root, "superko")

    def _move_by_move(
        self, root: Root[S], method: str, positions: Enumeration[S] | None = None
    ) -> Solution[S]:
        """What is known in the end, whether everything was found or the work was stopped."""
        assert self._table is not None
        self._root = root, method
        while True:
            complete = self._work_on(root, method, self._table)
            if positions is not None and not self._over and self._seems_small(root, complete):
                if self._fits(positions, SMALL) and not self._clock.expired:
                    return self._by_graph(positions)
                positions = None
            if complete or self._over:
                break
            self._grow(self._table)
        return self.so_far(complete=complete and not root.gave_up)

    def so_far(self, *, complete: bool = False) -> Solution[S]:
        """What is proven so far; `Unsolved` if nothing is."""
        if self._root is None:
            raise self._unsolved
        root, method = self._root
        value = root.value
        if value is None:
            raise unsolved(self._game, int(self._control.nodes), root.unproven)
        lines = list(root.lines()) or [Line(root.moves[0], value, None, False, (root.moves[0],))]
        win_in = ranked(lines)[0].win_in if lines else None
        exact = root.utility is not None
        return self._solution(value, win_in, lines, method=method, exact=exact, complete=complete)

    @property
    def _over(self) -> bool:
        """Whether to stop."""
        return bool(self._control.stop) or self._clock.expired

    def _seems_small(self, root: Root[S], complete: bool) -> bool:
        """Whether to try the graph after all: if it takes no longer than the search has.

        It also says how far away the end is where a search would take too long to find out.
        """
        if not complete:
            return bool(self._control.nodes >= _LONG_SEARCH)
        if self._detail == "value":
            return False
        return any(known.utility != 0 and known.plies is None for known in root.known.values())

    def _grow(self, table: GrowingTable | FixedTable) -> None:
        with self._running(lambda: "making room"):
            table.grow()

    def _work_on(self, root: Root[S], method: str, table: GrowingTable | FixedTable) -> bool:
        """Find out more, while the table is large enough; return whether everything is known."""

        def describe() -> str:
            return f"{method} {root.progress}"

        try:
            with self._running(describe):
                with self._clock.at_most(table.nodes_worthwhile):
                    root.run(self._detail)
                if self._lines:
                    root.follow_lines()
        except Stopped:
            check_fault(self._game, self._control)
            return False
        return True

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
        """The moves that were asked for, best first; none where nature moves."""
        if self._game.player(self._s) == CHANCE:
            return ()
        chosen = ranked(lines)
        if self._detail in ONE_MOVE:
            return chosen[:1]
        if self._detail == "best":
            return chosen[: len(best_of((line for line in chosen if line.exact), value, error))]
        return chosen

    @property
    def _unsolved(self) -> Unsolved:
        return unsolved(self._game, int(self._control.nodes))

    @contextmanager
    def _running(self, describe: Callable[[], str]) -> Iterator[None]:
        """Run the clock during the block, and show a progress line."""

        def line(_: float) -> str:
            nodes, seconds = int(self._control.nodes), self._clock.seconds
            return f"{describe()}  {nodes:,} positions  {nodes / seconds / 1e6:.1f} M/s"

        with StatusLine(line) if self._progress else nullcontext(), self._clock.counting():
            yield


def unsolved(
    game: Game[Any], positions: int, known: str = "nothing is known for certain"
) -> Unsolved:
    """What to raise if no value was proven."""
    return Unsolved(
        f"{game.name}: not solved within the limits, and {known} after {positions:,} positions"
    )
