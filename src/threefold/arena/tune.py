"""Tuning a player's numbers by playing: SPSA over the games of a match.

An iteration is a small match of the player with its parameters moved one way against the same
player with them moved the other way, in pairs of games from one opening. Where the parameters are
follows from the games in the file and from nothing else, so a run can be stopped at any moment.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from threefold.arena import tuned
from threefold.arena.contest import Contest
from threefold.arena.ledger import Ledger, Result
from threefold.arena.lines import parse_line
from threefold.arena.match import TUNE, MatchSettings
from threefold.arena.parameters import parse_parameters, with_values
from threefold.arena.record import ABANDONED, MatchInfo, Task
from threefold.arena.spsa import Parameter, Plan, Spsa, usual_rate
from threefold.arena.workers import Workers
from threefold.errors import ThreefoldError, argument
from threefold.games import game as game_named

MOST_ITERATIONS: Final = 1_000_000
MOST_PAIRS: Final = 10_000
#: Openings, where nothing else is said: from the usual start, equal players repeat themselves.
DEFAULT_OPENINGS: Final = "random:4"


class Tuning(Contest):
    """A run of SPSA that can be interrupted and continued."""

    ledger: "Results"

    def __init__(
        self,
        game: str,
        player: str,
        parameters: Sequence[str],
        *,
        iterations: int,
        pairs: int,
        rate: float | None = None,
        openings: str | None = None,
        **options: Any,
    ) -> None:
        """`parameters` are written `NAME=LOW..HIGH`; the other options are those of `Contest`."""
        _check("iterations", iterations, MOST_ITERATIONS)
        _check("pairs", pairs, MOST_PAIRS)
        self.line = parse_line(player)
        plan = Plan(
            tuple(parse_parameters(parameters, self.line, game_named(game))),
            iterations,
            pairs,
            usual_rate(iterations * pairs) if rate is None else rate,
        )
        if not 0 < plan.rate < 1000:
            raise ThreefoldError(f"{argument('rate', plan.rate)} is not a number above 0")
        super().__init__(
            game,
            [player, player],
            kind=TUNE,
            tuning=plan,
            openings=DEFAULT_OPENINGS if openings is None else openings,
            **options,
        )
        self.plan = plan
        self.spsa = Spsa(plan, self.settings.seed)

    @property
    def games(self) -> int:
        """How many games the whole run has."""
        return 2 * self.plan.pairs * self.plan.iterations

    @property
    def tuned(self) -> str:
        """The line of the player with its parameters where they are now."""
        return tuned.line(self.line, self.spsa)

    def _new_ledger(self) -> "Results":
        return Results(self.settings, 2 * self.plan.pairs)

    def _enter(self, games: int) -> None:
        super()._enter(games)
        self.spsa = Spsa(self.plan, self.settings.seed)
        self.ledger.teach(self.spsa)

    def tune(
        self, *, concurrency: int | None = None, watch: Callable[[], object] = lambda: None
    ) -> None:
        """Play the iterations that are left."""
        if self.spsa.done == self.plan.iterations:
            return
        with self._workers(concurrency) as workers:
            while self.spsa.done < self.plan.iterations:
                self._iterate(workers, watch)

    def _iterate(self, workers: Workers, watch: Callable[[], object]) -> None:
        played_at_its_end = 2 * self.plan.pairs * (self.spsa.done + 1)
        self._runner.run(played_at_its_end, workers, watch, tasks=list(self._tasks()))
        self.ledger.teach(self.spsa)

    def _tasks(self) -> Iterator[Task]:
        """The games of the next iteration that are not recorded yet."""
        trial = self.spsa.trial()
        lines = tuple(
            str(with_values(self.line, self.plan.parameters, values))
            for values in (trial.plus, trial.minus)
        )
        first = 2 * self.plan.pairs * self.spsa.done
        for number in range(first, first + 2 * self.plan.pairs):
            if number not in self.ledger.done:
                yield replace(self.settings.task(number), lines=lines)

    def to_json(self) -> dict[str, object]:
        """What was found so far."""
        return tuned.to_json(self.settings.game, self.line, self.spsa, self.ledger.games)


class Results(Ledger):
    """The games of a tuning, counted by iteration."""

    def __init__(self, settings: MatchSettings, games_each: int) -> None:
        super().__init__(settings, chance=False)
        self._each = games_each
        #: By iteration: games that are played, and wins minus losses of plus, the match's first.
        self._played: dict[int, tuple[int, int]] = {}

    def add(self, result: Result) -> None:
        """Enter a game."""
        if result.task.number in self.done:
            return
        super().add(result)
        iteration = result.task.number // self._each
        games, lead = self._played.get(iteration, (0, 0))
        won = (result.utility > 0) - (result.utility < 0)
        if result.ending == ABANDONED:
            won = 0
        side = 1 if result.task.players[0] == 0 else -1
        self._played[iteration] = games + 1, lead + side * won

    def teach(self, spsa: Spsa) -> None:
        """Let it learn from every iteration whose games are all there."""
        while spsa.done < spsa.iterations:
            games, lead = self._played.get(spsa.done, (0, 0))
            if games < self._each:
                return
            spsa.learn(lead)


def recorded(match: MatchInfo, results: Iterable[tuple[Task, float, str]]) -> tuple[Spsa, int]:
    """A run from a file, and how many games it has there."""
    given: Any = match.settings["tuning"]
    parameters = tuple(Parameter(**each) for each in given["parameters"])
    plan = Plan(**given | {"parameters": parameters})
    settings = MatchSettings(match.game, tuple(match.players), kind=TUNE)
    ledger = Results(settings, 2 * plan.pairs)
    for result in results:
        ledger.add(Result(*result))
    seed: Any = match.settings["seed"]
    spsa = Spsa(plan, seed)
    ledger.teach(spsa)
    return spsa, ledger.games


def _check(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ThreefoldError(f"{argument(name, value)} is not a whole number from 1 to {most:,}")
