"""The template of self-play with a net that proposes moves: many games at once, few looks a move.

How to get the most out of a few simulations is Gumbel AlphaZero (Danihelka et al., 2022). At the
root each move has a score: the net's logit, plus a random number of Gumbel's distribution, plus
what the search says of it. The moves with the highest scores share the simulations by *sequential
halving*: all of them are tried, then the better half again, and so on. The move that is left is
played, and is on average no worse than the net's own choice. What the net should have said is the
softmax of its logits plus what the search found, where a move that was not tried is taken to be
worth what the others suggest.

Each *lane* plays one game after another, and has its own tree. Whenever a lane needs the net it
writes a row, and the net answers for all lanes at once. No lane waits for another's move. The
entries below go through the lanes one by one; on a GPU each has a thread (`gumbel_kernels`).
"""

import math
from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.listing import checked_utility, is_over, list_actions
from threefold.engine.playing_out import move_of_playout
from threefold.engine.puct import (
    NEW,
    Search,
    Tree,
    answer,
    descend,
    mean_value,
    settle,
    show,
    sign,
    start_tree,
    visit_first,
)
from threefold.engine.randomness import below, next_random
from threefold.engine.records import Boxed, Half, Real, Word
from threefold.engine.uct import NOTHING, ROOT, Index, is_solved, least_to
from threefold.rules.bits import GOLDEN, add, lsr, mix, wrap
from threefold.rules.contract import (
    CLAIMABLE,
    HAS_DRAWN,
    HAS_OWNERS,
    HAS_PLAYOUT,
    HAS_SUPERKO,
    HAS_SYMMETRIES,
    MAX_VALUE,
    MIN,
    REPEATS,
    drawn,
    image,
    key,
    owners,
    player,
    result,
    state,
    superko,
    words,
)

#: How much what the search says weighs beside logits: (VISITS + most visits) · SCALE, for a value
#: from 0 to 1.
VISITS: Final = 50.0
SCALE: Final = 0.4
#: The least prior, so that it has a logarithm.
LEAST: Final = 1e-9
#: The result of a game that was cut off.
CUT_OFF: Final = 2.0
#: The places of a word, where nobody knows who owns them: both players do.
UNKNOWN_OWNERS: Final = -1
#: A search whose mean value is so much is nearly sure who wins.
SURE: Final = 0.95
#: How lanes choose: by the search as above, by the net's logits alone, or at random.
BY_SEARCH: Final = 0
BY_POLICY: Final = 1
AT_RANDOM: Final = 2


@dataclass(slots=True, kw_only=True)
class Lane:
    """Where a game stands."""

    random: Word = 0  # the state of its random numbers
    ply: Word = 0  # plies so far
    opening: Word = 0  # plies at the beginning that are random
    simulation: Word = 0  # simulations of this move so far
    tree_size: Word = 1  # nodes of its tree
    recorded: Word = 0  # positions to learn from so far
    leaf: Half = 0  # the node that the net is asked about
    over: Half = 0
    asks: Word = 0  # whether the net is asked, on a GPU
    ways: Word = 0  # how MAX chooses, and 4 times how MIN does
    whole: Half = 0  # whether it is played to the end, even once it is decided
    winner: Half = 0  # who wins by the last search, if that is nearly sure: 1 is MAX, -1 is MIN
    last: Word = 0  # 1 + the last move, once it is decided and played out
    worth: Real = 0.0  # the result to MAX, once the game is over


@dataclass(slots=True, kw_only=True)
class SelfPlay(Search):
    """How all lanes play."""

    simulations: Word = 32  # for each move
    most_plies: Word = 0  # a longer game is cut off
    repeats: Word = 0  # a position that came up so often is a draw
    random: Word = 0  # the random numbers that choose among symmetric positions


# The root.


def random_real(lane: Any) -> float:
    """A number between 0 and 1, and never either."""
    lane.random = next_random(int(lane.random))
    return (lsr(mix(int(lane.random)), 11) + 0.5) / 9007199254740992.0


def most_visits(tree: Tree) -> int:
    """How often the move was tried that was tried most."""
    first = tree[ROOT].first
    most = wrap(0)
    for child in range(first, first + tree[ROOT].children):
        most = max(most, tree[child].visits)
    return most


def mixed_value(tree: Tree) -> float:
    """What a move that was not tried is taken to be worth: between the net's word and the rest."""
    mover, first = tree[ROOT].mover, tree[ROOT].first
    visits, priors, values = wrap(0), 0.0, 0.0
    for child in range(first, first + tree[ROOT].children):
        if tree[child].visits > 0:
            visits += tree[child].visits
            priors += tree[child].prior
            values += tree[child].prior * mean_value(mover, child, tree)
    own: float = -tree[ROOT].value if mover == MIN else tree[ROOT].value
    if priors <= 0.0:
        return own
    mean: float = values / priors
    return (own + visits * mean) / (1 + visits)


