"""Tricks that are sure at a glance, and the cards that make them sure.

Quick tricks are those that the side on lead can take one after another. Held back are those that
the other side cannot lose: its highest trumps, or the tricks it takes when it gets the lead.
"""

from collections.abc import Callable

from threefold.games.bridge.cards import IN_A_SUIT, NO_TRUMPS, SUIT, SUITS
from threefold.games.bridge.lanes import in_suit
from threefold.games.bridge.position import State, hand_of, tricks_left
from threefold.rules.bits import highest, popcount


def top_cards(own: int, others: int) -> int:
    """The cards of a suit that are higher than all of the others."""
    return own & ~((highest(others) << 1) - 1) if others != 0 else own


def run(own: int, others: int, longest: int) -> tuple[int, int]:
    """How many tricks a holding takes by leading it out; and the lowest card that it depends on.

    With as many top cards as anyone else has cards, all the rest is high. `longest` is that number.
    """
    top = top_cards(own, others)
    count = popcount(top)
    if count >= longest:
        if longest == 0:
            return popcount(own), 0
        while count > longest:
            top &= top - 1
            count -= 1
        return popcount(own), top & -top
    return count, top & -top


def sure_tricks(strain: int) -> Callable[[State], tuple[int, int, int, int]]:
    """The hook `foreseen` for a strain."""
    trumps = SUIT << IN_A_SUIT * strain if strain != NO_TRUMPS else 0

    def quick(mine: int, partner: int, left: int, right: int) -> tuple[int, int]:
        """Tricks that I can take on lead, with partner's if I can reach them; and why."""
        tricks, why = 0, 0
        free_left, free_right = left & trumps == 0, right & trumps == 0
        trumps_run = 0
        if strain != NO_TRUMPS:
            # Trumps: the top ones are tricks in any case; enough of them leave nobody else any.
            own = in_suit(mine, strain)
            theirs = in_suit(left, strain), in_suit(right, strain)
            most = max(popcount(theirs[0]), popcount(theirs[1]))
            top = top_cards(own, theirs[0] | theirs[1] | in_suit(partner, strain))
            count = popcount(top)
            if count >= most and most > 0:
                free_left = free_right = True
            longest = max(most, popcount(in_suit(partner, strain)))
            trumps_run, card = run(own, theirs[0] | theirs[1] | in_suit(partner, strain), longest)
            if trumps_run > 0:
                tricks += trumps_run
                why |= card << IN_A_SUIT * strain
        partners, because, entry = 0, 0, False
        for suit in range(len(SUITS)):
            own = in_suit(mine, suit)
            hers = in_suit(partner, suit)
            lefts, rights = in_suit(left, suit), in_suit(right, suit)
            rivals = lefts | rights
            if own | hers == 0:
                continue
            most = max(popcount(lefts), popcount(rights))
            # How often the suit can be led before it is ruffed.
            limit = IN_A_SUIT
            if suit != strain:
                if not free_left:
                    limit = min(limit, popcount(lefts))
                if not free_right:
                    limit = min(limit, popcount(rights))
            if suit != strain and limit > 0 and own > hers | rivals:
                count, card = run(own, hers | rivals, max(most, popcount(hers)))
                if count > limit:
                    count = limit
                tricks += count
                why |= card << IN_A_SUIT * suit
            elif limit > 0 and hers > own | rivals:
                count, card = run(hers, own | rivals, max(most, popcount(own)))
                if count > limit:
                    count = limit
                partners += count
                because |= card << IN_A_SUIT * suit
                if own != 0:
                    entry = True
        if entry:
            tricks += partners
            why |= because
        return tricks, why

    def held_back(left: int, right: int, mine: int, partner: int) -> tuple[int, int]:
        """Tricks that the side not on lead takes in any case; and why."""
        if strain != NO_TRUMPS:
            first, second = in_suit(left, strain), in_suit(right, strain)
            ours = in_suit(mine, strain) | in_suit(partner, strain)
            one, two = top_cards(first, ours | second), top_cards(second, ours | first)
            if one != 0:
                return popcount(one), (one & -one) << IN_A_SUIT * strain
            if two != 0:
                return popcount(two), (two & -two) << IN_A_SUIT * strain
            return 0, 0
        # Without trumps: if whatever is led loses to a top card, whose owner cashes the others.
        tops_left, tops_right, count_left, count_right = 0, 0, 0, 0
        wins_left, wins_right = False, False
        for suit in range(len(SUITS)):
            own = in_suit(mine, suit)
            first, second = in_suit(left, suit), in_suit(right, suit)
            ours = own | in_suit(partner, suit)
            if own != 0 and ours > first | second:
                return 0, 0
            one, two = top_cards(first, ours | second), top_cards(second, ours | first)
            if one != 0:
                wins_left = wins_left or own != 0
                count_left += popcount(one)
                tops_left |= (one & -one) << IN_A_SUIT * suit
            if two != 0:
                wins_right = wins_right or own != 0
                count_right += popcount(two)
                tops_right |= (two & -two) << IN_A_SUIT * suit
        if wins_left and wins_right:
            return min(count_left, count_right), tops_left | tops_right
        if wins_left:
            return count_left, tops_left
        return count_right, tops_right

    def foreseen(s: State) -> tuple[int, int, int, int]:
        mine, left = hand_of(s, s.leader), hand_of(s, (s.leader + 1) & 3)
        partner, right = hand_of(s, (s.leader + 2) & 3), hand_of(s, (s.leader + 3) & 3)
        lead, all_tricks = s.won - s.lost, tricks_left(s)
        tricks, why = quick(mine, partner, left, right)
        tricks = min(tricks, all_tricks)
        others, why_others = held_back(left, right, mine, partner)
        if s.leader & 1 == 0:
            return (
                lead - all_tricks + 2 * tricks,
                lead + all_tricks - 2 * others,
                why,
                why_others,
            )
        return lead - all_tricks + 2 * others, lead + all_tricks - 2 * tricks, why_others, why

    return foreseen
