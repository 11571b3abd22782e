"""Every position that play can lead to, and where each move leads: the whole game as arrays.

A position is identified by its number; the first is where play starts. Its fields are a row of
words, and the numbers of the positions that its moves lead to are side by side, in the order in
which the rules list the moves:

    states    position 0: its words | position 1: its words | …
    first     0          | 3        | …          where the children of each position begin
    child     4  1  7    | 1  2     | …

`threefold.solve.expansion` has the compiled code that finds them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed
from threefold.engine.worker import run_in_worker
from threefold.errors import BrokenRules, NotCompilable, ThreefoldError, argument
from threefold.rules.contract import CHANCE, MAX_VALUE
from threefold.rules.game import Game
from threefold.solve.expansion import Array, Counts, expand_all
from threefold.solve.unbounded import growing_field

S = TypeVar("S")

#: Numbers of positions are 32 bits wide.
MOST_POSITIONS: Final = (1 << 31) - 1
#: As many as Python can expand in about a minute.
MOST_INTERPRETED: Final = 1_000_000
#: Room for this many at first.
_AT_FIRST: Final = 1 << 13

#: How many items are copied between two checks of whether to stop: a few milliseconds' worth.
_COPIED_AT_ONCE: Final = 1 << 18

# The memory it takes to enumerate and to analyze, besides the words of a state.
BYTES_PER_POSITION: Final = 80
BYTES_PER_EDGE: Final = 8
BYTES_PER_WEIGHT: Final = 8


@dataclass(frozen=True)
class Graph(Generic[S]):
    """A game from one position on, complete."""

    game: Game[S]
    #: Rows of words, or the states themselves where they are not made of words.
    states: Any
    #: The player to move: MAX, MIN or CHANCE.
    mover: Array
    #: The utility of a finished position to MAX; 0 elsewhere.
    utility: Array
    first: Array
    child: Array
    #: How often an event of nature happens, for each child; empty in games without chance.
    weight: Array

    def __len__(self) -> int:
        return len(self.mover)

    @property
    def deterministic(self) -> bool:
        """Whether the game is without chance."""
        return len(self.weight) == 0

    def state(self, i: int) -> S:
        """The position with a given number."""
        if isinstance(self.states, list):
            found: S = self.states[i]
            return found
        return self.game.state_type(*map(int, self.states[i]))

    def children(self, i: int) -> list[int]:
        """Where each move of a position leads, in the order of the moves."""
        children: list[int] = self.child[self.first[i] : self.first[i + 1]].tolist()
        return children


class Enumeration(ABC, Generic[S]):
    """Finds a game's positions, some at a time."""

    def __init__(self, game: Game[S], control: Control) -> None:
        self.game = game
        self._control = control

    @property
    @abstractmethod
    def positions(self) -> int:
        """How many were found so far."""

    @property
    @abstractmethod
    def shortage(self) -> ThreefoldError:
        """What to raise if it could not finish."""

    @abstractmethod
    def run(self, most: int = MOST_POSITIONS) -> bool:
        """Continue until there are more than `most` positions; return whether it finished.

        It also returns when it is stopped, and when memory runs out.
        """

    @property
    @abstractmethod
    def _fields(self) -> Array:
        """The words of the positions found so far, row by row; empty if states have no words."""

    @property
    def remark(self) -> str:
        """Which field of the state keeps growing, if one does."""
        names = getattr(self.game.state_type, "_fields", ())
        found = growing_field(names, self._fields) if names else None
        if found is None:
            return ""
        name, height = found
        grows = "grows" if height > 0 else "falls"
        return f"field {name} reached {height:,} and {grows}, perhaps without end; if not, "

    @property
    def _spent(self) -> bool:
        """Whether the node limit is reached."""
        return bool(self._control.nodes >= self._control.node_limit)

    @abstractmethod
    def graph(self) -> Graph[S]:
        """What was found, once it is complete."""


