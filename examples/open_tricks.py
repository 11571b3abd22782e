"""Open tricks: a hand of whist for two with all cards on the table.

The cards are dealt from a seed and lie open, so it is a game of perfect information. The leader
plays any card, the other player must follow suit if possible, and the higher card of the suit led
takes the trick. Whoever takes it leads the next one.

A set of cards is a bitboard, one suit after another, lowest card first (here 2 suits of 4):

    bit     7  6  5  4 | 3  2  1  0
    card   H4 H3 H2 H1 |S4 S3 S2 S1

    threefold solve examples/open_tricks.py
    threefold play "examples/open_tricks.py(suits=3,ranks=5,deal=7)"
"""

import random
from typing import NamedTuple

from threefold import Game
from threefold.rules.bits import lsb, pop_lowest, popcount

SUITS = "SHDC"
RANKS = 13
NO_CARD = 63


class State(NamedTuple):
    south: int  # the cards in each hand
    north: int
    led: int  # the card led to the trick, or NO_CARD
    tricks: int  # South's tricks minus North's
    turn: int  # 0: South, who leads first; 1: North


def open_tricks(suits: int = 2, ranks: int = 6, deal: int = 1) -> Game[State]:
    """Two open hands: follow suit, take the trick with the higher card, and lead the next."""
    if not (1 <= suits <= len(SUITS) and 1 <= ranks <= RANKS and suits * ranks % 2 == 0):
        raise ValueError(f"{suits} suits of {ranks} cards are not two equal hands")
    cards = [*range(suits * ranks)]
    random.Random(deal).shuffle(cards)
    half = len(cards) // 2
    south_hand = sum(1 << card for card in cards[:half])
    north_hand = sum(1 << card for card in cards[half:])
    whole_suit = (1 << ranks) - 1

    def initial():
        return State(south_hand, north_hand, NO_CARD, 0, 0)

    def playable(s):
        """The mover's hand, or the cards of it that follow suit."""
        hand = s.south if s.turn == 0 else s.north
        if s.led == NO_CARD:
            return hand
        following = hand & whole_suit << s.led // ranks * ranks
        return following if following else hand

    def actions(s, out):
        n = 0
        left = playable(s)
        while left:
            out[n] = lsb(left)
            left = pop_lowest(left)
            n += 1
        return n

    def result(s, a):
        south, north = s.south & ~(1 << a), s.north & ~(1 << a)
        if s.led == NO_CARD:
            return State(south, north, a, s.tricks, 1 - s.turn)
        answered = a // ranks == s.led // ranks and a > s.led
        winner = s.turn if answered else 1 - s.turn
        return State(south, north, NO_CARD, s.tricks + (1 if winner == 0 else -1), winner)

    def utility(s):
        return s.tricks

    def bounds(s):
        """All remaining tricks may go to one player."""
        left = popcount(s.south if s.turn == 0 else s.north)
        return s.tricks - left, s.tricks + left

    # Text.

    def name(card):
        return f"{SUITS[card // ranks]}{card % ranks + 1}"

    def hand(cards):
        return " ".join(name(card) for card in range(suits * ranks) if cards >> card & 1) or "–"

    def render(s):
        led = f"on the table: {name(s.led)}" if s.led != NO_CARD else "a new trick"
        tricks = f"South leads by {s.tricks}" if s.tricks >= 0 else f"North leads by {-s.tricks}"
        return f"North: {hand(s.north)}\n{led}\nSouth: {hand(s.south)}\n{tricks}"

    return Game(
        f"Open tricks, deal {deal}",
        initial=initial,
        actions=actions,
        result=result,
        utility=utility,
        evaluate=lambda s: s.tricks,
        bounds=bounds,
        sides=("South", "North"),
        format_move=lambda _, a: name(a),
        render=render,
        max_moves=half,
        max_ply=2 * half,
        move_range=suits * ranks,
    )
