"""Tuning a player's numbers by playing: SPSA over the games of a match.

An iteration is a small match of the player with its parameters moved one way against the same
player with them moved the other way, in pairs of games from one opening. Where the parameters are
follows from the games in the file and from nothing else, so a run can be stopped at any moment.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from threefold.arena.axes import Axes
from threefold.arena.contest import Contest
from threefold.arena.ledger import Ledger, Result
from threefold.arena.lines import LIMITS, BadPlayer, PlayerLine, parse_line
from threefold.arena.match import TUNE, MatchSettings
from threefold.arena.players import make
from threefold.arena.record import ABANDONED, MatchInfo, Task
from threefold.arena.spsa import DECIMALS, Parameter, Plan, Spsa, usual_rate
from threefold.arena.workers import Workers
from threefold.engine.selectivity import SELECTIVE
from threefold.errors import ThreefoldError, argument
from threefold.games import game as game_named
from threefold.protocols.player import Budget
from threefold.rules import svg
from threefold.rules.game import Game
from threefold.rules.svg import Svg
from threefold.rules.text import shorten

MOST_ITERATIONS: Final = 1_000_000
MOST_PAIRS: Final = 10_000
#: Openings, where nothing else is said: from the usual start, equal players repeat themselves.
DEFAULT_OPENINGS: Final = "random:4"
#: The step where none is given: this part of the range.
_STEPS_IN_RANGE: Final = 10
#: The smallest step of a whole number. A smaller one would often try the same value twice.
_LEAST_WHOLE_STEP: Final = 0.5
#: Points of a curve.
_POINTS: Final = 400

_NUMBER: Final = r"[+-]?\d{1,12}(?:\.\d{1,12})?"
_PARAMETER: Final = re.compile(
    rf"\s*(\w[\w .-]{{0,79}})\s*=\s*({_NUMBER})\s*\.\.\s*({_NUMBER})"
    rf"(?:\s*:\s*({_NUMBER})?\s*(?::\s*({_NUMBER})\s*)?)?\s*"
)


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
            tuple(_parameters(parameters, self.line, game_named(game))),
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
        return tuned_line(self.line, self.spsa)

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
        return to_json(self.settings.game, self.line, self.spsa, self.ledger.games)


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


def with_values(
    line: PlayerLine, parameters: Sequence[Parameter], values: Mapping[str, float]
) -> PlayerLine:
    """A player's line with values for its parameters."""
    texts = {each.name: each.text(values[each.name]) for each in parameters}
    return replace(line, options={**line.options, **texts})


# What was found.


def recorded(match: MatchInfo, results: Iterable[tuple[Task, float, str]]) -> tuple[Spsa, int]:
    """A run as a file has it, and how many games it has there."""
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


def tuned_line(line: PlayerLine, spsa: Spsa) -> str:
    """The line of a player with its parameters where they are now."""
    return str(with_values(line, spsa.parameters, spsa.values))


def to_json(game: str, line: PlayerLine, spsa: Spsa, games: int) -> dict[str, object]:
    """A run in JSON's own types."""
    values = spsa.values
    return {
        "game": game,
        "player": str(line),
        "tuned": tuned_line(line, spsa),
        "iterations": spsa.done,
        "games": games,
        "params": [
            {
                "name": each.name,
                "low": each.low,
                "high": each.high,
                "start": each.start,
                "step": each.step,
                "value": values[each.name],
            }
            for each in spsa.parameters
        ],
    }


def table_lines(spsa: Spsa, games: int) -> list[str]:
    """Where the parameters began, and where they are."""
    values = spsa.values
    width = max(len(each.name) for each in spsa.parameters)
    lines = [f"{spsa.done:,} of {spsa.iterations:,} iterations, {games:,} games"]
    for each in spsa.parameters:
        start, value = each.text(each.start), each.text(values[each.name])
        ends = f"{each.text(each.low)}..{each.text(each.high)}"
        lines.append(f"{each.name:{width}}  {start:>8} -> {value:<8}  in {ends}")
    return lines


