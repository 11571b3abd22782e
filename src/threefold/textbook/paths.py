"""Path search for one agent: blind, by cost, by estimates, and from both ends.

With b successors per node, d steps to the nearest goal, m steps in the longest path, l the limit,
C* the cost of the best path and e the cost of the cheapest step:

| procedure | time | space | complete | optimal |
| --- | --- | --- | --- | --- |
| breadth-first | O(b^(d+1)) | the same | yes | in steps |
| depth-first | O(b^m) | the same | on finite graphs | no |
| depth-limited | O(b^l) | O(b·l) | if l >= d | no |
| iterative deepening | O(b^(d+1)) | O(b·d) | yes | in steps |
| uniform cost | O(b^(1 + C*/e)) | the same | yes, if e > 0 or the graph is finite | yes |
| greedy | O(b^m) | the same | on finite graphs | no |
| A* | O(b^d) at worst | the same | as uniform cost | if h never overestimates |
| bidirectional | O(b^(d/2)) | the same | yes | in steps, not in cost |
| IDA* | O(b^d), again for each contour | O(b·d) | on finite graphs | if h never overestimates |

As in the lecture's solutions, ties are broken alphabetically and the goal counts as expanded. An
expanded node does not enter the fringe again, except in A* when a cheaper path to it turns up, and
in the depth-first searches with a bound, which remember nothing but the current path.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import chain, count
from typing import Any, TypeAlias

from threefold.errors import ThreefoldError
from threefold.textbook.graph import Problem
from threefold.textbook.path_trace import (
    BACKWARD,
    FORWARD,
    PathResult,
    PathTrace,
    Waiting,
)
from threefold.textbook.tree import Number

#: More than anyone would wait for.
MAX_EXPANSIONS = 2_000_000
#: The fringes of a big search, which nobody reads, would fill memory long before its nodes do.
MAX_FRINGE_ENTRIES = 1_000_000


def _run(
    name: str, code: Callable[..., list[str]], problem: Problem, start: str, goal: str, **more: Any
) -> PathResult:
    """Run a procedure's code and record what it reports."""
    problem.check(start, goal)
    trace = PathTrace(name, MAX_EXPANSIONS, MAX_FRINGE_ENTRIES)
    return trace.result(code(problem, start, goal, trace, **more), problem, code)


class Fringe:
    """The nodes waiting to be expanded, best first; ties in alphabetical order."""

    def __init__(self) -> None:
        self._priority: dict[str, Number] = {}
        self._heap: list[tuple[Number, str]] = []

    def put(self, node: str, priority: Number) -> None:
        """Add a node, or update its priority if it is already there."""
        self._priority[node] = priority
        heappush(self._heap, (priority, node))

    def remove_best(self) -> str:
        """Remove and return the node with the lowest priority."""
        while True:
            priority, node = heappop(self._heap)
            # Skip an old entry of a node whose priority has changed since.
            if self._priority.get(node) == priority:
                del self._priority[node]
                return node

    def __contains__(self, node: str) -> bool:
        return node in self._priority

    def __len__(self) -> int:
        return len(self._priority)

    def __iter__(self) -> Iterator[Waiting]:
        return iter(self._priority.items())


def uniform_cost(problem: Problem, start: str, goal: str) -> PathResult:
    """Expand nodes in order of g, their cost from the start."""
    return _run("uniform-cost", best_first, problem, start, goal, priority=lambda _, g: g)


def greedy(problem: Problem, start: str, goal: str) -> PathResult:
    """Expand the node that looks nearest to the goal, by h alone."""

    def h(node: str, _: Number) -> Number:
        return problem.estimate(node)

    return _run("greedy", best_first, problem, start, goal, priority=h)


def a_star(problem: Problem, start: str, goal: str) -> PathResult:
    """Expand nodes in order of f = g + h.

    If the estimates are admissible but inconsistent (one drops by more than the step costs), a node
    may be expanded before the cheapest path to it is known. It is then reopened.
    """

    def f(node: str, g: Number) -> Number:
        return g + problem.estimate(node)

    return _run("a-star", best_first, problem, start, goal, priority=f, reopen=True)


