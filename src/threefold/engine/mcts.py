"""Monte Carlo tree search: for games without an evaluation, with chance, or too wide for the rest.

`mcts` answers a question; `MonteCarlo` is a search that can be watched, stopped from another
thread and gone on with. The phases are in `threefold.engine.uct`.
"""

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import astuple
from functools import partial
from types import FunctionType
from typing import Any, Generic, TypeVar

import numpy as np

from threefold.engine.control import UNLIMITED
from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed, interpreted_record, layout
from threefold.engine.result import Line, Result, TableUse
from threefold.engine.uct import (
    NOTHING,
    ROOT,
    UNKNOWN,
    Index,
    Node,
    Search,
    Tree,
    grow,
    grow_from,
    is_solved,
    least_to,
)
from threefold.errors import NotCompilable, ThreefoldError, argument
from threefold.rules.bits import mix, word
from threefold.rules.contract import CHANCE, FINISHED, MIN, Action
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted

S = TypeVar("S")

DEFAULT_MEGABYTES = 256
MAX_PLAYOUTS = 1 << 20
#: How many games a simulation plays, by where they are played,
DEFAULT_PLAYOUTS = {"cpu": 1, "gpu": 64}
#: and how much is explored: √2, as UCT has it for utilities of ±1 (others are measured by how far
#: they lie apart), and less where many games make values steadier.
DEFAULT_EXPLORATION = {"cpu": 1.4, "gpu": 0.7}

#: A node where the tree is an array.
_RECORD: np.dtype[Any] = layout(Node)
#: As many as an index of 32 bits can tell apart.
_MAX_NODES = (1 << 31) - 1
#: Plain Python is slow enough to make do with a small tree.
_INTERPRETED_NODES = 1 << 16
#: How often the one who waits looks up: for a stop, and to report.
_TICK = 0.02
_REPORT_EVERY = 0.2


