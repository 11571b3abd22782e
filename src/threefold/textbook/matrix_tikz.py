r"""A matrix game for slides: a `tikzpicture` with what the picture shows, at any step.

It needs `\usepackage{tikz}` and nothing else. Entries stand at (column, row), counted from 1.
"""

from fractions import Fraction

from threefold.textbook.matrix_picture import Shown, name_of, shown_at
from threefold.textbook.mixture import MatrixSolution
from threefold.textbook.replay import show
from threefold.textbook.tikz import escape


def matrix_as_tikz(found: MatrixSolution, step: int | None = None) -> str:
    """The matrix after the first `step` steps, as TikZ; by default, after all of them."""
    game, now = found.game, shown_at(found, step)
    wide, tall = len(game.columns), len(game.rows)
    lines = [
        r"% \usepackage{tikz}",
        r"\begin{tikzpicture}[x=1.2cm, y=-0.8cm, font=\small]",
        rf"  \draw[gray] (0.5,0.5) rectangle ({wide + 0.5:g},{tall + 0.5:g});",
    ]
    for j in game.columns:
        lines.append(_node(j + 1, 0, escape(name_of(game.column_names, j))))
    for i in game.rows:
        lines.append(_node(0, i + 1, escape(name_of(game.row_names, i))))
        for j in game.columns:
            lines.append(_node(j + 1, i + 1, _number(game.payoffs[i][j])))
    lines += [
        rf"  \draw[double, thick] ({j + 1},{i + 1}) circle[radius=3.2mm];"
        for i, j in found.saddles
        if now.saddle
    ]
    lines += _struck(found, now)
    if now.minima:
        lines.append(_node(wide + 1, 0, "least"))
        lines += [_node(wide + 1, i + 1, _number(each)) for i, each in enumerate(found.row_minima)]
    if now.row_mixture:
        lines.append(_node(wide + 2, 0, "plays"))
        lines += [_node(wide + 2, i + 1, _number(each)) for i, each in enumerate(found.rows)]
    if now.maxima:
        lines.append(_node(0, tall + 1, "greatest"))
        lines += [
            _node(j + 1, tall + 1, _number(each)) for j, each in enumerate(found.column_maxima)
        ]
    if now.column_mixture:
        lines.append(_node(0, tall + 2, "plays"))
        lines += [_node(j + 1, tall + 2, _number(each)) for j, each in enumerate(found.columns)]
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _struck(found: MatrixSolution, now: Shown) -> list[str]:
    wide, tall = len(found.game.columns) + 0.4, len(found.game.rows) + 0.4
    rows = [i + 1 for i in found.game.rows if i not in now.rows]
    columns = [j + 1 for j in found.game.columns if j not in now.columns]
    return [
        *(rf"  \draw[thick] (0.6,{i}) -- ({wide:g},{i});" for i in rows),
        *(rf"  \draw[thick] ({j},0.6) -- ({j},{tall:g});" for j in columns),
    ]


def _node(x: int, y: int, text: str) -> str:
    return rf"  \node at ({x},{y}) {{{text}}};"


def _number(number: Fraction) -> str:
    text = show(number).replace("−", "-").replace("≈", r"\approx ")
    return f"${text}$"
