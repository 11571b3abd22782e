"""Self-play on the device: the kernels. The net between them is somebody else's.

A step of many games at once has several parts. `expand` rolls the dice and lists the moves of every
game, all games' side by side. `show` writes the features of each position that one of them leads
to, with a thread for each, since some games have ten times as many moves as others. A net gives
those positions values. Then `pick` finds the best move of every game, and `advance` plays it.

No game needs the host, and none waits for another; a game that ends begins anew.
"""

from typing import Any

import numpy as np

from threefold.engine.playing_out import event_at
from threefold.engine.randomness import below, first_random, next_random
from threefold.gpu.driver import cuda
from threefold.gpu.listing import list_open
from threefold.gpu.random_games import total_weight
from threefold.gpu.slots import ROW_TYPE, load, store
from threefold.rules.bits import GOLDEN, add, mul, wrap
from threefold.rules.contract import (
    CHANCE,
    CLAIMABLE,
    DRAWN,
    HAS_DRAWN,
    HAS_IS_TERMINAL,
    HAS_OUTCOMES,
    MAX,
    MAX_MOVES,
    drawn,
    features,
    initial,
    is_terminal,
    outcomes,
    player,
    result,
    utility,
    viewer,
)

#: What `kinds` says of a position that a move leads to: the game is over, or it is worth to the
#: mover what the net says, or the reverse of it.
OVER, SAME, REVERSE = 0, 1, -1

#: Probabilities of random moves are in shares of this.
SHARES = 1 << 20


def is_finished(s: Any, row: Any) -> bool:
    """Whether the game is over."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return False
    if HAS_IS_TERMINAL:
        return bool(is_terminal(s)) or (HAS_DRAWN and drawn(s) == DRAWN)
    return list_open(s, row) <= 0


def can_be_claimed(s: Any) -> bool:
    """Whether a player may claim a draw, who then does."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return False
    return HAS_DRAWN and drawn(s) >= CLAIMABLE


def random_at(seed: int, step: int, i: int) -> int:
    """The random numbers of a game at a step."""
    return first_random(add(seed, mul(step, GOLDEN)), i)


