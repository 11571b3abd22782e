"""A game of hidden information as sequences, information sets and a sparse matrix of payoffs.

The walk is `threefold.solve.sequences`. Here, sets and sequences get their final numbers: MAX's
come before MIN's, and each player's are in the order in which play comes to them. So whatever a
player's sets lead to has a higher number, and each player's part of an array is a slice of it:

    sequences   0: MAX's empty one | MAX's … | MIN's empty one | MIN's …
    sets        MAX's … | MIN's …

The payoffs are by row: what a player's sequence is worth to that player, for each sequence of the
other one that it can meet. What both do by chance is known by then: a weight holds how likely
nature makes it.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable
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
from threefold.rules.contract import CHANCE, MAX, MIN, Action, Player
from threefold.rules.game import Game
from threefold.solve.expansion import Array
from threefold.solve.sequences import (
    COUNT,
    DONE,
    FIRST,
    FORGETS,
    OTHER_MOVES,
    OWNER,
    PARENT,
    PATH_COLUMNS,
    TOO_LONG,
    Listed,
    list_sequences,
)

S = TypeVar("S")

#: The memory that a finished game takes while it is listed and sorted.
_BYTES_PER_LEAF: Final = 64
#: Room for this many of everything at first.
_AT_FIRST: Final = 1 << 10
#: As many positions as Python can walk through in about a minute.
MOST_INTERPRETED: Final = 1_000_000


@dataclass(frozen=True)
class SequenceForm(Generic[S]):
    """A whole game, for whatever knows only arrays."""

    game: Game[S]
    #: A position of each set; rows of words, or the states themselves if they are no words.
    examples: Any
    #: By set, the sequence that leads to it, its first own one, and how many it has.
    parent: Array
    first: Array
    count: Array
    #: By player, where the sets and where the sequences begin; a third number says where they end.
    sets: Array
    sequences: Array
    #: By sequence, its last move.
    move: Array
    #: By sequence, where its row begins; then what its columns are, and what is in them.
    row: Array
    column: Array
    payoff: Array
    #: How many positions the tree has.
    positions: int

    def example(self, i: int) -> S:
        """A position of a set."""
        if isinstance(self.examples, list):
            found: S = self.examples[i]
            return found
        return self.game.state_type(*map(int, self.examples[i]))

    def owner(self, i: int) -> Player:
        """Who decides in a set."""
        return MAX if i < self.sets[1] else MIN

    def moves(self, i: int) -> list[Action]:
        """The moves of a set."""
        moves: list[Action] = self.move[self.own(i)].tolist()
        return moves

    def own(self, i: int) -> slice:
        """The sequences that end with a move of a set."""
        first = int(self.first[i])
        return slice(first, first + int(self.count[i]))


def listing_of(game: Game[S], megabytes: int, control: Control) -> "Listing[S]":
    """What lists a game; compiled if that is possible, and then compiled now."""
    try:
        return _Compiled(game, megabytes, control)
    except NotCompilable:
        return _Interpreted(game, control)


def check_rememberable(game: Game[Any]) -> None:
    """Raise unless there are two players, who know what they know each by themselves."""
    game.require("solving by regrets", zero_sum=True, perfect_information=False)
    if game.facts.perfect_information:
        raise ThreefoldError(
            f"solving by regrets is for games that hide something: {game.name} is solved without"
        )
    if not game.facts.finite:
        raise ThreefoldError(f"{game.name} may go on forever, so its strategies cannot be listed")
    if "seat" in game.hooks:
        raise ThreefoldError(
            f"{game.name}: partners see different things, and what is found by regrets is for two "
            "players who each know what they know; analyze deals the hidden cards instead"
        )


class Listing(ABC, Generic[S]):
    """The walk through a game's tree, and what it has noted."""

    game: Game[S]
    examples: Any
    sets: Array
    move: Array
    pairs: Array
    weight: Array
    positions: int

    def form(self) -> SequenceForm[S] | None:
        """The whole game; None if the walk was stopped before it was done."""
        return _numbered(self) if self._run() else None

    @abstractmethod
    def _run(self) -> bool:
        """Walk through the tree; False if that was stopped."""

    def _trouble(self, what: int, p: Player, known: S, other: S) -> BrokenRules:
        """What to raise where a player forgets, or has other moves."""
        shown = f"{self.game.show(known)} and {self.game.show(other)}"
        who = f"the {self.game.sides[p]}"
        if what == OTHER_MOVES:
            return BrokenRules(
                f"{self.game.name}: {shown} look the same to {who}, who has other moves in each; "
                "actions lists the same moves in the same order wherever observe is the same"
            )
        return BrokenRules(
            f"{self.game.name}: {shown} look the same to {who}, who came there by other moves or "
            "knew other things on the way; observe keeps what a player knew and did"
        )


