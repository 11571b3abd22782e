"""Relative ranks: what a card is worth among those still in play.

A word of cards has a lane of thirteen bits for each suit. All four lanes are worked on at once.
"""

from threefold.games.bridge.cards import IN_A_SUIT, SUIT, SUITS
from threefold.rules.bits import popcount


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

    It takes a round each for the gaps above a bit that make up 1, 2, 4 and 8 in its binary count,
    as in *Hacker's Delight* (Warren, 2012), but in all lanes and upward.
    """
    first, second = first & kept, second & kept
    gaps = (~kept & _ALL) >> 1 & _DOWN1
    first, second, kept, gaps = _raised_by(1, first, second, kept, gaps)
    first, second, kept, gaps = _raised_by(2, first, second, kept, gaps)
    first, second, kept, gaps = _raised_by(4, first, second, kept, gaps)
    first, second, _, _ = _raised_by(8, first, second, kept, gaps)
    return first, second


def _raised_by(
    step: int, first: int, second: int, kept: int, gaps: int
) -> tuple[int, int, int, int]:
    """Move those bits up that have an odd number of gaps above them, and halve these numbers."""
    odd = gaps ^ (gaps >> 1 & _DOWN1)
    odd ^= odd >> 2 & _DOWN2
    odd ^= odd >> 4 & _DOWN4
    odd ^= odd >> 8 & _DOWN8
    move = odd & kept
    one, two = first & move, second & move
    return (
        first ^ one | one << step,
        second ^ two | two << step,
        kept ^ move | move << step,
        gaps & ~odd,
    )


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
