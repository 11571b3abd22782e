"""Self-play on the CPU: compiled games in which a net chooses its moves, and what they teach.

A net judges *afterstates*: positions as they are after a move, before nature rolls. The position
after a player's best move says what the one before was worth; that is the target of temporal
differences, TD(0). With `trace` λ the target also looks at the positions further on, and with 1 at
nothing but the result:

    target(t) = (1 - λ) · value of the best move + λ · target(t + 1)

After a move chosen at random, what follows says nothing about the position before it, so the target
there is that of the best move alone.

Where nature rolls, the mean over every roll can take the place of the roll that came: `every_roll`.
It costs as many times more as there are rolls, and takes their luck out of the target. Only what
the positions further on say *beyond* what the net expected of them is then looked at:

    target(t) = mean over every roll + λ · (target(t + 1) - value of the best move)

The net learns from what it says itself: a table of races has no part in it, here or on a GPU.

A game's random numbers depend on the seed and the game's number alone, so the games of several
threads are the same as those of one.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import Annotated, Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.listing import (
    BY_FEATURES,
    check_fault,
    is_over,
    list_actions,
    list_outcomes,
    stop_for,
)
from threefold.engine.memory import Words
from threefold.engine.net_value import NetArrays, NetMemory, judged, net_value
from threefold.engine.nets import ONE, Net
from threefold.engine.playing_out import event_at
from threefold.engine.randomness import below, first_random, next_random
from threefold.engine.records import WORD, Boxed, Real, Word, allocate, boxed
from threefold.learn.learner import Experience
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    CLAIMABLE,
    HAS_DRAWN,
    HAS_OUTCOMES,
    MAX,
    MAX_FEATURE_WORDS,
    MAX_MOVES,
    MIN,
    Action,
    drawn,
    features,
    initial,
    player,
    result,
    state,
    utility,
    viewer,
)
from threefold.rules.game import Game

S = TypeVar("S")

#: A utility of 1 in the units in which moves are compared.
UNIT: Final = 1 << 20
#: The most plies of a game that are learned from; longer games are cut off there.
LONGEST: Final = 2000
#: Probabilities of random moves are in shares of this.
SHARES: Final = 1 << 20
#: Below every value of a move.
_LEAST: Final = -(1 << 62)


@dataclass(slots=True, kw_only=True)
class Play(Control):
    """What a thread needs to play: its net, how to choose, and room for moves."""

    net: Annotated[NetMemory, NetMemory]
    random: Word = 0
    results: Word = 0  # what the net's outputs are the chances of; 0 for a margin
    explore: Word = 0  # how often a move is random, in `SHARES`
    openings: Word = 0  # how many plies at the beginning may be random
    every_roll: Word = 0  # whether the mean over every roll takes the place of the one that came
    most_plies: Word = LONGEST
    decay: Real = 0.0  # λ
    best: Word = 0  # the number of the best move, as `look` finds it,
    best_value: Word = 0  # and its value to the mover
    moves: Annotated[Words, WORD, MAX_MOVES]
    events: Annotated[Words, WORD, MAX_MOVES]
    weights: Annotated[Words, WORD, MAX_MOVES]
    rolls: Annotated[Words, WORD, MAX_MOVES]  # the events of a mean over every roll,
    odds: Annotated[Words, WORD, MAX_MOVES]  # and their weights
    spare: Annotated[Words, WORD, MAX_MOVES]
    shown: Annotated[Words, WORD, MAX_FEATURE_WORDS]  # the features of a position


def ending(s: Any, play: Play) -> tuple[bool, int]:
    """Whether a game is over, and what it is then worth to MAX.

    A draw that a player may claim is claimed.
    """
    if is_over(s, play.spare, play):
        return True, wrap(utility(s))
    by_nature = HAS_OUTCOMES and player(s) == CHANCE
    return HAS_DRAWN and not by_nature and drawn(s) >= CLAIMABLE, wrap(0)


def note_features(s: Any, p: int, row: Any, play: Play) -> None:
    """Write the features of a position into a row, which has room for the right number of words."""
    n = features(s, p, play.shown)
    if n != len(row):
        stop_for(BY_FEATURES, n, play)
        return
    for i in range(n):
        row[i] = play.shown[i]


def roll(s: Any, play: Play) -> Any:
    """The position after nature's moves, if it has any."""
    while HAS_OUTCOMES and player(s) == CHANCE and play.stop == 0:
        n = list_outcomes(s, play.events, play.weights, play)
        total = 0
        for i in range(n):
            total += play.weights[i]
        play.random = next_random(play.random)
        s = result(s, event_at(below(total, play.random), n, play.events, play.weights))
    return s


