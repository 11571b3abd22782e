"""What a procedure reports while it runs. Drawings, narration and statistics read nothing else.

| event | at a node |
| --- | --- |
| `start` | which procedure runs, and the tree's text if it has one |
| `enter` | the search visits it, with its window (alpha, beta) if the procedure has one |
| `expand` | its children; `implausible`: those that MOVEGEN left out; `counts`: symmetric moves |
| `leaf` | its own value is used: it is terminal, or the search stops there |
| `child` | a child has returned its value |
| `bound` | its alpha or beta changed |
| `cutoff` | the rest of its children are pruned, and why |
| `late-cutoff` | the same after its last child, when nothing is left to prune |
| `leave` | its value and the chosen child |
| `deepen`, `extend`, `stand-pat`, `search-again`, | used by single procedures |
| `guess`, `meet`, `probe`, `proof`, `settled` | likewise |
| `round`, `select`, `draw`, `stop`, `grow`, | Monte Carlo tree search: a round begins, its |
| `playout`, `back-up` | selection, expansion, simulation and back-up |
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from types import FrameType
from typing import Any, TypeAlias

from threefold.errors import ThreefoldError, argument
from threefold.rules.contract import CHANCE, MAX, MIN
from threefold.textbook.listing import Listing
from threefold.textbook.tree import Node, Number, Value

INFINITY = float("inf")
#: A value, or a bound that may be infinite.
Bound: TypeAlias = Number | float
#: A line of play: the next node and the line below it.
Line: TypeAlias = "tuple[Node, Line] | None"

#: More than anyone reads, and still small enough for memory.
MAX_EVENTS = 2_000_000

_most_events = ContextVar("most_events", default=MAX_EVENTS)
_deadline = ContextVar("deadline", default=INFINITY)
#: Returns whether the run should be abandoned.
_given_up: ContextVar[Callable[[], bool]] = ContextVar("given_up", default=lambda: False)
#: Reading the clock takes time, so it is read only once per this many steps.
STEPS_A_LOOK = 64


@contextmanager
def at_most(events: int, seconds: float = INFINITY) -> Iterator[None]:
    """Within the block, a run that exceeds these steps or this time is abandoned.

    An enclosing block's limits still apply.
    """
    deadline = min(_deadline.get(), time.monotonic() + seconds)
    tokens = _most_events.set(min(_most_events.get(), events)), _deadline.set(deadline)
    try:
        yield
    finally:
        _most_events.reset(tokens[0])
        _deadline.reset(tokens[1])


@contextmanager
def unless(given_up: Callable[[], bool]) -> Iterator[None]:
    """Within the block, a run is abandoned soon after `given_up()` becomes true."""
    token = _given_up.set(given_up)
    try:
        yield
    finally:
        _given_up.reset(token)


def most_events() -> int:
    """How many steps a run may take here."""
    return _most_events.get()


def check_time() -> None:
    """Raise if time is up or the run has been abandoned."""
    if _given_up.get()():
        raise ThreefoldError("stopped")
    if time.monotonic() > _deadline.get():
        raise ThreefoldError("that takes too long here; try a smaller depth or problem")


PLAYER_NAMES = {MAX: "MAX", MIN: "MIN", CHANCE: "CHANCE"}


class NoValue(ThreefoldError):
    """A procedure needs the value of a node that has none."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node


@dataclass(frozen=True)
class Event:
    """One step of a procedure."""

    kind: str
    node: str
    data: dict[str, Any] = field(default_factory=dict)
    #: The line of the procedure's source that reported it.
    line: int | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def to_json(self) -> dict[str, Any]:
        """The event as JSON types; an infinite bound is null."""
        data: dict[str, Any] = plain(self.data)
        return {"kind": self.kind, "node": self.node} | data


