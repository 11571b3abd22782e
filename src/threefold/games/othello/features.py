"""What a learned evaluation sees of Othello: the discs, the moves of both sides, and the stage."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.bits import popcount, shl
from threefold.rules.contract import MAX, Player, Row

if TYPE_CHECKING:
    from threefold.games.othello.rules import State


def features(placements: Callable[[int, int], int]) -> "Callable[[State, Player, Row], int]":
    """The hook; `placements(mine, theirs)` gives the squares where I may place a disc."""

    def seen(s: "State", p: Player, out: Row) -> int:
        if p == MAX:
            mine, theirs = s.black, s.white
        else:
            mine, theirs = s.white, s.black
        out[0] = mine
        out[1] = theirs
        out[2] = placements(mine, theirs)
        out[3] = placements(theirs, mine)
        out[4] = shl(1, popcount(mine | theirs) - 1)  # what a disc is worth changes with the stage
        return 5

    return seen
