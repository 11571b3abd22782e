"""The rules of backgammon.

X, who is MAX, moves from point 24 to point 1, and O the other way; each numbers the points as it
sees them. A turn has two plies: nature rolls, then the player moves. The game begins with the
opening roll, which is never a double; X makes it, since somebody has to be the first player.

A roll, nature's event, is 8 times the larger die plus the smaller one. `moves` numbers the plays.
"""

from typing import NamedTuple

from threefold.games.backgammon.checkers import CHECKERS
from threefold.games.backgammon.moves import PLAYS, list_plays, played
from threefold.rules.contract import CHANCE, MAX, MIN, Row
from threefold.rules.records import Assumptions, RuleHooks

#: What `phase` says: nature rolls next, or the roll is played; or the opening roll is due.
PLAYING = 0
OPENING = 1

#: Two checkers on the 24-point, five on the 13-point, three on the 8-point, five on the 6-point.
START_LOW = 5 << 4 * 6 | 3 << 4 * 8
START_HIGH = 5 << 4 * (13 - 13) | 2 << 4 * (24 - 13)

#: Whatever the position, a double has no more plays: 15 checkers share four steps.
MOST_PLAYS = 3060
#: Play may go on without end, but hardly any game is longer than this.
MOST_PLIES = 1 << 13


class State(NamedTuple):
    """The checkers of X, who is MAX, and of O, the dice, and whose turn it is.

    `checkers` shows the words. `dice` is 0 before a roll, else 8 times the larger die plus the
    smaller one. `turn` is who moves or, before a roll, who rolls. `stakes` is 0 in a plain game for
    money.
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
    """Whether this is how a game begins."""
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
    """Whether a side has borne off all its checkers."""
    return s.x_low & 15 == CHECKERS or s.o_low & 15 == CHECKERS


def points_won(loser_low: int, loser_high: int) -> int:
    """What a game is worth: 1, a gammon 2, a backgammon 3."""
    if loser_low & 15:
        return 1
    return 3 if loser_high >> 4 * (19 - 13) else 2


def rules() -> RuleHooks:
    """The hooks."""

    def initial() -> State:
        return State(START_LOW, START_HIGH, START_LOW, START_HIGH, 0, MAX, OPENING, 0)

    def player(s: State) -> int:
        return CHANCE if s.dice == 0 and not is_over(s) else s.turn

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
        if s.dice == 0 or is_over(s):
            return 0
        mine_low, mine_high, low, high = of_mover(s)
        return list_plays(mine_low, mine_high, low, high, s.dice, out)

    def result(s: State, a: int) -> State:
        if s.dice == 0:
            return State(s.x_low, s.x_high, s.o_low, s.o_high, a, s.turn, PLAYING, s.stakes)
        if s.turn == MAX:
            xl, xh, ol, oh = played(s.x_low, s.x_high, s.o_low, s.o_high, s.dice, a)
            return State(xl, xh, ol, oh, 0, MIN, PLAYING, s.stakes)
        ol, oh, xl, xh = played(s.o_low, s.o_high, s.x_low, s.x_high, s.dice, a)
        return State(xl, xh, ol, oh, 0, MAX, PLAYING, s.stakes)

    def utility(s: State) -> int:
        if s.x_low & 15 == CHECKERS:
            return points_won(s.o_low, s.o_high)
        if s.o_low & 15 == CHECKERS:
            return -points_won(s.x_low, s.x_high)
        return 0

    def bounds(s: State) -> tuple[int, int]:
        """A side that has borne off a checker cannot lose a gammon."""
        return -1 if s.x_low & 15 else -3, 1 if s.o_low & 15 else 3

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
        "move_range": PLAYS,
    }
