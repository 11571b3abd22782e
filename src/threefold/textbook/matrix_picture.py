"""A matrix game as a picture and as text, at any step.

A dominated row or column is struck out, a saddle point has a double ring, and the probabilities of
the optimal mixture are bars beside the rows and below the columns. If two rows or two columns are
left, the classic plot stands beside it: a line for each choice of the other player, the envelope
that matters thick, and the best mixture where it is highest or lowest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from threefold.rules.svg import Svg, circle, label, number, path, picture, rect
from threefold.textbook.layout import fitted
from threefold.textbook.mixture import MatrixSolution
from threefold.textbook.replay import show

_CELL, _TALL = 64.0, 40.0
_MARGIN, _NAMES, _BAR = 20.0, 110.0, 90.0
_PLOT, _AXIS, _GAP = 260.0, 40.0, 60.0


@dataclass(frozen=True)
class Shown:
    """What is known at a step."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    minima: bool
    maxima: bool
    saddle: bool
    reduced: bool
    row_mixture: bool
    column_mixture: bool


def shown_at(found: MatrixSolution, step: int | None) -> Shown:
    """What is known after the first `step` steps; by default, after all of them."""
    steps = found.steps[:step]
    kinds = {each.kind for each in steps}
    return Shown(
        steps[-1].rows,
        steps[-1].columns,
        "rows" in kinds,
        "columns" in kinds,
        "saddle" in kinds,
        "reduced" in kinds,
        "row-mixture" in kinds,
        "column-mixture" in kinds,
    )


def matrix_as_text(found: MatrixSolution, step: int | None = None) -> str:
    """The matrix after the first `step` steps as a table; by default, after all of them.

    Entries of dominated rows and columns are in brackets, and a star marks the saddle points.
    """
    game, now = found.game, shown_at(found, step)
    head = ["", *(name_of(game.column_names, j) for j in game.columns)]
    table = [head]
    for i in game.rows:
        line = [name_of(game.row_names, i)]
        for j in game.columns:
            gone = i not in now.rows or j not in now.columns
            star = "*" if now.saddle and (i, j) in found.saddles else ""
            entry = show(game.payoffs[i][j]) + star
            line.append(f"({entry})" if gone else entry)
        table.append(line)
    if now.minima:
        _add_column(table, "least", list(map(show, found.row_minima)))
    if now.row_mixture:
        _add_column(table, "plays", list(map(str, found.rows)))
    if now.maxima:
        table.append(["greatest", *map(show, found.column_maxima)])
    if now.column_mixture:
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


def name_of(names: Sequence[str], index: int) -> str:
    """A row's or column's name, or its number counted from 1."""
    return names[index] if names else str(index + 1)


def draw_matrix(found: MatrixSolution, step: int | None = None) -> Svg:
    """The matrix after the first `step` steps; by default, after all of them."""
    game, now = found.game, shown_at(found, step)
    left, top = _MARGIN + _NAMES, _MARGIN + _TALL
    grid_width, grid_height = _CELL * len(game.columns), _TALL * len(game.rows)
    body = [
        rect(left, top, grid_width, grid_height, "fill-board", 6),
        *_cells(found, now, left, top),
        *_struck(found, now, left, top),
        *_row_notes(found, now, left + grid_width, top),
        *_column_notes(found, now, left, top + grid_height),
    ]
    width = left + grid_width + _CELL + _BAR + 2 * _MARGIN
    height = top + grid_height + _TALL + _BAR + 2 * _MARGIN
    plot = _plot(found, now, width, _MARGIN + 10) if now.reduced else []
    if plot:
        body += plot
        width += _PLOT + 2 * _AXIS + _GAP
        height = max(height, _PLOT + 3 * _MARGIN + 50)
    sentence = found.steps[(step or len(found.steps)) - 1].sentence
    return picture(width, height, "A matrix game", _describe(found, now, sentence), body)


def _describe(found: MatrixSolution, now: Shown, sentence: str) -> str:
    payoffs = "; ".join(" ".join(map(show, row)) for row in found.game.payoffs)
    said = [f"The matrix {payoffs}."]
    gone = [found.game.row_name(i) for i in found.game.rows if i not in now.rows]
    gone += [found.game.column_name(j) for j in found.game.columns if j not in now.columns]
    if gone:
        said.append(f"Struck out: {', '.join(gone)}.")
    return " ".join([*said, sentence])


def _cells(found: MatrixSolution, now: Shown, left: float, top: float) -> list[str]:
    game, body = found.game, []
    for j in game.columns:
        name = fitted(name_of(game.column_names, j))
        body.append(label(left + _CELL * (j + 0.5), top - 16, name, size=13))
    for i in game.rows:
        y = top + _TALL * (i + 0.5)
        body.append(label(left - 12, y, fitted(name_of(game.row_names, i)), size=13, anchor="end"))
        for j in game.columns:
            x = left + _CELL * (j + 0.5)
            body.append(label(x, y, show(game.payoffs[i][j]), size=16))
            if now.saddle and (i, j) in found.saddles:
                body += [circle(x, y, 15, "line-ink"), circle(x, y, 18.5, "line-ink")]
    return body


def _struck(found: MatrixSolution, now: Shown, left: float, top: float) -> list[str]:
    game = found.game
    wide, tall = _CELL * len(game.columns), _TALL * len(game.rows)
    lines = [
        f"M{number(left + 6)} {number(top + _TALL * (i + 0.5))}h{number(wide - 12)}"
        for i in game.rows
        if i not in now.rows
    ]
    lines += [
        f"M{number(left + _CELL * (j + 0.5))} {number(top + 6)}v{number(tall - 12)}"
        for j in game.columns
        if j not in now.columns
    ]
    return [path("".join(lines), "line-max")] if lines else []