def improved_logit(child: Index, scale: float, mixed: float, tree: Tree) -> float:
    """The logit of a move with what the search says of it."""
    mover = tree[ROOT].mover
    value = mean_value(mover, child, tree) if tree[child].visits > 0 else mixed
    return math.log(max(tree[child].prior, LEAST)) + scale * (value + 1) / 2


def best_tried(visits: int, tree: Tree) -> Index:
    """The move with the highest score among those that were tried just as often."""
    first = tree[ROOT].first
    scale, mixed = (VISITS + most_visits(tree)) * SCALE, mixed_value(tree)
    chosen, best = wrap(NOTHING), -math.inf
    for child in range(first, first + tree[ROOT].children):
        if tree[child].visits == visits:
            score = tree[child].noise + improved_logit(child, scale, mixed, tree)
            if score > best:
                chosen, best = child, score
    return chosen


def chosen_child(tree: Tree) -> Index:
    """The move to play: a sure one if the value is proven, else the one that is left."""
    if not is_solved(wrap(ROOT), tree):
        return best_tried(most_visits(tree), tree)
    mover, first = tree[ROOT].mover, tree[ROOT].first
    chosen = wrap(first)
    for child in range(first, first + tree[ROOT].children):
        if least_to(mover, child, tree) > least_to(mover, chosen, tree):
            chosen = child
    return chosen


def write_target(moves: Any, shares: Any, tree: Tree) -> int:
    """What the net should have said: each move and its share; how many there are."""
    first, n = tree[ROOT].first, wrap(tree[ROOT].children)
    scale, mixed = (VISITS + most_visits(tree)) * SCALE, mixed_value(tree)
    greatest, total = -math.inf, 0.0
    for i in range(n):
        moves[i] = tree[first + i].move
        shares[i] = improved_logit(wrap(first + i), scale, mixed, tree)
        greatest = max(greatest, shares[i])
    for i in range(n):
        shares[i] = math.exp(shares[i] - greatest)
        total += shares[i]
    for i in range(n):
        shares[i] /= total
    return n


# A lane.


def write_words(s: Any, row: Any) -> None:
    """Write a state into a row."""
    fields = words(s)
    for i in range(len(fields)):
        row[i] = fields[i]


def ended(s: Any, keys: Any, lane: Any, play: SelfPlay) -> bool:
    """Whether a game is a draw by claim or by repetition."""
    if HAS_DRAWN and drawn(s) >= CLAIMABLE:
        return True
    if REPEATS and not HAS_SUPERKO:
        now, times = key(s), 1
        for ply in range(lane.ply):
            if keys[ply] == now:
                times += 1
        keys[lane.ply] = now
        if times >= play.repeats:
            return True
    return False


def list_legal(s: Any, keys: Any, lane: Any, play: SelfPlay) -> int:
    """List the moves of a lane's position, without those that superko forbids; how many."""
    n = list_actions(s, play.moves, play)
    if not HAS_SUPERKO:
        return n
    here = board_key(s)
    keys[lane.ply] = here
    legal = 0
    for i in range(n):
        after = board_key(result(s, int(play.moves[i])))
        barred = False
        for ply in range(lane.ply if after != here else 0):
            barred = barred or keys[ply] == after
        if not barred:
            play.moves[legal] = play.moves[i]
            legal += 1
    return legal


def board_key(s: Any) -> int:
    """A word for what must not come up a second time."""
    key = 0
    for bits in superko(s):
        key = mix(add(key, GOLDEN) ^ bits)
    return key


def make_move(s: Any, move: int, position: Any, tree: Tree, lane: Any, play: SelfPlay) -> None:
    """Go on to the position after a move."""
    write_words(result(s, int(move)), position)
    lane.ply += 1
    lane.simulation = 0
    start_tree(tree, play)


def enter(
    s: Any, position: Any, keys: Any, row: Any, tree: Tree, lane: Any, play: SelfPlay
) -> bool:
    """Look at a new position of a game; whether the net has to be asked about it."""
    lane.worth = 0.0
    if ended(s, keys, lane, play):
        lane.over = 1
        return False
    play.root_moves = list_legal(s, keys, lane, play)
    if not visit_first(s, wrap(ROOT), tree, play):
        lane.worth = tree[ROOT].low
        lane.over = 1
        return False
    if lane.ply >= play.most_plies:
        lane.worth = CUT_OFF
        lane.over = 1
        return False
    way = lsr(int(lane.ways), 2 if tree[ROOT].mover == MIN else 0) & 3
    if lane.ply < lane.opening or way == AT_RANDOM:
        lane.random = next_random(int(lane.random))
        choice = tree[ROOT].first + below(int(tree[ROOT].children), int(lane.random))
        make_move(s, tree[choice].move, position, tree, lane, play)
        return False
    show(s, row, play)
    lane.leaf = ROOT
    return True


