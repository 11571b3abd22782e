"""A game's rules as CUDA device functions, and kernels made of them.

As on the CPU (`threefold.engine.compile`), a kernel is written once as a template that calls the
contract's names; the game's functions are put in their place, and each is handed to numba-cuda.
Positions are stored on the device as a struct of arrays: a row for each field, a column for each
position, so that neighboring threads read neighboring words.
"""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from threefold.engine import refusals
from threefold.engine.background import interrupt_later
from threefold.engine.compile import Compiled
from threefold.engine.diagnosis import broken_hook, check_hooks, check_state
from threefold.engine.jit.fingerprint import fingerprint
from threefold.engine.jit.tables import is_long_table
from threefold.engine.progress import StatusLine
from threefold.errors import BadPosition, BrokenRules, NoGpu, NotCompilable
from threefold.gpu import inlining
from threefold.gpu import slots as gpu_slots
from threefold.gpu.driver import (
    SIMULATED,
    check_device,
    compiled_for,
    compute_capability,
    cuda,
    device_name,
    failures,
    first_line,
    multiprocessors,
    registers,
    types_of,
)
from threefold.rules import bits, contract
from threefold.rules.game import Game
from threefold.rules.rebind import Fingerprint, Function, Rebinder, slots

if SIMULATED:
    from threefold.gpu import simulator as code
else:
    try:
        from threefold.gpu import instructions as code  # type: ignore[no-redef]
    except (ImportError, AttributeError) as error:  # another version of numba-cuda
        raise NoGpu(f"this numba-cuda cannot be used: {first_line(error)}") from error

S = TypeVar("S")

#: Threads in a block: a few warps, so that a block soon finishes and makes room.
BLOCK = 2 if SIMULATED else 128
#: The most registers that a thread of large rules may use. Their warps wait for instructions
#: rather than for data, so running more warps at once is worth spilling a few values.
LARGE_RULES_REGISTERS = 56
#: The number of blocks that the simulator runs.
BLOCKS = 2
#: What a multiprocessor has, from Volta to Blackwell: registers, and warps at a time. Some models
#: run fewer warps; the grid is then merely larger than necessary.
REGISTERS = 1 << 16
MAX_WARPS = 64
#: A notebook that changes its rules all day does not fill memory with what it had before.
MAX_KERNELS = 256

_kernels: dict[str, "Kernel"] = {}
_lock = threading.RLock()


