"""Solving a game of hidden information by minimizing regret: the drivers.

| method | how | for |
| --- | --- | --- |
| cfr+ | rounds on the listed game, regrets never below 0, later rounds count more | the default |
| cfr | rounds on the listed game, as first published | to compare |
| external | rounds of sampled games, with a table of information sets | games too large to list |

The templates are `threefold.solve.regret` and `threefold.solve.sampled_regret`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from math import isfinite, log
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine, bar
from threefold.engine.records import allocate, boxed
from threefold.engine.running import Report, Running
from threefold.engine.worker import run_in_worker
from threefold.errors import BrokenRules, ThreefoldError, Unsolved, argument
from threefold.rules.bits import mix
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean
from threefold.solve import any_game
from threefold.solve.equilibrium import Advice, Equilibrium
from threefold.solve.expansion import Array
from threefold.solve.profile import Profile, profile, uniform
from threefold.solve.regret import Rounds, play_rounds
from threefold.solve.sampled_regret import (
    COUNT,
    FIRST,
    TIMES,
    Samples,
    find_sets,
    play_samples,
)
from threefold.solve.sequence_form import SequenceForm, check_rememberable, listing_of

S = TypeVar("S")

REGRET_METHODS: Final = ("cfr+", "cfr", "external")
#: Rounds go on until the strategies are this near to optimal, unless their number is given.
GOOD_ENOUGH: Final = 1e-5
#: The same where deals are sampled: chance leaves that much for long.
_SAMPLED_ENOUGH: Final = 1e-2
_MOST_ROUNDS: Final = 1 << 48
#: An exploitability that no rounding comes to.
_NEVER: Final = -1.0
#: Seconds until a bar is shown.
_PATIENCE: Final = 2.0
#: Sampling begins with room for so many sets,
_SETS_AT_FIRST: Final = 1 << 10
#: and looks at its averages first after so many rounds, where they can be judged.
_FIRST_LOOK: Final = 1 << 10


def solved_by_regret(
    game: Game[S],
    s: S | None = None,
    *,
    method: str = "auto",
    megabytes: int = 1024,
    time: float | None = None,
    iterations: int | None = None,
    exploitability: float | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Equilibrium[S]:
    """Strategies for both players of a whole game; the options are those of `solve`."""
    check_rememberable(game)
    start = game.initial()
    if method not in ("auto", *REGRET_METHODS):
        hint = did_you_mean(method, REGRET_METHODS)
        raise ThreefoldError(f"there is no method {method!r} for hidden information: {hint}")
    if s not in (None, start):
        raise ThreefoldError(
            f"{game.name}: what a position with hidden cards is worth depends on how both players "
            "came there; it is solved from the start, and the strategy has every position"
        )
    check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
    check_whole("seed", seed, 0, (1 << 63) - 1)
    if iterations is not None:
        check_whole("iterations", iterations, 1, _MOST_ROUNDS)
    if exploitability is not None and not (isfinite(exploitability) and exploitability > 0):
        given = argument("exploitability", exploitability)
        raise ThreefoldError(f"{given} is not a number above 0")
    if not game.moves(start):
        raise ThreefoldError(f"{game.name} is over before it begins: nobody decides anything")
    wanted = exploitability
    if wanted is None:
        usual = _SAMPLED_ENOUGH if method == "external" else GOOD_ENOUGH
        wanted = usual if iterations is None else _NEVER
    most = _MOST_ROUNDS if iterations is None else iterations
    search: _Regrets[S]
    if method == "external":
        search = _Sampling(game, megabytes, Limits(time=time), most, wanted, seed)
    else:
        search = _Listed(game, megabytes, Limits(time=time), most, wanted, plus=method != "cfr")
    with StatusLine(search.describe if progress else lambda _: "", _PATIENCE):
        return Running(search).result()


class _Regrets(ABC, Generic[S]):
    """What both ways have in common: a `Search` for `Running`."""

    method: str

    def __init__(
        self, game: Game[S], megabytes: int, limits: Limits, most: int, wanted: float
    ) -> None:
        self.clock = Clock(limits)
        self._game, self._megabytes = game, megabytes
        self._most, self._wanted = most, wanted
        self._form: SequenceForm[S] | None = None

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many were played so far."""

    @property
    @abstractmethod
    def exploitability(self) -> float:
        """What it was when it was last looked at; infinite before."""

    @property
    def found(self) -> object:
        """Something once a round is over; None before."""
        return self.rounds or None

    @abstractmethod
    def run(self, report: Report) -> Equilibrium[S]:
        """Compile, then play rounds."""

    def answer(self) -> Equilibrium[S]:
        """Averages are taken when it has stopped."""
        raise self._unsolved()

    def describe(self, _seconds: float) -> str:
        """What is going on, with a bar of how much is done."""
        if not self.rounds:
            return f"{self._game.name}: listing the game"
        said = f"{self.method}, {self.rounds:,} iterations"
        if isfinite(self.exploitability):
            said += f", exploitability {self.exploitability:.2g}"
        return f"{said} {bar(self._share_done())}"

    def _share_done(self) -> float:
        """By whichever limit comes first."""
        shares = [self.rounds / self._most]
        if self.clock.limits.time is not None:
            shares.append(self.clock.seconds / self.clock.limits.time)
        if self._wanted > 0 and 0 < self.exploitability < 1:
            shares.append(log(self.exploitability) / log(min(self._wanted, 0.5)))
        return max(shares)

    def _unsolved(self) -> Unsolved:
        return Unsolved(f"{self._game.name}: stopped before the first iteration was over")

    def _solution(
        self,
        advice: list[Advice[S]],
        judged: Profile[S] | None,
        value: float,
        positions: int,
    ) -> Equilibrium[S]:
        bounds = None if judged is None else judged.bounds
        gained = None if bounds is None else (bounds[1] - bounds[0]) / 2
        return Equilibrium(
            game=self._game,
            position=self._game.initial(),
            lines=(),
            value=value,
            exact=False,
            win_in=None,
            depth=0,
            selective_depth=0,
            nodes=positions,
            seconds=self.clock.seconds,
            method=self.method,
            complete=self.rounds >= self._most or (gained is not None and gained <= self._wanted),
            error=float("inf") if bounds is None else max(value - bounds[0], bounds[1] - value),
            advice=tuple(sorted(advice, key=partial(_by_observation, self._game))),
            exploitability=gained,
            bounds=bounds,
            iterations=self.rounds,
        )


