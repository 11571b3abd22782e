"""The rules of checkers, also called English draughts.

Men step diagonally forward, kings in all four directions. A piece captures by jumping over an
opposing piece onto the empty square behind it. Captures are mandatory and continue as long as
possible, but a player may choose among routes. A man that reaches the far row becomes a king, and
its move ends. A player who cannot move has lost.

`routes` shows the board's bits and numbers the moves. Captured pieces leave the board at the end of
a route. Removing them at once would make no difference, because a piece never lands on a square
that it jumps.
"""

from typing import NamedTuple

from threefold.games.checkers.endgames import endgames
from threefold.games.checkers.evaluation import EVALUATIONS
from threefold.games.checkers.features import features
from threefold.games.checkers.routes import (
    BOARD,
    BOTH,
    CAPTURED,
    DOWN,
    END,
    FIRST_ROUTE,
    FIRST_STEP,
    JUMPED,
    MOST_MOVES,
    MOVES,
    NEXT,
    START,
    STEPS,
    UP,
    WAY,
)
from threefold.games.checkers.terms import TERMS
from threefold.rules.bits import add, lsb, mix, pop_lowest, popcount
from threefold.rules.contract import DRAWN, MAX, MIN, Row
from threefold.rules.records import Assumptions, RuleHooks

#: Where men become kings: the last row for black, the first for white.
BLACK_KINGS_ROW = 15 << 31
WHITE_KINGS_ROW = 15
#: A step hardly ever changes the evaluation by this much.
QUIET_CHANGE = 40
#: An upper bound on the stretches without progress in a game: a man advances at least one row
#: whenever it moves, 72 rows for each side, and every piece may be captured.
MOST_PROGRESS = 2 * 72 + 24 + 1
#: Without a move limit the length of a game has no known bound, but hardly any is longer than this.
UNLIMITED_PLY = 1 << 14


class State(NamedTuple):
    """The pieces of black, who is MAX, and of white, and the kings of both sides.

    `quiet` counts the plies since a piece was captured or a man moved, up to the limit.
    """

    black: int
    white: int
    kings: int
    quiet: int
    turn: int


def jumpers(down: int, up: int, theirs: int, vacant: int) -> int:
    """The pieces that can capture, of those that go down and those that go up."""
    downward = theirs >> 4 & vacant >> 8 | theirs >> 5 & vacant >> 10
    upward = theirs << 4 & vacant << 8 | theirs << 5 & vacant << 10
    return down & downward | up & upward


def steppers(down: int, up: int, vacant: int) -> int:
    """The pieces that can step."""
    return down & (vacant >> 4 | vacant >> 5) | up & (vacant << 4 | vacant << 5)


def list_captures(pieces: int, men_way: int, kings: int, theirs: int, vacant: int, out: Row) -> int:
    """Write the complete routes of the pieces that can capture."""
    count = 0
    while pieces:
        square = lsb(pieces)
        pieces = pop_lowest(pieces)
        empty = vacant | 1 << square
        ways = BOTH if kings >> square & 1 else men_way
        route, end = FIRST_ROUTE[square], FIRST_ROUTE[square + 1]
        found = -1
        while route < end:
            if theirs & JUMPED[route] and empty & END[route] and ways & WAY[route]:
                if found >= 0 and route >= NEXT[found]:
                    out[count] = found
                    count += 1
                found = route
                route += 1
            else:
                route = NEXT[route]
        out[count] = found
        count += 1
    return count


def list_steps(pieces: int, direction: int, out: Row, count: int) -> int:
    """Append the steps of pieces in a direction to the moves already written."""
    while pieces:
        out[count] = FIRST_STEP + 4 * lsb(pieces) + direction
        pieces = pop_lowest(pieces)
        count += 1
    return count


