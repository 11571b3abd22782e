"""The template of Monte Carlo tree search: UCT that also proves values.

A simulation has the four phases that every paper names (Browne et al., 2012): *select* a way down
the tree by upper confidence bounds, *expand* the leaf there, *play out* the game, and *back up* its
outcome. A leaf is expanded at its second visit, or later where memory runs out, so that the tree
holds few nodes that were never needed.

Besides its statistics a node has proven bounds on its value, as in score-bounded MCTS (Cazenave
and Saffidine, 2010), of which the MCTS-Solver (Winands et al., 2008) is the case of two outcomes:

    the game is over here     low = high = utility
    elsewhere                 the game's own `bounds`, at first
    MAX moves                 low = max(children's low)     high = max(children's high)
    MIN moves                 low = min(children's low)     high = min(children's high)
    nature moves              the means of both by the events' weights

A node is solved when the two meet. No simulation then goes below it, nor below a move that cannot
be better than what its player is sure of. All values are MAX's.
"""

import math
from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from threefold.engine.amaf import Amaf, Played, blended, stamp
from threefold.engine.endgames.knowledge import is_certain, probed
from threefold.engine.endgames.probing import NOT_FOUND
from threefold.engine.endgames.values import plies_to_end
from threefold.engine.listing import (
    list_outcomes,
    list_sufficient,
)
from threefold.engine.playing_out import (
    Search,
    known_utility,
    play_out,
    random_below,
    random_share,
)
from threefold.engine.records import Boxed, Half, Real, Word
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_DATABASE,
    HAS_MARGINS,
    HAS_OUTCOMES,
    MAX,
    MAX_VALUE,
    MIN,
    Player,
    bounds,
    player,
    result,
    state,
)


@dataclass(slots=True)
class Node:
    """A node of the tree; compiled, a record of the same fields, a cache line long."""

    visits: Word = 0  # how many simulations went through here
    total: Real = 0.0  # the sum of their values to MAX
    low: Real = -MAX_VALUE  # the least that the value can be
    high: Real = MAX_VALUE  # the greatest
    first: Half = 0  # the first child, 0 while there is none
    children: Half = 0  # how many there are, side by side
    mover: Half = 0  # the player to move, known from the first visit on
    plies: Half = -1  # if sure to be won: within how many plies; -1 if unknown
    move: Word = 0  # the move, or event of nature, that leads here
    weight: Half = 0  # that event's weight
    parent: Half = 0  # the node that it leads here from


#: A list when interpreted, an array when compiled; a node is identified by its index.
Tree: TypeAlias = MutableSequence[Node]
Index: TypeAlias = int

#: For each node, how many simulations through it have no value yet; None if each gets its value
#: before the next begins.
Pending: TypeAlias = MutableSequence[int] | None


ROOT: Final = 0
#: Stands for no child, since the root is never one.
NOTHING: Final = 0
UNKNOWN: Final = -1

#: The most visits of a leaf before it gets children.
MOST_PATIENCE: Final = 256

#: Where all simulations end nearly alike, exploration still assumes this share of their range.
LEAST_SPREAD: Final = 0.1


# The value of a node.


def is_solved(node: Index, tree: Tree) -> bool:
    """Whether the value is proven."""
    return tree[node].low >= tree[node].high


def least_to(mover: Player, node: Index, tree: Tree) -> float:
    """The least value that a node can have for a player."""
    return -tree[node].high if mover == MIN else tree[node].low


def most_to(mover: Player, node: Index, tree: Tree) -> float:
    """The greatest value that a node can have for a player."""
    return -tree[node].low if mover == MIN else tree[node].high


def visits_with_pending(node: Index, pending: Pending, tree: Tree) -> int:
    """How many simulations went through a node, including those that have no value yet."""
    if pending is None:
        return tree[node].visits
    return tree[node].visits + pending[node]


def mean_to(mover: Player, node: Index, tree: Tree) -> float:
    """The mean value of a visited node's simulations to a player."""
    mean = tree[node].total / tree[node].visits
    return -mean if mover == MIN else mean


def inherited_mean_to(mover: Player, node: Index, tree: Tree) -> float:
    """The mean value of a node, or of the nearest above it that has one."""
    while tree[node].visits == 0:
        if node == ROOT:
            return 0.0
        node = tree[node].parent
    return mean_to(mover, node, tree)


