"""Random games to the end, one thread per game.

The grid is as large as the device can run in parallel. When a thread's game is over it starts the
next one, so that no lane of a warp waits for another's longer game: each round of the loop is one
ply of every lane. Game number g has its own random numbers, derived from the seed and g alone. So
the result depends neither on the grid nor on how many games are launched at a time.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from threefold.engine.limits import check_whole
from threefold.engine.playing_out import event_at
from threefold.engine.progress import StatusLine, bar
from threefold.engine.randomness import first_random
from threefold.errors import BrokenRules
from threefold.gpu.driver import cuda
from threefold.gpu.kernels import Kernels
from threefold.gpu.listing import list_moves
from threefold.gpu.slots import ROW_TYPE, load
from threefold.rules.bits import GOLDEN, add, lsr, mix, wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    MAX_MOVES,
    MAX_VALUE,
    MAX_WEIGHT,
    Action,
    outcomes,
    player,
    result,
    utility,
)
from threefold.rules.game import Game

S = TypeVar("S")

#: The most games that can be numbered and whose plies can be counted.
MAX_GAMES: Final = 1 << 48

# What is counted from each start, a row of words.
WINS: Final = 0
LOSSES: Final = 1
UNFINISHED: Final = 2
LENGTH: Final = 3
SUM: Final = 4
#: The sum of the squares in two halves, since it may be more than a word holds.
SQUARES: Final = 5
HIGH_SQUARES: Final = 6
#: The least value of a game that ended, and the greatest.
LOWEST: Final = 7
HIGHEST: Final = 8
#: Counts that no row holds, values that no search takes, and invalid weights.
BAD_COUNTS: Final = 9
BAD_VALUES: Final = 10
BAD_WEIGHTS: Final = 11
TALLY_WORDS: Final = 12
_LOW: Final = (1 << 32) - 1
#: Past any value.
_FAR: Final = 1 << 62

#: How many games are launched at first, and the seconds that a launch should take: Ctrl-C waits
#: for the end of one, and so does the progress line.
FIRST_LAUNCH: Final = 1 << 22
LAUNCH_SECONDS: Final = 0.2
LAUNCH_GROWTH: Final = 4


def total_weight(weight: Any, n: int) -> int:
    """The sum of the weights of nature's events, 0 where one is invalid."""
    total = 0
    for i in range(n):
        if weight[i] < 1 or weight[i] > MAX_WEIGHT - total:
            return 0
        total += int(weight[i])
    return total


def play_out(
    positions: Any, first: int, last: int, games: int, seed: int, plies: int, tallies: Any
) -> None:
    """The kernel: games number `first` to before `last`, of no more than `plies` plies each.

    The first `games` numbers begin at the first position, the next at the second, and so on.
    """
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    weight = cuda.local.array(MAX_MOVES, np.int32)
    stride = cuda.gridsize(1)
    game = first + cuda.grid(1)
    start, end, ply, random = 0, 0, 0, 0
    wins, losses, unfinished, length, total, squares, high_squares = 0, 0, 0, 0, 0, 0, 0
    least, greatest, bad_counts, bad_values, bad_weights = _FAR, -_FAR, 0, 0, 0
    if game < last:
        start = game // games
        end = games * (start + 1)
        s = load(positions, start)
        random = first_random(seed, game)
        while game < last:
            # Step 1. List what may happen; nothing once the game is over.
            random = add(random, GOLDEN)
            number = mix(random)
            by_nature = HAS_OUTCOMES and player(s) == CHANCE
            weights = 0
            if by_nature:
                n = outcomes(s, row, weight)
                if n < 1 or n > MAX_MOVES:
                    bad_counts += 1
                    n = 0
                else:
                    weights = total_weight(weight, n)
                    if weights == 0:
                        bad_weights += 1
                        n = 0
            else:
                n = list_moves(s, row)
                if n < 0 or n > MAX_MOVES:
                    bad_counts += 1
                    n = 0
            if n > 0 and ply < plies:
                # Step 2. Choose one and play it.
                if by_nature:
                    s = result(s, event_at((lsr(number, 32) * weights) >> 32, n, row, weight))
                else:
                    s = result(s, int(row[(lsr(number, 32) * n) >> 32]))
                ply += 1
            else:
                # Step 3. Or tally the game and begin the next.
                value = 0
                if n > 0:
                    unfinished += 1
                elif not by_nature:
                    value = wrap(utility(s))
                    if value > MAX_VALUE or value < -MAX_VALUE:
                        bad_values += 1
                    least = min(least, value)
                    greatest = max(greatest, value)
                wins += 1 if value > 0 else 0
                losses += 1 if value < 0 else 0
                length += ply
                total += value
                squares += value * value & _LOW
                high_squares += value * value >> 32
                game += stride
                if game >= end or game >= last:
                    cuda.atomic.add(tallies, (WINS, start), wins)
                    cuda.atomic.add(tallies, (LOSSES, start), losses)
                    cuda.atomic.add(tallies, (UNFINISHED, start), unfinished)
                    cuda.atomic.add(tallies, (LENGTH, start), length)
                    cuda.atomic.add(tallies, (SUM, start), total)
                    cuda.atomic.add(tallies, (SQUARES, start), squares)
                    cuda.atomic.add(tallies, (HIGH_SQUARES, start), high_squares)
                    cuda.atomic.min(tallies, (LOWEST, start), least)
                    cuda.atomic.max(tallies, (HIGHEST, start), greatest)
                    if bad_counts + bad_values + bad_weights > 0:
                        cuda.atomic.add(tallies, (BAD_COUNTS, start), bad_counts)
                        cuda.atomic.add(tallies, (BAD_VALUES, start), bad_values)
                        cuda.atomic.add(tallies, (BAD_WEIGHTS, start), bad_weights)
                    wins, losses, unfinished, length = 0, 0, 0, 0
                    total, squares, high_squares = 0, 0, 0
                    least, greatest = _FAR, -_FAR
                    bad_counts, bad_values, bad_weights = 0, 0, 0
                    start = game // games
                    end = games * (start + 1)
                if game < last:
                    s = load(positions, start)
                    random = first_random(seed, game)
                    ply = 0


