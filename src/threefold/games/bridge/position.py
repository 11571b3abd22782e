"""A position of bridge as words, and what can be read off it.

Seats are numbered clockwise, North 0, East 1, South 2, West 3; North-South is MAX. `cards` shows
how cards are numbered and how a hand is a word. The trick in progress is a word too:

    bit    0 ... 5       6 ... 11      12 ... 17
           first card    second card   third card       each as its number plus 1; 0 if not played
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from threefold.games.bridge.cards import IN_A_SUIT, SUIT
from threefold.rules.bits import popcount

#: How many bits of the trick each of its cards takes.
PER_CARD = 6
_CARD = (1 << PER_CARD) - 1


class State(NamedTuple):
    """The four hands, the trick in progress and who led to it, and the tricks won so far."""

    north: int
    east: int
    south: int
    west: int
    trick: int
    leader: int
    won: int  # by North-South
    lost: int


def start(hands: Sequence[int], leader: int) -> State:
    """The position before a trick, of four hands, North's first."""
    return State(hands[0], hands[1], hands[2], hands[3], 0, leader, 0, 0)


def played(trick: int) -> int:
    """How many cards a trick in progress has, 0 to 3."""
    return (trick > 0) + (trick > _CARD) + (trick >> 2 * PER_CARD > 0)


def card_in(trick: int, i: int) -> int:
    """The card played to a trick first (0), second or third."""
    return (trick >> PER_CARD * i & _CARD) - 1


def seat_to_play(s: State) -> int:
    """Whose turn it is, North 0 to West 3."""
    return (s.leader + played(s.trick)) & 3


class Hands(Protocol):
    """Whatever has four hands, by other rules as well."""

    @property
    def north(self) -> int:
        """The cards of North."""

    @property
    def east(self) -> int:
        """The cards of East."""

    @property
    def south(self) -> int:
        """The cards of South."""

    @property
    def west(self) -> int:
        """The cards of West."""


def hand_of(s: Hands, seat: int) -> int:
    """The cards that a seat holds."""
    if seat == 0:
        return s.north
    if seat == 1:
        return s.east
    return s.south if seat == 2 else s.west


def suit_of(card: int) -> int:
    """The suit of a card, clubs 0 to spades 3."""
    return card // IN_A_SUIT


def whole_suit(card: int) -> int:
    """All cards of a card's suit."""
    return SUIT << IN_A_SUIT * suit_of(card)


def playable(s: State) -> int:
    """The cards that may be played: of the suit led, if the hand has any."""
    hand = hand_of(s, seat_to_play(s))
    if s.trick != 0:
        following = hand & whole_suit(card_in(s.trick, 0))
        if following != 0:
            return following
    return hand


def in_hands(s: State) -> int:
    """All cards that are not played."""
    return s.north | s.east | s.south | s.west


def in_play(s: State) -> int:
    """All cards that can still beat or be beaten: the hands and the trick in progress."""
    cards = in_hands(s)
    if s.trick != 0:
        for i in range(played(s.trick)):
            cards |= 1 << card_in(s.trick, i)
    return cards


def tricks_left(s: State) -> int:
    """How many tricks are still to be won, with the one in progress."""
    return popcount(hand_of(s, s.leader)) + (s.trick != 0)


def beats(card: int, best: int, strain: int) -> bool:
    """Whether a card played later to a trick beats the best one so far."""
    suit = card // IN_A_SUIT
    if suit == best // IN_A_SUIT:
        return card > best
    return suit == strain


def best_place(trick: int, strain: int) -> int:
    """Which card wins a trick in progress so far, as its place in the trick."""
    best, place = card_in(trick, 0), 0
    for i in range(1, played(trick)):
        card = card_in(trick, i)
        if beats(card, best, strain):
            best, place = card, i
    return place
