"""What a learned evaluation sees of Nim with a die: one bit for every state of heap and die.

With many stones and faces there are too many states, and the heap and the die have a bit each.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.bits import shl
from threefold.rules.contract import MAX_FEATURE_WORDS, Player, Row

if TYPE_CHECKING:
    from threefold.games.dice_nim.rules import State


def features(stones: int, faces: int) -> "Callable[[State, Player, Row], int]":
    """The hook for a number of stones and a die."""
    dice = faces + 1  # with one not rolled
    one_bit = (stones + 1) * dice <= 64 * MAX_FEATURE_WORDS
    words = ((stones + 1) * dice if one_bit else stones + 1 + dice) + 63 >> 6

    def seen(s: "State", _: Player, out: Row) -> int:
        bit = s.stones * dice + s.die if one_bit else s.stones
        other = bit if one_bit else stones + 1 + s.die
        for i in range(words):
            word = 0
            if bit >> 6 == i:
                word = shl(1, bit & 63)
            if other >> 6 == i:
                word |= shl(1, other & 63)
            out[i] = word
        return words

    return seen
