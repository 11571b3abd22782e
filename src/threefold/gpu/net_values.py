"""A net's values of many positions on the device: the kernel.

A thread has a position. It adds up the first layer from the bits that are set, as nothing is known
about a position before it. The arithmetic is that of `threefold.engine.nets`, in whole numbers, so
the values are the same. So are those of races, which come from the same table.
"""

from typing import Any, Final

import numpy as np

from threefold.engine.nets import (
    EXP_BITS,
    EXP_COARSE,
    EXP_END,
    EXP_FINE,
    MAX_RESULTS,
    ONE,
    Net,
)
from threefold.engine.race import is_open_race, race_worth
from threefold.engine.rounding import rounded_mean
from threefold.gpu.driver import cuda
from threefold.gpu.kernels import BLOCK
from threefold.gpu.slots import load
from threefold.rules.bits import lsb, pop_lowest
from threefold.rules.contract import (
    FINISHED,
    HAS_RACE,
    HAS_STAKED,
    MAX_FEATURE_WORDS,
    MAX_VALUE,
    MIN,
    features,
    race,
    staked,
    unstaked,
    viewer,
)

_FINE: Final = (1 << EXP_BITS) - 1
#: The most threads, and the most bytes that they use for the units of layers.
_THREADS: Final = 1 << 18
_ROOM: Final = 256 << 20


def net_values(
    positions: Any,
    first: Any,
    starts: Any,
    weights: Any,
    biases: Any,
    shapes: Any,
    results: Any,
    races: Any,
    at_stake: int,
    room: Any,
    answers: Any,
) -> None:
    """The kernel: what `Net.evaluate` says of each position.

    `shapes` has for each layer its units and its shift. `races` is the table of races. If
    `at_stake` is not 0, the net judges positions without stakes. `room` has two rows for each
    thread, for the units of a layer and of the next.
    """
    words = cuda.local.array(MAX_FEATURE_WORDS, np.int64)
    outputs = cuda.local.array(MAX_RESULTS, np.int64)
    thread = cuda.grid(1)
    for i in range(thread, positions.shape[1], cuda.gridsize(1)):
        # Step 1. A race, from its table.
        s = load(positions, i)
        if HAS_RACE:
            number = race(s)
            if is_open_race(number):
                value = race_worth(number, FINISHED, races)
                answers[i] = min(max(value, -MAX_VALUE), MAX_VALUE)
                continue

        # Step 2. The sums of the first layer.
        seen = s
        if HAS_STAKED and at_stake != 0:
            seen = unstaked(s)
        p = viewer(seen)
        features(seen, p, words)
        units = starts.shape[0]
        for j in range(units):
            room[0, j, thread] = starts[j]
        for word in range(first.shape[0] // 64):
            bits = int(words[word])
            while bits != 0:
                row = 64 * word + lsb(bits)
                bits = pop_lowest(bits)
                for j in range(units):
                    room[0, j, thread] += first[row, j]

        # Step 3. The other layers, and what their outputs mean.
        later_layers(thread, units, weights, biases, shapes, room, outputs)
        value = meaning(outputs, FINISHED, results)
        if p == MIN:
            value = -value
        if HAS_STAKED and at_stake != 0:
            value = staked(s, value, FINISHED)
        answers[i] = min(max(value, -MAX_VALUE), MAX_VALUE)


def later_layers(
    thread: int, units: int, weights: Any, biases: Any, shapes: Any, room: Any, outputs: Any
) -> None:
    """The layers after the first, whose sums are in a thread's `room`; `outputs` are the last's."""
    at = 0
    begin = 0
    for layer in range(shapes.shape[0]):
        here = layer & 1
        for j in range(units):
            room[here, j, thread] = min(max(room[here, j, thread], 0), ONE - 1)
        wide, shift = shapes[layer, 0], shapes[layer, 1]
        for k in range(wide):
            total = int(biases[begin + k])
            for j in range(units):
                total += int(room[here, j, thread]) * int(weights[at + j])
            at += units
            if layer == shapes.shape[0] - 1:
                outputs[k] = total >> shift
            else:
                room[1 - here, k, thread] = total >> shift
        begin += wide
        units = wide


def meaning(outputs: Any, unit: int, results: Any) -> int:
    """A margin, or the mean of the results by their chances, where a utility of 1 is `unit`."""
    if results.shape[0] == 0:
        return rounded_mean(int(outputs[0]) * unit, ONE)
    largest = outputs[0]
    for k in range(1, results.shape[0]):
        largest = max(largest, outputs[k])
    total_chance = 0
    total_result = 0
    for k in range(results.shape[0]):
        far = int(largest - outputs[k])
        if far < EXP_END:
            chance = EXP_COARSE[far >> EXP_BITS] * EXP_FINE[far & _FINE]
            total_chance += chance
            total_result += chance * int(results[k])
    return rounded_mean(total_result * unit, total_chance)


class NetOnDevice:
    """A net's arrays on the device, as the kernel takes them."""

    def __init__(self, net: Net[Any]) -> None:
        self.arrays = [
            cuda.to_device(np.ascontiguousarray(array))
            for array in (
                net.first,
                net.biases,
                np.concatenate([layer.weights.ravel() for layer in net.layers]),
                np.concatenate([layer.biases for layer in net.layers]),
                np.array([(len(layer.biases), layer.shift) for layer in net.layers], np.int64),
                np.array(net.results, np.int64),
                net.races,
            )
        ]
        self.widest = max(net.hidden)
        self.at_stake = int(net.staked)
        #: The most threads to run at once.
        self.threads = max(min(_THREADS, _ROOM // (8 * self.widest)) // BLOCK, 1) * BLOCK

    def arguments(self, positions: int) -> tuple[Any, ...]:
        """What the kernel takes between the positions and the answers."""
        threads = min(-(-positions // BLOCK) * BLOCK, self.threads)
        return *self.arrays, self.at_stake, cuda.device_array((2, self.widest, threads), np.int32)
