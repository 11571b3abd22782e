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
FAULTS: Final = 7
TALLY_WORDS: Final = 8
_LOW: Final = (1 << 32) - 1

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


def play_out(starts: Any, games: int, seed: int, plies: int, tallies: Any) -> None:
    """The kernel: so many games from each start, each of so many plies at most."""
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    weight = cuda.local.array(MAX_MOVES, np.int32)
    stride = cuda.gridsize(1)
    game = cuda.grid(1)
    last = games * starts.shape[1]
    start, end, ply, random = 0, 0, 0, 0
    wins, losses, unfinished, length, total, squares, high_squares, faults = 0, 0, 0, 0, 0, 0, 0, 0
    if game < last:
        start = game // games
        end = games * (start + 1)
        s = load(starts, start)
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
                faults += 1
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
                    cuda.atomic.add(tallies, (FAULTS, start), faults)
                    wins, losses, unfinished, length = 0, 0, 0, 0
                    total, squares, high_squares, faults = 0, 0, 0, 0
                    start = game // games
                    end = games * (start + 1)
                if game < last:
                    s = load(starts, start)
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
    tallies, seconds = play(OnGpu(game), starts, n, seed, plies)
    parts = [_statistics(n, tallies[:, i]) for i in range(len(starts))]
    whole = _statistics(n * len(starts), tallies.sum(axis=1))
    return Played(**vars(whole), seconds=seconds, moves=list(zip(moves, parts, strict=bool(moves))))


def play(
    on_gpu: OnGpu[Any], starts: Any, n: int, seed: int, plies: int | None = None
) -> tuple[Any, float]:
    """The tallies of `n` games from each of some positions, a column for each; and the seconds.

    Compiling is left out of these.
    """
    game = on_gpu.game
    positions = on_gpu.positions(starts)
    tallies = cuda.to_device(np.zeros((TALLY_WORDS, positions.shape[1]), np.int64))
    most = min(game.facts.max_ply, LONGEST) if plies is None else plies
    kernel, arguments = on_gpu.kernel(play_out), (positions, n, wrap(seed), most, tallies)
    kernel.prepare(*arguments)
    began = time.perf_counter()
    kernel(n * positions.shape[1], *arguments)
    found = tallies.copy_to_host()
    seconds = time.perf_counter() - began
    if found[FAULTS].any():
        raise BrokenRules(
            f"{game.name}: actions or outcomes returned no count from 0 to max_moves="
            f"{game.facts.max_moves} for some position; threefold conformance shows which"
        )
    return found, seconds


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
