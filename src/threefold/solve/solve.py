"""Exact answers, by whichever method suits the game.

| method | how | for |
| --- | --- | --- |
| graph | every position, then retrograde analysis from the ends | small games; cycles; chance |
| null-window | a series of yes-or-no searches with a table | games that end |
| table | one search with an open window and the same table | to compare |
| proof | proof-number search: is it won? is it drawn? | games won, drawn or lost |

By itself it tries the graph first, which is done at once where the game is small, goes on with
null-window search where the rules promise that play ends, and else with as much of the graph as
memory holds.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Final, Generic, TypeVar

import numpy as np

from threefold.engine.control import (
    CONTROL_WORDS,
    FAULT,
    HITS,
    NODES,
    PROBES,
    STOP,
    Control,
    run_in_worker,
)
from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine, bar
from threefold.engine.result import Line, TableUse
from threefold.errors import ThreefoldError, Unsolved
from threefold.rules.contract import CHANCE, MIN
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean
from threefold.solve import retrograde
from threefold.solve.exact import Stopped, TooLong
from threefold.solve.graph import (
    MOST_POSITIONS,
    Enumeration,
    InterpretedEnumeration,
    enumeration,
)
from threefold.solve.retrograde import NEVER
from threefold.solve.root import Root, RootProof, RootSearch
from threefold.solve.solution import Solution, best_of, ranked, signed_plies
from threefold.solve.stopwatch import Stopwatch

S = TypeVar("S")

METHODS: Final = ("auto", "graph", "table", "null-window", "proof")
DETAILS: Final = ("value", "best", "moves")
#: As many positions are enumerated in a fraction of a second.
SMALL: Final = 200_000
DEFAULT_MEGABYTES: Final = 1024
#: Memory that is touched for the first time costs more time than a small search takes. So tables
#: grow: a search begins with one of so many MB and is given up after so many nodes.
_STAGES: Final = ((1, 100_000), (64, 4_000_000))
#: What it takes at worst to get memory for the next table, sixteen times as large.
_SECONDS_PER_MEGABYTE: Final = 0.005


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

    `detail` says how much is wanted: the "value" and one best move, every "best" move with the
    quickest first, or all "moves" with what each is worth and what follows. `stopped` is asked now
    and then whether to come back with what is known.
    """
    if method not in METHODS:
        raise ThreefoldError(f"there is no method {method!r}: {did_you_mean(method, METHODS)}")
    if detail not in DETAILS:
        raise ThreefoldError(f"there is no detail {detail!r}: {did_you_mean(detail, DETAILS)}")
    check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
    limits = Limits(time=time, nodes=nodes)
    game.require("solving", zero_sum=True, perfect_information=True)
    return _Work(game, s, detail, megabytes, limits, progress, stopped).solve(method)


