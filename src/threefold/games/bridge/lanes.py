"""Relative ranks: what a card is worth among those still in play.

A word of cards has a lane of thirteen bits for each suit. All four lanes are worked on at once.
"""

from threefold.games.bridge.cards import IN_A_SUIT, SUIT, SUITS
from threefold.rules.bits import popcount, shl


def _lanes(bits: int) -> int:
    """The same thirteen bits in all lanes."""
    return sum(bits << IN_A_SUIT * suit for suit in range(len(SUITS)))


#: What a shift toward the top, or the bottom, by 1, 2, 4 and 8 may write to in each lane.
_UP = tuple(_lanes(SUIT & ~((1 << n) - 1)) for n in (1, 2, 4, 8))
_DOWN = tuple(_lanes(SUIT >> n) for n in (1, 2, 4, 8))
_ALL = _lanes(SUIT)
_UP1, _UP2, _UP4, _UP8 = _UP
_DOWN1, _DOWN2, _DOWN4, _DOWN8 = _DOWN


def raised(first: int, second: int, kept: int) -> tuple[int, int]:
    """Two words whose kept bits are moved to the top of their lanes, in order; the rest is lost.

    Each round moves the bits that have an odd number of gaps, pairs of gaps… above them, as in
    *Hacker's Delight* (Warren, 2012), but in all lanes and upward.
    """
    first, second = first & kept, second & kept
    gaps = (~kept & _ALL) >> 1 & _DOWN1
    odd = gaps ^ (gaps >> 1 & _DOWN1)
    odd ^= odd >> 2 & _DOWN2
    odd ^= odd >> 4 & _DOWN4
    odd ^= odd >> 8 & _DOWN8
    move = odd & kept
    kept = kept ^ move | move << 1
    one, two = first & move, second & move
    first, second = first ^ one | one << 1, second ^ two | two << 1

    gaps &= ~odd
    odd = gaps ^ (gaps >> 1 & _DOWN1)
    odd ^= odd >> 2 & _DOWN2
    odd ^= odd >> 4 & _DOWN4
    odd ^= odd >> 8 & _DOWN8
    move = odd & kept
    kept = kept ^ move | move << 2
    one, two = first & move, second & move
    first, second = first ^ one | one << 2, second ^ two | two << 2

    gaps &= ~odd
    odd = gaps ^ (gaps >> 1 & _DOWN1)
    odd ^= odd >> 2 & _DOWN2
    odd ^= odd >> 4 & _DOWN4
    odd ^= odd >> 8 & _DOWN8
    move = odd & kept
    kept = kept ^ move | move << 4
    one, two = first & move, second & move
    first, second = first ^ one | one << 4, second ^ two | two << 4

    gaps &= ~odd
    odd = gaps ^ (gaps >> 1 & _DOWN1)
    odd ^= odd >> 2 & _DOWN2
    odd ^= odd >> 4 & _DOWN4
    odd ^= odd >> 8 & _DOWN8
    move = odd & kept
    one, two = first & move, second & move
    return first ^ one | one << 8, second ^ two | two << 8


def filled_up(cards: int) -> int:
    """All cards that are as high as one of these, in each suit."""
    cards |= cards << 1 & _UP1
    cards |= cards << 2 & _UP2
    cards |= cards << 4 & _UP4
    return cards | cards << 8 & _UP8


def topmost(count: int, suit: int) -> int:
    """So many bits at the top of a suit's lane."""
    return ((1 << count) - 1) << IN_A_SUIT * (suit + 1) - count


def in_suit(cards: int, suit: int) -> int:
    """A suit's lane alone, shifted down to the lowest bits."""
    return cards >> IN_A_SUIT * suit & SUIT


def lengths(hand: int) -> int:
    """How many cards of each suit a hand has, four bits each."""
    return (
        popcount(hand & SUIT)
        | popcount(in_suit(hand, 1)) << 4
        | popcount(in_suit(hand, 2)) << 8
        | popcount(in_suit(hand, 3)) << 12
    )


def bit(card: int) -> int:
    """The word of one card."""
    return shl(1, card)
