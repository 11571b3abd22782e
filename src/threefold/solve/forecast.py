"""A short look ahead, to guess which move of a position far from the end is the best.

Alpha-beta finds the end of a long line far sooner if it tries the right move first. A game's
`order` sees little in a move. Its evaluation a few plies later says more, and near the root it
costs nothing compared with the search that it saves.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.listing import list_sufficient
from threefold.engine.values import INFINITY, finished_value, guessed_value, to_mover
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    HAS_EVALUATE,
    HAS_NOISY,
    HAS_REMAINING,
    HAS_SUFFICIENT,
    MIN,
    player,
    result,
)

# How far to look, found by trial on end-games of Othello (17 to 26 empty squares).
#: With this many plies left, evaluating the position after each move begins to pay;
FAR: Final = 10
#: with this many more, looking one ply further ahead,
FARTHER: Final = 3
#: up to this many plies.
FARTHEST: Final = 5


def plies_ahead(left: int) -> int:
    """How many plies to look ahead with that many plies left; 0 for not at all.

    A game that knows its sufficient moves has its tactics in the rules: there `order` is the
    better guess (in Connect Four, by a third of all nodes). The same holds if an evaluation is
    unreliable while there are noisy moves (in Kalah, by nine nodes of ten).
    """
    if HAS_EVALUATE and HAS_REMAINING and not HAS_SUFFICIENT and not HAS_NOISY:
        return min(max(0, (left - FAR + FARTHER - 1) // FARTHER), FARTHEST)
    return 0


def forecast(
    s: Any, depth: int, ply: int, alpha: int, beta: int, rows: Any, control: Control
) -> int:
    """What `s` seems worth to the player to move, `depth` plies ahead: plain alpha-beta."""
    control.nodes += 1
    n = list_sufficient(s, rows[ply], control)
    if n == 0:
        return to_mover(s, finished_value(s, ply, control))
    if depth == 0 or ply >= len(rows) - 2:
        return to_mover(s, guessed_value(s))
    minimizing = player(s) == MIN
    best = wrap(-INFINITY)
    for i in range(n):
        child = result(s, rows[ply][i])
        low = max(alpha, best)
        if (player(child) == MIN) == minimizing:
            value = forecast(child, depth - 1, ply + 1, low, beta, rows, control)
        else:
            value = -forecast(child, depth - 1, ply + 1, -beta, -low, rows, control)
        if value > best:
            best = value
            if best >= beta:
                break
    return best


def outlook(s: Any, a: int, depth: int, ply: int, rows: Any, control: Control) -> int:
    """What a move seems worth to the player who makes it, `depth` plies ahead."""
    child, full = result(s, a), wrap(INFINITY)
    value = forecast(child, depth - 1, ply + 1, -full, full, rows, control)
    return value if (player(child) == MIN) == (player(s) == MIN) else -value