def best_first(
    problem: Problem,
    start: str,
    goal: str,
    trace: PathTrace,
    priority: Callable[[str, Number], Number],
    reopen: bool = False,
) -> list[str]:
    """The search behind all three: the fringe is ordered by `priority(node, g)`."""
    cost: dict[str, Number] = {start: 0}
    parent: dict[str, str] = {}
    fringe = Fringe()
    fringe.put(start, priority(start, 0))
    trace.start(start, priority(start, 0))
    while fringe:
        node = fringe.remove_best()
        trace.expand(node)
        if problem.is_goal(node, goal):
            trace.goal(node)
            return path_to(node, parent)
        for successor, step in problem.successors(node):
            g = cost[node] + step
            if successor not in cost:
                why = "new"
            elif successor in fringe:
                why = "better" if g < cost[successor] else "worse"
            else:
                why = "again" if reopen and g < cost[successor] else "closed"
            if why in {"new", "better", "again"}:
                cost[successor], parent[successor] = g, node
                p = priority(successor, g)
                fringe.put(successor, p)
                trace.generate(successor, g, p, why)
            else:
                trace.skip(successor, why)
        trace.wait(fringe)
    trace.fail()
    return []


def breadth_first(problem: Problem, start: str, goal: str) -> PathResult:
    """Expand the node that has waited longest: all nodes at one step, then at two, and so on.

    The goal is recognized when it is expanded, as in the other procedures, not when it is
    generated, which would save the last level.
    """
    return _run("breadth-first", first_in_first_out, problem, start, goal)


def first_in_first_out(problem: Problem, start: str, goal: str, trace: PathTrace) -> list[str]:
    """The fringe is a queue."""
    steps = {start: 0}
    parent: dict[str, str] = {}
    fringe = deque([start])
    trace.start(start, 0)
    while fringe:
        node = fringe.popleft()
        trace.expand(node)
        if problem.is_goal(node, goal):
            trace.goal(node)
            return path_to(node, parent)
        for successor, _ in problem.successors(node):
            if successor not in steps:
                steps[successor] = steps[node] + 1
                parent[successor] = node
                fringe.append(successor)
                trace.generate(successor, steps[successor], steps[successor])
            else:
                trace.skip(successor, "reached")
        trace.wait((name, steps[name]) for name in fringe)
    trace.fail()
    return []


def depth_first(problem: Problem, start: str, goal: str) -> PathResult:
    """Expand the node that was generated last; of several successors, the first in the alphabet.

    No node is expanded twice, so the search ends on every finite graph. A waiting node that is
    generated again moves to the top of the stack, as a search by recursion would visit it there.
    """
    return _run("depth-first", last_in_first_out, problem, start, goal)


def last_in_first_out(problem: Problem, start: str, goal: str, trace: PathTrace) -> list[str]:
    """The fringe is a stack: a dict whose last entry is the top."""
    parent: dict[str, str] = {}
    expanded: set[str] = set()
    stack = {start: 0}
    trace.start(start, 0)
    while stack:
        node, steps = stack.popitem()
        expanded.add(node)
        trace.expand(node)
        if problem.is_goal(node, goal):
            trace.goal(node)
            return path_to(node, parent)
        for successor, _ in reversed(problem.successors(node)):
            if successor in expanded:
                trace.skip(successor, "closed")
                continue
            why = "top" if successor in stack else "new"
            stack.pop(successor, None)  # so that it moves to the top
            stack[successor] = steps + 1
            parent[successor] = node
            trace.generate(successor, steps + 1, steps + 1, why)
        trace.wait(stack.items())
    trace.fail()
    return []