def _row_notes(found: MatrixSolution, now: Shown, x: float, top: float) -> list[str]:
    """The least of each row, and the rows' probabilities as bars, right of the matrix."""
    body = []
    if now.minima:
        body.append(label(x + _CELL / 2, top - 16, "least", size=12))
        for i, least in enumerate(found.row_minima):
            mark = "▸ " if least == found.maximin else ""
            y = top + _TALL * (i + 0.5)
            body.append(label(x + _CELL / 2, y, mark + show(least), size=13))
    if now.row_mixture:
        body.append(label(x + _CELL + _BAR / 2, top - 16, "plays", size=12))
        for i, share in enumerate(found.rows):
            y = top + _TALL * (i + 0.5)
            if share:
                body.append(rect(x + _CELL, y + 2, _BAR * float(share), 10, "fill-max", 2))
            body.append(label(x + _CELL, y - 8, str(share), size=12, anchor="start"))
    return body


def _column_notes(found: MatrixSolution, now: Shown, left: float, y: float) -> list[str]:
    """The greatest of each column, and the columns' probabilities as bars, below the matrix."""
    body = []
    if now.maxima:
        body.append(label(left - 12, y + 18, "greatest", size=12, anchor="end"))
        for j, greatest in enumerate(found.column_maxima):
            mark = "▸ " if greatest == found.minimax else ""
            x = left + _CELL * (j + 0.5)
            body.append(label(x, y + 18, mark + show(greatest), size=13))
    if now.column_mixture:
        body.append(label(left - 12, y + _TALL + 8, "plays", size=12, anchor="end"))
        for j, share in enumerate(found.columns):
            x = left + _CELL * (j + 0.5)
            body.append(label(x, y + _TALL + 8, str(share), size=12))
            if share:
                tall = (_BAR - 10) * float(share)
                body.append(rect(x - 6, y + _TALL + 20, 12, tall, "fill-min", 2))
    return body


@dataclass(frozen=True)
class _Lines:
    """What to plot: the payoffs at both ends for each choice of the other player."""

    ends: list[tuple[Fraction, Fraction]]
    names: list[str]
    #: Whether the player with two choices maximizes: then the lower envelope matters.
    lower: bool
    axis: str
    best: Fraction


def _lines(found: MatrixSolution, now: Shown) -> _Lines | None:
    """The lines of a game with two rows or two columns, in all or still in play."""
    game, payoffs = found.game, found.game.payoffs
    for rows, columns in ((list(game.rows), list(game.columns)), (now.rows, now.columns)):
        if len(rows) == 2 and len(columns) > 1:
            one, two = rows
            return _Lines(
                [(payoffs[two][j], payoffs[one][j]) for j in columns],
                [f"column {name_of(game.column_names, j)}" for j in columns],
                True,
                f"probability of row {name_of(game.row_names, one)}",
                found.rows[one],
            )
        if len(columns) == 2 and len(rows) > 1:
            one, two = columns
            return _Lines(
                [(payoffs[i][two], payoffs[i][one]) for i in rows],
                [f"row {name_of(game.row_names, i)}" for i in rows],
                False,
                f"probability of column {name_of(game.column_names, one)}",
                found.columns[one],
            )
    return None


def _plot(found: MatrixSolution, now: Shown, left: float, top: float) -> list[str]:
    lines = _lines(found, now)
    if lines is None:
        return []
    values = [value for ends in lines.ends for value in ends]
    low, high = min(values), max(values)
    span = (high - low) or Fraction(1)

    def place(share: Fraction, payoff: Fraction) -> tuple[float, float]:
        return (
            left + _AXIS + _PLOT * float(share),
            top + _PLOT - _PLOT * float((payoff - low) / span),
        )

    x0, x1 = left + _AXIS, left + _AXIS + _PLOT
    frame = f"M{number(x0)} {number(top)}v{number(_PLOT)}h{number(_PLOT)}v{number(-_PLOT)}"
    body = [path(frame, "line-line")]
    for value in (low, high):
        body.append(label(x0 - 8, place(Fraction(0), value)[1], show(value), size=12, anchor="end"))
    taken: list[float] = []
    for (start, end), name in zip(lines.ends, lines.names, strict=True):
        a, b = place(Fraction(0), start), place(Fraction(1), end)
        body.append(path(_polyline([a, b]), "line-line", "5 4"))
        y = b[1]
        while any(abs(y - other) < 14 for other in taken):
            y += 14
        taken.append(y)
        body.append(label(x1 + 8, y, fitted(name), size=12, anchor="start"))
    body.append(path(_polyline([place(*at) for at in _envelope(lines)]), "line-ink thick"))
    for share, name in ((Fraction(0), "0"), (Fraction(1), "1")):
        body.append(label(place(share, low)[0], top + _PLOT + 16, name, size=12))
    body.append(label(left + _AXIS + _PLOT / 2, top + _PLOT + 34, lines.axis, size=12))
    if now.row_mixture and now.column_mixture:
        x, y = place(lines.best, found.value)
        body.append(path(f"M{number(x)} {number(y)}V{number(top + _PLOT)}", "line-max", "2 3"))
        body.append(circle(x, y, 7, "fill-max"))
        if lines.best not in (0, 1):
            body.append(label(x, top + _PLOT + 16, str(lines.best), size=12))
        said = f"value {show(found.value)}"
        half, middle = 3.8 * len(said), y + (-20 if lines.lower else 20)
        body.append(rect(x - half, middle - 9, 2 * half, 18, "fill-paper", 4))
        body.append(label(x, middle, said, size=13))
    return body


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


def _polyline(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
