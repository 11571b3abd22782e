"""Random games to the end, one thread a game.

The grid is as large as the device runs at once. Whenever a thread's game is over it starts its
next one, so that no lane of a warp waits for another's longer game: each round of the loop is one
ply of every lane. Game number g has random numbers of its own, made of the seed and g alone: what
comes out does not hang on the grid.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from threefold.errors import BrokenRules, ThreefoldError
from threefold.gpu.device import OnGpu
from threefold.gpu.driver import cuda
from threefold.gpu.slots import ROW_TYPE, load
from threefold.rules.bits import lsr, mix, wrap
from threefold.rules.contract import (
    CHANCE,
    DRAWN,
    HAS_DRAWN,
    HAS_OUTCOMES,
    MAX_MOVES,
    MAX_VALUE,
    Action,
    actions,
    drawn,
    outcomes,
    player,
    result,
    utility,
)
from threefold.rules.game import Game

S = TypeVar("S")

#: The odd constant by which SplitMix64 steps: 2⁶⁴ divided by the golden ratio, as a word.
GOLDEN: Final = -0x61C8864680B583EB

# What is counted from each start, a row of words.
WINS: Final = 0
LOSSES: Final = 1
UNFINISHED: Final = 2
PLIES: Final = 3
SUM: Final = 4
#: The sum of the squares in two halves, for it may be more than a word holds.
SQUARES: Final = 5
HIGH_SQUARES: Final = 6
#: The least value of a game that ended, and the greatest.
LOWEST: Final = 7
HIGHEST: Final = 8
#: Counts that no row holds, and values that no search takes.
BAD_COUNTS: Final = 9
BAD_VALUES: Final = 10
TALLY_WORDS: Final = 11
_LOW: Final = (1 << 32) - 1
#: Past any value.
_FAR: Final = 1 << 62

#: Longer games count as draws, unless the caller or the game says less.
LONGEST: Final = 1 << 14


def list_moves(s: Any, row: Any) -> int:
    """The moves of `s` into `row`, none once the game is over; or a count that no row holds."""
    if HAS_DRAWN and drawn(s) == DRAWN:
        return 0
    return actions(s, row)


def random_event(row: Any, weight: Any, n: int, random: int) -> Action:
    """One of nature's events by their weights."""
    total = 0
    for i in range(n):
        total += int(weight[i])
    left = (lsr(random, 32) * total) >> 32
    event = 0
    while event < n - 1 and left >= int(weight[event]):
        left -= int(weight[event])
        event += 1
    return int(row[event])


def play_out(positions: Any, starts: int, games: int, seed: int, plies: int, tallies: Any) -> None:
    """The kernel: so many games from each of so many starts, each of so many plies at most."""
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    weight = cuda.local.array(MAX_MOVES, np.int32)
    stride = cuda.gridsize(1)
    game = cuda.grid(1)
    last = games * starts
    start, end, ply, random = 0, 0, 0, 0
    wins, losses, unfinished, length, total, squares, high_squares = 0, 0, 0, 0, 0, 0, 0
    least, greatest, bad_counts, bad_values = _FAR, -_FAR, 0, 0
    if game < last:
        start = game // games
        end = games * (start + 1)
        s = load(positions, start)
        random = first_random(seed, game)
        while game < last:
            # Step 1. List what may happen; nothing once the game is over.
            random = wrap(random + GOLDEN)
            number = mix(random)
            by_nature = HAS_OUTCOMES and player(s) == CHANCE
            n = 0
            if ply < plies:
                n = outcomes(s, row, weight) if by_nature else list_moves(s, row)
            if n < 0 or n > MAX_MOVES:
                bad_counts += 1
                n = 0
            if n > 0:
                # Step 2. Make one of it.
                if by_nature:
                    s = result(s, random_event(row, weight, n, number))
                else:
                    s = result(s, int(row[(lsr(number, 32) * n) >> 32]))
                ply += 1
            else:
                # Step 3. Or write the game down and begin the next.
                value = 0
                if ply < plies:
                    value = wrap(utility(s))
                    if value > MAX_VALUE or value < -MAX_VALUE:
                        bad_values += 1
                    least = min(least, value)
                    greatest = max(greatest, value)
                else:
                    unfinished += 1
                wins += 1 if value > 0 else 0
                losses += 1 if value < 0 else 0
                length += ply
                total += value
                squares += value * value & _LOW
                high_squares += value * value >> 32
                game += stride
                if game >= end:
                    cuda.atomic.add(tallies, (WINS, start), wins)
                    cuda.atomic.add(tallies, (LOSSES, start), losses)
                    cuda.atomic.add(tallies, (UNFINISHED, start), unfinished)
                    cuda.atomic.add(tallies, (PLIES, start), length)
                    cuda.atomic.add(tallies, (SUM, start), total)
                    cuda.atomic.add(tallies, (SQUARES, start), squares)
                    cuda.atomic.add(tallies, (HIGH_SQUARES, start), high_squares)
                    cuda.atomic.min(tallies, (LOWEST, start), least)
                    cuda.atomic.max(tallies, (HIGHEST, start), greatest)
                    if bad_counts + bad_values > 0:
                        cuda.atomic.add(tallies, (BAD_COUNTS, start), bad_counts)
                        cuda.atomic.add(tallies, (BAD_VALUES, start), bad_values)
                    wins, losses, unfinished, length = 0, 0, 0, 0
                    total, squares, high_squares = 0, 0, 0
                    least, greatest, bad_counts, bad_values = _FAR, -_FAR, 0, 0
                    start = game // games
                    end = games * (start + 1)
                if game < last:
                    s = load(positions, start)
                    random = first_random(seed, game)
                    ply = 0


