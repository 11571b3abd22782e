"""Functions as Numba has them once they are handed over, and the types of what they take."""

from types import FunctionType
from typing import Any

import numba
import numpy as np

#: The types of a word and of a row of them.
WORD = numba.int64
ROW = numba.int64[::1]


def jit(function: FunctionType, checked: bool, allocates: bool, outermost: bool = False) -> Any:
    """Hand a function to Numba; only what Python calls needs wrappers, a sixth of the compiling."""
    return numba.njit(
        nogil=True,
        boundscheck=checked,
        _nrt=allocates,
        no_cpython_wrapper=not outermost,
        no_cfunc_wrapper=not outermost,
    )(function)


def is_off() -> bool:
    """Whether NUMBA_DISABLE_JIT is set."""
    return bool(numba.config.DISABLE_JIT)


def type_of(argument: Any) -> Any:
    """The type that code for an argument is compiled for."""
    return numba.typeof(argument)


def kind(argument: Any) -> Any:
    """What to know arguments of one type by: Numba takes ten times as long to tell the type."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num
    if isinstance(argument, tuple):
        return tuple(map(kind, argument))
    return type(argument)


def is_fraction(returned: Any) -> bool:
    """Whether a function that returns this type returns a fraction."""
    return isinstance(returned, numba.types.Float)