def simulate(s: Any, wanted: int, row: Any, tree: Tree, lane: Any, play: SelfPlay) -> bool:
    """A simulation through a move that was tried as often as `wanted`; whether to ask the net."""
    child = best_tried(wanted, tree)
    if child == NOTHING:
        child = chosen_child(tree)
    s, node = descend(result(s, int(tree[child].move)), child, wrap(1), tree, play)
    lane.simulation += 1
    new = tree[node].stage == NEW
    if new and visit_first(s, node, tree, play):
        show(s, row, play)
        lane.leaf = node
        return True
    settle(node, new, tree, play)
    return False


def mean_of_root(tree: Any) -> float:
    """What a search of either kind says of its position, to MAX."""
    if is_solved(wrap(ROOT), tree):
        return float(tree[ROOT].low)
    return float(tree[ROOT].total / tree[ROOT].visits)


def is_decided(value: float, sure: float, lane: Any) -> bool:
    """Whether a search with this value to MAX, and the one before, are nearly sure who wins."""
    before = int(lane.winner)
    lane.winner = 1 if value >= sure else -1 if value <= -sure else 0
    return bool(lane.winner != 0 and lane.winner == before and lane.whole == 0)


def decide(move: int, position: Any, lane: Any) -> None:
    """End a game that is decided, after a move; or go on as in playouts, to see who owns what."""
    lane.worth = float(lane.winner)
    if HAS_OWNERS and HAS_PLAYOUT:
        write_words(result(state(position), int(move)), position)
        lane.ply += 1
        lane.last = move + 1
    else:
        lane.over = 1


def play_out(position: Any, states: Any, lane: Any, play: SelfPlay) -> None:
    """Make a move of a playout in a game that is decided, or end it.

    Where the playout does not end as it should, the game ends in the last position that was
    searched: then nobody knows who owns what.
    """
    s = state(position)
    over = is_over(s, play.moves, play)
    if not over and lane.ply < play.max_plies:
        n = list_actions(s, play.moves, play)
        play.random = lane.random
        move = move_of_playout(s, int(lane.last - 1), n, play)
        lane.random = play.random
        write_words(result(s, int(move)), position)
        lane.ply += 1
        lane.last = move + 1
        return
    lane.over = 1
    if not over or sign(checked_utility(s, MAX_VALUE, play)) != lane.worth:
        write_words(state(states[lane.recorded - 1]), position)


def go_on(
    position: Any,
    keys: Any,
    states: Any,
    moves: Any,
    shares: Any,
    counts: Any,
    schedule: Any,
    row: Any,
    tree: Tree,
    lane: Any,
    play: SelfPlay,
) -> bool:
    """Look at a position, try a move of it, or play one; whether the net has to be asked.

    What the net sees is then in `row`. Where a search chose the move, what the net should have said
    is written behind what was recorded before. `schedule` says, for each number of moves considered
    and each simulation, how often the move to try next was tried before.
    """
    if lane.last != 0:
        play_out(position, states, lane, play)
        return False
    s = state(position)
    if tree[ROOT].stage == NEW:
        return enter(s, position, keys, row, tree, lane, play)
    if lsr(int(lane.ways), 2 if tree[ROOT].mover == MIN else 0) & 3 == BY_POLICY:
        make_move(s, tree[likeliest(tree)].move, position, tree, lane, play)
        return False
    if lane.simulation >= play.simulations or is_solved(wrap(ROOT), tree):
        at = lane.recorded
        write_words(s, states[at])
        counts[at] = write_target(moves[at], shares[at], tree)
        lane.recorded += 1
        move = tree[chosen_child(tree)].move
        if is_decided(mean_of_root(tree), SURE, lane):
            decide(move, position, lane)
        else:
            make_move(s, move, position, tree, lane, play)
        return False
    considered = min(int(tree[ROOT].children), len(schedule) - 1)
    wanted = schedule[considered, lane.simulation]
    return simulate(s, wanted, row, tree, lane, play)