def enumeration(game: Game[S], s: S, megabytes: int, control: Control) -> Enumeration[S]:
    """An enumeration of the positions from `s` on, compiled if the game can be."""
    try:
        return CompiledEnumeration(game, game.timeless(s), megabytes, control)
    except NotCompilable:
        return InterpretedEnumeration(game, game.timeless(s), control)


def room(game: Game[Any], megabytes: int) -> int:
    """How many positions fit into memory at most."""
    words = len(getattr(game.state_type, "_fields", ()))
    return (megabytes << 20) // (8 * words + BYTES_PER_POSITION)


class CompiledEnumeration(Enumeration[S]):
    """By machine code, within a limit of memory."""

    def __init__(self, game: Game[S], s: S, megabytes: int, control: Control) -> None:
        super().__init__(game, control)
        compiled = Compiled(game)
        start = compiled.words(s)
        self._megabytes = megabytes
        self._counts = allocate(Counts)
        self._rows = compiled.rows(2)
        self._expand = compiled.entry(expand_all)
        # By position, then by edge; of each only the beginning is in use.
        self._states = np.empty((_AT_FIRST, len(start)), np.int64)
        self._mover = np.empty(_AT_FIRST, np.int8)
        self._utility = np.empty(_AT_FIRST, np.int32)
        self._first = np.zeros(_AT_FIRST + 1, np.int64)
        self._slots = np.zeros(2 * _AT_FIRST, np.int32)
        self._child = np.empty(_AT_FIRST, np.int32)
        self._weight = np.empty(0 if game.facts.deterministic else _AT_FIRST, np.int64)
        self._states[0] = start
        self._counts.positions = 1
        self._expand.prepare(*self._arguments)

    @property
    def positions(self) -> int:
        """How many were found so far."""
        return int(self._counts.positions)

    @property
    def shortage(self) -> ThreefoldError:
        """What to raise if memory runs out."""
        return ThreefoldError(
            f"{self.game.name}: {self.positions:,} positions and more do not fit into "
            f"{self._megabytes} MB; {self.remark}a larger {argument('megabytes')} may be enough"
        )

    @property
    def _fields(self) -> Array:
        return self._states[: self.positions]

    def run(self, most: int = MOST_POSITIONS) -> bool:
        """Continue, and make more room when it runs out."""
        counts, control = self._counts, self._control
        counts.most = most
        while True:
            run_in_worker(partial(self._expand, *self._arguments), control)
            check_fault(self.game, control)
            if counts.expanded == counts.positions:
                return True
            if control.stop or counts.positions > most or self._spent or not self._make_room():
                return False

    def graph(self) -> Graph[S]:
        """What was found, without the spare room after it."""
        n, edges = self._counts.positions, self._counts.edges
        return Graph(
            self.game,
            self._states[:n],
            self._mover[:n],
            self._utility[:n],
            self._first[: n + 1],
            self._child[:edges],
            self._weight[:edges],
        )

    @property
    def _arguments(self) -> tuple[Any, ...]:
        by_position = (self._states, self._slots, self._mover, self._utility, self._first)
        by_edge = (self._child, self._weight)
        return (*by_position, *by_edge, boxed(self._counts), self._rows, boxed(self._control))

    def _make_room(self) -> bool:
        """Double what ran out, or use all that memory allows; return whether that is enough."""
        positions, edges = self.positions, int(self._counts.edges)
        per_position = 8 * self._states.shape[1] + BYTES_PER_POSITION
        per_edge = BYTES_PER_EDGE + (BYTES_PER_WEIGHT if len(self._weight) else 0)
        left = (self._megabytes << 20) - positions * per_position - edges * per_edge
        # There must be room for at least one more row of moves.
        least_positions = positions + self.game.facts.max_moves
        least_edges = edges + self.game.facts.max_moves
        if least_positions > len(self._states):
            length = max(2 * len(self._states), least_positions)
            length = min(length, positions + left // per_position, MOST_POSITIONS)
            if length < least_positions:
                return False
            by_position = (self._states, self._mover, self._utility)
            longer = [self._longer(array, length) for array in by_position]
            first = self._longer(self._first, length + 1)
            if self._control.stop:
                return False
            self._states, self._mover, self._utility = longer
            self._first = first
        if 2 * least_positions > len(self._slots):
            self._slots = np.zeros(1 << (2 * least_positions).bit_length(), np.int32)
        if least_edges > len(self._child):
            length = max(2 * len(self._child), least_edges)
            length = min(length, edges + left // per_edge)
            if length < least_edges:
                return False
            child = self._longer(self._child, length)
            weight = self._longer(self._weight, length) if len(self._weight) else self._weight
            if self._control.stop:
                return False
            self._child, self._weight = child, weight
        return True

    def _longer(self, array: Array, length: int) -> Array:
        """A longer array with the same contents, or with a part of them if it is stopped."""
        longer = np.empty((length, *array.shape[1:]), array.dtype)
        for begin in range(0, len(array), _COPIED_AT_ONCE):
            if self._control.stop:
                break
            end = min(begin + _COPIED_AT_ONCE, len(array))
            longer[begin:end] = array[begin:end]
        return longer


class InterpretedEnumeration(Enumeration[S]):
    """In plain Python, for rules that cannot be compiled."""

    def __init__(self, game: Game[S], s: S, control: Control) -> None:
        super().__init__(game, control)
        self._numbers: dict[S, int] = {s: 0}
        self._states = [s]
        self._mover: list[int] = []
        self._utility: list[int] = []
        self._first = [0]
        self._child: list[int] = []
        self._weight: list[int] = []

    @property
    def positions(self) -> int:
        """How many were found so far."""
        return len(self._states)

    @property
    def shortage(self) -> ThreefoldError:
        """What to raise if there are too many for Python."""
        return ThreefoldError(
            f"{self.game.name}: {self.positions:,} positions and more are too many for rules that "
            f"are not compiled; {self.remark}a state that is a NamedTuple of integers goes a "
            "hundred times as far"
        )

    @property
    def _fields(self) -> Array:
        has_words = all(isinstance(word, int) for word in self._states[0])  # type: ignore[attr-defined]
        return np.array(self._states if has_words else [], np.int64)

    def run(self, most: int = MOST_POSITIONS) -> bool:
        """Continue, though never past `MOST_INTERPRETED`."""
        while len(self._mover) < self.positions:
            enough = self.positions > min(most, MOST_INTERPRETED)
            if enough or self._spent or self._control.stop:
                return False
            self._expand(self._states[len(self._mover)])
            self._control.nodes += 1
        return True

    def graph(self) -> Graph[S]:
        """What was found, as arrays."""
        weight = [] if self.game.facts.deterministic else self._weight
        return Graph(
            self.game,
            self._states,
            np.array(self._mover, np.int8),
            np.array(self._utility, np.int32),
            np.array(self._first, np.int64),
            np.array(self._child, np.int32),
            np.array(weight, np.int64),
        )

    def _expand(self, s: S) -> None:
        mover = self.game.player(s)
        if mover == CHANCE:
            moves = self.game.chances(s)
        else:
            moves = [(a, 0) for a in self.game.moves(s)]
        for a, weight in moves:
            after = self.game.timeless(self.game.result(s, a))
            number = self._numbers.setdefault(after, self.positions)
            if number == self.positions:
                self._states.append(after)
            self._child.append(number)
            self._weight.append(weight)
        self._utility.append(0 if moves else self._worth(s))
        self._first.append(len(self._child))
        self._mover.append(mover)

    def _worth(self, s: S) -> int:
        worth = self.game.utility(s)
        if not isinstance(worth, int) or abs(worth) > MAX_VALUE:
            raise BrokenRules(
                f"{self.game.name}: utility returned {worth!r}, not a whole number within "
                f"±{MAX_VALUE}; position: {self.game.show(s)}"
            )
        return worth