class _Compiled(Listing[S]):
    """By machine code, within a limit of memory."""

    def __init__(self, game: Game[S], megabytes: int, control: Control) -> None:
        self.game, self._megabytes, self._control = game, megabytes, control
        compiled = Compiled(game)
        plies, start = game.facts.max_ply + 1, game.initial()
        words, seen = len(compiled.words(start)), _observation(game, start)
        self._listed = allocate(Listed)
        self._sets = np.empty((_AT_FIRST, 4), np.int64)
        self._seen = np.empty((_AT_FIRST, len(seen)), np.int64)
        self._example = np.empty((_AT_FIRST, words), np.int64)
        self._slots = np.zeros(2 * _AT_FIRST, np.int64)
        self._move = np.zeros(_AT_FIRST + 2 * game.facts.max_moves, np.int64)
        self._pairs = np.empty((_AT_FIRST, 2), np.int64)
        self._weight = np.empty(_AT_FIRST, np.float64)
        self._path = np.empty((plies, PATH_COLUMNS), np.int64)
        self._states = np.empty((plies, words), np.int64)
        self._chances = np.empty(plies, np.float64)
        self._rows = compiled.rows(2 * plies)
        self._walk = compiled.entry(list_sequences)
        self._walk.prepare(*self._arguments)

    @property
    def _arguments(self) -> tuple[Any, ...]:
        by_set = (self._sets, self._seen, self._example, self._slots)
        others = (self._move, self._pairs, self._weight)
        path = (self._path, self._states, self._chances, self._rows)
        return *by_set, *others, *path, boxed(self._listed), boxed(self._control)

    def _run(self) -> bool:
        """Walk on, and make more room whenever it runs out."""
        listed, control = self._listed, self._control
        while True:
            run_in_worker(partial(self._walk, *self._arguments), control)
            check_fault(self.game, control)
            if listed.trouble:
                raise self._found()
            if listed.depth == DONE:
                break
            if control.stop or control.nodes >= control.node_limit:
                return False
            self._make_room()
        self.positions = int(control.nodes)
        self.examples, self.sets = self._example[: listed.sets], self._sets[: listed.sets]
        self.move = self._move[: listed.sequences]
        self.pairs, self.weight = self._pairs[: listed.leaves], self._weight[: listed.leaves]
        return True

    def _found(self) -> ThreefoldError:
        """What went wrong, and where."""
        listed, make = self._listed, self.game.state_type
        if listed.trouble == TOO_LONG:
            return BrokenRules(
                f"{self.game.name}: a game lasts longer than max_ply={self.game.facts.max_ply}"
            )
        i = listed.where
        other = make(*map(int, self._states[listed.depth + 1]))
        known = make(*map(int, self._example[i]))
        return self._trouble(listed.trouble, int(self._sets[i, OWNER]), known, other)

    def _make_room(self) -> None:
        """Double what ran out, if memory allows."""
        listed, most = self._listed, self.game.facts.max_moves
        taken = self._sets.nbytes + self._seen.nbytes + self._example.nbytes + self._slots.nbytes
        taken += self._move.nbytes + listed.leaves * _BYTES_PER_LEAF
        if 2 * taken > self._megabytes << 20:
            raise ThreefoldError(
                f"{self.game.name}: the tree of {_counted(self._control)} positions and more "
                f"does not fit into {self._megabytes:,} MB; a larger {argument('megabytes')} may "
                f"be enough, and {argument('method', 'external')} needs only the information sets"
            )
        if listed.leaves == len(self._pairs):
            self._pairs, self._weight = _doubled(self._pairs), _doubled(self._weight)
        if listed.sequences + most > len(self._move):
            self._move = _doubled(self._move)
        if listed.sets == len(self._sets) or 2 * listed.sets + 2 > len(self._slots):
            self._sets, self._seen = _doubled(self._sets), _doubled(self._seen)
            self._example = _doubled(self._example)
            self._slots = np.zeros(2 * len(self._slots), np.int64)
            listed.rehash = 1


def _counted(control: Control) -> str:
    """How many positions were looked at, for a message."""
    return f"{int(control.nodes):,}"


def _doubled(array: Array) -> Array:
    longer = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def _observation(game: Game[Any], s: Any) -> tuple[int, ...]:
    """What a player sees, if it is made of words."""
    seen = game.observe(s, MAX)
    if not isinstance(seen, tuple):
        raise BrokenRules(f"{game.name}: observe returned {seen!r}, not a tuple of whole numbers")
    return seen