def gather_lanes(
    positions: Any,
    keys: Any,
    states: Any,
    moves: Any,
    shares: Any,
    counts: Any,
    schedule: Any,
    rows: Any,
    owners: Any,
    trees: Any,
    lanes: Any,
    box: Boxed[SelfPlay],
) -> int:
    """The entry: go on with every lane until it needs the net or its game is over.

    Writes what the net sees into rows, and the lanes that they are of; returns how many there are.
    """
    play = box[0]
    count = 0
    for number in range(len(lanes)):
        lane, tree = lanes[number], trees[number]
        play.tree_size = lane.tree_size
        asks = False
        while not asks and lane.over == 0 and play.stop == 0:
            asks = go_on(
                positions[number],
                keys[number],
                states[number],
                moves[number],
                shares[number],
                counts[number],
                schedule,
                rows[count],
                tree,
                lane,
                play,
            )
        lane.tree_size = play.tree_size
        if asks:
            owners[count] = number
            count += 1
    return count


def likeliest(tree: Tree) -> Index:
    """The move that the net thinks the likeliest to be the best."""
    first = tree[ROOT].first
    chosen = wrap(first)
    for child in range(first, first + tree[ROOT].children):
        if tree[child].prior > tree[chosen].prior:
            chosen = child
    return chosen


def scatter_lanes(
    count: int,
    owners: Any,
    logits: Any,
    values: Any,
    trees: Any,
    lanes: Any,
    box: Boxed[SelfPlay],
) -> None:
    """The entry: give the lanes that asked the net its answers."""
    play = box[0]
    for i in range(count):
        hear(logits[i], values[i], trees[owners[i]], lanes[owners[i]], play)


def hear(logits: Any, value: float, tree: Tree, lane: Any, play: SelfPlay) -> None:
    """Take what the net says of the node that a lane asked about."""
    node = wrap(lane.leaf)
    answer(node, logits, value, tree)
    if node == ROOT:
        first = tree[ROOT].first
        for child in range(first, first + tree[ROOT].children):
            tree[child].noise = -math.log(-math.log(random_real(lane)))
    else:
        settle(node, True, tree, play)


# What a game teaches.


def teach(
    states: Any,
    lasts: Any,
    counts: Any,
    moves: Any,
    worths: Any,
    symmetries: int,
    rows: Any,
    results: Any,
    owned: Any,
    keys: Any,
    box: Boxed[SelfPlay],
) -> None:
    """The entry: what the net sees of some positions, and what came of them.

    `results` are to the player to move, whose places come first in `owned`; `lasts` are where the
    games ended.
    """
    play = box[0]
    for i in range(len(rows)):
        results[i] = teach_one(
            state(states[i]),
            state(lasts[i]),
            wrap(counts[i]),
            moves[i],
            worths[i],
            symmetries,
            rows[i],
            owned[i],
            keys,
            play,
        )


def teach_one(
    s: Any,
    last: Any,
    n: int,
    moves: Any,
    worth: float,
    symmetries: int,
    row: Any,
    owned: Any,
    keys: Any,
    play: SelfPlay,
) -> float:
    """Write what the net sees of a position; return what came of it, to the player to move.

    A random one of its symmetric images takes its place, and its `n` moves are renamed: a move's
    image is the one that leads to the image of where it leads. `last` is where the game ended, and
    `owned` who owned what there, if that is of interest.
    """
    if HAS_SYMMETRIES:
        play.random = next_random(int(play.random))
        turn = below(symmetries + 1, int(play.random))
        if turn > 0 and turn_moves(s, turn, n, moves, keys, play):
            s, last = image(s, turn), image(last, turn)
    show(s, row, play)
    if HAS_OWNERS and len(owned) > 0:
        if worth != CUT_OFF and is_over(last, play.moves, play):
            write_owners(last, player(s), owned)
        else:
            for i in range(len(owned)):
                owned[i] = UNKNOWN_OWNERS
    return -worth if worth != CUT_OFF and player(s) == MIN else worth


def write_owners(last: Any, mover: int, row: Any) -> None:
    """Write who owns what at the end of a game: first the places of the player to move."""
    words = owners(last)
    for i in range(len(words)):
        place = i if mover != MIN else (i + len(words) // 2) % len(words)
        row[place] = words[i]


def turn_moves(s: Any, turn: int, n: int, moves: Any, keys: Any, play: SelfPlay) -> bool:
    """Put the images of a position's `n` moves in place of them.

    False if the moves of the image cannot be told apart by where they lead.
    """
    other = image(s, turn)
    if list_actions(other, play.moves, play) != n:
        return False
    for i in range(n):
        keys[i] = key(image(result(s, int(moves[i])), turn))
        keys[n + i] = key(result(other, int(play.moves[i])))
    for i in range(n):
        same = i
        while same < n and keys[n + same] != keys[i]:
            same += 1
        if same == n:
            return False
        keys[n + i], keys[n + same] = keys[n + same], keys[n + i]
        play.moves[i], play.moves[same] = play.moves[same], play.moves[i]
    for i in range(n):
        moves[i] = play.moves[i]
    return True
