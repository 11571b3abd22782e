"""What a file says about one of its matches or tournaments: figures, tables and plots."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from threefold.arena import crosstable, plots, table, tuned
from threefold.arena.ledger import Ledger, Result
from threefold.arena.lines import parse_line
from threefold.arena.match import MATCH, TUNE, MatchSettings
from threefold.arena.ratings import parse_anchor
from threefold.arena.record import FAILURES, TIME, MatchInfo, Played
from threefold.arena.sprt import Sprt
from threefold.arena.spsa import Spsa
from threefold.arena.store import Store
from threefold.arena.tune import recorded
from threefold.errors import ThreefoldError
from threefold.rules.svg import Svg
from threefold.rules.text import printable

#: How many games are looked at to see whether there is chance in the game.
_SAMPLE: Final = 10
#: How many moves' times are plotted at most.
_TIMES: Final = 200_000


def find(store: Store, number: int | None = None) -> MatchInfo:
    """A match of a file by its number; the latest one by default."""
    matches = store.matches()
    if not matches:
        raise ThreefoldError(f"{store.path} has no matches yet")
    if number is None:
        return matches[-1]
    for match in matches:
        if match.id == number:
            return match
    known = ", ".join(str(match.id) for match in matches)
    raise ThreefoldError(f"{store.path} has no match {number}; there are {known}")


def heading(match: MatchInfo) -> str:
    """A match in a line: what was played, by whom, and when."""
    who = " – ".join(printable(name, 40) for name in match.players[:2])
    if match.kind == TUNE:
        who = f"{match.kind} of {printable(match.players[0], 40)}"
    elif match.kind != MATCH:
        who = f"{match.kind} of {len(match.players)} players"
    return f"{printable(match.game, 40)}: {who}, begun {when(match.begun)}"


def when(seconds: float) -> str:
    """A time as text, the same wherever it is read."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


class Summary:
    """A match's figures. The games are counted when they are asked for."""

    def __init__(
        self,
        store: Store,
        match: MatchInfo,
        *,
        sprt: Sprt | None = None,
        anchor: str | None = None,
    ) -> None:
        """`sprt` asks for another test than the match had."""
        self.store = store
        self.match = match
        self.names: Sequence[str] = match.players
        self.is_match = match.kind == MATCH
        self.sprt = sprt or _recorded_test(match)
        self._anchor = None if anchor is None else parse_anchor(anchor, match.players)
        #: Of each game: the task, what it was worth to MAX, and how it ended.
        self.results = list(store.results(match))

    @cached_property
    def has_chance(self) -> bool:
        """Whether nature moves in this game: its events have no seconds."""
        sample = self.store.games(self.match, most=_SAMPLE)
        return any(seconds is None for played in sample for seconds in played.seconds)

    @cached_property
    def ledger(self) -> Ledger:
        """All games, counted as the match counts them."""
        settings = MatchSettings(self.match.game, tuple(self.names), kind=self.match.kind)
        sprt = self.sprt if self.is_match else None
        ledger = Ledger(settings, self.has_chance, sprt, self._anchor)
        for task, utility, ending in self.results:
            ledger.add(Result(task, utility, ending))
        return ledger

    @cached_property
    def tuning(self) -> tuple[Spsa, int] | None:
        """Where the parameters are and after how many games, if this is a tuning."""
        return recorded(self.match, self.results) if self.match.kind == TUNE else None

    def to_json(self) -> dict[str, object]:
        """As `threefold match` and `threefold tournament` print it."""
        if self.tuning is not None:
            return tuned.to_json(self.match.game, parse_line(self.names[0]), *self.tuning)
        if not self.is_match:
            ratings = self.ledger.ratings.to_json(self.names)
            counted = ratings | {"games": self.ledger.games}
        else:
            counted = {"players": list(self.names)} | self.ledger.standing.to_json()
        return {
            "game": self.match.game,
            **counted,
            **self.ledger.failures(),
            "seconds": round(self.store.seconds(self.match), 3),
        }

    def lines(self) -> list[str]:
        """The tables as text."""
        if self.is_match:
            standing = self.ledger.standing
            rows = table.lines(standing, self.names, failures=self.ledger.failures())
            return [*rows, "", table.conclusion(standing)]
        if self.tuning is not None:
            spsa, games = self.tuning
            return [*tuned.lines(spsa, games), tuned.line(parse_line(self.names[0]), spsa)]
        ratings = self.ledger.ratings
        return [
            *crosstable.rating_lines(self.names, ratings, chance=self.has_chance),
            *table.failure_lines(self.ledger.failures()),
            "",
            *crosstable.lines(self.names, self.ledger.meetings, ratings),
        ]

    def plots(self) -> dict[str, Svg]:
        """Every plot that makes sense for this match, by name, the most important one first."""
        drawn: dict[str, Svg] = {}
        if self.tuning is not None:
            drawn["parameters"] = tuned.plot(self.tuning[0])
        elif not self.is_match:
            drawn["ratings"] = plots.ratings_plot(
                self.names, self.ledger.ratings, chance=self.has_chance
            )
        else:
            drawn["elo"] = plots.elo_plot(self.results)
            if self.sprt is not None:
                drawn["llr"] = plots.llr_plot(self.results, self.sprt)
            drawn["openings"] = plots.openings_plot(self.results)
        lengths: list[int] = []
        times: list[float] = []
        for played in self.store.games(self.match):
            if played.counts:
                lengths.append(len(played.moves))
                if len(times) < _TIMES:
                    times += [seconds for seconds in played.seconds if seconds is not None]
        return drawn | {"lengths": plots.lengths_plot(lengths), "times": plots.times_plot(times)}

    def failed(self) -> list[Played]:
        """The games that a player lost by a crash, an illegal move, its clock and the like."""
        return [
            next(self.store.games(self.match, task.number, 1))
            for task, _, ending in self.results
            if ending in (*FAILURES, TIME)
        ]


def _recorded_test(match: MatchInfo) -> Sprt | None:
    test = match.settings.get("sprt")
    return Sprt(**test) if isinstance(test, dict) else None
