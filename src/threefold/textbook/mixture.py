"""Solve a matrix game step by step, in exact fractions.

`solve` goes the way the books go: the best pure choices, saddle points, dominated rows and columns
one at a time, and the optimal mixture of what is left, by the formula for two rows and two columns
and by the simplex method otherwise. Each step is a sentence and says what is still in play, so that
a picture can be drawn at any of them.

von Neumann's minimax theorem (1928): with mixtures, what the row player can be sure of and what the
column player can hold the row player to are the same number, the value of the game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from threefold.textbook.matrix import (
    STRICT,
    WEAK,
    Dominated,
    MatrixGame,
    column_maxima,
    count,
    eliminate,
    row_minima,
    saddle_points,
)
from threefold.textbook.replay import show
from threefold.textbook.simplex import Optimum, simplex
from threefold.textbook.trace import plain

#: Probabilities, one for each row or column.
Mixture: TypeAlias = list[Fraction]


@dataclass(frozen=True)
class Step:
    """One step: a sentence, and the rows and columns still in play after it."""

    #: `start`, `rows`, `columns`, `saddle`, `no-saddle`, `dominated`, `reduced`, `method`, `pivot`,
    #: `row-mixture`, `column-mixture`, `row-check`, `column-check`, `value`.
    kind: str
    sentence: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass
class MatrixSolution:
    """A matrix game's value, an optimal mixture for each player, and the steps that led there."""

    game: MatrixGame
    #: The best pure choices: what each row is sure of, and what each column may have to pay.
    row_minima: list[Fraction]
    column_maxima: list[Fraction]
    #: Every saddle point, row by row, counted from 0.
    saddles: list[tuple[int, int]]
    #: The first of them whose row and column are not dominated; one of them never is.
    saddle: tuple[int, int] | None = None
    dominated: list[Dominated] = field(default_factory=list)
    value: Fraction = Fraction(0)
    rows: Mixture = field(default_factory=list)
    columns: Mixture = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def maximin(self) -> Fraction:
        """The most that the row player is sure of with one row."""
        return max(self.row_minima)

    @property
    def minimax(self) -> Fraction:
        """The least that the column player can hold the row player to with one column."""
        return min(self.column_maxima)

    @property
    def against_columns(self) -> list[Fraction]:
        """What the row player's mixture earns against each column: never less than the value."""
        payoffs = self.game.payoffs
        return [
            sum((self.rows[i] * payoffs[i][j] for i in self.game.rows), Fraction(0))
            for j in self.game.columns
        ]

    @property
    def against_rows(self) -> list[Fraction]:
        """What each row earns against the column player's mixture: never more than the value."""
        return [
            sum((self.columns[j] * row[j] for j in self.game.columns), Fraction(0))
            for row in self.game.payoffs
        ]

    def to_json(self) -> dict[str, Any]:
        """The solution as JSON types; rows and columns are counted from 0."""
        return {
            "procedure": "matrix",
            "value": plain(self.value),
            "rows": plain(self.rows),
            "columns": plain(self.columns),
            "saddle": plain(self.saddle),
            "saddles": plain(self.saddles),
            "maximin": plain(self.maximin),
            "minimax": plain(self.minimax),
            "dominated": [each.to_json() for each in self.dominated],
            "against_rows": plain(self.against_rows),
            "against_columns": plain(self.against_columns),
            "exact": {
                "value": str(self.value),
                "rows": list(map(str, self.rows)),
                "columns": list(map(str, self.columns)),
            },
            "steps": [step.sentence for step in self.steps],
        }

    def __str__(self) -> str:
        pure = "" if self.saddle is None else ", a saddle point"
        return "\n".join(
            (
                f"value {show(self.value)}{pure}",
                f"rows: {', '.join(map(str, self.rows))}",
                f"columns: {', '.join(map(str, self.columns))}",
            )
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """In a notebook: the solution to step through, or its last picture."""
        from threefold.textbook.matrix_picture import MatrixSlides

        return MatrixSlides(self).mime_bundle(str(self), **asked)


def solve(game: MatrixGame) -> MatrixSolution:
    """The value of a matrix game and an optimal mixture for each player, step by step."""
    return _Solver(game).run()


class _Solver:
    """Solves one game and keeps the steps."""

    def __init__(self, game: MatrixGame) -> None:
        self._game = game
        self._found = MatrixSolution(
            game, row_minima(game), column_maxima(game), saddle_points(game)
        )
        self._rows, self._columns = list(game.rows), list(game.columns)
        self._gone = list(eliminate(game))
        gone_rows, gone_columns = (
            {gone.number for gone in self._gone if gone.what == what} for what in ("row", "column")
        )
        self._found.saddle = next(
            (
                at
                for at in self._found.saddles
                if at[0] not in gone_rows and at[1] not in gone_columns
            ),
            None,
        )

    def run(self) -> MatrixSolution:
        """Every step, in the books' order."""
        self._pure()
        self._reduce()
        if self._found.saddle is not None:
            self._play_saddle(*self._found.saddle)
        elif len(self._rows) == len(self._columns) == 2:
            self._equalize()
        else:
            self._simplex()
        self._check()
        return self._found

    def _say(self, kind: str, sentence: str) -> None:
        step = Step(kind, sentence, tuple(self._rows), tuple(self._columns))
        self._found.steps.append(step)

    def _pure(self) -> None:
        """What one row or one column can guarantee, and whether the two meet."""
        game, found = self._game, self._found
        self._say(
            "start",
            f"The row player has {count(len(game.rows), 'choice')}, the column player "
            f"{len(game.columns)}. Each entry is what the column player pays the row player.",
        )
        best = found.row_minima.index(found.maximin)
        self._say(
            "rows",
            f"The least entry of each row is {_list(found.row_minima)}: with "
            f"{game.row_name(best)} the row player is sure of {show(found.maximin)} (maximin).",
        )
        best = found.column_maxima.index(found.minimax)
        self._say(
            "columns",
            f"The greatest entry of each column is {_list(found.column_maxima)}: with "
            f"{game.column_name(best)} the column player pays at most {show(found.minimax)} "
            "(minimax).",
        )
        if found.saddle is None:
            self._say(
                "no-saddle",
                f"{show(found.maximin)} < {show(found.minimax)}: there is no saddle point, so at "
                "least one player must mix.",
            )
            return
        row, column = found.saddle
        more = len(found.saddles) - 1
        others = f" ({count(more, 'more saddle point')} elsewhere)" if more else ""
        self._say(
            "saddle",
            f"Both are {show(found.maximin)}: {game.row_name(row)} and {game.column_name(column)} "
            f"meet at a saddle point, the least of its row and the greatest of its column{others}.",
        )

    def _reduce(self) -> None:
        """Remove dominated rows and columns, one a step."""
        game = self._game
        for gone in self._gone:
            named = game.row_name if gone.what == "row" else game.column_name
            (self._rows if gone.what == "row" else self._columns).remove(gone.number)
            self._found.dominated.append(gone)
            self._say("dominated", _domination(named(gone.number), named(gone.by), gone))
        left = f"{count(len(self._rows), 'row')} and {count(len(self._columns), 'column')}"
        if self._found.dominated:
            weak = any(gone.kind == WEAK for gone in self._found.dominated)
            loss = " The value stays the same, but other optimal choices may be lost." * weak
            self._say("reduced", f"No other is dominated: {left} are left.{loss}")
        else:
            self._say("reduced", "No row and no column is dominated by another.")

    def _play_saddle(self, row: int, column: int) -> None:
        self._set_mixtures(
            self._found.maximin,
            [Fraction(i == row) for i in self._game.rows],
            [Fraction(j == column) for j in self._game.columns],
        )

    def _equalize(self) -> None:
        """Two rows and two columns without a saddle point: make the opponent indifferent."""
        (one, two), (left, right) = self._rows, self._columns
        a, b = self._game.payoffs[one][left], self._game.payoffs[one][right]
        c, d = self._game.payoffs[two][left], self._game.payoffs[two][right]
        # Without a saddle point, one diagonal is greater than the other: this is not 0.
        spread = a - b - c + d
        p, q, value = (d - c) / spread, (d - b) / spread, (a * d - b * c) / spread
        self._say(
            "method",
            f"Let p be the probability of {self._game.row_name(one)}. Against "
            f"{self._game.column_name(left)} the row player earns {_blend(a, c, 'p')}, against "
            f"{self._game.column_name(right)} {_blend(b, d, 'p')}: the two are equal at "
            f"p = {p}.",
        )
        self._say(
            "method",
            f"Let q be the probability of {self._game.column_name(left)}. "
            f"{_capital(self._game.row_name(one))} earns {_blend(a, b, 'q')}, "
            f"{self._game.row_name(two)} {_blend(c, d, 'q')}: the two are equal at q = {q}.",
        )
        rows = {one: p, two: 1 - p}
        columns = {left: q, right: 1 - q}
        self._set_mixtures(value, *self._spread_out(rows, columns))

    def _simplex(self) -> None:
        """Any other size: the simplex method on what is left."""
        entries = [[self._game.payoffs[i][j] for j in self._columns] for i in self._rows]
        least = min(map(min, entries))
        shift = 1 - least if least <= 0 else Fraction(0)
        if shift:
            self._say(
                "method",
                f"Add {show(shift)} to every entry so that all are positive. That adds "
                f"{show(shift)} to the value and changes no optimal mixture.",
            )
        self._say(
            "method",
            "Find y ≥ 0, one for each column, with the largest sum such that no row earns more "
            "than 1. The value is 1 / sum, and the columns' probabilities are y / sum.",
        )
        best = simplex([[entry + shift for entry in row] for row in entries])
        self._tell_pivots(best)
        value = 1 / best.total - shift
        shifted = f" − {show(shift)}" if shift else ""
        self._say(
            "method",
            f"Nothing increases the sum anymore: it is {best.total}, so the value is "
            f"1 / sum{shifted} = {show(value)}. The rows' probabilities are the prices "
            "of their conditions, divided by the sum.",
        )
        rows = {i: price / best.total for i, price in zip(self._rows, best.prices, strict=True)}
        columns = {j: y / best.total for j, y in zip(self._columns, best.y, strict=True)}
        self._set_mixtures(value, *self._spread_out(rows, columns))

    def _tell_pivots(self, best: Optimum) -> None:
        def variable(index: int) -> str:
            if index < len(self._columns):
                return f"the y of {self._game.column_name(self._columns[index])}"
            return f"the slack of {self._game.row_name(self._rows[index - len(self._columns)])}"

        for number, pivot in enumerate(best.pivots, 1):
            self._say(
                "pivot",
                f"Pivot {number}: {variable(pivot.enters)} grows to {pivot.ratio}, where "
                f"{variable(pivot.leaves)} reaches 0. The sum is now {pivot.total}.",
            )

    def _spread_out(
        self, rows: dict[int, Fraction], columns: dict[int, Fraction]
    ) -> tuple[Mixture, Mixture]:
        """Mixtures of the whole game: what was removed is never played."""
        zero = Fraction(0)
        return (
            [rows.get(i, zero) for i in self._game.rows],
            [columns.get(j, zero) for j in self._game.columns],
        )

    def _set_mixtures(self, value: Fraction, rows: Mixture, columns: Mixture) -> None:
        found, game = self._found, self._game
        found.value, found.rows, found.columns = value, rows, columns
        played = [(str(share), game.row_name(i)) for i, share in enumerate(rows) if share]
        self._say("row-mixture", f"The row player plays {_mixture(played)}.")
        played = [(str(share), game.column_name(j)) for j, share in enumerate(columns) if share]
        self._say("column-mixture", f"The column player plays {_mixture(played)}.")

    def _check(self) -> None:
        """Both sides of the minimax theorem, on the whole matrix."""
        found = self._found
        self._say(
            "row-check",
            f"Check: the row player's choice earns {_list(found.against_columns)} against the "
            f"columns, never less than {show(found.value)}.",
        )
        self._say(
            "column-check",
            f"Check: the rows earn {_list(found.against_rows)} against the column player's choice, "
            f"never more than {show(found.value)}.",
        )
        self._say(
            "value",
            f"Both sides guarantee {show(found.value)}, as the minimax theorem says: it is the "
            "value of the game.",
        )


def _domination(gone: str, by: str, why: Dominated) -> str:
    if why.what == "row":
        reason = "earns less" if why.kind == STRICT else "never earns more, and sometimes less,"
    else:
        reason = "costs more" if why.kind == STRICT else "never costs less, and sometimes more,"
    always = " against everything still in play" if why.kind == STRICT else ""
    kind = "strictly" if why.kind == STRICT else "weakly"
    return f"{_capital(gone)} {reason} than {by}{always}: it is {kind} dominated and is removed."


def _blend(one: Fraction, other: Fraction, share: str) -> str:
    """The mean of two payoffs, as a formula in the share of the first."""
    first = "0" if not one else f"{'' if one == 1 else '−' if one == -1 else show(one)}{share}"
    if not other:
        return first
    sign, size = ("−", -other) if other < 0 else ("+", other)
    return f"{first} {sign} {'' if size == 1 else show(size)}(1 − {share})"


def _mixture(played: Sequence[tuple[str, str]]) -> str:
    if len(played) == 1:
        return f"{played[0][1]} always"
    parts = [f"{name} with probability {share}" for share, name in played]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _list(numbers: Sequence[Fraction]) -> str:
    return ", ".join(map(show, numbers))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
