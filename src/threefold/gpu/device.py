"""A game's rules as CUDA device functions, and kernels made of them.

As on the CPU (`threefold.engine.compile`), a kernel is written once as a template that calls the
contract's names; the game's own functions are put in their place, each handed to numba-cuda.
Positions lie on the device as a struct of arrays: a row for each field, a column for each
position, so that neighbouring threads read neighbouring words.
"""

from types import FunctionType
from typing import Any, Generic, TypeVar

import numpy as np

from threefold.engine import refusals
from threefold.engine.compile import check_hooks, check_state, fingerprint, is_long_table
from threefold.errors import BadPosition, NotCompilable
from threefold.gpu import slots as gpu_slots
from threefold.gpu.driver import SIMULATED, check_device, cuda, device_name, multiprocessors
from threefold.gpu.inlining import kept_apart
from threefold.rules import bits
from threefold.rules.game import Game
from threefold.rules.rebind import Fingerprint, Function, Rebinder, slots

if SIMULATED:
    from threefold.gpu import simulation as code
else:
    from threefold.gpu import instructions as code  # type: ignore[no-redef]

S = TypeVar("S")

#: Threads of a block: a few warps, so that a block that is done makes room soon.
BLOCK = 2 if SIMULATED else 128
#: As many registers as a thread may have; None leaves that to the compiler.
MAX_REGISTERS: int | None = None
#: Blocks that the simulator runs.
BLOCKS = 2
#: What a multiprocessor has, from Volta to Blackwell: registers, and warps at a time.
REGISTERS = 1 << 16
MAX_WARPS = 64
#: A notebook that changes its rules all day does not fill memory with what it had before.
MAX_KERNELS = 256

_kernels: dict[str, "Kernel"] = {}


