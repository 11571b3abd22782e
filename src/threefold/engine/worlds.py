"""Choosing by sampled deals: what is hidden is dealt again and again, and each deal judged open.

This is *perfect-information Monte Carlo*: the move with the best mean over all deals is made.
Programs have played bridge so since Ginsberg's GIB (2001). It is strong where players gain little
by hiding or finding out, and wrong where they do: in each deal, both sides seem to know everything,
so a later choice seems to be one of knowledge (*strategy fusion*: Frank and Basin, 1998).

A deal is solved if the game says how its open form can be (`opened`), and searched otherwise. What
others did before may tell of their cards (`doubts`): then deals are drawn until one fits it.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, Protocol, TypeVar

from threefold.engine.analysis import DEFAULT_MEGABYTES, Engine
from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.dealer import Dealer
from threefold.engine.ismcts import check_hides
from threefold.engine.limits import MAX_THREADS, Limits, check_whole
from threefold.engine.mcts import root_moves
from threefold.engine.result import Line, Result
from threefold.engine.running import Report, Running
from threefold.engine.worker import Worker
from threefold.errors import ThreefoldError, Unsolved
from threefold.rules.bits import GOLDEN, mix, mul, word
from threefold.rules.contract import CHANCE, FINISHED, MIN, Action
from threefold.rules.game import Game

S = TypeVar("S")

#: How many nodes a deal is searched for that cannot be solved.
NODES_A_DEAL: Final = 20_000
_BYTES_A_NODE: Final = 64
#: So many deals are drawn to find one against which nothing speaks of what others did.
DEALS_TO_CHOOSE_FROM: Final = 300
#: At the same level, others make so many simulations for each deal that is judged here.
SIMULATIONS_A_DEAL: Final = 50


class Judge(Protocol):
    """What a deal with nothing hidden is worth, move by move."""

    def values(self, s: Any, seconds: float | None) -> dict[Action, float]:
        """By move, its value to the player to move; `Unsolved` if there was not enough time."""

    def stop(self) -> None:
        """Stop judging."""


class Searched(Generic[S]):
    """Each deal is searched for a number of nodes."""

    def __init__(self, game: Game[S], nodes: int, megabytes: int) -> None:
        # A larger table than the nodes can fill only takes time to clear.
        enough = 1 + (nodes * _BYTES_A_NODE >> 20)
        self._engine: Engine[S] = Engine(
            game.with_nothing_hidden(), megabytes=min(megabytes, enough)
        )
        self._nodes = nodes
        self._running: Running[Result[S]] | None = None

    def values(self, s: S, seconds: float | None) -> dict[Action, float]:  # noqa: ARG002
        """What the search says of every move."""
        self._engine.clear()
        moves = self._engine.game.moves(s)
        limits = Limits(nodes=self._nodes)
        self._running = self._engine.start(s, limits, multipv=len(moves))
        return {line.move: line.value for line in self._running.result().lines}

    def stop(self) -> None:
        """Stop the search; what it found so far counts."""
        if self._running is not None:
            self._running.stop()


class Solved:
    """Each deal is solved, as a position of a game with nothing hidden."""

    def __init__(self, megabytes: int) -> None:
        self._megabytes = megabytes
        self._solvers: dict[str, Any] = {}

    def values(self, s: tuple[Game[Any], Any], seconds: float | None) -> dict[Action, float]:
        """The exact value of every move."""
        game, position = s
        if game.spec not in self._solvers:
            self._solvers[game.spec] = game.solver(megabytes=self._megabytes)
        solver = self._solvers[game.spec]
        solution = solver.solve(position, time=seconds, lines=False, progress=False)
        if not solution.complete:
            raise Unsolved("not every move of the deal was solved in time")
        return {line.move: line.value for line in solution.lines}

    def stop(self) -> None:
        """Stop solving."""
        for solver in self._solvers.values():
            solver.stop()


@dataclass(frozen=True)
class _Table(Generic[S]):
    """What each thread has for itself."""

    dealer: Dealer[S]
    judge: Judge


class Worlds(Generic[S]):
    """Searches position after position of a game that hides something, deal by deal.

    `limits.nodes` counts deals. Each of several `threads` judges its own.
    """

    #: A limit of depth means nothing to it.
    deepens = False
    #: A node is a deal.
    simulations_a_node = SIMULATIONS_A_DEAL

    def __init__(
        self,
        game: Game[S],
        *,
        megabytes: int = DEFAULT_MEGABYTES,
        threads: int = 1,
        nodes_a_deal: int = NODES_A_DEAL,
        compiled: Compiled[S] | None = None,
        judge: Callable[[], Judge] | None = None,
    ) -> None:
        """Deals are solved or searched, or judged by another `judge`, one for each thread."""
        check_hides(game, "choosing by sampled deals")
        check_whole("threads", threads, 1, MAX_THREADS)
        check_whole("nodes_a_deal", nodes_a_deal, 1, 1 << 40)
        self.game = game
        share = max(megabytes // threads, 1)
        if judge is None and game.opened:
            judge = partial(Solved, share)
        elif judge is None:
            judge = partial(Searched, game, nodes_a_deal, share)
        self._tables = [_Table(Dealer(game, compiled), judge()) for _ in range(threads)]

    def clear(self) -> None:
        """Nothing that is kept from one position to the next has to be forgotten."""

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
        """Start dealing and judging."""
        game, s = self.game, self.game.position(position)
        limits = limits or Limits()
        if exact:
            raise ThreefoldError(f"{game.name}: sampled deals have no exact mode")
        if limits.depth is not None:
            raise ThreefoldError(
                "sampled deals have no depth to limit; limit their time or their nodes, which are "
                "deals"
            )
        if game.player(s) == CHANCE:
            raise ThreefoldError(f"{game.name}: nature is to move, there is no move to choose")
        check_whole("multipv", multipv, 1, 1 << 30)
        considered = root_moves(game, s, history, moves)
        run = _Run(game, s, considered, self._tables, limits, multipv, seed or 0)
        return Running(run)


class _Run(Generic[S]):
    """One position, and what the deals so far say of its moves."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        moves: list[Action],
        tables: Sequence[_Table[S]],
        limits: Limits,
        multipv: int,
        seed: int,
    ) -> None:
        self.clock = _DealClock(limits, [table.judge for table in tables])
        self._game = game
        self._position = s
        self._tables = tables
        self._multipv = multipv
        self._seed = seed
        self._lock = threading.Lock()
        self._totals: dict[Action, float] = dict.fromkeys(moves, 0.0)
        #: How many deals were drawn, and how many of them judged.
        self._drawn = 0
        self._judged = 0

    @property
    def found(self) -> int | None:
        """How many deals were judged."""
        return self._judged or None

    def run(self, report: Report) -> Result[S]:
        """Deal and judge until a limit or a stop; a single move needs neither."""
        if len(self._totals) > 1:
            first, *others = self._tables
            # Before the clock starts: there must be an answer, and a judge may have to be compiled.
            self._judge_deals(first, report, once=True)
            with self.clock.counting():
                helpers = [Worker(partial(self._judge_deals, table, report)) for table in others]
                try:
                    self._judge_deals(first, report)
                finally:
                    for helper in helpers:
                        helper.wait()
            for helper in helpers:
                helper.outcome()
        return self.answer()

    def _judge_deals(self, table: _Table[S], report: Report, *, once: bool = False) -> None:
        opened = self._game.opened
        while (number := self._next()) is not None:
            seed = mix(word(self._seed) ^ mul(number + 1, GOLDEN))
            dealt = self._likely(table.dealer, seed)
            timed = self.clock.limits.time is not None and not once
            seconds = max(self.clock.seconds_left, 1e-3) if timed else None
            try:
                values = table.judge.values(dealt if opened is None else opened(dealt), seconds)
            except Unsolved:
                return
            with self._lock:
                for a in self._totals:
                    self._totals[a] += self._worth(values[a])
                self._judged += 1
            report()
            if once:
                return

    def _likely(self, dealer: Dealer[S], seed: int) -> S:
        """A deal against which nothing speaks, or of several the one against which least does."""
        doubts, s = self._game.doubts, self._position
        dealt = dealer.deal(s, seed)
        if doubts is None:
            return dealt
        seat = self._game.seat(s)
        least = doubts(dealt, seat)
        for i in range(1, DEALS_TO_CHOOSE_FROM):
            if least == 0:
                break
            other = dealer.deal(s, mix(seed ^ i))
            if (against := doubts(other, seat)) < least:
                dealt, least = other, against
        return dealt

    def _worth(self, value: float) -> float:
        """What a value of the open game comes to in this one, both to the player to move."""
        worth = self._game.opened_worth
        if worth is None:
            return value
        sign = -1 if self._game.player(self._position) == MIN else 1
        return sign * worth(self._position, sign * int(value))

    def _next(self) -> int | None:
        """The number of the next deal; None when there is to be none."""
        with self._lock:
            most = self.clock.limits.nodes
            if (most is not None and self._drawn >= most) or (self._drawn and self.clock.expired):
                return None
            self._drawn += 1
            return self._drawn - 1

    def answer(self) -> Result[S]:
        """The best answer so far: the moves by their means."""
        game, s = self._game, self._position
        with self._lock:
            judged, totals = self._judged, dict(self._totals)
        lines = sorted(
            (Line(a, total / max(judged, 1), None, False, (a,)) for a, total in totals.items()),
            key=lambda line: -line.value,
        )
        over = not lines
        sign = -1 if game.player(s) == MIN else 1
        unit = 1 if game.evaluation is None or game.opened is not None else FINISHED
        return Result(
            game,
            s,
            tuple(lines[: self._multipv]),
            sign * unit * game.utility(s) if over else lines[0].value,
            exact=over,
            win_in=None,
            depth=0 if over else 1,
            selective_depth=0 if over else 1,
            nodes=judged,
            seconds=self.clock.seconds,
            simulated=True,
            counted="deals",
        )


class _DealClock(Clock):
    """A clock that also stops the judges, in the middle of a deal."""

    def __init__(self, limits: Limits, judges: Sequence[Judge]) -> None:
        super().__init__(limits)
        self._judges = judges

    def stop(self) -> None:
        """Stop now, and for good."""
        super().stop()
        for judge in self._judges:
            judge.stop()
