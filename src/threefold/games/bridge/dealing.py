"""Deals by number, the same on every machine.

The pack, from the two of clubs to the ace of spades, is shuffled as Fisher and Yates do: from the
last card down, card i changes places with card `lsr(mix(n · 64 + i), 1) % (i + 1)`, where n is the
deal's number. North gets the first thirteen cards, then East, South and West.
"""

from typing import Final

from threefold.games.bridge.cards import CARDS, IN_A_SUIT, SEATS_AT_A_TABLE
from threefold.rules.bits import lsr, mix

#: Numbers of deals are below this.
DEALS: Final = 1 << 56
#: More than the cards of a pack: no two deals use a word twice.
_WORDS_A_DEAL: Final = 64


def dealt(number: int) -> tuple[int, ...]:
    """The four hands of a deal, North's first."""
    pack = list(range(CARDS))
    for i in range(CARDS - 1, 0, -1):
        j = lsr(mix(number * _WORDS_A_DEAL + i), 1) % (i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return tuple(
        sum(1 << card for card in pack[IN_A_SUIT * seat : IN_A_SUIT * (seat + 1)])
        for seat in range(SEATS_AT_A_TABLE)
    )
