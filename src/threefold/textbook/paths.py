"""Path search for one agent: uniform cost, greedy, A*, bidirectional and IDA*.

With b successors per node, d steps to the nearest goal, C* the cost of the best path and e the
cost of the cheapest step:

| procedure | time | space | complete | optimal |
| --- | --- | --- | --- | --- |
| uniform cost | O(b^(1 + C*/e)) | the same | yes, if e > 0 or the graph is finite | yes |
| greedy | O(b^m), m the longest path | the same | on finite graphs | no |
| A* | O(b^d) at worst | the same | as uniform cost | if h never overestimates |
| bidirectional | O(b^(d/2)) | the same | yes | in steps, not in cost |
| IDA* | O(b^d), again for each contour | O(b·d) | on finite graphs | if h never overestimates |

As in the lecture's solutions, ties are broken alphabetically and the goal counts as expanded. An
expanded node does not enter the fringe again, except in A* when a cheaper path to it turns up.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Any, TypeAlias

from threefold.errors import ThreefoldError
from threefold.textbook.graph import Problem
from threefold.textbook.trace import plain
from threefold.textbook.tree import Number, format_number

#: A node in a fringe, and its priority: g, h, f or the number of steps.
Waiting: TypeAlias = tuple[str, Number]

#: More than anyone would wait for.
MAX_EXPANSIONS = 2_000_000
#: The fringes of a big search, which nobody reads, would fill memory long before its nodes do.
MAX_FRINGE_ENTRIES = 1_000_000

FORWARD, BACKWARD = "forward", "backward"


@dataclass(frozen=True)
class PathResult:
    """What a procedure found, and each step on the way.

    `fringes[i]` is the fringe after `expanded[i]`, sorted by priority and then by name. It is empty
    at the end of a search that found the goal. A bidirectional search has both fringes in one list;
    a node's priority is its number of steps from its own end. `directions` says which side made
    each step, and `met` where the two sides met. For IDA* the fringe is the stack, and `bounds` has
    one bound per contour. After `MAX_FRINGE_ENTRIES` entries in total, no more fringes are kept.
    """

    procedure: str
    path: list[str]
    cost: Number | None
    expanded: list[str]
    fringes: list[list[Waiting]]
    bounds: list[Number] = field(default_factory=list)
    directions: list[str] = field(default_factory=list)
    met: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as JSON types."""
        answer: dict[str, Any] = {
            "procedure": self.procedure,
            "path": self.path,
            "cost": plain(self.cost),
            "expanded": self.expanded,
            "fringes": plain(self.fringes),
        }
        if self.bounds:
            answer["bounds"] = plain(self.bounds)
        if self.directions:
            answer |= {"directions": self.directions, "met": self.met}
        if len(self.fringes) < len(self.expanded):
            answer["fringes_left_out"] = len(self.expanded) - len(self.fringes)
        return answer


class _Record:
    """Records the steps of one run."""

    def __init__(self, procedure: str, problem: Problem) -> None:
        self._procedure = procedure
        self._problem = problem
        self._expanded: list[str] = []
        self._fringes: list[list[Waiting]] = []
        self._room = MAX_FRINGE_ENTRIES

    def expand(self, node: str, fringe: Iterable[Waiting]) -> None:
        """Record that a node was expanded, with the fringe after it."""
        if len(self._expanded) >= MAX_EXPANSIONS:
            raise ThreefoldError(
                f"{self._procedure} expands more than {MAX_EXPANSIONS:,} nodes; try a smaller "
                "problem or another procedure"
            )
        self._expanded.append(node)
        if self._room > 0:
            waiting = sorted(fringe, key=lambda entry: (entry[1], entry[0]))
            self._fringes.append(waiting)
            self._room -= len(waiting) + 1

    def result(self, path: list[str], **more: Any) -> PathResult:
        """The result, with the path (empty if none was found) and procedure-specific fields."""
        cost: Number | None = None
        if path:
            # Summed along the path, because a bidirectional search keeps no costs.
            successors = self._problem.successors
            cost = sum(dict(successors(one))[other] for one, other in pairwise(path))
        return PathResult(self._procedure, path, cost, self._expanded, self._fringes, **more)


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
    return _best_first("uniform-cost", problem, start, goal, lambda _, g: g)


def greedy(problem: Problem, start: str, goal: str) -> PathResult:
    """Expand the node that looks nearest to the goal, by h alone."""
    return _best_first("greedy", problem, start, goal, lambda node, _: problem.estimate(node))


