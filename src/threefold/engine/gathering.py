"""The template of simulations whose games are played elsewhere, many at a time.

The phases are those of `threefold.engine.uct`, apart in time: leaves are *gathered*, so many at
once, and are pending until it is known what games from them came to; then that is backed up. Where
the game is over at a leaf, or its value proven, nothing has to be played.
"""

from typing import Any

from threefold.engine.control import NODES, Control
from threefold.engine.listing import is_over
from threefold.engine.uct import (
    ROOT,
    Index,
    Seen,
    Tree,
    back_up,
    begun,
    descend,
    goes_on,
    is_solved,
    meet,
    note,
    outcome,
    plant,
    prove,
)
from threefold.rules.bits import wrap
from threefold.rules.contract import state, words


def put_pending(leaf: Index, change: int, tree: Tree) -> None:
    """Count a simulation among those pending at all nodes from a leaf to the root, or out."""
    node = leaf
    tree[node].pending += change
    while node != ROOT:
        node = wrap(tree[node].parent)
        tree[node].pending += change


def gather(
    start: tuple[int, ...],
    most: int,
    plies: int,
    exploration: float,
    row: Any,
    weight: Any,
    nodes: Any,
    positions: Any,
    seen: Seen,
    tree: Tree,
    control: Control,
) -> int:
    """The entry: begin so many simulations; how many are pending.

    Their leaves stand in `nodes`, the positions there in the columns of `positions`.
    """
    root = state(start)
    plant(root, row, weight, tree, control)
    pending = 0
    for _ in range(most):
        if not goes_on(tree, control):
            break
        s, node = descend(root, plies, exploration, row, weight, seen, tree, control)
        new = begun(node, tree) == 0
        if new:
            meet(s, node, tree)
            if is_over(s, row, control):
                prove(node, outcome(s, seen, control), tree)
        control[NODES] += 1
        if is_solved(node, tree):
            note(tree[node].low, seen)
            back_up(tree[node].low, node, new, tree)
        else:
            put_pending(node, 1, tree)
            nodes[pending] = node
            fields = words(s)
            for i in range(len(fields)):
                positions[i, pending] = fields[i]
            pending += 1
    return pending


def settle(pending: int, nodes: Any, values: Any, seen: Seen, tree: Tree) -> None:
    """The entry: back up what came of so many pending simulations."""
    for i in range(pending):
        put_pending(nodes[i], -1, tree)
        note(values[i], seen)
        back_up(values[i], nodes[i], True, tree)