class Kernel:
    """A template as a kernel for one game."""

    def __init__(self, name: str, function: Any) -> None:
        self.name = name
        self._function = function

    def __call__(self, threads: int, *args: Any) -> None:
        """Run as many threads as there is work for, and at most as many as run at once."""
        blocks = min(-(-threads // BLOCK), self.prepare(*args))
        self._function[max(blocks, 1), BLOCK](*args)

    def prepare(self, *args: Any) -> int:
        """Compile for arguments like these; as many blocks as the device then runs at once."""
        if SIMULATED:
            return BLOCKS
        types = tuple(map(self._function.typeof_pyval, args))
        try:
            registers = self._function.compile(types).regs_per_thread
        except cuda_errors() as error:
            raise NotCompilable(
                f"{self.name} cannot run on the GPU: {refusals.sentence_of(error)}"
            ) from error
        # Registers are handed out to warps by 256.
        warp = -(-registers * 32 // 256) * 256
        blocks = min(MAX_WARPS, REGISTERS // warp) * 32 // BLOCK
        return multiprocessors() * max(int(blocks), 1)


def cuda_errors() -> tuple[type[BaseException], ...]:
    """What numba-cuda raises where it cannot compile."""
    from numba.core.errors import NumbaError

    return (NumbaError, NotImplementedError)


class OnGpu(Generic[S]):
    """A game's rules on the GPU."""

    def __init__(self, game: Game[S]) -> None:
        check_device()
        check_state(game)
        check_hooks(game)
        self.game = game
        self._digest = fingerprint(game)

    @property
    def device(self) -> str:
        """The name of the device."""
        return device_name()

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the State's fields, in the order of the rows of an array of positions."""
        return self.game.state_type._fields  # type: ignore[attr-defined,no-any-return]

    def kernel(self, template: Function) -> Kernel:
        """A template for this game; compiled at its first call."""
        assert isinstance(template, FunctionType)
        digest = Fingerprint(keep=bits.PRIMITIVES).add(template).add(self._digest).hexdigest()
        if digest not in _kernels:
            name = f"{self.game.name} {template.__name__}"
            _kernels[digest] = Kernel(name, bind(self.game, template))
            if len(_kernels) > MAX_KERNELS:
                del _kernels[next(iter(_kernels))]
        return _kernels[digest]

    def positions(self, given: Any) -> Any:
        """Positions as the kernels take them: an int64 array with a row for each field.

        States, or such an array: of NumPy, or on the device, by `__cuda_array_interface__`, where
        it stays.
        """
        if hasattr(given, "__cuda_array_interface__"):
            array = cuda.as_cuda_array(given)
        elif isinstance(given, np.ndarray):
            array = np.ascontiguousarray(given, np.int64)
        else:
            states = [tuple(s) for s in given]
            array = np.array(states, np.int64).reshape(len(states), len(self.fields)).T.copy()
        if array.ndim != 2 or array.shape[0] != len(self.fields) or array.dtype != np.int64:
            raise BadPosition(
                f"{self.game.name}: an array of positions is int64 and has {len(self.fields)} "
                f"rows, {', '.join(self.fields)}, and a column for each position; this one is "
                f"{array.dtype} and of shape {array.shape}"
            )
        return cuda.to_device(array) if isinstance(array, np.ndarray) else array

    def states(self, positions: Any) -> list[S]:
        """The States of an array of positions."""
        array = np.asarray(host(positions))
        return [self.game.state_type(*map(int, column)) for column in array.T]


def host(array: Any) -> Any:
    """An array's contents in the host's memory."""
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


def bind(game: Game[Any], template: FunctionType) -> Any:
    """A template with a game's functions as device functions, as a kernel yet to be compiled."""
    state_type = game.state_type
    apart = kept_apart(game)
    make, load, store = _state_functions(state_type)

    def convert(value: Any) -> Any:
        if value is state_type:
            return make
        return code.table(value) if is_long_table(value) else value

    def finish(twin: FunctionType) -> Any:
        return _called(twin) if twin.__code__ in apart else _device_function(twin)

    authored = Rebinder(exchange={}, host=__name__, convert=convert, finish=finish)
    exchange = {
        name: authored.twin(value, template=False) if isinstance(value, FunctionType) else value
        for name, value in slots(game).items()
    }
    exchange |= {
        id(gpu_slots.load): load,
        id(gpu_slots.store): store,
        id(gpu_slots.nowhere): code.nowhere,
        id(gpu_slots.ROW_TYPE): row_type(game),
    }
    return Rebinder(
        exchange=exchange,
        host=__name__,
        finish=lambda twin: (
            _kernel(twin) if twin.__name__ == template.__name__ else _device_function(twin)
        ),
    ).twin(template)


def row_type(game: Game[Any]) -> Any:
    """The narrowest integers that hold the moves of a game."""
    for narrow in (np.int8, np.int16, np.int32):
        if game.facts.move_range - 1 <= np.iinfo(narrow).max:
            return narrow
    return np.int64


def _kernel(twin: FunctionType) -> Any:
    """What Python launches."""
    return cuda.jit(twin) if SIMULATED else cuda.jit(max_registers=MAX_REGISTERS)(twin)


def _device_function(twin: FunctionType) -> Any:
    """What callers see of a function on the device."""
    if twin.__code__ in code.PRIMITIVES:
        return code.PRIMITIVES[twin.__code__]
    return twin if SIMULATED else cuda.jit(device=True)(twin)


def _called(twin: FunctionType) -> Any:
    """The same for a function that its callers call: a function around it says so."""
    if SIMULATED:
        return twin
    given = ", ".join(twin.__code__.co_varnames[: twin.__code__.co_argcount])
    namespace = {
        "__name__": __name__,
        "_inner": _device_function(twin),
        "_stay_apart": code.stay_apart,
    }
    exec(f"def _outer({given}):\n    _stay_apart()\n    return _inner({given})\n", namespace)
    outer: Any = namespace["_outer"]
    outer.__name__ = outer.__qualname__ = twin.__name__
    return cuda.jit(device=True)(outer)


def _state_functions(state_type: type) -> tuple[Any, Any, Any]:
    """What stands for the State class, and for `load` and `store`."""
    fields: tuple[str, ...] = state_type._fields  # type: ignore[attr-defined]
    namespace: dict[str, Any] = {"__name__": __name__, "_State": state_type, "_word": code.word}
    loaded = ", ".join(f"_word(positions[{i}, i])" for i in range(len(fields)))
    stores = "".join(f"    positions[{i}, i] = s.{field}\n" for i, field in enumerate(fields))
    source = (
        f"def _make({', '.join(fields)}):\n"
        f"    return _State({', '.join(f'_word({field})' for field in fields)})\n"
        f"def _load(positions, i):\n"
        f"    return _State({loaded})\n"
        f"def _store(positions, i, s):\n{stores}"
    )
    exec(source, namespace)
    defaults = tuple(state_type._field_defaults.values())  # type: ignore[attr-defined]
    namespace["_make"].__defaults__ = defaults
    make, load, store = (_device_function(namespace[n]) for n in ("_make", "_load", "_store"))
    return make, load, store
