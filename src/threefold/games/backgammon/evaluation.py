"""What a backgammon position seems worth, in thousandths of a point, without a net.

`position` counts what players count at a glance: the race, checkers on the bar, blots within reach,
and the points that stand in the other side's way. `pips` counts the race alone. The weights were
set by hand and changed where that won more points from pubeval, to which `position` without
lookahead still loses half a point a game.

With the cube, an evaluation is what `cube` makes of that. Its terms then count as often as the cube
shows, and a term of its own, `cube`, is what the cube changes beyond that.
"""

from collections.abc import Callable
from fractions import Fraction

from threefold.games.backgammon.checkers import (
    BAR,
    HOME,
    POINTS,
    count_at,
    held,
    occupied,
)
from threefold.games.backgammon.cube import UNIT, cubeful, roller
from threefold.games.backgammon.racing import pips_beyond, race_lead
from threefold.games.backgammon.rules import State
from threefold.games.backgammon.stakes import doubles_of
from threefold.rules.bits import lsb, msb, pop_lowest, popcount
from threefold.rules.contract import MAX, Player
from threefold.rules.records import EvaluationHooks
from threefold.rules.terms import GivenTerms, Term, credited, remainder, weighted_sum

#: Half of an average roll, in pips: what it is worth to be on turn.
_HALF_A_ROLL = 4
#: What a pip counts, and how much of that `race` leaves once nobody can be hit.
_PIP, _PIP_OF_RACE = 10, 1
#: Points 7 to 12 keep the other side's last checkers from running.
_OUTER = ((1 << 13) - 1) & ~(HOME | 1)
#: Points 18 to 24: an anchor, where a checker that is hit can always come back.
_ANCHORS = POINTS & -(1 << 18)


def _low(s: State, p: Player) -> int:
    return s.x_low if p == MAX else s.o_low


def _high(s: State, p: Player) -> int:
    return s.x_high if p == MAX else s.o_high


def _reach(s: State, p: Player) -> int:
    """The places where the other side could still hit: those in front of its last checker."""
    theirs = occupied(_low(s, 1 - p), _high(s, 1 - p))
    last = BAR - msb(theirs) if theirs else BAR
    return -(2 << last) & POINTS


def pips(s: State, p: Player) -> int:
    """Pips to go, less half a roll on the player's turn."""
    return pips_beyond(_low(s, p), _high(s, p), 0) - (_HALF_A_ROLL if roller(s) == p else 0)


def bar(s: State, p: Player) -> int:
    """Checkers on the bar."""
    return count_at(_low(s, p), _high(s, p), BAR)


def blots(s: State, p: Player) -> int:
    """Pips that single checkers within reach would lose if each were hit."""
    low, high = _low(s, p), _high(s, p)
    places = occupied(low, high) & ~held(low, high) & _reach(s, p)
    total = 0
    while places:
        total += BAR - lsb(places)
        places = pop_lowest(places)
    return total


def stack(s: State, p: Player) -> int:
    """Checkers beyond the third on a point."""
    low, high = _low(s, p), _high(s, p)
    places = held(low, high) & POINTS
    total = 0
    while places:
        total += max(count_at(low, high, lsb(places)) - 3, 0)
        places = pop_lowest(places)
    return total


def _kept(s: State, p: Player, where: int) -> int:
    """Points held in a region, as long as checkers of the other side have to pass them."""
    mine = held(_low(s, p), _high(s, p)) & where
    return popcount(mine & _reach(s, p))


def home(s: State, p: Player) -> int:
    """Points held at home, in the way of checkers that have yet to pass."""
    return _kept(s, p, HOME)


def block(s: State, p: Player) -> int:
    """Points held from 7 to 12, in the way of checkers that have yet to pass."""
    return _kept(s, p, _OUTER)


def anchor(s: State, p: Player) -> int:
    """A point held in the other side's home, or close to it."""
    return 1 if held(_low(s, p), _high(s, p)) & _ANCHORS & _reach(s, p) else 0


def race(s: State, p: Player) -> int:
    """What a lead is worth beyond its pips, once nobody can be hit any more."""
    if msb(occupied(s.x_low, s.x_high)) + msb(occupied(s.o_low, s.o_high)) > BAR:
        return 0
    ahead = pips(s, 1) - pips(s, 0)
    lead = race_lead(s.x_low, s.x_high, s.o_low, s.o_high, ahead)
    return credited(lead - (_PIP - _PIP_OF_RACE) * ahead, p)


TERMS: dict[str, GivenTerms] = {
    "position": {
        "pips": (pips, -_PIP),
        "race": (race, 1),
        "bar": (bar, -100),
        "blots": (blots, -4),
        "home": (home, 120),
        "block": (block, 80),
        "anchor": (anchor, 60),
        "stack": (stack, -20),
    },
    "pips": {"pips": (pips, -_PIP)},
}


def evaluations(cube: bool) -> EvaluationHooks:
    """The evaluations of a game with or without the cube, and their terms."""
    hooks: EvaluationHooks = {"evaluations": {}, "terms": {}}
    for name, terms in TERMS.items():
        equity = weighted_sum({each: Term(f, Fraction(w)) for each, (f, w) in terms.items()})
        if cube:
            hooks["evaluations"][name] = with_cube = _with_cube(equity)
            multiplied = _times_cube(terms)
            cube_term = remainder(with_cube, multiplied)
            cube_term.__doc__ = "What the right to double is worth, less points that cannot be won."
            hooks["terms"][name] = {**multiplied, "cube": (cube_term, 1)}
        else:
            hooks["evaluations"][name] = equity
            hooks["terms"][name] = terms
    return hooks


def _with_cube(equity: Callable[[State], int]) -> Callable[[State], int]:
    def value(s: State) -> int:
        return cubeful(s, equity(s), UNIT)

    return value


def _times_cube(terms: GivenTerms) -> GivenTerms:
    """Terms that count as often as the cube shows."""

    def times_cube(feature: Callable[[State, Player], int]) -> Callable[[State, Player], int]:
        def multiplied(s: State, p: Player) -> int:
            return feature(s, p) << doubles_of(s.stakes)

        multiplied.__doc__ = feature.__doc__
        return multiplied

    return {name: (times_cube(feature), weight) for name, (feature, weight) in terms.items()}
