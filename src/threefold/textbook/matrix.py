"""Matrix games: two players choose at the same time, without seeing the other's choice.

The row player picks a row, the column player a column, and the entry where they cross is what the
column player pays the row player. The game is zero-sum: what one wins, the other loses. Here are
the game itself, what single rows and columns can guarantee, saddle points, and dominated choices;
`threefold.textbook.mixture` solves it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.text import did_you_mean, shorten

#: A row or column that is never better, and of what kind: the names of the two ways.
STRICT, WEAK = "strict", "weak"
#: More rows or columns than anyone reads; exact fractions take seconds beyond it.
MAX_SIDE = 30
#: A longer number is a mistake.
MAX_DIGITS = 30

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)|[+-]?[0-9]+/[0-9]+")
_EXAMPLE = '"3 -1; -2 4"'


class BadMatrix(ThreefoldError):
    """A matrix's text cannot be read."""


@dataclass(frozen=True)
class MatrixGame:
    """The payoffs to the row player, and the names of the choices where they have any."""

    payoffs: tuple[tuple[Fraction, ...], ...]
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()

    @property
    def rows(self) -> range:
        """The numbers of the rows, from 0."""
        return range(len(self.payoffs))

    @property
    def columns(self) -> range:
        """The numbers of the columns, from 0."""
        return range(len(self.payoffs[0]))

    def row_name(self, row: int) -> str:
        """A row as a sentence names it, counted from 1."""
        return _named("row", row, self.row_names)

    def column_name(self, column: int) -> str:
        """A column as a sentence names it, counted from 1."""
        return _named("column", column, self.column_names)


def _named(what: str, number: int, names: Sequence[str]) -> str:
    return f"{what} {number + 1}" + (f" ({names[number]})" if names else "")


def _preset(payoffs: Sequence[Sequence[int]], *names: str) -> MatrixGame:
    return MatrixGame(tuple(tuple(map(Fraction, row)) for row in payoffs), names, names)


#: Well-known games, by the names that a command line takes instead of a matrix.
PRESETS = {
    "rock-paper-scissors": _preset(
        [[0, -1, 1], [1, 0, -1], [-1, 1, 0]], "rock", "paper", "scissors"
    ),
    "matching-pennies": _preset([[1, -1], [-1, 1]], "heads", "tails"),
    # Show one or two fingers and guess the other's: "1-2" shows one and guesses two.
    "morra": _preset(
        [[0, 2, -3, 0], [-2, 0, 0, 3], [3, 0, 0, -4], [0, -3, 4, 0]], "1-1", "1-2", "2-1", "2-2"
    ),
}
#: Well-known games that are not zero-sum, so that one number per entry cannot describe them.
_NOT_ZERO_SUM = {"prisoners-dilemma", "battle-of-the-sexes", "stag-hunt", "chicken"}


def parse_matrix(text: str) -> MatrixGame:
    """The game that a text describes: a preset's name, or rows separated by `;` or line breaks."""
    name = text.strip().lower()
    if name in PRESETS:
        return PRESETS[name]
    if name in _NOT_ZERO_SUM:
        raise BadMatrix(
            f"{name} is not zero-sum: each player has payoffs of their own; explain matrix needs "
            "one number per entry, what the column player pays the row player"
        )
    if re.fullmatch(r"[a-z][\w-]*", name):
        raise BadMatrix(
            f"there is no matrix game {shorten(name)}: {did_you_mean(name, PRESETS)} or a matrix "
            f"like {_EXAMPLE}"
        )
    lines = [line for line in re.split(r"[;\n]", text) if line.strip()]
    rows = [
        tuple(_number(word, i, j) for j, word in enumerate(line.replace(",", " ").split(), 1))
        for i, line in enumerate(lines, 1)
    ]
    _check_shape(rows)
    return MatrixGame(tuple(rows))


def _number(word: str, row: int, column: int) -> Fraction:
    where = f"matrix, row {row}, column {column}"
    word = word.replace("−", "-")
    if len(word) > MAX_DIGITS:
        raise BadMatrix(f"{where}: {shorten(word)} has more than {MAX_DIGITS} digits")
    if not _NUMBER.fullmatch(word):
        raise BadMatrix(f"{where}: {shorten(word)} is not a number; write 3, -1, 0.5 or 2/3")
    try:
        return Fraction(word)
    except ZeroDivisionError:
        raise BadMatrix(f"{where}: {word} divides by zero") from None


def _check_shape(rows: Sequence[Sequence[Fraction]]) -> None:
    if not any(rows):
        raise BadMatrix(f"the matrix is empty; write rows separated by ';', like {_EXAMPLE}")
    for i, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise BadMatrix(
                f"matrix, row {i}: {count(len(row), 'entry', 'entries')}, but row 1 has "
                f"{len(rows[0])}; every row needs the same number"
            )
    if max(len(rows), len(rows[0])) > MAX_SIDE:
        raise BadMatrix(
            f"the matrix has {count(len(rows), 'row')} and {count(len(rows[0]), 'column')}; "
            f"at most {MAX_SIDE} of each"
        )


@dataclass(frozen=True)
class Dominated:
    """A row or column that is never better than another one; numbers are from 0."""

    #: `row` or `column`.
    what: str
    number: int
    by: int
    #: `strict`: always worse. `weak`: never better, and somewhere worse.
    kind: str

    def to_json(self) -> dict[str, Any]:
        """The elimination as JSON types."""
        return {self.what: self.number, "by": self.by, "kind": self.kind}


def saddle_points(game: MatrixGame) -> list[tuple[int, int]]:
    """The entries that are both the least of their row and the greatest of their column."""
    least, greatest = row_minima(game), column_maxima(game)
    return [
        (i, j)
        for i in game.rows
        for j in game.columns
        if least[i] == game.payoffs[i][j] == greatest[j]
    ]


def row_minima(game: MatrixGame) -> list[Fraction]:
    """What each row is sure of."""
    return [min(row) for row in game.payoffs]


def column_maxima(game: MatrixGame) -> list[Fraction]:
    """What each column may have to pay."""
    return [max(row[j] for row in game.payoffs) for j in game.columns]


def eliminate(game: MatrixGame) -> Iterator[Dominated]:
    """Remove dominated rows and columns one at a time until none is left.

    Strictly dominated ones go first: they are in no optimal mixture, so nothing is lost. A weakly
    dominated one may be in some optimal mixture, but the value and at least one optimal mixture
    survive without it. Only domination by one other row or column is looked for, not by a mixture.
    """
    rows, columns = list(game.rows), list(game.columns)
    while True:
        found = _first_dominated(game, rows, columns)
        if found is None:
            return
        (rows if found.what == "row" else columns).remove(found.number)
        yield found


def _first_dominated(
    game: MatrixGame, rows: Sequence[int], columns: Sequence[int]
) -> Dominated | None:
    # From each player's own side: the column player wants entries to be small.
    own = {i: [game.payoffs[i][j] for j in columns] for i in rows}
    other = {j: [-game.payoffs[i][j] for i in rows] for j in columns}
    for kind in (STRICT, WEAK):
        for what, choices in (("row", own), ("column", other)):
            for number, worse in choices.items():
                for by, better in choices.items():
                    if number != by and _dominates(better, worse, kind):
                        return Dominated(what, number, by, kind)
    return None


def _dominates(better: Sequence[Fraction], worse: Sequence[Fraction], kind: str) -> bool:
    pairs = list(zip(better, worse, strict=True))
    if kind == STRICT:
        return all(one > two for one, two in pairs)
    return all(one >= two for one, two in pairs) and better != worse


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