def spread(search: Search) -> float:
    """How widely the simulations differ, which scales exploration to the game's utilities.

    This is their standard deviation. If every game is won or lost it is near 1, as UCT assumes. If
    utilities are graded, their range would say little: the extremes hardly ever occur. As long as
    all results are the same, it is taken to be that of a win and a loss: some moves may have been
    unlucky, and have to be tried again.
    """
    simulations = max(search.simulations, 1.0)
    mean = search.sum_of_values / simulations
    deviation = math.sqrt(max(search.sum_of_squares / simulations - mean * mean, 0.0))
    most = (search.greatest - search.least) / 2 if search.least < search.greatest else 1.0
    return max(deviation, LEAST_SPREAD * most)


# Phase 1. Select.


def most_promising(
    node: Index,
    above: float,
    scale: float,
    pending: Pending,
    amaf: Amaf,
    tree: Tree,
    search: Search,
) -> Index:
    """The child with the greatest upper confidence bound, among those that may be worth more.

    A child that was never visited comes before the rest, unless all moves as first tell something
    about it. Pending simulations make the next ones look elsewhere, but say nothing about the value
    (Liu et al., 2020).
    """
    mover, first = tree[node].mover, tree[node].first
    reach = scale * math.sqrt(math.log(max(visits_with_pending(node, pending, tree), 1)))
    chosen, best = wrap(NOTHING), -math.inf
    for child in range(first, first + tree[node].children):
        if most_to(mover, child, tree) > above:
            visits = visits_with_pending(child, pending, tree)
            if amaf is not None:
                own = inherited_mean_to(mover, child, tree)
                value = blended(own, visits, mover, amaf[child], search.equivalence)
                bound = value + reach / math.sqrt(visits + 1)
            elif visits == 0:
                return child
            else:
                bound = inherited_mean_to(mover, child, tree) + reach / math.sqrt(visits)
            if bound > best:
                chosen, best = child, bound
    return chosen


def random_child(node: Index, tree: Tree, search: Search) -> Index:
    """What nature does: a child by the weights."""
    child, last = tree[node].first, tree[node].first + tree[node].children - 1
    total = 0
    for event in range(child, last + 1):
        total += tree[event].weight
    share = random_share(total, search)
    while child < last and share >= tree[child].weight:
        share -= tree[child].weight
        child += 1
    return child


def select(
    node: Index, scale: float, pending: Pending, amaf: Amaf, tree: Tree, search: Search
) -> Index:
    """The child to go on with: nature's by its weight, a player's the most promising one.

    Moves that cannot beat what the player is sure of are excluded. While there is an alternative,
    so are those that cannot beat the worst outcome seen so far, and all others once the best
    outcome is sure. Few games state their bounds, so only the outcomes seen show what a win is.
    """
    mover = tree[node].mover
    if HAS_OUTCOMES and mover == CHANCE:
        return random_child(node, tree, search)
    worst, best = search.least, search.greatest
    if mover == MIN:
        worst, best = -best, -worst
    sure = least_to(mover, node, tree)
    above = max(sure, worst)
    if above < best:
        child = most_promising(node, above, scale, pending, amaf, tree, search)
        if child != NOTHING:
            return child
    return most_promising(node, sure, scale, pending, amaf, tree, search)


# Phase 2. Expand.


def visit_first(s: Any, node: Index, tree: Tree, search: Search) -> bool:
    """Record the player to move at a node, and what the rules or a database say of its value.

    Returns whether the database knows all about it.
    """
    low, high = bounds(s)
    tree[node].mover = player(s)
    tree[node].low = max(tree[node].low, low)
    tree[node].high = min(tree[node].high, high)
    if HAS_DATABASE and node != ROOT:
        value = probed(s, search.database, search)
        if value != NOT_FOUND and is_certain(s, value):
            utility = known_utility(s, value, search)
            tree[node].low = utility
            tree[node].high = utility
            if not HAS_MARGINS and value != 0:
                tree[node].plies = plies_to_end(value)
            return True
    return False


