"""Plain alpha-beta to a fixed depth: no table, no ordering, children as the game lists them.

Values are seen from the player to move, so that one function serves both; the sign changes only
where the turn really passes to the other side. Nature is seen from MAX's side.

    value <= alpha          ->  value <= returned <= alpha
    alpha < value < beta    ->  returned == value
    value >= beta           ->  beta <= returned <= value
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, Final, TypeVar

from threefold.engine.control import BEST, CONTROL_WORDS, HURRY, NODES, STOP, Control
from threefold.engine.listing import check_fault, is_over, list_actions, list_outcomes
from threefold.engine.worker import run_in_worker
from threefold.errors import NotCompilable, ThreefoldError
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    MAX_MOVES,
    MIN,
    Action,
    evaluate,
    player,
    result,
    state,
    utility,
)
from threefold.rules.game import Game, check_depth
from threefold.rules.rebind import interpreted

S = TypeVar("S")

#: What a utility of 1 is worth beside evaluations: a finished game outweighs any guess, as long
#: as both keep within `MAX_VALUE` of the contract.
FINISHED: Final = 1 << 32
INFINITY: Final = 1 << 62
MAX_DEPTH: Final = 1000


def finished_value(s: Any, ply: int, control: Control) -> int:
    """A finished game's worth to MAX; in a hurry the sooner won, and the later lost, the better."""
    value = wrap(utility(s))
    late = ply if control[HURRY] != 0 else 0
    if value > 0:
        return value * FINISHED - late
    if value < 0:
        return value * FINISHED + late
    return 0


def rounded(total: int, weight: int) -> int:
    """`total / weight` to the nearest integer, halves away from zero, so that signs commute."""
    if total < 0:
        return -((2 * -total + weight) // (2 * weight))
    return (2 * total + weight) // (2 * weight)


def leaf_value(s: Any, ply: int, row: Any, control: Control) -> int:
    """What a position is worth to the player who moves there, where the search ends."""
    control[NODES] += 1
    mover = player(s)
    sign = -1 if mover == MIN else 1
    if HAS_OUTCOMES and mover == CHANCE:
        return evaluate(s)
    if is_over(s, row, control):
        return sign * finished_value(s, ply, control)
    return sign * evaluate(s)


def search(s: Any, depth: int, ply: int, alpha: int, beta: int, rows: Any, control: Control) -> int:
    """The value of `s` to the player who moves there, `depth` plies ahead, within (alpha, beta).

    Each row has room for the moves of a ply and, behind them, for the weights of nature's events.
    The last ply is evaluated in its parent's loop, which saves most of the calls.
    """
    control[NODES] += 1
    if control[STOP] != 0:
        return 0
    row, next_row = rows[ply], rows[ply + 1]
    mover = player(s)

    # Step 1. Nature: the weighted mean, every event with a full window. A function that calls
    # itself must do so with one signature; `wrap` makes a plain word of what is a literal.
    if HAS_OUTCOMES and mover == CHANCE:
        weight = row[MAX_MOVES:]
        n = list_outcomes(s, row, weight, control)
        total = 0
        sum_of_weights = 0
        for i in range(n):
            child = result(s, row[i])
            if depth == 1:
                value = leaf_value(child, ply + 1, next_row, control)
            else:
                full = wrap(INFINITY)
                value = search(child, depth - 1, ply + 1, -full, full, rows, control)
            total += weight[i] * (-value if player(child) == MIN else value)
            sum_of_weights += weight[i]
        return rounded(total, max(sum_of_weights, 1))

    # Step 2. The end of the game.
    n = list_actions(s, row, control)
    if n == 0:
        return (-1 if mover == MIN else 1) * finished_value(s, ply, control)

    # Step 3. The moves, until one is too good for the other side to allow.
    best = -INFINITY
    if ply == 0:
        control[BEST] = row[0]
    for i in range(n):
        child = result(s, row[i])
        low = max(alpha, best)
        same_side = (player(child) == MIN) == (mover == MIN)
        if depth == 1:
            value = leaf_value(child, ply + 1, next_row, control)
            value = value if same_side else -value
        elif same_side:
            value = search(child, depth - 1, ply + 1, low, beta, rows, control)
        else:
            value = -search(child, depth - 1, ply + 1, -beta, -low, rows, control)
        if value > best:
            best = value
            if ply == 0:
                control[BEST] = row[i]
            if best >= beta:
                break
    return best


def search_from(words: tuple[int, ...], depth: int, ply: int, rows: Any, control: Control) -> int:
    """The entry: `search` with a full window from a state given as words."""
    full = wrap(INFINITY)
    return search(state(words), depth, ply, -full, full, rows, control)


@dataclass(frozen=True)
class Choice:
    """The move that a fixed-depth search likes best; `value` is for the player to move."""

    best: Action
    value: int
    nodes: int
    #: The search's wall time, without compiling.
    seconds: float


def choose(game: Game[S], s: S, depth: int, *, hurry: bool = True) -> Choice:
    """Search a position to a fixed depth, compiled where the game can be.

    In a `hurry` a sooner win is a better one; otherwise all are equal, as the books have it.
    """
    check_depth(depth, 1, MAX_DEPTH)
    game.require("alpha-beta", zero_sum=True, perfect_information=True)
    if not game.moves(s):
        raise ThreefoldError(f"{game.name}: the game is over, there is no move to choose")
    if game.player(s) == CHANCE:
        raise ThreefoldError(f"{game.name}: nature is to move, there is no move to choose")
    try:
        run, control = _search_compiled(game, s, depth, hurry)
    except NotCompilable:
        run, control = _search_interpreted(game, s, depth, hurry)
    began = time.perf_counter()
    value = run()
    seconds = time.perf_counter() - began
    check_fault(game, control)
    return Choice(int(control[BEST]), int(value), int(control[NODES]), seconds)


def _search_compiled(
    game: Game[S], s: S, depth: int, hurry: bool = True
) -> tuple[Callable[[], int], Any]:
    import numpy as np

    compiled = game.compiled()
    entry = compiled.entry(search_from)
    control = np.zeros(CONTROL_WORDS, np.int64)
    control[HURRY] = hurry
    arguments = (compiled.words(s), depth, 0, compiled.rows(depth + 2, width=2), control)
    entry.prepare(*arguments)
    return lambda: int(run_in_worker(partial(entry, *arguments), control)), control


def _search_interpreted(
    game: Game[S], s: S, depth: int, hurry: bool = True
) -> tuple[Callable[[], int], Any]:
    assert isinstance(search, FunctionType)
    bound = interpreted(search, game)
    control = [0] * CONTROL_WORDS
    control[HURRY] = hurry
    rows = [[0] * 2 * game.facts.max_moves for _ in range(depth + 2)]
    return lambda: int(bound(s, depth, 0, -INFINITY, INFINITY, rows, control)), control
