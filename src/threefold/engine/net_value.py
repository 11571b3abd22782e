"""A net's value of a position, as fast as a search needs it: the template.

The sums of the first layer are kept from one position to the next. Only the inputs that changed are
added or taken away, which an exclusive or of the feature words finds. There is one set of sums for
each viewer.

In a race before a roll, the game's table of races takes the net's place: it knows better.

The weights are data: another net runs the same code. `nets` has the plain form of the arithmetic.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np

from threefold.engine.jit.instructions import ints_at, minus, plus, shorts_at, times, words_at
from threefold.engine.nets import (
    EXP_BITS,
    EXP_COARSE,
    EXP_END,
    EXP_FINE,
    MAX_RESULTS,
    NO_RACES,
    ONE,
    Net,
)
from threefold.engine.race import is_open_race, race_worth
from threefold.engine.records import Boxed, Word, allocate
from threefold.engine.rounding import rounded_mean
from threefold.rules.bits import lsb, lsr, pop_lowest, wrap
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
    state,
    unstaked,
    viewer,
)

_FINE: Final = (1 << EXP_BITS) - 1


@dataclass(slots=True, kw_only=True)
class NetMemory:
    """A net's shape, where its arrays are, and what a thread keeps of the last position it saw."""

    words: Word = 0  # words of features
    units: Word = 0  # units of the first layer
    layers: Word = 0  # layers after it
    results: Word = 0  # results that the outputs are the chances of; 0 for a margin
    first: Word = 0  # the address of the first layer's weights, of 16 bits each
    weights: Word = 0  # the same of the other layers, one after another
    biases: Word = 0  # their biases, of 32 bits
    shapes: Word = 0  # for each layer its units and its shift, then the results: words
    sums: Word = 0  # for each viewer the sums of the first layer, of 32 bits
    seen: Word = 0  # for each viewer the features that those sums are of, and the current ones
    clipped: Word = 0  # the units of the layer before, of 16 bits
    outputs: Word = 0  # the units of a layer, of 32 bits
    races: Word = 0  # the address of the table of races
    race_items: Word = 0  # how many items it has, of 32 bits; 0 to judge races by the net
    staked: Word = 0  # whether the net judges positions without stakes


class NetArrays:
    """The arrays that a `NetMemory` has the addresses of; keep it as long as the search runs.

    Without `races`, the net alone judges.
    """

    def __init__(self, net: Net[Any], *, races: bool = True) -> None:
        self._races = net.races if races else NO_RACES
        self._first = np.ascontiguousarray(net.first)
        self._weights = np.concatenate([layer.weights.ravel() for layer in net.layers])
        self._biases = np.concatenate([layer.biases for layer in net.layers])
        shapes = [n for layer in net.layers for n in (len(layer.biases), layer.shift)]
        self._shapes = np.array([*shapes, *net.results], np.int64)
        self._sums = np.concatenate([net.biases, net.biases])
        widest = max(len(net.biases), *(len(layer.biases) for layer in net.layers))
        self._seen = np.zeros(2 * net.words + MAX_FEATURE_WORDS, np.int64)
        self._clipped = np.zeros(widest, np.int16)
        #: The units of the last layer, after each position.
        self.outputs = np.zeros(max(widest, MAX_RESULTS), np.int32)
        self._staked = int(net.staked)
        self._numbers = (net.words, len(net.biases), len(net.layers), len(net.results))

    def fields(self) -> tuple[int, ...]:
        """The fields of a `NetMemory`."""
        arrays = (self._first, self._weights, self._biases, self._shapes)
        scratch = (self._sums, self._seen, self._clipped, self.outputs)
        addresses = (array.ctypes.data for array in (*arrays, *scratch, self._races))
        return *self._numbers, *addresses, len(self._races), self._staked


def net_value(s: Any, unit: int, net: NetMemory) -> int:
    """What a position seems worth to its viewer, where a utility of 1 is `unit`."""
    # Step 1. Bring the sums up to date.
    units = net.units
    p = viewer(s)
    seen = words_at(net.seen + (8 * net.words if p == MIN else 0), net.words)
    sums = ints_at(net.sums + (4 * units if p == MIN else 0), units)
    now = words_at(net.seen + 16 * net.words, MAX_FEATURE_WORDS)
    features(s, p, now)
    for i in range(net.words):
        changed = now[i] ^ seen[i]
        seen[i] = now[i]
        while changed != 0:
            bit = lsb(changed)
            changed = pop_lowest(changed)
            row = shorts_at(net.first + 2 * units * (64 * i + bit), units)
            if lsr(now[i], bit) & 1:
                for j in range(units):
                    sums[j] = plus(sums[j], row[j])
            else:
                for j in range(units):
                    sums[j] = minus(sums[j], row[j])

    # Step 2. The other layers.
    shapes = words_at(net.shapes, 2 * net.layers + net.results)
    weights = net.weights
    biases = net.biases
    outputs = sums
    for layer in range(net.layers):
        clipped = shorts_at(net.clipped, units)
        for j in range(units):
            clipped[j] = min(max(outputs[j], 0), ONE - 1)
        wide, shift = shapes[2 * layer], shapes[2 * layer + 1]
        begin = ints_at(biases, wide)
        outputs = ints_at(net.outputs, wide)
        for k in range(wide):
            row = shorts_at(weights + 2 * units * k, units)
            total = begin[k]
            for j in range(units):
                total = plus(total, times(clipped[j], row[j]))
            outputs[k] = total >> shift
        weights += 2 * units * wide
        biases += 4 * wide
        units = wide

    # Step 3. A margin, or the mean of the results by their chances.
    if net.results == 0:
        return rounded_mean(outputs[0] * unit, ONE)
    largest = outputs[0]
    for k in range(1, net.results):
        largest = max(largest, outputs[k])
    total_chance = 0
    total_result = 0
    for k in range(net.results):
        far = int(largest - outputs[k])
        if far < EXP_END:
            chance = EXP_COARSE[far >> EXP_BITS] * EXP_FINE[far & _FINE]
            total_chance += chance
            total_result += chance * shapes[2 * net.layers + k]
    return rounded_mean(total_result * unit, total_chance)


def judged(s: Any, unit: int, net: NetMemory) -> int:
    """What a position seems worth to MAX, where a utility of 1 is `unit`."""
    if HAS_RACE and net.race_items > 0:
        number = race(s)
        if is_open_race(number):
            return race_worth(number, unit, ints_at(net.races, net.race_items))
    if HAS_STAKED and net.staked != 0:
        seen = unstaked(s)
        value = net_value(seen, unit, net)
        return staked(s, -value if viewer(seen) == MIN else value, unit)
    value = net_value(s, unit, net)
    return -value if viewer(s) == MIN else value


@dataclass(slots=True, kw_only=True)
class Judging:
    """The memory of `judge`."""

    net: Annotated[NetMemory, NetMemory]


def judge(words: tuple[int, ...], memory: Boxed[Judging]) -> int:
    """The entry: what `Net.evaluate` says of a position."""
    value = judged(state(words), wrap(FINISHED), memory[0].net)
    return min(max(value, -MAX_VALUE), MAX_VALUE)


def judging(arrays: NetArrays) -> Judging:
    """The memory of `judge` for a net; keep its arrays as long."""
    memory = allocate(Judging)
    memory.net = arrays.fields()  # type: ignore[assignment]
    return memory
