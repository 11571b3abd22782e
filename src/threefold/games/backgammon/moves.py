"""Plays: which checkers a roll may move, and how that changes the board.

A play is the place that each die moves a checker from, the larger die's in the lowest five bits,
the smaller die's in the next five; 0 if the die is not used. A double moves up to four, from the
highest place to the lowest. That much settles the position afterwards, in whatever order the dice
are played: the checkers leave and arrive at the same places, and hit the same blots. The play of a
player who cannot move is 0.

Different plays may still lead to one position. With different dice that happens in two ways only:

- a checker that runs with both dice may start with either. If neither landing place has a blot,
  it makes no difference. It makes none either if the checker on the landing place runs on instead;
- two checkers that either die bears off.

With a double, never. Where a play leaves from a place more often than another one does, some
checker must arrive there more often, from the place a die farther away, and so on without end.

Nothing here is stored in a list, so that a GPU can run it by the hundred thousand.
"""

from threefold.games.backgammon.checkers import (
    BAR,
    HOME,
    OFF,
    count_at,
    held,
    high_unit,
    low_unit,
    occupied,
    turned,
)
from threefold.rules.bits import highest, msb
from threefold.rules.contract import Row

#: The play of a player who cannot move.
NO_PLAY = 0
#: Bits for one place in a play.
PLACE_BITS = 5
_PLACE = (1 << PLACE_BITS) - 1
#: A play is a number below this.
PLAYS = (BAR + 1) << 3 * PLACE_BITS


def movable(mine: int, blocked: int, die: int) -> int:
    """The places from which a die may move a checker, given those with one of the mover's.

    `blocked` are the points that the opponent holds, as the mover numbers them.
    """
    if mine >> BAR:
        return (~blocked >> BAR - die & 1) << BAR
    found = mine & ~(blocked << die) & -(2 << die)
    if mine & ~HOME == 0:
        found |= mine & 1 << die if mine >> die else highest(mine)
    return found


def _after(mine: int, single: int, place: int, die: int) -> int:
    """The mover's places after a die has moved a checker; `single` are those with just one."""
    return mine & ~(single & 1 << place) | (1 << place >> die) & ~1


def list_plays(mine_low: int, mine_high: int, low: int, high: int, dice: int, out: Row) -> int:
    """Write the plays of a roll: first the mover's checkers, then the opponent's."""
    large, small = dice >> 3, dice & 7
    theirs = turned(held(low, high))
    if large == small:
        return _list_double(mine_low, mine_high, theirs, large, out)
    mine = occupied(mine_low, mine_high)
    single = mine & ~held(mine_low, mine_high)
    blots = turned(occupied(low, high)) & ~theirs
    return _list_two_dice(mine, single, theirs, blots, large, small, out)


def _list_two_dice(
    mine: int, single: int, blocked: int, blots: int, large: int, small: int, out: Row
) -> int:
    """Write the plays of two different dice.

    First those in which the larger die can be played first. The others are those in which the
    smaller one makes a move of the larger one possible that was not possible before.
    """
    count = 0
    first = movable(mine, blocked, large)
    left = first
    while left:
        a = msb(left)
        left ^= 1 << a
        then = movable(_after(mine, single, a, large), blocked, small)
        b = a + small
        if then >> b & 1 and _runs(mine, single, blocked, blots, first, b, large, small):
            then &= ~(1 << b)
        while then:
            place = msb(then)
            then ^= 1 << place
            out[count] = a | place << PLACE_BITS
            count += 1
    left = movable(mine, blocked, small)
    while left:
        b = msb(left)
        left ^= 1 << b
        then = movable(_after(mine, single, b, small), blocked, large) & ~first
        if b <= small:  # two checkers that either die bears off
            then &= -(1 << b)
        elif then >> b - small & 1 and _runs(mine, single, blocked, blots, first, b, large, small):
            then &= ~(1 << b - small)
        while then:
            place = msb(then)
            then ^= 1 << place
            out[count] = place | b << PLACE_BITS
            count += 1
    if count == 0:
        return _list_one_die(first, movable(mine, blocked, small), out)
    return count


def _runs(
    mine: int, single: int, blocked: int, blots: int, first: int, place: int, large: int, small: int
) -> bool:
    """Whether a checker may run with both dice, the larger one first, and may start with either.

    That play is listed, so the one with the dice the other way round is not.
    """
    if first >> place & 1 == 0 or place <= large:
        return False
    if (blots >> place - large | blots >> place - small) & 1:
        return False
    then = movable(_after(mine, single, place, large), blocked, small)
    return then >> place - large & 1 == 1


def _list_one_die(first: int, second: int, out: Row) -> int:
    """Write the plays where only one die can be used: the larger one if there is a choice."""
    left = first if first else second
    digit = 0 if first else PLACE_BITS
    count = 0
    while left:
        place = msb(left)
        left ^= 1 << place
        out[count] = place << digit
        count += 1
    if count == 0:
        out[0] = NO_PLAY
        return 1
    return count


def _list_double(low: int, high: int, blocked: int, die: int, out: Row) -> int:
    """Write the plays of a double: places from high to low, each the same as before or lower.

    Moves from different places never get into each other's way. So however a player begins, the
    same number of moves can be made, and any set of places can be played from high to low.
    """
    mine = occupied(low, high)
    length, play = _longest(low, high, mine, blocked, die), 0
    if length == 0:
        out[0] = NO_PLAY
        return 1
    count = depth = 0
    allowed = -1
    while True:
        left = movable(mine, blocked, die) & allowed
        if depth == length - 1:
            while left:
                place = msb(left)
                left ^= 1 << place
                out[count] = play | place << PLACE_BITS * depth
                count += 1
        if left:
            place = msb(left)
            mine = _after(mine, 0 if count_at(low, high, place) > 1 else mine, place, die)
            to = max(place - die, OFF)
            low += low_unit(to) - low_unit(place)
            high += high_unit(to) - high_unit(place)
            play |= place << PLACE_BITS * depth
            depth += 1
            allowed = (2 << place) - 1
        elif depth == 0:
            return count
        else:
            depth -= 1
            place = play >> PLACE_BITS * depth
            play ^= place << PLACE_BITS * depth
            to = max(place - die, OFF)
            low += low_unit(place) - low_unit(to)
            high += high_unit(place) - high_unit(to)
            if to != OFF and count_at(low, high, to) == 0:
                mine &= ~(1 << to)
            mine |= 1 << place
            allowed = (1 << place) - 1


def _longest(low: int, high: int, mine: int, blocked: int, die: int) -> int:
    """How many moves of a double can be made, four at most."""
    made = 0
    while made < 4:
        left = movable(mine, blocked, die)
        if left == 0:
            return made
        place = msb(left)
        to = max(place - die, OFF)
        mine = _after(mine, 0 if count_at(low, high, place) > 1 else mine, place, die)
        low += low_unit(to) - low_unit(place)
        high += high_unit(to) - high_unit(place)
        made += 1
    return made


def played(
    mine_low: int, mine_high: int, low: int, high: int, dice: int, a: int
) -> tuple[int, int, int, int]:
    """The checkers after a play: first the mover's, then the opponent's."""
    die = dice >> 3
    while a:
        place = a & _PLACE
        a >>= PLACE_BITS
        if place:
            to = max(place - die, OFF)
            mine_low += low_unit(to) - low_unit(place)
            mine_high += high_unit(to) - high_unit(place)
            theirs = BAR - to
            if to != OFF and count_at(low, high, theirs) == 1:
                low -= low_unit(theirs)
                high += high_unit(BAR) - high_unit(theirs)
        die = dice & 7
    return mine_low, mine_high, low, high
