"""The end-games of Kalah: positions by the seeds left in the pits.

What is in the stores stays there, so the seeds in the pits alone decide what the rest of a game is
worth. They are seen by the player to move: one slice for each number of seeds serves both sides.

My pit and theirs that are equally far from their stores form a column; the first one is farthest.
Positions are numbered by the seeds in the first column, fewest first; then by the number of the
other columns, which is made in the same way; then by how many of the first column's are mine.

A move that banks nothing takes the seeds of one pit nearer to the mover's store. So a column has
fewer than before and those that come earlier have as many; whose they are, which changes as the
turn passes, comes last. Such a move always leads to a smaller number in the slice, and one pass
over the numbers from 0 up makes a table.
"""

from math import comb
from typing import TYPE_CHECKING, Final

from threefold.rules.endgames import NO_SLICE, Endgames, Slice

if TYPE_CHECKING:
    from collections.abc import Callable

    from threefold.games.kalah.rules import Board, State

#: The largest slice, in positions: 24 seeds with six pits a side.
_LARGEST_SLICE: Final = 1 << 29
#: More seeds are of no use on boards with few pits, where slices stay small.
_MOST_SEEDS: Final = 60
#: How many positions take about a second.
_SMALL: Final = 1 << 22
#: The number of a position that cannot occur.
_NO_NUMBER: Final = -1


def ways(seeds: int, pits: int) -> int:
    """In how many ways so many seeds can lie in so many pits."""
    return comb(seeds + pits - 1, seeds) if pits > 0 else int(seeds == 0)


def most_seeds(pits: int) -> int:
    """The seeds of the largest slice, with `pits` pits a side."""
    allowed = (n for n in range(_MOST_SEEDS + 1) if ways(n, 2 * pits) <= _LARGEST_SLICE)
    return max(allowed)


def few_seeds(pits: int) -> int:
    """Up to how many seeds all slices together are made in about a second."""
    # All ways with up to n seeds: one more pit has those that are missing.
    allowed = (n for n in range(most_seeds(pits) + 1) if ways(n, 2 * pits + 1) <= _SMALL)
    return max(allowed)


def numbers_before(pits: int) -> tuple[int, ...]:
    """For each column, the seeds in it and the later ones, and the seeds in it alone: a number.

    It is in how many ways these columns can be filled with fewer seeds in the first of them.
    """
    most = most_seeds(pits)
    table = []
    for later in reversed(range(pits)):
        for seeds in range(most + 1):
            before = 0
            for first in range(most + 1):
                table.append(before)
                if first <= seeds:
                    before += (first + 1) * ways(seeds - first, 2 * later)
    return tuple(table)


def endgames(
    pits: int,
    rules: str,
    make_state: "Callable[[Board], State]",
    board_of: "Callable[[State], Board]",
    held: "Callable[[Board, int], int]",
    in_pits: "Callable[[Board], tuple[int, int]]",
    added: "Callable[[Board, int, int], Board]",
) -> "Endgames[State]":
    """The end-games with `pits` pits per side; `rules` says what their values depend on.

    `make_state(board)` is the position with South to move, `board_of(s)` the board as the mover
    sees it, `held(board, place)` the seeds in a place, `in_pits(board)` those in all my pits and
    in theirs; `added(board, place, seeds)` has more in a place.
    """
    side, most = pits + 1, most_seeds(pits)
    before, width = numbers_before(pits), most + 1

    def slice_of(s: "State") -> int:
        """The seeds in the pits. When one side has none, the rest is banked at once."""
        mine, theirs = in_pits((s.south, s.north, s.beyond))
        if mine + theirs > most or (mine == 0) != (theirs == 0):
            return NO_SLICE
        return mine + theirs

    def number_of(s: "State") -> int:
        board = board_of(s)
        number, mine, seeds = 0, 0, 0
        for later in range(pits):
            column = pits - 1 - later
            my_seeds = held(board, column)
            both = my_seeds + held(board, side + column)
            mine += my_seeds
            seeds += both
            number = number * (both + 1) + my_seeds
            number += before[(column * width + seeds) * width + both]
        # No number stands for a position with all seeds on one side.
        if (mine == 0 or mine == seeds) and seeds > 0:
            return _NO_NUMBER
        return number

    def position(of_slice: int, number: int) -> "State":
        board = 0, 0, 0
        seeds = of_slice
        for column in range(pits):
            row = (column * width + seeds) * width
            both = 0
            while both < seeds and before[row + both + 1] <= number:
                both += 1
            number -= before[row + both]
            my_seeds = number % (both + 1)
            number //= both + 1
            board = added(board, column, my_seeds)
            board = added(board, side + column, both - my_seeds)
            seeds -= both
        return make_state(board)

    def slices(seeds: int) -> list[Slice]:
        return [
            Slice(
                number=n,
                name=f"seeds-{n:02}",
                size=ways(n, 2 * pits),
                pieces=n,
                leads_to=range(n + 1),
            )
            for n in range(min(seeds, most) + 1)
        ]

    return Endgames(
        rules=rules,
        slices=slices,
        slice_of=slice_of,
        number_of=number_of,
        position=position,
        most=most,
        small=few_seeds(pits),
        unit="seeds",
        margins=True,
    )
