"""Rollouts on the device, a thread for each game: the kernel, and what starts it.

The games are those of `threefold.engine.rollout_games`, to the last bit. Each thread keeps the sums
of a net's first layer from one position to the next, as a search on the CPU does. A thread whose
game is over starts the next one, so that no lane of a warp waits for another's longer game.
"""

import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from threefold.engine.control import Control
from threefold.engine.nets import MAX_RESULTS, Net
from threefold.engine.playing_out import event_at
from threefold.engine.race import is_open_race, race_worth
from threefold.engine.randomness import first_random, next_random
from threefold.engine.records import interpreted_record
from threefold.engine.rollout_games import FINISHED_GAME, LUCK, NOTES, OUTCOME, share_of_roll
from threefold.engine.rollout_result import Options
from threefold.engine.rollout_threads import ENDLESS, ROUND
from threefold.engine.rounding import rounded_mean
from threefold.engine.table import NO_MOVE
from threefold.engine.values import INFINITY, UNIT, guessed_value, reach
from threefold.gpu.driver import SIMULATED, cuda
from threefold.gpu.kernels import BLOCK, Kernels
from threefold.gpu.listing import checked, list_moves
from threefold.gpu.net_values import NetOnDevice, later_layers, meaning
from threefold.gpu.random_games import total_weight
from threefold.gpu.self_play import is_finished
from threefold.gpu.slots import ROW_TYPE, load
from threefold.rules.bits import lsb, lsr, pop_lowest, wrap
from threefold.rules.contract import (
    CHANCE,
    FINISHED,
    HAS_NET,
    HAS_RACE,
    HAS_STAKED,
    MAX_FEATURE_WORDS,
    MAX_MOVES,
    MIN,
    features,
    outcomes,
    player,
    race,
    result,
    staked,
    unstaked,
    utility,
    viewer,
)
from threefold.rules.game import Game

#: The most threads, and the most bytes that they use for the units of a net.
_THREADS: Final = 1 << 17
_ROOM: Final = 1 << 30
#: Games of the first launch from all positions together: enough for all threads that run at a time,
#: since one game takes as long as they do. A launch that is over sooner than this many seconds is
#: followed by a larger one; a search that is stopped waits for the end of one.
_FIRST_LAUNCH: Final = 1 << 16
_LAUNCH_SECONDS: Final = 0.25
#: Games of a round from each position: a round of the CPU's would leave most of a GPU idle.
_ROUND: Final = ROUND if SIMULATED else 36 * 36 * ROUND


def kept_value(
    s: Any,
    thread: int,
    first: Any,
    weights: Any,
    biases: Any,
    shapes: Any,
    results: Any,
    races: Any,
    at_stake: int,
    seen: Any,
    sums: Any,
    room: Any,
    words: Any,
    outputs: Any,
) -> int:
    """What a net says of a position, to MAX; the sums are those of the thread's last position.

    A race is worth what its table says.
    """
    if HAS_RACE:
        number = race(s)
        if is_open_race(number):
            return race_worth(number, FINISHED * UNIT, races)
    looked_at = s
    if HAS_STAKED and at_stake != 0:
        looked_at = unstaked(s)
    p = viewer(looked_at)
    features(looked_at, p, words)
    units = sums.shape[1]
    for i in range(seen.shape[1]):
        now = int(words[i])
        changed = now ^ int(seen[p, i, thread])
        seen[p, i, thread] = now
        while changed != 0:
            bit = lsb(changed)
            changed = pop_lowest(changed)
            row = 64 * i + bit
            sign = 1 if lsr(now, bit) & 1 else -1
            for j in range(units):
                sums[p, j, thread] += sign * first[row, j]
    for j in range(units):
        room[0, j, thread] = sums[p, j, thread]
    later_layers(thread, units, weights, biases, shapes, room, outputs)
    value = meaning(outputs, FINISHED * UNIT, results)
    if p == MIN:
        value = -value
    if HAS_STAKED and at_stake != 0:
        value = staked(s, value, FINISHED * UNIT)
    return value


