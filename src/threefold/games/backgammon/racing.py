"""What a lead in a race is worth, by Kleinman's formula.

Pips go down by sums of rolls, so the difference of both sides' is nearly normal. With a lead of D
pips, half a roll included, and S pips to go in all, the chances of winning less those of losing are
about erf(D / 2√S). Whether the loser gets a checker off in time is a race of the same kind.

In whole numbers, in thousandths.
"""

from math import erf

from threefold.games.backgammon.checkers import count_at, occupied
from threefold.rules.bits import lsb, pop_lowest

#: 1000 · erf(D / 2√S), by 64 · D / √S.
_STEPS = 64
_LEVELS = 256
_WORTH = tuple(round(1000 * erf(i / (2 * _STEPS))) for i in range(_LEVELS))
#: What a roll takes from the pips to go.
_ROLL = 4
#: Pips that the winner wastes in bearing off, less those that one checker of the loser needs.
_WASTED = 4


def pips_beyond(low: int, high: int, point: int) -> int:
    """How many steps a side's checkers are away from a point, all together; 0 is off."""
    places = occupied(low, high)
    total = 0
    while places:
        place = lsb(places)
        places = pop_lowest(places)
        total += max(place - point, 0) * count_at(low, high, place)
    return total


def lead_worth(lead: int, pips: int) -> int:
    """The chances of winning a race less those of losing it."""
    square = _STEPS * _STEPS * lead * lead // max(pips - _ROLL, _ROLL)
    root = 0
    bit = _LEVELS // 2
    while bit:
        if (root + bit) * (root + bit) <= square:
            root += bit
        bit //= 2
    return _WORTH[root] if lead > 0 else -_WORTH[root]


def race_lead(x_low: int, x_high: int, o_low: int, o_high: int, ahead: int) -> int:
    """What a race is worth to X, who is that many pips ahead, half a roll included."""
    of_x, of_o = pips_beyond(x_low, x_high, 0), pips_beyond(o_low, o_high, 0)
    on_turn = ahead - (of_o - of_x)
    total = lead_worth(ahead, of_x + of_o)
    if o_low & 15 == 0:
        home = pips_beyond(o_low, o_high, 6) - _WASTED
        total += (1000 + lead_worth(home - of_x + on_turn, home + of_x)) // 2
    if x_low & 15 == 0:
        home = pips_beyond(x_low, x_high, 6) - _WASTED
        total -= (1000 + lead_worth(home - of_o - on_turn, home + of_o)) // 2
    return total
