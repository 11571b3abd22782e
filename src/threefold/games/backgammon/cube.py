"""What the doubling cube makes of a position whose worth without it is known or guessed.

Janowski's model, for which see his "Take-Points in Money Games" of 1993. If nobody doubled again, a
*dead* cube, the position would be worth its equity times what the cube shows. If the chances moved
in small steps, a *live* cube, a player would double just when the other one might as well pass.
The truth is between the two: here it is three quarters of the way to the live cube.

An equity of up to one point is taken for the chances of winning less those of losing, and what is
more for gammons. Let c be a player's chances. The right to double is worth, to the one who has it,

    C · x · min(c / 2, 2 (1 - c))

where C is what the cube shows and x is 3/4, or 1 for each player if both have the right: then a
double takes it from the other one, too. That is what the interpolation comes to. It doubles from
71 % on, redoubles from 74 %, and takes down to 21 %.

In a match the points are those that still count, and a double adds no more than the winner needs.
"""

from threefold.games.backgammon.rules import DECIDING, DOUBLED, PLAYING, State
from threefold.games.backgammon.stakes import counted, doubled, may_double
from threefold.rules.contract import MAX, MIN, Player

#: A point, in the units of the evaluations.
UNIT = 1000


def roller(s: State) -> Player:
    """Who rolls next, or has rolled: after a double, that is the player who has doubled."""
    return 1 - s.turn if s.phase == DOUBLED else s.turn


def without_cube(s: State) -> State:
    """The position in the game without the cube: whoever doubled is about to roll."""
    return State(s.x_low, s.x_high, s.o_low, s.o_high, s.dice, roller(s), PLAYING, 0)


def cubeful(s: State, equity: int, unit: int) -> int:
    """What a position is worth to MAX that is worth `equity` without the cube.

    Both are in units of which a point has `unit`, an even number.
    """
    # Who has borne off a checker loses no gammon.
    most, least = 1 if s.o_low & 15 else 3, 1 if s.x_low & 15 else 3
    equity = min(max(equity, -least * unit), most * unit)
    if s.phase == DOUBLED:
        return _offered(s.stakes, equity, unit, 1 - s.turn)
    value = _played(s.stakes, equity, unit)
    if s.phase == DECIDING:
        offered = _offered(s.stakes, equity, unit, s.turn)
        return max(value, offered) if s.turn == MAX else min(value, offered)
    return value


def _offered(stakes: int, equity: int, unit: int, doubler: Player) -> int:
    """The worth of a double: the other player takes or passes."""
    taken = _played(doubled(stakes, 1 - doubler), equity, unit)
    passed = counted(stakes, 1, doubler) * unit
    return min(taken, passed) if doubler == MAX else max(taken, -passed)


def _played(stakes: int, equity: int, unit: int) -> int:
    """The worth of playing on: that of a dead cube, and of each player's right to double."""
    for_x, for_o = may_double(stakes, MAX), may_double(stakes, MIN)
    value = _dead(stakes, equity, unit)
    if for_x:
        right = _right(stakes, equity, unit, MAX)
        value += right if for_o else right * 3 // 4
    if for_o:
        right = _right(stakes, -equity, unit, MIN)
        value -= right if for_x else right * 3 // 4
    return value


def _dead(stakes: int, equity: int, unit: int) -> int:
    """The worth if nobody doubles any more."""
    if -unit <= equity <= unit:
        won = (unit + equity) * counted(stakes, 1, MAX)
        lost = (unit - equity) * counted(stakes, 1, MIN)
        return won // 2 - lost // 2
    winner, size = MAX if equity > 0 else MIN, abs(equity)
    points = size // unit
    less, more = counted(stakes, points, winner), counted(stakes, points + 1, winner)
    value = less * unit + (more - less) * (size - points * unit)
    return value if winner == MAX else -value


def _right(stakes: int, lead: int, unit: int, player: Player) -> int:
    """What the right to double is worth to a player with that lead, if the cube were live."""
    added = counted(doubled(stakes, 1 - player), 1, player) - counted(stakes, 1, player)
    return added * max(min((unit + lead) // 4, unit - lead), 0)