def plain(value: Any) -> Any:
    """A value as JSON types."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, float) and value in (INFINITY, -INFINITY):
        return None
    return value


@dataclass
class _Frame:
    """A node that has been entered and not yet left."""

    node: str
    bounds: dict[str, Bound] = field(default_factory=dict)
    #: How many of its children have not returned yet.
    left: int = 0


class Trace:
    """The events of one run, in order."""

    def __init__(
        self,
        procedure: str = "",
        *,
        chance: bool = True,
        payoffs: bool = True,
        listing: Listing | None = None,
    ) -> None:
        self.events: list[Event] = []
        self._listing = listing
        self._procedure = procedure
        self._chance = chance
        self._payoffs = payoffs
        self._path: list[_Frame] = []

    def note(self, kind: str, node: str, **data: Any) -> None:
        """Record any event."""
        if len(self.events) >= _most_events.get():
            fewer = "simulations" if self._procedure == "mcts" else "depth"
            raise ThreefoldError(
                f"the search takes more than {_most_events.get():,} steps; reduce the {fewer} "
                f"({argument(fewer)})"
            )
        if len(self.events) % STEPS_A_LOOK == 0:
            check_time()
        self.events.append(Event(kind, node, data, self._line()))

    def _line(self) -> int | None:
        """The line of the procedure that is being executed."""
        if self._listing is None:
            return None
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if self._listing.covers(frame.f_code.co_filename, frame.f_lineno):
                return frame.f_lineno
            frame = frame.f_back
        return None

    def enter(
        self,
        node: Node,
        alpha: Bound | None = None,
        beta: Bound | None = None,
        player: str | None = None,
    ) -> None:
        """The search visits a node."""
        if node.player == CHANCE and not self._chance:
            raise ThreefoldError(
                f"node {node.name} is a chance node, which {self._procedure} does not support; use "
                "expectiminimax, star1, star2 or mcts"
            )
        window = {} if alpha is None else {"alpha": alpha, "beta": beta}
        self._path.append(_Frame(node.name))
        if player is None and node.player not in PLAYER_NAMES:
            raise ThreefoldError(
                f"{self._procedure} is for two players, and at {node.name} a third is to move; use "
                "maxn or paranoid"
            )
        mover = player or PLAYER_NAMES[node.player]
        self.note("enter", node.name, player=mover, **window)

    def expand(self, node: Node) -> Sequence[Node]:
        """Generate the children of a node."""
        if self._path:
            self._path[-1].left = len(node.children)
        more: dict[str, Any] = {"weights": list(node.weights)} if node.weights else {}
        if len(node.children) < len(node.moves):
            generated = {child.name for child in node.children}
            more["implausible"] = [
                child.name for child in node.moves if child.name not in generated
            ]
        if any(child.count > 1 for child in node.moves):
            more["counts"] = [child.count for child in node.moves]
        self.note("expand", node.name, children=[child.name for child in node.moves], **more)
        return node.children

    def leaf(self, node: Node) -> Any:
        """Use a node's own value and leave the node."""
        value = self.worth(node)
        self.note("leaf", node.name, value=value)
        self._leave(node)
        return value

    def worth(self, node: Node) -> Any:
        """A node's own value, if it has one that the procedure can use."""
        if node.value is None:
            raise NoValue(
                node,
                f"node {node.name} has no value, but the search needs one there; write "
                f"{node.name}:VALUE",
            )
        if isinstance(node.value, tuple) and not self._payoffs:
            raise ThreefoldError(
                f"node {node.name} has a payoff for each player, but {self._procedure} needs one "
                "value; use maxn or paranoid"
            )
        return node.value

    def check_time(self) -> None:
        """Raise if time is up: for a long way without an event."""
        check_time()

    def child(self, node: Node, child: Node, value: Value | float) -> None:
        """A child has returned its value."""
        if self._path:
            self._path[-1].left -= 1
        self.note("child", node.name, child=child.name, value=value)

    def bound(self, node: Node, which: str, value: Bound) -> None:
        """A node's alpha or beta has changed to this value."""
        if self._path:
            self._path[-1].bounds[which] = value
        self.note("bound", node.name, which=which, value=value)

    def cutoff(self, node: Node, which: str, value: Bound, sign: str, bound: Bound) -> None:
        """The other children do not matter: `value sign bound`, where `which` names the bound.

        An alpha cutoff happens at a MIN node, against a choice that MAX already has above it. A
        beta cutoff is the reverse. After the last child there is nothing left to prune, so it is
        reported as a late cutoff, which changes nothing.
        """
        late = bool(self._path) and self._path[-1].left <= 0
        owners = (frame for frame in reversed(self._path) if frame.bounds.get(which) == bound)
        owner = next(owners, None)
        self.note(
            "late-cutoff" if late else "cutoff",
            node.name,
            which=which,
            value=value,
            sign=sign,
            bound=bound,
            against=owner.node if owner else None,
        )

    def leave(
        self,
        node: Node,
        value: Value | float,
        line: Line,
        sign: str = "",
        *,
        whole: bool = False,
    ) -> None:
        """The search leaves a node with its value and the chosen child.

        `sign` says what kind of value it is where the window does not show it: `=`, `≥` or `≤`. The
        `whole` line is reported where no node below leaves with a choice of its own.
        """
        known: dict[str, Any] = {"sign": sign} if sign else {}
        if whole:
            known["line"] = names(line)
        self.note("leave", node.name, value=value, choice=line[0].name if line else None, **known)
        self._leave(node)

    def restart(self) -> None:
        """Abandon the current search: the next node entered is the root again."""
        self._path.clear()

    def _leave(self, node: Node) -> None:
        if self._path and self._path[-1].node == node.name:
            self._path.pop()


def names(line: Line) -> list[str]:
    """The nodes of a line of play, by name."""
    found = []
    while line is not None:
        node, line = line
        found.append(node.name)
    return found


def visited(events: Sequence[Event]) -> list[str]:
    """Every entry in order, repeats included."""
    return [event.node for event in events if event.kind == "enter"]


def pruned(events: Sequence[Event]) -> list[str]:
    """The nodes skipped below a visited parent, in tree order.

    Nodes beyond a depth limit are never generated and do not count.
    """
    children: dict[str, list[str]] = {}
    for event in events:
        if event.kind == "expand":
            children[event.node] = event["children"]
    entered = set(visited(events))
    parents = {child: node for node, below in children.items() for child in below}
    return [
        node
        for node in _tree_order(events, children)
        if node not in entered and parents.get(node) in entered
    ]


def _tree_order(events: Sequence[Event], children: dict[str, list[str]]) -> Iterator[str]:
    waiting = [event.node for event in events[:1]]  # the run starts at the root
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children.get(node, [])))
