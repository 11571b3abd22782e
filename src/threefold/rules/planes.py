"""What makes the features of a game a picture: planes of cells, for nets that look at neighbors.

A game on a grid says so once, with `Game(…, planes=Planes(columns=8, rows=8, count=4))`. Nothing
but `train --method alphazero` reads it: its nets are then convolutional, and see the same shape
wherever it is on the board. Without it they are fully connected, for any game.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from threefold.errors import BadGame

#: The most columns and rows of a plane.
_LONGEST = 64


@dataclass(frozen=True, kw_only=True)
class Planes:
    """How the first words of a game's `features` are planes, each with a bit for every cell."""

    columns: int
    rows: int
    #: How many planes there are. Words after them are plain bits, which every cell sees.
    count: int
    #: How many words a plane has.
    words: int = 1
    #: The bit of each cell in its plane, row by row; by default 0, 1, 2, …
    bits: Sequence[int] = ()
    #: Whether a move whose number is a cell's bit is made on that cell.
    moves: bool = True

    @property
    def cells(self) -> int:
        """How many cells a plane has."""
        return self.columns * self.rows

    @property
    def cell_bits(self) -> tuple[int, ...]:
        """The bit of each cell in its plane, row by row."""
        return tuple(self.bits) or tuple(range(self.cells))


def checked_planes(name: str, planes: object) -> Planes | None:
    """What a game says about its planes, if it says anything; `BadGame` if it cannot be so."""
    if planes is None:
        return None
    if not isinstance(planes, Planes):
        raise BadGame(f"{name}: planes={planes!r} is not a Planes")
    for what in ("columns", "rows", "count", "words"):
        number = getattr(planes, what)
        if not isinstance(number, int) or not 1 <= number <= _LONGEST:
            raise BadGame(
                f"{name}: {what}={number!r} of planes is not a whole number from 1 to {_LONGEST}"
            )
    bits = planes.cell_bits
    if len(bits) != planes.cells:
        raise BadGame(f"{name}: bits of planes has {len(bits)} bits for {planes.cells} cells")
    if len(set(bits)) < len(bits) or not all(0 <= bit < 64 * planes.words for bit in bits):
        raise BadGame(
            f"{name}: bits of planes needs a different bit for each cell, from 0 to "
            f"{64 * planes.words - 1}"
        )
    return planes
