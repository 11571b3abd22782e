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


def put_pending(leaf: Index, change: int, pending: Any, tree: Tree) -> None:
    """Count a simulation among those pending at all nodes from a leaf to the root, or out."""
    node = leaf
    pending[node] += change
    while node != ROOT:
        node = wrap(tree[node].parent)
        pending[node] += change


def gather(
    start: tuple[int, ...],
    most: int,
    plies: int,
    exploration: float,
    row: Any,
    weight: Any,
    leaves: Any,
    positions: Any,
    pending: Any,
    seen: Seen,
    tree: Tree,
    control: Control,
) -> int:
    """The entry: begin so many simulations; from how many leaves games are to be played.

    They stand in `leaves`, and the positions there in the columns of `positions`.
    """
    root = state(start)
    plant(root, row, weight, tree, control)
    n = 0
    for _ in range(most):
        if not goes_on(tree, control):
            break
        s, node = descend(root, plies, exploration, row, weight, pending, seen, tree, control)
        new = begun(node, pending, tree) == 0
        if new:
            meet(s, node, tree)
            if is_over(s, row, control):
                prove(node, outcome(s, seen, control), tree)
        control[NODES] += 1
        if is_solved(node, tree):
            note(tree[node].low, seen)
            back_up(tree[node].low, node, new, tree)
        else:
            put_pending(node, 1, pending, tree)
            leaves[n] = node
            fields = words(s)
            for i in range(len(fields)):
                positions[i, n] = fields[i]
            n += 1
    return n


def settle(n: int, leaves: Any, values: Any, pending: Any, seen: Seen, tree: Tree) -> None:
    """The entry: back up what came of games from so many leaves."""
    for i in range(n):
        put_pending(leaves[i], -1, pending, tree)
        note(values[i], seen)
        back_up(values[i], leaves[i], True, tree)