def a_star(problem: Problem, start: str, goal: str) -> PathResult:
    """Expand nodes in order of f = g + h.

    If the estimates are admissible but inconsistent (one drops by more than the step costs), a node
    may be expanded before the cheapest path to it is known. It is then reopened.
    """
    return _best_first(
        "a-star", problem, start, goal, lambda node, g: g + problem.estimate(node), reopen=True
    )


def _best_first(
    procedure: str,
    problem: Problem,
    start: str,
    goal: str,
    priority: Callable[[str, Number], Number],
    reopen: bool = False,
) -> PathResult:
    """The search behind all three: the fringe is ordered by `priority(node, g)`."""
    problem.check(start, goal)
    record = _Record(procedure, problem)
    cost: dict[str, Number] = {start: 0}
    parent: dict[str, str] = {}
    fringe = Fringe()
    fringe.put(start, priority(start, 0))
    while fringe:
        node = fringe.remove_best()
        if problem.is_goal(node, goal):
            record.expand(node, [])
            return record.result(_path_to(node, parent))
        for successor, step in problem.successors(node):
            g = cost[node] + step
            new = successor not in cost
            if new or (g < cost[successor] and (reopen or successor in fringe)):
                cost[successor], parent[successor] = g, node
                fringe.put(successor, priority(successor, g))
        record.expand(node, fringe)
    return record.result([])


def ida_star(problem: Problem, start: str, goal: str) -> PathResult:
    """A* by depth-first searches with a bound on f: the least f that exceeded the last bound.

    Memory holds one path and what branches off it. A node already on the path is not entered again.
    On another path it is, which is the price.
    """
    problem.check(start, goal)
    record = _Record("ida-star", problem)
    bounds: list[Number] = []
    bound: Number | None = problem.estimate(start)
    while bound is not None:
        bounds.append(bound)
        beyond: Number | None = None
        path: dict[str, None] = {}
        stack: list[tuple[str, Number, Number, int]] = [(start, bound, 0, 0)]
        while stack:
            node, _, g, depth = stack.pop()
            while len(path) > depth:
                path.popitem()
            path[node] = None
            if problem.is_goal(node, goal):
                record.expand(node, [])
                return record.result(list(path), bounds=bounds)
            for successor, step in reversed(problem.successors(node)):
                f = g + step + problem.estimate(successor)
                if successor in path:
                    continue
                if f <= bound:
                    stack.append((successor, f, g + step, depth + 1))
                elif beyond is None or f < beyond:
                    beyond = f
            record.expand(node, ((name, f) for name, f, _, _ in stack))
        bound = beyond
    return record.result([], bounds=bounds)


class _Front:
    """One half of a bidirectional search: a breadth-first search from one end."""

    def __init__(self, end: str, neighbors: Callable[[str], list[tuple[str, Number]]]) -> None:
        self._neighbors = neighbors
        self.fringe = deque([end])
        self.reached = {end: 0}
        self.parent: dict[str, str] = {}

    def generate(self, node: str) -> None:
        """Add a node's new neighbors to the back of the fringe."""
        for other, _ in self._neighbors(node):
            if other not in self.reached:
                self.reached[other] = self.reached[node] + 1
                self.parent[other] = node
                self.fringe.append(other)

    def waiting(self) -> Iterator[Waiting]:
        """The fringe, with each node's number of steps."""
        return ((node, self.reached[node]) for node in self.fringe)


def bidirectional(problem: Problem, start: str, goal: str) -> PathResult:
    """Two breadth-first searches, from the start and from the goal, taking turns node by node.

    Each removed node is looked up in a hash table of everything the other side has reached, so a
    comparison costs the same however much that is.
    """
    problem.check(start, goal)
    record = _Record("bidirectional", problem)
    forward = _Front(start, problem.successors)
    backward = _Front(goal, problem.predecessors)
    directions: list[str] = []
    while forward.fringe and backward.fringe:
        for front, other in ((forward, backward), (backward, forward)):
            node = front.fringe.popleft()
            directions.append(FORWARD if front is forward else BACKWARD)
            if node in other.reached:
                # This node's path may be one step longer than the path through another node that
                # both sides have reached. No path is shorter than the best of those: see the docs.
                met = min(
                    forward.reached.keys() & backward.reached.keys(),
                    key=lambda name: (forward.reached[name] + backward.reached[name], name),
                )
                record.expand(node, [])
                path = _joined(met, forward, backward)
                return record.result(path, directions=directions, met=met)
            front.generate(node)
            record.expand(node, chain(forward.waiting(), backward.waiting()))
    return record.result([], directions=directions)


