"""What a net that proposes moves says of many positions at once: in NumPy, by matrix products.

The cells of all boards are the rows of one matrix, in the order of a page: each board row by row,
with an empty column at the end of every row and an empty row after each board. A neighbor in any
direction is then a fixed number of rows away, and a convolution of 3×3 is one product with a matrix
of nine cells to a row. What lands in the empty places is set to 0 again.
"""

from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from threefold.engine.nets import BadNet
from threefold.engine.policy_nets import PolicyNet

#: Cells, empty ones included, of which a layer's numbers stay in a processor's cache.
_CACHED_CELLS: Final = 3200


class PolicyValues:
    """A net ready to compute. One thread uses it at a time: it keeps its memory."""

    def __init__(self, net: PolicyNet[Any]) -> None:
        self.shape = shape = net.shape
        self._name = net.name
        self._weights = {name: each.astype(np.float32) for name, each in net.weights.items()}
        self._width = shape.columns + 1 if shape.planes else 1
        self._place = self._width * (shape.rows + 1) if shape.planes else 1
        #: Boards that are computed together.
        self._boards = max(_CACHED_CELLS // self._place, 1) if shape.planes else 256
        #: Before and behind the boards there is a row and a cell that stay empty.
        self._margin = self._width + 1 if shape.planes else 0
        first = shape.plane_words * 64
        self._plane_bits = np.array(
            [[plane * first + bit for plane in range(shape.planes)] for bit in shape.bits],
            np.int64,
        ).reshape(len(shape.bits), shape.planes)
        self._other_moves = np.array(shape.other_moves, np.int64)
        self._cell_moves = np.array(shape.cell_moves, np.int64)
        self._room: dict[tuple[str, int], Any] = {}

    def __call__(self, words: Any) -> tuple[Any, Any]:
        """For rows of words: the logits of all moves, and the value to the player to move."""
        logits, chances = self.outputs(words)
        return logits, chances[:, 2] - chances[:, 0]

    def outputs(self, words: Any) -> tuple[Any, Any]:
        """For rows of words: the logits of all moves, and the chances of the results."""
        n = len(words)
        logits = np.empty((n, self.shape.moves), np.float32)
        chances = np.empty((n, 3), np.float32)
        with np.errstate(all="ignore"):
            for begin in range(0, n, self._boards):
                end = min(begin + self._boards, n)
                logits[begin:end], chances[begin:end] = self._some(words[begin:end])
        if not (np.isfinite(logits).all() and np.isfinite(chances).all()):
            raise BadNet(f"{self._name}: its weights are too large to compute with")
        return logits, chances

    def _some(self, words: Any) -> tuple[Any, Any]:
        shape, weights, n = self.shape, self._weights, len(words)
        bits = np.unpackbits(
            np.ascontiguousarray(words).view(np.uint8).reshape(n, -1), axis=1, bitorder="little"
        )

        # Step 1. The first layer.
        plain = bits[:, 64 * shape.planes * shape.plane_words :].astype(np.float32)
        start = weights["first_biases"] + plain @ weights["plain_weights"]
        x, other = self._page("x", n), self._page("y", n)
        if shape.planes:
            seen = self._page("seen", n, shape.planes)
            self._boards_of(seen, n)[:] = bits[:, self._plane_bits].reshape(
                n, shape.rows, shape.columns, shape.planes
            )
            self._convolve(seen, weights["first_weights"], x, n)
            self._inner(x, n).reshape(n, self._place, -1)[:] += start[:, None, :]
        else:
            self._inner(x, n)[:] = start
        self._clip(x, n)

        # Step 2. The blocks.
        for block in range(shape.blocks):
            self._convolve(x, weights[f"block_{block}a_weights"], other, n)
            self._inner(other, n)[:] += weights[f"block_{block}a_biases"]
            self._clip(other, n)
            self._convolve(other, weights[f"block_{block}b_weights"], x, n, add=True)
            self._inner(x, n)[:] += weights[f"block_{block}b_biases"]
            self._clip(x, n)

        # Step 3. Moves and value.
        trunk = np.ascontiguousarray(self._boards_of(x, n)).reshape(n * shape.cells, -1)
        policy = np.maximum(trunk @ weights["policy_weights"] + weights["policy_biases"], 0)
        value = np.maximum(trunk @ weights["value_weights"] + weights["value_biases"], 0)
        return self._logits(trunk, policy, n), self._chances(value, n)

    def _logits(self, trunk: Any, policy: Any, n: int) -> Any:
        weights = self._weights
        if not self.shape.cell_moves:
            return policy.reshape(n, -1) @ weights["move_weights"] + weights["move_biases"]
        logits = np.empty((n, self.shape.moves), np.float32)
        logits[:, self._cell_moves] = (policy @ weights["cell_weights"]).reshape(n, -1)
        mean = trunk.reshape(n, self.shape.cells, -1).mean(axis=1)
        logits[:, self._other_moves] = mean @ weights["other_weights"] + weights["other_biases"]
        return logits

    def _chances(self, value: Any, n: int) -> Any:
        weights = self._weights
        units = value.reshape(n, -1) @ weights["unit_weights"] + weights["unit_biases"]
        outputs = np.maximum(units, 0) @ weights["result_weights"] + weights["result_biases"]
        likely = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return likely / likely.sum(axis=1, keepdims=True)

    # Pages of boards.

    def _page(self, name: str, n: int, channels: int | None = None) -> Any:
        """Room for the numbers of `n` boards, empty places and margins included: all 0 at first."""
        if (name, n) not in self._room:
            rows = n * self._place + 2 * self._margin
            self._room[name, n] = np.zeros((rows, channels or self.shape.channels), np.float32)
        return self._room[name, n]

    def _inner(self, page: Any, n: int) -> Any:
        """A page without its margins."""
        return page[self._margin : self._margin + n * self._place]

    def _boards_of(self, page: Any, n: int) -> Any:
        """The boards of a page, without the empty places."""
        if not self.shape.planes:
            return page[:, None, None, :]
        rows, columns = self.shape.rows, self.shape.columns
        boards = self._inner(page, n).reshape(n, rows + 1, columns + 1, page.shape[1])
        return boards[:, :rows, :columns]

    def _clip(self, page: Any, n: int) -> None:
        """Set negative numbers and empty places to 0."""
        np.maximum(page, 0, out=page)
        if self.shape.planes:
            boards = self._inner(page, n).reshape(n, self.shape.rows + 1, self._width, -1)
            boards[:, -1] = 0
            boards[:, :, -1] = 0

    def _convolve(self, page: Any, weights: Any, out: Any, n: int, *, add: bool = False) -> None:
        """Write a convolution of a page into another, or add it there."""
        target = self._inner(out, n)
        around = self._around(page, n) if self.shape.planes else page
        if not add:
            np.matmul(around, weights, out=target)
            return
        product = self._room.setdefault(("product", n), np.empty_like(target))
        np.matmul(around, weights, out=product)
        np.add(target, product, out=target)

    def _around(self, page: Any, n: int) -> Any:
        """For each place the numbers of the nine cells around it, side by side."""
        size, depth = n * self._place, page.shape[1]
        name = f"around {depth}"
        if (name, n) not in self._room:
            self._room[name, n] = np.empty((size, 3, 3 * depth), np.float32)
        copied, item = self._room[name, n], page.itemsize
        # Three cells of a row are next to each other in memory, and the next row is a width away.
        strides = (depth * item, self._width * depth * item, item)
        np.copyto(copied, as_strided(page, copied.shape, strides, writeable=False))
        return copied.reshape(size, -1)
