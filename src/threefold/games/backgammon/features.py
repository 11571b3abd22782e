"""What a net sees of a backgammon position: bits, as a player sees the board.

Words 0 to 2 are the player's own checkers, 3 to 5 the opponent's, four bits a place: at least one
checker, two, three, four; and in the third word five and six. Tesauro's inputs stop here but for
the checkers borne off. The others count what takes a small net long to find out by itself: the
race, shots at blots, primes, and how well the last checker can run.

A count is shown as a row of bits, as many as it is large.
"""

from collections.abc import Callable

from threefold.games.backgammon.checkers import BAR, HOME, POINTS, held, occupied, turned
from threefold.games.backgammon.rules import DECIDING, DOUBLED, State
from threefold.games.backgammon.stakes import doubles_of, length_of, owner_of, rule_of, score_of
from threefold.rules.bits import msb, popcount
from threefold.rules.contract import MAX, Row

#: The lowest bit of every count in a word: see `checkers`.
_LANES = 0x1111111111111
_PLACES = 13
#: How much of a count one bit stands for, and how many bits a count has.
_LEAD_STEP, _LEAD_ZERO, _LEAD_MOST = 4, 124, 62
_PIPS_STEP, _PIPS_MOST = 6, 32
_SHOTS_STEP, _RUNS_STEP = 2, 3


def levels(counts: int) -> int:
    """For every place of a word whether it has at least 1, 2, 3 and 4 checkers."""
    ones, twos = counts & _LANES, counts >> 1 & _LANES
    more = (counts >> 2 | counts >> 3) & _LANES
    return (ones | twos | more) | (twos | more) << 1 | (ones & twos | more) << 2 | more << 3


def stacks(counts: int) -> int:
    """For every place whether it has at least 5 and 6 checkers, in two of its four bits."""
    ones, twos = counts & _LANES, counts >> 1 & _LANES
    fours, eights = counts >> 2 & _LANES, counts >> 3 & _LANES
    return (fours & (ones | twos) | eights) | (fours & twos | eights) << 1


def row_of(count: int, most: int) -> int:
    """A count as a row of bits."""
    return (1 << min(max(count, 0), most)) - 1


def pips(low: int, high: int) -> int:
    """How far all the checkers of a side are from being borne off."""
    total = 0
    for i in range(1, _PLACES):
        total += i * (low >> 4 * i & 15)
    for i in range(_PLACES):
        total += (i + _PLACES) * (high >> 4 * i & 15)
    return total


def longest_prime(points: int) -> int:
    """How many points in a row a side holds, of those given."""
    length = 0
    while points:
        length += 1
        points &= points >> 1
    return length


def shots(mine: int, on_bar: int, blots: int, blocked: int) -> int:
    """About how many of the 36 rolls hit a blot.

    `mine` are the roller's places, `blots` and `blocked` the other side's, as the roller numbers
    them. With several checkers on the bar only those that enter can hit.
    """
    if blots == 0:
        return 0
    free = ~blocked & POINTS
    on_board = mine & POINTS
    count = 0
    for large in range(1, 7):
        first = on_board >> large & free
        if on_bar:
            first = 1 << BAR - large & free
        for small in range(1, large + 1):
            second = on_board >> small & free
            if on_bar:
                second = 1 << BAR - small & free
            hit = first | second
            if on_bar < 2:
                # The other die moves any checker, or the one that has just moved or entered.
                if first:
                    hit |= (on_board | first if on_bar else first) >> small
                if second:
                    hit |= (on_board | second if on_bar else second) >> large
                if large == small and first:
                    third = (on_board | first if on_bar else first) >> small & free
                    fourth = third >> small & free
                    hit |= third | fourth
                    if not on_bar:
                        hit |= fourth >> small
            if hit & blots:
                count += 1 if large == small else 2
    return count


def runs(place: int, blocked: int) -> int:
    """How many of the 36 rolls the checker on a place can use with both dice."""
    count = 0
    for large in range(1, 7):
        for small in range(1, large + 1):
            end = place - large - small
            by_large = blocked >> place - large & 1 if place > large else 0
            by_small = blocked >> place - small & 1 if place > small else 0
            stopped = blocked >> end & 1 if end > 0 else 0
            if stopped == 0 and (by_large == 0 or by_small == 0):
                count += 1 if large == small else 2
    return count


