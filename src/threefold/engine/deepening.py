"""Iterative deepening: search to depth 1, 2, 3… and always have an answer.

Each iteration leaves the table, the killers and the history filled, so that the next one finds the
best moves first; together they cost little more than the last alone. An iteration first looks for
a value near the previous one (an *aspiration window*), and searches again with a wider window if
the value lies outside. For several lines the root is searched again without the moves already
found, so that every line has its true value.

A `Searcher` is one thread's iterative deepening; `analysis` runs one or several of them.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Generic, TypeVar

from threefold.engine.compile import Compiled
from threefold.engine.endgames.database import Database, DatabaseArrays
from threefold.engine.expectation import expect_from
from threefold.engine.jit.entries import Entry
from threefold.engine.memory import DEEPEST, PAST_LENGTH, Memory
from threefold.engine.net_value import NetArrays
from threefold.engine.nets import Net
from threefold.engine.records import allocate, boxed, part
from threefold.engine.search import search_from
from threefold.engine.selectivity import Selectivity
from threefold.engine.table import NO_MOVE, Table
from threefold.engine.values import INFINITY, UNIT, WON, plies_of, utility_of
from threefold.rules.bits import mix
from threefold.rules.contract import CHANCE, Action
from threefold.rules.game import Game

S = TypeVar("S")


@dataclass(frozen=True)
class Variation:
    """A root move and its value on the scale of the search: see `values`."""

    move: Action
    value: int
    proven: bool
    pv: tuple[Action, ...]


@dataclass(frozen=True)
class Iteration:
    """What was found at one depth, best first."""

    depth: int
    variations: tuple[Variation, ...]


@dataclass(frozen=True)
class Task(Generic[S]):
    """What to search, and how."""

    game: Game[S]
    position: S
    multipv: int
    exact: bool
    seed: int | None
    selectivity: Selectivity
    history: Sequence[S] = ()
    #: The only moves to consider at the root; all of them if there are none.
    moves: Sequence[Action] = ()


class Searcher(Generic[S]):
    """Iterative deepening in one thread, with its own memory and a shared table."""

    def __init__(self, compiled: Compiled[S], task: Task[S], table: Table, generation: int) -> None:
        self._task = task
        self._table = table
        self._words = compiled.words(task.position)
        self._entry = search_entry(compiled)
        self.memory, self._kept = new_memory(compiled, task.game, task.selectivity)
        self._root = part(self.memory.plies, 0)
        self.memory.generation = generation
        self.memory.exact = task.exact
        if task.game.repeats:
            past = [mix(task.game.key(s)) for s in reversed(task.history)][:PAST_LENGTH]
            self.memory.past_length = len(past)
            self.memory.past[: len(past)] = past
        # Moves to leave out come first: the search starts after them.
        self._excluded = excluded_moves(task)
        self._roots = self._excluded + root_moves(task)
        self._ranks = {a: task.seed is not None and i for i, a in enumerate(self._roots)}
        self._most = greatest_utility(task)
        self._entry.prepare(self._words, 1, -INFINITY, INFINITY, boxed(self.memory), table)

    @property
    def stopped(self) -> bool:
        """Whether the search was asked to stop."""
        return bool(self.memory.stop)

    def stop(self) -> None:
        """Ask the search to stop."""
        self.memory.stop = 1

    def deepen(
        self, first: int, last: int, publish: Callable[[Iteration], None] = lambda _: None
    ) -> None:
        """Search ever deeper until the last depth, a stop, or an answer that cannot change."""
        found: tuple[Variation, ...] = ()
        for depth in range(first, last + 1):
            self.memory.root_depth = depth
            earlier, found = found, ()
            skipped = len(self._excluded)
            for place in range(max(1, min(self._task.multipv, len(self._roots) - skipped))):
                guess = earlier[place].value if place < len(earlier) else 0
                variation = self._variation(depth, skipped + place, guess)
                if variation is not None:
                    found += (variation,)
                if self.stopped:
                    if best := self._best_of_both(found, earlier):
                        publish(Iteration(depth - 1, best))
                    return
            found = best_first(found)
            publish(Iteration(depth, found))
            if all(self._is_settled(variation, depth) for variation in found):
                return

    def _best_of_both(
        self, found: tuple[Variation, ...], earlier: tuple[Variation, ...]
    ) -> tuple[Variation, ...]:
        """What an unfinished iteration found, completed by the one before."""
        moves = {variation.move for variation in found}
        both = found + tuple(v for v in earlier if v.move not in moves)
        if self._task.multipv == 1:
            return both[:1]
        return best_first(both)[: self._task.multipv]

    def _variation(self, depth: int, place: int, guess: int) -> Variation | None:
        """Find the best root move from `place` on, and move it to `place`.

        None if the search was stopped before anything was known.
        """
        memory, root, roots = self.memory, self._root, self._roots
        memory.root_from, memory.root_count = place, len(roots)
        # Where there is chance, values are in fractions of the evaluation's units.
        margin = self._task.selectivity.aspiration * value_unit(self._task.game)
        # The first iterations say too little about where the next value will be.
        aspires = depth >= self._task.selectivity.aspiration_depth
        alpha, beta = window(guess, margin, 0) if aspires else (-INFINITY, INFINITY)
        for attempt in range(1, 100):
            root.moves[: len(roots)] = roots
            memory.root_ranks[: len(roots)] = [self._ranks[a] for a in roots]
            memory.best = NO_MOVE
            guesses = int(memory.guesses)
            value = int(self._entry(self._words, depth, alpha, beta, boxed(memory), self._table))
            best = int(memory.best)
            if roots and best != NO_MOVE:
                roots.remove(best)
                roots.insert(place, best)
            if self.stopped or alpha < value < beta:
                break
            if value <= alpha:
                alpha = window(value, margin, attempt)[0]
            else:
                beta = window(value, margin, attempt)[1]
        if self.stopped:
            if best == NO_MOVE:
                return None
            value = int(memory.best_value)
        pv = tuple(map(int, root.pv[: root.pv_length]))
        proven = not self.stopped and bool(memory.guesses == guesses)
        return Variation(best, value, proven, pv or ((best,) if roots else ()))

    def _is_settled(self, variation: Variation, depth: int) -> bool:
        """Whether a deeper search would say the same."""
        return variation.proven or is_decided(variation.value, self._most, depth)

    def is_proven(self, variation: Variation) -> bool:
        """Whether a value depends on no evaluation, nor on a table that ignores the game so far."""
        if self._task.game.has_superko:  # it is seen at the root alone
            return abs(variation.value) >= WON and plies_of(variation.value) <= 1
        by_path = self._task.game.repeats > 0 and len(self._task.history) > 0
        decided = is_decided(variation.value, self._most, DEEPEST)
        return variation.proven or (decided and not by_path)

    @property
    def selective_depth(self) -> int:
        """The longest line looked at."""
        return int(self.memory.longest)


def new_memory(
    compiled: Compiled[S], game: Game[S], selectivity: Selectivity
) -> tuple[Memory, list[NetArrays | DatabaseArrays]]:
    """A thread's memory that judges positions as a game does, and the arrays that it points to.

    `compiled` is of `game.weighing()`.
    """
    memory = allocate(Memory, game.facts.max_moves)
    kept: list[NetArrays | DatabaseArrays] = []
    memory.selectivity = astuple(selectivity)  # type: ignore[assignment]
    if isinstance(game.net, Net):
        net = NetArrays(game.net)
        memory.net = net.fields()  # type: ignore[assignment]
        kept.append(net)
    if isinstance(game.database, Database):
        arrays = game.database.arrays()
        memory.database = arrays.fields()  # type: ignore[assignment]
        kept.append(arrays)
    if compiled.game.weigh is not None:
        weights = game.whole_weights()
        memory.weights[: len(weights)] = weights
    return memory, kept


def best_first(variations: tuple[Variation, ...]) -> tuple[Variation, ...]:
    """Moves sorted by value, best first."""
    return tuple(sorted(variations, key=lambda variation: -variation.value))


def search_entry(compiled: Compiled[Any]) -> Entry:
    """The search that fits a game, compiled."""
    return compiled.entry(template_for(compiled.game))


def template_for(game: Game[Any]) -> Callable[..., Any]:
    """The search that fits a game."""
    return search_from if game.facts.deterministic else expect_from


def root_moves(task: Task[S]) -> list[Action]:
    """The moves of the root: the game's favorites first, or shuffled where a seed is given."""
    game, s = task.game, task.position
    if game.player(s) == CHANCE:
        return []
    moves = [a for a in game.moves(s, task.history) if not task.moves or a in task.moves]
    if task.seed is not None:
        random.Random(task.seed).shuffle(moves)
    else:
        moves.sort(key=lambda a: -game.order(s, a))
    return moves


