"""Cards, suits and seats: their numbers, their letters and their names.

A card is a number, `13 * suit + rank`, and a hand a word with a bit for each of its cards:

    bit    0 ... 12   13 ... 25   26 ... 38   39 ... 51
           clubs      diamonds    hearts      spades        the two first, the ace last
"""

from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
SEATS: Final = "NESW"
STRAINS: Final = ("C", "D", "H", "S", "NT")

SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
SUIT_SIGNS: Final = ("♣", "♦", "♥", "♠")
SEAT_NAMES: Final = ("North", "East", "South", "West")
SIDE_NAMES: Final = ("North-South", "East-West")
RANK_NAMES: Final = (*map(str, range(2, 11)), "jack", "queen", "king", "ace")

CARDS: Final = len(SUITS) * len(RANKS)
IN_A_SUIT: Final = len(RANKS)
SEATS_AT_A_TABLE: Final = len(SEATS)
#: The number of a strain without trumps: one more than any suit's.
NO_TRUMPS: Final = len(SUITS)
#: All cards of the lowest suit.
SUIT: Final = (1 << IN_A_SUIT) - 1


def card_text(card: int) -> str:
    """A card as `SA`: suit, then rank."""
    suit, rank = divmod(card, IN_A_SUIT)
    return SUITS[suit] + RANKS[rank]


def card_signs(card: int) -> str:
    """A card as `♠A`, as players write it."""
    suit, rank = divmod(card, IN_A_SUIT)
    return SUIT_SIGNS[suit] + RANKS[rank]


def card_name(card: int) -> str:
    """A card in words: `ace of spades`."""
    suit, rank = divmod(card, IN_A_SUIT)
    return f"{RANK_NAMES[rank]} of {SUIT_NAMES[suit]}"


def ranks_text(hand: int, suit: int) -> str:
    """The ranks that a hand holds in a suit, the highest first."""
    return "".join(
        RANKS[rank] for rank in reversed(range(IN_A_SUIT)) if hand >> (suit * IN_A_SUIT + rank) & 1
    )


def cards_of(hand: int) -> list[int]:
    """The cards of a hand, the highest first, from spades down to clubs."""
    return [card for card in reversed(range(CARDS)) if hand >> card & 1]
