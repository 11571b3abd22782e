"""The rules of bridge's card play, with all hands open: double dummy.

Seats are numbered clockwise, North 0, East 1, South 2, West 3; North-South is MAX. `cards` shows
how cards are numbered and how a hand is a word. The trick in progress is a word too:

    bit    0 ... 5       6 ... 11      12 ... 17
           first card    second card   third card       each as its number plus 1; 0 if not played
"""

from typing import NamedTuple

from threefold.games.bridge.cards import CARDS, IN_A_SUIT, SUIT
from threefold.rules.bits import add, mix, popcount
from threefold.rules.contract import MAX, Row
from threefold.rules.records import Assumptions, RuleHooks

#: How many bits of the trick each of its cards takes.
PER_CARD = 6
_CARD = (1 << PER_CARD) - 1
#: Tricks are small numbers; they share a word for the key.
_TRICK_BITS = 3 * PER_CARD
#: In the evaluation, a trick is worth this much, and a high-card point: 40 of them, 13 tricks.
TRICK = 100
HONOR = 32
#: What honors count for: ace 4, king 3, queen 2, jack 1.
_HONORS = tuple(
    (1 << IN_A_SUIT * suit + IN_A_SUIT - 5 + n, n) for suit in range(4) for n in (4, 3, 2, 1)
)
_HONORS_OF = {n: sum(bit for bit, points in _HONORS if points == n) for n in (4, 3, 2, 1)}
_ACES, _KINGS, _QUEENS, _JACKS = (_HONORS_OF[n] for n in (4, 3, 2, 1))


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


def played(trick: int) -> int:
    """How many cards a trick in progress has, 0 to 3."""
    return (trick > 0) + (trick > _CARD) + (trick >> 2 * PER_CARD > 0)


def card_in(trick: int, i: int) -> int:
    """The card played to a trick first (0), second or third."""
    return (trick >> PER_CARD * i & _CARD) - 1


def seat_to_play(s: State) -> int:
    """Whose turn it is, North 0 to West 3."""
    return (s.leader + played(s.trick)) & 3


def hand_of(s: State, seat: int) -> int:
    """The cards that a seat holds."""
    if seat == 0:
        return s.north
    if seat == 1:
        return s.east
    return s.south if seat == 2 else s.west


def suit_of(card: int) -> int:
    """The suit of a card, clubs 0 to spades 3."""
    return card // IN_A_SUIT


