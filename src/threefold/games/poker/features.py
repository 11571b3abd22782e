"""What a learned evaluation sees of a poker: one's own card, the table's, and the betting."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.bits import shl
from threefold.rules.contract import MAX, Player, Row

if TYPE_CHECKING:
    from threefold.games.poker.rules import State


def features(cards: int) -> "Callable[[State, Player, Row], int]":
    """The hook for a number of cards: a bit for each of them, in hand and on the table."""

    def seen(s: "State", p: Player, out: Row) -> int:
        own = s.first if p == MAX else s.second
        out[0] = shl(1, own) | shl(1, cards + 1 + s.table)
        out[1] = s.betting
        out[2] = s.later
        out[3] = p
        return 4

    return seen