def of_player(s: State, p: int) -> tuple[int, int, int, int]:
    """The checkers of a player, and then the other's."""
    if p == MAX:
        return s.x_low, s.x_high, s.o_low, s.o_high
    return s.o_low, s.o_high, s.x_low, s.x_high


def tesauro(s: State, p: int, out: Row) -> int:
    """Seven words: where the checkers are, and how many are borne off."""
    low, high, their_low, their_high = of_player(s, p)
    out[0] = levels(low)
    out[1] = levels(high)
    out[2] = stacks(low) | stacks(high) << 2
    out[3] = levels(their_low)
    out[4] = levels(their_high)
    out[5] = stacks(their_low) | stacks(their_high) << 2
    out[6] = row_of(low & 15, 15) | row_of(their_low & 15, 15) << 16
    return 7


def features(s: State, p: int, out: Row) -> int:
    """Ten words, as player `p` sees the board."""
    tesauro(s, p, out)
    low, high, their_low, their_high = of_player(s, p)

    # Borne off, the kind of position, points in the home, the longest prime.
    mine, theirs = occupied(low, high), occupied(their_low, their_high)
    my_points = held(low, high) & POINTS
    their_points = held(their_low, their_high) & POINTS
    last, their_last = msb(mine), msb(theirs)
    contact = last + their_last > BAR
    word = row_of(low & 15, 15) | row_of(their_low & 15, 15) << 16
    word |= (1 << 32 if contact else 0) | (1 << 33 if last <= 6 and their_last <= 6 else 0)
    word |= row_of(popcount(my_points & HOME), 6) << 34
    word |= row_of(popcount(their_points & HOME), 6) << 40
    word |= row_of(longest_prime(my_points), 6) << 46
    word |= row_of(longest_prime(their_points), 6) << 52
    out[6] = word

    # The race.
    my_pips, their_pips = pips(low, high), pips(their_low, their_high)
    out[7] = row_of((their_pips - my_pips + _LEAD_ZERO) // _LEAD_STEP, _LEAD_MOST)
    out[8] = (
        row_of(my_pips // _PIPS_STEP, _PIPS_MOST - 1)
        | row_of(their_pips // _PIPS_STEP, _PIPS_MOST - 1) << _PIPS_MOST
    )

    # Shots of each side, and the freedom of each side's last checker.
    word = 0
    if contact:
        they_hold, i_hold = turned(their_points), turned(my_points)
        their_blots = turned(theirs) & ~they_hold
        my_blots = turned(mine) & ~i_hold
        on_bar, their_bar = high >> 48 & 15, their_high >> 48 & 15
        word = row_of(shots(mine, on_bar, their_blots, they_hold) // _SHOTS_STEP, 18)
        word |= row_of(shots(theirs, their_bar, my_blots, i_hold) // _SHOTS_STEP, 18) << 18
        word |= row_of(runs(last, they_hold) // _RUNS_STEP, 12) << 36
        word |= row_of(runs(their_last, i_hold) // _RUNS_STEP, 12) << 48
    out[9] = word
    return 10


def with_stakes(inputs: Callable[[State, int, Row], int]) -> Callable[[State, int, Row], int]:
    """The same and one word more, for games with the cube: what they are played for."""

    def features_and_stakes(s: State, p: int, out: Row) -> int:
        n = inputs(s, p, out)
        out[n] = stakes_word(s, p)
        return n + 1

    return features_and_stakes


def stakes_word(s: State, p: int) -> int:
    """Whose the cube is and what it shows, what is due, and how far each player is from the match.

    The points that a player needs are one bit of sixteen, the last for sixteen and more.
    """
    owner, length = owner_of(s.stakes), length_of(s.stakes)
    word = 0
    if owner:
        word |= 1 if owner == 1 + p else 2
    word |= (4 if s.phase == DOUBLED else 0) | (8 if s.phase == DECIDING else 0)
    word |= row_of(doubles_of(s.stakes), 6) << 4
    word |= (rule_of(s.stakes) & 1) << 10
    if length:
        mine = min(length - score_of(s.stakes, p), 16)
        theirs = min(length - score_of(s.stakes, 1 - p), 16)
        word |= 1 << 11 | 1 << 11 + mine | 1 << 27 + theirs
    return word
