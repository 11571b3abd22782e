"""Rollouts: what a position or a move is worth, by playing many games from there to the end.

`rollout_games` has how a game is played. Here moves are chosen to be rolled out, games are played
round by round, and moves that have fallen far behind are given up.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.limits import MAX_THREADS, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.net_value import NetArrays
from threefold.engine.nets import Net
from threefold.engine.records import allocate, boxed
from threefold.engine.result import Line, Result
from threefold.engine.rollout_games import (
    FINISHED_GAME,
    LUCK,
    NOTES,
    OUTCOME,
    Rollout,
    play_games,
)
from threefold.engine.running import Report, Running
from threefold.engine.selectivity import SELECTIVE
from threefold.engine.values import UNIT
from threefold.engine.worker import Worker
from threefold.errors import ThreefoldError, argument
from threefold.rules.contract import CHANCE, FINISHED, MIN, Action
from threefold.rules.game import Game

S = TypeVar("S")

#: More games than anybody waits for; their numbers stay far from overflow.
MAX_GAMES: Final = 1 << 30
#: A roll limit that no game reaches.
ENDLESS: Final = 1 << 40
#: How many moves are rolled out if nothing else is asked for.
DEFAULT_CANDIDATES: Final = 8
#: Games of a round, a multiple of the 36 rolls of two dice; later rounds have this part of all
#: games so far.
ROUND: Final = 36
ROUND_PART: Final = 8
#: A thread plays this many games before it takes others.
_PORTION: Final = 6
#: A move is given up after so many games if it is behind the best by so many standard errors.
GIVE_UP_AFTER: Final = 144
GIVE_UP_BEHIND: Final = 4.0


@dataclass(frozen=True)
class Options:
    """How games are rolled out, as users say it."""

    #: Games from each position; None for as many as the limits allow.
    games: int | None = None
    #: Stop a game after so many rolls, and take the evaluation; None to play to the end.
    truncate: int | None = None
    #: Whether luck is measured and subtracted.
    reduce_variance: bool = True
    #: The most moves to roll out, and how far one may seem behind the best.
    candidates: int = DEFAULT_CANDIDATES
    margin: int = 160
    seed: int = 0

    def __post_init__(self) -> None:
        if self.games is not None:
            check_whole("games", self.games, 1, MAX_GAMES)
        if self.truncate is not None:
            check_whole("truncate", self.truncate, 1, MAX_GAMES)
        check_whole("filter", self.candidates, 1, SELECTIVE["filter"].high)
        check_whole("filter_margin", self.margin, 0, SELECTIVE["filter_margin"].high)
        check_whole("seed", self.seed, -(1 << 63), (1 << 63) - 1)


class Roller(Protocol):
    """What plays the games, on the CPU or elsewhere."""

    @property
    def controls(self) -> Sequence[Control]:
        """What it shares with whoever stops it; it counts positions there."""

    @property
    def round(self) -> int:
        """How many games from each position a round should have at least."""

    def play(self, starts: Sequence[int], first: int, last: int) -> Any:
        """Games number `first` to before `last` from each of some positions, by their numbers.

        Returns an array [position, note, game]; there are fewer games if it was stopped.
        """

    def judge(self) -> Sequence[int]:
        """What the evaluation says of each position, to MAX."""


#: Given a game, the positions to play from, the options and how many threads.
MakeRoller = Callable[[Game[Any], Sequence[Any], Options, int], Roller]


@dataclass(frozen=True)
class Rolled:
    """What the games from a position came to, for the player who is to choose."""

    move: Action | None
    games: int
    #: Points a game with the luck taken out, and the standard error of that.
    mean: float
    error: float
    #: The same with the luck in it.
    plain_mean: float
    plain_error: float
    #: How many points a game less than the best move, in the games that both have, and the error.
    behind: float
    behind_error: float
    #: How many games ended with each result; those that were truncated are in none.
    results: Mapping[int, int]

    @property
    def truncated(self) -> int:
        """How many games were not played to the end."""
        return self.games - sum(self.results.values())


@dataclass(frozen=True)
class RolloutResult(Result[S]):
    """The answer of rollouts: `rolled` has the details, in the order of `lines`."""

    rolled: tuple[Rolled, ...] = ()
    options: Options = Options()

    def to_json(self, game: str | None = None, position: str | None = None) -> dict[str, Any]:
        """The answer as JSON's own types, with what the games came to."""
        moves = [
            {
                "move": None if each.move is None else self.texts([each.move])[0],
                "games": each.games,
                "mean": each.mean,
                "error": _finite(each.error),
                "plain_mean": each.plain_mean,
                "plain_error": _finite(each.plain_error),
                "behind": each.behind,
                "behind_error": _finite(each.behind_error),
                "results": {str(points): n for points, n in sorted(each.results.items())},
                "truncated": each.truncated,
            }
            for each in self.rolled
        ]
        return super().to_json(game, position) | {
            "rollouts": {
                "games": max((each.games for each in self.rolled), default=0),
                "truncate": self.options.truncate,
                "reduce_variance": self.options.reduce_variance,
                "seed": self.options.seed,
                "moves": moves,
            }
        }

    def __str__(self) -> str:
        if not self.rolled:
            return super().__str__()
        lines = []
        for each in self.rolled:
            name = "" if each.move is None else self.texts([each.move])[0]
            behind = f"  {-each.behind:+.4f} ± {each.behind_error:.4f}" if each.behind else ""
            ends = "  ".join(
                f"{points:+d}: {n / each.games:.1%}"
                for points, n in sorted(each.results.items(), reverse=True)
            )
            left = f"  truncated: {each.truncated / each.games:.1%}" if each.truncated else ""
            lines.append((f"{each.mean:+.4f} ± {each.error:.4f}", name, behind, ends + left))
        names, gaps = (max(len(line[i]) for line in lines) for i in (1, 2))
        shown = [f"{v}  {n:{names}}{gap:{gaps}}  {ends}" for v, n, gap, ends in lines]
        return "\n".join([*shown, self._shown_work()])

    def headline(self) -> str:
        """The answer in one line, to show while games are played."""
        if not self.rolled:
            return super().headline()
        best = self.rolled[0]
        name = "" if best.move is None else f"  {self.texts([best.move])[0]}"
        return f"{best.games:,} games  {best.mean:+.4f} ± {best.error:.4f}{name}"

    def _shown_work(self) -> str:
        games = sum(each.games for each in self.rolled)
        return (
            f"{games:,} games, {self.nodes:,} positions in {self.seconds:.2f} s "
            f"({self.rate / 1e6:.2f} M/s); points a game ± standard error"
        )


