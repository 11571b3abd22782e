"""Which card to try first."""

from collections.abc import Callable

from threefold.games.bridge.cards import IN_A_SUIT, NO_TRUMPS, SUIT
from threefold.games.bridge.position import (
    State,
    beats,
    best_place,
    card_in,
    hand_of,
    played,
    seat_to_play,
    suit_of,
)
from threefold.rules.bits import popcount
from threefold.rules.contract import Action


def ordering(strain: int) -> Callable[[State, Action], int]:
    """The hook `order` for a strain."""

    def leading(s: State, a: Action) -> int:
        """Cash a winner, or cross to partner's; else low toward partner, from length."""
        suit = suit_of(a)
        lane = SUIT << IN_A_SUIT * suit
        rank = a - IN_A_SUIT * suit
        own, partner = hand_of(s, s.leader) & lane, hand_of(s, (s.leader + 2) & 3) & lane
        left, right = hand_of(s, (s.leader + 1) & 3), hand_of(s, (s.leader + 3) & 3)
        others_left, others_right = left & lane, right & lane
        rivals = others_left | others_right
        score = popcount(own | partner)
        trumps = SUIT << IN_A_SUIT * strain if strain != NO_TRUMPS else 0
        if strain != NO_TRUMPS and suit != strain:
            if others_left == 0 and left & trumps != 0:
                score -= 20
            if others_right == 0 and right & trumps != 0:
                score -= 20
            if partner == 0 and hand_of(s, (s.leader + 2) & 3) & trumps != 0 and rivals != 0:
                return score + 30 - rank
        if 1 << a > rivals:
            return score + 6 + (10 if partner < own else 0) - rank // 4
        if partner > rivals:
            return score + 35 - rank
        if others_right > others_left and own | partner > others_left:
            return score + 4 - rank  # toward partner, through a weak left
        if others_left > others_right:
            return score + 8 - rank  # through strength
        return score - rank

    def following(s: State, a: Action) -> int:
        """Win as cheaply as it takes, if it does; else play low."""
        suit = suit_of(a)
        rank = a - IN_A_SUIT * suit
        led = suit_of(card_in(s.trick, 0))
        n = played(s.trick)
        place = best_place(s.trick, strain)
        best = card_in(s.trick, place)
        seat = seat_to_play(s)
        wins = beats(a, best, strain)
        if suit != led and not wins:
            # A discard: low, from length, rather keeping honors.
            lane = SUIT << IN_A_SUIT * suit
            held = popcount(hand_of(s, seat) & lane)
            return held - 3 * rank - (20 if suit == strain else 0)
        if n == 3:
            partners = place == 1
            if partners:
                return -rank
            return 40 - rank if wins else -rank
        lane = SUIT << IN_A_SUIT * led
        following_hand = hand_of(s, (seat + 1) & 3)
        can_beat = following_hand & lane > 1 << a
        if following_hand & lane == 0 and strain != NO_TRUMPS:
            trump_lane = SUIT << IN_A_SUIT * strain
            can_beat = following_hand & trump_lane != 0 and led != strain
        if suit == strain and led != strain:
            can_beat = following_hand & lane == 0 and (
                following_hand & (SUIT << IN_A_SUIT * strain) > 1 << a
            )
        if n == 2:
            if place == 0:
                # Partner is winning: is it good enough?
                best_held = following_hand & lane > 1 << best
                if not best_held:
                    return -rank if not wins else -5 - rank
            if wins:
                return 40 - rank if not can_beat else 10 - rank
            return -rank
        # Second hand.
        partner = hand_of(s, (seat + 2) & 3)
        if wins and not can_beat:
            if partner & lane > following_hand & lane:
                return 10 - rank
            return 30 - rank
        return 5 - rank if not wins else -rank

    def order(s: State, a: Action) -> int:
        if s.trick == 0:
            return leading(s, a)
        return following(s, a)

    return order
