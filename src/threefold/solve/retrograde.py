"""Retrograde analysis: from the ends of the game backwards to every position.

Without chance, two passes over the graph (`threefold.solve.forcing`) find for each position

- what MAX can force: the best utility that MAX can bring about in a finite number of plies, however
  MIN plays, and the worst there is where MIN can go on forever;
- what MIN can force, likewise.

Where both are the same, that is the value. Where they differ, it depends on what endless play is
worth: between the two bounds, it *is* the value. A game with `repeats` or `clocks` says that it
is a draw.

With chance, a value is an expectation, and where play can lead back to a position it solves a
system of equations (`threefold.solve.value_iteration`).

Neither knows any game, only arrays: see `threefold.solve.any_game`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

import numpy as np

from threefold.engine.control import Control
from threefold.engine.records import allocate
from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, MAX, MIN, Action
from threefold.solve.any_game import WITHOUT_RULES, run
from threefold.solve.expansion import Array
from threefold.solve.forcing import NEVER, force, reverse
from threefold.solve.graph import Graph
from threefold.solve.value_iteration import expect, find_components

S = TypeVar("S")

#: Bounds that are farther apart than this, in units of the largest utility, did not meet.
_IN_DOUBT: Final = 1e-6
#: Expectations this close together are equal.
_EQUAL: Final = 1e-9


@dataclass(frozen=True)
class Analysis:
    """The value of every position of a graph."""

    #: To MAX: utilities, or expectations in games of chance.
    value: Array
    #: Until the game is won or lost; `NEVER` for a draw and in games of chance.
    plies: Array
    #: Whether the value depends on what endless play is worth. Without chance that counts as a
    #: draw; with chance its value is unknown, and `error` covers the doubt.
    endless: Array
    #: How far a value may be off at most; all 0 without chance.
    error: Array


def analyze(graph: Graph[S], control: Control) -> Analysis | None:
    """Every position's value; None if it was stopped."""
    analysis = _forced(graph, control) if graph.deterministic else _expected(graph, control)
    return None if control.stop else analysis


def _endless_range(graph: Graph[S]) -> tuple[int, int]:
    """The values that endless play may have: a win or a loss, but no more than the game offers."""
    utility = graph.utility
    return min(-1, int(utility.min(initial=0))), max(1, int(utility.max(initial=0)))


def _forced(graph: Graph[S], control: Control) -> Analysis | None:
    n = len(graph)
    parent, begins = np.empty(len(graph.child), np.int32), np.zeros(n + 1, np.int64)
    run(reverse, (graph.child, graph.first, parent, begins), control)
    if control.stop:
        return None
    ends = np.flatnonzero(graph.first[1:] == graph.first[:-1]).astype(np.int32)
    rising = ends[np.argsort(graph.utility[ends], kind="stable")]
    least, most = _endless_range(graph)
    queue = np.empty(n, np.int32)
    found = []
    for side, best_first, worst in ((MAX, rising[::-1].copy(), least), (MIN, rising, most)):
        worth, plies = np.full(n, worst, np.int32), np.full(n, NEVER, np.int32)
        left = np.diff(graph.first).astype(np.int32)
        known = (graph.mover, graph.utility, begins, parent)
        run(force, (side, best_first, *known, left, worth, plies, queue), control)
        found.append((worth, plies))
    (by_max, max_plies), (by_min, min_plies) = found
    return Analysis(
        value=np.where(by_max > 0, by_max, np.where(by_min < 0, by_min, 0)),
        plies=np.where(by_max > 0, max_plies, np.where(by_min < 0, min_plies, NEVER)),
        endless=by_max != by_min,
        error=np.broadcast_to(0.0, n),
    )


def _expected(graph: Graph[S], control: Control) -> Analysis:
    n, game = len(graph), graph.game
    order, component = _components(graph, control)
    if game.repeats and not control.stop:
        _check_repetitions(graph, component)
    least, most = map(float, _endless_range(graph))
    value, low, high = np.empty(n), np.empty(n), np.empty(n)
    known = (order, component, graph.mover, graph.utility, graph.first, graph.child, graph.weight)
    run(expect, (*known, least, most, game.cyclic, value, low, high), control)
    doubt = high - low
    return Analysis(
        value=value,
        plies=np.broadcast_to(np.int32(NEVER), n),
        endless=doubt > _IN_DOUBT * max(most, -least),
        error=_rounded_up(np.maximum(high - value, value - low)),
    )


def _rounded_up(difference: Array) -> Array:
    """What a difference is at most, since it was rounded to the nearest; none is still none."""
    return np.where(difference > 0, np.nextafter(difference, np.inf), difference)


def _components(graph: Graph[S], control: Control) -> tuple[Array, Array]:
    """All positions, after those that they lead to, and which of them can lead to each other."""
    n = len(graph)
    order, component = np.empty(n, np.int32), np.full(n, -1, np.int32)
    entered, lowest = np.zeros(n, np.int32), np.empty(n, np.int32)
    waiting, left, path = np.empty((3, n), np.int32)
    scratch = (entered, lowest, waiting, left, path, np.empty(n, np.int64))
    run(find_components, (graph.first, graph.child, order, component, *scratch), control)
    return order, component


def _check_repetitions(graph: Graph[S], component: Array) -> None:
    """Raise if chance leads back to a position in a game that counts repetitions.

    Without chance a player who can avoid a repetition can avoid endless play, and vice versa, so
    it is enough to say that endless play is a draw. Chance repeats positions at random.
    """
    origin = np.repeat(component, np.diff(graph.first))
    if ((origin == component[graph.child]) & (graph.weight > 0)).any():
        raise ThreefoldError(
            f"{graph.game.name}: repeats makes a position that comes up again a draw, and chance "
            "can bring one up again, so that its value depends on the play before; without repeats "
            "it can be solved"
        )


def best_line(graph: Graph[S], analysis: Analysis, i: int) -> list[Action]:
    """Best play from a position on: to the end, to nature's move, or around to where it was.

    Draws by endless play can take a long detour; they are not followed past `max_ply`.
    """
    line: list[Action] = []
    seen = {i}
    while graph.mover[i] != CHANCE and len(line) < graph.game.facts.max_ply:
        children = graph.children(i)
        if not children:
            break
        left = analysis.plies[i] - 1 if analysis.plies[i] != NEVER else NEVER
        # Lists, since arrays are slow item by item.
        value, plies = analysis.value[i].item(), analysis.plies[children].tolist()
        off = [abs(after - value) for after in analysis.value[children].tolist()]
        enough = min(off) + _EQUAL
        good = [k for k in range(len(children)) if off[k] <= enough and plies[k] == left]
        # Prefer a new position, then one whose value does not depend on endless play.
        k = min(good, key=lambda k: (children[k] in seen, analysis.endless[children[k]]))
        line.append(graph.game.moves(graph.state(i))[k])
        i = children[k]
        if i in seen:
            break
        seen.add(i)
    return line


@cache
def prepare(deterministic: bool) -> None:
    """Compile now, so that it is not counted as analysis: analyze a game of one move."""
    nowhere = Graph(
        WITHOUT_RULES,
        states=[None, None],
        mover=np.zeros(2, np.int8),
        utility=np.zeros(2, np.int32),
        first=np.array([0, 1, 1], np.int64),
        child=np.array([1], np.int32),
        weight=np.ones(0 if deterministic else 1, np.int64),
    )
    analyze(nowhere, allocate(Control))
