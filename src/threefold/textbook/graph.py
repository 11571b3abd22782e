"""Single-agent problems, and weighted directed graphs written as text.

    A B 4      an edge from A to B that costs 4
    h A 8      an estimate: the cost from A to the goal is about 8
    # why      from # to the end of the line is a comment; blank lines are skipped

A name is anything without spaces or #. Edges are one-way; a two-way road takes two lines. If two
edges join the same nodes, the cheaper one counts. A missing estimate is 0. A line `h X NUMBER` is
always an estimate, so an edge can lead to a node named `h` but not out of it; call it `H`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from threefold.errors import ThreefoldError
from threefold.textbook.tree import Number, simplest

#: The graph that the lecture works by hand, from A to G.
LECTURE_GRAPH = """\
A B 4
A C 1
B D 3
B E 8
C C 0
C D 2
C F 6
D C 2
D E 4
E G 2
F G 8
h A 8
h B 8
h C 6
h D 5
h E 1
h F 4
h G 0
"""

# No exponents and limited length: 1e999999999 is a short text but would not fit in memory.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})")
#: The most names that an error message lists; the rest is "…".
_MAX_LISTED = 12


class BadGraph(ThreefoldError):
    """A graph's text cannot be read, or it has no such node."""


class Problem(ABC):
    """What a path search needs to know. A state is identified by its name."""

    @abstractmethod
    def successors(self, state: str) -> list[tuple[str, Number]]:
        """The states one step forward and the cost of each step, in alphabetical order."""

    @abstractmethod
    def predecessors(self, state: str) -> list[tuple[str, Number]]:
        """The states one step back and the cost of each step, in alphabetical order."""

    @abstractmethod
    def estimate(self, state: str) -> Number:
        """h: the estimated cost from here to the goal."""

    @abstractmethod
    def check(self, start: str, goal: str) -> None:
        """Raise a ThreefoldError unless this start and this goal can be searched."""

    def tiles(self, state: str) -> Sequence[str]:  # noqa: ARG002
        """The rows of a board, if a state is drawn as one; a blank place is a space."""
        return ()

    def is_goal(self, state: str, goal: str) -> bool:
        """GOAL-TEST."""
        return state == goal


class Graph(Problem):
    """A directed graph with costs on its edges and estimates at its nodes."""

    def __init__(
        self,
        edges: Iterable[tuple[str, str, Number]],
        estimates: Mapping[str, Number] | None = None,
    ) -> None:
        self._estimates = dict(estimates or {})
        self._after: dict[str, dict[str, Number]] = {name: {} for name in self._estimates}
        self._before: dict[str, dict[str, Number]] = {name: {} for name in self._estimates}
        for name, estimate in self._estimates.items():
            _check_size(estimate, f"the estimate of {name}")
        for one, other, cost in edges:
            _check_size(cost, f"the cost of {one} {other}")
            for name in (one, other):
                self._after.setdefault(name, {})
                self._before.setdefault(name, {})
            cheapest = min(cost, self._after[one].get(other, cost))
            self._after[one][other] = self._before[other][one] = cheapest

    @property
    def nodes(self) -> list[str]:
        """Every node, in alphabetical order."""
        return sorted(self._after)

    def successors(self, state: str) -> list[tuple[str, Number]]:
        """Where the edges out of a node lead, and their costs."""
        return sorted(self._after[state].items())

    def predecessors(self, state: str) -> list[tuple[str, Number]]:
        """Where the edges into a node come from, and their costs."""
        return sorted(self._before[state].items())

    def estimate(self, state: str) -> Number:
        """h as given, or 0."""
        return self._estimates.get(state, 0)

    def check(self, start: str, goal: str) -> None:
        """Both must be nodes."""
        for name in (start, goal):
            if name not in self._after:
                known = self.nodes
                more = ", …" if len(known) > _MAX_LISTED else ""
                listed = ", ".join(known[:_MAX_LISTED]) + more
                raise BadGraph(f"the graph has no node {_shown(name)}; it has {listed}")


def parse_graph(text: str) -> Graph:
    """The graph that a text describes."""
    edges: list[tuple[str, str, Number]] = []
    estimates: dict[str, Number] = {}
    # Some editors start a file with a byte-order mark, which is not part of the first name.
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        fields = line.split("#", 1)[0].split()
        if not fields:
            continue
        if len(fields) != 3:
            written = _shown(" ".join(fields))
            raise _error(number, f"{written} is not a line of a graph; write A B 4 or h A 8")
        first, second, third = fields
        if first != "h":
            edges.append((first, second, _cost(third, number, "cost", f"{first} {second} 4")))
        elif second not in estimates:
            estimates[second] = _cost(third, number, "estimate", f"h {second} 8")
        else:
            raise _error(number, f"the estimate of {_shown(second)} is given twice; keep one")
    if not edges and not estimates:
        raise BadGraph("the graph is empty; write lines like A B 4 (edge) and h A 8 (estimate)")
    return Graph(edges, estimates)


def _cost(field: str, line: int, what: str, example: str) -> Number:
    """A number that is 0 or more, exactly as written."""
    if not _NUMBER.fullmatch(field):
        raise _error(
            line, f"the {what} {_shown(field)} is not a number; write {example} (up to 30 digits)"
        )
    value = simplest(Fraction(field))
    if value < 0:
        raise _error(line, f"the {what} {field} is negative; it must be 0 or more")
    return value


def _check_size(number: Number, what: str) -> None:
    # "not 0 <= …" also rejects NaN, which compares false with everything.
    if not 0 <= number < float("inf"):
        raise BadGraph(f"{what} is {number}; it must be 0 or more, and finite")


def _error(line: int, what: str) -> BadGraph:
    return BadGraph(f"graph, line {line}: {what}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