def first_random(seed: int, game: int) -> int:
    """Where the random numbers of a game begin."""
    return mix(wrap(mix(seed) + wrap(game * GOLDEN)))


@dataclass(frozen=True)
class Playouts:
    """What random games from a position came to; values are MAX's."""

    games: int
    wins: int
    losses: int
    #: Those that were not over within the plies allowed; they count as draws of value 0.
    unfinished: int
    plies: int
    #: The mean value, and the standard error of that.
    mean: float
    error: float

    @property
    def draws(self) -> int:
        """Games that nobody won."""
        return self.games - self.wins - self.losses


@dataclass(frozen=True)
class Played(Playouts):
    """The same, with how long it took and, where asked for, each root move's own."""

    seconds: float
    moves: Sequence[tuple[Action, Playouts]] = ()


def playouts(
    game: Game[S],
    position: str | S | None = None,
    n: int = 1_000_000,
    *,
    seed: int = 0,
    plies: int | None = None,
    by_move: bool = False,
) -> Played:
    """Play `n` random games from a position, or with `by_move` after each move of it.

    Moves are equally likely, nature's events by their weights. A game that lasts more than
    `plies`, by default the most that the game declares, counts as a draw.
    """
    if n < 1:
        raise ThreefoldError(f"{n} is no number of games: at least one is wanted")
    s = game.position(position)
    moves = game.moves(s) if by_move else []
    starts = [game.result(s, a) for a in moves] or [s]
    running = Games(OnGpu(game), len(starts), n, plies)
    running.positions[:] = np.array(starts, np.int64).T
    running.prepare()
    began = time.perf_counter()
    running.begin(len(starts), wrap(seed))
    tallies = running.end()
    seconds = time.perf_counter() - began
    parts = [_statistics(n, tallies[:, i]) for i in range(len(starts))]
    whole = _statistics(n * len(starts), tallies.sum(axis=1))
    return Played(**vars(whole), seconds=seconds, moves=list(zip(moves, parts, strict=bool(moves))))


class Games:
    """Random games, so many from each of some positions: begun now, and asked for later."""

    def __init__(
        self, on_gpu: OnGpu[Any], most_starts: int, games: int, plies: int | None = None
    ) -> None:
        game = on_gpu.game
        self._on_gpu = on_gpu
        self._kernel = on_gpu.kernel(play_out)
        self._games = games
        self._plies = min(game.facts.max_ply, LONGEST) if plies is None else plies
        self._stream = cuda.stream()
        self._starts = 0
        #: Where to put the positions, a row for each field of the State.
        self.positions = cuda.pinned_array((len(on_gpu.fields), most_starts), np.int64)
        self._positions_there = cuda.device_array(self.positions.shape, np.int64)
        # On the device the tallies of all rounds are summed up: nothing has to be cleared.
        self._tallies = cuda.pinned_array((TALLY_WORDS, most_starts), np.int64)
        self._tallies[:] = 0
        self._tallies[LOWEST], self._tallies[HIGHEST] = _FAR, -_FAR
        self._tallies_there = cuda.to_device(self._tallies)

    def prepare(self) -> None:
        """Compile what plays them."""
        self._kernel.prepare(*self._arguments(1, 0))

    def begin(self, starts: int, seed: int) -> None:
        """Let the device play from the first `starts` positions."""
        self._starts = starts
        self._on_gpu.send(self.positions, self._positions_there, self._stream)
        self._kernel(starts * self._games, *self._arguments(starts, seed), stream=self._stream)

    def end(self) -> Any:
        """Wait for them; the tallies, a column for each position.

        The lowest and the highest value are those of all games so far from a position's place.
        """
        before = self._tallies[:, : self._starts].copy()
        before[[LOWEST, HIGHEST]] = 0
        self._on_gpu.fetch(self._tallies_there, self._tallies, self._stream)
        found = self._tallies[:, : self._starts] - before
        game = self._on_gpu.game
        if found[BAD_COUNTS].any():
            raise BrokenRules(
                f"{game.name}: actions or outcomes returned no count from 0 to max_moves="
                f"{game.facts.max_moves} for some position; threefold conformance shows which"
            )
        if found[BAD_VALUES].any():
            raise BrokenRules(
                f"{game.name}: utility returned a value past ±{MAX_VALUE} for some position; "
                "threefold conformance shows which"
            )
        return found

    def _arguments(self, starts: int, seed: int) -> tuple[Any, ...]:
        tallies = self._tallies_there
        return (self._positions_there, starts, self._games, seed, self._plies, tallies)


def _statistics(games: int, tally: Any) -> Playouts:
    words = [int(word) for word in tally]
    total, squares = words[SUM], words[SQUARES] + (words[HIGH_SQUARES] << 32)
    mean = total / games
    variance = (squares - total * total / games) / max(games - 1, 1)
    return Playouts(
        games,
        words[WINS],
        words[LOSSES],
        words[UNFINISHED],
        words[PLIES],
        mean,
        math.sqrt(max(variance, 0.0) / games),
    )
