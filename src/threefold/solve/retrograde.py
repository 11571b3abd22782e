"""Retrograde analysis: from the ends of the game backwards to every position.

Without chance, two passes over the graph (see `force`) find for each position

- what MAX can force: the best utility that he brings about in a finite number of plies, however
  MIN plays, and the worst there is where she can go on for ever;
- what MIN can force, likewise.

Where both are the same, that is the value. Where they differ, it hangs on what endless play is
worth: between the two bounds, it *is* the value. A game with `repeats` or `clocks` says that it
is a draw.

With chance, a value is an expectation and there is one pass, every position after all its
children: `expect`. A cycle would make the expectations a system of equations; it is refused.

Neither knows a game, only arrays. So both are compiled once for all games, by way of one without
rules.
"""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from threefold.engine.control import CONTROL_WORDS, STOP, Control, run_in_worker
from threefold.errors import CompilerOff, ThreefoldError
from threefold.rules.contract import CHANCE, MAX, MIN, Action
from threefold.rules.game import Game
from threefold.rules.rebind import Function
from threefold.solve.graph import Array, Graph

S = TypeVar("S")

#: No number of plies.
NEVER: Final = -1


# The templates.


def reverse(child: Array, first: Array, parent: Array, begins: Array, control: Control) -> None:
    """Turn the graph round: `parent` holds the parents of each position side by side.

    A counting sort. `begins`, zeros at first, comes to say where the parents of each position end;
    as each list is filled from the back, where they begin.
    """
    for edge in range(len(child)):
        if control[STOP] != 0:
            return
        begins[child[edge]] += 1
    for i in range(1, len(begins)):
        begins[i] += begins[i - 1]
    for i in range(len(first) - 1):
        if control[STOP] != 0:
            return
        for edge in range(first[i], first[i + 1]):
            begins[child[edge]] -= 1
            parent[begins[child[edge]]] = i


def force(
    side: int,
    ends: Array,
    mover: Array,
    utility: Array,
    begins: Array,
    parent: Array,
    left: Array,
    worth: Array,
    plies: Array,
    queue: Array,
    control: Control,
) -> None:
    """What one side can force everywhere, and in how many plies.

    `ends` are the finished positions, the side's best first. Level by level of their utility, the
    positions from which the side can force its way to one of them are collected in the order of
    their distance: those where it has a move to a collected position, and those where the other
    side, for whom every other move is settled better for us already, has nothing else `left`.
    So the side wins as soon as it can and the other holds out as long as it can.

    `plies` is `NEVER` where nothing can be forced.
    """
    head = 0
    tail = 0
    next_end = 0
    while next_end < len(ends) and control[STOP] == 0:
        level = utility[ends[next_end]]
        while next_end < len(ends) and utility[ends[next_end]] == level:
            i = ends[next_end]
            worth[i] = level
            plies[i] = 0
            queue[tail] = i
            tail += 1
            next_end += 1
        while head < tail and control[STOP] == 0:
            i = queue[head]
            head += 1
            for edge in range(begins[i], begins[i + 1]):
                before = parent[edge]
                left[before] -= 1
                if plies[before] == NEVER and (mover[before] == side or left[before] == 0):
                    worth[before] = level
                    plies[before] = plies[i] + 1
                    queue[tail] = before
                    tail += 1


def expect(
    ends: Array,
    mover: Array,
    utility: Array,
    first: Array,
    child: Array,
    weight: Array,
    begins: Array,
    parent: Array,
    left: Array,
    value: Array,
    queue: Array,
    control: Control,
) -> int:
    """The expectation of every position whose children have one; returns how many have."""
    tail = 0
    for i in ends:
        value[i] = utility[i]
        queue[tail] = i
        tail += 1
    head = 0
    while head < tail and control[STOP] == 0:
        i = queue[head]
        head += 1
        for edge in range(begins[i], begins[i + 1]):
            before = parent[edge]
            left[before] -= 1
            if left[before] == 0:
                value[before] = backed_up(before, mover, first, child, weight, value)
                queue[tail] = before
                tail += 1
    return tail


def backed_up(
    i: int, mover: Array, first: Array, child: Array, weight: Array, value: Array
) -> float:
    """A position's value from its children's."""
    if mover[i] == CHANCE:
        total = 0.0
        weights = 0.0
        for edge in range(first[i], first[i + 1]):
            total += weight[edge] * value[child[edge]]
            weights += weight[edge]
        return total / weights
    best = value[child[first[i]]]
    for edge in range(first[i] + 1, first[i + 1]):
        other = value[child[edge]]
        best = max(best, other) if mover[i] == MAX else min(best, other)
    return float(best)


# Their driver.


@dataclass(frozen=True)
class Analysis:
    """The value of every position of a graph."""

    #: To MAX: utilities, or expectations where nature has a say.
    value: Array
    #: Until the game is won or lost; `NEVER` for a draw and in games of chance.
    plies: Array
    #: Whether the value hangs on what endless play is worth; it then is what a draw would make it.
    endless: Array


