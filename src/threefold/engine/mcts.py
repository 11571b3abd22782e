"""Monte Carlo tree search: for games without an evaluation, with chance, or too wide for the rest.

`mcts` searches one position; a `MonteCarlo` is a tree that can be grown again and again. The phases
are in `threefold.engine.uct`. With several threads there are as many trees, each with its own
random numbers, and what they say is added up (*root parallelism*: Cazenave and Jouandeau, 2007).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from types import FunctionType
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.amaf import MoveValue
from threefold.engine.clock import Clock, Turn
from threefold.engine.compile import Compiled
from threefold.engine.endgames.database import Database, DatabaseArrays
from threefold.engine.limits import MAX_MEGABYTES, MAX_THREADS, Limits, check_whole
from threefold.engine.playing_out import Search
from threefold.engine.records import allocate, boxed, interpreted_record, layout
from threefold.engine.result import Line, Result, TableUse
from threefold.engine.rollout_threads import OnThreads
from threefold.engine.rollouts import MakeRoller
from threefold.engine.running import Report, Running
from threefold.engine.together import search_together
from threefold.engine.tree_answers import TreeAnswers
from threefold.engine.uct import (
    ROOT,
    Node,
    Tree,
    grow,
    grow_from,
    grow_with_amaf,
    is_solved,
)
from threefold.errors import NotCompilable, ThreefoldError
from threefold.rules.bits import GOLDEN, mix, mul, word
from threefold.rules.contract import CHANCE, Action
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

#: Where all moves as first say where to look, little else has to be explored. But not nothing: a
#: pass is made late in most games, lost ones among them, and would else never be tried.
EXPLORATION_WITH_RAVE: Final = 0.02
MAX_RAVE: Final = 1 << 30

#: A node where the tree is an array, and what all moves as first add to it.
_RECORD: np.dtype[Any] = layout(Node)
_AMAF_RECORD: np.dtype[Any] = layout(MoveValue)
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


@dataclass
class Growing:
    """A tree, the rest of its search, and the function that makes it grow."""

    tree: Tree
    search: Search
    grow: Callable[[], Any]
    #: What the search's memory has the addresses of, if there is a database.
    arrays: DatabaseArrays | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is a proof."""
        return is_solved(ROOT, self.tree)


