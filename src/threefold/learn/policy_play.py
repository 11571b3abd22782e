"""Games of nets that propose moves, hundreds at once: the driver of `threefold.learn.gumbel`.

A `Table` is where some lanes play, in one thread. What is compiled and what the net computes take
turns there; several tables play at the same time.

A game's random numbers depend on the seed and its number alone. Its moves depend on the net, which
learns while games are played: the same seed makes the same games with the same number of threads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.listing import check_fault
from threefold.engine.nets import feature_words
from threefold.engine.policy_nets import MOST_MOVES
from threefold.engine.policy_search import EXPLORATION, HOOKS, Judge
from threefold.engine.puct import Node
from threefold.engine.randomness import first_random
from threefold.engine.records import SLACK, allocate, boxed, layout
from threefold.learn.gumbel import (
    BY_SEARCH,
    Lane,
    SelfPlay,
    gather_lanes,
    scatter_lanes,
    teach,
)
from threefold.rules.bits import WORD_BITS
from threefold.rules.contract import MAX
from threefold.rules.game import Game

S = TypeVar("S")

#: Longer games are cut off: nothing is learned about who wins them.
LONGEST: Final = 512
#: The most moves that share the simulations of a position.
_CONSIDERED: Final = 16
#: Openings at random are at most a third of a game, two plies at least, and so many at most.
_OPENING_SHARE: Final = 3
_LONGEST_OPENING: Final = 8
#: One game of so many is played to the end, even if it is decided before.
_WHOLE: Final = 50
#: The most bytes of the trees and games of one table.
_MOST_BYTES: Final = 1 << 29


@dataclass(frozen=True)
class GameRecord:
    """A finished game: the positions that were searched, and what came of them."""

    states: Any
    #: The position in which it ended.
    last: Any
    #: The moves of each position, the shares that they should have, and how many there are.
    moves: Any
    shares: Any
    counts: Any
    #: The result to MAX, or `CUT_OFF`.
    worth: float

    def __len__(self) -> int:
        return len(self.states)


@dataclass(frozen=True)
class Lessons:
    """Positions to learn from."""

    #: What the net sees: rows of words.
    words: Any
    #: The legal moves of each, and their shares; -1 and 0 behind the last.
    moves: Any
    shares: Any
    #: The result to the player to move; `CUT_OFF` where it is unknown.
    results: Any
    #: Who owned which cells in the end: words of bits, those of the player to move, then the
    #: other's, and cells of both where it is unknown. No words in a game without owners.
    owned: Any

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Way:
    """How games are played."""

    seed: int = 0
    simulations: int = 32
    #: The share of games that begin with random moves.
    exploration: float = 0.25
    #: The most plies of such a beginning, and the mean plies of a game of random moves.
    opening: int = _LONGEST_OPENING
    plies: float = 0.0


def to_play(game: Game[S]) -> Game[S]:
    """The game to compile for self-play."""
    more = {"owners", "playout", "reply"} if owner_words(game) else set()
    return game.reduced_to(HOOKS | more)


def considered_visits(most: int, simulations: int) -> list[int]:
    """For each simulation, how often the move to try was tried before: sequential halving."""
    if most <= 1:
        return list(range(simulations))
    phases, visits, left = math.ceil(math.log2(most)), [0] * most, most
    found: list[int] = []
    while len(found) < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            found += visits[:left]
            visits[:left] = [each + 1 for each in visits[:left]]
        left = max(2, left // 2)
    return found[:simulations]


def longest_opening(plies: float) -> int:
    """How long an opening at random may be, given the length of random games in plies.

    Once nets play well, they see what follows a mistake nowhere else. Something is left to search
    even in the shortest games.
    """
    usual = min(max(round(plies / _OPENING_SHARE), 2), _LONGEST_OPENING)
    return min(usual, max(math.ceil(plies) - 1, 0))


def owner_words(game: Game[Any]) -> int:
    """How many words say who owns which cells at the end; none if the game does not."""
    planes, territory = game.planes, game.territory
    if planes is None or territory is None:
        return 0
    if len(territory.places) != planes.cells or planes.cell_bits != tuple(range(planes.cells)):
        return 0
    return 2 * -(-planes.cells // WORD_BITS)


class Setup(Generic[S]):
    """What all lanes of a game have in common, in memory or on a device."""

    def __init__(self, game: Game[S], way: Way) -> None:
        self.game, self.way = game, way
        facts, most = game.facts, game.facts.max_moves
        self.compiled: Compiled[S] = Compiled(to_play(game))
        #: The words of the first position, and how many the net sees of one.
        self.start = np.array(self.compiled.words(game.initial()), np.int64)
        self.words = len(feature_words(game, game.initial(), MAX))
        self.owner_words = owner_words(game)
        self.plies = min(facts.max_ply, LONGEST)
        #: Positions of a game that are recorded at most, and those that are remembered by key.
        self.rows = self.plies + 1
        self.keys = self.rows if game.repeats or game.has_superko else 1
        #: Nodes of a tree.
        self.nodes = 1 + most * (way.simulations + 1)
        considered = max(min(_CONSIDERED, way.simulations // 2, most), 1)
        #: How often the move to try next was tried before: see `gumbel.go_on`.
        self.schedule = np.array(
            [considered_visits(n, way.simulations) for n in range(considered + 1)], np.int64
        )

    @property
    def bytes_of_lane(self) -> int:
        """About how much memory a lane takes."""
        of_position = 12 * self.game.facts.max_moves + 8 * (len(self.start) + 2)
        return int(self.nodes * layout(Node).itemsize + self.rows * of_position)

    def new_play(self) -> SelfPlay:
        """How lanes play, as compiled code reads it."""
        play: SelfPlay = allocate(SelfPlay, self.game.facts.max_moves)
        play.simulations, play.exploration = self.way.simulations, EXPLORATION
        play.max_plies = self.game.facts.max_ply
        play.most_plies, play.repeats = self.plies, self.game.repeats
        return play

    def new_lane(self, number: int, ways: int, spread: float) -> tuple[Any, ...]:
        """A lane as a game begins; with `spread`, by about so many random moves."""
        rng = np.random.default_rng((self.way.seed, number))
        opening = (
            int(rng.integers(1, self.way.opening + 1))
            if rng.random() < self.way.exploration and self.way.opening > 0
            else 0
        )
        if spread > 0:
            opening = int(rng.integers(0, max(round(spread), 1)))
        random = first_random(self.way.seed, number)
        whole = number % _WHOLE == _WHOLE - 1
        return (random, 0, opening, 0, 1, 0, 0, 0, 0, ways, whole, 0, 0, 0.0)


#: The root of a tree in which nobody was yet.
FIRST_NODE: Final = (0, 0.0, -1.0, 1.0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0)


class Table(Generic[S]):
    """Some lanes, and the games that they play one after another."""

    def __init__(
        self, game: Game[S], way: Way, lanes: int, first: int = 0, step: int | None = None
    ) -> None:
        """Its games are numbered from `first` on: those of a lane are `step` apart."""
        self.game = game
        self._setup = setup = Setup(game, way)
        most, rows, fields = game.facts.max_moves, setup.rows, len(setup.start)
        self.lanes = lanes = max(min(lanes, _MOST_BYTES // setup.bytes_of_lane), 1)
        self._next = np.arange(first, first + lanes)
        self._step = lanes if step is None else step
        self._positions = np.zeros((lanes, fields), np.int64)
        self._keys = np.zeros((lanes, setup.keys), np.int64)
        self._states = np.zeros((lanes, rows, fields), np.int64)
        self._moves = np.zeros((lanes, rows, most), np.int32)
        self._shares = np.zeros((lanes, rows, most), np.float32)
        self._counts = np.zeros((lanes, rows), np.int32)
        self._rows = np.zeros((lanes + 1, setup.words), np.int64)
        self._owners = np.zeros(lanes, np.int64)
        self._trees: Any = np.zeros((lanes, setup.nodes), layout(Node)).view(np.recarray)
        self._lanes: Any = np.zeros(lanes, layout(Lane)).view(np.recarray)
        self._play = setup.new_play()
        self._gather = setup.compiled.entry(gather_lanes)
        self._scatter = setup.compiled.entry(scatter_lanes)

    def begin(self, ways: int = BY_SEARCH, *, spread: bool = False) -> None:
        """Start a game in every lane.

        With `spread` the first games start at different stages, by random moves: so they do not all
        end at the same time.
        """
        for lane in range(self.lanes):
            self.start_game(lane, ways, self._setup.way.plies if spread else 0.0)

    def start_game(self, lane: int, ways: int = BY_SEARCH, spread: float = 0.0) -> int:
        """Start the next game of a lane; its number."""
        number = int(self._next[lane])
        self._next[lane] += self._step
        self._positions[lane] = self._setup.start
        self._trees[lane, 0] = FIRST_NODE
        self._lanes[lane] = self._setup.new_lane(number, ways, spread)
        return number

    def step(self, *judges: Judge) -> int:
        """Go on with every lane until it needs the net, and ask it; how many positions it saw.

        With two nets, one is asked where MAX is to move in a game, the other where MIN is.
        """
        box = boxed(self._play)
        count = int(
            self._gather(
                *(self._positions, self._keys, self._states, self._moves, self._shares),
                *(self._counts, self._setup.schedule, self._rows, self._owners),
                *(self._trees, self._lanes, box),
            )
        )
        check_fault(self.game, self._play)
        if count:
            logits, values = self._asked(judges, count)
            self._scatter(count, self._owners, logits, values, self._trees, self._lanes, box)
        return count

    def _asked(self, judges: Sequence[Judge], count: int) -> tuple[Any, Any]:
        """What the nets say of the rows."""
        rows = self._rows[:count]
        if len(judges) == 1:
            return judges[0](rows)
        movers = self._trees[self._owners[:count], 0]["mover"]
        logits: Any = None
        values = np.zeros(count, np.float32)
        for place, judge in enumerate(judges):
            here = movers == place
            if here.any():
                said, values[here] = judge(rows[here])
                logits = np.zeros((count, said.shape[1]), np.float32) if logits is None else logits
                logits[here] = said
        return logits, values

    def finished(self) -> list[int]:
        """The lanes whose game is over."""
        return [int(lane) for lane in np.flatnonzero(self._lanes.over)]

    def worth(self, lane: int) -> float:
        """The result of a lane's game to MAX, or `CUT_OFF`."""
        return float(self._lanes[lane].worth)

    def record(self, lane: int) -> GameRecord:
        """A finished game, of which the table keeps nothing."""
        n = int(self._lanes[lane].recorded)
        rows = (self._states, self._moves, self._shares, self._counts)
        states, moves, shares, counts = (each[lane, :n].copy() for each in rows)
        last = self._positions[lane].copy()
        return GameRecord(states, last, moves, shares.astype(np.float16), counts, self.worth(lane))

    def play(self, judge: Judge, looks: int) -> tuple[list[GameRecord], int]:
        """Play until the net has looked at so many positions; the games that ended, and how many.

        Games in which nothing was searched are left out.
        """
        found: list[GameRecord] = []
        seen = 0
        while seen < looks:
            seen += self.step(judge)
            for lane in self.finished():
                if self._lanes[lane].recorded:
                    found.append(self.record(lane))
                self.start_game(lane)
        return found, seen


