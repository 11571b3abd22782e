"""A matrix game as a picture and as text, at any step.

A dominated row or column is struck out, a saddle point has a double ring, and the probabilities of
the optimal mixture are bars beside the rows and below the columns. If two rows or two columns are
left, the classic plot stands beside it: a line for each choice of the other player, the envelope
that matters thick, and the best mixture where it is highest or lowest.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from threefold.rules.svg import Svg
from threefold.textbook.layout import fitted
from threefold.textbook.mixture import MatrixSolution
from threefold.textbook.replay import show
from threefold.textbook.shapes import Box, Circle, Drawing, Line, Point, Shape, Text
from threefold.textbook.slides import Slides

_CELL, _TALL = 64.0, 40.0
_MARGIN, _NAMES, _BAR = 20.0, 110.0, 90.0
_PLOT, _AXIS, _GAP = 260.0, 40.0, 60.0


@dataclass(frozen=True)
class MatrixScene:
    """What is known at a step."""

    step: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    minima: bool
    maxima: bool
    saddle: bool
    reduced: bool
    row_mixture: bool
    column_mixture: bool


class MatrixSlides(Slides[MatrixScene]):
    """The steps of solving a matrix game."""

    procedure = "matrix"
    legend = (
        "Struck out: a dominated row or column. ▸: the best pure choice of each player. A double "
        "ring: a saddle point. A bar: how often a row or column is played. In the plot, the thick "
        "line is what the player with two choices can count on, and the dot is the best mixture."
    )

    def __init__(self, found: MatrixSolution) -> None:
        self.found = found
        self.sentences = [step.sentence for step in found.steps]

    def scenes(self, steps: Iterable[int]) -> Iterator[MatrixScene]:
        """What is known at each of these steps."""
        for step in steps:
            last = self.found.steps[step - 1]
            kinds = {each.kind for each in self.found.steps[:step]}
            yield MatrixScene(
                step,
                last.rows,
                last.columns,
                "rows" in kinds,
                "columns" in kinds,
                "saddle" in kinds,
                "reduced" in kinds,
                "row-mixture" in kinds,
                "column-mixture" in kinds,
            )

    def listed(self, _steps: Sequence[int]) -> dict[str, Any]:
        """No listing: what moves is the matrix, not a line of the procedure."""
        return {}

    def picture(self, step: int | None = None) -> Svg:
        """A step as SVG; what is drawn needs no sentence below."""
        return self.draw(self.at(step)).svg()

    def draw(self, scene: MatrixScene) -> Drawing:
        """The matrix with what is known of it, and the plot beside it."""
        found, game = self.found, self.found.game
        left, top = _MARGIN + _NAMES, _MARGIN + _TALL
        grid_width, grid_height = _CELL * len(game.columns), _TALL * len(game.rows)
        shapes: list[Shape] = [
            Box(left, top, grid_width, grid_height, "fill-board", 6),
            *_cells(found, scene, left, top),
            *_struck(found, scene, left, top),
            *_row_notes(found, scene, left + grid_width, top),
            *_column_notes(found, scene, left, top + grid_height),
        ]
        width = left + grid_width + _CELL + _BAR + 2 * _MARGIN
        height = top + grid_height + _TALL + _BAR + 2 * _MARGIN
        lines = _lines(found, scene) if scene.reduced else None
        if lines is not None:
            shapes += _plot(found, scene, lines, width, _MARGIN + 10)
            width += _PLOT + 2 * _AXIS + _GAP
            height = max(height, _PLOT + 3 * _MARGIN + 50)
        return Drawing(width, height, "A matrix game", self._in_words(scene), shapes)

    def _in_words(self, scene: MatrixScene) -> str:
        game = self.found.game
        payoffs = "; ".join(" ".join(map(show, row)) for row in game.payoffs)
        said = [f"The matrix {payoffs}."]
        gone = [game.row_name(i) for i in game.rows if i not in scene.rows]
        gone += [game.column_name(j) for j in game.columns if j not in scene.columns]
        if gone:
            said.append(f"Struck out: {', '.join(gone)}.")
        return " ".join([*said, self.sentences[scene.step - 1]])

    def text(self, scene: MatrixScene, width: int) -> str:
        """The table, cut at the width."""
        return "\n".join(line[:width] for line in self.table(scene).splitlines())

    def table(self, scene: MatrixScene) -> str:
        """The matrix as a table.

        Entries of dominated rows and columns are in brackets, and a star marks the saddle points.
        """
        found, game = self.found, self.found.game
        table = [["", *(_name(game.column_names, j) for j in game.columns)]]
        for i in game.rows:
            line = [_name(game.row_names, i)]
            for j in game.columns:
                gone = i not in scene.rows or j not in scene.columns
                star = "*" if scene.saddle and (i, j) in found.saddles else ""
                entry = show(game.payoffs[i][j]) + star
                line.append(f"({entry})" if gone else entry)
            table.append(line)
        if scene.minima:
            _add_column(table, "least", list(map(show, found.row_minima)))
        if scene.row_mixture:
            _add_column(table, "plays", list(map(str, found.rows)))
        if scene.maxima:
            table.append(["greatest", *map(show, found.column_maxima)])
        if scene.column_mixture:
            table.append(["plays", *map(str, found.columns)])
        width = max(len(line) for line in table)
        full = [line + [""] * (width - len(line)) for line in table]
        widths = [max(len(line[k]) for line in full) for k in range(width)]
        return "\n".join(
            "  ".join(cell.rjust(size) for cell, size in zip(line, widths, strict=True)).rstrip()
            for line in full
        )


def _add_column(table: list[list[str]], title: str, cells: Sequence[str]) -> None:
    for line, cell in zip(table, [title, *cells], strict=True):
        line.append(cell)


def _name(names: Sequence[str], index: int) -> str:
    """A row's or column's name, or its number counted from 1."""
    return names[index] if names else str(index + 1)


def _cells(found: MatrixSolution, now: MatrixScene, left: float, top: float) -> Iterator[Shape]:
    game = found.game
    for j in game.columns:
        name = fitted(_name(game.column_names, j))
        yield Text(left + _CELL * (j + 0.5), top - 16, name, size=13)
    for i in game.rows:
        y = top + _TALL * (i + 0.5)
        yield Text(left - 12, y, fitted(_name(game.row_names, i)), size=13, anchor="end")
        for j in game.columns:
            x = left + _CELL * (j + 0.5)
            yield Text(x, y, show(game.payoffs[i][j]), size=16)
            if now.saddle and (i, j) in found.saddles:
                yield Circle(x, y, 15, "line-ink")
                yield Circle(x, y, 18.5, "line-ink")


def _struck(found: MatrixSolution, now: MatrixScene, left: float, top: float) -> Iterator[Shape]:
    game = found.game
    right, bottom = left + _CELL * len(game.columns), top + _TALL * len(game.rows)
    for i in game.rows:
        if i not in now.rows:
            y = top + _TALL * (i + 0.5)
            yield Line(((left + 6, y), (right - 6, y)), "line-max")
    for j in game.columns:
        if j not in now.columns:
            x = left + _CELL * (j + 0.5)
            yield Line(((x, top + 6), (x, bottom - 6)), "line-max")


def _row_notes(found: MatrixSolution, now: MatrixScene, x: float, top: float) -> Iterator[Shape]:
    """The least of each row, and the rows' probabilities as bars, right of the matrix."""
    if now.minima:
        yield Text(x + _CELL / 2, top - 16, "least", size=12)
        for i, least in enumerate(found.row_minima):
            mark = "▸ " if least == found.maximin else ""
            yield Text(x + _CELL / 2, top + _TALL * (i + 0.5), mark + show(least), size=13)
    if now.row_mixture:
        yield Text(x + _CELL + _BAR / 2, top - 16, "plays", size=12)
        for i, share in enumerate(found.rows):
            y = top + _TALL * (i + 0.5)
            if share:
                yield Box(x + _CELL, y + 2, _BAR * float(share), 10, "fill-max", 2)
            yield Text(x + _CELL, y - 8, str(share), size=12, anchor="start")