class MonteCarlo(Generic[S]):
    """A tree of simulations from one position, and its growth.

    A simulation plays `playouts` games from its leaf: one on the CPU, many on a GPU by default.
    `rave` is how far all moves as first are trusted, in visits: by default what the game says, and
    0 not at all. With `random_playouts`, games are played out by any legal moves, even where the
    game knows better. `history` is the positions of the game so far, where an earlier one must not
    come up again; `moves`, if there are any, are the only ones to consider at the root. Each of
    several `threads` grows its own tree, in its share of the memory.
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
        rave: int | None = None,
        playouts: int | None = None,
        playouts_on: Place = ON_CPU,
        random_playouts: bool = False,
        threads: int = 1,
        history: Sequence[S] = (),
        moves: Sequence[Action] = (),
        compiled: Compiled[S] | None = None,
    ) -> None:
        """Pass `compiled`, of this game, if its rules are known not to have changed."""
        game.require("Monte Carlo tree search", zero_sum=True, perfect_information=True)
        if game.player(s) == CHANCE:
            raise ThreefoldError(f"{game.name}: nature is to move, there is no move to choose")
        check_whole("seed", seed, -(1 << 63), (1 << 63) - 1)
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        check_whole("threads", threads, 1, MAX_THREADS)
        if not isinstance(playouts_on, Place):
            raise ThreefoldError(
                f"playouts_on={playouts_on!r} is not a Place; threefold.gpu.places has them"
            )
        self.rave = _checked_rave(game, rave, playouts_on)
        playouts = playouts_on.playouts if playouts is None else playouts
        if exploration is None:
            exploration = EXPLORATION_WITH_RAVE if self.rave else playouts_on.exploration
        check_whole("playouts", playouts, 1, MAX_PLAYOUTS)
        check_exploration(exploration)
        if threads > 1 and playouts_on.simulator is not None:
            raise ThreefoldError(
                f"threads={threads}: the games of a search are played by threads or on the "
                f"{playouts_on.name}, not both"
            )
        self.game = game.with_random_playouts() if random_playouts else game
        self.position = s
        self.megabytes = megabytes
        self.threads = threads
        self.turn = Turn()
        #: The moves of the root.
        self.moves = root_moves(game, s, history, moves)
        self.over = not self.moves
        self._seed = seed
        self._options = (playouts, float(exploration), float(self.rave))
        self._simulator = playouts_on.simulator
        self._compiled = None if random_playouts else compiled
        #: The trees, once there are some.
        self._trees: list[Growing] = []
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
    def tree(self) -> Tree:
        """The first tree."""
        return self._trees[0].tree if self._trees else []

    @property
    def control(self) -> Search:
        """The rest of the first search."""
        assert self._trees
        return self._trees[0].search

    @property
    def simulations(self) -> int:
        """How many there were so far, in all trees."""
        return sum(int(each.search.nodes) for each in self._trees)

    @property
    def seconds(self) -> float:
        """The time of all runs so far."""
        return self._seconds_before + (0.0 if self._clock is None else self._clock.seconds)

    def result(self, multipv: int = 1) -> Result[S]:
        """The answer so far."""
        answers = TreeAnswers(self.game, self.position, [each.tree for each in self._trees])
        lines = tuple(answers.lines(multipv))
        sizes = [(int(each.search.tree_size), len(each.tree)) for each in self._trees]
        if self.over:
            value, exact, win_in = answers.in_units(self.game.utility(self.position)), True, None
        elif lines and (lines[0].visits or lines[0].exact):
            value, exact, win_in = lines[0].value, answers.is_proven, answers.win_in
        else:
            a, value = self._first_guess()
            value = answers.in_units(value)
            others = (line for line in lines if line.move != a)
            lines = (Line(a, value, None, False, (a,)), *others)[:multipv]
            exact, win_in = False, None
        return Result(
            self.game,
            self.position,
            lines,
            value,
            exact,
            win_in,
            depth=len(lines[0].pv) if lines else 0,
            selective_depth=max([int(each.search.longest) for each in self._trees], default=0),
            nodes=self.simulations,
            seconds=self.seconds,
            table=TableUse(
                self.megabytes, full=max((used / room for used, room in sizes), default=0.0)
            ),
            simulated=True,
        )

    def _first_guess(self) -> tuple[Action, float]:
        """A move to name before any was searched, and what the position is worth to MAX."""
        return self.moves[0], 0.0

    # How it runs.

    def prepare(self, *, interpreted: bool = False) -> None:
        """Compile, and make room for the trees; once. `interpreted` is for comparison."""
        if self._trees or self.over:
            return
        self._trees = [
            self._prepared_interpreted(number) if interpreted else self._prepared(number)
            for number in range(self.threads)
        ]

    def grow(self, clock: Clock) -> None:
        """Simulate until a limit, a stop or a proof."""
        nodes = clock.limits.nodes
        growing = self._trees if nodes is None else self._trees[: max(nodes, 1)]
        self._seconds_before, self._clock = self.seconds, clock
        search_together(self.game, growing, clock)

    def _capacity(self) -> int:
        """As many nodes as fit in memory, and never too few for the root's moves."""
        node = _RECORD.itemsize + (_AMAF_RECORD.itemsize if self.rave else 0)
        nodes = (self.megabytes << 20) // self.threads // node
        return max(min(nodes, _MAX_NODES), 1 + self.game.facts.max_moves)

    def _prepared(self, number: int) -> Growing:
        """A tree, the rest of its search and the function to call, compiled if possible."""
        if self._simulator is not None:
            growing = self._allocate(number)
            growing.grow = self._simulator(
                self.game, self.position, self._seed, growing.tree, growing.search
            )
            return growing
        try:
            compiled = self._compiled or Compiled(self.game)
            growing = self._allocate(number)
            arguments: tuple[Any, ...] = (growing.tree, boxed(growing.search))
            if self.rave:
                amaf: Any = np.zeros(len(growing.tree), _AMAF_RECORD)
                played = np.zeros(self.game.facts.move_range, np.int64)
                arguments = (amaf.view(np.recarray), played, *arguments)
            entry = compiled.entry(grow_with_amaf if self.rave else grow_from)
            arguments = (compiled.words(self.position), *arguments)
            entry.prepare(*arguments)
        except NotCompilable:
            return self._prepared_interpreted(number)
        growing.grow = partial(entry, *arguments)
        return growing

    def _prepared_interpreted(self, number: int) -> Growing:
        """The same in plain Python."""
        assert isinstance(grow, FunctionType)
        search = interpreted_record(Search, self.game.facts.max_moves)
        self._set_up(search, number)
        nodes = min(self._capacity(), _INTERPRETED_NODES)
        tree: Tree = [Node() for _ in range(nodes)]
        amaf = [MoveValue() for _ in range(nodes)] if self.rave else None
        played = [0] * self.game.facts.move_range if self.rave else None
        bound = interpreted(grow, self.game)
        return Growing(tree, search, partial(bound, self.position, amaf, played, tree, search))

    def _allocate(self, number: int) -> Growing:
        """A tree with only its root, and the rest of the search, for compiled code."""
        tree: Any = np.zeros(self._capacity(), _RECORD)
        tree[ROOT] = astuple(Node())
        search = allocate(Search, self.game.facts.max_moves)
        self._set_up(search, number)
        growing = Growing(tree.view(np.recarray), search, lambda: None)
        if isinstance(self.game.database, Database):
            growing.arrays = self.game.database.arrays()
            search.database = growing.arrays.fields()  # type: ignore[assignment]
        return growing

    def _set_up(self, search: Search, number: int) -> None:
        search.playouts, search.exploration, search.equivalence = self._options
        search.max_plies = self.game.facts.max_ply
        search.random = mix(word(self._seed) ^ mul(number, GOLDEN))
        search.root_moves = len(self.moves)
        for i, a in enumerate(self.moves):
            search.moves[i] = a


