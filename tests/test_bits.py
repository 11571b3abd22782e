"""The Python bodies and the machine instructions agree on all of signed 64-bit."""

import re
from collections.abc import Callable
from inspect import signature
from typing import Any

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold.engine.jit import instructions  # noqa: F401  teaches Numba the primitives
from threefold.rules import bits
from threefold.rules.bits import GOLDEN

WORDS = st.integers(-(1 << 63), (1 << 63) - 1)
EDGES = [0, 1, -1, 2, -2, 1 << 62, -(1 << 62), (1 << 63) - 1, -(1 << 63), 0x5555555555555555]
COUNTS = [0, 1, 31, 32, 63, 64, 65, -1, 1 << 40]

UNARY = [f for f in (*bits.PRIMITIVES, bits.mix) if len(signature(f).parameters) == 1]
BINARY = [f for f in bits.PRIMITIVES if len(signature(f).parameters) == 2]


def compiled_unary(primitive: Callable[[int], int]) -> Any:
    return numba.njit("int64(int64)")(lambda x: primitive(x))


def compiled_binary(primitive: Callable[[int, int], int]) -> Any:
    return numba.njit("int64(int64, int64)")(lambda x, n: primitive(x, n))


@pytest.mark.parametrize("primitive", UNARY, ids=lambda f: f.__name__)
def test_unary_primitives_agree(primitive: Callable[[int], int]) -> None:
    compiled = compiled_unary(primitive)
    for x in EDGES:
        assert primitive(x) == compiled(x), x

    @given(WORDS)
    def agrees(x: int) -> None:
        assert primitive(x) == compiled(x)

    agrees()


@pytest.mark.parametrize("primitive", BINARY, ids=lambda f: f.__name__)
def test_binary_primitives_agree(primitive: Callable[[int, int], int]) -> None:
    compiled = compiled_binary(primitive)
    for x in EDGES:
        for y in (*COUNTS, *EDGES):
            assert primitive(x, y) == compiled(x, y), (x, y)

    @given(WORDS, WORDS)
    def agrees(x: int, y: int) -> None:
        assert primitive(x, y) == compiled(x, y)

    agrees()


@pytest.mark.parametrize(
    ("computed", "expected"),
    [
        (bits.shl(1, 63), -(1 << 63)),
        (bits.shl(1, 64), 1),
        (bits.lsr(-1, 63), 1),
        (bits.lsr(-1, 0), -1),
        (bits.popcount(-1), 64),
        (bits.lsb(0), 64),
        (bits.msb(0), -1),
        (bits.lsb(-(1 << 63)), 63),
        (bits.msb(-1), 63),
        (bits.lowest(-(1 << 63)), -(1 << 63)),
        (bits.highest(0b1011), 0b1000),
        (bits.highest(-1), -(1 << 63)),
        (bits.pop_lowest(-(1 << 63)), 0),
        (bits.pop_lowest(0), 0),
        (bits.byteswap(0xFF), -(1 << 56)),
        (bits.word((1 << 64) + 5), 5),
        (bits.word(0xFFFFFFFFFFFFFFFF), -1),
        (bits.add((1 << 63) - 1, 1), -(1 << 63)),
        (bits.sub(0, -(1 << 63)), -(1 << 63)),
        (bits.mul(1 << 62, 2), -(1 << 63)),
        (bits.wrap(-(1 << 63)), -(1 << 63)),
    ],
)
def test_meaning_at_the_edges(computed: int, expected: int) -> None:
    assert computed == expected


@pytest.mark.parametrize("past", [1 << 63, -(1 << 63) - 1, 3 * GOLDEN])
def test_wrap_refuses_what_compiled_arithmetic_gets_wrong(past: int) -> None:
    with pytest.raises(OverflowError, match=r"use add, sub or mul of threefold\.rules\.bits"):
        bits.wrap(past)


def test_wrapping_arithmetic_may_overflow() -> None:
    """An overflow without definition is marked `nsw`: no such mark where it may happen."""

    @numba.njit("int64(int64, int64)")  # type: ignore[untyped-decorator]
    def wraps(x: int, y: int) -> int:
        return bits.sub(bits.add(bits.mul(x, y), x), bits.mix(y))

    @numba.njit("int64(int64, int64)")  # type: ignore[untyped-decorator]
    def stays_in_range(x: int, y: int) -> int:
        return x * y

    assert not marked(wraps)
    assert marked(stays_in_range), "the mark is looked for in vain"


def marked(compiled: Any) -> list[str]:
    [emitted] = compiled.inspect_llvm().values()
    return re.findall(r"(?:add|sub|mul) (?:nuw )?nsw i64", emitted)


@given(st.lists(WORDS, min_size=2, max_size=2, unique=True))
def test_mix_is_one_to_one(words: list[int]) -> None:
    assert bits.mix(words[0]) != bits.mix(words[1])


def test_primitives_work_through_the_module_too() -> None:
    @numba.njit("int64(int64)")  # type: ignore[untyped-decorator]
    def through_module(x: int) -> int:
        return bits.popcount(x) + bits.mix(x)

    assert through_module(-5) == bits.popcount(-5) + bits.mix(-5)
