"""The turns and mirror images of a board, on one player's stones."""

from collections.abc import Callable
from typing import TypeAlias

#: A bitboard with row 1 at the bottom and a sentinel at the end of each row.
Stones: TypeAlias = int


def images(m: int, n: int) -> tuple[Callable[[Stones], Stones], ...]:
    """What a board of `m` columns and `n` rows looks like turned around and in a mirror.

    Seven images of a square, three of any other rectangle; the board itself is not among them.
    """
    stride = m + 1
    row = (1 << m) - 1
    column = sum(1 << y * stride for y in range(n))
    #: The squares x, y with x - y = d: a mirror in the diagonal moves them by d·m.
    diagonals = tuple(
        sum(1 << y * stride + y + d for y in range(min(n, m - d))) for d in range(min(m, n))
    )

    def mirrored(stones: Stones) -> Stones:
        turned = 0
        for x in range(m):
            turned |= (stones >> x & column) << m - 1 - x
        return turned

    def upside_down(stones: Stones) -> Stones:
        turned = 0
        for y in range(n):
            turned |= (stones >> y * stride & row) << (n - 1 - y) * stride
        return turned

    def half_turn(stones: Stones) -> Stones:
        return mirrored(upside_down(stones))

    def transposed(stones: Stones) -> Stones:
        turned = stones & diagonals[0]
        for d in range(1, m):
            turned |= (stones & diagonals[d]) << d * m
            turned |= stones >> d * m & diagonals[d]
        return turned

    def quarter_turn(stones: Stones) -> Stones:
        return mirrored(transposed(stones))

    def three_quarter_turn(stones: Stones) -> Stones:
        return upside_down(transposed(stones))

    def other_diagonal(stones: Stones) -> Stones:
        return half_turn(transposed(stones))

    of_a_rectangle = (mirrored, upside_down, half_turn)
    if m != n:
        return of_a_rectangle
    return *of_a_rectangle, transposed, quarter_turn, three_quarter_turn, other_diagonal
