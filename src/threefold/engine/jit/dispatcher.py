"""Functions handed to Numba, and the types of what they take and return."""

from types import FunctionType
from typing import Any

import numba
import numpy as np

from threefold.engine.jit import private
from threefold.engine.jit.cache import EntryCache

#: The types of a word and of a row of them.
WORD = numba.int64
ROW = numba.int64[::1]

private.leave_output_alone("numba.core.errors")


def jit(
    function: FunctionType,
    checked: bool,
    allocates: bool,
    outermost: bool = False,
    fused: bool = False,
) -> Any:
    """Hand a function to Numba; skip the wrappers, a sixth of the compile time, if only inner.

    If `fused`, a product and a sum may be one instruction, which rounds once.
    """
    options = private.options(
        _nrt=allocates, no_cpython_wrapper=not outermost, no_cfunc_wrapper=not outermost
    )
    if fused:
        options["fastmath"] = {"contract"}
    return numba.njit(nogil=True, boundscheck=checked, **options)(function)


class Dispatcher:
    """A function that Numba compiles for each signature, or loads from its file in the cache."""

    def __init__(self, run: Any, digest: str, *, allocates: bool) -> None:
        #: What Python calls.
        self.run = run
        self._digest = digest
        self._allocates = allocates
        self._cache: EntryCache | None = None

    def keep(self, label: str) -> None:
        """Give it a file in the cache for each signature, unless what it needs could be missing."""
        if self._allocates and not private.can_start_memory_manager():
            return
        self._cache = EntryCache.attach(self.run, label, self._digest)

    def compile(self, signature: tuple[Any, ...]) -> None:
        """Compile it for arguments of these types, or load what was compiled before."""
        if self._allocates:
            private.start_memory_manager()
        self.run.compile(signature)

    def returned_type(self, signature: tuple[Any, ...]) -> Any:
        """Compile it for arguments of these types; return its return type."""
        self.run.compile(signature)
        return self.run.overloads[signature].signature.return_type

    def is_kept(self, signature: tuple[Any, ...] | None = None) -> bool:
        """Whether there is a file for a signature, or for any."""
        if self._cache is None:
            return False
        return self._cache.holds_any() if signature is None else self._cache.holds(signature)

    @property
    def from_cache(self) -> bool:
        """Whether it was loaded from its file."""
        return self._cache is not None and self._cache.hits > 0


def is_off() -> bool:
    """Whether NUMBA_DISABLE_JIT is set."""
    return bool(numba.config.DISABLE_JIT)


def type_of(argument: Any) -> Any:
    """The type that code for an argument is compiled for."""
    return numba.typeof(argument)


def kind(argument: Any) -> Any:
    """A cheap key for an argument's type: Numba takes ten times as long to name the type."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num
    if isinstance(argument, tuple):
        return tuple(map(kind, argument))
    return type(argument)


def is_fraction(returned: Any) -> bool:
    """Whether a function that returns this type returns a fraction."""
    return isinstance(returned, numba.types.Float)