class _Listed(_Regrets[S]):
    """Rounds on the whole game, listed as sequences."""

    def __init__(
        self,
        game: Game[S],
        megabytes: int,
        limits: Limits,
        most: int,
        wanted: float,
        plus: bool,
    ) -> None:
        super().__init__(game, megabytes, limits, most, wanted)
        self.method = "cfr+" if plus else "cfr"
        self._rounds = allocate(Rounds)
        self._rounds.plus, self._rounds.most, self._rounds.wanted = int(plus), most, wanted

    @property
    def rounds(self) -> int:
        """How many were played so far."""
        return int(self._rounds.done)

    @property
    def exploitability(self) -> float:
        """What it was when it was last looked at."""
        seen = float(self._rounds.exploitability)
        return seen if seen >= 0 else float("inf")

    def run(self, report: Report) -> Equilibrium[S]:  # noqa: ARG002  polled, not called
        """List the game, then play rounds."""
        form = _listed(self._game, self._megabytes, self.clock)
        if form is None:
            raise self._unsolved()
        start = uniform(form)
        size = len(form.move)
        known = (form.parent, form.first, form.count, form.sets, form.sequences)
        matrix = (form.row, form.column, form.payoff)
        average = np.zeros(size)
        own = (np.zeros(size), start.strategy, start.plan, average, np.zeros(size), np.zeros(size))
        control = allocate(Control)
        arguments = (*known, *matrix, *own, boxed(self._rounds))
        any_game.prepare(play_rounds, (*arguments, boxed(control)))
        with self.clock.enforce(control), self.clock.counting():
            any_game.run(play_rounds, arguments, control)
        if self.rounds == 0:
            raise self._unsolved()
        found = profile(form, average)
        return self._solution(found.advice(), found, found.value, form.positions)


