"""Cards in pictures: a hand as four rows of a suit each, every rank a place to touch."""

from collections.abc import Iterator
from typing import Final

from threefold.games.bridge.cards import IN_A_SUIT, RANKS, SUIT_SIGNS, card_text, ranks_text
from threefold.rules import svg

#: How far apart two cards of a suit are.
CARD_WIDTH: Final = 17.0


def suit_color(suit: int) -> str:
    """Hearts and diamonds are warm; the sign of the suit is always there as well."""
    return "fill-max" if suit in {1, 2} else "fill-ink"


def hand_in_rows(x: float, y: float, cards: int, row_height: float) -> Iterator[str]:
    """The cards of a hand, spades first; `y` is the top of a row that is left for the name."""
    for row, suit in enumerate((3, 2, 1, 0), 1):
        middle = y + (row + 0.5) * row_height
        yield svg.label(x + CARD_WIDTH / 2, middle, SUIT_SIGNS[suit], suit_color(suit), size=19)
        for i, rank in enumerate(ranks_text(cards, suit) or "–"):
            left = x + (i + 1.3) * CARD_WIDTH
            yield svg.label(left + CARD_WIDTH / 2, middle, rank, size=17)
            if rank in RANKS:
                card = card_text(suit * IN_A_SUIT + RANKS.index(rank))
                yield svg.place(left, middle - row_height / 2, CARD_WIDTH, row_height, card)
