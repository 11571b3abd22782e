"""The template of games by tree search with playouts: first lessons for a net that knows nothing.

A new net's own games are hardly better than random ones, and it takes long to get beyond that. Tree
search that plays games out needs no net and plays well from the first game on, so a net can learn
from it what to look at and who wins (expert iteration: Anthony, Tian and Barber, 2017).

A search at each move has the memory of the one before, and begins anew.
"""

import math
from typing import Any, Final

from threefold.engine.amaf import Amaf, Played
from threefold.engine.listing import checked_utility
from threefold.engine.playing_out import Search, event_at
from threefold.engine.puct import sign
from threefold.engine.randomness import below, next_random
from threefold.engine.records import Boxed
from threefold.engine.uct import (
    NOTHING,
    ROOT,
    UNKNOWN,
    Index,
    Tree,
    grow,
    is_solved,
    least_to,
)
from threefold.learn.gumbel import (
    CUT_OFF,
    SelfPlay,
    decide,
    ended,
    is_decided,
    list_legal,
    mean_of_root,
    play_out,
    write_words,
)
from threefold.rules.bits import wrap
from threefold.rules.contract import MAX_VALUE, result, state

#: As `gumbel.SURE`; playouts are never as sure as a net is.
SURE: Final = 0.9


def forget(amaf: Amaf, tree: Tree, search: Search) -> None:
    """Begin a new search in the memory of another."""
    if amaf is not None:
        for node in range(search.tree_size):
            amaf[node].visits = 0
            amaf[node].total = 0.0
    tree[ROOT].visits = 0
    tree[ROOT].total = 0.0
    tree[ROOT].low = -MAX_VALUE
    tree[ROOT].high = MAX_VALUE
    tree[ROOT].first = NOTHING
    tree[ROOT].children = 0
    tree[ROOT].plies = UNKNOWN
    search.tree_size = 1
    search.simulations = 0.0
    search.sum_of_values = 0.0
    search.sum_of_squares = 0.0


def is_at_end(lane: Any, n: int, s: Any, play: SelfPlay) -> bool:
    """Whether a game is over, or cut off, in a position with `n` moves; notes its result."""
    if n == 0:
        lane.worth = sign(checked_utility(s, MAX_VALUE, play))
        return True
    if lane.ply >= play.most_plies:
        lane.worth = CUT_OFF
        return True
    return False


def best_child(tree: Tree) -> Index:
    """The move to play: a sure one if the value is proven, else the one that was tried most."""
    mover, first = tree[ROOT].mover, tree[ROOT].first
    solved = is_solved(wrap(ROOT), tree)
    chosen = wrap(first)
    for child in range(first, first + tree[ROOT].children):
        if solved:
            better = least_to(mover, child, tree) > least_to(mover, chosen, tree)
        else:
            better = tree[child].visits > tree[chosen].visits
        if better:
            chosen = child
    return chosen


def write_visits(moves: Any, visits: Any, shares: Any, tree: Tree) -> int:
    """What the net should have said: each move and its share of the visits; how many there are.

    If the value is proven, only moves that are sure to keep it count.
    """
    mover, first, n = tree[ROOT].mover, tree[ROOT].first, wrap(tree[ROOT].children)
    best = best_child(tree)
    worst = -math.inf
    if is_solved(wrap(ROOT), tree):
        worst = least_to(mover, best, tree)
    total = wrap(0)
    for i in range(n):
        moves[i] = tree[first + i].move
        visits[i] = 0
        if least_to(mover, first + i, tree) >= worst:
            visits[i] = max(tree[first + i].visits, 1 if first + i == best else 0)
        total += visits[i]
    for i in range(n):
        shares[i] = visits[i] / total
    return n


def value_of_root(tree: Tree, search: Search) -> float:
    """What a position seems worth to MAX, as a share of the best result, or of the worst."""
    mean = mean_of_root(tree)
    if mean > 0 and search.greatest > 0:
        return mean / search.greatest
    if mean < 0 and search.least < 0:
        return -mean / search.least
    return 0.0


def choose(lane: Any, n: int, moves: Any, varied: int, tree: Tree, search: Search) -> int:
    """The move to play: the best one, or early in a game any, as often as it was visited."""
    if lane.ply >= lane.opening + varied or is_solved(wrap(ROOT), tree):
        return wrap(tree[best_child(tree)].move)
    total = wrap(0)
    for i in range(n):
        total += search.weights[i]
    return wrap(event_at(below(total, int(lane.random)), n, moves, search.weights))


def play_on(
    position: Any,
    keys: Any,
    states: Any,
    moves: Any,
    shares: Any,
    counts: Any,
    lane: Any,
    play: SelfPlay,
    varied: int,
    amaf: Amaf,
    played: Played,
    tree: Tree,
    search: Search,
) -> None:
    """Play a lane's game, and record each position that was searched.

    After a random opening, so many plies are `varied`: see `choose`. Once the game is decided it
    ends, as those of nets do.
    """
    while lane.over == 0 and search.stop == 0 and play.stop == 0:
        s = state(position)
        if ended(s, keys, lane, play):
            lane.over = 1
            return
        n = list_legal(s, keys, lane, play)
        if is_at_end(lane, n, s, play):
            lane.over = 1
            return
        lane.random = next_random(int(lane.random))
        if lane.ply < lane.opening:
            move = wrap(play.moves[below(n, int(lane.random))])
        else:
            for i in range(n):
                search.moves[i] = play.moves[i]
            search.root_moves = n
            forget(amaf, tree, search)
            search.node_limit = search.nodes + play.simulations
            grow(s, amaf, played, tree, search)
            if search.stop != 0:
                return
            at = lane.recorded
            write_words(s, states[at])
            counts[at] = write_visits(moves[at], search.weights, shares[at], tree)
            lane.recorded += 1
            move = choose(lane, n, moves[at], varied, tree, search)
            if is_decided(value_of_root(tree, search), SURE, lane):
                decide(move, position, lane)
                while lane.over == 0 and play.stop == 0:
                    play_out(position, states, lane, play)
                return
        write_words(result(s, move), position)
        lane.ply += 1


def play_game(
    position: Any,
    keys: Any,
    states: Any,
    moves: Any,
    shares: Any,
    counts: Any,
    lanes: Any,
    play: Boxed[SelfPlay],
    varied: int,
    tree: Tree,
    search: Boxed[Search],
) -> None:
    """The entry: `play_on` in the one lane there is."""
    # fmt: off
    play_on(
        position, keys, states, moves, shares, counts, lanes[0], play[0], varied,
        None, None, tree, search[0],
    )
    # fmt: on


def play_game_with_amaf(
    position: Any,
    keys: Any,
    states: Any,
    moves: Any,
    shares: Any,
    counts: Any,
    lanes: Any,
    play: Boxed[SelfPlay],
    varied: int,
    tree: Tree,
    search: Boxed[Search],
    amaf: Any,
    played: Any,
) -> None:
    """The entry: the same with all moves as first."""
    # fmt: off
    play_on(
        position, keys, states, moves, shares, counts, lanes[0], play[0], varied,
        amaf, played, tree, search[0],
    )
    # fmt: on