def expand(
    positions: Any,
    lanes: int,
    events: int,
    seed: int,
    step: int,
    rolled: Any,
    weights: Any,
    first: Any,
    counts: Any,
    moves: Any,
    owners: Any,
    total: Any,
) -> None:
    """The kernel: the moves of each lane's position.

    With `events` 0, lane i is the i-th position after a roll of nature. Otherwise each position has
    as many lanes, one for each event of nature. `first` and `counts` say where a lane's part of
    `moves` is, and `owners` whose each move is; a lane for which there is no room has count 0.
    """
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    weight = cuda.local.array(MAX_MOVES, np.int32)
    for i in range(cuda.grid(1), lanes, cuda.gridsize(1)):
        counts[i] = 0
        weights[i] = 0
        s = load(positions, i if events == 0 else i // events)
        random = random_at(seed, step, i)
        # Step 1. Nature.
        rolls = 0
        while HAS_OUTCOMES and player(s) == CHANCE:
            n = outcomes(s, row, weight)
            share = total_weight(weight, n)
            random = next_random(random)
            if events > 0 and rolls == 0:
                event = i % events
                if n > events:
                    weights[i] = 1  # a weight but no moves: there is no mean over so many
                    break
                if event >= n:
                    break
                weights[i] = weight[event]
                s = result(s, int(row[event]))
            else:
                s = result(s, event_at(below(share, random), n, row, weight))
            rolls += 1
        if HAS_OUTCOMES and player(s) == CHANCE:
            continue
        if events > 0 and rolls == 0:
            weights[i] = 1 if i % events == 0 else 0
            if weights[i] == 0:
                continue
        store(rolled, i, s)

        # Step 2. The moves.
        n = list_open(s, row)
        if n <= 0 or n > MAX_MOVES:
            continue
        place = cuda.atomic.add(total, 0, n)
        if place + n > len(moves):
            continue
        first[i] = place
        counts[i] = n
        for k in range(n):
            moves[place + k] = row[k]
            owners[place + k] = i


def show(
    rolled: Any, moves: Any, owners: Any, total: Any, words: Any, kinds: Any, fixed: Any
) -> None:
    """The kernel: what each move leads to: its features, or what the finished game is worth."""
    spare = cuda.local.array(MAX_MOVES, ROW_TYPE)
    for place in range(cuda.grid(1), min(total[0], len(moves)), cuda.gridsize(1)):
        if owners[place] < 0:
            kinds[place] = OVER
            continue
        s = load(rolled, owners[place])
        mover = player(s)
        child = result(s, int(moves[place]))
        fixed[place] = 0
        if is_finished(child, spare):
            worth = wrap(utility(child))
            kinds[place] = OVER
            fixed[place] = worth if mover == MAX else -worth
        elif can_be_claimed(child):
            kinds[place] = OVER
        else:
            p = viewer(child)
            kinds[place] = SAME if p == mover else REVERSE
            features(child, p, words[place])


def pick(
    positions: Any,
    lanes: int,
    events: int,
    rolled: Any,
    first: Any,
    counts: Any,
    kinds: Any,
    fixed: Any,
    values: Any,
    best: Any,
    relation: Any,
    worth: Any,
) -> None:
    """The kernel: the best move of each lane, and what it makes of the lane's position.

    `best` is its place, -1 for a lane without moves. `relation` says whether its value is worth the
    same to the viewer of the position or the reverse; or that the game is over, and `worth` how.
    """
    for i in range(cuda.grid(1), lanes, cuda.gridsize(1)):
        best[i] = -1
        relation[i] = OVER
        worth[i] = 0
        if counts[i] == 0:
            continue
        place = first[i]
        found = place
        most = np.float32(-1e30)
        for k in range(counts[i]):
            kind = kinds[place + k]
            value = fixed[place + k] if kind == OVER else kind * values[place + k]
            if value > most:
                most = value
                found = place + k
        best[i] = found
        here = viewer(load(positions, i if events == 0 else i // events))
        mine = player(load(rolled, i)) == here
        relation[i] = kinds[found] if mine else -kinds[found]
        worth[i] = fixed[found] if mine else -fixed[found]


def advance(
    positions: Any,
    lanes: int,
    seed: int,
    step: int,
    explore: int,
    openings: int,
    longest: int,
    rolled: Any,
    first: Any,
    counts: Any,
    moves: Any,
    kinds: Any,
    best: Any,
    plies: Any,
    chosen: Any,
    ahead: Any,
    ended: Any,
) -> None:
    """The kernel: play the best move of each game, or now and then another.

    `chosen` is the place of the move played, -1 if the game begins anew. `ahead` says how the next
    position's value relates to this one's: the same, the reverse, or 0 if it says nothing.
    """
    for i in range(cuda.grid(1), lanes, cuda.gridsize(1)):
        chosen[i] = -1
        ahead[i] = 0
        ended[i] = 0
        if counts[i] == 0:
            continue
        random = random_at(add(seed, 1), step, i)
        place = best[i]
        opening = below(openings + 1, first_random(add(seed, 2), i + step - int(plies[i])))
        if plies[i] < opening or below(SHARES, random) < explore:
            place = first[i] + below(int(counts[i]), next_random(random))
        here = viewer(load(positions, i))
        child = result(load(rolled, i), int(moves[place]))
        plies[i] += 1
        if kinds[place] == OVER or plies[i] >= longest:
            ended[i] = 1
            plies[i] = 0
            store(positions, i, initial())
        else:
            chosen[i] = place
            store(positions, i, child)
            if place == best[i]:
                ahead[i] = SAME if viewer(child) == here else REVERSE
