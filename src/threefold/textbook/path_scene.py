"""A path search at any step, rebuilt from its events: the search tree, the fringe, the path."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from threefold.textbook.path_trace import BACKWARD, FORWARD, PathResult, steps_of
from threefold.textbook.trace import STEPS_A_LOOK, Event, check_time
from threefold.textbook.tree import Number

#: Procedures whose fringe is a stack, and those whose fringe is a queue.
STACKS = {"depth-first", "depth-limited", "iterative-deepening-search", "ida-star"}
QUEUES = {"breadth-first", "bidirectional", "bidirectional-as-printed"}
#: Why a node of the tree was given up, in words.
WHY = {
    "closed": "expanded before",
    "worse": "no better path",
    "reached": "reached before",
    "path": "on the path",
    "bound": "beyond",
    "replaced": "replaced",
}


@dataclass
class TreeNode:
    """One node of the search tree: a state, and the path on which it was generated."""

    state: str
    parent: int | None
    priority: Number | None
    g: Number | None = None
    direction: str = FORWARD
    #: `waiting` in the fringe, `expanded`, or `dropped`.
    status: str = "waiting"
    #: Why it was dropped: one of `WHY`.
    why: str = ""
    #: It was expanded as the nth node of the whole run.
    order: int = 0


@dataclass
class PathScene:
    """What there is to see after a number of steps."""

    result: PathResult
    step: int = 0
    #: The search tree; a new iteration begins a new one.
    tree: list[TreeNode] = field(default_factory=list)
    #: The waiting nodes of the tree, in the order in which they were generated, and by state: on
    #: a stack there may be several of one, and the last is on top.
    fringe: dict[int, None] = field(default_factory=dict)
    _places: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    current: int | None = None
    iteration: int = 0
    bound: Number | None = None
    expansions: int = 0
    done: bool = False

    def waiting(self, direction: str = FORWARD) -> list[int]:
        """The fringe of one side, in the order in which its nodes would be removed."""
        fringe = [k for k in self.fringe if self.tree[k].direction == direction]
        if self.result.procedure in STACKS:
            return fringe[::-1]
        if self.result.procedure in QUEUES:
            return fringe
        return sorted(fringe, key=lambda k: (self.tree[k].priority, self.tree[k].state))

    @property
    def directions(self) -> tuple[str, ...]:
        """The sides that search."""
        return (FORWARD, BACKWARD) if self.result.directions else (FORWARD,)

    @property
    def path(self) -> list[str]:
        """The path, once it is found."""
        return self.result.path if self.done else []

    @property
    def path_nodes(self) -> list[int]:
        """The nodes of the tree along the path."""
        if not self.path:
            return []
        if self.result.met is None:
            return self._along(self.path, FORWARD)
        there = self.path.index(self.result.met) + 1
        back = self.path[: there - 2 : -1] if there > 1 else self.path[::-1]
        return self._along(self.path[:there], FORWARD) + self._along(back, BACKWARD)

    def _along(self, states: list[str], direction: str) -> list[int]:
        found: list[int] = []
        for state in states:
            above = found[-1] if found else None
            # The last one: A* may have reached a state below the same parent more than once.
            fits = [
                k
                for k, node in enumerate(self.tree)
                if node.state == state
                and node.parent == above
                and node.direction == direction
                and node.status != "dropped"
            ]
            if not fits:
                break
            found.append(fits[-1])
        return found

    def apply(self, step: Iterable[Event]) -> None:
        """Take one step."""
        self.step += 1
        for event in step:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        match event.kind:
            case "iterate":
                self.tree, self.fringe, self._places, self.current = [], {}, {}, None
                self.iteration += 1
                self.bound = event["bound"]
            case "start":
                self._add(event, None, event["direction"])
            case "expand":
                self._expand(event)
            case "generate":
                assert self.current is not None
                direction = self.tree[self.current].direction
                if event["why"] in {"better", "top"}:
                    old = self.tree[self._remove(event.node, direction)]
                    old.status, old.why = "dropped", "replaced"
                self._add(event, self.current, direction)
            case "skip":
                assert self.current is not None
                direction = self.tree[self.current].direction
                self.tree.append(
                    TreeNode(
                        event.node,
                        self.current,
                        event["priority"],
                        direction=direction,
                        status="dropped",
                        why=event["why"],
                    )
                )
            case "goal" | "meet" | "fail":
                self.done = True

    def _add(self, event: Event, parent: int | None, direction: str) -> None:
        self.fringe[len(self.tree)] = None
        self._places.setdefault((event.node, direction), []).append(len(self.tree))
        self.tree.append(TreeNode(event.node, parent, event["priority"], event["g"], direction))

    def _expand(self, event: Event) -> None:
        self.current = self._remove(event.node, event["direction"])
        self.expansions += 1
        node = self.tree[self.current]
        node.status, node.order = "expanded", self.expansions

    def _remove(self, state: str, direction: str) -> int:
        """Take the latest waiting node of a state out of the fringe."""
        place = self._places[state, direction].pop()
        del self.fringe[place]
        return place


def replay(result: PathResult) -> Iterator[PathScene]:
    """The scene after each step in turn: always the same object, changed in place."""
    now = PathScene(result)
    for step in steps_of(result.events):
        now.apply(step)
        if now.step % STEPS_A_LOOK == 0:
            check_time()
        yield now