def rules(strain: int, hands: tuple[int, ...], first_leader: int) -> RuleHooks:
    """The hooks for a strain, 0 to 3 the trump suit and 4 none, from a deal."""

    def beats(card: int, best: int) -> bool:
        """Whether a card played later to a trick beats the best one so far."""
        suit = card // IN_A_SUIT
        if suit == best // IN_A_SUIT:
            return card > best
        return suit == strain

    def best_of(trick: int) -> int:
        """Which card wins a trick so far, as its place in the trick."""
        best, place = card_in(trick, 0), 0
        for i in range(1, played(trick)):
            card = card_in(trick, i)
            if beats(card, best):
                best, place = card, i
        return place

    def initial() -> State:
        return State(hands[0], hands[1], hands[2], hands[3], 0, first_leader, 0, 0)

    def playable(s: State) -> int:
        """The cards that may be played: of the suit led, if the hand has any."""
        hand = hand_of(s, seat_to_play(s))
        if s.trick != 0:
            following = hand & SUIT << IN_A_SUIT * suit_of(card_in(s.trick, 0))
            if following != 0:
                return following
        return hand

    def actions(s: State, out: Row) -> int:
        cards = playable(s)
        n = 0
        for card in range(CARDS):
            if cards >> card & 1:
                out[n] = card
                n += 1
        return n

    def result(s: State, a: int) -> State:
        seat, rest = seat_to_play(s), ~(1 << a)
        north, east, south, west = s.north & rest, s.east & rest, s.south & rest, s.west & rest
        n = played(s.trick)
        if n < 3:
            trick = s.trick | a + 1 << PER_CARD * n
            return State(north, east, south, west, trick, s.leader, s.won, s.lost)
        place = best_of(s.trick)
        winner = seat if beats(a, card_in(s.trick, place)) else (s.leader + place) & 3
        lost = winner & 1
        return State(north, east, south, west, 0, winner, s.won + 1 - lost, s.lost + lost)

    def player(s: State) -> int:
        """North and South play for MAX, East and West for MIN."""
        return seat_to_play(s) & 1

    def is_terminal(s: State) -> bool:
        return s.trick == 0 and s.north == 0

    def utility(s: State) -> int:
        return s.won - s.lost

    def tricks_left(s: State) -> int:
        """How many tricks are still to be won, with the one in progress."""
        return popcount(hand_of(s, s.leader)) + (s.trick != 0)

    def bounds(s: State) -> tuple[int, int]:
        """The tricks won are safe; the others may go to either side."""
        lead, left = s.won - s.lost, tricks_left(s)
        return lead - left, lead + left

    def settled(s: State) -> tuple[int, int]:
        """The tricks won, and a key to everything else."""
        h = mix(add(mix(s.north), s.east))
        h = mix(add(h, s.south))
        return s.won - s.lost, mix(add(h, s.west)) ^ mix(s.trick << 2 | s.leader)

    def key(s: State) -> int:
        rest = settled(s)[1]
        return add(rest, mix(s.won << 4 | s.lost))

    def remaining(s: State) -> int:
        """Every card is a ply."""
        return popcount(s.north) + popcount(s.east) + popcount(s.south) + popcount(s.west)

    def in_play(s: State) -> int:
        """All cards that can still beat or be beaten: the hands and the trick in progress."""
        cards = s.north | s.east | s.south | s.west
        for i in range(played(s.trick)):
            cards |= 1 << card_in(s.trick, i)
        return cards

    def sufficient(s: State, out: Row) -> int:
        """One card, the lowest, of each sequence that no other card in play interrupts."""
        cards = playable(s)
        others = in_play(s) & ~cards
        n = 0
        below, suit_below = 0, -1
        for card in range(CARDS):
            if cards >> card & 1:
                between = (1 << card) - (1 << below)
                if card // IN_A_SUIT != suit_below or others & between != 0:
                    out[n] = card
                    n += 1
                below, suit_below = card, card // IN_A_SUIT
        return n

    def order(s: State, a: int) -> int:
        """Win a trick as cheaply as possible; otherwise play low. Lead high cards."""
        rank = a % IN_A_SUIT
        if s.trick == 0:
            return rank
        place = best_of(s.trick)
        n = played(s.trick)
        if place == n - 2 and n == 3:
            return -rank  # partner has won it
        if beats(a, card_in(s.trick, place)):
            return 2 * IN_A_SUIT - rank
        return -rank

    def points(hand: int) -> int:
        """High-card points."""
        return (
            4 * popcount(hand & _ACES)
            + 3 * popcount(hand & _KINGS)
            + 2 * popcount(hand & _QUEENS)
            + popcount(hand & _JACKS)
        )

    def tricks(s: State, p: int) -> int:
        """Tricks won."""
        return s.won if p == MAX else s.lost

    def honors(s: State, p: int) -> int:
        """High-card points still held."""
        return points(s.north | s.south if p == MAX else s.east | s.west)

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "player": player,
        "is_terminal": is_terminal,
        "utility": utility,
        "terms": {
            "honors": {"tricks": (tricks, TRICK), "honors": (honors, HONOR)},
            "tricks": {"tricks": (tricks, TRICK)},
        },
        "key": key,
        "order": order,
        "assumptions": Assumptions(
            sufficient=sufficient, bounds=bounds, settled=settled, remaining=remaining
        ),
        "max_moves": IN_A_SUIT,
        "max_ply": CARDS,
        "move_range": CARDS,
    }
