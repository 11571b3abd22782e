"""The template of Monte Carlo tree search: UCT that also proves values.

A simulation has the four phases that every paper names (Browne et al., 2012): *select* a way down
the tree by upper confidence bounds, *expand* the leaf there, *play out* the game at random, and
*back up* what came of it. A leaf is expanded at its second visit, so that the tree holds few nodes
that were never needed.

Besides its statistics a node has proven bounds on its value, as in score-bounded MCTS (Cazenave
and Saffidine, 2010), of which the MCTS-Solver (Winands et al., 2008) is the case of two outcomes:

    the game is over here     low = high = utility
    elsewhere                 the game's own `bounds`, at first
    MAX moves                 low = max(children's low)     high = max(children's high)
    MIN moves                 low = min(children's low)     high = min(children's high)
    nature moves              the means of both by the events' weights

A node is solved where the two meet; no simulation goes below it any more, nor below a move that
cannot be better than what its player has in hand. All values are MAX's.
"""

import math
from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from threefold.engine.control import CONTROL_WORDS, LONGEST, NODE_LIMIT, NODES, STOP, Control
from threefold.engine.listing import checked_utility, list_actions, list_outcomes, list_sufficient
from threefold.rules.bits import GOLDEN, add, lsr, mix, wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    MAX,
    MAX_VALUE,
    MIN,
    Action,
    Player,
    bounds,
    player,
    result,
    state,
)

# How many bytes a field takes where a node is a record of an array.
Half: TypeAlias = Annotated[int, "i4"]
Word: TypeAlias = Annotated[int, "i8"]
Real: TypeAlias = Annotated[float, "f8"]


@dataclass(slots=True)
class Node:
    """A node of the tree; compiled, a record of the same fields, a cache line long."""

    visits: Word = 0  # how many simulations went through here
    total: Real = 0.0  # what they came to, to MAX
    low: Real = -MAX_VALUE  # the least that the value can be
    high: Real = MAX_VALUE  # the greatest
    first: Half = 0  # the first child, 0 while there is none
    children: Half = 0  # how many there are, side by side
    mover: Half = 0  # who moves here, known from the first visit on
    plies: Half = -1  # if sure to be won: within how many plies; -1 where that is not known
    move: Word = 0  # the move, or event of nature, that leads here
    weight: Half = 0  # that event's weight
    parent: Half = 0  # the node that it leads here from


#: A list interpreted, an array compiled; a node is called by its index.
Tree: TypeAlias = MutableSequence[Node]
Index: TypeAlias = int

#: For each node, how many simulations through it have yet to tell what they came to; None where
#: each is told before the next begins.
Pending: TypeAlias = MutableSequence[int] | None

ROOT: Final = 0
#: For a child, which the root is not: there is none.
NOTHING: Final = 0
UNKNOWN: Final = -1

# The shared words of this search, behind those of every search.
#: The number of nodes in the tree, and the state of the random numbers.
SIZE: Final = CONTROL_WORDS
RANDOM: Final = CONTROL_WORDS + 1
UCT_WORDS: Final = CONTROL_WORDS + 2

#: What the simulations came to so far, five floats: how many they were, the sum of their values,
#: that of the squares, the least outcome and the greatest.
Seen: TypeAlias = MutableSequence[float]
TOLD: Final = 0
SUM: Final = 1
SQUARES: Final = 2
LEAST: Final = 3
GREATEST: Final = 4

#: Where all simulations end nearly alike, exploration still reckons with this share of their range.
LEAST_SPREAD: Final = 0.1


# Random numbers.


def random_word(control: Control) -> int:
    """The next word of SplitMix64 (Steele, Lea and Flood, 2014)."""
    control[RANDOM] = add(control[RANDOM], GOLDEN)
    return mix(control[RANDOM])


def random_below(n: int, control: Control) -> int:
    """A number from 0 to n - 1: the high half of a product, which is cheaper than a remainder."""
    return (lsr(random_word(control), 32) * n) >> 32