def analyse(graph: Graph[S], control: Control) -> Analysis | None:
    """Every position's value; None if it was stopped."""
    n = len(graph)
    parent, begins = np.empty(len(graph.child), np.int32), np.zeros(n + 1, np.int64)
    _run(reverse, (graph.child, graph.first, parent, begins, control), control)
    if control[STOP]:
        return None
    ends = np.flatnonzero(graph.first[1:] == graph.first[:-1]).astype(np.int32)
    if graph.deterministic:
        analysis = _forced(graph, ends, begins, parent, control)
    else:
        analysis = _expected(graph, ends, begins, parent, control)
    return None if control[STOP] else analysis


def _forced(
    graph: Graph[S], ends: Array, begins: Array, parent: Array, control: Control
) -> Analysis:
    n = len(graph)
    rising = ends[np.argsort(graph.utility[ends], kind="stable")]
    # Endless play may be a win or a loss for all we know, but not more than the game has to offer.
    most = max(1, graph.utility.max(initial=0))
    least = min(-1, graph.utility.min(initial=0))
    queue = np.empty(n, np.int32)
    found = []
    for side, best_first, worst in ((MAX, rising[::-1].copy(), least), (MIN, rising, most)):
        worth, plies = np.full(n, worst, np.int32), np.full(n, NEVER, np.int32)
        left = np.diff(graph.first).astype(np.int32)
        known = (graph.mover, graph.utility, begins, parent)
        _run(force, (side, best_first, *known, left, worth, plies, queue, control), control)
        found.append((worth, plies))
    (by_max, max_plies), (by_min, min_plies) = found
    return Analysis(
        value=np.where(by_max > 0, by_max, np.where(by_min < 0, by_min, 0)),
        plies=np.where(by_max > 0, max_plies, np.where(by_min < 0, min_plies, NEVER)),
        endless=by_max != by_min,
    )


def _expected(
    graph: Graph[S], ends: Array, begins: Array, parent: Array, control: Control
) -> Analysis:
    n = len(graph)
    value, queue = np.empty(n, np.float64), np.empty(n, np.int32)
    left = np.diff(graph.first).astype(np.int32)
    known = (ends, graph.mover, graph.utility, graph.first, graph.child, graph.weight)
    done = _run(expect, (*known, begins, parent, left, value, queue, control), control)
    if done < n and not control[STOP]:
        raise ThreefoldError(
            f"{graph.game.name}: with chance, only a game whose positions cannot come up again "
            "can be solved, and in this one play can go round in a circle"
        )
    return Analysis(value, np.full(n, NEVER, np.int32), np.zeros(n, np.bool_))


def best_line(graph: Graph[S], analysis: Analysis, i: int) -> list[Action]:
    """Best play from a position on: to the end, to nature's move, or round to where it was.

    Draws by endless play can take a long way round; nobody follows them past `max_ply`.
    """
    line: list[Action] = []
    seen = {i}
    while graph.mover[i] != CHANCE and len(line) < graph.game.facts.max_ply:
        children = graph.children(i)
        if not children:
            break
        left = analysis.plies[i] - 1 if analysis.plies[i] != NEVER else NEVER
        good = [
            k
            for k, j in enumerate(children)
            if analysis.value[j] == analysis.value[i] and analysis.plies[j] == left
        ]
        # Where it is new, and better still where nobody can go on for ever.
        k = min(good, key=lambda k: (children[k] in seen, analysis.endless[children[k]]))
        line.append(graph.game.moves(graph.state(i))[k])
        i = children[k]
        if i in seen:
            break
        seen.add(i)
    return line


@cache
def prepare(deterministic: bool) -> None:
    """Compile now, so that it is not counted as analysis: analyse a game of one move."""
    nowhere = Graph(
        _WITHOUT_RULES,
        states=[None, None],
        mover=np.zeros(2, np.int8),
        utility=np.zeros(2, np.int32),
        first=np.array([0, 1, 1], np.int64),
        child=np.array([1], np.int32),
        weight=np.ones(0 if deterministic else 1, np.int64),
    )
    analyse(nowhere, np.zeros(CONTROL_WORDS, np.int64))


class _Nothing(NamedTuple):
    turn: int


_WITHOUT_RULES: Final = Game(
    "retrograde analysis",
    initial=lambda: _Nothing(0),
    actions=lambda s, out: 0,  # noqa: ARG005
    result=lambda s, a: s,  # noqa: ARG005
    utility=lambda s: 0,  # noqa: ARG005
)


@cache
def _entry(template: Function) -> Function:
    try:
        return _WITHOUT_RULES.compiled().entry(template)
    except CompilerOff:
        return template


def _run(template: Function, arguments: tuple[Any, ...], control: Control) -> Any:
    return run_in_worker(partial(_entry(template), *arguments), control)
