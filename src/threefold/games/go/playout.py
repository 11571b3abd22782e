"""How Go is played out: quickly, and with some sense, so that most games end as they should.

A reply to the last move comes first (Gelly, Wang, Munos and Teytaud, 2006):

Step 1. Save stones that the last move put in atari, by capturing or by extending.
Step 2. Play one of a few shapes beside the last move: see `patterns`.

Without one, any move will do, but for these:

Step 3. Capture stones in atari, most of the time.
Step 4. Play any point that is neither suicide nor one of your own eyes; otherwise pass.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from threefold.games.go.groups import Groups
from threefold.games.go.patterns import shape_table
from threefold.rules.bits import GOLDEN, add, lsr, mix
from threefold.rules.contract import NO_REPLY, Action
from threefold.rules.wide import Cells

if TYPE_CHECKING:
    from threefold.games.go.rules import Sets

#: Of 256 times, how often stones in atari are captured, saved, and a shape is played.
CAPTURES = 224
SAVES = 256
SHAPES = 256


class PlayoutHooks(NamedTuple):
    """The hooks for one size of board."""

    playout: Callable[[Any, int], Action]
    reply: Callable[[Any, Action, int], Action]


def playouts(
    groups: Groups, sets: "Sets", is_suicide: Callable[[int, Cells, Cells], bool]
) -> PlayoutHooks:
    """The hooks for one size of board."""
    board = groups.board
    union, common, without, others = board.union, board.common, board.without, board.others
    single, has, put, take, nth = board.single, board.has, board.put, board.take, board.nth
    first, rest, is_empty, count = board.first, board.rest, board.is_empty, board.count
    neighbors, flood, around = board.neighbors, board.flood, board.around
    in_atari, at_least_two = groups.in_atari, groups.at_least_two
    north, south, east, west = board.north, board.south, board.east, board.west
    northeast, southwest = board.step(1, 1), board.step(-1, -1)
    northwest, southeast = board.step(-1, 1), board.step(1, -1)
    beyond = tuple(board.beyond(cell) for cell in range(board.cells))
    rim = board.set_of(cell for cell in range(board.cells) if beyond[cell])
    shapes = shape_table()
    by_turn, pass_move, none = sets.by_turn, board.cells, board.empty
    # Constants in the functions below.
    captures, saves, shaped = CAPTURES, SAVES, SHAPES

    def eyes(theirs: Cells, empty: Cells) -> Cells:
        """Empty points among my stones, unless I hold too few of the corners around them."""
        shut = without(empty, neighbors(union(empty, theirs)))
        if is_empty(shut):
            return shut
        a, b, c, d = northeast(theirs), southwest(theirs), northwest(theirs), southeast(theirs)
        any_corner = union(union(a, b), union(c, d))
        return without(shut, union(at_least_two(a, b, c, d), common(any_corner, rim)))

    def liberties_after(cell: int, mine: Cells, empty: Cells) -> int:
        """How many liberties my stone on a point would have, if it captures nothing."""
        group = flood(single(cell), put(mine, cell))
        return count(common(neighbors(group), take(empty, cell)))

    def any_of(cells: Cells, random: int) -> int:
        """One of at least one cell, by 32 bits of a random word."""
        return nth(cells, ((random & 0xFFFFFFFF) * count(cells)) >> 32)

    def saving(beside: Cells, mine: Cells, theirs: Cells, empty: Cells, allowed: Cells) -> Cells:
        """The points that save my groups in atari next to a stone of theirs."""
        found, left = none, common(beside, mine)
        while not is_empty(left):
            group = flood(single(first(left)), mine)
            left = without(left, group)
            edge = neighbors(group)
            liberties = common(edge, empty)
            if count(liberties) == 1:
                cell = first(liberties)
                if has(allowed, cell) and liberties_after(cell, mine, empty) > 1:
                    found = put(found, cell)
                taken = common(flood(common(edge, theirs), theirs), in_atari(theirs, empty))
                found = union(found, common(neighbors(taken), allowed))
        return found

    def shape_points(a: Action, mine: Cells, theirs: Cells, allowed: Cells) -> Cells:
        """The points around a stone at which there is a shape worth playing."""
        column = union(single(a), union(north(single(a)), south(single(a))))
        left = common(union(column, union(east(column), west(column))), allowed)
        found = none
        while not is_empty(left):
            cell = first(left)
            left = rest(left)
            off = beyond[cell]
            code = around(mine, cell) | off | (around(theirs, cell) | off) << 8
            if lsr(shapes[code >> 6], code & 63) & 1:
                found = put(found, cell)
        return found

    def reply(s: Any, a: Action, seed: int) -> Action:
        if a < 0 or a >= pass_move:
            return NO_REPLY
        mine, theirs = by_turn(s)
        empty = others(union(mine, theirs))
        allowed = empty if s.ko < 0 else take(empty, s.ko)
        chance = lsr(seed, 32)

        # Step 1. Save.
        if (chance & 255) < saves:
            safe = saving(neighbors(single(a)), mine, theirs, empty, allowed)
            if not is_empty(safe):
                return any_of(safe, seed)

        # Step 2. Play a shape.
        if (chance >> 8 & 255) < shaped:
            left = shape_points(a, mine, theirs, allowed)
            random = seed
            while not is_empty(left):
                cell = any_of(left, random)
                if liberties_after(cell, mine, empty) > 1:
                    return cell
                left = take(left, cell)
                random = mix(add(random, GOLDEN))
        return NO_REPLY

    def playout(s: Any, seed: int) -> Action:
        mine, theirs = by_turn(s)
        empty = others(union(mine, theirs))
        allowed = empty if s.ko < 0 else take(empty, s.ko)

        # Step 3. Capture.
        if (lsr(seed, 32) & 255) < captures:
            taking = common(neighbors(in_atari(theirs, empty)), allowed)
            if not is_empty(taking):
                return any_of(taking, seed)

        # Step 4. Any other point.
        left = without(allowed, eyes(theirs, empty))
        random = seed
        while not is_empty(left):
            cell = any_of(left, random)
            beside = neighbors(single(cell))
            if not is_empty(common(beside, empty)) or not is_suicide(cell, mine, theirs):
                return cell
            left = take(left, cell)
            random = mix(add(random, GOLDEN))
        return pass_move

    return PlayoutHooks(playout, reply)
