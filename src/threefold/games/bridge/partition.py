"""What matters about a position before a trick: a key that forgets low cards.

What always matters is who leads and how many cards of each suit everyone has. Of the ranks, only
the highest matter, down to the lowest card that ever won a trick over another of its suit. What
mattered is therefore a word of cards. Remembered are relative ranks: of the cards still in play,
who has the highest, the second highest, and so on. That is two bits for each card, in two words:

    details    bit 0 of the owner's seat, the highest card of a suit at the top of its lane
               bit 1 of the owner's seat, likewise
"""

from collections.abc import Callable

from threefold.games.bridge.cards import IN_A_SUIT, SUIT, SUITS
from threefold.games.bridge.lanes import filled_up, in_suit, lengths, raised, topmost
from threefold.games.bridge.position import (
    PER_CARD,
    State,
    beats,
    best_place,
    card_in,
    in_hands,
    in_play,
    playable,
    suit_of,
)
from threefold.rules.bits import lowest, lsb, pop_lowest, popcount
from threefold.rules.contract import NO_REPLY, Action


def gist(s: State) -> int:
    """Before a trick: the suits' lengths in three hands and most of the fourth, and the leader."""
    if s.trick != 0 or s.north == 0:
        return 0
    north, east, south, west = (
        lengths(s.north),
        lengths(s.east),
        lengths(s.south),
        lengths(s.west),
    )
    # The fourth suit of a hand follows from its size, which is everyone's.
    return north | east << 16 | south << 32 | (west & 4095) << 48 | s.leader << 60


def details(s: State, mattered: int) -> tuple[int, int, int]:
    """Who owns the highest cards, the second highest…; and how far down that mattered."""
    present = in_hands(s)
    first, second = raised(s.east | s.west, s.south | s.west, present)
    high = filled_up(mattered & present) & present
    bits = (
        topmost(popcount(high & SUIT), 0)
        | topmost(popcount(in_suit(high, 1)), 1)
        | topmost(popcount(in_suit(high, 2)), 2)
        | topmost(popcount(in_suit(high, 3)), 3)
    )
    return first, second, bits


def matter(s: State, bits: int) -> int:
    """The lowest card of each suit that mattered, by how many from the top did."""
    present = in_hands(s)
    mattered = 0
    for suit in range(len(SUITS)):
        count = popcount(in_suit(bits, suit))
        if count > 0:
            cards = in_suit(present, suit)
            for _ in range(popcount(cards) - count):
                cards = pop_lowest(cards)
            mattered |= lowest(cards) << IN_A_SUIT * suit
    return mattered


def forgetting(strain: int) -> Callable[[State, Action, int], int]:
    """The hook that says what mattered before a move, for a strain."""

    def mattered_before(s: State, a: Action, mattered: int) -> int:
        if a == NO_REPLY:
            return _for_all_moves(s, mattered)
        if s.trick >> 2 * PER_CARD == 0:
            return mattered
        # The fourth card: who wins by rank, over another card of the suit, does so by that card.
        place = best_place(s.trick, strain)
        best = card_in(s.trick, place)
        winner = a if beats(a, best, strain) else best
        suit = suit_of(winner)
        of_suit = suit_of(a) == suit
        count = of_suit + 0
        for i in range(3):
            count += suit_of(card_in(s.trick, i)) == suit
        return mattered | 1 << winner if count > 1 else mattered

    return mattered_before


def _for_all_moves(s: State, mattered: int) -> int:
    """What mattered, with whole sequences: of each, only one card was tried.

    If a card of a sequence mattered, or a lower one of its suit, the others would no longer be its
    equals with ranks forgotten below it.
    """
    cards = playable(s)
    others = in_play(s) & ~cards
    while cards != 0:
        low = lowest(cards)
        cards ^= low
        top = low
        suit = suit_of(lsb(low))
        end = 1 << IN_A_SUIT * (suit + 1)
        # The sequence goes on to the next own card, if no other card in play is between.
        while cards != 0:
            after = lowest(cards)
            if after >= end or others & (after - top) != 0:
                break
            cards ^= after
            top = after
        if top != low:
            begin = 1 << IN_A_SUIT * suit
            # Down to the top of the sequence, does anything of the suit matter?
            if mattered & ((top << 1) - begin) != 0:
                mattered |= low
    return mattered
