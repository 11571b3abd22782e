"""What a net that proposes moves says of many positions at once.

The driver of `threefold.engine.policy_layers`: it lays the weights out as those layers read them,
and keeps the memory that they need. What a net says of a position does not depend on which others
are computed with it.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final

import numpy as np

from threefold.engine.jit.entries import Routine
from threefold.engine.nets import BadNet
from threefold.engine.policy_layers import BLOCK, CHANNELS, finish_boards, judge_boards
from threefold.engine.policy_nets import (
    POLICY_CHANNELS,
    VALUE_CHANNELS,
    VALUE_UNITS,
    PolicyNet,
    Shape,
)

#: Places, empty ones included, of which a layer's numbers stay in a processor's cache.
_CACHED_PLACES: Final = 2048


@cache
def _routines() -> tuple[Routine, Routine]:
    """What computes the layers, compiled once for all games and nets."""
    return Routine("net", judge_boards), Routine("net's answers", finish_boards)


class PolicyValues:
    """A net ready to compute. One thread uses it at a time: it keeps its memory."""

    def __init__(self, net: PolicyNet[Any]) -> None:
        self.shape = shape = net.shape
        self._name = net.name
        #: Boards that are computed together.
        self._boards = max(_CACHED_PLACES // _places(shape), 1)
        weights = {name: each.astype(np.float32) for name, each in net.weights.items()}
        self._trunk = _trunk(shape, weights)
        self._heads = _heads(shape, weights)
        self._rooms: dict[int, _Room] = {}

    def __call__(self, words: Any) -> tuple[Any, Any]:
        """For rows of words: the logits of all moves, and the value to the player to move."""
        logits, chances = self.outputs(words)
        return logits, chances[:, 2] - chances[:, 0]

    def outputs(self, words: Any) -> tuple[Any, Any]:
        """For rows of words: the logits of all moves, and the chances of the results."""
        n = len(words)
        logits = np.zeros((n, self.shape.moves), np.float32)
        results = np.zeros((n, 3), np.float32)
        for begin in range(0, n, self._boards):
            some = slice(begin, min(begin + self._boards, n))
            self._compute(np.ascontiguousarray(words[some]), logits[some], results[some])
        with np.errstate(all="ignore"):
            likely = np.exp(results - results.max(axis=1, keepdims=True))
            chances = likely / likely.sum(axis=1, keepdims=True)
        if not (np.isfinite(logits).all() and np.isfinite(chances).all()):
            raise BadNet(f"{self._name}: its weights are too large to compute with")
        return logits, chances

    def _compute(self, words: Any, logits: Any, results: Any) -> None:
        """Write the logits of the moves and of the results of a few boards."""
        n = len(words)
        if n not in self._rooms:
            self._rooms[n] = _Room(self.shape, n)
        room = self._rooms[n]
        judge, finish = _routines()
        judge(
            *(words, *self._trunk, room.cells, room.inside, _width(self.shape), room.margin),
            *(room.seen, room.x, room.y, room.sums, room.policy, room.value),
        )
        finish(
            *(room.policy, room.value, room.x, room.cells, *self._heads, room.units),
            *(logits, results),
        )


class SharedValues:
    """A net whose positions several threads share; what it says does not depend on how many."""

    def __init__(self, net: PolicyNet[Any], threads: int) -> None:
        self._values = [PolicyValues(net) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)

    def __call__(self, words: Any) -> tuple[Any, Any]:
        """As `PolicyValues` has it."""
        parts = [part for part in np.array_split(words, len(self._values)) if len(part)]
        logits, values = zip(*self._pool.map(_judged, self._values, parts), strict=True)
        return np.concatenate(logits), np.concatenate(values)


def _judged(values: PolicyValues, words: Any) -> tuple[Any, Any]:
    return values(words)


class _Room:
    """The pages for so many boards: see `policy_layers`."""

    def __init__(self, shape: Shape, boards: int) -> None:
        width, places = _width(shape), _places(shape)
        self.margin = width + 1 if shape.planes else 0
        size = -(-boards * places // BLOCK) * BLOCK
        rows, columns = np.divmod(np.arange(shape.cells), shape.columns)
        of_board = rows * width + columns
        #: For each board the places of its cells, and for each place whether a cell is there.
        self.cells = self.margin + places * np.arange(boards)[:, None] + of_board
        self.inside = np.zeros(size, np.float32)
        self.inside[self.cells - self.margin] = 1

        def page(channels: int) -> Any:
            return np.zeros((channels, size + 2 * self.margin), np.float32)

        channels = _padded(shape.channels)
        self.seen, self.x, self.y = page(shape.planes), page(channels), page(channels)
        self.policy, self.value = page(POLICY_CHANNELS), page(VALUE_CHANNELS)
        self.sums = np.zeros(CHANNELS * BLOCK, np.float32)
        self.units = np.zeros(VALUE_UNITS, np.float32)


def _width(shape: Shape) -> int:
    """How many places a row of a board takes: there is an empty one behind it."""
    return shape.columns + 1 if shape.planes else 1


def _places(shape: Shape) -> int:
    """How many places a board takes."""
    return _width(shape) * (shape.rows + 1) if shape.planes else 1


def _padded(channels: int) -> int:
    """As many channels as are computed: the rest stay 0."""
    return -(-channels // CHANNELS) * CHANNELS


def _trunk(shape: Shape, weights: Mapping[str, Any]) -> tuple[Any, ...]:
    """The weights of all layers as `judge_boards` takes them, and the bits of planes and cells."""
    channels = _padded(shape.channels)
    more = channels - shape.channels

    def layer(name: str, neighbors: int, *, inputs: int = channels) -> Any:
        """The weights by output, input and neighbor."""
        given = weights[f"{name}_weights"]
        rows, outputs = given.shape
        given = given.reshape(neighbors, rows // neighbors, outputs).transpose(2, 1, 0)
        padded = np.zeros((_padded(outputs), inputs, neighbors), np.float32)
        padded[:outputs, : given.shape[1]] = given
        return padded

    def biases(name: str) -> Any:
        return np.pad(weights[f"{name}_biases"], (0, more))

    names = [f"block_{block}{half}" for block in range(shape.blocks) for half in "ab"]
    first = 64 * shape.plane_words
    return (
        layer("first", shape.reach, inputs=shape.planes),
        np.pad(weights["plain_weights"], ((0, 0), (0, more))),
        biases("first"),
        np.stack([layer(name, shape.reach) for name in names]),
        np.stack([biases(name) for name in names]),
        *(layer("policy", 1), weights["policy_biases"]),
        *(layer("value", 1), weights["value_biases"]),
        np.array(
            [[plane * first + bit for bit in shape.bits] for plane in range(shape.planes)], np.int64
        ).reshape(shape.planes, len(shape.bits)),
    )


def _heads(shape: Shape, weights: Mapping[str, Any]) -> tuple[Any, ...]:
    """What moves and results are made of, as `finish_boards` takes it."""
    none, no_biases = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)
    return (
        np.array(shape.cell_moves, np.int64),
        weights.get("cell_weights", none),
        np.array(shape.other_moves, np.int64),
        *(weights.get("other_weights", none), weights.get("other_biases", no_biases)),
        *(weights.get("move_weights", none), weights.get("move_biases", no_biases)),
        *(weights["unit_weights"], weights["unit_biases"]),
        *(weights["result_weights"], weights["result_biases"]),
    )
