"""What a search found: the best move, what it is worth, and what it took to find it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Generic, TypeVar

from threefold.rules.contract import CHANCE, FINISHED, MAX, MIN, Action, Player
from threefold.rules.game import Game

S = TypeVar("S")

#: The lead that wins three games of four, for games that declare none.
_LEAD = 100.0
#: Beyond this exponent, a share of the points is 0.
_LOST = 700.0
#: How much of a line is shown on a screen.
_SHOWN_MOVES = 12


@dataclass(frozen=True)
class Line:
    """A move at the root, what it is worth to the player who makes it, and what follows."""

    move: Action
    value: float
    #: Plies until the game is won, negative until it is lost, None where neither is proven.
    win_in: int | None
    #: Whether the value is proven: no evaluation affected it.
    exact: bool
    #: The moves that follow from the root on, this one first.
    pv: tuple[Action, ...]
    #: How many simulations of a tree search went through the move; None in other searches.
    visits: int | None = None


@dataclass(frozen=True)
class TableUse:
    """How a transposition table did: look-ups, hits, and how full it is."""

    megabytes: int = 0
    probes: int = 0
    hits: int = 0
    full: float = 0.0

    @property
    def hit_rate(self) -> float:
        """The share of look-ups that found the position."""
        return self.hits / self.probes if self.probes else 0.0

    def __str__(self) -> str:
        return f"table {self.megabytes} MB, {self.full:.0%} full, {self.hit_rate:.0%} hits"


@dataclass(frozen=True)
class Result(Generic[S]):
    """The answer of a search; `value` and `win_in` are for the player to move."""

    game: Game[S]
    position: S
    #: The best lines, best first, as many as were asked for; none once the game is over.
    lines: tuple[Line, ...]
    value: float
    exact: bool
    win_in: int | None
    depth: int
    #: The longest line looked at, extensions and quiescence included.
    selective_depth: int
    nodes: int
    seconds: float
    table: TableUse = TableUse()
    #: Whether values are means of what simulated games were worth, not an evaluation's.
    simulated: bool = False
    #: What `nodes` counts, in words.
    counted: str = "nodes"

    @property
    def best(self) -> Action | None:
        """The best move; None if the game is over or nature is to move."""
        moves = self.lines and self.game.player(self.position) != CHANCE
        return self.lines[0].move if moves else None

    @property
    def player(self) -> Player:
        """The player to move: 0 for MAX, 1 for MIN."""
        return self.game.player(self.position)

    @property
    def pv(self) -> tuple[Action, ...]:
        """The principal variation: best play for both sides, as far as the search knows."""
        return self.lines[0].pv if self.lines else ()

    @property
    def tied(self) -> tuple[Action, ...]:
        """Every move known to be as good as the best: ask for several lines to know them all."""
        return tuple(
            line.move
            for line in self.lines
            if (line.value, line.win_in) == (self.lines[0].value, self.lines[0].win_in)
        )

    def share(self, of: "Line | Result[S]") -> float:
        """What the value of a line, or of all, means for MAX: a share of the points, 0 to 1."""
        value = -of.value if self.player == MIN else of.value
        if self.game.evaluation is not None and of.win_in is not None:
            return 1.0 if value > 0 else 0.0
        if self.simulated:
            return share_of_utility(value / self.utility_of_one)
        return share_of_estimate(self.game, value, self.game.evaluation)

    @property
    def rate(self) -> float:
        """Nodes per second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    def texts(self, pv: Sequence[Action]) -> list[str]:
        """The moves of a line in the game's notation."""
        return list(_texts(self.game, self.position, pv))

    def to_json(self, game: str | None = None, position: str | None = None) -> dict[str, Any]:
        """The answer as JSON's own types; a caller may have other words for what was asked."""
        return {
            "game": self.game.spec if game is None else game,
            "position": self.game.format(self.position) if position is None else position,
            "player": self.player,
            "best": self.texts([self.best])[0] if self.best is not None else None,
            "value": self.value,
            "exact": self.exact,
            "win_in": self.win_in,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "pv": self.texts(self.pv),
            "moves": [
                {
                    "move": self.texts([line.move])[0],
                    "value": line.value,
                    "pv": self.texts(line.pv),
                }
                for line in self.lines
            ],
        }

    def __str__(self) -> str:
        if not self.lines:
            value = self.shown(self.value, None, self.exact)
            if self.player == CHANCE:
                return f"nature is to move; value for {self.game.sides[MAX]}: {value}"
            return f"the game is over: {value}"
        moves = [self._shown_line(line) for line in self.lines]
        width = max(len(value) for value, _ in moves)
        return "\n".join([*(f"{value:>{width}}  {pv}" for value, pv in moves), self._shown_work()])

    def __repr__(self) -> str:
        return str(self)

    def headline(self) -> str:
        """The answer in one line, to show while the search runs."""
        if not self.lines:
            return str(self)
        value, pv = self._shown_line(self.lines[0])
        work = f"{self.nodes:,} {self.counted}, {self._shown_rate()}"
        return f"depth {self.depth}/{self.selective_depth}  {value}  {pv}  ({work})"

    @property
    def utility_of_one(self) -> int:
        """What a utility of 1 is in the units of `value`."""
        return 1 if self.game.evaluation is None else FINISHED

    def shown(self, value: float, win_in: int | None, exact: bool) -> str:
        """A value as readable text: with its sign, and how soon the game is won or lost."""
        unit, one = self.game.utility_unit, self.utility_of_one if self.game.utility_unit else 1
        whole = isinstance(value, int) and value % one == 0
        number = f"{value // one:+d}" if whole else f"{value / one:+.3f}"
        number = f"{number} {unit}".rstrip()
        source = ", database" if self.is_looked_up(win_in, exact) else ""
        if win_in is not None:
            return f"{number}, {'won' if win_in >= 0 else 'lost'} in {abs(win_in)}{source}"
        return f"{number}, proven{source}" if exact else number

    def is_looked_up(self, win_in: int | None, exact: bool) -> bool:
        """Whether a value with these words comes from a database of end-games."""
        return (exact or win_in is not None) and self.is_in_database

    @cached_property
    def is_in_database(self) -> bool:
        """Whether a database of end-games has the position."""
        database = self.game.database
        return database is not None and database.value(self.position) is not None

    def _shown_line(self, line: Line) -> tuple[str, str]:
        pv = self.texts(line.pv[:_SHOWN_MOVES])
        more = " …" if len(line.pv) > _SHOWN_MOVES else ""
        return self.shown(line.value, line.win_in, line.exact), " ".join(pv) + more

    def _shown_work(self) -> str:
        table = f"; {self.table}" if self.table.megabytes else ""
        return (
            f"depth {self.depth}/{self.selective_depth}, {self.nodes:,} {self.counted} in "
            f"{self.seconds:.2f} s ({self._shown_rate()}){table}"
        )

    def _shown_rate(self) -> str:
        """Nodes per second; a search may also count what takes much longer than a node."""
        return f"{self.rate / 1e6:.2f} M/s" if self.rate >= 1e4 else f"{self.rate:,.0f}/s"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(value)}</td><td style='text-align:left'>{escape(pv)}</td></tr>"
            for value, pv in map(self._shown_line, self.lines)
        )
        head = "<tr><th>value</th><th style='text-align:left'>best play</th></tr>"
        return (
            f"<div>{self.game.draw(self.position)}<table>{head}{rows}</table>"
            f"<p>{escape(self._shown_work() if self.lines else str(self))}</p></div>"
        )


def share_of_estimate(game: Game[Any], value: float, evaluation: str | None) -> float:
    """An evaluation's estimate for MAX as a share of the points; without one, it is a utility."""
    if evaluation is None:
        return share_of_utility(value)
    if evaluation not in game.evaluations:  # a net, whose values are utilities
        return share_of_utility(value / FINISHED)
    # A lead that wins three games of four: odds of three to one.
    lead = game.leads.get(evaluation or "", _LEAD)
    return 1 / (1 + math.exp(min(-value * math.log(3) / lead, _LOST)))


def share_of_utility(value: float) -> float:
    """A utility to MAX, or the mean of some, as a share of the points; a win by more is a win."""
    return 0.5 + 0.5 * max(-1.0, min(1.0, value))


def _texts(game: Game[S], s: S, pv: Sequence[Action]) -> Iterator[str]:
    for a in pv:
        yield game.format_move(s, a)
        s = game.result(s, a)
