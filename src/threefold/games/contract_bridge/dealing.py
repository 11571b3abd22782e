"""Deals that a seat cannot rule out: all cards it does not see, dealt again.

A seat knows its own hand, dummy's once the lead is made, and all cards played. Whoever did not
follow suit has shown a *void*. All ways to place the rest into the hands that have room for them,
none of it where a void was shown, are equally likely, exactly:

1. Cards of one suit can go to one, two or three of the unseen hands. Those that only one can hold
   are placed.
2. A *split* says how many cards that only A and B can hold go to A, and so for A and C, and for B
   and C. The others then fill what room is left. How many deals there are of a split is a product
   of binomial coefficients. One split is drawn by these numbers.
3. The cards themselves are drawn at random within the split.

What the auction tells about the hidden hands is another matter: see `inference`.
"""

from typing import Final

from threefold.games.bridge.cards import CARDS, IN_A_SUIT, SUIT
from threefold.games.bridge.position import hand_of, suit_of
from threefold.games.contract_bridge.position import (
    State,
    card_at,
    hidden_from,
    in_play,
    lead_after,
    winner_of,
)
from threefold.rules.bits import GOLDEN, add, lowest, lsr, mix, popcount

_PACK: Final = (1 << CARDS) - 1
_LARGEST: Final = (1 << 63) - 1
_NOBODY: Final = -1


def unseen_by(s: State, p: int) -> int:
    """The cards that a seat does not see: what others hold, though not who holds what."""
    cards = _PACK
    for seat in range(4):
        if not hidden_from(s, p, seat):
            cards &= ~hand_of(s, seat)
    for i in range(s.played):
        cards &= ~(1 << card_at(s, i))
    return cards


def cards_left(s: State, seat: int) -> int:
    """How many cards a seat holds, as everybody can count."""
    if not in_play(s):
        return IN_A_SUIT
    behind = seat - (s.to_act - (s.played & 3)) & 3
    return IN_A_SUIT - (s.played >> 2) - (1 if behind < (s.played & 3) else 0)


def possible_cards(s: State, seat: int) -> int:
    """The cards of all suits in which a seat has not shown a void."""
    cards = _PACK
    if not in_play(s):
        return cards
    leader = lead_after(s.contract)
    for first in range(0, s.played, 4):
        place = seat - leader & 3
        led = suit_of(card_at(s, first))
        if first + place < s.played and suit_of(card_at(s, first + place)) != led:
            cards &= ~(SUIT << IN_A_SUIT * led)
        if first + 4 <= s.played:
            leader = winner_of(s, first, leader)
    return cards


def choose(n: int, k: int) -> int:
    """How many ways there are to choose k of n; none if k is out of range."""
    if k < 0 or k > n:
        return 0
    ways = 1
    for i in range(min(k, n - k)):
        ways = ways * (n - i) // (i + 1)
    return ways


def draw(seed: int, count: int) -> tuple[int, int]:
    """A number below `count`, all equally likely, and the next seed."""
    fair = _LARGEST - _LARGEST % count
    seed = add(seed, GOLDEN)
    number = lsr(mix(seed), 1)
    while number >= fair:
        seed = add(seed, GOLDEN)
        number = lsr(mix(seed), 1)
    return number % count, seed


def some_of(cards: int, k: int, seed: int) -> tuple[int, int]:
    """Any k of the cards, all choices equally likely, and the next seed."""
    chosen, n = 0, popcount(cards)
    while k > 0:
        number, seed = draw(seed, n)
        card = lowest(cards)
        if number < k:
            chosen |= card
            k -= 1
        cards &= ~card
        n -= 1
    return chosen, seed


def nth_hidden(s: State, p: int, n: int) -> int:
    """The seat of the n-th hand that a seat does not see; -1 if there are not so many."""
    for seat in range(4):
        if hidden_from(s, p, seat):
            if n == 0:
                return seat
            n -= 1
    return _NOBODY


def deals_of_split(
    i: int, j: int, k: int, ab: int, ac: int, bc: int, abc: int, room_a: int, room_b: int
) -> int:
    """How many deals have a split: of so many cards of each kind, i, j and k to the first hand."""
    left_a, left_b = room_a - i - j, room_b - (ab - i) - k
    if left_a < 0 or left_b < 0 or left_a + left_b > abc:
        return 0
    split = choose(ab, i) * choose(ac, j) * choose(bc, k)
    return split * choose(abc, left_a) * choose(abc - left_a, left_b)


