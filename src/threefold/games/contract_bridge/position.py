"""A position of bridge: what its words mean, and what can be read from them.

Seats are numbered clockwise, North 0, East 1, South 2, West 3. Cards, and hands as words, are those
of `threefold.games.bridge.cards`; calls, and how the auction is kept, those of `calls`.

The contract is a word, first of the bid that stands, then of what is played:

    bit    0 … 5             6 7                       8 9                    10
           the bid, plus 1   1 doubled, 2 redoubled    who bid it; in the     set once the
           (0: none)                                   end, the declarer      auction is over

The cards played are kept in order, six bits each, ten to a word.
"""

from typing import NamedTuple

from threefold.games.bridge.cards import STRAINS
from threefold.games.bridge.position import beats
from threefold.games.contract_bridge.calls import (
    BIDS,
    BIDS_A_WORD,
    BITS_A_BID,
    DOUBLED_AT,
    MADE,
    PASSES_AT,
    REDOUBLED_AT,
    TWO_BITS,
)

#: In the word of the contract.
BID_BITS = 63
DOUBLED_BIT = 6
DECLARER_BIT = 8
FINAL = 1 << 10

CARDS_A_WORD = 10
BITS_A_CARD = 6
_CARD = 63
CARDS_A_TRICK = 4
#: All passes and doubles that an auction can have around its 35 bids.
LONGEST_AUCTION = 3 + 9 * BIDS + 1


class State(NamedTuple):
    """A deal, its auction, and the cards played so far."""

    #: The cards that each hand still holds.
    north: int
    east: int
    south: int
    west: int
    #: How many cards nature has dealt.
    dealt: int
    #: The seat that calls, or whose card is played next.
    to_act: int
    first_passes: int
    bids0: int
    bids1: int
    bids2: int
    bids3: int
    contract: int
    #: How many cards have been played, and which.
    played: int
    plays0: int
    plays1: int
    plays2: int
    plays3: int
    plays4: int
    plays5: int
    #: Tricks won by North-South.
    won: int


# What a position says.


def bid_words(s: State) -> tuple[int, int, int, int]:
    """What followed each bid: see `calls`."""
    return s.bids0, s.bids1, s.bids2, s.bids3


def play_words(s: State) -> tuple[int, int, int, int, int, int]:
    """The cards played, in order."""
    return s.plays0, s.plays1, s.plays2, s.plays3, s.plays4, s.plays5


def card_at(s: State, i: int) -> int:
    """The card that was played so many cards after the first."""
    word, at = i // CARDS_A_WORD, i % CARDS_A_WORD * BITS_A_CARD
    if word == 0:
        return s.plays0 >> at & _CARD
    if word == 1:
        return s.plays1 >> at & _CARD
    if word == 2:
        return s.plays2 >> at & _CARD
    if word == 3:
        return s.plays3 >> at & _CARD
    if word == 4:
        return s.plays4 >> at & _CARD
    return s.plays5 >> at & _CARD


def after_bid(s: State, bid: int) -> int:
    """The seven bits of what followed a bid, numbered from 0."""
    word, at = bid // BIDS_A_WORD, bid % BIDS_A_WORD * BITS_A_BID
    if word == 0:
        return s.bids0 >> at & (1 << BITS_A_BID) - 1
    if word == 1:
        return s.bids1 >> at & (1 << BITS_A_BID) - 1
    if word == 2:
        return s.bids2 >> at & (1 << BITS_A_BID) - 1
    return s.bids3 >> at & (1 << BITS_A_BID) - 1


def is_final(contract: int) -> bool:
    """Whether the contract is settled."""
    return contract >= FINAL


def bid_of(contract: int) -> int:
    """The bid of a contract, numbered from 0; -1 if there is none yet."""
    return (contract & BID_BITS) - 1


def strain_in(contract: int) -> int:
    """Trumps, clubs 0 to spades 3; 4 without."""
    return bid_of(contract) % len(STRAINS)


def level_in(contract: int) -> int:
    """The level of a contract, 1 to 7."""
    return bid_of(contract) // len(STRAINS) + 1


def doubled_in(contract: int) -> int:
    """0, or 1 if it is doubled, 2 if redoubled."""
    return contract >> DOUBLED_BIT & TWO_BITS


def declarer_in(contract: int) -> int:
    """The seat of the declarer; while the auction lasts, of the last bidder."""
    return contract >> DECLARER_BIT & TWO_BITS


def dummy_in(contract: int) -> int:
    """The seat of the declarer's partner."""
    return declarer_in(contract) + 2 & 3


def contract_of(bid: int, doubled: int, declarer: int) -> int:
    """The word of a settled contract."""
    return FINAL | declarer << DECLARER_BIT | doubled << DOUBLED_BIT | bid + 1


def in_play(s: State) -> bool:
    """Whether the auction is over, and cards are or were played."""
    return is_final(s.contract)


def in_trick(s: State) -> int:
    """How many cards the trick in progress has, 0 to 3."""
    return s.played & 3


def leader_of(s: State) -> int:
    """Who led to the trick in progress, or leads to the next."""
    return s.to_act - in_trick(s) & 3


def winner_of(s: State, first: int, leader: int) -> int:
    """Who won the trick whose first card was the one numbered `first`."""
    trumps = strain_in(s.contract)
    best, winner = card_at(s, first), leader
    for i in range(1, CARDS_A_TRICK):
        card = card_at(s, first + i)
        if beats(card, best, trumps):
            best, winner = card, leader + i & 3
    return winner


def declarer_of(s: State, dealer: int) -> int:
    """Who of the side that bid last was the first to name its strain."""
    last, bidder = bid_of(s.contract), declarer_in(s.contract)
    turn = dealer + s.first_passes
    for bid in range(last):
        after = after_bid(s, bid)
        if after & MADE:
            if bid % len(STRAINS) == last % len(STRAINS) and (turn ^ bidder) & 1 == 0:
                return turn & 3
            doubled, redoubled = after >> DOUBLED_AT & TWO_BITS, after >> REDOUBLED_AT & TWO_BITS
            turn += 1 + doubled + redoubled + (after >> PASSES_AT & TWO_BITS)
    return bidder


def hidden_from(s: State, p: int, seat: int) -> bool:
    """Whether seat `p` does not see the hand of another: all but dummy's, after the lead."""
    return seat != p and not (in_play(s) and s.played > 0 and seat == dummy_in(s.contract))


def lead_after(contract: int) -> int:
    """Who leads: the seat to the left of the declarer."""
    return declarer_in(contract) + 1 & 3