def look(s: Any, n: int, play: Play, net: NetMemory) -> None:
    """Find the best of the `n` moves of a position, one ply ahead."""
    mover = player(s)
    play.best = 0
    play.best_value = _LEAST
    for i in range(n):
        child = result(s, play.moves[i])
        over, value = ending(child, play)
        if over:
            value *= UNIT
        else:
            value = judged(child, wrap(UNIT), net)
        if mover == MIN:
            value = -value
        if value > play.best_value:
            play.best = i
            play.best_value = value


def write_result(worth: int, row: Any, known: Any, play: Play) -> None:
    """The target of a finished game: certainty of the result nearest to what it is worth."""
    if play.results == 0:
        row[0] = worth
        return
    nearest = 0
    for k in range(play.results):
        row[k] = 0.0
        if abs(known[k] - worth) < abs(known[nearest] - worth):
            nearest = k
    row[nearest] = 1.0


def write_outlook(s: Any, turned: bool, row: Any, outputs: Any, play: Play) -> None:
    """What the net says of a position, to its viewer or, turned, to the other player."""
    net_value(s, wrap(UNIT), play.net)
    n = play.results
    if n == 0:
        row[0] = -outputs[0] / ONE if turned else outputs[0] / ONE
        return
    largest = outputs[0]
    for k in range(1, n):
        largest = max(largest, outputs[k])
    total = 0.0
    for k in range(n):
        chance = exp((outputs[k] - largest) / ONE)
        total += chance
        row[n - 1 - k if turned else k] = chance
    for k in range(n):
        row[k] /= total


def write_best(s: Any, here: int, row: Any, outputs: Any, known: Any, play: Play) -> int:
    """What the best move makes of a position, to a viewer; how many moves there are.

    `play.best` is that move's number in `play.moves`.
    """
    n = 0
    if play.stop == 0:
        n = list_actions(s, play.moves, play)
    after = s
    if n > 0:
        look(s, n, play, play.net)
        after = result(s, play.moves[play.best])
    over, worth = ending(after, play)
    if n == 0 or over:
        write_result(worth if here == MAX else -worth, row, known, play)
    else:
        write_outlook(after, viewer(after) != here, row, outputs, play)
    return n


def write_mean(
    s: Any, here: int, row: Any, each: Any, outputs: Any, known: Any, play: Play
) -> None:
    """The mean over every roll of what the best move makes of a position, to a viewer.

    Where nature moves several times in a row, it is the mean over the first of those moves.
    """
    n = list_outcomes(s, play.rolls, play.odds, play)
    total = 0
    row[:] = 0.0
    for i in range(n):
        write_best(roll(result(s, play.rolls[i]), play), here, each, outputs, known, play)
        row += play.odds[i] * each
        total += play.odds[i]
    row /= max(total, 1)


def play_games(
    seed: int,
    first: int,
    last: int,
    memory: Boxed[Play],
    outputs: Any,
    known: Any,
    words: Any,
    targets: Any,
    luck: Any,
    turned: Any,
    tally: Any,
) -> int:
    """The entry: self-play games number `first` to before `last`; how many positions they gave.

    Each position writes a row of `words` and of `targets`. It stops early when there is no more
    room for the longest game; `tally` says how many games and plies there were.
    """
    play = memory[0]
    count = 0
    tally[0] = 0
    tally[1] = 0
    width = targets.shape[1]
    for game in range(first, last):
        if count + play.most_plies >= len(words) or play.stop != 0:  # with a row to spare
            break
        play.random = first_random(seed, game)
        opening = below(play.openings + 1, play.random)
        s = initial()
        begin = count
        ended = False
        for ply in range(play.most_plies):
            # Step 1. Note the position.
            here = viewer(s)
            note_features(s, here, words[count], play)
            luck[count] = 0.0
            turned[count] = 0

            # Step 2. Let nature roll; find the best move, and what it makes of the position.
            rolled = roll(s, play)
            n = write_best(rolled, here, targets[count], outputs, known, play)
            child = rolled
            ended = n == 0

            # Step 3. Play it, or now and then another.
            if n > 0:
                chosen = play.best
                play.random = next_random(play.random)
                if ply < opening or below(SHARES, play.random) < play.explore:
                    play.random = next_random(play.random)
                    chosen = below(n, play.random)
                child = result(rolled, play.moves[chosen])
                ended = ending(child, play)[0]
                # What the next target means to the viewer here: 0 nothing, 1 the same, 2 the
                # reverse.
                if chosen == play.best and not ended:
                    turned[count] = 1 if viewer(child) == here else 2

            # Step 4. See how lucky this roll was.
            if play.every_roll != 0 and HAS_OUTCOMES and player(s) == CHANCE:
                write_mean(s, here, luck[count], luck[count + 1], outputs, known, play)
                luck[count] = targets[count] - luck[count]
            count += 1
            s = child
            if ended:
                break
        if not ended:
            turned[count - 1] = 0
        # Step 5. Look back: each target takes part of the next one's, and leaves out luck.
        for t in range(count - 1, begin - 1, -1):
            for k in range(width):
                if turned[t] != 0:
                    ahead = targets[t + 1, width - 1 - k if turned[t] == 2 else k]
                    if play.results == 0 and turned[t] == 2:
                        ahead = -ahead
                    targets[t, k] += play.decay * (ahead - targets[t, k])
                targets[t, k] -= luck[t, k]
        tally[0] += 1
        tally[1] += count - begin
    return count