def visits_before_children(room: int, used: int) -> int:
    """How often a leaf is visited before it gets children: more often as the room runs out.

    So a wide game fills its memory with what is visited most, not with what came first.
    """
    visits, left = 1, room - used
    while visits < MOST_PATIENCE and 2 * left < room:
        room >>= 1
        visits *= 4
    return visits


def expand(s: Any, node: Index, tree: Tree, search: Search) -> bool:
    """Give a leaf its children, in random order; False where the tree is full.

    What the rules say about the value of all play from here holds for the children too. The root
    gets the moves that it was given, so that each can be asked for. Elsewhere a sufficient set is
    enough: moves that are sure to include a best one.
    """
    by_chance = HAS_OUTCOMES and tree[node].mover == CHANCE
    if by_chance:
        n = list_outcomes(s, search.moves, search.weights, search)
    elif node == ROOT:
        n = search.root_moves
    else:
        n = list_sufficient(s, search.moves, search)
    first = search.tree_size
    if n == 0 or first + n > len(tree):
        return False
    for i in range(n):
        child = first + i
        if by_chance:
            tree[child].weight = search.weights[i]
        else:
            other = i + random_below(n - i, search)
            search.moves[i], search.moves[other] = search.moves[other], search.moves[i]
        tree[child].move = search.moves[i]
        tree[child].parent = node
        tree[child].visits = 0
        tree[child].total = 0.0
        tree[child].low = tree[node].low
        tree[child].high = tree[node].high
        tree[child].first = NOTHING
        tree[child].plies = UNKNOWN
    search.tree_size = first + n
    tree[node].children = n
    tree[node].first = first
    return True


# Phase 3. Play out: see `playing_out`.


def prove(node: Index, value: float, tree: Tree) -> None:
    """Record that the game is over at a node, with this value."""
    tree[node].low = value
    tree[node].high = value
    tree[node].plies = 0


# Phase 4. Back up.


def tighten(node: Index, tree: Tree) -> bool:
    """Derive a node's bounds from its children's; return whether anything changed."""
    mover, first = tree[node].mover, tree[node].first
    after = first + tree[node].children
    low, high = tree[first].low, tree[first].high
    if HAS_OUTCOMES and mover == CHANCE:
        weights, low, high = 0, 0.0, 0.0
        for child in range(first, after):
            weights += tree[child].weight
            low += tree[child].weight * tree[child].low
            high += tree[child].weight * tree[child].high
        low, high = low / weights, high / weights
    elif mover == MIN:
        for child in range(first, after):
            low, high = min(low, tree[child].low), min(high, tree[child].high)
    else:
        for child in range(first, after):
            low, high = max(low, tree[child].low), max(high, tree[child].high)
    narrower = low > tree[node].low or high < tree[node].high
    tree[node].low = max(low, tree[node].low)
    tree[node].high = min(high, tree[node].high)
    plies = plies_to_the_end(node, tree)
    if plies != tree[node].plies:
        tree[node].plies = plies
        return True
    return narrower


def plies_to_the_end(node: Index, tree: Tree) -> int:
    """Within how many plies a sure winner can end the game, as far as is known.

    The winner takes the quickest way to what is sure, the loser the slowest. No distance is known
    through nature's events.
    """
    mover, first = tree[node].mover, tree[node].first
    plies = wrap(UNKNOWN)
    if (HAS_OUTCOMES and mover == CHANCE) or (tree[node].low <= 0 and tree[node].high >= 0):
        return plies
    winner = MAX if tree[node].low > 0 else MIN
    sure = least_to(winner, node, tree)
    for child in range(first, first + tree[node].children):
        if least_to(winner, child, tree) == sure:
            through = tree[child].plies + 1
            if tree[child].plies == UNKNOWN:
                if mover != winner:
                    return wrap(UNKNOWN)
            elif plies == UNKNOWN or (through < plies) == (mover == winner):
                plies = through
    return plies


def count_value(value: float, search: Search) -> None:
    """Add the value of a simulation to the sums over all of them."""
    search.simulations += 1
    search.sum_of_values += value
    search.sum_of_squares += value * value


