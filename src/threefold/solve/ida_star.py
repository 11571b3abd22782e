"""IDA* over compiled rules: the shortest solution of a game for one agent.

The same procedure as `threefold.textbook.paths.ida_star`, by machine code: contour after contour,
each with the least f that exceeded the bound of the last one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.limits import Limits
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine
from threefold.engine.records import allocate, boxed, interpreted_record
from threefold.engine.worker import run_in_worker
from threefold.errors import BrokenRules, ThreefoldError, Unsolved
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted
from threefold.solve.contour import FOUND, NOTHING, contour, contour_from

S = TypeVar("S")
#: Searches one contour from a position; the path it writes, and the record it shares with Python.
Search: TypeAlias = tuple[Callable[[int], int], Any, Control]


@dataclass(frozen=True)
class ShortestSolution:
    """A shortest solution: its moves, and what it took to find and to prove it."""

    moves: list[Action]
    #: How many nodes were expanded, in all contours together.
    expanded: int
    #: The bound of each contour; the last is the length of the solution.
    bounds: list[int]
    seconds: float

    @property
    def length(self) -> int:
        """How many moves it takes; no solution has fewer."""
        return len(self.moves)


def compiled_contours(game: Game[S], s: S) -> Search:
    """Search with machine code."""
    compiled = Compiled(game)
    entry = compiled.entry(contour_from)
    rows, path = compiled.rows(game.facts.max_ply + 2), compiled.rows(game.facts.max_ply + 2)[:, 0]
    control = allocate(Control)
    words = compiled.words(s)
    path = path.copy()
    entry.prepare(words, 0, rows, path, boxed(control))

    def search(bound: int) -> int:
        work = partial(entry, words, bound, rows, path, boxed(control))
        return int(run_in_worker(work, control))

    return search, path, control


def interpreted_contours(game: Game[S], s: S) -> Search:
    """Search with the interpreted rules."""
    assert isinstance(contour, FunctionType)
    bound_to_game = interpreted(contour, game)
    plies = game.facts.max_ply + 2
    rows, path = [[0] * game.facts.max_moves for _ in range(plies)], [0] * plies
    control = interpreted_record(Control)
    return lambda bound: int(bound_to_game(s, bound, 0, rows, path, control)), path, control


def shortest_solution(
    game: Game[S],
    position: S | str | None = None,
    *,
    time_limit: float | None = None,
    contours: Callable[[Game[S], S], Search] = compiled_contours,
) -> ShortestSolution:
    """The shortest solution of a game for one agent, with machine code by default.

    `evaluate` must be the estimate, negated, and never promise a longer way than there is. After
    `time_limit` seconds, `Unsolved` says how many moves it takes at least.
    """
    if game.net is not None:
        raise ThreefoldError(
            "IDA* needs an estimate that is never too long, which no net promises; leave it out"
        )
    clock = Clock(Limits(time=time_limit))
    s = game.position(position)
    if game.is_terminal(s):
        return ShortestSolution([], 1, [0], 0.0)
    bounds = [_checked(game, -int(game.evaluate(s)))]
    search, path, control = contours(game, s)
    status = StatusLine(lambda seconds: _progress(control.nodes, bounds[-1], seconds))
    with clock.enforce(control), clock.counting(), status:
        while (beyond := search(bounds[-1])) != FOUND:
            check_fault(game, control)
            if clock.expired:
                raise Unsolved(
                    f"no solution within {time_limit:g} s: it takes at least {bounds[-1]} moves"
                )
            if beyond == NOTHING:
                raise Unsolved(f"{game.name}: no solution can be reached from this position")
            bounds.append(_checked(game, beyond))
    moves = [int(a) for a in path[: int(control.longest)]]
    return ShortestSolution(moves, int(control.nodes), bounds, clock.seconds)


def _checked(game: Game[S], bound: int) -> int:
    """A bound; an error unless a contour within it fits in the rows."""
    if bound < 0:
        raise BrokenRules(
            f"{game.name}: evaluate is {-bound} at the start; it must be the estimate of the moves "
            "left, negated"
        )
    if bound > game.facts.max_ply:
        raise BrokenRules(
            f"{game.name}: a solution takes {bound} moves or more, past "
            f"max_ply={game.facts.max_ply}"
        )
    return bound


def _progress(nodes: int, bound: int, seconds: float) -> str:
    return f"up to {bound} moves  {nodes:,} nodes  {nodes / seconds / 1e6:.1f} M/s"
