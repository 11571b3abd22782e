"""Information-set Monte Carlo tree search: for games in which players hide something.

The phases are in `threefold.engine.information_sets`. A search knows what the player to move knows:
all it does with the rest of the position is to deal it again.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from types import FunctionType
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.information_sets import (
    NOWHERE,
    InformationSet,
    Option,
    Options,
    Sets,
    SetSearch,
    grow,
    grow_from,
    key_of,
    place_of,
    place_of_root,
)
from threefold.engine.limits import MAX_MEGABYTES, MAX_THREADS, Limits, check_whole
from threefold.engine.mcts import DEFAULT_MEGABYTES, ON_CPU, check_exploration, root_moves
from threefold.engine.records import allocate, boxed, interpreted_record, layout
from threefold.engine.result import Line, Result, TableUse
from threefold.engine.running import Report, Running
from threefold.engine.together import search_together
from threefold.errors import NotCompilable, ThreefoldError, argument
from threefold.rules.bits import GOLDEN, mix, mul, word
from threefold.rules.contract import CHANCE, FINISHED, MIN, Action
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted

S = TypeVar("S")

_SET: np.dtype[Any] = layout(InformationSet)
_OPTION: np.dtype[Any] = layout(Option)
#: About how many options a set has: both get their share of the memory.
_OPTIONS_A_SET: Final = 4
#: Plain Python is so slow that little room is enough.
_INTERPRETED_SETS: Final = 1 << 14


def check_hides(game: Game[Any], search: str) -> None:
    """Raise unless a game is one that a search for hidden information can play."""
    game.require(search, zero_sum=True, perfect_information=False)
    if game.facts.perfect_information:
        raise ThreefoldError(
            f"{search} is for games that hide something, and {game.name} hides nothing: leave out "
            f"{argument('method')}"
        )


@dataclass
class Growing:
    """The sets of one thread, the rest of its search, and the function that makes them grow."""

    sets: Sets
    options: Options
    search: SetSearch
    grow: Callable[[], Any]
    #: Where the root's set is, `NOWHERE` before the first simulation.
    root: Callable[[], int]
    #: Nothing is ever proven.
    is_done: bool = False

    def at_root(self) -> list[Option]:
        """The options of the root."""
        place = int(self.root())
        if place == NOWHERE:
            return []
        first = int(self.sets[place].first)
        return [self.options[i] for i in range(first, first + int(self.sets[place].count))]


class InformationSearch(Generic[S]):
    """Searches one position for the player to move, who does not see all of it.

    Each of several `threads` has its own sets, in its share of the memory, and what they say is
    added up.
    """

    def __init__(
        self,
        game: Game[S],
        s: S,
        *,
        seed: int = 0,
        megabytes: int = DEFAULT_MEGABYTES,
        exploration: float = ON_CPU.exploration,
        threads: int = 1,
        history: Sequence[S] = (),
        moves: Sequence[Action] = (),
        compiled: Compiled[S] | None = None,
    ) -> None:
        """Pass `compiled`, of this game, if its rules are known not to have changed."""
        check_hides(game, "information-set tree search")
        if game.player(s) == CHANCE:
            raise ThreefoldError(f"{game.name}: nature is to move, there is no move to choose")
        check_whole("seed", seed, -(1 << 63), (1 << 63) - 1)
        check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
        check_whole("threads", threads, 1, MAX_THREADS)
        check_exploration(exploration)
        self.game = game
        self.position = s
        self.moves = root_moves(game, s, history, moves)
        self._megabytes = megabytes
        self._threads = threads
        self._seed = seed
        self._exploration = float(exploration)
        self._compiled = compiled
        self._growing: list[Growing] = []
        self._clock: Clock | None = None

    def run(self, limits: Limits, *, multipv: int = 1) -> Result[S]:
        """Simulate and return the answer; Ctrl-C ends the run, not the program."""
        return self.start(limits, multipv=multipv).result()

    def start(self, limits: Limits, *, multipv: int = 1) -> Running[Result[S]]:
        """Start simulating."""
        if limits.depth is not None:
            raise ThreefoldError(
                "information-set tree search has no depth to limit; limit its time or its nodes, "
                "which are simulations"
            )
        check_whole("multipv", multipv, 1, 1 << 30)
        return Running(_Run(self, limits, multipv))

    @property
    def simulations(self) -> int:
        """How many there were so far, on all threads."""
        return sum(int(each.search.nodes) for each in self._growing)

    def result(self, multipv: int = 1) -> Result[S]:
        """The answer so far."""
        over = not self.moves
        lines = () if over else self._lines()
        sign = -1 if self.game.player(self.position) == MIN else 1
        value = lines[0].value if lines else sign * self.game.utility(self.position) * self._unit
        used = [int(each.search.tree_size) / len(each.options) for each in self._growing]
        return Result(
            self.game,
            self.position,
            lines[:multipv],
            value,
            exact=over,
            win_in=None,
            depth=1 if lines else 0,
            selective_depth=max([int(each.search.longest) for each in self._growing], default=0),
            nodes=self.simulations,
            seconds=0.0 if self._clock is None else self._clock.seconds,
            table=TableUse(self._megabytes, full=max(used, default=0.0)),
            simulated=True,
            counted="simulations",
        )

    @property
    def _unit(self) -> int:
        """What a utility of 1 is in the units of values."""
        return 1 if self.game.evaluation is None else FINISHED

    def _lines(self) -> tuple[Line, ...]:
        """The moves, most visited first, with the means of their simulations."""
        visits, totals = dict.fromkeys(self.moves, 0), dict.fromkeys(self.moves, 0.0)
        for each in self._growing:
            for option in each.at_root():
                if (a := int(option.move)) in visits:
                    visits[a] += int(option.visits)
                    totals[a] += float(option.total)
        sign = -1 if self.game.player(self.position) == MIN else 1

        def line(a: Action) -> Line:
            mean = sign * self._unit * totals[a] / max(visits[a], 1)
            return Line(a, mean, None, False, (a,), visits[a])

        return tuple(sorted(map(line, self.moves), key=lambda line: -(line.visits or 0)))

    def prepare(self, *, interpreted: bool = False) -> None:
        """Compile, and make room; once. `interpreted` is for comparison."""
        if not self._growing and self.moves:
            make = self._prepared_interpreted if interpreted else self._prepared
            self._growing = [make(number) for number in range(self._threads)]

    def grow(self, clock: Clock) -> None:
        """Simulate until a limit or a stop."""
        nodes = clock.limits.nodes
        self._clock = clock
        growing = self._growing if nodes is None else self._growing[: max(nodes, 1)]
        search_together(self.game, growing, clock)

    def _prepared(self, number: int) -> Growing:
        try:
            compiled = self._compiled or Compiled(self.game)
            size = (self._megabytes << 20) // self._threads
            places = 1 << (size // (_SET.itemsize + _OPTIONS_A_SET * _OPTION.itemsize)).bit_length()
            places = max(places >> 1, 16)
            sets: Any = np.zeros(places, _SET).view(np.recarray)
            room = max(places * _OPTIONS_A_SET, 1 + self.game.facts.max_moves)
            options: Any = np.zeros(room, _OPTION).view(np.recarray)
            path: Any = np.zeros(2 * self.game.facts.max_ply, np.int64)
            search = allocate(SetSearch, self.game.facts.max_moves)
            self._set_up(search, number)
            words = compiled.words(self.position)
            entry = compiled.entry(grow_from)
            entry.prepare(words, path, sets, options, boxed(search))
            root = partial(compiled.entry(place_of_root), words, sets)
        except NotCompilable:
            return self._prepared_interpreted(number)
        growing = partial(entry, words, path, sets, options, boxed(search))
        return Growing(sets, options, search, growing, root)

    def _prepared_interpreted(self, number: int) -> Growing:
        """The same in plain Python."""
        game = _observing_words(self.game)
        sets: Sets = [InformationSet() for _ in range(_INTERPRETED_SETS)]
        room = 1 + max(_INTERPRETED_SETS * _OPTIONS_A_SET, game.facts.max_moves)
        options: Options = [Option() for _ in range(room)]
        path = [0] * (2 * game.facts.max_ply)
        search = interpreted_record(SetSearch, game.facts.max_moves)
        self._set_up(search, number)
        assert isinstance(key_of, FunctionType)
        assert isinstance(grow, FunctionType)
        hashed = interpreted(key_of, game)

        def root() -> int:
            place = place_of(hashed(self.position), sets)
            return place if sets[place].count else NOWHERE

        growing = partial(interpreted(grow, game), self.position, path, sets, options, search)
        return Growing(sets, options, search, growing, root)

    def _set_up(self, search: SetSearch, number: int) -> None:
        search.playouts, search.exploration = 1, self._exploration
        search.max_plies = self.game.facts.max_ply
        search.random = mix(word(self._seed) ^ mul(number, GOLDEN))


def _observing_words(game: Game[S]) -> Game[S]:
    """The game for plain Python: what a player sees may be any object, of which a hash is made."""
    observed = game.hooks["observe"]

    def observe(s: S, p: int) -> tuple[int, ...]:
        seen = observed(s, p)
        parts = seen if isinstance(seen, tuple) else (seen,)
        return tuple(each if isinstance(each, int) else _hash_of(each) for each in parts)

    twin = copy(game)
    twin.hooks = {**game.hooks, "observe": observe}
    return twin


def _hash_of(thing: object) -> int:
    """A word for an object, the same in every process."""
    return int.from_bytes(blake2b(repr(thing).encode(), digest_size=8).digest(), "big", signed=True)


class _Run(Generic[S]):
    """One run of simulations."""

    def __init__(self, search: InformationSearch[S], limits: Limits, multipv: int) -> None:
        self.clock = Clock(limits)
        self._search = search
        self._multipv = multipv

    @property
    def found(self) -> int | None:
        """How many simulations there are."""
        return self._search.simulations or None

    def run(self, report: Report) -> Result[S]:  # noqa: ARG002  polled, not called
        """Compile if necessary, then simulate."""
        self._search.prepare()
        if self._search.moves and not self.clock.is_stopped:
            self._search.grow(self.clock)
        return self.answer()

    def answer(self) -> Result[S]:
        """The best answer so far."""
        return self._search.result(self._multipv)