def choose_from(words: tuple[int, ...], memory: Boxed[Play]) -> int:
    """The entry: the best move one ply ahead; -1 if there is none."""
    play = memory[0]
    s = state(words)
    n = list_actions(s, play.moves, play)
    if n == 0:
        return -1
    look(s, n, play, play.net)
    return play.moves[play.best]


class Chooser(Generic[S]):
    """Plays the move after which a net likes the position best: no search, thousands a second."""

    def __init__(self, net: Net[S]) -> None:
        self._net = net
        self._compiled = Compiled(net.game.without_evaluation())
        self._play, self._arrays = _memory(net.game, net, races=True)
        self._entry = self._compiled.entry(choose_from)

    def choose(self, s: S) -> Action:
        """The move to play where a player moves."""
        return self.best(s)[0]

    def best(self, s: S) -> tuple[Action, float]:
        """The move to play, and the utility that the mover can then expect."""
        chosen = int(self._entry(self._compiled.words(s), boxed(self._play)))
        check_fault(self._net.game, self._play)
        return chosen, self._play.best_value / UNIT


class SelfPlay(Generic[S]):
    """Compiled self-play of one game in several threads."""

    def __init__(self, game: Game[S], threads: int = 1) -> None:
        game.require("learning", zero_sum=True, perfect_information=True)
        self.game = game
        self.threads = threads
        self._compiled = Compiled(game.without_evaluation())
        self._pool = ThreadPoolExecutor(threads)
        self.longest = min(LONGEST, game.facts.max_ply)

    def play(
        self,
        net: Net[S],
        games: int,
        seed: int,
        *,
        first: int = 0,
        trace: float = 0.7,
        exploration: float = 0.1,
        openings: int = 0,
        every_roll: bool = False,
    ) -> Experience:
        """What `games` games of self-play teach, from game number `first` on."""
        entry = self._compiled.entry(play_games)
        known = np.array(net.results, np.int64)
        width = max(len(net.results), 1)
        shares = np.linspace(first, first + games, self.threads + 1).astype(int)

        def run(low: int, high: int) -> Experience:
            play, arrays = _memory(self.game, net, races=False)
            play.decay = trace
            play.explore = round(exploration * SHARES)
            play.openings = openings
            play.every_roll = int(every_roll)
            rows = max(64 * (high - low), 2) + 2 * self.longest
            words = np.zeros((rows, net.words), np.int64)
            targets = np.zeros((rows, width), np.float64)
            luck = np.zeros((rows, width), np.float64)
            turned, tally = np.zeros(rows, np.int64), np.zeros(2, np.int64)
            found: list[Experience] = []
            done = low
            while done < high:
                n = int(
                    entry(
                        *(seed, done, high, boxed(play), arrays.outputs, known),
                        *(words, targets, luck, turned, tally),
                    )
                )
                check_fault(self.game, play)
                played, plies = map(int, tally)
                learned = targets[:n].astype(np.float32)
                found.append(Experience(words[:n].copy(), learned, played, plies))
                done += played
            return Experience.joined(found)

        pairs = [(int(a), int(b)) for a, b in pairwise(shares) if b > a]
        return Experience.joined(list(self._pool.map(lambda pair: run(*pair), pairs)))


def _memory(game: Game[S], net: Net[S], *, races: bool) -> tuple[Play, NetArrays]:
    """A thread's memory, and the arrays that it points to."""
    play = allocate(Play, game.facts.max_moves)
    play.most_plies = min(LONGEST, game.facts.max_ply)
    arrays = NetArrays(net, races=races)
    play.net = arrays.fields()  # type: ignore[assignment]
    play.results = len(net.results)
    return play, arrays