def roll_out(
    positions: Any,
    starts: Any,
    first_game: int,
    games: int,
    seed: int,
    max_rolls: int,
    max_turns: int,
    measure_luck: bool,
    first: Any,
    weights: Any,
    biases: Any,
    shapes: Any,
    results: Any,
    races: Any,
    at_stake: int,
    seen: Any,
    sums: Any,
    room: Any,
    notes: Any,
    tallies: Any,
) -> None:
    """The kernel: so many games, from number `first_game` on, from each of the `starts`.

    `tallies` counts positions judged, and counts of moves that no row holds.
    """
    moves = cuda.local.array(MAX_MOVES, ROW_TYPE)
    spare = cuda.local.array(MAX_MOVES, ROW_TYPE)
    events = cuda.local.array(MAX_MOVES, ROW_TYPE)
    shares = cuda.local.array(MAX_MOVES, np.int32)
    words = cuda.local.array(MAX_FEATURE_WORDS, np.int64)
    outputs = cuda.local.array(MAX_RESULTS, np.int64)
    thread = cuda.grid(1)
    game = thread
    all_games = games * starts.shape[0]
    number, random, luck, rolls, first_total, turns = 0, 0, 0, 0, 1, 0
    judged, faults = 0, 0
    if game < all_games:
        s = load(positions, int(starts[game // games]))
        number = first_game + game % games
        random = first_random(seed, number)
        while game < all_games:
            # Step 1. Nature rolls, unless a player is to move already, or the game ends here.
            by_nature = player(s) == CHANCE
            ends = turns >= max_turns or (by_nature and rolls >= max_rolls)
            ends = ends or is_finished(s, spare)
            turns += 1
            n, total, event = 1, 1, wrap(0)
            if by_nature and not ends:
                n = outcomes(s, events, shares)
                faults += 1 if n < 1 or n > MAX_MOVES else 0
                n = checked(n)
                total = max(total_weight(shares, n), 1)
                if rolls == 0:
                    first_total = total
                random = next_random(random)
                share = share_of_roll(number, rolls, total, first_total, random, seed)
                event = event_at(share, n, events, shares)
                rolls += 1

            # Step 2. The best move after that roll; and after all others, to know what it gained.
            following = s
            gained, sum_of_values = 0, 0
            for i in range(n):
                happened = ends or not by_nature or int(events[i]) == event
                if not happened and not measure_luck:
                    continue
                rolled = s
                if by_nature and not ends:
                    rolled = result(s, int(events[i]))
                mover = player(rolled)
                count = 0
                if mover != CHANCE and not ends:
                    count = list_moves(rolled, moves)
                    faults += 1 if count < 0 or count > MAX_MOVES else 0
                    count = checked(count)
                best, best_move = -INFINITY, wrap(NO_MOVE)
                for k in range(max(count, 1)):
                    child = rolled
                    if count > 0:
                        child = result(rolled, int(moves[k]))
                    judged += 1
                    if is_finished(child, spare):
                        value = wrap(utility(child)) * (FINISHED * UNIT)
                    elif HAS_NET:
                        net = (first, weights, biases, shapes, results, races, at_stake)
                        value = kept_value(child, thread, *net, seen, sums, room, words, outputs)
                        low, high = reach(child)
                        value = min(max(value, low), high)
                    else:
                        value = guessed_value(child)
                    if mover == MIN:
                        value = -value
                    if value > best:
                        best = value
                        if count > 0:
                            best_move = wrap(int(moves[k]))
                if mover == MIN:
                    best = -best
                sum_of_values += best * (int(shares[i]) if by_nature and not ends else 1)
                if happened:
                    gained = best
                    following = rolled
                    if best_move != NO_MOVE:
                        following = result(rolled, best_move)
            if by_nature and measure_luck and not ends:
                luck += gained - rounded_mean(sum_of_values, total)

            # Step 3. It is played; or the game is noted, and the next one begins.
            s = following
            if ends:
                notes[game // games, OUTCOME, game % games] = gained
                notes[game // games, LUCK, game % games] = luck
                notes[game // games, FINISHED_GAME, game % games] = is_finished(s, spare)
                game += cuda.gridsize(1)
                if game < all_games:
                    s = load(positions, int(starts[game // games]))
                    number = first_game + game % games
                    random = first_random(seed, number)
                    luck, rolls, first_total, turns = 0, 0, 1, 0
    cuda.atomic.add(tallies, 0, judged)
    cuda.atomic.add(tallies, 1, faults)


class OnDevice:
    """Games played on the device: a `Roller` of `threefold.engine.rollouts`."""

    round = _ROUND

    def __init__(
        self,
        game: Game[Any],
        starts: Sequence[Any],
        options: Options,
        threads: int,  # noqa: ARG002  of the CPU
    ) -> None:
        self._kernels = kernels = Kernels(game if game.net is None else game.without_evaluation())
        self._kernel = kernels.kernel(roll_out)
        self._options = options
        self.controls = [interpreted_record(Control)]
        self._launch = 2 if SIMULATED else _FIRST_LAUNCH
        self._most_turns = game.facts.max_ply
        words, biases, at_stake = 1, np.zeros(1, np.int32), 0
        if isinstance(game.net, Net):
            words, biases = game.net.words, game.net.biases
            first, _, *others = NetOnDevice(game.net).arrays
            at_stake = int(game.net.staked)
            widest = max(game.net.hidden)
        else:
            first, widest = cuda.to_device(np.zeros((1, 1), np.int16)), 1
            # Of the same types as a net's; nothing looks at them.
            others = [
                cuda.to_device(np.zeros(shape, kind))
                for shape, kind in (
                    (1, np.int16),
                    (1, np.int32),
                    ((1, 2), np.int64),
                    (1, np.int64),
                    (1, np.int32),
                )
            ]
        room = 16 * (widest + words)
        self._threads = max(min(_THREADS, _ROOM // room) // BLOCK, 1) * BLOCK
        if SIMULATED:
            self._threads = 2 * BLOCK
        with kernels.translate_device_errors():
            self._positions = cuda.to_device(kernels.columns(starts))
            self._starts = len(starts)
            sums = np.empty((2, len(biases), self._threads), np.int32)
            sums[:] = biases[None, :, None]
            self._net = (
                first,
                *others,
                at_stake,
                cuda.to_device(np.zeros((2, words, self._threads), np.int64)),
                cuda.to_device(sums),
                cuda.device_array((2, widest, self._threads), np.int32),
            )
        self._run([0], 0, 1, 0)  # compiles

    def play(self, starts: Sequence[int], first: int, last: int) -> Any:
        """Games from each of some positions, launch after launch."""
        (control,) = self.controls
        parts = []
        done = first
        while done < last and control.stop == 0:
            began = time.perf_counter()
            games = min(max(self._launch // len(starts), 1), last - done)
            parts.append(self._run(starts, done, games, self._most_turns))
            done += games
            if time.perf_counter() - began < _LAUNCH_SECONDS and not SIMULATED:
                self._launch *= 2
            if control.nodes >= control.node_limit:
                control.stop = 1
        if not parts:
            return np.zeros((len(starts), NOTES, 0), np.int64)
        return np.concatenate(parts, axis=2)

    def judge(self) -> Sequence[int]:
        """What the evaluation says of each position, to MAX."""
        notes = self._run(range(self._starts), 0, 1, 0)
        self.controls[0].nodes = 0
        return [int(value) for value in notes[:, OUTCOME, 0]]

    def _run(self, starts: Sequence[int], first: int, games: int, max_turns: int) -> Any:
        """A launch: so many games from each of some positions."""
        options = self._options
        with self._kernels.translate_device_errors():
            notes = cuda.device_array((len(starts), NOTES, games), np.int64)
            tallies = cuda.to_device(np.zeros(2, np.int64))
            self._kernel(
                min(len(starts) * games, self._threads),
                self._positions,
                cuda.to_device(np.array(starts, np.int64)),
                first,
                games,
                options.seed,
                ENDLESS if options.truncate is None else options.truncate,
                max_turns,
                options.reduce_variance,
                *self._net,
                notes,
                tallies,
            )
        counted = self._kernels.fetch(tallies)
        if counted[1]:
            raise self._kernels.bad_count()
        self.controls[0].nodes += int(counted[0])
        return self._kernels.fetch(notes)
