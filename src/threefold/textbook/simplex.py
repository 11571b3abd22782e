"""The simplex method in exact fractions, for a matrix game whose entries are all greater than 0.

The column player looks for y ≥ 0 with the largest sum such that every row earns at most 1:

    maximize y₁ + … + yₙ   where   A·y ≤ 1

The value of the game is then 1 / sum, the columns' probabilities are y / sum, and the prices of the
conditions, divided by the same sum, are the rows' probabilities: the dual solution (Dantzig, 1951).
Bland's rule, which always takes the first candidate, keeps the method from going in circles.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Matrix: TypeAlias = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class Pivot:
    """One exchange: `enters` becomes positive until `leaves` reaches 0.

    Variables are numbered: the n columns from 0, then the slack of each row. `ratio` is where
    `enters` stops growing, and `total` the sum of y after the exchange.
    """

    enters: int
    leaves: int
    ratio: Fraction
    total: Fraction


@dataclass(frozen=True)
class Optimum:
    """The largest sum, where it is reached, and the price of each row's condition."""

    total: Fraction
    y: list[Fraction]
    prices: list[Fraction]
    pivots: list[Pivot]


def simplex(matrix: Matrix) -> Optimum:
    """The y ≥ 0 with the largest sum such that every row of `matrix`·y is at most 1."""
    rows, columns = len(matrix), len(matrix[0])
    tableau = [
        [*map(Fraction, row), *(Fraction(i == j) for j in range(rows)), Fraction(1)]
        for i, row in enumerate(matrix)
    ]
    # The last row: what the sum gains if a variable grows by 1, negated, and the sum itself.
    objective = [Fraction(-1)] * columns + [Fraction(0)] * (rows + 1)
    basis = [columns + i for i in range(rows)]
    pivots: list[Pivot] = []
    while True:
        # Step 1. The first variable whose growth increases the sum enters.
        gaining = (j for j in range(columns + rows) if objective[j] < 0)
        enters = next(gaining, None)
        if enters is None:
            break
        # Step 2. The row that limits it most leaves; ties go to the variable with the least number.
        limits = [i for i in range(rows) if tableau[i][enters] > 0]
        row = min(limits, key=lambda i: (tableau[i][-1] / tableau[i][enters], basis[i]))
        ratio = tableau[row][-1] / tableau[row][enters]
        # Step 3. Exchange the two: solve the row for the new variable and substitute it.
        pivot = tableau[row][enters]
        tableau[row] = [entry / pivot for entry in tableau[row]]
        for i in range(rows):
            if i != row:
                tableau[i] = _less(tableau[i], tableau[i][enters], tableau[row])
        objective = _less(objective, objective[enters], tableau[row])
        pivots.append(Pivot(enters, basis[row], ratio, objective[-1]))
        basis[row] = enters
    y = [Fraction(0)] * columns
    for i, variable in enumerate(basis):
        if variable < columns:
            y[variable] = tableau[i][-1]
    return Optimum(objective[-1], y, objective[columns:-1], pivots)


def _less(row: list[Fraction], times: Fraction, other: list[Fraction]) -> list[Fraction]:
    """row − times·other."""
    if not times:
        return row
    return [one - times * two for one, two in zip(row, other, strict=True)]