class _Sampling(_Regrets[S]):
    """Rounds of sampled games, with a table of sets that grows."""

    method = "external"

    def __init__(
        self,
        game: Game[S],
        megabytes: int,
        limits: Limits,
        most: int,
        wanted: float,
        seed: int,
    ) -> None:
        super().__init__(game, megabytes, limits, most, wanted)
        self._compiled = Compiled(game)
        plies, moves = game.facts.max_ply + 1, game.facts.max_moves
        self._samples = allocate(Samples, moves)
        self._samples.random = mix(seed)
        self._sets = np.zeros((_SETS_AT_FIRST, 3), np.int64)
        self._example = np.zeros((_SETS_AT_FIRST, len(self._words)), np.int64)
        self._slots = np.zeros(2 * _SETS_AT_FIRST, np.int64)
        self._options = np.zeros((max(4 * _SETS_AT_FIRST, 2 * moves), 2))
        self._rows = self._compiled.rows(2 * plies)
        self._scratch = np.zeros((plies, moves)), np.zeros((plies, moves))
        self._last_look = float("inf")

    @property
    def _words(self) -> tuple[int, ...]:
        return self._compiled.words(self._game.initial())

    @property
    def rounds(self) -> int:
        """How many were played so far."""
        return int(self._samples.rounds)

    @property
    def exploitability(self) -> float:
        """What it was when it was last looked at."""
        return self._last_look

    @property
    def _arguments(self) -> tuple[Any, ...]:
        tables = (self._sets, self._example, self._slots, self._options)
        return *tables, self._rows, *self._scratch, boxed(self._samples)

    def run(self, report: Report) -> Equilibrium[S]:  # noqa: ARG002  polled, not called
        """Play rounds, and look at the averages now and then if the game can be listed as well."""
        play = self._compiled.entry(play_samples)
        play.prepare(*self._arguments)
        try:
            form = _listed(self._game, self._megabytes, Clock(Limits()))
        except BrokenRules:
            raise
        except ThreefoldError:  # too large: nothing is known of how good the averages are
            form = None
        judged: Profile[S] | None = None
        next_look = _FIRST_LOOK
        while not self.clock.expired and self.rounds < self._most:
            self._samples.most = self._most if form is None else min(next_look, self._most)
            with self.clock.enforce(self._samples), self.clock.counting():
                self._play(play)
            if form is not None and self.rounds >= min(next_look, self._most):
                next_look *= 2
                judged = self._judged(form)
                low, high = judged.bounds
                self._last_look = (high - low) / 2
                if self._last_look <= self._wanted:
                    break
        if self.rounds == 0:
            raise self._unsolved()
        if form is None:
            return self._solution(self._advice(), None, self._mean(), int(self._samples.nodes))
        judged = self._judged(form)
        return self._solution(judged.advice(), judged, judged.value, int(self._samples.nodes))

    def _play(self, play: Callable[..., Any]) -> None:
        """Rounds, with more room whenever that runs out."""
        samples = self._samples
        while samples.rounds < samples.most and not samples.stop:
            run_in_worker(partial(play, *self._arguments), samples)
            check_fault(self._game, samples)
            if samples.too_long:
                raise BrokenRules(
                    f"{self._game.name}: a game lasts longer than "
                    f"max_ply={self._game.facts.max_ply}"
                )
            if samples.full:
                self._make_room()

    def _make_room(self) -> None:
        """Double the tables."""
        tables = (self._sets, self._example, self._slots, self._options)
        if 2 * sum(table.nbytes for table in tables) > self._megabytes << 20:
            raise ThreefoldError(
                f"{self._game.name}: {int(self._samples.sets):,} information sets and more do not "
                f"fit into {self._megabytes:,} MB; a larger {argument('megabytes')} may be enough"
            )
        self._sets, self._example = _doubled(self._sets), _doubled(self._example)
        self._options = _doubled(self._options)
        self._slots = np.zeros(2 * len(self._slots), np.int64)
        self._samples.rehash, self._samples.full = 1, 0

    def _judged(self, form: SequenceForm[S]) -> Profile[S]:
        """The averages on the listed game."""
        where = np.zeros(len(form.first), np.int64)
        control = allocate(Samples, self._game.facts.max_moves)
        entry = self._compiled.entry(find_sets)
        examples = np.ascontiguousarray(form.examples)
        arguments = (examples, self._sets, self._slots, where, boxed(control))
        run_in_worker(partial(entry, *arguments), control)
        counts = np.zeros(len(form.move))
        for i in np.flatnonzero(where >= 0):
            counts[form.own(int(i))] = self._times(int(where[i]))
        return profile(form, counts)

    def _times(self, number: int) -> Array:
        """How often each move of a set would have been made."""
        first, count = int(self._sets[number, FIRST]), int(self._sets[number, COUNT])
        return self._options[first : first + count, TIMES]

    def _advice(self) -> list[Advice[S]]:
        """The averages of all sets that sampling came to."""
        make, found = self._game.state_type, []
        for number in range(int(self._samples.sets)):
            s = make(*map(int, self._example[number]))
            times = self._times(number)
            total = float(times.sum())
            chances = times / total if total > 0 else np.full(len(times), 1 / len(times))
            moves = tuple(self._game.moves(s))
            found.append(Advice(self._game.player(s), s, moves, tuple(chances.tolist())))
        return found

    def _mean(self) -> float:
        """What the sampled games were worth to MAX on average."""
        return float(self._samples.total) / self.rounds


def _by_observation(game: Game[Any], each: Advice[Any]) -> tuple[Any, ...]:
    """What puts information sets in order: by player, and by what is seen if that is words."""
    seen = game.observe(each.position, each.player)
    return (each.player, seen) if isinstance(seen, tuple) else (each.player,)


def _listed(game: Game[S], megabytes: int, clock: Clock) -> SequenceForm[S] | None:
    """The game as sequences; None if it was stopped before."""
    control = allocate(Control)
    listing = listing_of(game, megabytes, control)
    with clock.enforce(control), clock.counting():
        return listing.form()


def _doubled(array: Array) -> Array:
    return np.concatenate([array, np.zeros_like(array)])
