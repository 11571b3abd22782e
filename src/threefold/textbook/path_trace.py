"""What a path search reports while it runs, and what it found.

Narration, text, pictures, pages and the lab read these events and nothing else:

| event | at a state |
| --- | --- |
| `iterate` | a new depth-first search begins, with this bound (IDA*, iterative deepening) |
| `start` | it is the root of a search tree: the start or, searching backward, the goal |
| `expand` | it is removed from the fringe |
| `generate` | it enters the fringe: for the first time (`new`), with a better path than it has |
| | there (`better`), after it was expanded (`again`), or on top of the stack (`top`) |
| `skip` | it does not: it was expanded before (`closed`), it waits with a path that is no worse |
| | (`worse`), either of these (`reached`), it is on the current path (`path`), or it is beyond |
| | the bound (`bound`) |
| `goal` | it is the goal, and the path to it is the answer |
| `meet` | the two searches have met at it |
| `fail` | nothing is left to expand; whether something lay beyond the limit |
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from threefold.errors import ThreefoldError
from threefold.textbook.graph import Problem
from threefold.textbook.trace import STEPS_A_LOOK, Event, check_time, most_events, plain
from threefold.textbook.tree import Number, format_number

#: A node in a fringe, and its priority: g, h, f or the number of steps.
Waiting: TypeAlias = tuple[str, Number]

#: More than anyone reads. A longer run keeps only its first events, to save memory.
MAX_EVENTS = 100_000

FORWARD, BACKWARD = "forward", "backward"


@dataclass(frozen=True, repr=False)
class PathResult:
    """What a procedure found, and each step on the way.

    `fringes[i]` is the fringe after `expanded[i]`, sorted by priority and then by name. It is empty
    at the end of a search that found the goal. A bidirectional search has both fringes in one list;
    a node's priority is its number of steps from its own end. `directions` says which side made
    each step, and `met` where the two sides met. For IDA* the fringe is the stack, and `bounds` has
    one bound per contour; for iterative deepening `limits` has one limit per iteration, and for
    depth-limited search its only one. `cut_off` says whether anything lay beyond the last limit.
    A big search keeps only its first fringes and events.
    """

    procedure: str
    path: list[str]
    cost: Number | None
    expanded: list[str]
    fringes: list[list[Waiting]]
    bounds: list[Number] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    cut_off: bool = False
    directions: list[str] = field(default_factory=list)
    met: str | None = None
    #: Everything that was reported, and where; not part of the JSON.
    events: list[Event] = field(default_factory=list, compare=False)
    #: The problem, and the code that ran.
    problem: Problem | None = field(default=None, compare=False)
    code: Callable[..., Any] | None = field(default=None, compare=False)

    @property
    def outcome(self) -> str:
        """`solution`, `cutoff` if the goal may lie beyond the limit, or `failure`."""
        return "solution" if self.path else "cutoff" if self.cut_off else "failure"

    def __str__(self) -> str:
        if not self.path:
            return f"no path ({self.outcome}), {len(self.expanded):,} expanded"
        assert self.cost is not None
        found = f"path {' '.join(self.path)}, cost {format_number(self.cost)}"
        return f"{found}, {len(self.expanded):,} expanded"

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """In a notebook: the run to step through, or its last picture."""
        from threefold.textbook.path_picture import PathSlides

        return PathSlides(self).mime_bundle(str(self), **asked)

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
        if self.procedure == "depth-limited":
            answer |= {"limit": self.limits[0], "outcome": self.outcome}
        elif self.limits:
            answer |= {"limits": self.limits, "iterations": len(self.limits)}
        if self.directions:
            answer |= {"directions": self.directions, "met": self.met}
        if len(self.fringes) < len(self.expanded):
            answer["fringes_left_out"] = len(self.expanded) - len(self.fringes)
        return answer


def steps_of(events: Iterable[Event]) -> list[list[Event]]:
    """The events by step: an expansion with what leads to it and what follows, or the end."""
    steps: list[list[Event]] = []
    begun = False
    for event in events:
        if event.kind == "fail" or not steps or (begun and event.kind in {"iterate", "expand"}):
            steps.append([])
            begun = False
        steps[-1].append(event)
        begun = begun or event.kind == "expand"
    return steps


class PathTrace:
    """Records the steps of one run."""

    def __init__(self, procedure: str, most_expansions: int, most_entries: int) -> None:
        self._procedure = procedure
        self._most_expansions = min(most_expansions, most_events())
        self._room = most_entries
        self._events: list[Event] = []
        self._expanded: list[str] = []
        self._fringes: list[list[Waiting]] = []
        self._more: dict[str, Any] = {}

    def _note(self, kind: str, state: str, **data: Any) -> None:
        if len(self._events) < MAX_EVENTS:
            # The line of the procedure: this is called by a method, and that by the procedure.
            self._events.append(Event(kind, state, data, sys._getframe(2).f_lineno))

    def iterate(self, bound: Number, *, steps: bool = False) -> None:
        """A depth-first search begins, up to this f, or up to this many `steps`."""
        self._more.setdefault("limits" if steps else "bounds", []).append(bound)
        self._note("iterate", "", bound=bound, steps=steps)

    def start(self, state: str, priority: Number, direction: str = FORWARD) -> None:
        """The root of a search tree enters the fringe."""
        self._note("start", state, g=0, priority=priority, direction=direction)

    def expand(self, state: str, direction: str = "") -> None:
        """A state is removed from the fringe."""
        if len(self._expanded) >= self._most_expansions:
            raise ThreefoldError(
                f"{self._procedure} expands more than {self._most_expansions:,} nodes; try a "
                "smaller problem or another procedure"
            )
        if len(self._expanded) % STEPS_A_LOOK == 0:
            check_time()
        self._expanded.append(state)
        if direction:
            self._more.setdefault("directions", []).append(direction)
        self._note("expand", state, direction=direction or FORWARD)

    def generate(self, state: str, g: Number, priority: Number, why: str = "new") -> None:
        """A successor enters the fringe; `g` is the cost of its path, or its number of steps."""
        self._note("generate", state, g=g, priority=priority, why=why)

    def skip(self, state: str, why: str, priority: Number | None = None) -> None:
        """A successor does not enter the fringe."""
        self._note("skip", state, why=why, priority=priority)

    def wait(self, fringe: Iterable[Waiting]) -> None:
        """What is in the fringe after an expansion."""
        if self._room > 0:
            waiting = sorted(fringe, key=lambda entry: (entry[1], entry[0]))
            self._fringes.append(waiting)
            self._room -= len(waiting) + 1

    def goal(self, state: str) -> None:
        """The goal is found."""
        self._note("goal", state)
        self.wait([])

    def meet(self, state: str) -> None:
        """The two searches have met at a state."""
        self._more["met"] = state
        self._note("meet", state)
        self.wait([])

    def fail(self, *, cut_off: bool = False) -> None:
        """Nothing is left to expand; whether something lay beyond the limit."""
        self._more["cut_off"] = cut_off
        self._note("fail", "", cut_off=cut_off)

    def result(self, path: list[str], problem: Problem, code: Callable[..., Any]) -> PathResult:
        """The result, with the path; it is empty if none was found."""
        cost: Number | None = None
        if path:
            # Summed along the path, because a bidirectional search keeps no costs.
            successors = problem.successors
            cost = sum(dict(successors(one))[other] for one, other in pairwise(path))
        return PathResult(
            self._procedure,
            path,
            cost,
            self._expanded,
            self._fringes,
            events=self._events,
            problem=problem,
            code=code,
            **self._more,
        )
