"""Self-play with a net that proposes moves, on a GPU: the kernels around `threefold.learn.gumbel`.

A lane has a thread, and its tree stays on the card. The threads of a warp go through one piece of
code together, and lanes are rarely at the same place in it. So only one thread of several has a
lane: warps are cheap, since there are far fewer lanes than a card can have threads.
"""

from typing import Any

from threefold.engine.puct import Tree
from threefold.engine.randomness import first_random
from threefold.gpu.driver import cuda
from threefold.learn.gumbel import go_on, hear, teach_one
from threefold.rules.bits import wrap
from threefold.rules.contract import state


def gather_on_device(
    apart: int,
    most: int,
    positions: Any,
    keys: Any,
    states: Any,
    moves: Any,
    shares: Any,
    counts: Any,
    schedule: Any,
    rows: Any,
    trees: Tree,
    lanes: Any,
    plays: Any,
) -> None:
    """The kernel: go on with every lane until it needs the net, and write what the net sees.

    Every thread whose number is a multiple of `apart` has a lane. A lane that has done `most`
    things without a question goes on the next time, so that no other waits for it.
    """
    thread = cuda.grid(1)
    if thread % apart != 0:
        return
    for number in range(thread // apart, len(lanes), cuda.gridsize(1) // apart):
        lane, tree, play = lanes[number], trees[number], plays[number]
        play.tree_size = lane.tree_size
        lane.asks = 0
        done = 0
        while lane.asks == 0 and lane.over == 0 and play.stop == 0 and done < most:
            done += 1
            if go_on(
                positions[number],
                keys[number],
                states[number],
                moves[number],
                shares[number],
                counts[number],
                schedule,
                rows[number],
                tree,
                lane,
                play,
            ):
                lane.asks = 1
        lane.tree_size = play.tree_size


def scatter_on_device(
    apart: int, logits: Any, values: Any, trees: Tree, lanes: Any, plays: Any
) -> None:
    """The kernel: give the lanes that asked the net its answers."""
    thread = cuda.grid(1)
    if thread % apart != 0:
        return
    for number in range(thread // apart, len(lanes), cuda.gridsize(1) // apart):
        if lanes[number].asks != 0:
            hear(logits[number], values[number], trees[number], lanes[number], plays[number])


def teach_on_device(
    states: Any,
    lasts: Any,
    counts: Any,
    moves: Any,
    worths: Any,
    symmetries: int,
    seed: int,
    rows: Any,
    results: Any,
    owned: Any,
    keys: Any,
    plays: Any,
) -> None:
    """The kernel: what the net sees of positions, and what came of them to the player to move."""
    for i in range(cuda.grid(1), len(rows), cuda.gridsize(1)):
        play = plays[i]
        play.random = first_random(seed, i)
        results[i] = teach_one(
            state(states[i]),
            state(lasts[i]),
            wrap(counts[i]),
            moves[i],
            worths[i],
            symmetries,
            rows[i],
            owned[i],
            keys[i],
            play,
        )
