"""What a learned evaluation sees of Kalah: the seeds in each place, as thermometers.

A thermometer of n seeds has its lowest n bits set. A pit has one of sixteen bits, four to a word,
and a store has a word to itself:

    word     my pits, four to a word … | my store | their pits … | their store
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.bits import lsr, shl
from threefold.rules.contract import MAX, Player, Row

if TYPE_CHECKING:
    from threefold.games.kalah.rules import Board, State

#: The length of a pit's thermometer; more seeds look alike.
PIT_BITS = 16
PITS_A_WORD = 64 // PIT_BITS


def thermometer(seeds: int, most: int) -> int:
    """As many of the lowest bits as there are seeds, up to `most`."""
    count = min(seeds, most)
    return lsr(-1, 64 - count) if count > 0 else 0


def features(
    pits: int,
    turned: "Callable[[Board], Board]",
    held: "Callable[[Board, int], int]",
) -> "Callable[[State, Player, Row], int]":
    """The hook for a board with `pits` pits per side.

    `turned(board)` is the board from the other side's point of view, `held(board, place)` the seeds
    in a place.
    """
    side = pits + 1

    def seen(s: "State", p: Player, out: Row) -> int:
        board = s.south, s.north, s.beyond
        if p != MAX:
            board = turned(board)
        n = 0
        for first in (0, side):
            word = 0
            for pit in range(pits):
                i = pit % PITS_A_WORD
                word |= shl(thermometer(held(board, first + pit), PIT_BITS), PIT_BITS * i)
                if i == PITS_A_WORD - 1 or pit == pits - 1:
                    out[n] = word
                    n += 1
                    word = 0
            out[n] = thermometer(held(board, first + pits), 64)
            n += 1
        return n

    return seen
