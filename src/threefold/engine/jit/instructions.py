"""What compiled code does in single instructions.

Importing this module teaches Numba the primitives of `threefold.rules.bits`; rules keep calling
them as they are. It also has the cast that every State field goes through, and the prefetch.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

from llvmlite import ir
from numba import TypingError, njit, types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

from threefold.rules import bits
from threefold.rules.rebind import Function

_FALSE = ir.Constant(ir.IntType(1), 0)
#: Arguments of the prefetch.
_READ, _KEEP, _DATA = 0, 3, 1


def _signed(n: int) -> Any:
    return ir.Constant(ir.IntType(64), n)


def _msb(b: Any, x: Any) -> Any:
    return b.sub(_signed(63), b.ctlz(x, _FALSE))


def _highest(b: Any, x: Any) -> Any:
    bit = b.shl(_signed(1), b.and_(_msb(b, x), _signed(63)))
    return b.select(b.icmp_signed("==", x, _signed(0)), _signed(0), bit)


#: The code that each primitive emits for its operands, which are words.
EMITTED: dict[Function, Callable[..., Any]] = {
    bits.wrap: lambda b, x: x,  # noqa: ARG005
    # Without the flag `nsw`, which Numba gives to + - * and which makes an overflow undefined.
    bits.add: lambda b, x, y: b.add(x, y),
    bits.sub: lambda b, x, y: b.sub(x, y),
    bits.mul: lambda b, x, y: b.mul(x, y),
    bits.shl: lambda b, x, n: b.shl(x, b.and_(n, _signed(63))),
    bits.lsr: lambda b, x, n: b.lshr(x, b.and_(n, _signed(63))),
    bits.popcount: lambda b, x: b.ctpop(x),
    bits.lsb: lambda b, x: b.cttz(x, _FALSE),
    bits.msb: _msb,
    bits.lowest: lambda b, x: b.and_(x, b.neg(x)),
    bits.highest: _highest,
    bits.pop_lowest: lambda b, x: b.and_(x, b.sub(x, _signed(1))),
    bits.byteswap: lambda b, x: b.bswap(x),
}


def emission(emit: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """The signature and code of an instruction, or None if an operand is not an integer."""
    given = [types.unliteral(operand) for operand in operands]
    if not all(isinstance(t, types.Integer | types.Boolean) for t in given):
        return None

    def codegen(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        pairs = zip(args, typed.args, strict=True)
        return emit(builder, *(context.cast(builder, a, t, types.int64) for a, t in pairs))

    return types.int64(*given), codegen


def _teach(primitive: Function, emit: Callable[..., Any]) -> None:
    """Let compiled code that calls `primitive` run one instruction instead."""
    parameters = tuple(signature(primitive).parameters)
    if parameters == ("x",):
        unary = intrinsic(lambda typingctx, x: emission(emit, (x,)))  # noqa: ARG005
        overload(primitive)(lambda x: lambda x: unary(x))  # noqa: ARG005
        return
    binary = intrinsic(lambda typingctx, x, y: emission(emit, (x, y)))  # noqa: ARG005
    if parameters == ("x", "count"):  # Numba compares the names
        overload(primitive)(lambda x, count: lambda x, count: binary(x, count))  # noqa: ARG005
    else:
        overload(primitive)(lambda x, y: lambda x, y: binary(x, y))  # noqa: ARG005


for _primitive, _emit in EMITTED.items():
    _teach(_primitive, _emit)

_mix = njit(bits.mix)
overload(bits.mix)(lambda x: lambda x: _mix(x))  # noqa: ARG005


def cast_to_word(typingctx: Any, x: Any) -> Any:  # noqa: ARG001
    """A State field as a word: booleans become 0 and 1, a float is refused."""
    typed = emission(EMITTED[bits.wrap], (x,))
    if typed is None:
        raise TypingError(f"a field of the state is {x}, but must be a whole number")
    return typed


def _prefetch_word(typingctx: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """The processor's hint that a word of an array will be read soon."""

    def codegen(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        data = context.make_array(typed.args[0])(context, builder, args[0]).data
        number, address = ir.IntType(32), ir.IntType(8).as_pointer()
        place = builder.bitcast(builder.gep(data, [args[1]]), address)
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch", (address,), ir.FunctionType(ir.VoidType(), [address, *[number] * 3])
        )
        builder.call(hint, [place, number(_READ), number(_KEEP), number(_DATA)])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


# Not as decorators: the functions stay in the namespace, and so in the digest of `fingerprint`.
word = intrinsic(cast_to_word)
prefetch_word = intrinsic(_prefetch_word)


def _array_at(item: Any) -> Any:
    """The instruction that takes numbers at an address in memory for an array."""
    array = types.Array(item, 1, "C")

    def array_at(typingctx: Any, address: Any, length: Any) -> Any:  # noqa: ARG001
        def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:
            made = context.make_array(array)(context, builder)
            size = _signed(item.bitwidth // 8)
            pointer = builder.inttoptr(args[0], made.data.type)
            populate_array(made, pointer, [args[1]], [size], size, None)
            return made._getvalue()

        return array(types.int64, types.int64), codegen

    return array_at


def _times(typingctx: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    """The product of two numbers of 16 bits, in 32: processors multiply many of them at once."""

    def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:  # noqa: ARG001
        wide = ir.IntType(32)
        return builder.mul(builder.sext(args[0], wide), builder.sext(args[1], wide))

    return types.int32(types.int16, types.int16), codegen


def _plus(typingctx: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    """The sum of two numbers of 32 bits, in 32; the second may have 16."""

    def codegen(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return builder.add(args[0], context.cast(builder, args[1], typed.args[1], types.int32))

    return types.int32(types.int32, types.int16 if y == types.int16 else types.int32), codegen


def _minus(typingctx: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    """The difference of a number of 32 bits and one of 16, in 32."""

    def codegen(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return builder.sub(args[0], context.cast(builder, args[1], typed.args[1], types.int32))

    return types.int32(types.int32, types.int16), codegen


bytes_at = intrinsic(_array_at(types.uint8))
shorts_at = intrinsic(_array_at(types.int16))
ints_at = intrinsic(_array_at(types.int32))
words_at = intrinsic(_array_at(types.int64))
times = intrinsic(_times)
plus = intrinsic(_plus)
minus = intrinsic(_minus)
