"""Monte Carlo tree search: for games without an evaluation, with chance, or too wide for the rest.

`mcts` searches one position; a `MonteCarlo` is a tree that can be grown again and again. The phases
are in `threefold.engine.uct`.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from functools import partial
from types import FunctionType
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.clock import Clock, Turn
from threefold.engine.compile import Compiled
from threefold.engine.endgames.database import Database, DatabaseArrays
from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed, interpreted_record, layout
from threefold.engine.result import Line, Result, TableUse
from threefold.engine.rollout_threads import OnThreads
from threefold.engine.rollouts import MakeRoller
from threefold.engine.running import Report, Running
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
from threefold.errors import NotCompilable, ThreefoldError
from threefold.rules.bits import mix, word
from threefold.rules.contract import CHANCE, FINISHED, MIN, Action
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted

S = TypeVar("S")

DEFAULT_MEGABYTES = 256
MAX_PLAYOUTS = 1 << 20


@dataclass(frozen=True)
class Place:
    """Where the games of a simulation are played: how many by default, and the exploration.

    UCT's exploration is √2 for utilities of ±1 (others are scaled by their spread), and lower
    where many games per simulation make values steadier.
    """

    name: str
    playouts: int
    exploration: float
    #: Given a game, a position, a seed, a tree and the rest of the search, returns a function that
    #: grows the tree. None if the search itself plays the games.
    simulator: Callable[[Game[Any], Any, int, Tree, Search], Callable[[], Any]] | None = None
    #: What plays the games of rollouts.
    roller: MakeRoller = OnThreads


ON_CPU: Final = Place("cpu", playouts=1, exploration=1.4)

#: A node where the tree is an array.
_RECORD: np.dtype[Any] = layout(Node)
#: As many as a 32-bit index can address.
_MAX_NODES = (1 << 31) - 1
#: Plain Python is so slow that a small tree is enough.
_INTERPRETED_NODES = 1 << 16


def mcts(
    game: Game[S],
    s: S,
    limits: Limits,
    *,
    multipv: int = 1,
    watch: Callable[[Result[S]], None] | None = None,
    **options: Any,
) -> Result[S]:
    """Search a position by Monte Carlo; `limits.nodes` counts simulations.

    The options are those of `MonteCarlo`. The search ends early where the value is proven, and
    Ctrl-C ends it with the best answer so far. The same seed and number of simulations give the
    same answer. `watch` is called a few times a second with the answer so far, and with the last.
    """
    return MonteCarlo(game, s, **options).run(limits, multipv=multipv, watch=watch)


class MonteCarlo(Generic[S]):
    """A tree of simulations from one position, and its growth.

    A simulation plays `playouts` games from its leaf: one on the CPU, many on a GPU by default.
    Only one run at a time grows the tree; another one waits its turn.
    """

    def __init__(
        self,
        game: Game[S],
        s: S,
        *,
        seed: int = 0,
        megabytes: int = DEFAULT_MEGABYTES,
        exploration: float | None = None,
        playouts: int | None = None,
        playouts_on: Place = ON_CPU,
    ) -> None:
        game.require("Monte Carlo tree search", zero_sum=True, perfect_information=True)
        if game.player(s) == CHANCE:
            raise ThreefoldError(f"{game.name}: nature is to move, there is no move to choose")
        check_whole("seed", seed, -(1 << 63), (1 << 63) - 1)
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        if not isinstance(playouts_on, Place):
            raise ThreefoldError(
                f"playouts_on={playouts_on!r} is not a Place; threefold.gpu.places has them"
            )
        playouts = playouts_on.playouts if playouts is None else playouts
        exploration = playouts_on.exploration if exploration is None else exploration
        check_whole("playouts", playouts, 1, MAX_PLAYOUTS)
        _check_exploration(exploration)
        self.game = game
        self.position = s
        self.over = not game.moves(s)
        self.megabytes = megabytes
        self.tree: Tree = []
        self.control = interpreted_record(Search, game.facts.max_moves)
        self.turn = Turn()
        self._options = (seed, playouts, float(exploration))
        self._simulator = playouts_on.simulator
        self._grow: Callable[[], Any] | None = None
        #: What the search's memory has the addresses of, if there is a database.
        self._arrays: DatabaseArrays | None = None
        self._seconds_before = 0.0
        self._clock: Clock | None = None

    def run(
        self,
        limits: Limits,
        *,
        multipv: int = 1,
        watch: Callable[[Result[S]], None] | None = None,
    ) -> Result[S]:
        """Simulate and return the answer; Ctrl-C ends the run, not the program."""
        return self.start(limits, multipv=multipv).result(watch)

    def start(self, limits: Limits, *, multipv: int = 1) -> Running[Result[S]]:
        """Start simulating, also after earlier runs; the limits apply to this run alone."""
        if limits.depth is not None:
            raise ThreefoldError(
                "Monte Carlo tree search has no depth to limit; limit its time or its nodes, "
                "which are simulations"
            )
        check_whole("multipv", multipv, 1, 1 << 30)
        return Running(_Run(self, limits, multipv))

    @property
    def seconds(self) -> float:
        """The time of all runs so far."""
        return self._seconds_before + (0.0 if self._clock is None else self._clock.seconds)

    def result(self, multipv: int = 1) -> Result[S]:
        """The answer so far."""
        lines = tuple(self._lines(multipv))
        full = int(self.control.tree_size) / len(self.tree) if len(self.tree) else 0.0
        if self.over:
            value, exact, win_in = self._in_units(self.game.utility(self.position)), True, None
        elif lines:
            value, exact = lines[0].value, bool(is_solved(ROOT, self.tree))
            win_in = self._win_in(ROOT, plies_before=0)
        else:  # a move to name before there is a tree
            a = self.game.moves(self.position)[0]
            lines, value, exact, win_in = (Line(a, 0, None, False, (a,)),), 0, False, None
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
            table=TableUse(self.megabytes, full=full),
        )

    # How it runs.

    def prepare(self) -> None:
        """Compile, and make room for the tree; once."""
        if self._grow is not None or self.over:
            return
        if self._simulator is None:
            self.tree, self.control, self._grow = self._prepared()
        else:
            tree, search = self._allocate()
            self._grow = self._simulator(self.game, self.position, self._options[0], tree, search)
            self.tree, self.control = tree, search

    def grow(self, clock: Clock) -> None:
        """Simulate until a limit, a stop or a proof."""
        assert self._grow is not None
        self._seconds_before, self._clock = self.seconds, clock
        with clock.enforce(self.control), clock.counting():
            self._grow()
        check_fault(self.game, self.control)

    @property
    def _capacity(self) -> int:
        """As many nodes as fit in memory, and never too few for the root's moves."""
        nodes = (self.megabytes << 20) // _RECORD.itemsize
        return max(min(nodes, _MAX_NODES), 1 + self.game.facts.max_moves)

    def _prepared(self) -> tuple[Tree, Search, Callable[[], Any]]:
        """The tree, the rest of the search and the function to call, compiled if possible."""
        try:
            compiled = Compiled(self.game)
            entry = compiled.entry(grow_from)
            tree, search = self._allocate()
            arguments = (compiled.words(self.position), tree, boxed(search))
            entry.prepare(*arguments)
        except NotCompilable:
            return self._prepared_interpreted()
        return tree, search, partial(entry, *arguments)

    def _prepared_interpreted(self) -> tuple[Tree, Search, Callable[[], Any]]:
        """The same in plain Python."""
        assert isinstance(grow, FunctionType)
        search = interpreted_record(Search, self.game.facts.max_moves)
        self._set_up(search)
        tree: Tree = [Node() for _ in range(min(self._capacity, _INTERPRETED_NODES))]
        return tree, search, partial(interpreted(grow, self.game), self.position, tree, search)

    def _allocate(self) -> tuple[Tree, Search]:
        """A tree with only its root, and the rest of the search, for compiled code."""
        tree: Any = np.zeros(self._capacity, _RECORD)
        tree[ROOT] = astuple(Node())
        search = allocate(Search, self.game.facts.max_moves)
        self._set_up(search)
        if isinstance(self.game.database, Database):
            self._arrays = self.game.database.arrays()
            search.database = self._arrays.fields()  # type: ignore[assignment]
        return tree.view(np.recarray), search

    def _set_up(self, search: Search) -> None:
        seed, search.playouts, search.exploration = self._options
        search.max_plies = self.game.facts.max_ply
        search.random = mix(word(seed))

    # What the tree says.

    def _lines(self, multipv: int) -> Iterator[Line]:
        """The best moves, each with its expected continuation."""
        if not len(self.tree):
            return
        for child in self._ranked(ROOT)[:multipv]:
            value = self._in_units(self._value(child))
            win_in = self._win_in(child, plies_before=1)
            move, solved = int(self.tree[child].move), bool(is_solved(child, self.tree))
            yield Line(move, value, win_in, solved, tuple(self._pv(child)))

    def _in_units(self, utility: float) -> float:
        """What a utility to MAX is worth to the player to move, beside evaluations if any."""
        sign = -1 if self.game.player(self.position) == MIN else 1
        value = sign * utility * (1 if self.game.evaluation is None else FINISHED)
        return int(value) if value == int(value) else value

    def _win_in(self, node: Index, *, plies_before: int) -> int | None:
        """Plies from the root until the game is won at a node, negative where it is lost."""
        plies = int(self.tree[node].plies)
        if plies == UNKNOWN or self.tree[node].low <= 0 <= self.tree[node].high:
            return None
        won = least_to(self.game.player(self.position), node, self.tree) > 0
        return plies + plies_before if won else -plies - plies_before

    def _pv(self, child: Index) -> Iterator[Action]:
        """The moves from a child of the root on, as long as a player and not nature decides."""
        tree = self.tree
        yield int(tree[child].move)
        while tree[child].visits and tree[child].mover != CHANCE and (best := self._ranked(child)):
            child = best[0]
            yield int(tree[child].move)

    def _ranked(self, node: Index) -> list[Index]:
        """The visited or solved children of a node, best first for the player to move.

        The most visited comes first, as is usual in UCT. But a move that is sure to bring as much
        as that one promises goes before it: the soonest win, the latest loss.
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


class _Run(Generic[S]):
    """One run of simulations."""

    def __init__(self, search: MonteCarlo[S], limits: Limits, multipv: int) -> None:
        self.clock = Clock(limits)
        self._search = search
        self._multipv = multipv
        self._nodes_before = 0

    @property
    def found(self) -> int | None:
        """How many simulations this run has made."""
        return int(self._search.control.nodes) - self._nodes_before or None

    def run(self, report: Report) -> Result[S]:  # noqa: ARG002  polled, not called
        """Compile if necessary, then simulate."""
        with self._search.turn.taken(self.clock) as mine:
            self._nodes_before = int(self._search.control.nodes)
            if mine and not self.clock.is_stopped:
                self._search.prepare()
                if not self._search.over:
                    self._search.grow(self.clock)
            return self.answer()

    def answer(self) -> Result[S]:
        """The best answer so far, of all runs."""
        return self._search.result(self._multipv)


def _check_exploration(value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:  # type: ignore[arg-type, operator]
        raise ThreefoldError(f"exploration {value!r} is not a number of at least 0")
