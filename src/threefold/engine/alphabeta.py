"""Plain alpha-beta to a fixed depth, for comparison and for weak opponents.

The search itself is in `threefold.engine.negamax`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Final, TypeVar

from threefold.engine.compile import Compiled
from threefold.engine.listing import check_fault
from threefold.engine.negamax import PlainSearch, negamax, negamax_from
from threefold.engine.records import allocate, boxed, interpreted_record
from threefold.engine.values import PLAIN_INFINITY
from threefold.engine.worker import run_in_worker
from threefold.errors import NotCompilable, ThreefoldError
from threefold.rules.contract import CHANCE, Action
from threefold.rules.game import Game, check_depth
from threefold.rules.rebind import interpreted

S = TypeVar("S")

#: The deepest that this search looks.
MAX_FIXED_DEPTH: Final = 1000


@dataclass(frozen=True)
class Choice:
    """The move that a fixed-depth search prefers; `value` is for the player to move."""

    best: Action
    value: int
    nodes: int
    #: The search's wall time, without compiling.
    seconds: float


def choose(game: Game[S], s: S, depth: int, *, hurry: bool = True) -> Choice:
    """Search a position to a fixed depth, compiled where the game can be.

    In a `hurry` a sooner win is a better one; otherwise all are equal, as in the books.
    """
    check_depth(depth, 1, MAX_FIXED_DEPTH)
    game.require("alpha-beta", zero_sum=True, perfect_information=True)
    if not game.moves(s):
        raise ThreefoldError(f"{game.name}: the game is over, there is no move to choose")
    if game.player(s) == CHANCE:
        raise ThreefoldError(f"{game.name}: nature is to move, there is no move to choose")
    try:
        if game.net is not None:  # which plain alpha-beta does not take as data
            raise NotCompilable("a net")
        run, plain = _search_compiled(game, s, depth, hurry)
    except NotCompilable:
        run, plain = _search_interpreted(game, s, depth, hurry)
    began = time.perf_counter()
    value = run()
    seconds = time.perf_counter() - began
    check_fault(game, plain)
    return Choice(int(plain.best), int(value), int(plain.nodes), seconds)


def _search_compiled(
    game: Game[S], s: S, depth: int, hurry: bool = True
) -> tuple[Callable[[], int], PlainSearch]:
    compiled = Compiled(game)
    entry = compiled.entry(negamax_from)
    plain = allocate(PlainSearch)
    plain.hurry = hurry
    arguments = (compiled.words(s), depth, compiled.rows(depth + 2, width=2), boxed(plain))
    entry.prepare(*arguments)
    return lambda: int(run_in_worker(partial(entry, *arguments), plain)), plain


def _search_interpreted(
    game: Game[S], s: S, depth: int, hurry: bool = True
) -> tuple[Callable[[], int], PlainSearch]:
    assert isinstance(negamax, FunctionType)
    bound = interpreted(negamax, game)
    plain = interpreted_record(PlainSearch)
    plain.hurry = hurry
    rows = [[0] * 2 * game.facts.max_moves for _ in range(depth + 2)]
    window = (-PLAIN_INFINITY, PLAIN_INFINITY)
    return lambda: int(bound(s, depth, 0, *window, rows, plain)), plain
