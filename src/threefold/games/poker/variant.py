"""What the small pokers differ in: the cards, how much is bet in each round, and how often."""

from typing import NamedTuple

#: Signs of suits by their letters.
SUIT_SIGNS = {"s": "♠", "h": "♥"}


class Variant(NamedTuple):
    """A poker of two players with one card each, and perhaps one on the table between two rounds.

    Cards are numbered from 1, by rank and then by suit; 0 is a card that has not been dealt.
    """

    #: From the lowest to the highest, a letter each.
    ranks: str
    #: A letter each; empty where the suits make no difference.
    suits: str
    #: What one bet or raise adds, by round. Before the second round a card is put on the table.
    bets: tuple[int, ...]
    #: How often players may bet or raise in a round.
    most_raises: int

    @property
    def cards(self) -> int:
        """How many there are."""
        return len(self.ranks) * self.copies

    @property
    def copies(self) -> int:
        """How many cards have the same rank."""
        return max(1, len(self.suits))

    def names(self) -> list[str]:
        """The cards' names in order: `Js`, or `J` where there are no suits."""
        return [rank + suit for rank in self.ranks for suit in self.suits or ("",)]


KUHN = Variant(ranks="JQK", suits="", bets=(1,), most_raises=1)
LEDUC = Variant(ranks="JQK", suits="sh", bets=(2, 4), most_raises=2)