def depth_limited(problem: Problem, start: str, goal: str, limit: int) -> PathResult:
    """Depth-first search that goes no deeper than `limit` steps.

    Only the current path is remembered, and a node on it is not entered again. On another path it
    is: a node first reached at the limit may be reached by fewer steps later.
    """
    if limit < 0:
        raise ThreefoldError(f"the limit {limit} is negative; it is a number of steps, 0 or more")
    return _run("depth-limited", within_limits, problem, start, goal, limits=[limit])


def iterative_deepening_search(problem: Problem, start: str, goal: str) -> PathResult:
    """Depth-limited searches with the limits 0, 1, 2, … until nothing lies beyond the limit.

    It finds the fewest steps, like breadth-first search, with the memory of one path.
    """
    return _run("iterative-deepening-search", within_limits, problem, start, goal, limits=count())


def within_limits(
    problem: Problem, start: str, goal: str, trace: PathTrace, limits: Iterable[int]
) -> list[str]:
    """A depth-first search for each limit, as long as the one before was cut off."""
    for limit in limits:
        trace.iterate(limit, steps=True)
        cut_off = False
        path: dict[str, None] = {}
        stack = [(start, 0)]
        trace.start(start, 0)
        while stack:
            node, steps = stack.pop()
            while len(path) > steps:
                path.popitem()
            path[node] = None
            trace.expand(node)
            if problem.is_goal(node, goal):
                trace.goal(node)
                return list(path)
            for successor, _ in reversed(problem.successors(node)):
                if successor in path:
                    trace.skip(successor, "path")
                    continue
                if steps == limit:
                    cut_off = True
                    trace.skip(successor, "bound")
                else:
                    stack.append((successor, steps + 1))
                    trace.generate(successor, steps + 1, steps + 1)
            trace.wait(stack)
        if not cut_off:
            break
    trace.fail(cut_off=cut_off)
    return []


def ida_star(problem: Problem, start: str, goal: str) -> PathResult:
    """A* by depth-first searches with a bound on f: the least f that exceeded the last bound.

    Memory holds one path and what branches off it. A node already on the path is not entered again.
    On another path it is, which is the price.
    """
    return _run("ida-star", within_contours, problem, start, goal)


def within_contours(problem: Problem, start: str, goal: str, trace: PathTrace) -> list[str]:
    """A depth-first search for each bound on f."""
    bound: Number | None = problem.estimate(start)
    while bound is not None:
        trace.iterate(bound)
        beyond: Number | None = None
        path: dict[str, None] = {}
        stack: list[tuple[str, Number, Number, int]] = [(start, problem.estimate(start), 0, 0)]
        trace.start(start, problem.estimate(start))
        while stack:
            node, _, g, depth = stack.pop()
            while len(path) > depth:
                path.popitem()
            path[node] = None
            trace.expand(node)
            if problem.is_goal(node, goal):
                trace.goal(node)
                return list(path)
            for successor, step in reversed(problem.successors(node)):
                f = g + step + problem.estimate(successor)
                if successor in path:
                    trace.skip(successor, "path")
                    continue
                if f <= bound:
                    stack.append((successor, f, g + step, depth + 1))
                    trace.generate(successor, g + step, f)
                else:
                    beyond = f if beyond is None else min(f, beyond)
                    trace.skip(successor, "bound", f)
            trace.wait((name, f) for name, f, _, _ in stack)
        bound = beyond
    trace.fail()
    return []


class _Front:
    """One half of a bidirectional search: a breadth-first search from one end."""

    def __init__(self, end: str, neighbors: Callable[[str], list[tuple[str, Number]]]) -> None:
        self._neighbors = neighbors
        self.fringe = deque([end])
        self.reached = {end: 0}
        self.parent: dict[str, str] = {}

    def generate(self, node: str, trace: PathTrace) -> None:
        """Add a node's new neighbors to the back of the fringe."""
        steps = self.reached[node] + 1
        for other, _ in self._neighbors(node):
            if other not in self.reached:
                self.reached[other] = steps
                self.parent[other] = node
                self.fringe.append(other)
                trace.generate(other, steps, steps)
            else:
                trace.skip(other, "reached")

    def waiting(self) -> Iterator[Waiting]:
        """The fringe, with each node's number of steps."""
        return ((node, self.reached[node]) for node in self.fringe)