def random_event(row: Any, weight: Any, n: int, control: Control) -> Action:
    """What nature does: one of `n` events by their weights."""
    total = 0
    for i in range(n):
        total += weight[i]
    left = lsr(random_word(control), 1) % max(total, 1)
    event = 0
    while event < n - 1 and left >= weight[event]:
        left -= weight[event]
        event += 1
    return row[event]  # type: ignore[no-any-return]


# What a node is worth.


def is_solved(node: Index, tree: Tree) -> bool:
    """Whether the value is proven."""
    return tree[node].low >= tree[node].high


def least_to(mover: Player, node: Index, tree: Tree) -> float:
    """The least that a node can be worth to a player."""
    return -tree[node].high if mover == MIN else tree[node].low


def most_to(mover: Player, node: Index, tree: Tree) -> float:
    """The most that a node can be worth to a player."""
    return -tree[node].low if mover == MIN else tree[node].high


def begun(node: Index, pending: Pending, tree: Tree) -> int:
    """How many simulations went through a node, be it known what they came to or not."""
    if pending is None:
        return tree[node].visits
    return tree[node].visits + pending[node]


def mean_to(mover: Player, node: Index, tree: Tree) -> float:
    """What a visited node is worth to a player by its simulations."""
    mean = tree[node].total / tree[node].visits
    return -mean if mover == MIN else mean


def presumed_to(mover: Player, node: Index, tree: Tree) -> float:
    """What a node is worth of which nothing is told yet: as much as the nearest above it."""
    while tree[node].visits == 0:
        if node == ROOT:
            return 0.0
        node = tree[node].parent
    return mean_to(mover, node, tree)


def spread(seen: Seen) -> float:
    """How far the simulations lie apart: what exploration is measured by, whatever the utilities.

    Their standard deviation. Where every game is won or lost it is near 1, as UCT has it. Where
    utilities are graded their range would say little: the greatest hardly ever occur.
    """
    simulations = max(seen[TOLD], 1.0)
    mean = seen[SUM] / simulations
    deviation = math.sqrt(max(seen[SQUARES] / simulations - mean * mean, 0.0))
    return max(deviation, LEAST_SPREAD * (seen[GREATEST] - seen[LEAST]) / 2)


# Phase 1. Select.


def most_promising(node: Index, above: float, scale: float, pending: Pending, tree: Tree) -> Index:
    """The child of the greatest upper confidence bound, of those that may be worth more.

    A child that was never visited comes before the rest. Simulations that are pending make the
    next ones look elsewhere, but tell nothing of the value (Liu et al., 2020).
    """
    mover, first = tree[node].mover, tree[node].first
    reach = scale * math.sqrt(math.log(max(begun(node, pending, tree), 1)))
    chosen, best = wrap(NOTHING), -math.inf
    for child in range(first, first + tree[node].children):
        if most_to(mover, child, tree) > above:
            visits = begun(child, pending, tree)
            if visits == 0:
                return child
            if tree[child].visits != 0:
                value = mean_to(mover, child, tree)
            else:
                value = presumed_to(mover, child, tree)
            bound = value + reach / math.sqrt(visits)
            if bound > best:
                chosen, best = child, bound
    return chosen


def random_child(node: Index, tree: Tree, control: Control) -> Index:
    """What nature does: a child by the weights."""
    child, last = tree[node].first, tree[node].first + tree[node].children - 1
    total = 0
    for event in range(child, last + 1):
        total += tree[event].weight
    left = lsr(random_word(control), 1) % max(total, 1)
    while child < last and left >= tree[child].weight:
        left -= tree[child].weight
        child += 1
    return child