@dataclass(frozen=True)
class Playouts:
    """The results of random games from a position; values are MAX's."""

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
        """Games that neither side won."""
        return self.games - self.wins - self.losses


@dataclass(frozen=True)
class Played(Playouts):
    """The same, with the seconds it took and, where asked for, the results of each root move."""

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
    `plies`, by default what the game declares as its most, counts as a draw.
    """
    check_whole("n", n, 1, MAX_GAMES)
    check_whole("seed", seed, -(1 << 63), (1 << 63) - 1)
    if plies is not None:
        check_whole("plies", plies, 0, MAX_GAMES)
    s = game.position(position)
    moves = game.moves(s) if by_move else []
    starts = [game.result(s, a) for a in moves] or [s]
    running = Games(Kernels(game), len(starts), n, plies)
    running.place(starts)
    running.prepare()
    began = time.perf_counter()
    with StatusLine(lambda seconds: running.progress(seconds)):
        running.play(len(starts), seed)
    tallies = running.end()
    seconds = time.perf_counter() - began
    parts = [_statistics(n, tallies[:, i]) for i in range(len(starts))]
    whole = _statistics(n * len(starts), tallies.sum(axis=1))
    return Played(**vars(whole), seconds=seconds, moves=list(zip(moves, parts, strict=bool(moves))))


class Games:
    """Random games, equally many from each of some positions: started now, collected later."""

    def __init__(
        self, kernels: Kernels[Any], most_starts: int, games: int, plies: int | None = None
    ) -> None:
        self._kernels = kernels
        self._kernel = kernels.kernel(play_out)
        self._games = games
        self._plies = kernels.game.facts.max_ply if plies is None else plies
        self._starts = 0
        self._done = 0
        with kernels.translate_device_errors():
            self._stream = cuda.stream()
            #: Where to put the positions, a row for each field of the State.
            self.positions = cuda.pinned_array((len(kernels.fields), most_starts), np.int64)
            self._positions_there = cuda.device_array(self.positions.shape, np.int64)
            # On the device the tallies of all rounds are summed up: nothing has to be cleared.
            self._tallies = cuda.pinned_array((TALLY_WORDS, most_starts), np.int64)
            self._tallies[:] = 0
            self._tallies[LOWEST], self._tallies[HIGHEST] = _FAR, -_FAR
            self._tallies_there = cuda.to_device(self._tallies)

    def place(self, starts: Sequence[Any]) -> None:
        """Play from these positions."""
        self.positions[:, : len(starts)] = self._kernels.columns(starts)

    def prepare(self) -> None:
        """Compile what plays them."""
        self._kernel.prepare(*self._arguments(0, 0, 0))

    def begin(self, starts: int, seed: int) -> None:
        """Let the device play all games from the first `starts` positions."""
        self._send(starts)
        self._launch(0, starts * self._games, seed)

    def play(self, starts: int, seed: int) -> None:
        """The same launch by launch, so that Ctrl-C works."""
        self._send(starts)
        launch, last, self._done = FIRST_LAUNCH, starts * self._games, 0
        while self._done < last:
            began = time.perf_counter()
            self._launch(self._done, min(self._done + launch, last), seed)
            with self._kernels.translate_device_errors():
                self._stream.synchronize()
            self._done = min(self._done + launch, last)
            if time.perf_counter() - began < LAUNCH_SECONDS:
                launch *= LAUNCH_GROWTH

    def progress(self, seconds: float) -> str:
        """How far `play` has gotten."""
        share = self._done / max(self._starts * self._games, 1)
        return f"{bar(share)} {self._done:,} games  {self._done / seconds / 1e6:.1f} M/s"

    def end(self) -> Any:
        """Wait for them; the tallies, a column for each position.

        The lowest and the highest value are those of all games so far from a position's place.
        """
        before = self._tallies[:, : self._starts].copy()
        before[[LOWEST, HIGHEST]] = 0
        self._kernels.fetch(self._tallies_there, self._tallies, self._stream)
        found = self._tallies[:, : self._starts] - before
        game = self._kernels.game
        if found[BAD_COUNTS].any():
            raise self._kernels.bad_count()
        if found[BAD_WEIGHTS].any():
            raise BrokenRules(
                f"{game.name}: outcomes wrote weights for some position that are not positive, or "
                f"whose sum is above {MAX_WEIGHT}; threefold conformance shows which"
            )
        if found[BAD_VALUES].any():
            raise BrokenRules(
                f"{game.name}: utility returned a value past ±{MAX_VALUE} for some position; "
                "threefold conformance shows which"
            )
        return found

    def _send(self, starts: int) -> None:
        self._starts = starts
        with self._kernels.translate_device_errors():
            self._kernels.send(self.positions, self._positions_there, self._stream)

    def _launch(self, first: int, last: int, seed: int) -> None:
        with self._kernels.translate_device_errors():
            arguments = self._arguments(first, last, seed)
            self._kernel(last - first, *arguments, stream=self._stream)

    def _arguments(self, first: int, last: int, seed: int) -> tuple[Any, ...]:
        options = (first, last, self._games, seed, self._plies)
        return (self._positions_there, *options, self._tallies_there)


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
        words[LENGTH],
        mean,
        math.sqrt(max(variance, 0.0) / games),
    )
