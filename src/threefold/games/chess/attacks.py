"""Which squares a chess piece attacks.

Square 0 is a1, 7 is h1, 63 is h8:

    8  56 57 58 59 60 61 62 63
    7  48 49 50 51 52 53 54 55
    …
    2   8  9 10 11 12 13 14 15
    1   0  1  2  3  4  5  6  7
        a  b  c  d  e  f  g  h

A sliding piece stops at the first piece in its way, of either color. The pieces on the six inner
squares of a rank, file or diagonal decide how far it attacks. A multiplication gathers those
squares into six adjacent bits, and a table gives the rest ("kindergarten bitboards").
"""

from collections.abc import Iterable, Iterator
from typing import Final

from threefold.rules.bits import lsr, mul, shl, word

FILE_A: Final = 0x0101010101010101
FILE_B: Final = 0x0202020202020202
FILE_H: Final = word(FILE_A << 7)
RANK_1: Final = 0xFF
RANK_8: Final = word(0xFF << 56)
#: From c2 to h7: gathers the inner squares of the a-file.
_C2_TO_H7: Final = 0x0080402010080400

_KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_ROOK_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
_BISHOP_STEPS = ((1, 1), (-1, 1), (-1, -1), (1, -1))


def _board(squares: Iterable[int]) -> int:
    """The bitboard with the given squares."""
    return word(sum(1 << square for square in squares))


def _stepped(square: int, dx: int, dy: int) -> int | None:
    """The square a step away, if it is on the board."""
    x, y = square % 8 + dx, square // 8 + dy
    return x + 8 * y if 0 <= x < 8 and 0 <= y < 8 else None


def _walked(square: int, dx: int, dy: int) -> Iterator[int]:
    """The squares from one square to the edge, excluding itself."""
    at = _stepped(square, dx, dy)
    while at is not None:
        yield at
        at = _stepped(at, dx, dy)


def _steps(steps: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """For each square, the squares that one of the steps leads to."""
    steps = tuple(steps)
    return tuple(
        _board(to for dx, dy in steps if (to := _stepped(square, dx, dy)) is not None)
        for square in range(64)
    )


def _lines(steps: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """For each square, all squares in one of the directions on an empty board."""
    steps = tuple(steps)
    return tuple(
        _board(to for dx, dy in steps for to in _walked(square, dx, dy)) for square in range(64)
    )


def _between() -> tuple[int, ...]:
    """For each pair of squares on one line, those strictly between them."""
    found = [0] * 4096
    for square in range(64):
        for dx, dy in _ROOK_STEPS + _BISHOP_STEPS:
            passed = 0
            for to in _walked(square, dx, dy):
                found[64 * square + to] = word(passed)
                passed |= 1 << to
    return tuple(found)


def _seen(at: int, inner: int) -> int:
    """What a slider at index `at` on a line of eight attacks; `inner` is the inner occupancy."""
    line = inner << 1
    seen = 0
    for places in (range(at + 1, 8), range(at - 1, -1, -1)):
        for place in places:
            seen |= 1 << place
            if line >> place & 1:
                break
    return seen


def _along_rank() -> tuple[int, ...]:
    """By index on the rank and inner occupancy: the attacked files, on every rank."""
    return tuple(word(_seen(at, inner) * FILE_A) for at in range(8) for inner in range(64))


def _along_file() -> tuple[int, ...]:
    """By index on the a-file and the occupancy gathered by `_C2_TO_H7`: the attacked squares."""
    found = [0] * 512
    for at in range(8):
        for inner in range(64):
            gathered = lsr(mul(_upright(inner << 1), _C2_TO_H7), 58)
            found[64 * at + gathered] = word(_upright(_seen(at, inner)))
    return tuple(found)


def _upright(line: int) -> int:
    """A line of eight bits placed on the a-file."""
    return sum(1 << 8 * place for place in range(8) if line >> place & 1)


KNIGHT: Final = _steps(_KNIGHT_STEPS)
KING: Final = _steps(_ROOK_STEPS + _BISHOP_STEPS)
#: What a pawn attacks: a white one on square s at index s, a black one at 64 + s.
PAWN: Final = _steps(((-1, 1), (1, 1))) + _steps(((-1, -1), (1, -1)))
#: What rooks and bishops attack on an empty board.
ROOK_LINES: Final = _lines(_ROOK_STEPS)
BISHOP_LINES: Final = _lines(_BISHOP_STEPS)
#: The squares between two squares, at index 64 · one + other.
BETWEEN: Final = _between()

_RANK: Final = _lines(((1, 0), (-1, 0)))
_RISING: Final = _lines(((1, 1), (-1, -1)))
_FALLING: Final = _lines(((1, -1), (-1, 1)))
_ALONG_RANK: Final = _along_rank()
_ALONG_FILE: Final = _along_file()


def bishop_attacks(square: int, occupied: int) -> int:
    """The squares that a bishop attacks."""
    place = (square & 7) << 6
    rising, falling = _RISING[square], _FALLING[square]
    one = lsr(mul(rising & occupied, FILE_B), 58)
    other = lsr(mul(falling & occupied, FILE_B), 58)
    return _ALONG_RANK[place | one] & rising | _ALONG_RANK[place | other] & falling


def rook_attacks(square: int, occupied: int) -> int:
    """The squares that a rook attacks."""
    file = square & 7
    across = lsr(occupied, (square & 56) + 1) & 63
    up = lsr(mul(lsr(occupied, file) & FILE_A, _C2_TO_H7), 58)
    seen = _ALONG_RANK[file << 6 | across] & _RANK[square]
    return seen | shl(_ALONG_FILE[(square & 56) << 3 | up], file)
