"""Rollouts: what a position or a move is worth, by playing many games from there to the end.

`rollout_games` has how a game is played. Here moves are chosen to be rolled out, games are played
round by round, and moves that have fallen far behind are given up.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np

from threefold.engine.clock import Clock
from threefold.engine.control import Control
from threefold.engine.limits import MAX_THREADS, Limits, check_whole
from threefold.engine.result import Line, Result
from threefold.engine.rollout_games import FINISHED_GAME, LUCK, OUTCOME
from threefold.engine.rollout_result import (
    MAX_GAMES,
    Options,
    Rolled,
    RolloutResult,
    standard_error,
)
from threefold.engine.rollout_threads import ROUND, OnThreads
from threefold.engine.running import Report, Running
from threefold.engine.values import UNIT
from threefold.errors import ThreefoldError, argument
from threefold.rules.contract import CHANCE, FINISHED, MIN, Action
from threefold.rules.game import Game

S = TypeVar("S")

#: Later rounds have this part of all games so far.
ROUND_PART: Final = 8
#: A move is given up after so many games if it is behind the best by so many standard errors.
GIVE_UP_AFTER: Final = 144
GIVE_UP_BEHIND: Final = 4.0


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