class _Work(Generic[S]):
    """One position to be solved, and what was spent on it."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        detail: str,
        megabytes: int,
        limits: Limits,
        progress: bool,
        stopped: Callable[[], bool] | None,
    ) -> None:
        self._game = game
        self._s = s
        self._detail = detail
        self._megabytes = megabytes
        self._limits = limits
        self._progress = progress
        self._control: Control = np.zeros(CONTROL_WORDS, np.int64)
        self._clock = Stopwatch(self._control, limits, stopped)
        # Nature is seen with MAX's eyes.
        self._sign = -1 if game.player(s) == MIN else 1

    def solve(self, method: str) -> Solution[S]:
        """By the given method, or the one that suits."""
        game = self._game
        if not game.moves(self._s):
            return self._solution(self._sign * game.utility(self._s), method="rules")
        if method in ("auto", "graph"):
            positions = enumeration(game, self._s, self._megabytes, self._control)
            if method == "graph" or not self._outgrows(positions):
                return self._by_graph(positions)
            try:
                return self._by_search("null-window")
            except TooLong:
                self._control[[FAULT, STOP]] = 0
                return self._by_graph(positions)
        if method == "proof":
            return self._move_by_move(RootProof(game, self._s, self._control), method)
        return self._by_search(method)

    def _outgrows(self, positions: Enumeration[S]) -> bool:
        """Whether there are too many positions to look at all, where something else can be done."""
        facts = self._game.facts
        ends = facts.deterministic and facts.finite and not self._game.cyclic
        if not ends or isinstance(positions, InterpretedEnumeration):
            return False
        # A limit of nodes is not to be spent on the attempt.
        most = SMALL if self._limits.nodes is None else min(SMALL, self._limits.nodes // 2)
        return not self._find(positions, most) and not self._clock.expired

    def _find(self, positions: Enumeration[S], most: int = MOST_POSITIONS) -> bool:
        with self._running(lambda: "looking for all positions"):
            return bool(run_in_worker(lambda: positions.run(most), self._control))

    def _by_graph(self, positions: Enumeration[S]) -> Solution[S]:
        game = self._game
        retrograde.prepare(game.facts.deterministic)
        if not self._find(positions):
            raise self._unsolved() if self._clock.expired else ThreefoldError(positions.shortage)
        graph = positions.graph()
        with self._running(lambda: "retrograde analysis"):
            analysis = run_in_worker(
                lambda: retrograde.analyse(graph, self._control), self._control
            )
        if analysis is None:
            raise self._unsolved()
        moves = list(zip(game.moves(self._s), graph.children(0), strict=True))
        if not game.cyclic:
            if analysis.endless[0]:
                raise ThreefoldError(
                    f"{game.name}: play can go on for ever, and what that is worth decides; "
                    "declare repeats=True if it is a draw"
                )
            if self._detail == "moves" and analysis.endless[[i for _, i in moves]].any():
                raise ThreefoldError(
                    f"{game.name}: after some move play can go on for ever, and what that is worth "
                    "decides; declare repeats=True if it is a draw, or ask for detail best"
                )
            moves = [(a, i) for a, i in moves if not analysis.endless[i]]

        def valued(i: int, plies_before: int) -> tuple[float, int | None]:
            value = self._sign * analysis.value[i].item() + 0  # no negative zero
            plies = None if analysis.plies[i] == NEVER else int(analysis.plies[i]) + plies_before
            return value, signed_plies(value, plies)

        lines = [
            Line(a, *valued(i, 1), exact=True, pv=(a, *retrograde.best_line(graph, analysis, i)))
            for a, i in moves
        ]
        return self._solution(*valued(0, 0), lines, method="graph")

    def _by_search(self, method: str) -> Solution[S]:
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
        full_window = method == "table"
        return self._move_by_move(
            RootSearch(self._game, self._s, self._control, self._clock, full_window=full_window),
            method,
        )

    def _move_by_move(self, root: Root[S], method: str) -> Solution[S]:
        """What is known in the end, be it by an answer or by a stop."""
        stages = [stage for stage in _STAGES if stage[0] < self._megabytes]
        for megabytes, budget in [*stages, (self._megabytes, None)]:
            complete = self._work_on(root, method, megabytes, budget)
            too_late = self._clock.seconds_left < megabytes * _SECONDS_PER_MEGABYTE
            if complete or self._control[STOP] or self._clock.expired or too_late:
                break
        value = root.bound if root.utility is None else root.utility
        if value is None:
            raise self._unsolved()
        lines = list(root.lines()) or [Line(root.moves[0], value, None, False, (root.moves[0],))]
        win_in = ranked(lines)[0].win_in if lines else None
        exact = root.utility is not None
        return self._solution(value, win_in, lines, method=method, exact=exact, complete=complete)

    def _work_on(self, root: Root[S], method: str, megabytes: int, budget: int | None) -> bool:
        """Find out more, within a budget of nodes; whether all that was asked for is known."""

        def describe() -> str:
            known, moves = len(root.known), len(root.moves)
            return f"{method} {bar(known / moves)} {known}/{moves} moves"

        def work() -> None:
            with self._clock.at_most(budget):
                root.run(self._detail)
            root.follow_lines()

        try:
            with self._running(describe):
                root.equip(megabytes)
                run_in_worker(work, self._control)
        except Stopped:
            check_fault(self._game, self._control)
        except KeyboardInterrupt:
            self._control[STOP] = 1
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
    ) -> Solution[S]:
        """The answer, with the moves that were asked for; where nature moves there are none."""
        by_nature = self._game.player(self._s) == CHANCE
        chosen = () if by_nature else ranked(lines)
        if self._detail == "value":
            chosen = chosen[:1]
        all_best = best_of((line for line in chosen if line.exact), value)
        if self._detail == "best":
            chosen = chosen[: len(all_best)]
        depth = len(chosen[0].pv) if chosen else 0
        probes, hits = int(self._control[PROBES]), int(self._control[HITS])
        return Solution(
            self._game,
            self._s,
            chosen,
            value,
            exact,
            win_in,
            depth,
            depth,
            nodes=int(self._control[NODES]),
            seconds=self._clock.seconds,
            table=TableUse(self._megabytes, probes, hits) if probes else TableUse(),
            all_best=all_best,
            method=method,
            complete=complete,
        )

    def _unsolved(self) -> Unsolved:
        return Unsolved(
            f"{self._game.name}: not solved within the limits, and nothing is known for certain "
            f"after {self._control[NODES]:,} positions"
        )

    @contextmanager
    def _running(self, describe: Callable[[], str]) -> Iterator[None]:
        """While the block runs, the clock does, and a line says what is being done."""

        def line(_: float) -> str:
            nodes, seconds = int(self._control[NODES]), self._clock.seconds
            return f"{describe()}  {nodes:,} positions  {nodes / seconds / 1e6:.1f} M/s"

        with StatusLine(line) if self._progress else nullcontext(), self._clock:
            yield