def select(
    node: Index, scale: float, pending: Pending, seen: Seen, tree: Tree, control: Control
) -> Index:
    """The child to go on with: nature's by its weight, a player's the most promising one.

    Moves that cannot beat what the player has in hand are out. While there is something better
    to do, so are those that cannot beat the worst outcome seen so far, and all where the best one
    is in hand: few games tell their bounds, and only what was seen tells a win there.
    """
    mover = tree[node].mover
    if HAS_OUTCOMES and mover == CHANCE:
        return random_child(node, tree, control)
    worst, best = seen[LEAST], seen[GREATEST]
    if mover == MIN:
        worst, best = -best, -worst
    in_hand = least_to(mover, node, tree)
    above = max(in_hand, worst)
    if above < best:
        child = most_promising(node, above, scale, pending, tree)
        if child != NOTHING:
            return child
    return most_promising(node, in_hand, scale, pending, tree)


# Phase 2. Expand.


def meet(s: Any, node: Index, tree: Tree) -> None:
    """What a first visit tells of a node: who moves and what the rules say of its value."""
    low, high = bounds(s)
    tree[node].mover = player(s)
    tree[node].low = max(tree[node].low, low)
    tree[node].high = min(tree[node].high, high)


def expand(s: Any, node: Index, row: Any, weight: Any, tree: Tree, control: Control) -> bool:
    """Give a leaf its children, in random order; False where the tree is full.

    What the rules say of the value of all play from here they say of the children's too. The
    root gets all its moves, so that each can be asked for; elsewhere those suffice among which a
    best one is sure to be.
    """
    by_chance = HAS_OUTCOMES and tree[node].mover == CHANCE
    if by_chance:
        n = list_outcomes(s, row, weight, control)
    elif node == ROOT:
        n = list_actions(s, row, control)
    else:
        n = list_sufficient(s, row, control)
    first = control[SIZE]
    if n == 0 or first + n > len(tree):
        return False
    for i in range(n):
        child = first + i
        if by_chance:
            tree[child].weight = weight[i]
        else:
            other = i + random_below(n - i, control)
            row[i], row[other] = row[other], row[i]
        tree[child].move = row[i]
        tree[child].parent = node
        tree[child].visits = 0
        tree[child].total = 0.0
        tree[child].low = tree[node].low
        tree[child].high = tree[node].high
        tree[child].first = NOTHING
        tree[child].plies = UNKNOWN
    control[SIZE] = first + n
    tree[node].children = n
    tree[node].first = first
    return True


# Phase 3. Play out.


def outcome(s: Any, seen: Seen, control: Control) -> int:
    """What a finished game is worth to MAX, checked and noted."""
    value = checked_utility(s, MAX_VALUE, control)
    seen[LEAST] = min(seen[LEAST], value)
    seen[GREATEST] = max(seen[GREATEST], value)
    return value


def play_out(
    s: Any, plies: int, row: Any, weight: Any, seen: Seen, control: Control
) -> tuple[int, int]:
    """A game from here on at random: what it came to, and after how many plies.

    One that is not over after `plies` counts as a draw.
    """
    for ply in range(plies + 1):
        by_nature = HAS_OUTCOMES and player(s) == CHANCE
        n = list_outcomes(s, row, weight, control) if by_nature else list_actions(s, row, control)
        if n == 0:
            return 0 if by_nature else outcome(s, seen, control), ply
        if ply < plies:
            if by_nature:
                s = result(s, random_event(row, weight, n, control))
            else:
                s = result(s, row[random_below(n, control)])
    return 0, plies


def prove(node: Index, value: float, tree: Tree) -> None:
    """The game is over at a node, and this is what it came to."""
    tree[node].low = value
    tree[node].high = value
    tree[node].plies = 0


# Phase 4. Back up.


def tighten(node: Index, tree: Tree) -> bool:
    """Draw a node's bounds from its children's; whether that told anything new."""
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

    The winner takes the soonest way to what is sure, the loser the latest. Distances are not
    told through nature's events.
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


def note(value: float, seen: Seen) -> None:
    """Reckon what a simulation came to among all of them."""
    seen[TOLD] += 1
    seen[SUM] += value
    seen[SQUARES] += value * value


