"""Rules on many positions at once: arrays in, arrays out.

Positions are a 2-D int64 array with a row for each field of the State. Arrays of NumPy come back
as such; where positions are on the device already (CuPy, PyTorch, JAX: anything with
`__cuda_array_interface__`), so are the answers, in arrays of that library, and nothing is copied.
"""

from importlib import import_module
from typing import Any

import numpy as np

from threefold.gpu.device import OnGpu
from threefold.gpu.driver import cuda
from threefold.gpu.slots import load, nowhere, store
from threefold.rules.contract import (
    CHANCE,
    DRAWN,
    HAS_DRAWN,
    HAS_OUTCOMES,
    actions,
    drawn,
    evaluate,
    outcomes,
    player,
    result,
    utility,
)
from threefold.rules.rebind import Function


def evaluate_all(positions: Any, answers: Any) -> None:
    """The kernel: the static value of each position to MAX."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        answers[i] = evaluate(load(positions, i))


def utility_all(positions: Any, answers: Any) -> None:
    """The kernel: what each position, if it is finished, is worth to MAX."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        answers[i] = utility(load(positions, i))


def player_all(positions: Any, answers: Any) -> None:
    """The kernel: whose turn it is in each position."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        answers[i] = player(load(positions, i))


def count_all(positions: Any, answers: Any) -> None:
    """The kernel: how many moves, or events, each position has; none once the game is over."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        s = load(positions, i)
        if HAS_OUTCOMES and player(s) == CHANCE:
            answers[i] = outcomes(s, nowhere(), nowhere())
        elif HAS_DRAWN and drawn(s) == DRAWN:
            answers[i] = 0
        else:
            answers[i] = actions(s, nowhere())


def list_all(positions: Any, moves: Any, answers: Any) -> None:
    """The kernel: the moves of each position into a row of its own, and how many they are."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        s = load(positions, i)
        answers[i] = 0 if HAS_DRAWN and drawn(s) == DRAWN else actions(s, moves[i])


def result_all(positions: Any, moves: Any, after: Any) -> None:
    """The kernel: each position after its move."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        store(after, i, result(load(positions, i), int(moves[i])))


class Batches:
    """A game's rules on arrays of positions."""

    def __init__(self, on_gpu: OnGpu[Any]) -> None:
        self._on_gpu = on_gpu

    def evaluate(self, positions: Any) -> Any:
        """The static value of each position to MAX."""
        return self._each(evaluate_all, positions)

    def utility(self, positions: Any) -> Any:
        """What each position, if it is finished, is worth to MAX."""
        return self._each(utility_all, positions)

    def player(self, positions: Any) -> Any:
        """Whose turn it is in each position."""
        return self._each(player_all, positions)

    def count(self, positions: Any) -> Any:
        """How many moves, or events of nature, each position has; 0 once the game is over."""
        return self._each(count_all, positions)

    def actions(self, positions: Any) -> tuple[Any, Any]:
        """The moves of each position, a row for each, and how many of its row are moves."""
        given = self._on_gpu.positions(positions)
        moves = cuda.device_array((given.shape[1], self._on_gpu.game.facts.max_moves), np.int64)
        counts = cuda.device_array(given.shape[1], np.int64)
        self._on_gpu.kernel(list_all)(given.shape[1], given, moves, counts)
        return self._like(positions, moves), self._like(positions, counts)

    def result(self, positions: Any, moves: Any) -> Any:
        """The positions after a move each."""
        given = self._on_gpu.positions(positions)
        chosen = (
            cuda.as_cuda_array(moves)
            if hasattr(moves, "__cuda_array_interface__")
            else cuda.to_device(np.ascontiguousarray(moves, np.int64))
        )
        after = cuda.device_array(given.shape, np.int64)
        self._on_gpu.kernel(result_all)(given.shape[1], given, chosen, after)
        return self._like(positions, after)

    def _each(self, kernel: Function, positions: Any) -> Any:
        given = self._on_gpu.positions(positions)
        answers = cuda.device_array(given.shape[1], np.int64)
        self._on_gpu.kernel(kernel)(given.shape[1], given, answers)
        return self._like(positions, answers)

    def _like(self, given: Any, answers: Any) -> Any:
        """Answers where the question came from: on the device, or in the host's memory."""
        if not hasattr(given, "__cuda_array_interface__"):
            return self._on_gpu.fetch(answers)
        library = type(given).__module__.partition(".")[0]
        if library == "torch":
            return import_module("torch").as_tensor(answers, device=given.device)
        if library == "cupy":
            return import_module("cupy").asarray(answers)
        if library == "jaxlib":
            # JAX takes arrays by DLPack alone, which numba-cuda's do not speak.
            return import_module("jax.dlpack").from_dlpack(import_module("cupy").asarray(answers))
        return answers
