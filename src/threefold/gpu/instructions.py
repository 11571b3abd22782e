"""`threefold.rules.bits`, the cast of State fields, tables and rows as CUDA code; and kept kernels.

Tables are in the device's global memory, where the threads of a warp can read different entries at
the same time. Constant memory, where numba-cuda puts arrays, serves them one after another and is
small. A table that several functions use is stored once: its name is the digest of its contents.

Only this file and `driver` import numba-cuda or use its private names.
"""

import hashlib
import operator
from collections.abc import Callable
from inspect import signature
from types import CodeType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import NumbaError, types
from numba.cuda.cudadrv.driver import LinkerError, host_to_device
from numba.cuda.cudadrv.error import CCSupportError, NvrtcError, NvvmError
from numba.cuda.datamodel.models import ArrayModel, OpaqueModel
from numba.cuda.extending import intrinsic, overload, register_model, typeof_impl
from numba.cuda.np.arrayobj import lower_constant

from threefold.engine.jit import private
from threefold.engine.jit.cache import EntryCache
from threefold.engine.jit.instructions import EMITTED, cast_to_word, emission
from threefold.gpu.driver import cuda

#: The address space of a device's memory.
_GLOBAL = 1

private.leave_output_alone("numba.cuda.core.errors")

#: What is raised when numba-cuda, or NVIDIA's compiler or linker after it, cannot compile.
COMPILER_ERRORS = (
    *(NumbaError, NotImplementedError),
    *(NvvmError, NvrtcError, LinkerError, CCSupportError),
)


# Words.


def _device_function(emit: Callable[..., Any], operands: int) -> Any:
    """A device function of one or two words that is one instruction, or nearly."""
    if operands == 1:
        unary = intrinsic(lambda typingctx, x: emission(emit, (x,)))  # noqa: ARG005
        return cuda.jit(device=True, forceinline=True)(lambda x: unary(x))
    binary = intrinsic(lambda typingctx, x, y: emission(emit, (x, y)))  # noqa: ARG005
    return cuda.jit(device=True, forceinline=True)(lambda x, y: binary(x, y))


#: What replaces each primitive of `bits`, by its code.
PRIMITIVES: dict[CodeType, Any] = {
    primitive.__code__: _device_function(emit, len(signature(primitive).parameters))
    for primitive, emit in EMITTED.items()
}


word = intrinsic(cast_to_word)


# Tables.


class Table(np.ndarray[Any, np.dtype[np.int64]]):
    """A table of the rules: an array with its own class, to recognize it by."""


class TableType(types.Array):  # type: ignore[misc]
    """The type of a table: an array that cannot be written to."""

    def __init__(self, ndim: int) -> None:
        super().__init__(types.int64, ndim, "C", readonly=True, name=f"Table{ndim}")

    def copy(self, dtype: Any = None, ndim: int | None = None, **others: Any) -> Any:
        """What type inference calls for the type of a constant array and of its rows."""
        if dtype in (None, self.dtype) and ndim in (None, self.ndim):
            return self
        return types.Array(dtype or self.dtype, ndim, others.get("layout", "C"), readonly=True)


def table(value: Any) -> Table:
    """A tuple of integers, or of equally long tuples of them, as a table."""
    return np.array(value, np.int64).view(Table)


register_model(TableType)(ArrayModel)


@typeof_impl.register(Table)  # type: ignore[untyped-decorator]
def _typeof_table(value: Table, _: Any) -> TableType:
    return TableType(value.ndim)


@lower_constant(TableType)  # type: ignore[untyped-decorator]
def _lower_table(context: Any, builder: Any, of: TableType, value: Table) -> Any:
    content = ir.ArrayType(ir.IntType(64), value.size)
    digest = hashlib.sha256(value.tobytes()).hexdigest()[:32]
    name = f"threefold_table_{digest}"
    variable = builder.module.globals.get(name)
    if variable is None:
        variable = ir.GlobalVariable(builder.module, content, name, addrspace=_GLOBAL)
        variable.linkage = "linkonce_odr"
        variable.global_constant = True
        variable.align = 8
        variable.initializer = ir.Constant(content, [int(word) for word in value.flat])
    generic = builder.addrspacecast(variable, ir.PointerType(content), "generic")
    array = context.make_array(of)(context, builder)
    context.populate_array(
        array,
        data=builder.bitcast(generic, array.data.type),
        shape=[context.get_constant(types.intp, n) for n in value.shape],
        strides=[context.get_constant(types.intp, n) for n in value.strides],
        itemsize=array.itemsize,
        parent=array.parent,
        meminfo=None,
    )
    return array._getvalue()


# Rows.


class NowhereType(types.Opaque):  # type: ignore[misc]
    """The type of a row that discards what is written to it: see `nowhere`."""

    def __init__(self) -> None:
        super().__init__("Nowhere")


_nowhere_type = NowhereType()
register_model(NowhereType)(OpaqueModel)


@intrinsic  # type: ignore[untyped-decorator]
def nowhere(typingctx: Any) -> Any:  # noqa: ARG001
    """A row for rules that are only asked how many moves there are."""
    return _nowhere_type(), lambda context, *_: context.get_dummy_value()


#: Without annotations, which numba-cuda would compare.
overload(operator.setitem)(
    lambda row, index, value: (  # noqa: ARG005
        (lambda row, index, value: None) if isinstance(row, NowhereType) else None  # noqa: ARG005
    )
)


# Calls.


@intrinsic  # type: ignore[untyped-decorator]
def stay_apart(typingctx: Any) -> Any:  # noqa: ARG001
    """Inside a function: keeps its code from being inlined into callers."""

    def codegen(context: Any, builder: Any, *_: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


# Arrays.


def send(host: Any, device: Any, stream: Any) -> None:
    """Copy an array to one of the same shape on the device; the array's method takes 0.2 ms."""
    host_to_device(device, host, host.nbytes, stream)


# Kernels on disk.


def keep(function: Any, label: str, digest: str) -> None:
    """Give a kernel a file in the cache."""
    KernelCache.attach(function, label, digest)


class KernelCache(EntryCache):
    """The cache of one kernel: what is kept is machine code for the kind of device."""

    _REBUILD = "numba.cuda.dispatcher:_Kernel._rebuild"
    _DUMPS = "numba.cuda.serialize:dumps"
    NEEDS = ("numba.cuda.dispatcher:_Kernel._reduce_states", _REBUILD, _DUMPS)

    def _reduce(self, data: Any) -> bytes | None:
        payload: bytes = private.find(self._DUMPS)(data._reduce_states())
        return payload

    def _rebuild(self, target_context: Any, content: Any) -> Any:  # noqa: ARG002
        # Without `target_context.refresh()`, which loads the compiler: there is nothing to compile.
        return private.find(self._REBUILD)(**content)
