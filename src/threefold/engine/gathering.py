"""The template of simulations whose games are played elsewhere in batches.

The phases are those of `threefold.engine.uct`, but separated: many leaves are *gathered* together,
and are pending until games have been played from them. Then their values are backed up. If the game
is over at a leaf, or its value is proven, nothing has to be played.
"""

from typing import Any

from threefold.engine.listing import is_over
from threefold.engine.playing_out import Search, outcome
from threefold.engine.records import Boxed
from threefold.engine.uct import (
    ROOT,
    Index,
    Tree,
    back_up,
    count_value,
    descend,
    expand_root,
    is_solved,
    may_go_on,
    prove,
    visit_first,
    visits_with_pending,
)
from threefold.rules.bits import wrap
from threefold.rules.contract import state, words


def change_pending(leaf: Index, change: int, pending: Any, tree: Tree) -> None:
    """Add a simulation to those pending at all nodes from a leaf to the root, or remove it."""
    node = leaf
    pending[node] += change
    while node != ROOT:
        node = wrap(tree[node].parent)
        pending[node] += change


def gather(
    start: tuple[int, ...],
    most: int,
    leaves: Any,
    positions: Any,
    pending: Any,
    tree: Tree,
    boxed_search: Boxed[Search],
) -> int:
    """The entry: begin up to that many simulations; return how many leaves to play games from.

    The leaves are put into `leaves`, and their positions into the columns of `positions`.
    """
    root, search = state(start), boxed_search[0]
    expand_root(root, tree, search)
    n = 0
    for _ in range(most):
        if not may_go_on(tree, search):
            break
        s, node = descend(root, pending, None, tree, search)
        new = visits_with_pending(node, pending, tree) == 0
        if new:
            looked_up = visit_first(s, node, tree, search)
            if not looked_up and is_over(s, search.moves, search):
                prove(node, outcome(s, search), tree)
        search.nodes += 1
        if is_solved(node, tree):
            count_value(tree[node].low, search)
            back_up(tree[node].low, node, new, tree)
        else:
            change_pending(node, 1, pending, tree)
            leaves[n] = node
            fields = words(s)
            for i in range(len(fields)):
                positions[i, n] = fields[i]
            n += 1
    return n


def back_up_all(
    n: int, leaves: Any, values: Any, pending: Any, tree: Tree, search: Boxed[Search]
) -> None:
    """The entry: back up the values of games from that many leaves."""
    for i in range(n):
        change_pending(leaves[i], -1, pending, tree)
        count_value(values[i], search[0])
        back_up(values[i], leaves[i], True, tree)
