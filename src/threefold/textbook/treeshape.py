"""The tree of one run, as far as the run or the tree's text shows it.

A search that grows its tree, as Monte Carlo tree search does, shows of a game only what it grew.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from threefold.errors import ThreefoldError
from threefold.textbook.trace import PLAYER_NAMES, Event
from threefold.textbook.tree import Value, parse_tree, walk

#: As many nodes as a reader can follow in one picture.
MAX_DRAWN = 200
#: The other of two players.
OPPOSITE = {"MAX": "MIN", "MIN": "MAX"}
#: Procedures in which the player at the root makes every choice, whatever the tree's text says.
ONE_AGENT = {"single-agent"}
#: Procedures that grow a tree node by node: a node belongs to it from its first visit on.
GROWING = {"mcts"}


@dataclass
class Shape:
    """The tree of one run, as far as the run or the tree's text shows it."""

    root: str
    procedure: str = ""
    #: Whether the tree was given as text, so that all of it is known before the first step.
    written: bool = False
    children: dict[str, list[str]] = field(default_factory=dict)
    parent: dict[str, str] = field(default_factory=dict)
    player: dict[str, str] = field(default_factory=dict)
    #: The probability of a chance node's child.
    weight: dict[str, Fraction] = field(default_factory=dict)
    #: How many symmetric moves lead to a node, if more than one.
    count: dict[str, int] = field(default_factory=dict)
    #: The values that the text gives to its leaves.
    given: dict[str, Value] = field(default_factory=dict)
    leaves: set[str] = field(default_factory=set)

    def add(self, node: str, children: Sequence[str]) -> None:
        """Add children of a node; a node stays below the first parent it was seen under."""
        below = self.children.setdefault(node, [])
        for child in children:
            if child not in self.parent and child != self.root:
                self.parent[child] = node
                below.append(child)

    def walk(self) -> Iterator[str]:
        """Every node in tree order."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self.children.get(node, ())))

    def first_levels(self, limit: int = MAX_DRAWN) -> dict[str, int]:
        """The nodes that a picture shows, in tree order, each with how many it hides below it.

        All of them if they are few enough; otherwise whole families from the top, as many as fit.
        """
        below = dict.fromkeys(self.walk(), 0)
        for node in reversed(below):
            if node in self.parent:
                below[self.parent[node]] += 1 + below[node]
        shown = {self.root}
        layer = [self.root]
        full = False
        while layer and not full:
            next_layer: list[str] = []
            for node in layer:
                family = self.children.get(node, [])
                full = len(shown) + len(family) > limit
                if full:
                    shown.update(family[: limit - 1] if node == self.root else ())
                    break
                shown.update(family)
                next_layer += family
            layer = next_layer
        hidden = {node: below[node] for node in below if node in shown}
        for node in hidden:
            if node != self.root:
                hidden[self.parent[node]] -= 1 + below[node]
        return hidden


def shape_of(events: Sequence[Event]) -> Shape:
    """The tree of a run: from its text if it has one, else from what was expanded."""
    if not events:
        raise ThreefoldError("there are no events to draw: run a procedure first")
    shape = Shape(events[0].node, str(events[0].data.get("procedure") or "search"))
    text = events[0].data.get("tree") if events[0].kind == "start" else None
    if isinstance(text, str):
        shape.written = True
        for node in walk(parse_tree(text)):
            shape.player[node.name] = PLAYER_NAMES[node.player]
            shape.add(node.name, [child.name for child in node.children])
            for child, weight in zip(node.children, node.weights, strict=False):
                shape.weight[child.name] = weight
            if not node.children:
                shape.leaves.add(node.name)
                if node.value is not None:
                    shape.given[node.name] = node.value
    if any(_is_third(event.data.get("player")) for event in events if event.kind == "enter"):
        shape.player.clear()  # MAX and MIN do not alternate
    grown = {event.node for event in events if event.kind == "enter"}
    for event in events:
        if event.kind == "enter" and "player" in event.data:
            shape.player[event.node] = event["player"]
        elif event.kind == "expand":
            children = event.data.get("children", [])
            if shape.procedure in GROWING and not shape.written:
                children = [child for child in children if child in grown]
            shape.add(event.node, children)
            given = event.data.get("children", [])
            shape.weight.update(zip(given, event.data.get("weights", ()), strict=False))
            counts = zip(given, event.data.get("counts", ()), strict=False)
            shape.count.update((child, count) for child, count in counts if count > 1)
        elif _is_end(event) and not shape.children.get(event.node):
            shape.leaves.add(event.node)
    _guess_players(shape)
    return shape


def _is_end(event: Event) -> bool:
    """Whether the search does not go on below the node of an event."""
    return event.kind == "leaf" or (event.kind == "grow" and bool(event.data.get("ends")))


def _is_third(player: str | None) -> bool:
    """Whether a player is one of more than two, with a name of their own."""
    return player is not None and player not in PLAYER_NAMES.values()


def _guess_players(shape: Shape) -> None:
    """Fill in unreported players: of two, the opponent of the last player above; or the agent."""
    mover = {shape.root: shape.player.setdefault(shape.root, "MAX")}
    for node in shape.walk():
        if node == shape.root:
            continue
        if shape.procedure in ONE_AGENT:
            shape.player[node] = mover[node] = mover[shape.root]
            continue
        above = mover[shape.parent[node]]
        guess = "" if _is_third(above) else OPPOSITE.get(above, "MAX")
        player = shape.player.setdefault(node, guess)
        mover[node] = above if player == "CHANCE" else player


def short(shape: Shape, node: str) -> str:
    """A node's own name: in a game, its last move. A move may contain a `/` itself."""
    return node.removeprefix(f"{shape.parent.get(node, '')}/")


def named(node: str) -> str:
    """A node's name in a sentence."""
    return "the root" if node == "." else node
