"""The template of plain alpha-beta to a fixed depth: no table, children as the game lists them.

Values are from the point of view of the player to move, so that one function serves both players.
The sign changes only where the turn really passes to the other side. At nature's nodes values are
MAX's.

    value <= alpha          ->  value <= returned <= alpha
    alpha < value < beta    ->  returned == value
    value >= beta           ->  beta <= returned <= value
"""

from dataclasses import dataclass
from typing import Any

from threefold.engine.control import Control
from threefold.engine.listing import is_over, list_actions, list_outcomes
from threefold.engine.records import Boxed, Word
from threefold.engine.rounding import rounded_mean
from threefold.engine.values import (
    PLAIN_INFINITY,
    plain_finished_value,
    to_mover,
)
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    MAX_MOVES,
    MIN,
    evaluate,
    player,
    result,
    state,
)


@dataclass(slots=True, kw_only=True)
class PlainSearch(Control):
    """What is asked for besides the depth, and the answer."""

    hurry: Word = 0  # nonzero where a sooner win is a better one
    best: Word = 0  # the best move at the root so far


def ended_value(s: Any, ply: int, plain: PlainSearch) -> int:
    """The value of a finished game for the player who would move, `ply` plies from the root."""
    return to_mover(s, plain_finished_value(s, ply if plain.hurry != 0 else 0))


def last_value(s: Any, ply: int, row: Any, plain: PlainSearch) -> int:
    """The value of a position where the search ends, for the player to move."""
    plain.nodes += 1
    if is_over(s, row, plain):
        return ended_value(s, ply, plain)
    return to_mover(s, evaluate(s))


def negamax(
    s: Any, depth: int, ply: int, alpha: int, beta: int, rows: Any, plain: PlainSearch
) -> int:
    """The value of `s` for the player to move, `depth` plies ahead, within (alpha, beta).

    Each row has room for the moves of a ply and, after them, for the weights of nature's events.
    The last ply is evaluated in its parent's loop, which saves most of the calls.
    """
    plain.nodes += 1
    if plain.stop != 0:
        return 0
    row, next_row = rows[ply], rows[ply + 1]
    mover = player(s)

    # Step 1. Nature: the weighted mean, every event with a full window. A function that calls
    # itself must do so with one signature; `wrap` turns a literal into a plain word.
    if HAS_OUTCOMES and mover == CHANCE:
        weight = row[MAX_MOVES:]
        n = list_outcomes(s, row, weight, plain)
        total = 0
        sum_of_weights = 0
        for i in range(n):
            child = result(s, row[i])
            if depth == 1:
                value = last_value(child, ply + 1, next_row, plain)
            else:
                full = wrap(PLAIN_INFINITY)
                value = negamax(child, depth - 1, ply + 1, -full, full, rows, plain)
            total += weight[i] * to_mover(child, value)
            sum_of_weights += weight[i]
        return rounded_mean(total, max(sum_of_weights, 1))

    # Step 2. The end of the game.
    n = list_actions(s, row, plain)
    if n == 0:
        return ended_value(s, ply, plain)

    # Step 3. The moves, until one is too good for the other side to allow.
    best = -PLAIN_INFINITY
    if ply == 0:
        plain.best = row[0]
    for i in range(n):
        child = result(s, row[i])
        low = max(alpha, best)
        same_side = (player(child) == MIN) == (mover == MIN)
        if depth == 1:
            value = last_value(child, ply + 1, next_row, plain)
            value = value if same_side else -value
        elif same_side:
            value = negamax(child, depth - 1, ply + 1, low, beta, rows, plain)
        else:
            value = -negamax(child, depth - 1, ply + 1, -beta, -low, rows, plain)
        if value > best:
            best = value
            if ply == 0:
                plain.best = row[i]
            if best >= beta:
                break
    return best


def negamax_from(words: tuple[int, ...], depth: int, rows: Any, plain: Boxed[PlainSearch]) -> int:
    """The entry: `negamax` with a full window from a state given as words."""
    full = wrap(PLAIN_INFINITY)
    return negamax(state(words), depth, wrap(0), -full, full, rows, plain[0])