def _column_notes(
    found: MatrixSolution, now: MatrixScene, left: float, y: float
) -> Iterator[Shape]:
    """The greatest of each column, and the columns' probabilities as bars, below the matrix."""
    if now.maxima:
        yield Text(left - 12, y + 18, "greatest", size=12, anchor="end")
        for j, greatest in enumerate(found.column_maxima):
            mark = "▸ " if greatest == found.minimax else ""
            yield Text(left + _CELL * (j + 0.5), y + 18, mark + show(greatest), size=13)
    if now.column_mixture:
        yield Text(left - 12, y + _TALL + 8, "plays", size=12, anchor="end")
        for j, share in enumerate(found.columns):
            x = left + _CELL * (j + 0.5)
            yield Text(x, y + _TALL + 8, str(share), size=12)
            if share:
                yield Box(x - 6, y + _TALL + 20, 12, (_BAR - 10) * float(share), "fill-min", 2)


@dataclass(frozen=True)
class _Lines:
    """What to plot: the payoffs at both ends for each choice of the other player."""

    ends: list[tuple[Fraction, Fraction]]
    names: list[str]
    #: Whether the player with two choices maximizes: then the lower envelope matters.
    lower: bool
    axis: str
    best: Fraction


def _lines(found: MatrixSolution, now: MatrixScene) -> _Lines | None:
    """The lines of a game with two rows or two columns, in all or still in play."""
    game, payoffs = found.game, found.game.payoffs
    for rows, columns in ((list(game.rows), list(game.columns)), (now.rows, now.columns)):
        if len(rows) == 2 and len(columns) > 1:
            one, two = rows
            return _Lines(
                [(payoffs[two][j], payoffs[one][j]) for j in columns],
                [f"column {_name(game.column_names, j)}" for j in columns],
                True,
                f"probability of row {_name(game.row_names, one)}",
                found.rows[one],
            )
        if len(columns) == 2 and len(rows) > 1:
            one, two = columns
            return _Lines(
                [(payoffs[i][two], payoffs[i][one]) for i in rows],
                [f"row {_name(game.row_names, i)}" for i in rows],
                False,
                f"probability of column {_name(game.column_names, one)}",
                found.columns[one],
            )
    return None


