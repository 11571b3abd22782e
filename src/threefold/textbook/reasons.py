"""Why a run came out as it did, read from its events, so that marks can explain themselves."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from threefold.textbook.narration import narrate
from threefold.textbook.replay import show
from threefold.textbook.trace import Event
from threefold.textbook.tree import Node, format_number


class Reasons:
    """Why a node has its value, and why it was cut or not."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.procedure = str(events[0]["procedure"])
        self.values: dict[str, Any] = {}
        self.parent: dict[str, str] = {}
        #: By node: the children that returned, with their values.
        self.returned: dict[str, list[tuple[str, Any]]] = {}
        #: When a node was entered and left, and when a cutoff ended it.
        self.entered: dict[str, int] = {}
        self.left: dict[str, int] = {}
        self.stopped: dict[str, int] = {}
        self._events = events
        for index, event in enumerate(events):
            if event.kind == "enter":
                self.entered[event.node] = index
            elif event.kind == "expand":
                self.parent.update(dict.fromkeys(event["children"], event.node))
            elif event.kind == "child":
                self.returned.setdefault(event.node, []).append((event["child"], event["value"]))
            elif event.kind == "cutoff":
                self.stopped[event.node] = index
            elif event.kind in {"leave", "leaf"}:
                self.values[event.node], self.left[event.node] = event["value"], index

    @cached_property
    def _sentences(self) -> Sequence[str]:
        return narrate(self._events)

    def when_cut(self, node: str) -> int:
        """The index of the event that pruned a node."""
        return self.stopped[self.parent[node]]

    def why_cut(self, node: str) -> str:
        """Why a pruned node is never visited."""
        parent = self.parent[node]
        sentence = self._sentences[self.when_cut(node)]
        return f"after {self.returned[parent][-1][0]}, {sentence.rpartition(': ')[0]}"

    def why_entered(self, node: str) -> str:
        """Why a node is visited."""
        parent, window = self.parent.get(node), self._events[self.entered[node]].data
        if parent is None:
            return "the search begins there"
        if "alpha" not in window:
            return f"{self.procedure} looks at every node"
        if self.returned[parent][0][0] == node:
            return f"nothing is known about {parent} before its first child has been looked at"
        alpha, beta = show(window["alpha"]), show(window["beta"])
        if alpha == beta:
            return f"when its turn comes, α = β = {alpha}, and here equality does not cut"
        return f"when its turn comes, α = {alpha} is less than β = {beta}, so it may matter"

    def why_value(self, node: str) -> str:
        """Where a node's value comes from."""
        if node not in self.returned:
            return "it is a leaf, and its value is given in the tree"
        player = self._events[self.entered[node]]["player"]
        listed = ", ".join(f"{child} {show(value)}" for child, value in self.returned[node])
        extreme, best = ("highest", max) if player == "MAX" else ("lowest", min)
        why = f"{player} takes the {extreme} of {listed}"
        if best(value for _, value in self.returned[node]) != self.values[node]:
            why += ", but a value outside the window is returned as the bound"
        return why + (", then the rest is cut" if node in self.stopped else "")


def named(node: Node) -> str:
    """A tree of plain numbers as text, with every node's name."""
    value = f":{format_number(node.value)}" if isinstance(node.value, int | Fraction) else ""
    below = f"({' '.join(named(child) for child in node.children)})" if node.children else ""
    return f"{node.name}{value}{below}"
