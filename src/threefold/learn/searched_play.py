"""Games in which a search chooses the moves: compiled play, ply after ply, with few nodes a move.

Each search deepens iteratively within its nodes, as `engine.deepening` does, but without leaving
machine code: at a thousand nodes a move, anything else would take longer than the search itself.

A game's random numbers depend on the seed and the game's number alone, and no game sees another's
table. So the games of several threads are the same as those of one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.deepening import new_memory
from threefold.engine.expectation import expect
from threefold.engine.listing import (
    check_fault,
    checked_utility,
    list_actions,
    list_outcomes,
)
from threefold.engine.memory import PAST_LENGTH, Memory
from threefold.engine.playing_out import event_at
from threefold.engine.randomness import below, first_random, next_random
from threefold.engine.records import Boxed, Word, allocate, boxed
from threefold.engine.search import search
from threefold.engine.selectivity import selectivity
from threefold.engine.table import NO_MOVE, Table, new_table, position_key
from threefold.engine.values import INFINITY, PLIES, UNIT, WON, reach, utility_of
from threefold.engine.worker import Worker
from threefold.learn.recorded import Recorded
from threefold.learn.survey import survey
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_BOUNDS,
    HAS_OUTCOMES,
    MAX_VALUE,
    MIN,
    REPEATS,
    player,
    result,
    state,
    words,
)
from threefold.rules.game import Game

S = TypeVar("S")

#: Longer games are given up: nothing is known of their result.
LONGEST: Final = 600
#: Shares that probabilities are given in.
SHARES: Final = 1 << 20
#: The value of a position that nobody searched.
UNKNOWN: Final = INFINITY
#: How deep a search goes at most: a position with one line of play does not use up its nodes.
_DEEPEST: Final = 60
#: How often a move after the opening is random, where there are no dice.
EXPLORATION: Final = 0.02
#: The most plies of a random opening, where there are no dice.
_OPENING: Final = 10
#: Everyone, as a side to move for.
BOTH: Final = 2
#: Megabytes of a game's table.
_MEGABYTES: Final = 1


@dataclass(slots=True, kw_only=True)
class Course(Control):
    """How far a game has gotten, and how to go on."""

    random: Word = 0
    ply: Word = 0  # plies so far
    side: Word = BOTH  # whom to move for
    opening: Word = 0  # plies at the beginning that are random
    explore: Word = 0  # how often a later move is random, in `SHARES`
    budget: Word = 0  # nodes for each move
    repeats: Word = 0  # a position that came up so often is a draw
    sound: Word = 0  # from this ply on no move was random
    over: Word = 0
    worth: Word = 0  # the utility to MAX, once the game is over


def think(s: Any, n: int, course: Course, memory: Memory, table: Table) -> int:
    """The best of the `n` moves listed at the root, within the budget; `memory.best_value`."""
    memory.nodes = 0
    memory.stop = 0
    memory.node_limit = course.budget
    here = memory.plies[0]
    # Shuffled, so that ties are broken at random.
    for i in range(n - 1):
        course.random = next_random(course.random)
        other = i + below(n - i, course.random)
        here.moves[i], here.moves[other] = here.moves[other], here.moves[i]
    for i in range(n):
        memory.root_ranks[i] = 0
        here.bounds[i] = here.moves[i]
    best = here.moves[0]
    value = wrap(0)
    none = wrap(NO_MOVE)
    for depth in range(1, _DEEPEST):
        memory.root_from = 0
        memory.root_count = n
        memory.root_depth = depth
        memory.best = NO_MOVE
        guesses = memory.guesses
        for i in range(n):
            here.moves[i] = here.bounds[i]
        if HAS_OUTCOMES:
            found = expect(s, depth, wrap(0), wrap(-INFINITY), wrap(INFINITY), none, memory, table)
        else:
            found = search(
                s, depth, wrap(0), wrap(-INFINITY), wrap(INFINITY), none, none, memory, table
            )
        if memory.best != NO_MOVE:
            best = memory.best
            value = memory.best_value if memory.stop != 0 else found
            # The best move comes first in the next iteration.
            at = 0
            while here.bounds[at] != best:
                at += 1
            while at > 0:
                here.bounds[at] = here.bounds[at - 1]
                at -= 1
            here.bounds[0] = best
        if memory.stop != 0 or memory.guesses == guesses:
            break
        if HAS_BOUNDS and not HAS_OUTCOMES and is_settled(s, value):
            break
    memory.best_value = value
    return best


def is_settled(s: Any, value: int) -> bool:
    """Whether the game is won or lost by as much as possible."""
    low, high = reach(s)
    if player(s) == MIN:
        low, high = -high, -low
    won = value >= WON and value > high - PLIES
    return won or (value <= -WON and value < low + PLIES)


def is_drawn_by_repetition(hashed: int, keys: Any, course: Course) -> bool:
    """Whether a position has come up so often that the game is drawn."""
    times = 1
    for i in range(course.ply):
        times += keys[i] == hashed
    return times >= course.repeats


def play_on(
    states: Any,
    values: Any,
    keys: Any,
    weights: Any,
    course_box: Boxed[Course],
    memory_box: Boxed[Memory],
    table: Table,
) -> None:
    """The entry: play on from the last of `states` until it is the other side's move, or the end.

    Each ply writes the next row of `states` and what the search found of the position before.
    """
    course, memory = course_box[0], memory_box[0]
    row = memory.plies[0].moves
    while course.ply + 1 < len(states) and course.stop == 0:
        # Step 1. What can happen here?
        s = state(states[course.ply])
        mover = player(s)
        hashed = position_key(s)
        values[course.ply] = UNKNOWN
        a = wrap(NO_MOVE)
        course.random = next_random(course.random)
        if HAS_OUTCOMES and mover == CHANCE:
            n = list_outcomes(s, row, weights, course)
            total = wrap(0)
            for i in range(n):
                total += weights[i]
            a = event_at(below(total, course.random), n, row, weights)
        else:
            n = list_actions(s, row, course)
            if n == 0:
                course.worth = checked_utility(s, MAX_VALUE, course)
                course.over = 1
                return
            if REPEATS and is_drawn_by_repetition(hashed, keys, course):
                course.worth = 0
                course.over = 1
                return
            if course.side != BOTH and course.side != mover:
                return

            # Step 2. A move: at random, or by a search that knows the game so far.
            if course.ply < course.opening or below(SHARES, course.random) < course.explore:
                course.random = next_random(course.random)
                a = row[below(n, course.random)]
                course.sound = course.ply + 1
                searched = course.ply >= course.opening
            else:
                searched = True
            if searched:
                if REPEATS:
                    memory.past_length = min(course.ply, PAST_LENGTH)
                    for i in range(memory.past_length):
                        memory.past[i] = keys[course.ply - 1 - i]
                found = think(s, n, course, memory, table)
                values[course.ply] = memory.best_value
                if a == NO_MOVE:
                    a = found
        if course.stop != 0 or memory.fault != 0:
            return

        # Step 3. Play it.
        keys[course.ply] = hashed
        course.ply += 1
        fields = words(result(s, a))
        for j in range(len(fields)):
            states[course.ply, j] = fields[j]


def opening_plies(game: Game[Any]) -> int:
    """How many plies at the beginning of a game may be random: fewer where games are short."""
    if not game.facts.deterministic:
        return 0
    return min(_OPENING, int(survey(game).plies / 3))


class SearchedPlay(Generic[S]):
    """Plays games by searching, in several threads."""

    def __init__(
        self,
        game: Game[S],
        *,
        nodes: int = 1000,
        threads: int = 1,
        openings: int = 8,
        exploration: float = 0.0,
    ) -> None:
        """The first plies of a game, up to `openings` of them, are random; see `Course`."""
        game.require("learning from searches", zero_sum=True, perfect_information=True)
        self.game = game
        self.nodes = nodes
        self.threads = threads
        self.openings = openings
        self.exploration = exploration
        self._rows = min(LONGEST, game.facts.max_ply) + 2
        self._compiled: dict[str, Compiled[S]] = {}

    def play(self, sides: Sequence[Game[S]], numbers: Sequence[int], seed: int) -> list[Recorded]:
        """The games of these numbers.

        `sides` is the same game with one evaluation for both sides, or with two that meet: MAX has
        the first in games with even numbers, and the second in the others. The games 2k and 2k + 1
        then have the same opening.
        """
        players = [self.prepare(side) for side in sides]
        courses = [allocate(Course) for _ in range(self.threads)]
        shares = [numbers[i :: self.threads] for i in range(self.threads)]
        workers = [
            Worker(partial(self._play_all, sides, players, share, seed, course))
            for share, course in zip(shares, courses, strict=True)
            if share
        ]
        try:
            for worker in workers:
                while worker.is_busy(0.1):
                    pass
        except BaseException:
            for course in courses:
                course.stop = 1
            for worker in workers:
                worker.wait()
            raise
        played = dict(game for worker in workers for game in worker.outcome())
        return [played[number] for number in numbers]

    def prepare(self, side: Game[S]) -> Compiled[S]:
        """The compiled rules for an evaluation; nets and weights are data, so there are few."""
        kind = "net" if side.net is not None else f"{side.evaluation} {side.is_reweighted}"
        if kind not in self._compiled:
            self._compiled[kind] = Compiled(side.weighing())
            self._compiled[kind].entry(play_on).prepare(
                *self._arguments(side, self._compiled[kind], allocate(Course))[0]
            )
        return self._compiled[kind]

    def _arguments(self, side: Game[S], compiled: Compiled[S], course: Course) -> tuple[Any, Any]:
        """What `play_on` takes for a new game, and what must be kept meanwhile."""
        fields = len(compiled.words(self.game.initial()))
        memory, kept = new_memory(compiled, side, selectivity(side, None))
        states = np.zeros((self._rows, fields), np.int64)
        values = np.full(self._rows, UNKNOWN, np.int64)
        keys = np.zeros(self._rows, np.int64)
        weights = np.zeros(self.game.facts.max_moves + 1, np.int64)
        table = new_table(_MEGABYTES)
        return (states, values, keys, weights, boxed(course), boxed(memory), table), (memory, kept)

    def _play_all(
        self,
        sides: Sequence[Game[S]],
        players: Sequence[Compiled[S]],
        numbers: Sequence[int],
        seed: int,
        course: Course,
    ) -> list[tuple[int, Recorded]]:
        return [
            (number, self._play_one(sides, players, number, seed, course))
            for number in numbers
            if not course.stop
        ]

    def _play_one(
        self,
        sides: Sequence[Game[S]],
        players: Sequence[Compiled[S]],
        number: int,
        seed: int,
        course: Course,
    ) -> Recorded:
        meet = len(sides) == 2
        random = first_random(seed, number // 2 if meet else number)
        course.random = random
        course.ply = course.sound = course.over = course.worth = 0
        course.opening = below(self.openings + 1, random)
        course.explore = round(self.exploration * SHARES)
        course.budget = self.nodes
        course.repeats = self.game.repeats
        order = (0, 1) if meet and number % 2 == 0 else (1, 0) if meet else (0, 0)
        seats = [self._arguments(sides[i], players[i], course) for i in dict.fromkeys(order)]
        (states, values, keys, weights, *_), _ = seats[0]
        states[0] = players[0].words(self.game.initial())
        turns: list[Callable[[], Any]] = []
        for seat, (arguments, _) in enumerate(seats):
            rest = arguments[4:]
            entry = players[order[seat]].entry(play_on)
            turns.append(partial(entry, states, values, keys, weights, *rest))
        side = 0
        while not course.over and not course.stop and course.ply + 1 < self._rows:
            course.side = side if meet else BOTH
            turns[side]()
            for _, (memory, _) in seats:
                check_fault(self.game, memory)
            check_fault(self.game, course)
            side = 1 - side if meet else side
        plies = int(course.ply)
        return self._recorded(states[: plies + 1], values[: plies + 1], sides, order, course)

    def _recorded(
        self,
        states: Any,
        values: Any,
        sides: Sequence[Game[S]],
        order: Sequence[int],
        course: Course,
    ) -> Recorded:
        movers = np.array([self.game.player(self.game.state_type(*s)) for s in states.tolist()])
        known = values != UNKNOWN
        estimates = np.where(known, values, np.nan)
        if self.game.facts.deterministic:
            decided = known & (np.abs(values) >= WON)
            ends = np.where(decided, [utility_of(int(value)) for value in values], np.nan)
            scales = np.array([sides[i].denominator for i in order], float)
            estimates = estimates / scales[np.clip(movers, 0, 1)]
            estimates[decided] = np.nan
        else:
            ends = np.full(len(values), np.nan)
            estimates = estimates / UNIT
        return Recorded(
            states=states.copy(),
            movers=movers,
            utility=float(course.worth) if course.over else None,
            values=estimates,
            ends=ends,
            first=int(course.opening),
            sound=max(int(course.sound), int(course.opening)),
            units=tuple(_unit(sides[i]) for i in order),
        )


def _unit(side: Game[Any]) -> str:
    """What the values of searches with an evaluation are in."""
    return "net" if side.net is not None else str(side.evaluation)
