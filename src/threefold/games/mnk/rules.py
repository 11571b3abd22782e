"""The rules of the m,n,k game.

Each player has a bitboard with row 1 at the bottom and a sentinel at the end of each row (here
3×3):

    row 3    8  9 10  |11
    row 2    4  5  6  | 7
    row 1    0  1  2  | 3
             a  b  c

A move is the number of its square.
"""

from collections.abc import Callable
from typing import NamedTuple

from threefold.games.alignment import has_line
from threefold.games.mnk.evaluation import evaluations
from threefold.games.mnk.features import features, planes
from threefold.games.mnk.symmetry import Stones, images
from threefold.rules.bits import lsb, pop_lowest
from threefold.rules.contract import MAX, MIN, Row
from threefold.rules.records import Assumptions, RuleHooks


class State(NamedTuple):
    """The stones of X, who is MAX, and of O, and whose turn it is."""

    x: int
    o: int
    turn: int


def rules(m: int, n: int, k: int) -> RuleHooks:
    """The hooks for `m` columns, `n` rows and `k` in line."""
    stride = m + 1
    board = sum(((1 << m) - 1) << (row * stride) for row in range(n))

    def initial() -> State:
        return State(0, 0, MAX)

    def actions(s: State, out: Row) -> int:
        if has_line(s.o if s.turn == MAX else s.x, stride, k):
            return 0
        count = 0
        empty = board & ~(s.x | s.o)
        while empty:
            out[count] = lsb(empty)
            empty = pop_lowest(empty)
            count += 1
        return count

    def result(s: State, a: int) -> State:
        stone = 1 << a
        if s.turn == MAX:
            return State(s.x | stone, s.o, MIN)
        return State(s.x, s.o | stone, MAX)

    def utility(s: State) -> int:
        if has_line(s.x, stride, k):
            return 1
        if has_line(s.o, stride, k):
            return -1
        return 0

    estimates = evaluations(m, n, k)
    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "evaluations": estimates["evaluations"],
        "terms": estimates["terms"],
        "features": features,
        "assumptions": Assumptions(planes=planes(m, n)),
        "symmetries": tuple(_of_both(image) for image in images(m, n)),
        "max_moves": m * n,
        "max_ply": m * n,
        "move_range": stride * n,
    }


def _of_both(image: Callable[[Stones], Stones]) -> Callable[[State], State]:
    """The image of a position, given that of one player's stones."""

    def symmetry(s: State) -> State:
        return State(image(s.x), image(s.o), s.turn)

    return symmetry