def back_up(value: float, leaf: Index, news: bool, tree: Tree) -> None:
    """Tell every node from a leaf to the root what the simulation came to.

    Who has something better in hand than the move that was tried would not play it: that counts
    instead, and so does a proven value.
    """
    node, child = leaf, wrap(NOTHING)
    while True:
        mover = tree[node].mover
        if child != NOTHING:
            news = news and tighten(node, tree)
            if not HAS_OUTCOMES or mover != CHANCE:
                in_hand = least_to(mover, node, tree)
                if in_hand > mean_to(mover, child, tree):
                    value = -in_hand if mover == MIN else in_hand
        if is_solved(node, tree):
            value = tree[node].low
        tree[node].visits += 1
        tree[node].total += value
        if node == ROOT:
            return
        child, node = node, wrap(tree[node].parent)


# The search.


def plant(s: Any, row: Any, weight: Any, tree: Tree, control: Control) -> None:
    """Give a tree that has only its root the root's moves."""
    if tree[ROOT].first == NOTHING:
        meet(s, wrap(ROOT), tree)
        expand(s, wrap(ROOT), row, weight, tree, control)


def goes_on(tree: Tree, control: Control) -> bool:
    """Whether there is neither a stop nor a proof, and the limit is not reached."""
    within = control[STOP] == 0 and control[NODES] < control[NODE_LIMIT]
    return within and not is_solved(wrap(ROOT), tree)


def descend(
    s: Any,
    plies: int,
    exploration: float,
    row: Any,
    weight: Any,
    pending: Pending,
    seen: Seen,
    tree: Tree,
    control: Control,
) -> tuple[Any, Index]:
    """The way down from the root, where `s` is, to a leaf: the position there, and the node."""
    scale = exploration * spread(seen)
    node, depth = wrap(ROOT), 0
    while depth < plies and not is_solved(node, tree):
        if node != ROOT and begun(node, pending, tree) == 0:
            break
        if tree[node].first == NOTHING and not expand(s, node, row, weight, tree, control):
            break
        node = select(node, scale, pending, seen, tree, control)
        s = result(s, tree[node].move)
        depth += 1
    control[LONGEST] = max(control[LONGEST], depth)
    return s, node


def simulate(
    s: Any,
    plies: int,
    playouts: int,
    exploration: float,
    row: Any,
    weight: Any,
    seen: Seen,
    tree: Tree,
    control: Control,
) -> None:
    """One simulation from the root, where `s` is."""
    s, node = descend(s, plies, exploration, row, weight, None, seen, tree, control)
    new = tree[node].visits == 0
    value = 0.0
    if new or not is_solved(node, tree):
        if new:
            meet(s, node, tree)
        for _ in range(playouts):
            came_to, length = play_out(s, plies, row, weight, seen, control)
            value += came_to / playouts
            if length == 0:
                prove(node, came_to, tree)
                break
    if is_solved(node, tree):
        value = tree[node].low
    note(value, seen)
    back_up(value, node, new, tree)


def simulate_from(
    s: Any,
    plies: int,
    playouts: int,
    exploration: float,
    row: Any,
    weight: Any,
    seen: Seen,
    tree: Tree,
    control: Control,
) -> None:
    """Simulations from `s` until the limit, a stop or a proof; the tree may hold some already."""
    plant(s, row, weight, tree, control)
    while goes_on(tree, control):
        simulate(s, plies, playouts, exploration, row, weight, seen, tree, control)
        control[NODES] += 1


def search_from(
    words: tuple[int, ...],
    plies: int,
    playouts: int,
    exploration: float,
    row: Any,
    weight: Any,
    seen: Seen,
    tree: Tree,
    control: Control,
) -> None:
    """The entry: `simulate_from` a state given as words."""
    simulate_from(state(words), plies, playouts, exploration, row, weight, seen, tree, control)
