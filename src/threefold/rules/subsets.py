"""Numbering sets of squares: which of all sets of so many squares it is, and back.

The sets of k among the squares of a mask are numbered in the order of their highest square, then of
the next one, and so on. Squares are counted from 0 within the mask, so squares that are taken
already leave no gaps. The number of a set with squares at a < b < c is C(a,1) + C(b,2) + C(c,3).
"""

from math import comb
from typing import Final

from threefold.rules.bits import add, highest, lowest, lsr, pop_lowest, popcount, shl, sub

#: Sets have fewer squares than this.
_WIDTH: Final = 9
#: C(n, k) for n up to 64 squares: `CHOOSE[n * _WIDTH + k]`.
_CHOOSE: Final = tuple(comb(n, k) for n in range(65) for k in range(_WIDTH))
MOST_IN_A_SET: Final = _WIDTH - 1


def choose(n: int, k: int) -> int:
    """How many sets of `k` there are among `n` squares."""
    return _CHOOSE[n * _WIDTH + k]


def number_of_set(chosen: int, squares: int) -> int:
    """The number of a set among all sets of its size; `squares` includes the chosen ones."""
    number, k = 0, 1
    while chosen:
        before = squares & sub(lowest(chosen), 1)
        number += _CHOOSE[popcount(before) * _WIDTH + k]
        chosen = pop_lowest(chosen)
        k += 1
    return number


def square_of_number(number: int, squares: int) -> int:
    """The square with this number, counted from the lowest, by halving where it can be."""
    at = 0
    for width in (32, 16, 8, 4, 2, 1):
        below = popcount(lsr(squares, at) & shl(1, width) - 1)
        if number >= below:
            number -= below
            at += width
    return shl(1, at)


def set_of_number(number: int, k: int, squares: int) -> int:
    """The set of `k` squares with this number."""
    if k == 1:
        return square_of_number(number, squares)
    chosen = 0
    n = popcount(squares) - 1
    while k > 0:
        square = highest(squares)
        below = _CHOOSE[n * _WIDTH + k]
        if number >= below:
            number -= below
            chosen = add(chosen, square)
            k -= 1
        squares = squares ^ square
        n -= 1
    return chosen