def count_deals(ab: int, ac: int, bc: int, abc: int, room_a: int, room_b: int) -> int:
    """How many deals there are in all."""
    ways = 0
    for i in range(ab + 1):
        for j in range(ac + 1):
            for k in range(bc + 1):
                ways += deals_of_split(i, j, k, ab, ac, bc, abc, room_a, room_b)
    return ways


def split_of(
    number: int, ab: int, ac: int, bc: int, abc: int, room_a: int, room_b: int
) -> tuple[int, int, int]:
    """The split of the deal with that number."""
    for i in range(ab + 1):
        for j in range(ac + 1):
            for k in range(bc + 1):
                number -= deals_of_split(i, j, k, ab, ac, bc, abc, room_a, room_b)
                if number < 0:
                    return i, j, k
    return 0, 0, 0


def deal(s: State, p: int, seed: int) -> State:
    """All that seat `p` does not see, dealt again."""
    a, b, c = nth_hidden(s, p, 0), nth_hidden(s, p, 1), nth_hidden(s, p, 2)
    unseen = unseen_by(s, p)
    could_a, could_b = unseen & possible_cards(s, a), unseen & possible_cards(s, b)
    could_c = unseen & possible_cards(s, c) if c != _NOBODY else 0
    # 1. What only one hand can hold.
    hand_a, hand_b = could_a & ~could_b & ~could_c, could_b & ~could_a & ~could_c
    hand_c = could_c & ~could_a & ~could_b
    room_a, room_b = cards_left(s, a) - popcount(hand_a), cards_left(s, b) - popcount(hand_b)
    # 2. The split.
    ab, ac = could_a & could_b & ~could_c, could_a & could_c & ~could_b
    bc, abc = could_b & could_c & ~could_a, could_a & could_b & could_c
    of_ab, of_ac, of_bc, of_abc = popcount(ab), popcount(ac), popcount(bc), popcount(abc)
    ways = count_deals(of_ab, of_ac, of_bc, of_abc, room_a, room_b)
    if ways == 0:
        return s
    number, seed = draw(seed, ways)
    i, j, k = split_of(number, of_ab, of_ac, of_bc, of_abc, room_a, room_b)
    # 3. The cards.
    a_of_ab, seed = some_of(ab, i, seed)
    a_of_ac, seed = some_of(ac, j, seed)
    b_of_bc, seed = some_of(bc, k, seed)
    a_of_abc, seed = some_of(abc, room_a - i - j, seed)
    rest = abc & ~a_of_abc
    b_of_abc, seed = some_of(rest, room_b - (of_ab - i) - k, seed)
    hand_a |= a_of_ab | a_of_ac | a_of_abc
    hand_b |= ab & ~a_of_ab | b_of_bc | b_of_abc
    hand_c |= ac & ~a_of_ac | bc & ~b_of_bc | rest & ~b_of_abc
    return with_hands(s, a, hand_a, b, hand_b, c, hand_c)


def with_hands(s: State, a: int, of_a: int, b: int, of_b: int, c: int, of_c: int) -> State:
    """The position with other hands at two or three seats."""
    return State(
        held(s, 0, a, of_a, b, of_b, c, of_c),
        held(s, 1, a, of_a, b, of_b, c, of_c),
        held(s, 2, a, of_a, b, of_b, c, of_c),
        held(s, 3, a, of_a, b, of_b, c, of_c),
        s.dealt,
        s.to_act,
        s.first_passes,
        s.bids0,
        s.bids1,
        s.bids2,
        s.bids3,
        s.contract,
        s.played,
        s.plays0,
        s.plays1,
        s.plays2,
        s.plays3,
        s.plays4,
        s.plays5,
        s.won,
    )


def held(s: State, seat: int, a: int, of_a: int, b: int, of_b: int, c: int, of_c: int) -> int:
    """What a seat holds once two or three have other hands."""
    if seat == a:
        return of_a
    if seat == b:
        return of_b
    return of_c if seat == c else hand_of(s, seat)