def back_up(value: float, leaf: Index, news: bool, tree: Tree) -> None:
    """Back a simulation's value up from a leaf to the root; `news` updates the bounds, too.

    A player who is sure of something better than the move that was tried would not play it; that
    better value counts instead, and so does a proven value.
    """
    node, child = leaf, wrap(NOTHING)
    while True:
        mover = tree[node].mover
        if child != NOTHING:
            news = news and tighten(node, tree)
            if not HAS_OUTCOMES or mover != CHANCE:
                sure = least_to(mover, node, tree)
                if sure > mean_to(mover, child, tree):
                    value = -sure if mover == MIN else sure
        if is_solved(node, tree):
            value = tree[node].low
        tree[node].visits += 1
        tree[node].total += value
        if node == ROOT:
            return
        child, node = node, wrap(tree[node].parent)


def back_up_moves(
    value: float, leaf: Index, played: MutableSequence[int], amaf: Any, tree: Tree, search: Search
) -> None:
    """Count a simulation for all children whose move was made in it, from a leaf to the root.

    On the way up, what was played from a node on grows by the move that led to it.
    """
    node = leaf
    while True:
        mover, first = tree[node].mover, tree[node].first
        for child in range(first, first + tree[node].children if first != NOTHING else first):
            if played[tree[child].move] == stamp(search.nodes, mover):
                amaf[child].visits += 1
                amaf[child].total += value
        if node == ROOT:
            return
        above = wrap(tree[node].parent)
        played[tree[node].move] = stamp(search.nodes, tree[above].mover)
        node = above


# The search.


def expand_root(s: Any, tree: Tree, search: Search) -> None:
    """Expand the root of a tree that has only its root."""
    if tree[ROOT].first == NOTHING:
        visit_first(s, wrap(ROOT), tree, search)
        expand(s, wrap(ROOT), tree, search)


def may_go_on(tree: Tree, search: Search) -> bool:
    """Whether to continue: no stop, no proof, and the limit not reached."""
    within = search.stop == 0 and search.nodes < search.node_limit
    return within and not is_solved(wrap(ROOT), tree)


def descend(s: Any, pending: Pending, amaf: Amaf, tree: Tree, search: Search) -> tuple[Any, Index]:
    """Go down from the root, whose position is `s`, to a leaf: its position, and the node."""
    scale = search.exploration * spread(search)
    node, depth = wrap(ROOT), 0
    while depth < search.max_plies and not is_solved(node, tree):
        if tree[node].first == NOTHING:
            visits = visits_with_pending(node, pending, tree)
            if node != ROOT and visits < visits_before_children(len(tree), search.tree_size):
                break
            if not expand(s, node, tree, search):
                break
        node = select(node, scale, pending, amaf, tree, search)
        s = result(s, tree[node].move)
        depth += 1
    search.longest = max(search.longest, depth)
    return s, node


def simulate(s: Any, amaf: Amaf, played: Played, tree: Tree, search: Search) -> None:
    """One simulation from the root, whose position is `s`."""
    s, node = descend(s, None, amaf, tree, search)
    new = tree[node].visits == 0
    value = 0.0
    if new or not is_solved(node, tree):
        looked_up = new and visit_first(s, node, tree, search)
        for _ in range(0 if looked_up else search.playouts):
            utility, length = play_out(s, wrap(tree[node].move), played, search)
            value += utility / search.playouts
            if length == 0:
                prove(node, utility, tree)
                break
    if is_solved(node, tree):
        value = tree[node].low
    count_value(value, search)
    back_up(value, node, new, tree)
    if amaf is not None and played is not None:
        back_up_moves(value, node, played, amaf, tree, search)


def grow(s: Any, amaf: Amaf, played: Played, tree: Tree, search: Search) -> None:
    """Simulate from `s` until the limit, a stop or a proof; the tree may have some already."""
    expand_root(s, tree, search)
    while may_go_on(tree, search):
        search.nodes += 1
        simulate(s, amaf, played, tree, search)


def grow_from(words: tuple[int, ...], tree: Tree, search: Boxed[Search]) -> None:
    """The entry: `grow` from a state given as words."""
    grow(state(words), None, None, tree, search[0])


def grow_with_amaf(
    words: tuple[int, ...], amaf: Any, played: Any, tree: Tree, search: Boxed[Search]
) -> None:
    """The entry: the same with all moves as first."""
    grow(state(words), amaf, played, tree, search[0])