def _plot(
    found: MatrixSolution, now: MatrixScene, lines: _Lines, left: float, top: float
) -> Iterator[Shape]:
    values = [value for ends in lines.ends for value in ends]
    low, high = min(values), max(values)
    span = (high - low) or Fraction(1)
    x0, x1, bottom = left + _AXIS, left + _AXIS + _PLOT, top + _PLOT

    def place(share: Fraction, payoff: Fraction) -> Point:
        return x0 + _PLOT * float(share), bottom - _PLOT * float((payoff - low) / span)

    yield Line(((x0, top), (x0, bottom), (x1, bottom), (x1, top)), "line-line")
    for value in (low, high):
        yield Text(x0 - 8, place(Fraction(0), value)[1], show(value), size=12, anchor="end")
    taken: list[float] = []
    for (start, end), name in zip(lines.ends, lines.names, strict=True):
        a, b = place(Fraction(0), start), place(Fraction(1), end)
        yield Line((a, b), "line-line dashed")
        y = b[1]
        while any(abs(y - other) < 14 for other in taken):
            y += 14
        taken.append(y)
        yield Text(x1 + 8, y, fitted(name), size=12, anchor="start")
    yield Line(tuple(place(*at) for at in _envelope(lines)), "line-ink bold")
    for x, name in ((x0, "0"), (x1, "1")):
        yield Text(x, bottom + 16, name, size=12)
    yield Text((x0 + x1) / 2, bottom + 34, lines.axis, size=12)
    if now.row_mixture and now.column_mixture:
        x, y = place(lines.best, found.value)
        yield Line(((x, y), (x, bottom)), "line-max dashed")
        yield Circle(x, y, 7, "fill-max")
        if lines.best not in (0, 1):
            yield Text(x, bottom + 16, str(lines.best), size=12)
        said = f"value {show(found.value)}"
        half, middle = 3.8 * len(said), y + (-20 if lines.lower else 20)
        yield Box(x - half, middle - 9, 2 * half, 18, "fill-paper", 4)
        yield Text(x, middle, said, size=13)


def _envelope(lines: _Lines) -> list[tuple[Fraction, Fraction]]:
    """The corners of the lower or upper envelope, from 0 to 1."""
    shares = {Fraction(0), Fraction(1)}
    for a, b in lines.ends:
        for c, d in lines.ends:
            slope = (b - a) - (d - c)
            if slope:
                shares.add((c - a) / slope)
    pick = min if lines.lower else max
    return [
        (share, pick(a + (b - a) * share for a, b in lines.ends))
        for share in sorted(shares)
        if 0 <= share <= 1
    ]
