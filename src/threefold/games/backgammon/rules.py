"""The rules of backgammon.

X, who is MAX, moves from point 24 to point 1, and O the other way; each numbers the points as it
sees them. A turn has two plies: nature rolls, then the player moves. The game begins with the
opening roll, which is never a double, and X plays it.

With the cube, a player who may double chooses first between `DOUBLE` and `ROLL`; the other player
answers a double with `TAKE` or `PASS`.

A roll, nature's event, is 8 times the larger die plus the smaller one. `moves` numbers the plays.
"""

from typing import NamedTuple

from threefold.games.backgammon.checkers import CHECKERS
from threefold.games.backgammon.moves import PLAYS, list_plays, played
from threefold.games.backgammon.stakes import counted, doubled, may_double, most_points
from threefold.rules.contract import CHANCE, MAX, MIN, Row
from threefold.rules.records import Assumptions, RuleHooks

# What `phase` says is due.
#: Nature's roll; or, with dice, a play.
PLAYING = 0
#: The opening roll.
OPENING = 1
#: The player whose turn it is doubles or rolls.
DECIDING = 2
#: The player whose turn it is takes or passes.
DOUBLED = 3
#: Nothing: the player whose turn it was has passed.
PASSED = 4

# What players do about the cube, after the numbers of the plays.
DOUBLE = PLAYS
ROLL = PLAYS + 1
TAKE = PLAYS + 2
PASS = PLAYS + 3

#: Two checkers on the 24-point, five on the 13-point, three on the 8-point, five on the 6-point.
START_LOW = 5 << 4 * 6 | 3 << 4 * 8
START_HIGH = 5 << 4 * (13 - 13) | 2 << 4 * (24 - 13)

#: No position has more plays: the ways to share the four steps of a double among 15 checkers. Some
#: 2,200 is the most that was found.
MOST_PLAYS = 3060
#: Play may go on without end, but hardly any game is longer than this.
MOST_PLIES = 1 << 13


class State(NamedTuple):
    """The checkers of X, who is MAX, and of O, the dice, and whose turn it is.

    `checkers` shows the first four words. `dice` is 0 before a roll, else 8 times the larger die
    plus the smaller one. `turn` is who moves or, before a roll, who rolls. `phase` is `OPENING` at
    the start, and 0 from then on unless there is a cube. `stakes` is what the game is played for: 0
    for money, with the cube in the middle.
    """

    x_low: int
    x_high: int
    o_low: int
    o_high: int
    dice: int
    turn: int
    phase: int = PLAYING
    stakes: int = 0


def is_start(s: State) -> bool:
    """Whether the checkers are where X begins the game."""
    return (
        s.turn == MAX
        and s.x_low == START_LOW
        and s.x_high == START_HIGH
        and s.o_low == START_LOW
        and s.o_high == START_HIGH
    )


def of_mover(s: State) -> tuple[int, int, int, int]:
    """The checkers of the player whose turn it is, and then the other's."""
    if s.turn == MAX:
        return s.x_low, s.x_high, s.o_low, s.o_high
    return s.o_low, s.o_high, s.x_low, s.x_high


def is_over(s: State) -> bool:
    """Whether a side has borne off all its checkers, or has passed."""
    return s.x_low & 15 == CHECKERS or s.o_low & 15 == CHECKERS or s.phase == PASSED


def points_won(loser_low: int, loser_high: int) -> int:
    """What a game played to the end is worth: 1, a gammon 2, a backgammon 3."""
    if loser_low & 15:
        return 1
    return 3 if loser_high >> 4 * (19 - 13) else 2


def turn_phase(stakes: int, turn: int, cube: bool) -> int:
    """What is due at the beginning of a turn that is not the first."""
    return DECIDING if cube and may_double(stakes, turn) else PLAYING


def rules(cube: bool, stakes: int) -> RuleHooks:
    """The hooks of a game with or without the cube, and for which stakes it begins."""

    def initial() -> State:
        return State(START_LOW, START_HIGH, START_LOW, START_HIGH, 0, MAX, OPENING, stakes)

    def player(s: State) -> int:
        if s.dice or is_over(s) or s.phase >= DECIDING:
            return s.turn
        return CHANCE

    def outcomes(s: State, out: Row, weight: Row) -> int:
        count = 0
        for large in range(1, 7):
            for small in range(1, large):
                out[count] = 8 * large + small
                weight[count] = 1 if s.phase == OPENING else 2
                count += 1
            if s.phase != OPENING:
                out[count] = 9 * large
                weight[count] = 1
                count += 1
        return count

    def actions(s: State, out: Row) -> int:
        if is_over(s):
            return 0
        if s.phase == DECIDING:
            out[0] = ROLL
            out[1] = DOUBLE
            return 2
        if s.phase == DOUBLED:
            out[0] = TAKE
            out[1] = PASS
            return 2
        if s.dice == 0:
            return 0
        mine_low, mine_high, low, high = of_mover(s)
        return list_plays(mine_low, mine_high, low, high, s.dice, out)

    def result(s: State, a: int) -> State:
        xl, xh, ol, oh = s.x_low, s.x_high, s.o_low, s.o_high
        other = MIN if s.turn == MAX else MAX
        if a >= PLAYS:
            if a == ROLL:
                return State(xl, xh, ol, oh, 0, s.turn, PLAYING, s.stakes)
            if a == DOUBLE:
                return State(xl, xh, ol, oh, 0, other, DOUBLED, s.stakes)
            if a == TAKE:
                return State(xl, xh, ol, oh, 0, other, PLAYING, doubled(s.stakes, s.turn))
            return State(xl, xh, ol, oh, 0, s.turn, PASSED, s.stakes)
        if s.dice == 0:
            return State(xl, xh, ol, oh, a, s.turn, PLAYING, s.stakes)
        if s.turn == MAX:
            xl, xh, ol, oh = played(xl, xh, ol, oh, s.dice, a)
        else:
            ol, oh, xl, xh = played(ol, oh, xl, xh, s.dice, a)
        over = xl & 15 == CHECKERS or ol & 15 == CHECKERS
        phase = PLAYING if over else turn_phase(s.stakes, other, cube)
        return State(xl, xh, ol, oh, 0, other, phase, s.stakes)

    def utility(s: State) -> int:
        if s.phase == PASSED:
            points = counted(s.stakes, 1, 1 - s.turn)
            return points if s.turn == MIN else -points
        if s.x_low & 15 == CHECKERS:
            points = points_won(s.o_low, s.o_high)
            return counted(s.stakes, points, MAX) if cube else points
        if s.o_low & 15 == CHECKERS:
            points = points_won(s.x_low, s.x_high)
            return -counted(s.stakes, points, MIN) if cube else -points
        return 0

    def bounds(s: State) -> tuple[int, int]:
        """A side that has borne off a checker cannot lose a gammon."""
        least, most = 1 if s.x_low & 15 else 3, 1 if s.o_low & 15 else 3
        if cube:
            return -most_points(s.stakes, least, MIN), most_points(s.stakes, most, MAX)
        return -least, most

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "player": player,
        "is_terminal": is_over,
        "outcomes": outcomes,
        "assumptions": Assumptions(bounds=bounds),
        "max_moves": MOST_PLAYS,
        "max_ply": MOST_PLIES,
        "move_range": PASS + 1 if cube else PLAYS,
    }
