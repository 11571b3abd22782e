"""Rules on many positions at once: arrays in, arrays out.

Positions are a 2-D int64 array with a row for each field of the State. NumPy arrays give NumPy
arrays. If positions are on the device already (CuPy, PyTorch, JAX: anything with
`__cuda_array_interface__`), so are the answers, in arrays of that library, and nothing is copied.
"""

from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from threefold.engine.nets import Net
from threefold.engine.policy_nets import refuse_policy
from threefold.errors import IllegalMove
from threefold.gpu.driver import cuda
from threefold.gpu.kernels import Kernels, whole_numbers
from threefold.gpu.listing import checked, list_open
from threefold.gpu.net_values import NetOnDevice, net_values
from threefold.gpu.slots import ROW_TYPE, load, nowhere, store
from threefold.rules.contract import MAX_MOVES, evaluate, player, result, utility
from threefold.rules.game import Game
from threefold.rules.rebind import Function

S = TypeVar("S")


def evaluate_all(positions: Any, answers: Any) -> None:
    """The kernel: the static value of each position to MAX."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        answers[i] = evaluate(load(positions, i))


def utility_all(positions: Any, answers: Any) -> None:
    """The kernel: the utility to MAX of each position that is finished."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        answers[i] = utility(load(positions, i))


def player_all(positions: Any, answers: Any) -> None:
    """The kernel: whose turn it is in each position."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        answers[i] = player(load(positions, i))


def count_all(positions: Any, answers: Any, faults: Any) -> None:
    """The kernel: how many moves, or events, each position has; none once the game is over."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        n = list_open(load(positions, i), nowhere())
        answers[i] = n
        if n != checked(n):
            cuda.atomic.add(faults, 0, 1)


def list_all(positions: Any, moves: Any, answers: Any, faults: Any) -> None:
    """The kernel: the moves of each position in its own row, and how many there are."""
    row = cuda.local.array(MAX_MOVES, ROW_TYPE)
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        n = list_open(load(positions, i), row)
        answers[i] = n
        if n != checked(n):
            cuda.atomic.add(faults, 0, 1)
        for j in range(MAX_MOVES):
            moves[i, j] = int(row[j]) if j < n else 0


def result_all(positions: Any, moves: Any, after: Any) -> None:
    """The kernel: each position after its move."""
    for i in range(cuda.grid(1), positions.shape[1], cuda.gridsize(1)):
        store(after, i, result(load(positions, i), int(moves[i])))


class OnGpu(Kernels[S]):
    """A game's rules on arrays of positions."""

    def __init__(self, game: Game[S]) -> None:
        refuse_policy(game, "a GPU")
        super().__init__(game)
        self._net = NetOnDevice(game.net) if isinstance(game.net, Net) else None

    def evaluate(self, positions: Any) -> Any:
        """The static value of each position to MAX."""
        if self._net is None:
            return self._each(evaluate_all, positions)
        given = self.positions(positions)
        n = given.shape[1]
        answers = cuda.device_array(n, np.int64)
        with self.translate_device_errors():
            arguments = (given, *self._net.arguments(n), answers)
            self.kernel(net_values)(min(n, self._net.threads), *arguments)
        return self._like(positions, answers)

    def utility(self, positions: Any) -> Any:
        """The utility to MAX of each position that is finished."""
        return self._each(utility_all, positions)

    def player(self, positions: Any) -> Any:
        """Whose turn it is in each position."""
        return self._each(player_all, positions)

    def count(self, positions: Any) -> Any:
        """How many moves or chance events each position has; 0 once the game is over."""
        given = self.positions(positions)
        counts = cuda.device_array(given.shape[1], np.int64)
        self._run_checked(count_all, given, counts)
        return self._like(positions, counts)

    def actions(self, positions: Any) -> tuple[Any, Any]:
        """The moves or chance events of each position: a row for each, and how many there are."""
        given = self.positions(positions)
        n = given.shape[1]
        moves = cuda.device_array((n, self.game.facts.max_moves), np.int64)
        counts = cuda.device_array(n, np.int64)
        self._run_checked(list_all, given, moves, counts)
        return self._like(positions, moves), self._like(positions, counts)

    def result(self, positions: Any, moves: Any) -> Any:
        """The positions after a move each."""
        given = self.positions(positions)
        after = cuda.device_array(given.shape, np.int64)
        self._run(result_all, given, self._moves(moves, given.shape[1]), after)
        return self._like(positions, after)

    def _each(self, kernel: Function, positions: Any) -> Any:
        given = self.positions(positions)
        answers = cuda.device_array(given.shape[1], np.int64)
        self._run(kernel, given, answers)
        return self._like(positions, answers)

    def _run(self, kernel: Function, given: Any, *others: Any) -> None:
        with self.translate_device_errors():
            self.kernel(kernel)(given.shape[1], given, *others)

    def _run_checked(self, kernel: Function, given: Any, *others: Any) -> None:
        """The same for a kernel that lists moves, and reports impossible counts in a word."""
        faults = cuda.to_device(np.zeros(1, np.int64))
        self._run(kernel, given, *others, faults)
        if self.fetch(faults)[0]:
            raise self.bad_count()

    def _moves(self, given: Any, positions: int) -> Any:
        """Moves as the kernel takes them: a whole number for each position."""
        on_device = hasattr(given, "__cuda_array_interface__")
        moves = cuda.as_cuda_array(given) if on_device else whole_numbers(self.game, given)
        if moves.shape != (positions,) or moves.dtype.kind not in "iu":
            raise IllegalMove(
                f"{self.game.name}: {positions} positions need {positions} moves, integers in an "
                f"array; these are {moves.dtype} of shape {moves.shape}"
            )
        return moves if on_device else cuda.to_device(moves)

    def _like(self, given: Any, answers: Any) -> Any:
        """Answers where the positions are: on the device, or in the host's memory."""
        if not hasattr(given, "__cuda_array_interface__"):
            return self.fetch(answers)
        library = type(given).__module__.partition(".")[0]
        if library == "torch":
            return import_module("torch").as_tensor(answers, device=given.device)
        if library == "cupy":
            return import_module("cupy").asarray(answers)
        if library == "jaxlib":
            # JAX takes arrays by DLPack only, which numba-cuda's arrays do not offer.
            return import_module("jax.dlpack").from_dlpack(import_module("cupy").asarray(answers))
        return answers