def rules(repetition: int, move_limit: int) -> RuleHooks:
    """The hooks, with draws as set by the parameters."""
    quiet_limit = 2 * move_limit
    home = BOARD & (1 << 13) - 1

    def initial() -> State:
        return State(home, BOARD & ~((1 << 22) - 1), 0, 0, MAX)

    def down_and_up(s: State) -> tuple[int, int]:
        """The mover's pieces that go down, and those that go up."""
        if s.turn == MAX:
            return s.black, s.black & s.kings
        return s.white & s.kings, s.white

    def actions(s: State, out: Row) -> int:
        down, up = down_and_up(s)
        theirs = s.white if s.turn == MAX else s.black
        vacant = BOARD & ~(s.black | s.white)
        capturing = jumpers(down, up, theirs, vacant)
        if capturing:
            men_way = DOWN if s.turn == MAX else UP
            return list_captures(capturing, men_way, s.kings, theirs, vacant, out)
        count = list_steps(down & vacant >> 4, 0, out, 0)
        count = list_steps(down & vacant >> 5, 1, out, count)
        count = list_steps(up & vacant << 5, 2, out, count)
        return list_steps(up & vacant << 4, 3, out, count)

    def result(s: State, a: int) -> State:
        if a < FIRST_STEP:
            start, end, captured = START[a], END[a], CAPTURED[a]
        else:
            step = a - FIRST_STEP
            start, captured = 1 << (step >> 2), 0
            end = 1 << (step >> 2) + STEPS[step & 3]
        black, white, kings = s.black & ~captured, s.white & ~captured, s.kings & ~captured
        quiet = 0
        if kings & start:
            kings = kings & ~start | end
            if captured == 0:
                quiet = min(s.quiet + 1, quiet_limit)
        if s.turn == MAX:
            return State(black & ~start | end, white, kings | end & BLACK_KINGS_ROW, quiet, MIN)
        return State(black, white & ~start | end, kings | end & WHITE_KINGS_ROW, quiet, MAX)

    def is_terminal(s: State) -> bool:
        down, up = down_and_up(s)
        theirs = s.white if s.turn == MAX else s.black
        vacant = BOARD & ~(s.black | s.white)
        return steppers(down, up, vacant) | jumpers(down, up, theirs, vacant) == 0

    def utility(s: State) -> int:
        if not is_terminal(s):
            return 0
        return -1 if s.turn == MAX else 1

    def drawn(s: State) -> int:
        """Too many plies without progress, unless the last of them won."""
        too_long = move_limit > 0 and s.quiet >= quiet_limit
        return DRAWN if too_long and not is_terminal(s) else 0

    def plies_left(s: State) -> int:
        """How many more plies may pass without progress."""
        return quiet_limit - s.quiet

    def noisy(s: State, out: Row) -> int:
        """Captures; if there are any, they are the only legal moves."""
        down, up = down_and_up(s)
        theirs = s.white if s.turn == MAX else s.black
        vacant = BOARD & ~(s.black | s.white)
        return actions(s, out) if jumpers(down, up, theirs, vacant) else 0

    def order(s: State, a: int) -> int:
        """The most captured pieces first, with a king counting a little more."""
        if a >= FIRST_STEP:
            return 0
        return 4 * popcount(CAPTURED[a]) + popcount(CAPTURED[a] & s.kings)

    def key(s: State) -> int:
        """The position without its count of quiet plies."""
        return add(mix(add(mix(s.black << 1 | s.turn), s.white)), s.kings)

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "is_terminal": is_terminal,
        "evaluations": EVALUATIONS,
        "terms": TERMS,
        "features": features,
        "noisy": noisy,
        "key": key,
        "order": order,
        "drawn": drawn,
        "assumptions": Assumptions(
            clocks=("quiet",) if move_limit else (),
            reductions=True,
            futility=QUIET_CHANGE,
            endgames=endgames(
                lambda black, white, kings: State(black, white, kings, 0, MAX),
                plies_left if move_limit else None,
            ),
        ),
        "repeats": repetition,
        "max_moves": MOST_MOVES,
        "max_ply": MOST_PROGRESS * quiet_limit if move_limit else UNLIMITED_PLY,
        "move_range": MOVES,
    }
