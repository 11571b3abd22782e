"""The same tree with its children in another order, to see how ordering affects alpha-beta."""

import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeVar

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, MAX
from threefold.rules.text import did_you_mean
from threefold.textbook.deepening import iterative_deepening
from threefold.textbook.minimax import stops
from threefold.textbook.trace import Bound, NoValue, Trace, check_time
from threefold.textbook.tree import Node, Number, opponent, simplest

T = TypeVar("T")

ORDERS = ("given", "best-first", "worst-first", "random", "iterative-deepening")
#: The largest tree to reorder; all of it is held in memory.
MAX_NODES = 200_000


def reorder(root: Node, order: str, depth: int | None = None, seed: int = 0) -> Node:
    """A copy of a tree, down to a depth, with the children of each node in another order.

    `best-first` puts each player's best move first, by its true value. No program knows that in
    advance, and no ordering does better. `iterative-deepening` uses what searches to all smaller
    depths found, as real programs do.
    """
    if order not in ORDERS:
        raise ThreefoldError(f"there is no order {order!r}: {did_you_mean(order, ORDERS)}")
    if order == "given":
        return root
    tree = grow(root, depth)
    if order == "random":
        rng = random.Random(seed)
        for node in _nodes(tree):
            if node.player != CHANCE:
                node.children = rng.sample(list(node.children), len(node.children))
    elif order == "iterative-deepening":
        _check_single_values(tree)
        _sort_by(tree, _values_one_ply_shallower(tree))
    else:
        _sort(tree, best_first=order == "best-first")
    return tree


def grow(root: Node, depth: int | None = None) -> Node:
    """A copy of a tree down to a depth, every child generated."""
    top = _copy(root)
    layer, plies, nodes = [(root, top)], 0, 1
    while layer:
        below = []
        for node, twin in layer:
            check_time()
            if stops(node, plies, depth):
                continue
            pairs = [(child, _copy(child)) for child in node.children]
            twin.children = [child_twin for _, child_twin in pairs]
            twin.weights = node.weights
            below += pairs
            nodes += len(pairs)
            if nodes > MAX_NODES:
                raise ThreefoldError(
                    f"the tree has more than {MAX_NODES:,} nodes; reduce the depth"
                )
        layer, plies = below, plies + 1
    return top


def uniform(branching: int, depth: int, seed: int, low: int = -99, high: int = 99) -> Node:
    """A random tree in which every inner node has `branching` children and every leaf is as deep.

    An inner node's static value is the mean of its children's: a guess, often wrong.
    """
    if branching < 1 or depth < 0 or branching**depth > MAX_NODES:
        raise ThreefoldError(
            f"no tree of branching {branching} and depth {depth}: use at least 1 and 0, and at "
            f"most {MAX_NODES:,} leaves"
        )
    rng = random.Random(seed)

    def joined(family: Sequence[Node]) -> Node:
        mean = sum(child.value for child in family) / branching  # type: ignore[misc]
        return Node("", MAX, round(mean), children=family)

    leaves = (Node("", MAX, rng.randint(low, high)) for _ in range(branching**depth))
    top = nested(branching, depth, leaves, joined)
    top.name = "A"
    for node in _nodes(top):
        for i, child in enumerate(node.children):
            child.name = f"{node.name}{chr(ord('a') + i) if branching <= 26 else f'.{i + 1}'}"
            child.player = opponent(node.player)
    return top


def uniform_text(branching: int, depth: int, leaves: Iterable[int]) -> str:
    """The text of a uniform tree with these leaves, from left to right."""
    return nested(branching, depth, map(str, leaves), lambda family: f"({' '.join(family)})")


def nested(
    branching: int, depth: int, leaves: Iterable[T], joined: Callable[[Sequence[T]], T]
) -> T:
    """The root of a uniform tree: `joined` makes a node from its children, level by level."""
    layer = list(leaves)
    for _ in range(depth):
        layer = [joined(layer[i : i + branching]) for i in range(0, len(layer), branching)]
    (root,) = layer
    return root


def shape(root: Node, depth: int | None = None) -> tuple[int, int] | None:
    """The branching factor and depth of a tree that is uniform down to a depth, or None."""
    layer, plies, branching = [root], 0, 0
    while plies != depth and any(node.children for node in layer):
        counts = {len(node.children) for node in layer}
        if len(counts) != 1 or (branching and counts != {branching}):
            return None
        branching = counts.pop()
        layer = [child for node in layer for child in node.children]
        plies += 1
    return branching, plies


def _copy(node: Node) -> Node:
    return Node(
        node.name,
        node.player,
        node.value,
        node.quiet,
        node.noisy,
        sides=node.sides,
        count=node.count,
    )


def _nodes(root: Node) -> list[Node]:
    """Every node, parents before children."""
    found = [root]
    for node in found:
        found.extend(node.children)
    return found


def _values_one_ply_shallower(root: Node) -> dict[str, Bound]:
    """Each child's last value in iterative deepening to one ply less than the tree's depth."""
    height = -1
    layer = [root]
    while layer:
        height += 1
        layer = [child for node in layer for child in node.children]
    trace = Trace()
    if height > 1:
        iterative_deepening(root, trace, depth=height - 1)
    return {event["child"]: event["value"] for event in trace.events if event.kind == "child"}


def _check_single_values(root: Node) -> None:
    """Raise where a leaf has a payoff for each player: whose order should it be?"""
    for node in _nodes(root):
        if isinstance(node.value, tuple):
            raise NoValue(
                node, f"node {node.name} has no single value, so it cannot be put in order"
            )


def _sort_by(root: Node, worth: dict[str, Bound]) -> None:
    """Best first by values that may be missing; nodes without one come last."""
    for node in _nodes(root):
        if node.player == CHANCE:
            continue
        sign = -1 if node.player == MAX else 1
        node.children = sorted(
            node.children,
            key=lambda child, sign=sign: (child.name not in worth, sign * worth.get(child.name, 0)),  # type: ignore[misc]
        )


def _sort(root: Node, *, best_first: bool) -> None:
    """Put children in order of their true values, from the leaves up."""
    worth: dict[str, Number] = {}
    for node in reversed(_nodes(root)):
        if not node.children:
            if not isinstance(node.value, int | Fraction):
                raise NoValue(
                    node, f"node {node.name} has no single value, so it cannot be put in order"
                )
            worth[node.name] = node.value
        elif node.player == CHANCE:
            pairs = zip(node.weights, node.children, strict=True)
            worth[node.name] = simplest(sum((w * worth[c.name] for w, c in pairs), Fraction(0)))
        else:
            descending = best_first == (node.player == MAX)
            node.children = sorted(
                node.children, key=lambda child: worth[child.name], reverse=descending
            )
            choose = max if node.player == MAX else min
            worth[node.name] = choose(worth[child.name] for child in node.children)