class OnThreads:
    """Games played on the CPU, in one thread or several."""

    round = ROUND

    def __init__(self, game: Game[S], starts: Sequence[S], options: Options, threads: int) -> None:
        compiled = Compiled(game.weighing())
        self._entry = compiled.entry(play_games)
        self._starts = [compiled.words(s) for s in starts]
        self.controls = [_memory(game, options) for _ in range(threads)]
        self._nets = []
        for memory in self.controls:
            if isinstance(game.net, Net):
                self._nets.append(NetArrays(game.net))  # kept as long as the memory points to it
                memory.net = self._nets[-1].fields()  # type: ignore[assignment]
        notes = np.zeros((NOTES, 1), np.int64)
        self._entry.prepare(self._starts[0], 0, 0, notes, boxed(self.controls[0]))
        self._game = game

    def play(self, starts: Sequence[int], first: int, last: int) -> Any:
        """Games from each of some positions, in portions that the threads share."""
        notes = np.zeros((len(starts), NOTES, last - first), np.int64)
        portions = iter(
            [
                (place, start, low)
                for low in range(first, last, _PORTION)
                for place, start in enumerate(starts)
            ]
        )
        done = np.zeros(len(starts), np.int64)

        def work(memory: Rollout) -> None:
            for place, start, low in portions:  # `next` of a list's iterator is atomic
                high = min(low + _PORTION, last)
                part = np.zeros((NOTES, high - low), np.int64)
                n = int(self._entry(self._starts[start], low, high, part, boxed(memory)))
                notes[place, :, low - first : low - first + n] = part[:, :n]
                completed[place][low] = n
                if memory.stop:
                    return

        completed: list[dict[int, int]] = [{} for _ in starts]
        leader, *helpers = self.controls
        workers = [Worker(partial(work, memory)) for memory in helpers]
        try:
            work(leader)
        finally:
            for worker in workers:
                worker.wait()
        for worker in workers:
            worker.outcome()
        for memory in self.controls:
            check_fault(self._game, memory)
        for place, portions_done in enumerate(completed):
            for low in range(first, last, _PORTION):
                n = portions_done.get(low, 0)
                done[place] += n
                if n < min(_PORTION, last - low):
                    break
        return notes[:, :, : int(done.min())]

    def judge(self) -> Sequence[int]:
        """What the evaluation says of each position, to MAX."""
        memory = self.controls[0]
        notes = np.zeros((NOTES, 1), np.int64)
        values = []
        turns, memory.max_turns = memory.max_turns, 0
        for words in self._starts:
            self._entry(words, 0, 1, notes, boxed(memory))
            values.append(int(notes[OUTCOME, 0]))
        memory.max_turns = turns
        memory.nodes = 0
        return values