def excluded_moves(task: Task[S]) -> list[Action]:
    """The moves of the root that are not to be considered."""
    moves, legal = task.moves, task.game.moves(task.position, task.history)
    return [
        a for a in task.game.moves(task.position) if a not in legal or (moves and a not in moves)
    ]


def greatest_utility(task: Task[S]) -> int | None:
    """The greatest utility any player can reach, if the game declares it and has no chance."""
    if "bounds" not in task.game.hooks or not task.game.facts.deterministic:
        return None
    low, high = task.game.bounds(task.position)
    return high if low == -high else None


def is_decided(value: int, most: int | None, depth: int) -> bool:
    """Whether a game is won or lost by as much as possible, within the depth."""
    won = most is not None and abs(value) >= WON
    return won and abs(utility_of(value)) == most and plies_of(value) <= depth


def value_unit(game: Game[Any]) -> int:
    """What an evaluation's unit is on the scale of the search."""
    return 1 if game.facts.deterministic else UNIT


def window(guess: int, margin: int, attempt: int) -> tuple[int, int]:
    """Where a value is expected; wider after every attempt that missed it."""
    if abs(guess) >= WON or attempt > 2:
        return -INFINITY, INFINITY
    margin = (margin + abs(guess) // 8) << 2 * attempt
    return guess - margin, guess + margin