def bidirectional(problem: Problem, start: str, goal: str) -> PathResult:
    """Two breadth-first searches, from the start and from the goal, taking turns node by node.

    Each removed node is looked up in a hash table of everything the other side has reached, so a
    comparison costs the same however much that is.
    """
    return _run("bidirectional", from_both_ends, problem, start, goal)


def from_both_ends(problem: Problem, start: str, goal: str, trace: PathTrace) -> list[str]:
    """Each side in turn removes a node and compares it with all that the other has reached."""
    forward = _Front(start, problem.successors)
    backward = _Front(goal, problem.predecessors)
    trace.start(start, 0)
    trace.start(goal, 0, BACKWARD)
    while forward.fringe and backward.fringe:
        for front, other in ((forward, backward), (backward, forward)):
            node = front.fringe.popleft()
            trace.expand(node, FORWARD if front is forward else BACKWARD)
            if node in other.reached:
                # This node's path may be one step longer than the path through another node that
                # both sides have reached. No path is shorter than the best of those: see the docs.
                met = min(
                    forward.reached.keys() & backward.reached.keys(),
                    key=lambda name: (forward.reached[name] + backward.reached[name], name),
                )
                trace.meet(met)
                return joined(met, forward, backward)
            front.generate(node, trace)
            trace.wait(chain(forward.waiting(), backward.waiting()))
    trace.fail()
    return []


def bidirectional_as_printed(problem: Problem, start: str, goal: str) -> PathResult:
    """The lecture's pseudocode, which misses paths: kept to show why; use `bidirectional`.

    A forward node is looked up only in the other fringe, where a node stays briefly: once the
    other side has expanded it, it is no longer found. One thing is added: a node that was reached
    is not added again, because otherwise the loop would never end on a graph with a cycle.
    """
    return _run("bidirectional-as-printed", as_printed, problem, start, goal)


def as_printed(problem: Problem, start: str, goal: str, trace: PathTrace) -> list[str]:
    """Only forward nodes are compared, and only with the other fringe."""
    forward = _Front(start, problem.successors)
    backward = _Front(goal, problem.predecessors)
    trace.start(start, 0)
    trace.start(goal, 0, BACKWARD)
    while forward.fringe and backward.fringe:
        n = forward.fringe.popleft()
        trace.expand(n, FORWARD)
        if n in backward.fringe:
            trace.meet(n)
            return joined(n, forward, backward)
        forward.generate(n, trace)
        trace.wait(chain(forward.waiting(), backward.waiting()))
        m = backward.fringe.popleft()
        trace.expand(m, BACKWARD)
        backward.generate(m, trace)
        trace.wait(chain(forward.waiting(), backward.waiting()))
    trace.fail()
    return []


def path_to(node: str, parent: dict[str, str]) -> list[str]:
    """The path to a node from the end where the search began."""
    path = [node]
    while path[-1] in parent:
        path.append(parent[path[-1]])
    return path[::-1]


def joined(met: str, forward: _Front, backward: _Front) -> list[str]:
    """path(s → met), then path(g → met) reversed, with `met` once."""
    return path_to(met, forward.parent) + path_to(met, backward.parent)[-2::-1]


PathProcedure: TypeAlias = Callable[..., PathResult]

#: Every path procedure, by its command-line name. `depth-limited` needs a limit as well.
PATH_PROCEDURES: dict[str, PathProcedure] = {
    "breadth-first": breadth_first,
    "depth-first": depth_first,
    "depth-limited": depth_limited,
    "iterative-deepening-search": iterative_deepening_search,
    "uniform-cost": uniform_cost,
    "greedy": greedy,
    "a-star": a_star,
    "ida-star": ida_star,
    "bidirectional": bidirectional,
    "bidirectional-as-printed": bidirectional_as_printed,
}