def plot(spsa: Spsa) -> Svg:
    """The parameters over the games, one below another."""
    width, height = 640.0, 220.0
    pairs = spsa.plan.pairs
    stride = max(1, len(spsa.path) // _POINTS)
    places = [*range(0, len(spsa.path) - 1, stride), len(spsa.path) - 1]
    pictures, told = [], []
    for number, each in enumerate(spsa.parameters):
        axes = Axes(
            each.name,
            ("games", (0.0, float(2 * pairs * spsa.iterations))),
            ("", (each.low, each.high)),
            size=(width, height),
        )
        axes.level(each.start, "start")
        axes.line((2.0 * pairs * place, spsa.path[place][number]) for place in places)
        end = each.text(each.playable(spsa.path[-1][number]))
        told.append(f"{each.name} from {each.text(each.start)} to {end}")
        inner = axes.svg(told[-1])
        pictures.append(f'<g transform="translate(0 {svg.number(height * number)})">{inner}</g>')
    return svg.picture(width, height * len(pictures), "Tuning", "; ".join(told), pictures)


# The parameters, as they are written.


def _parameters(texts: Sequence[str], line: PlayerLine, game: Game[Any]) -> Iterator[Parameter]:
    if not texts:
        raise ThreefoldError(f"nothing to tune: give {argument('param', 'NAME=LOW..HIGH')}")
    written = [_read(text) for text in texts]
    names = [each.name for each in written]
    for name in names:
        if names.count(name) > 1:
            raise ThreefoldError(f"{argument('param', name)} is given twice")
        if name in LIMITS or name == "eval":
            raise ThreefoldError(
                f"{argument('param', name)} is not a number that a player has; "
                "what it may spend is the same for all"
            )
    # Both ends of all ranges must be lines that the player can be made of.
    for ends in ({each.name: each.low for each in written}, {x.name: x.high for x in written}):
        player = make(replace(line, options={**line.options, **ends}), game, Budget(nodes=1))
    for each in written:
        start = each.start or line.options.get(each.name) or _own(each.name, line, player.game)
        yield _parameter(each, start)


class _Written(NamedTuple):
    """A parameter in the parts of its text."""

    name: str
    low: str
    high: str
    start: str | None
    step: str | None

    def __str__(self) -> str:
        return argument("param", f"{self.name}={self.low}..{self.high}")


def _read(text: str) -> _Written:
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise ThreefoldError(
            f"{argument('param', shorten(text))} is not NAME=LOW..HIGH, NAME=LOW..HIGH:START or "
            "NAME=LOW..HIGH:START:STEP, such as futility=50..200:100:15"
        )
    name, *rest = found.groups()
    return _Written(name.strip(), *rest)


def _own(name: str, line: PlayerLine, game: Game[Any]) -> str:
    """The value that a player has if its line does not say it."""
    if line.kind == "alphabeta" and name in SELECTIVE:
        return str(SELECTIVE[name].own(game))
    terms = game.terms.get(game.evaluation or "", {})
    if line.kind == "alphabeta" and name in terms:
        weight = terms[name].weight
        return str(weight) if weight.denominator == 1 else f"{float(weight):.3f}"
    if line.kind == "mcts" and name == "exploration":
        from threefold.engine.mcts import ON_CPU

        return str(ON_CPU.exploration)
    given = argument("param", f"{name}=LOW..HIGH:START")
    raise BadPlayer(f"nobody knows where {name} starts; write {given}")


def _parameter(written: _Written, start: str) -> Parameter:
    name, low, high, _, step = written
    try:
        least, most, first = float(low), float(high), float(start)
    except ValueError:
        raise BadPlayer(f"{name}={shorten(start)} is not a number to tune") from None
    whole = not any("." in part for part in (low, high, start))
    if least >= most:
        raise ThreefoldError(f"{written}: {low} is not below {high}")
    if not least <= first <= most:
        raise ThreefoldError(
            f"{written}: its start {start} is not in that range; widen the range or give another "
            f"start, {name}={low}..{high}:START"
        )
    least_step = _LEAST_WHOLE_STEP if whole else 10**-DECIMALS
    usual = round(max((most - least) / _STEPS_IN_RANGE, least_step), DECIMALS)
    moved = usual if step is None else float(step)
    if not least_step <= moved <= (most - least) / 2:
        raise ThreefoldError(
            f"{written}: a step of {moved:g} is not from {least_step:g} to half of the range, "
            f"{(most - least) / 2:g}"
        )
    return Parameter(name, least, most, first, moved, whole)


def _check(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ThreefoldError(f"{argument(name, value)} is not a whole number from 1 to {most:,}")