def bidirectional_as_printed(problem: Problem, start: str, goal: str) -> PathResult:
    """The lecture's pseudocode, which misses paths: kept to show why; use `bidirectional`.

    A forward node is looked up only in the other fringe, where a node stays briefly: once the
    other side has expanded it, it is no longer found. One thing is added: a node that was reached
    is not added again, because otherwise the loop would never end on a graph with a cycle.
    """
    problem.check(start, goal)
    record = _Record("bidirectional-as-printed", problem)
    forward = _Front(start, problem.successors)
    backward = _Front(goal, problem.predecessors)
    directions: list[str] = []
    while forward.fringe and backward.fringe:
        node = forward.fringe.popleft()
        directions.append(FORWARD)
        if node in backward.fringe:
            record.expand(node, [])
            path = _joined(node, forward, backward)
            return record.result(path, directions=directions, met=node)
        forward.generate(node)
        record.expand(node, chain(forward.waiting(), backward.waiting()))
        m = backward.fringe.popleft()
        directions.append(BACKWARD)
        backward.generate(m)
        record.expand(m, chain(forward.waiting(), backward.waiting()))
    return record.result([], directions=directions)


def _path_to(node: str, parent: dict[str, str]) -> list[str]:
    """The path to a node from the end where the search began."""
    path = [node]
    while path[-1] in parent:
        path.append(parent[path[-1]])
    return path[::-1]


def _joined(met: str, forward: _Front, backward: _Front) -> list[str]:
    """path(s → met), then path(g → met) reversed, with `met` once."""
    return _path_to(met, forward.parent) + _path_to(met, backward.parent)[-2::-1]


PathProcedure: TypeAlias = Callable[[Problem, str, str], PathResult]

#: Every path procedure, by its command-line name.
PATH_PROCEDURES: dict[str, PathProcedure] = {
    "uniform-cost": uniform_cost,
    "greedy": greedy,
    "a-star": a_star,
    "bidirectional": bidirectional,
    "ida-star": ida_star,
}


def narrate(result: PathResult) -> list[str]:
    """One plain sentence per step, and one more if no path was found."""
    sentences = []
    nothing = "nothing new within the bound" if result.bounds else "nothing new enters"
    before: Counter[Waiting] = Counter()
    expanded: set[str] = set()
    contour = 0
    if result.directions:
        # The goal, which is expanded second, is in the fringe from the start.
        before = Counter((goal, 0) for goal in result.expanded[1:2])
    for step, node in enumerate(result.expanded):
        expanded.add(node)
        opening = f"Expand {node}"
        if result.directions:
            opening = f"{result.directions[step].capitalize()}, expand {node}"
        # A path never returns to its start, so IDA* expands the start once per contour.
        if result.bounds and node == result.expanded[0]:
            bound = format_number(result.bounds[contour])
            contour += 1
            opening = f"Contour {contour}, up to {bound}: expand {node}"
        if result.path and step == len(result.expanded) - 1:
            sentences.append(f"{opening}: {_ending(result)}.")
        elif step < len(result.fringes):
            after = Counter(result.fringes[step])
            again = set() if result.bounds or result.directions else expanded
            change = _entering(before, after, again) or nothing
            sentences.append(f"{opening}: {change}.")
            before = after
        else:
            sentences.append(f"{opening}.")
    if not result.path:
        sentences.append("Nothing is left to expand: no path was found.")
    return sentences


def _entering(before: Counter[Waiting], after: Counter[Waiting], expanded: set[str]) -> str:
    """What a step changed in the fringe."""
    old = dict((before - after).keys())
    parts: list[str] = []
    new = sorted((after - before).elements(), key=lambda entry: (entry[1], entry[0]))
    for name, priority in new:
        shown = format_number(priority)
        if name in old:
            parts.append(f"{name} improves from {format_number(old[name])} to {shown}")
        elif name in expanded:
            parts.append(f"{name} enters again with {shown}, by a cheaper path")
        else:
            parts.append(f"{name} enters with {shown}")
    return ", ".join(parts)


def _ending(result: PathResult) -> str:
    assert result.cost is not None
    found = f"{' '.join(result.path)} costs {format_number(result.cost)}"
    if result.met is None:
        return f"it is the goal, and {found}"
    return f"the two searches have met at {result.met}, and {found}"
