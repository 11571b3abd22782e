"""The template of tree search with a net: PUCT, whose leaves are judged many at a time.

The net proposes moves and judges positions, so no game is played out (Silver et al., 2018). A
simulation goes down the tree by the rule PUCT (Rosin, 2011): the value of a move so far, plus the
more the likelier the net thinks it is the best, and the less it was tried.

    value + exploration · prior · √(visits of the node) / (1 + visits of the move)

`gather` selects leaves and writes what the net sees of them; the net judges them all; `scatter`
gives each leaf its children and backs its value up. In between, a leaf that waits counts as a loss
for whoever chose it, so that the next simulation looks elsewhere.

Values are results: 1 for a win of MAX, 0 for a draw, -1. Proven ones are proven as in
`threefold.engine.uct`, whose bounds and back-up these are.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from threefold.engine.control import Control
from threefold.engine.listing import (
    BY_FEATURES,
    checked_utility,
    list_sufficient,
    stop_for,
)
from threefold.engine.memory import Words
from threefold.engine.records import WORD, Boxed, Half, Real, Word
from threefold.engine.uct import (
    NOTHING,
    ROOT,
    UNKNOWN,
    Index,
    back_up,
    is_solved,
    least_to,
    most_to,
    prove,
    visits_before_children,
)
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CLAIMABLE,
    HAS_BOUNDS,
    HAS_DRAWN,
    MAX_FEATURE_WORDS,
    MAX_MOVES,
    MAX_VALUE,
    MIN,
    bounds,
    drawn,
    features,
    player,
    result,
    state,
)


@dataclass(slots=True)
class Node:
    """A node of the tree; the first fields are those of `uct.Node`."""

    visits: Word = 0  # how many simulations went through here and have a value
    total: Real = 0.0  # the sum of their values to MAX
    low: Real = -1.0  # the least that the result can be
    high: Real = 1.0  # the greatest
    first: Half = 0  # the first child, 0 while there is none
    children: Half = 0  # how many there are, side by side
    mover: Half = 0  # the player to move
    plies: Half = -1  # if sure to be won: within how many plies; -1 if unknown
    move: Word = 0  # the move that leads here
    weight: Half = 0  # of nature's events, which are not searched
    parent: Half = 0  # the node that it leads here from
    stage: Half = 0  # whether the net has seen it: see below
    pending: Half = 0  # simulations through here that wait for a value
    prior: Real = 0.0  # how likely its move is the best, says the net
    value: Real = 0.0  # what the net says of the position, to MAX
    noise: Real = 0.0  # of Gumbel's distribution, for the moves of a root in self-play


#: The stages of a node: nobody was there; the net is asked; it has answered, or the end is known.
NEW: Final = 0
WAITING: Final = 1
KNOWN: Final = 2

Tree: TypeAlias = Any

#: What an untried move is worth less than its position, as long as most of the likely ones are.
LESS_WHEN_UNTRIED: Final = 0.2


@dataclass(slots=True, kw_only=True)
class Search(Control):
    """All that a search keeps besides its tree."""

    max_plies: Word  # a simulation goes no further
    exploration: Real  # how much the net's priors count
    tree_size: Word = 1  # how many nodes the tree has
    root_moves: Word  # how many moves of the root there are, in `moves` when it is visited
    moves: Annotated[Words, WORD, MAX_MOVES]
    shown: Annotated[Words, WORD, MAX_FEATURE_WORDS]


def sign(value: float) -> float:
    """The result that a utility stands for."""
    return 1.0 if value > 0 else -1.0 if value < 0 else 0.0


def mean_value(mover: int, node: Index, tree: Tree) -> float:
    """What a visited node seems worth to a player, within what is proven."""
    mean: float = tree[node].total / tree[node].visits
    mean = min(max(mean, tree[node].low), tree[node].high)
    return -mean if mover == MIN else mean


# Select.


def most_promising(node: Index, tree: Tree, search: Search) -> Index:
    """The child to go on with, by PUCT; none that cannot beat what the player is sure of."""
    mover, first = tree[node].mover, tree[node].first
    after = first + tree[node].children
    sure = least_to(mover, node, tree)
    tried = 0.0
    for child in range(first, after):
        if tree[child].visits > 0:
            tried += tree[child].prior
    visits = max(tree[node].visits + tree[node].pending, 1)
    reach = search.exploration * math.sqrt(visits)
    untried = tree[node].value if tree[node].visits == 0 else tree[node].total / tree[node].visits
    untried = (-untried if mover == MIN else untried) - LESS_WHEN_UNTRIED * math.sqrt(tried)
    chosen, best = wrap(NOTHING), -math.inf
    for child in range(first, after):
        if most_to(mover, child, tree) > sure:
            pending = tree[child].pending
            known = tree[child].visits
            value = untried
            if known > 0:
                value = (mean_value(mover, child, tree) * known - pending) / (known + pending)
            elif pending > 0:
                value = -1.0
            value += reach * tree[child].prior / (1 + known + pending)
            if value > best:
                chosen, best = child, value
    return chosen


def descend(s: Any, node: Index, depth: int, tree: Tree, search: Search) -> tuple[Any, Index]:
    """Go down from a node, whose position is `s`, to a leaf: its position, and the leaf."""
    while tree[node].first != NOTHING and tree[node].stage == KNOWN and depth < search.max_plies:
        if is_solved(node, tree):
            break
        node = most_promising(node, tree, search)
        s = result(s, int(tree[node].move))
        depth += 1
    search.longest = max(search.longest, depth)
    return s, node


# Expand.


def visit_first(s: Any, node: Index, tree: Tree, search: Search) -> bool:
    """Give a new leaf its children, without priors; whether the net has to be asked about it."""
    n = look_at(s, node, tree, search)
    if n > 0:
        add_children(node, n, tree, search)
    return n > 0


def visit_with_patience(s: Any, node: Index, tree: Tree, search: Search) -> bool:
    """The same, but where room runs out a leaf has no children until it is due."""
    n = look_at(s, node, tree, search)
    if n > 0 and is_due(node, tree, search):
        add_children(node, n, tree, search)
    return n > 0


def look_at(s: Any, node: Index, tree: Tree, search: Search) -> int:
    """List the moves of a leaf: how many, or 0 if its result is known without the net.

    The root gets the moves that it was given; elsewhere a sufficient set is enough.
    """
    tree[node].mover = player(s)
    n = wrap(0)
    if HAS_DRAWN and node != ROOT and drawn(s) >= CLAIMABLE:
        prove(node, 0.0, tree)
    else:
        if node == ROOT:
            n = wrap(search.root_moves)
        else:
            n = list_sufficient(s, search.moves, search)
        if n == 0:
            prove(node, sign(checked_utility(s, MAX_VALUE, search)), tree)
    if n > 0 and HAS_BOUNDS:
        low, high = bounds(s)
        tree[node].low = max(tree[node].low, sign(low))
        tree[node].high = min(tree[node].high, sign(high))
        if is_solved(node, tree) and node != ROOT:
            n = wrap(0)
    tree[node].stage = WAITING if n > 0 else KNOWN
    return n


def is_due(node: Index, tree: Tree, search: Search) -> bool:
    """Whether a leaf is visited often enough to have children, and there is room for them."""
    room, used = len(tree), search.tree_size
    if used + len(search.moves) > room:
        return False
    return bool(tree[node].visits + 1 >= visits_before_children(room, used))


def lacks_children(node: Index, tree: Tree) -> bool:
    """Whether a leaf has to be expanded before a search can go on below it."""
    known = tree[node].stage == KNOWN and tree[node].first == NOTHING
    return known and not is_solved(node, tree)


def add_children(node: Index, n: int, tree: Tree, search: Search) -> None:
    """Add the `n` moves listed, as long as there is room in the tree."""
    first = search.tree_size
    if first + n > len(tree):
        return
    for i in range(n):
        child = first + i
        tree[child].move = search.moves[i]
        tree[child].parent = node
        tree[child].visits = 0
        tree[child].total = 0.0
        tree[child].low = tree[node].low
        tree[child].high = tree[node].high
        tree[child].first = NOTHING
        tree[child].children = 0
        tree[child].plies = UNKNOWN
        tree[child].stage = NEW
        tree[child].pending = 0
    search.tree_size = first + n
    tree[node].children = n
    tree[node].first = first


def start_tree(tree: Tree, search: Search) -> None:
    """A tree with nothing but its root."""
    tree[ROOT].visits = 0
    tree[ROOT].total = 0.0
    tree[ROOT].low = -1.0
    tree[ROOT].high = 1.0
    tree[ROOT].first = NOTHING
    tree[ROOT].children = 0
    tree[ROOT].plies = UNKNOWN
    tree[ROOT].stage = NEW
    tree[ROOT].pending = 0
    search.tree_size = 1


def show(s: Any, row: Any, search: Search) -> None:
    """Write what the net sees of a position into a row, which is as long as it should be."""
    n = features(s, player(s), search.shown)
    if n != len(row):
        stop_for(BY_FEATURES, n, search)
        return
    for i in range(n):
        row[i] = search.shown[i]


def answer(node: Index, logits: Any, value: float, tree: Tree) -> None:
    """What the net says of a node: a logit for each move, and the value to the player to move.

    Moves beyond the logits begin at the first one again.
    """
    first = tree[node].first
    after = first + tree[node].children
    greatest = -math.inf
    for child in range(first, after):
        tree[child].prior = float(logits[tree[child].move % len(logits)])
        greatest = max(greatest, tree[child].prior)
    total = 0.0
    for child in range(first, after):
        tree[child].prior = math.exp(tree[child].prior - greatest)
        total += tree[child].prior
    for child in range(first, after):
        tree[child].prior /= total
    worth = -float(value) if tree[node].mover == MIN else float(value)
    tree[node].value = min(max(worth, tree[node].low), tree[node].high)
    tree[node].stage = KNOWN


# Back up.


def count_pending(node: Index, more: int, tree: Tree) -> None:
    """Note that a simulation waits at a node, or does so no longer."""
    while True:
        tree[node].pending += more
        if node == ROOT:
            return
        node = wrap(tree[node].parent)


def settle(node: Index, news: bool, tree: Tree, search: Search) -> None:
    """Back the value of a leaf up that needs no net any more."""
    value = tree[node].low if is_solved(node, tree) else tree[node].value
    back_up(value, node, news, tree)
    search.nodes += 1


# A tree for one position.


def gather(
    words: tuple[int, ...], rows: Any, leaves: Any, tree: Tree, boxed_search: Boxed[Search]
) -> int:
    """The entry: choose leaves for the net to judge, and write what it sees; how many there are.

    No more than there are rows, and none once a limit is reached or the value is proven. What is
    known without the net is backed up right away.
    """
    search = boxed_search[0]
    count = 0
    while count < len(rows) and search.stop == 0 and search.nodes + count < search.node_limit:
        if is_solved(wrap(ROOT), tree):
            break
        s, node = descend(state(words), wrap(ROOT), wrap(0), tree, search)
        if tree[node].stage == WAITING:
            break
        new = tree[node].stage == NEW
        if lacks_children(node, tree):
            new = is_due(node, tree, search)  # the net is asked again, for the priors
        if new and visit_with_patience(s, node, tree, search):
            show(s, rows[count], search)
            leaves[count] = node
            count_pending(node, wrap(1), tree)
            count += 1
        else:
            settle(node, new, tree, search)
    return count


def scatter(
    count: int, leaves: Any, logits: Any, values: Any, tree: Tree, boxed_search: Boxed[Search]
) -> None:
    """The entry: give the leaves that were gathered what the net says of them."""
    search = boxed_search[0]
    for i in range(count):
        node = wrap(leaves[i])
        answer(node, logits[i], values[i], tree)
        count_pending(node, wrap(-1), tree)
        settle(node, True, tree, search)
