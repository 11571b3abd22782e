"""Stones in a row, on a bitboard with sentinels.

Squares are numbered along one side of the board, with one number skipped at the end of each line.
That is the sentinel, which is always empty, so no line can run over the edge. A step in any of the
four directions is a shift by 1, `stride - 1`, `stride` or `stride + 1`.
"""

from collections.abc import Iterator

from threefold.rules.bits import popcount
from threefold.rules.contract import MAX

# Evaluations count an immediate win as nearly won, and so two threats that the other side cannot
# both stop. Everything else stays below LIMIT.
WIN = 900
DOUBLE = 800
LIMIT = 700


def run(stones: int, step: int, k: int) -> int:
    """The squares where a line of `k` stones starts in one direction."""
    if (k - 1) * step > 62:
        return 0  # longer than the board
    reach = 1
    while 2 * reach <= k:
        stones &= stones >> (reach * step)
        reach *= 2
    return stones & (stones >> ((k - reach) * step))


def has_line(stones: int, stride: int, k: int) -> bool:
    """Whether there are `k` stones in line anywhere."""
    along = run(stones, 1, k) | run(stones, stride, k)
    return along | run(stones, stride - 1, k) | run(stones, stride + 1, k) != 0


def line_ending(first: int, second: int, stride: int, k: int) -> str:
    """Why a game about lines of `k` is over, given both players' stones."""
    won = has_line(first, stride, k) or has_line(second, stride, k)
    return f"{k} in line" if won else "the board is full"


def lines(width: int, height: int, k: int) -> tuple[int, ...]:
    """Every line of `k` squares as a bitboard of stride `width + 1`."""
    return tuple(_lines(width, height, k))


def _lines(width: int, height: int, k: int) -> Iterator[int]:
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for x in range(width):
            for y in range(height):
                end_x, end_y = x + (k - 1) * dx, y + (k - 1) * dy
                if end_x < width and 0 <= end_y < height:
                    yield sum(1 << (y + i * dy) * (width + 1) + x + i * dx for i in range(k))


def occupied_lines(stones: int, lines: tuple[int, ...]) -> int:
    """How many lines contain at least one of the stones."""
    count = 0
    for line in lines:
        count += stones & line != 0
    return count


def open_stones(stones: int, free: int, stride: int, k: int) -> int:
    """How many stones lie in lines of `k` free squares; a stone counts once for each line."""
    along = _open_stones(stones, free, 1, k) + _open_stones(stones, free, stride, k)
    falling = _open_stones(stones, free, stride - 1, k)
    return along + falling + _open_stones(stones, free, stride + 1, k)


def _open_stones(stones: int, free: int, step: int, k: int) -> int:
    if (k - 1) * step > 62:
        return 0  # longer than the board
    starts = run(free, step, k)
    count = 0
    for i in range(k):
        count += popcount(starts & stones >> i * step)
    return count


def at_hand(turn: int, first: int, second: int) -> int:
    """What the squares where each player can complete a line now are worth to MAX."""
    if turn == MAX:
        mine, theirs, sign = first, second, 1
    else:
        mine, theirs, sign = second, first, -1
    if mine:
        return sign * WIN
    if popcount(theirs) > 1:
        return -sign * DOUBLE
    return 0