class Kernel:
    """A template as a kernel for one game."""

    def __init__(self, name: str, function: Any, game: Game[Any]) -> None:
        self.name = name
        self._function = function
        self._game = game

    def __call__(self, threads: int, *args: Any, stream: Any = 0) -> None:
        """Run a thread for each piece of work, but no more than can run at the same time."""
        blocks = min(-(-threads // BLOCK), self.prepare(*args))
        self._function[max(blocks, 1), BLOCK, stream](*args)

    def prepare(self, *args: Any) -> int:
        """Compile for arguments like these; return how many blocks the device runs in parallel."""
        return BLOCKS if SIMULATED else multiprocessors() * self.blocks(self.compiled(*args))

    def compiled(self, *args: Any) -> Any:
        """The kernel compiled for arguments like these."""
        types = types_of(self._function, args)
        if (ready := compiled_for(self._function, types)) is not None:
            return ready
        progress = StatusLine(lambda seconds: f"compiling {self.name}… {seconds:.0f} s")
        with _lock, interrupt_later(), progress:
            try:
                self._function.compile(types)
            except code.COMPILER_ERRORS as error:
                raise self._diagnosis(error) from error
        return compiled_for(self._function, types)

    def _diagnosis(self, error: BaseException) -> NotCompilable:
        """Why it cannot be compiled: the hook, if that does not compile for the CPU either."""
        reason = refusals.sentence_of(error)
        general = NotCompilable(f"{self.name} cannot run on the GPU: {reason}")
        return broken_hook(Compiled(self._game)) or general

    def blocks(self, compiled: Any) -> int:
        """How many blocks a multiprocessor runs in parallel: as many as it has registers for."""
        # Registers are allocated to a warp in units of 256.
        warp = -(-registers(compiled) * 32 // 256) * 256
        return int(max(min(MAX_WARPS, REGISTERS // warp) * 32 // BLOCK, 1))


def check_loops(game: Game[Any]) -> None:
    """Refuse rules that call themselves: a GPU thread has hardly any stack."""
    for name, hook in game.hooks.items():
        if refusals.is_recursive(hook):
            raise NotCompilable(
                f"{game.name}: {name} is recursive, which a GPU cannot run; write a loop instead"
            )


class Kernels(Generic[S]):
    """A game's rules on the GPU, and what every use of them needs."""

    def __init__(self, game: Game[S]) -> None:
        check_device()
        if game.net is not None:
            game = game.weighing()  # a net is data: see `net_values`
        check_state(game)
        check_hooks(game)
        check_loops(game)
        self.game = game
        self._digest = fingerprint(game)

    @property
    def device(self) -> str:
        """The name of the device."""
        return device_name()

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the State's fields: the rows of an array of positions, in this order."""
        return self.game.state_type._fields  # type: ignore[attr-defined,no-any-return]

    def kernel(self, template: Function) -> Kernel:
        """A template for this game; compiled at its first call."""
        assert isinstance(template, FunctionType)
        about = Fingerprint(keep=bits.PRIMITIVES).add(template)
        digest = about.add((self._digest, _surroundings(compute_capability()))).hexdigest()
        if digest not in _kernels:
            name = f"{self.game.name} {template.__name__}"
            function = bind(self.game, template)
            code.keep(function, f"gpu {name}", digest)
            _kernels[digest] = Kernel(name, function, self.game)
            if len(_kernels) > MAX_KERNELS:
                del _kernels[next(iter(_kernels))]
        return _kernels[digest]

    def positions(self, given: Any) -> Any:
        """Positions as the kernels take them: an int64 array with a row for each field.

        They are given as States, or as such an array: NumPy's or a similar one, or one on the
        device, where it stays.
        """
        if hasattr(given, "__cuda_array_interface__"):
            array = cuda.as_cuda_array(given)
        elif hasattr(given, "__array__") or hasattr(given, "__dlpack__"):
            array = whole_numbers(self.game, given)
        else:
            array = self.columns(given)
        if array.ndim != 2 or array.shape[0] != len(self.fields) or array.dtype != np.int64:
            raise BadPosition(
                f"{self.game.name}: an array of positions is int64 and has {len(self.fields)} "
                f"rows, {', '.join(self.fields)}, and a column for each position; this one is "
                f"{array.dtype} and of shape {array.shape}"
            )
        return cuda.to_device(array) if isinstance(array, np.ndarray) else array

    def columns(self, states: Iterable[S]) -> Any:
        """States as an array with a row for each field."""
        listed = list(states)
        for s in listed:
            if not isinstance(s, tuple) or len(s) != len(self.fields):
                raise BadPosition(
                    f"{self.game.name}: {s!r} is not a {self.game.state_type.__name__}; give an "
                    "array or a sequence of states"
                )
        try:
            array = np.array(listed, np.int64).reshape(len(listed), len(self.fields))
        except (OverflowError, TypeError, ValueError) as error:
            raise BadPosition(f"{self.game.name}: a state is not made of words: {error}") from error
        return np.ascontiguousarray(array.T)

    def states(self, positions: Any) -> list[S]:
        """The States of an array of positions."""
        array = np.asarray(self.fetch(self.positions(positions)))
        return [self.game.state_type(*map(int, column)) for column in array.T]

    def send(self, host: Any, device: Any, stream: Any) -> None:
        """Copy an array to the device, in the order of a stream."""
        code.send(host, device, stream)

    def fetch(self, array: Any, into: Any = None, stream: Any = 0) -> Any:
        """Wait for the kernels of a stream, then copy an array to the host."""
        with self.translate_device_errors():
            found = array.copy_to_host(into, stream)
            if stream:
                stream.synchronize()
        return found

    @contextmanager
    def translate_device_errors(self) -> Iterator[None]:
        """Explain in one sentence why the device stopped, if it stops in the block."""
        try:
            yield
        except failures() as error:
            said = first_line(error)
            if "OUT_OF_MEMORY" in said:
                raise NoGpu(f"{self.game.name}: the GPU has too little memory left") from error
            raise BrokenRules(
                f"{self.game.name}: the GPU stopped ({said}), as it does where rules write past "
                "max_moves; threefold conformance shows what is wrong with them. Nothing more "
                "runs on it in this process"
            ) from error

    def bad_count(self) -> BrokenRules:
        """The error for a hook that returned an impossible number of moves."""
        return BrokenRules(
            f"{self.game.name}: actions or outcomes returned no count from 0 to max_moves="
            f"{self.game.facts.max_moves} for some position; threefold conformance shows which"
        )


def whole_numbers(game: Game[Any], given: Any) -> Any:
    """An array of integers as int64."""
    array = np.asarray(given)
    if array.dtype.kind not in "iub":
        raise BadPosition(f"{game.name}: {array.dtype} is not a type of integers")
    return np.ascontiguousarray(array, np.int64)


@cache
def _surroundings(capability: str) -> str:
    """A digest of what else shapes a kernel: versions, the kind of device, and our own code."""
    if SIMULATED:
        return ""
    sources = [Path(str(module.__file__)) for module in (code, inlining, sys.modules[__name__])]
    about = Fingerprint().add((version("numba-cuda"), capability))
    return about.add([source.read_text("utf-8") for source in sources]).hexdigest()


def bind(game: Game[Any], template: FunctionType) -> Any:
    """A template with a game's functions as device functions, as a kernel yet to be compiled."""
    state_type = game.state_type
    apart = inlining.kept_apart(game)
    made = _state_functions(state_type)

    def table(value: Any) -> Any:
        return code.table(value) if is_long_table(value) else value

    def convert(value: Any) -> Any:
        return made.make if value is state_type else table(value)

    def finish(twin: FunctionType) -> Any:
        return _called(twin) if twin.__code__ in apart else _device_function(twin)

    authored = Rebinder(exchange={}, host=__name__, convert=convert, finish=finish)
    exchange = {
        name: authored.twin(value, template=False) if isinstance(value, FunctionType) else value
        for name, value in slots(game).items()
    }
    exchange |= {
        id(gpu_slots.load): made.load,
        id(gpu_slots.store): made.store,
        id(contract.state): made.state,
        id(contract.words): made.words,
        id(gpu_slots.nowhere): code.nowhere,
        id(gpu_slots.ROW_TYPE): row_type(game),
    }
    return Rebinder(
        exchange=exchange,
        host=__name__,
        convert=table,
        finish=lambda twin: (
            _kernel(twin, large=bool(apart))
            if twin.__name__ == template.__name__
            else _device_function(twin)
        ),
    ).twin(template)


def row_type(game: Game[Any]) -> Any:
    """The narrowest integer type that holds the moves of a game."""
    for narrow in (np.int8, np.int16, np.int32):
        if game.facts.move_range - 1 <= np.iinfo(narrow).max:
            return narrow
    return np.int64


def _kernel(twin: FunctionType, *, large: bool) -> Any:
    """What Python launches."""
    if SIMULATED:
        return cuda.jit(twin)
    return cuda.jit(max_registers=LARGE_RULES_REGISTERS if large else None)(twin)


def _device_function(twin: FunctionType) -> Any:
    """What callers call for a function on the device."""
    if twin.__code__ in code.PRIMITIVES:
        return code.PRIMITIVES[twin.__code__]
    return twin if SIMULATED else cuda.jit(device=True)(twin)


def _called(twin: FunctionType) -> Any:
    """The same for a function that is not to be inlined: a function around it prevents that."""
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
    outer.__defaults__ = twin.__defaults__
    outer.__name__ = outer.__qualname__ = twin.__name__
    return cuda.jit(device=True)(outer)


class _StateFunctions(NamedTuple):
    """What replaces the State class, and the functions that read and write States."""

    make: Any
    load: Any
    store: Any
    state: Any
    words: Any


def _state_functions(state_type: type) -> _StateFunctions:
    """The functions of one State class on the device."""
    fields: tuple[str, ...] = state_type._fields  # type: ignore[attr-defined]
    namespace: dict[str, Any] = {"__name__": __name__, "_State": state_type, "_word": code.word}
    loaded = ", ".join(f"_word(positions[{i}, i])" for i in range(len(fields)))
    stores = "".join(f"    positions[{i}, i] = s.{field}\n" for i, field in enumerate(fields))
    source = (
        f"def make({', '.join(fields)}):\n"
        f"    return _State({', '.join(f'_word({field})' for field in fields)})\n"
        f"def load(positions, i):\n"
        f"    return _State({loaded})\n"
        f"def store(positions, i, s):\n{stores}"
        f"def state(row):\n"
        f"    return _State({', '.join(f'_word(row[{i}])' for i in range(len(fields)))})\n"
        f"def words(s):\n"
        f"    return ({' '.join(f's.{field},' for field in fields)})\n"
    )
    exec(source, namespace)
    defaults = tuple(state_type._field_defaults.values())  # type: ignore[attr-defined]
    namespace["make"].__defaults__ = defaults
    return _StateFunctions(*(_device_function(namespace[n]) for n in _StateFunctions._fields))
