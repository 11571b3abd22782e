"""What a backgammon position seems worth, in thousandths of a point, without a net.

`position` counts what players count at a glance: the race, checkers on the bar, blots within reach,
and the points that stand in the other side's way. `pips` counts the race alone. The weights were
set by hand and changed where that won more points from pubeval, to which `position` without
lookahead still loses half a point a game.
"""

from typing import TYPE_CHECKING

from threefold.games.backgammon.checkers import (
    BAR,
    HOME,
    POINTS,
    count_at,
    held,
    occupied,
)
from threefold.rules.bits import lsb, msb, pop_lowest, popcount
from threefold.rules.contract import MAX, Player
from threefold.rules.terms import GivenTerms

if TYPE_CHECKING:
    from threefold.games.backgammon.rules import State

#: Half of an average roll, in pips: what it is worth to be on turn.
_HALF_A_ROLL = 4
#: Points 7 to 12 keep the other side's last checkers from running.
_OUTER = ((1 << 13) - 1) & ~(HOME | 1)
#: Points 18 to 24: an anchor, where a checker that is hit can always come back.
_ANCHORS = POINTS & -(1 << 18)


def pip_count(low: int, high: int) -> int:
    """How many steps a side's checkers are away from being borne off, all together."""
    places = occupied(low, high)
    total = 0
    while places:
        place = lsb(places)
        places = pop_lowest(places)
        total += place * count_at(low, high, place)
    return total


def _low(s: "State", p: Player) -> int:
    return s.x_low if p == MAX else s.o_low


def _high(s: "State", p: Player) -> int:
    return s.x_high if p == MAX else s.o_high


def _reach(s: "State", p: Player) -> int:
    """The places where the other side could still hit: those in front of its last checker."""
    theirs = occupied(_low(s, 1 - p), _high(s, 1 - p))
    last = BAR - msb(theirs) if theirs else BAR
    return -(2 << last) & POINTS


def pips(s: "State", p: Player) -> int:
    """Pips to go, less half a roll on the player's turn."""
    return pip_count(_low(s, p), _high(s, p)) - (_HALF_A_ROLL if s.turn == p else 0)


def bar(s: "State", p: Player) -> int:
    """Checkers on the bar."""
    return count_at(_low(s, p), _high(s, p), BAR)


def blots(s: "State", p: Player) -> int:
    """Pips that single checkers within reach would lose if each were hit."""
    low, high = _low(s, p), _high(s, p)
    places = occupied(low, high) & ~held(low, high) & _reach(s, p)
    total = 0
    while places:
        total += BAR - lsb(places)
        places = pop_lowest(places)
    return total


def stack(s: "State", p: Player) -> int:
    """Checkers beyond the third on a point."""
    low, high = _low(s, p), _high(s, p)
    places = held(low, high) & POINTS
    total = 0
    while places:
        total += max(count_at(low, high, lsb(places)) - 3, 0)
        places = pop_lowest(places)
    return total


def _kept(s: "State", p: Player, where: int) -> int:
    """Points held in a region, as long as checkers of the other side have to pass them."""
    mine = held(_low(s, p), _high(s, p)) & where
    return popcount(mine & _reach(s, p))


def home(s: "State", p: Player) -> int:
    """Points held at home, in the way of checkers that have yet to pass."""
    return _kept(s, p, HOME)


def block(s: "State", p: Player) -> int:
    """Points held from 7 to 12, in the way of checkers that have yet to pass."""
    return _kept(s, p, _OUTER)


def anchor(s: "State", p: Player) -> int:
    """A point held in the other side's home, or close to it."""
    return 1 if held(_low(s, p), _high(s, p)) & _ANCHORS & _reach(s, p) else 0


TERMS: dict[str, GivenTerms] = {
    "position": {
        "pips": (pips, -10),
        "bar": (bar, -100),
        "blots": (blots, -4),
        "home": (home, 120),
        "block": (block, 80),
        "anchor": (anchor, 60),
        "stack": (stack, -20),
    },
    "pips": {"pips": (pips, -10)},
}