class Teacher(Generic[S]):
    """Makes lessons of positions that were searched; one thread uses it at a time."""

    def __init__(self, setup: Setup[S]) -> None:
        self._setup = setup
        self._play = setup.new_play()
        self._scratch = np.zeros(2 * setup.game.facts.max_moves + SLACK, np.int64)
        self._teach = setup.compiled.entry(teach)

    def lessons(self, rows: Sequence[Any], random: int) -> Lessons:
        """What some positions teach: `random` chooses symmetric images to take their places.

        The rows are those of `GameRecord`, with where each position's game ended and its result;
        moves are renamed there as those of the images.
        """
        states, lasts, moves, shares, counts, worths = rows
        n, setup = len(states), self._setup
        words, results = np.zeros((n, setup.words), np.int64), np.zeros(n, np.float32)
        owned = np.zeros((n, setup.owner_words), np.int64)
        self._play.random = random
        self._teach(
            *(states, lasts, counts, moves, worths, len(setup.game.symmetries)),
            *(words, results, owned, self._scratch, boxed(self._play)),
        )
        check_fault(setup.game, self._play)
        behind = np.arange(moves.shape[1]) >= counts[:, None]
        moves = np.where(behind, -1, moves % MOST_MOVES)
        return Lessons(words, moves, np.where(behind, 0, shares), results, owned)

    def of_game(self, game: GameRecord, random: int) -> Lessons:
        """What a game teaches."""
        n = len(game)
        lasts, worths = np.tile(game.last, (n, 1)), np.full(n, game.worth, np.float32)
        given = (game.states, lasts, game.moves.copy(), game.shares, game.counts, worths)
        return self.lessons(given, random)