def mcts(
    game: Game[S],
    s: S,
    limits: Limits,
    *,
    seed: int = 0,
    megabytes: int = DEFAULT_MEGABYTES,
    exploration: float | None = None,
    playouts: int | None = None,
    playouts_on: str = "cpu",
    multipv: int = 1,
    on_progress: Callable[[Result[S]], None] | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Result[S]:
    """Search a position by Monte Carlo; `limits.nodes` counts simulations.

    A simulation plays `playouts` games from its leaf: one on the CPU, many on a GPU, unless told
    otherwise. The search ends early where the value is proven, and Ctrl-C ends it with the best
    answer so far. The same seed and number of simulations give the same answer. `on_progress` is
    called a few times a second with the answer so far, and `stopped` is asked many times a second
    whether that answer is enough.
    """
    search = MonteCarlo(
        game,
        s,
        seed=seed,
        megabytes=megabytes,
        exploration=exploration,
        playouts=playouts,
        playouts_on=playouts_on,
    )
    return search.run(limits, multipv=multipv, on_progress=on_progress, stopped=stopped)


class MonteCarlo(Generic[S]):
    """A tree of simulations from one position, and its growth."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        *,
        seed: int = 0,
        megabytes: int = DEFAULT_MEGABYTES,
        exploration: float | None = None,
        playouts: int | None = None,
        playouts_on: str = "cpu",
    ) -> None:
        game.require("Monte Carlo tree search", zero_sum=True, perfect_information=True)
        if game.player(s) == CHANCE:
            raise ThreefoldError(f"{game.name}: nature is to move, there is no move to choose")
        check_whole("seed", seed, -(1 << 63), (1 << 63) - 1)
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        if playouts_on not in DEFAULT_PLAYOUTS:
            places = ", ".join(DEFAULT_PLAYOUTS)
            given = argument("playouts_on", repr(playouts_on))
            raise ThreefoldError(f"{given} is not one of {places}")
        playouts = DEFAULT_PLAYOUTS[playouts_on] if playouts is None else playouts
        if exploration is None:
            exploration = DEFAULT_EXPLORATION[playouts_on]
        check_whole("playouts", playouts, 1, MAX_PLAYOUTS)
        _check_exploration(exploration)
        self.game = game
        self.position = s
        self.over = not game.moves(s)
        self.megabytes = megabytes
        self.seconds = 0.0
        on_gpu = playouts_on == "gpu" and not self.over
        prepare = self._prepare_on_gpu if on_gpu else self._prepare
        self.tree, self.control, self._work = prepare(seed, playouts, float(exploration))

    def run(
        self,
        limits: Limits,
        *,
        multipv: int = 1,
        on_progress: Callable[[Result[S]], None] | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> Result[S]:
        """Simulate, also after having done so before, within limits of this run's own."""
        if limits.depth is not None:
            raise ThreefoldError(
                "Monte Carlo tree search has no depth to limit; limit its time or its nodes, "
                "which are simulations"
            )
        check_whole("multipv", multipv, 1, 1 << 30)
        if not self.over:
            self._simulate(limits, multipv, on_progress, stopped or _never)
        return self.result(multipv)

    def stop(self) -> None:
        """End a run from another thread, at once; it returns what it has."""
        self.control.stop = 1

    def result(self, multipv: int = 1) -> Result[S]:
        """The answer so far."""
        lines = tuple(self._lines(multipv))
        if lines:
            value, exact = lines[0].value, bool(is_solved(ROOT, self.tree))
            win_in = self._win_in(ROOT, plies_before=0)
        else:
            value, exact, win_in = self._in_units(self.game.utility(self.position)), True, None
        return Result(
            self.game,
            self.position,
            lines,
            value,
            exact,
            win_in,
            depth=len(lines[0].pv) if lines else 0,
            selective_depth=int(self.control.longest),
            nodes=int(self.control.nodes),
            seconds=self.seconds,
            table=TableUse(self.megabytes, full=int(self.control.tree_size) / len(self.tree)),
        )

    # How it runs.

    @property
    def _capacity(self) -> int:
        """As many nodes as the memory holds, and never too few for the root's moves."""
        nodes = (self.megabytes << 20) // _RECORD.itemsize
        return max(min(nodes, _MAX_NODES), 1 + self.game.facts.max_moves)

    def _prepare(self, seed: int, playouts: int, exploration: float) -> tuple[Tree, Search, Any]:
        """The tree, the rest of the search and what to call, compiled where the game can be."""
        try:
            compiled = self.game.compiled()
            entry = compiled.entry(grow_from)
            tree, search = self._allocate(seed, playouts, exploration)
            arguments = (compiled.words(self.position), tree, boxed(search))
            if not self.over:
                entry.prepare(*arguments)
        except NotCompilable:
            return self._prepare_interpreted(seed, playouts, exploration)
        return tree, search, partial(entry, *arguments)

    def _prepare_interpreted(
        self, seed: int, playouts: int, exploration: float
    ) -> tuple[Tree, Search, Any]:
        """The same in plain Python."""
        assert isinstance(grow, FunctionType)
        search = interpreted_record(Search, self.game.facts.max_moves)
        self._set_up(search, seed, playouts, exploration)
        tree: Tree = [Node() for _ in range(min(self._capacity, _INTERPRETED_NODES))]
        return tree, search, partial(interpreted(grow, self.game), self.position, tree, search)

    def _prepare_on_gpu(
        self, seed: int, playouts: int, exploration: float
    ) -> tuple[Tree, Search, Any]:
        """The same with games that a GPU plays."""
        from threefold.gpu.tree_search import BatchedSimulations

        tree, search = self._allocate(seed, playouts, exploration)
        simulate = BatchedSimulations(self.game.on_gpu(), self.position, seed, tree, search)
        return tree, search, simulate

    def _allocate(self, seed: int, playouts: int, exploration: float) -> tuple[Tree, Search]:
        """A tree that has only its root and the rest of the search, for compiled code."""
        tree: Any = np.zeros(self._capacity, _RECORD)
        tree[ROOT] = astuple(Node())
        search = allocate(Search, self.game.facts.max_moves)
        self._set_up(search, seed, playouts, exploration)
        return tree.view(np.recarray), search

    def _set_up(self, search: Search, seed: int, playouts: int, exploration: float) -> None:
        search.max_plies = self.game.facts.max_ply
        search.playouts, search.exploration = playouts, exploration
        search.random = mix(word(seed))

    def _simulate(
        self,
        limits: Limits,
        multipv: int,
        on_progress: Callable[[Result[S]], None] | None,
        stopped: Callable[[], bool],
    ) -> None:
        """Run the worker, and watch it from here."""
        control = self.control
        done_before, spent_before = int(control.nodes), self.seconds
        control.stop = 0
        control.node_limit = UNLIMITED if limits.nodes is None else done_before + limits.nodes
        began = time.perf_counter()
        until = math.inf if limits.time is None else began + limits.time

        def report() -> None:
            self.seconds = spent_before + time.perf_counter() - began
            if on_progress is not None and control.nodes > done_before:
                on_progress(self.result(multipv))

        with ThreadPoolExecutor(1, "mcts") as pool:
            running = pool.submit(self._work)
            try:
                _watch(running, until, report, stopped)
            except KeyboardInterrupt:
                control.stop = 1
                if control.nodes == 0:
                    raise
            finally:
                control.stop = 1
        self.seconds = spent_before + time.perf_counter() - began
        running.result()
        check_fault(self.game, control)

    # What the tree says.

    def _lines(self, multipv: int) -> Iterator[Line]:
        """The best moves with what is expected to follow."""
        for child in self._ranked(ROOT)[:multipv]:
            value = self._in_units(self._value(child))
            win_in = self._win_in(child, plies_before=1)
            move, solved = int(self.tree[child].move), bool(is_solved(child, self.tree))
            yield Line(move, value, win_in, solved, tuple(self._pv(child)))

    def _in_units(self, utility: float) -> float:
        """What a utility to MAX is worth to the player to move, beside evaluations if any."""
        sign = -1 if self.game.player(self.position) == MIN else 1
        value = sign * utility * (FINISHED if self.game.evaluations else 1)
        return int(value) if value == int(value) else value

    def _win_in(self, node: Index, *, plies_before: int) -> int | None:
        """Plies from the root until the game is won at a node, negative where it is lost."""
        plies = int(self.tree[node].plies)
        if plies == UNKNOWN or self.tree[node].low <= 0 <= self.tree[node].high:
            return None
        won = least_to(self.game.player(self.position), node, self.tree) > 0
        return plies + plies_before if won else -plies - plies_before

    def _pv(self, child: Index) -> Iterator[Action]:
        """The moves from a child of the root on, as long as a player and no die decides."""
        tree = self.tree
        yield int(tree[child].move)
        while tree[child].visits and tree[child].mover != CHANCE and (best := self._ranked(child)):
            child = best[0]
            yield int(tree[child].move)

    def _ranked(self, node: Index) -> list[Index]:
        """The visited or solved children of a node, best first for who moves there.

        The most visited comes first, as everywhere in UCT. But a move goes before it that is
        sure to bring as much as that one promises: the soonest win, the latest loss.
        """
        tree = self.tree
        if tree[node].first == NOTHING:
            return []
        mover = tree[node].mover
        sign = -1 if mover == MIN else 1
        children = range(int(tree[node].first), int(tree[node].first + tree[node].children))
        by_visits = sorted(children, key=lambda child: -tree[child].visits)

        def proof(child: Index) -> tuple[float, float]:
            sure, plies = float(least_to(mover, child, tree)), float(tree[child].plies)
            if plies == UNKNOWN:
                plies = math.inf
            return sure, -plies if sure > 0 else plies

        by_proof = sorted(by_visits, key=proof, reverse=True)
        ranked: list[Index] = []
        while by_visits:
            proven, visited = by_proof[0], by_visits[0]
            better = proven if proof(proven)[0] >= sign * self._value(visited) else visited
            ranked.append(better)
            by_proof.remove(better)
            by_visits.remove(better)
        return ranked

    def _value(self, node: Index) -> float:
        """What a node is worth to MAX: the mean of its simulations, within what is proven."""
        tree = self.tree
        visits = int(tree[node].visits)
        mean = float(tree[node].total) / visits if visits else 0.0
        return min(max(mean, float(tree[node].low)), float(tree[node].high))


def _never() -> bool:
    return False


def _watch(
    running: "Future[None]",
    until: float,
    report: Callable[[], None],
    stopped: Callable[[], bool],
) -> None:
    """Wait for a search, report on it now and then, and come back when its time is up."""
    next_report = time.perf_counter() + _REPORT_EVERY
    while not running.done() and not stopped():
        now = time.perf_counter()
        if now >= until:
            return
        wait([running], timeout=min(_TICK, until - now))
        if time.perf_counter() >= next_report and not running.done():
            report()
            next_report = time.perf_counter() + _REPORT_EVERY


def _check_exploration(value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:  # type: ignore[arg-type, operator]
        raise ThreefoldError(f"exploration {value!r} is not a number of at least 0")