def root_moves(
    game: Game[S], s: S, history: Sequence[S] = (), moves: Sequence[Action] = ()
) -> list[Action]:
    """The moves to consider at the root of a search: the legal ones, or those asked for.

    What partners have agreed to do is not for a search to change.
    """
    legal = game.moves(s, history)
    if moves and not set(moves) <= set(legal):
        raise ThreefoldError(f"{game.name}: the moves to consider are not all legal")
    if legal and not moves and game.agreed is not None and (a := game.agreed(s)) is not None:
        return [a]
    return list(moves) or legal


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
        return self._search.simulations - self._nodes_before or None

    def run(self, report: Report) -> Result[S]:  # noqa: ARG002  polled, not called
        """Compile if necessary, then simulate."""
        with self._search.turn.taken(self.clock) as mine:
            self._nodes_before = self._search.simulations
            if mine and not self.clock.is_stopped:
                self._search.prepare()
                if not self._search.over:
                    self._search.grow(self.clock)
            return self.answer()

    def answer(self) -> Result[S]:
        """The best answer so far, of all runs."""
        return self._search.result(self._multipv)


def check_exploration(value: object) -> None:
    """Raise unless a search can explore so much."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:  # type: ignore[arg-type, operator]
        raise ThreefoldError(f"exploration {value!r} is not a number of at least 0")


def _checked_rave(game: Game[Any], rave: int | None, place: Place) -> int:
    """How far all moves as first are trusted: what is asked for, or what the game says."""
    if rave is None:
        return game.rave if place.simulator is None else 0
    check_whole("rave", rave, 0, MAX_RAVE)
    if rave and not game.facts.deterministic:
        raise ThreefoldError(
            f"{game.name} is a game of chance, in which a later move says little: rave is 0"
        )
    if rave and place.simulator is not None:
        raise ThreefoldError(f"games on the {place.name} do not tell their moves: rave is 0")
    return rave
