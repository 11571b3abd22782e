"""What a bidder counts in a hand: points, the lengths of its suits, and stoppers."""

from functools import lru_cache
from typing import Final, NamedTuple

from threefold.games.bridge.cards import IN_A_SUIT, SUIT

ACE: Final = 1 << IN_A_SUIT - 1
KING: Final = ACE >> 1
QUEEN: Final = KING >> 1
JACK: Final = QUEEN >> 1
_SUITS: Final = range(4)


class Hand(NamedTuple):
    """The counts of a hand. Suits are clubs 0 to spades 3."""

    #: High-card points: ace 4, king 3, queen 2, jack 1.
    hcp: int
    #: High-card points, and one for every card of a suit after the fourth.
    points: int
    lengths: tuple[int, int, int, int]
    #: No void, no singleton, at most one doubleton.
    balanced: bool
    #: A bit for each suit in which the opponents cannot take all tricks: an ace, a king with
    #: another card, a queen with two, a jack with three.
    stoppers: int


@lru_cache(maxsize=1 << 16)
def _in_suit(cards: int) -> tuple[int, int, bool]:
    """Of the cards of a suit: points, length, and whether it is stopped."""
    length = cards.bit_count()
    honors = [bool(cards & card) for card in (ACE, KING, QUEEN, JACK)]
    hcp = sum(n for n, holds in zip((4, 3, 2, 1), honors, strict=True) if holds)
    stopped = any(holds and length > i for i, holds in enumerate(honors))
    return hcp, length, stopped


def count(cards: int) -> Hand:
    """The counts of a hand of thirteen cards."""
    suits = [_in_suit(cards >> IN_A_SUIT * suit & SUIT) for suit in _SUITS]
    (a, c, p), (b, d, q), (e, h, r), (f, s, t) = suits
    hcp = a + b + e + f
    lengths = c, d, h, s
    short = (c == 2) + (d == 2) + (h == 2) + (s == 2)
    extra = max(c - 4, 0) + max(d - 4, 0) + max(h - 4, 0) + max(s - 4, 0)
    balanced = min(lengths) >= 2 and short <= 1
    return Hand(hcp, hcp + extra, lengths, balanced, p | q << 1 | r << 2 | t << 3)