class _Interpreted(Listing[S]):
    """In plain Python, for rules that cannot be compiled."""

    def __init__(self, game: Game[S], control: Control) -> None:
        self.game, self._control = game, control
        self._known: dict[tuple[Player, Hashable], int] = {}
        self.examples: list[S] = []
        self._rows: list[tuple[Player, int, int, int]] = []
        self._moves: list[Action] = [0, 0]
        self._leaves: list[tuple[int, int, float]] = []

    def _run(self) -> bool:
        """Walk through the tree, with what is left to look at on a stack."""
        waiting = [(self.game.initial(), 0, 1, 1.0)]
        while waiting:
            if self._control.stop or self._control.nodes >= self._control.node_limit:
                return False
            if self._control.nodes >= MOST_INTERPRETED:
                raise ThreefoldError(
                    f"{self.game.name}: {_counted(self._control)} positions and more are too "
                    "many for rules that are not compiled; a state that is a NamedTuple of "
                    "integers goes a hundred times as far"
                )
            self._control.nodes += 1
            waiting += reversed(self._after(*waiting.pop()))
        self.positions = int(self._control.nodes)
        self.sets = np.array(self._rows, np.int64).reshape(-1, 4)
        self.move = np.array(self._moves, np.int64)
        self.pairs = np.array([leaf[:2] for leaf in self._leaves], np.int64).reshape(-1, 2)
        self.weight = np.array([leaf[2] for leaf in self._leaves], np.float64)
        return True

    def _after(
        self, s: S, by_max: int, by_min: int, chance: float
    ) -> list[tuple[S, int, int, float]]:
        """The positions after each move, and by which sequences and chances they are reached."""
        game, p = self.game, self.game.player(s)
        if p == CHANCE:
            events = game.chances(s)
            total = sum(weight for _, weight in events)
            return [
                (game.result(s, a), by_max, by_min, chance * weight / total) for a, weight in events
            ]
        moves = game.moves(s)
        if not moves:
            self._leaves.append((by_max, by_min, chance * game.utility(s)))
            return []
        first = self._first_of(s, p, by_max if p == MAX else by_min, moves)
        return [
            (game.result(s, a), *((k, by_min) if p == MAX else (by_max, k)), chance)
            for k, a in enumerate(moves, first)
        ]

    def _first_of(self, s: S, p: Player, by: int, moves: list[Action]) -> int:
        """The first sequence of a position's set."""
        new = len(self.examples)
        i = self._known.setdefault((p, self.game.observe(s, p)), new)
        if i == new:
            self.examples.append(s)
            self._rows.append((p, by, len(self._moves), len(moves)))
            self._moves += moves
        _, parent, first, count = self._rows[i]
        if self._moves[first : first + count] != moves:
            raise self._trouble(OTHER_MOVES, p, self.examples[i], s)
        if parent != by:
            raise self._trouble(FORGETS, p, self.examples[i], s)
        return first


def _numbered(listing: Listing[S]) -> SequenceForm[S]:
    """What was listed, with MAX's sets and sequences before MIN's, and the payoffs by row."""
    old = listing.sets
    order = np.argsort(old[:, OWNER], kind="stable")
    count = old[order, COUNT]
    by_max = int((old[:, OWNER] == MAX).sum())
    # One more than the sequences of MAX's sets is where MIN's empty one is.
    empty_of_min = 1 + int(count[:by_max].sum())
    first = np.cumsum(count) - count + 1
    first[by_max:] += 1
    renumbered = np.empty(len(listing.move), np.int64)
    renumbered[[0, 1]] = 0, empty_of_min
    spread = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    renumbered[np.repeat(old[order, FIRST], count) + spread] = np.repeat(first, count) + spread
    move = np.empty_like(listing.move)
    move[renumbered] = listing.move
    pairs = renumbered[listing.pairs]
    row, column, payoff = _by_row(
        np.concatenate([pairs[:, 0], pairs[:, 1]]),
        np.concatenate([pairs[:, 1], pairs[:, 0]]),
        np.concatenate([listing.weight, -listing.weight]),
        len(move),
    )
    examples = listing.examples
    return SequenceForm(
        game=listing.game,
        examples=([examples[i] for i in order] if isinstance(examples, list) else examples[order]),
        parent=renumbered[old[order, PARENT]],
        first=first,
        count=count,
        sets=np.array([0, by_max, len(old)], np.int64),
        sequences=np.array([0, empty_of_min, len(move)], np.int64),
        move=move,
        row=row,
        column=column,
        payoff=payoff,
        positions=listing.positions,
    )


def _by_row(rows: Array, columns: Array, entries: Array, size: int) -> tuple[Array, Array, Array]:
    """A sparse matrix by row; entries in the same place are added up."""
    place = rows * size + columns
    order = np.argsort(place, kind="stable")
    place, entries = place[order], entries[order]
    begins = np.flatnonzero(np.concatenate([[True], place[1:] != place[:-1]])[: len(place)])
    summed = np.add.reduceat(entries, begins) if len(begins) else entries
    kept = place[begins]
    row = np.searchsorted(kept // size, np.arange(size + 1))
    return row.astype(np.int64), kept % size, summed
