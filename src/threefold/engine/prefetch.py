"""Asking for memory before it is needed.

A large table lies outside the processor's caches, and a look-up waits as long as a hundred
instructions take. What is asked for early is there by then.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from threefold.engine.table import Table, bucket_of

_READ, _KEEP, _DATA = 0, 3, 1


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch_word(typingctx: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """The processor's hint that a word of an array will be read soon."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        number, address = ir.IntType(32), ir.IntType(8).as_pointer()
        place = builder.bitcast(builder.gep(data, [args[1]]), address)
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch", (address,), ir.FunctionType(ir.VoidType(), [address, *[number] * 3])
        )
        builder.call(hint, [place, number(_READ), number(_KEEP), number(_DATA)])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


def prefetch(hashed: int, table: Table) -> None:
    """Let the bucket of a position come near."""
    _prefetch_word(table, bucket_of(hashed, table))