def _memory(game: Game[Any], options: Options) -> Rollout:
    memory = allocate(Rollout, game.facts.max_moves)
    memory.seed = options.seed
    memory.max_rolls = ENDLESS if options.truncate is None else options.truncate
    memory.max_turns = game.facts.max_ply
    memory.measure_luck = int(options.reduce_variance)
    if game.weighing().weigh is not None:
        weights = game.whole_weights()
        memory.weights[: len(weights)] = weights
    return memory


class Rollouts(Generic[S]):
    """The rollouts of one position, as `Running` runs them."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        limits: Limits,
        options: Options,
        *,
        multipv: int = 1,
        threads: int = 1,
        roller: MakeRoller = OnThreads,
    ) -> None:
        check_game(game)
        check_whole("threads", threads, 1, MAX_THREADS)
        check_whole("multipv", multipv, 1, 1 << 30)
        if limits.depth is not None:
            raise ThreefoldError(
                f"rollouts look one ply ahead; {argument('depth')} is alpha-beta's, and "
                f"{argument('truncate')} is after how many rolls a game stops"
            )
        self.clock = Clock(limits)
        self._game = game
        self._position = s
        self._options = options
        self._multipv = multipv
        self._threads = threads
        self._make = roller
        self._roller: Roller | None = None
        moves: list[Action | None] = [None]
        if game.player(s) != CHANCE:
            moves = list(game.moves(s))
        self._moves = moves
        #: By move number, what its games came to: arrays [note, game].
        self._notes: dict[int, list[Any]] = {}
        #: The moves that games are still played for.
        self._live: list[int] = []
        self._answer: RolloutResult[S] | None = None

    @property
    def found(self) -> object:
        """Changes with every round."""
        return self._answer

    def run(self, report: Report) -> Result[S]:
        """Compile, choose the candidates, and play round after round."""
        if not self._moves or self.clock.is_stopped:
            return self.answer()
        game, s, options = self._game, self._position, self._options
        starts = [s if a is None else game.result(s, a) for a in self._moves]
        self._roller = roller = self._make(game, starts, options, self._threads)
        self._live = self._candidates(roller.judge())
        self._notes = {i: [] for i in self._live}
        most = MAX_GAMES if options.games is None else options.games
        done = 0
        with self.clock.enforce(*roller.controls), self.clock.counting():
            while done < most and not self.clock.expired:
                size = max(roller.round, done // ROUND_PART // ROUND * ROUND)
                last = min(done + size, most)
                notes = roller.play(self._live, done, last)
                for place, i in enumerate(self._live):
                    self._notes[i].append(notes[place])
                done += notes.shape[2]
                if done:
                    self._answer = self._rolled()
                    report()
                if done < last:
                    break
                self._give_up()
        self._answer = self._rolled() if done else None
        return self.answer()

    def answer(self) -> RolloutResult[S]:
        """The best answer so far."""
        game, s = self._game, self._position
        if self._answer is not None:
            return self._answer
        value = game.evaluate(s) if self._moves else game.utility(s) * FINISHED
        value = -value if game.player(s) == MIN else value
        seems_best = self._moves[self._live[0]] if self._live else next(iter(self._moves), None)
        lines = [] if seems_best is None else [Line(seems_best, value, None, False, (seems_best,))]
        return self._result(lines, value, ())

    def _candidates(self, values: Sequence[int]) -> list[int]:
        """The moves to roll out: those that seem best, and as many as answers are asked for."""
        sign = -1 if self._game.player(self._position) == MIN else 1
        order = sorted(range(len(values)), key=lambda i: -sign * values[i])
        most = max(self._options.candidates, self._multipv)
        best = sign * values[order[0]]
        near = best - self._options.margin * UNIT
        return [
            i
            for place, i in enumerate(order[:most])
            if place < self._multipv or sign * values[i] >= near
        ]

    def _give_up(self) -> None:
        """Stop playing games for moves that are far behind."""
        rolled = [(self._rolled_move(i, self._best()), i) for i in self._live]
        ranked = sorted(rolled, key=lambda pair: -pair[0].mean)
        self._live = sorted(
            i
            for place, (each, i) in enumerate(ranked)
            if place < self._multipv
            or each.games < GIVE_UP_AFTER
            or each.behind <= GIVE_UP_BEHIND * each.behind_error
        )

    # What the games came to.

    def _points(self, i: int) -> tuple[Any, Any, Any]:
        """For each game of a move: points without luck, points, whether it was finished."""
        notes = np.concatenate(self._notes[i], axis=1)
        scale = (-1 if self._game.player(self._position) == MIN else 1) / (FINISHED * UNIT)
        plain = notes[OUTCOME] * scale
        return plain - notes[LUCK] * scale, plain, notes[FINISHED_GAME] != 0

    def _best(self) -> int:
        return max(self._live, key=lambda i: float(self._points(i)[0].mean()))

    def _rolled(self) -> RolloutResult[S]:
        best = self._best()
        rolled = [self._rolled_move(i, best) for i in self._notes]
        # A move that was given up has fewer games, and is behind by more than its mean may show.
        rolled.sort(key=lambda each: (each.behind, -each.mean))
        shown = tuple(rolled)
        values = [each.mean * FINISHED for each in shown]
        lines = [
            Line(each.move, value, None, False, (each.move,))
            for each, value in zip(shown, values, strict=True)
            if each.move is not None
        ]
        return self._result(lines[: self._multipv], values[0], shown)

    def _rolled_move(self, i: int, best: int) -> Rolled:
        fair, plain, finished = self._points(i)
        others, n = self._points(best)[0], len(fair)
        points, counts = np.unique(np.rint(plain[finished]).astype(int), return_counts=True)
        behind = others[:n] - fair
        return Rolled(
            self._moves[i],
            n,
            float(fair.mean()),
            standard_error(fair),
            float(plain.mean()),
            standard_error(plain),
            float(behind.mean()),
            standard_error(behind),
            dict(zip(points.tolist(), counts.tolist(), strict=True)),
        )

    def _result(
        self, lines: Sequence[Line], value: float, rolled: tuple[Rolled, ...]
    ) -> RolloutResult[S]:
        nodes = sum(int(c.nodes) for c in self._roller.controls) if self._roller else 0
        return RolloutResult(
            game=self._game,
            position=self._position,
            lines=tuple(lines),
            value=value,
            exact=not self._moves,
            win_in=None,
            depth=1 if rolled else 0,
            selective_depth=1 if rolled else 0,
            nodes=nodes,
            seconds=self.clock.seconds,
            rolled=rolled,
            options=self._options,
        )


def standard_error(values: Any) -> float:
    """Of the mean of some numbers, as if they were drawn independently.

    Stratified games are more even than that, so the true error is a little smaller.
    """
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def _finite(number: float) -> float | None:
    """A number as JSON has it."""
    return number if math.isfinite(number) else None


def check_game(game: Game[Any]) -> None:
    """Raise if games cannot be rolled out: they need dice, and an evaluation to choose moves by."""
    game.require("rollouts", zero_sum=True, perfect_information=True)
    if game.facts.deterministic:
        raise ThreefoldError(
            f"{game.name} is a game without chance, so every rollout would be the same game; "
            f"use {argument('method', 'alphabeta')} or {argument('method', 'mcts')}"
        )
    if game.evaluation is None:
        raise ThreefoldError(
            f"rollouts choose their moves by an evaluation, and {game.name} has none; train a net "
            f"and give it with {argument('eval', 'FILE')}"
        )


def start_rollouts(
    game: Game[S], s: S, limits: Limits, options: Options, **others: Any
) -> Running[Result[S]]:
    """Start rolling out a position; the other options are those of `Rollouts`."""
    return Running(Rollouts(game, s, limits, options, **others))
