"""The one door to numba-cuda: whether there is a device, with a clear message if there is none."""

import importlib
import importlib.util
import os
from typing import Any, Final

import numpy as np

from threefold.errors import NoGpu

#: Whether kernels are run by Python, as tests do on any machine (NUMBA_ENABLE_CUDASIM=1).
SIMULATED: Final = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")

#: Names that numba-cuda imports from NumPy though NumPy dropped them, with their new names.
_GONE = {"row_stack": "vstack", "trapz": "trapezoid", "in1d": "isin"}


def first_line(error: BaseException) -> str:
    """What an error of numba-cuda says, in one line."""
    lines = [line.strip(" :") for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith("Error at driver init")]
    return said[0].rstrip(".") if said else type(error).__name__


def _load() -> Any:
    """The module `numba.cuda`, as numba-cuda provides it."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise NoGpu('the GPU way needs numba-cuda: pip install "threefold[gpu]"')
    if importlib.util.find_spec("_numba_cuda_redirector") is not None:
        # Python does so when it starts, but only if numba-cuda is among the site packages.
        importlib.import_module("_numba_cuda_redirector")
    missing = [name for name in _GONE if not hasattr(np, name)]
    for name in missing:
        setattr(np, name, getattr(np, _GONE[name]))
    try:
        from numba import cuda
        from numba.cuda.core import config

        if not SIMULATED:  # otherwise on the first compilation, when the names are gone again
            importlib.import_module("numba.cuda.np.arrayobj")
    except Exception as error:  # a library is missing, or of a version that does not fit
        raise NoGpu(f"numba-cuda cannot be loaded: {first_line(error)}") from error
    finally:
        for name in missing:
            delattr(np, name)
    # Small grids are intended where there is little to do.
    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
    return cuda


cuda: Any = _load()


def check_device(instead: str = "the compiled way works without one") -> None:
    """Raise unless there is a device to run kernels on; say what to do instead."""
    if SIMULATED:
        return
    try:
        if not cuda.is_available() or len(cuda.gpus) == 0:
            cuda.current_context()
            raise NoGpu(f"there is no CUDA device on this machine; {instead}")
    except NoGpu:
        raise
    except Exception as error:
        raise NoGpu(
            f"there is no CUDA device to be used here ({first_line(error)}); {instead}"
        ) from error


def failures() -> tuple[type[BaseException], ...]:
    """What a call raises after the device stopped on an error; nothing works on it after that."""
    if SIMULATED:
        return ()
    return (importlib.import_module("numba.cuda.cudadrv.error").CudaDriverError,)


def device_name() -> str:
    """What the device is called."""
    if SIMULATED:
        return "CUDA simulator"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def multiprocessors() -> int:
    """How many of them the device has."""
    return 1 if SIMULATED else int(cuda.get_current_device().MULTIPROCESSOR_COUNT)


def free_memory() -> int:
    """How many bytes of the device's memory can be had."""
    if SIMULATED:
        return 1 << 62
    context = cuda.current_context()
    context.deallocations.clear()  # memory of arrays that are gone is otherwise freed later
    return int(context.get_memory_info().free)


def compute_capability() -> str:
    """The kind of device that code is made for."""
    return "" if SIMULATED else repr(cuda.get_current_device().compute_capability)


def types_of(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that a kernel is compiled for when it is called with these arguments."""
    return tuple(map(function.typeof_pyval, args))


def compiled_for(function: Any, signature: tuple[Any, ...]) -> Any:
    """The kernel for arguments of these types, or None if it is not compiled yet."""
    return function.overloads.get(signature)


def registers(kernel: Any) -> int:
    """How many registers each thread of a compiled kernel takes."""
    return int(kernel.regs_per_thread)
