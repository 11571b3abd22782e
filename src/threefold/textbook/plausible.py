"""A plausible-move generator: MOVEGEN that lists only the moves that look best.

The lecture's MOVEGEN is one. With k moves at each of d plies, b^d leaves become k^d. But a move
that looks bad and is good, such as a sacrifice, is never examined: unlike alpha-beta's cuts, these
can change the answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from threefold.errors import ThreefoldError, argument
from threefold.rules import contract
from threefold.rules.contract import CHANCE, MAX
from threefold.textbook.gametree import GameNode
from threefold.textbook.trace import NoValue
from threefold.textbook.tree import Node, Number, Value

#: How good each of a node's moves looks to the player who makes it, in the order of its children.
Looks = Callable[[Node], Sequence[Number]]


def by_evaluation(node: Node) -> list[Number]:
    """STATIC of each successor, for the player to move."""
    found: list[Number] = []
    for child in node.children:
        if not isinstance(child.value, int | Fraction):
            raise NoValue(
                child,
                f"node {child.name} has no static value, so it cannot be compared with its "
                f"siblings; write {child.name}:VALUE",
            )
        found.append(child.value if node.player == MAX else -child.value)
    return found


def by_order(node: Node) -> list[Number]:
    """The game's own first guess, its `order`."""
    assert isinstance(node, GameNode)
    return node.order()


LOOKS: dict[str, Looks] = {"eval": by_evaluation, "order": by_order}


@dataclass(frozen=True)
class Plausible:
    """How many moves to generate at each node, and what they are chosen by."""

    keep: int
    by: str = "eval"

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise ThreefoldError(f"{argument('plausible', self.keep)}: keep at least one move")
        if self.by not in LOOKS:
            raise ThreefoldError(f"{argument('plausible_by', self.by)} is neither eval nor order")

    def __call__(self, root: Node) -> Node:
        """The same tree with only the plausible moves."""
        if self.by == "order":
            if not isinstance(root, GameNode):
                raise ThreefoldError(
                    f"{argument('plausible_by', 'order')} needs a game's own tree: a written or "
                    "reordered one has no first guess; use eval"
                )
            if root.game.order is contract.order:
                raise ThreefoldError(
                    f"{argument('plausible_by', 'order')}: {root.game.name} has no first guess at "
                    "how good a move is; use eval"
                )
        return _PlausibleNode(root, self)


class _PlausibleNode(Node):
    """A node with only its most plausible children, in their old order; ties go to the first."""

    def __init__(self, node: Node, generator: Plausible) -> None:
        self._node = node
        self._generator = generator
        self.name = node.name
        self.player = node.player
        self.noisy = node.noisy
        self.weights = node.weights

    @property
    def value(self) -> Value | None:  # type: ignore[override]
        """The node's own."""
        return self._node.value

    @property
    def quiet(self) -> bool:  # type: ignore[override]
        """The node's own."""
        return self._node.quiet

    @property
    def moves(self) -> Sequence[Node]:
        """Every child, plausible or not."""
        return self._node.children

    @cached_property
    def children(self) -> Sequence[Node]:  # type: ignore[override]
        """Those that MOVEGEN generates."""
        every = range(len(self._node.children))
        if self.player != CHANCE and len(every) > self._generator.keep:
            looks = LOOKS[self._generator.by](self._node)
            best = sorted(every, key=lambda i: -looks[i])[: self._generator.keep]
            every = sorted(best)  # type: ignore[assignment]
        return [_PlausibleNode(self._node.children[i], self._generator) for i in every]
