"""Arithmetic on words: signed 64-bit integers, the same interpreted, compiled and on a GPU.

A Python integer grows where a machine word wraps around, and compiled `+`, `-` and `*` do neither:
the compiler takes for granted that they stay within 64 bits, and computes nonsense where they do
not. So wherever a rule may touch bit 63 or overflow, it goes through this module; everywhere else
plain `&`, `|`, `^`, `~`, `+`, `-`, `*`, `>>` on words mean the same in every way. These are the
Python bodies. `threefold.engine` supplies the machine instructions for the same names.

    bit      63   62   61  ...   2    1    0
    worth  -2**63  2**62      ...   4    2    1

Shift counts are taken modulo 64, as the hardware does, so that every count has a meaning and no
way pays for a test: `shl(x, 64) == x`.
"""

WORD_BITS = 64
_MASK = (1 << WORD_BITS) - 1
_SIGN = 1 << (WORD_BITS - 1)


def is_word(x: int) -> bool:
    """Whether an integer fits into 64 bits with its sign."""
    return -_SIGN <= x < _SIGN


def word(x: int) -> int:
    """The word with the lowest 64 bits of an integer of any size: `word(0xFFFFFFFFFFFFFFFF)` is -1.

    For constants. Rules that are compiled compute with `add`, `sub` and `mul`.
    """
    return ((x + _SIGN) & _MASK) - _SIGN


def wrap(x: int) -> int:
    """A word, unchanged: a plain integer where compiled code would see a literal or a bool.

    It refuses anything past 64 bits: by then a compiled `+`, `-` or `*` has already gone wrong.
    """
    if not is_word(x):
        raise OverflowError(
            f"wrap({x}) is past 64 bits, where compiled + - * go wrong; use add, sub or mul of "
            "threefold.rules.bits, and word for a constant"
        )
    return x


def add(x: int, y: int) -> int:
    """The sum, wrapping around past 64 bits."""
    return word(x + y)


def sub(x: int, y: int) -> int:
    """The difference, wrapping around past 64 bits; `sub(0, x)` is -x of any word."""
    return word(x - y)


def mul(x: int, y: int) -> int:
    """The product, wrapping around past 64 bits: its lowest 64 bits."""
    return word(x * y)


def shl(x: int, count: int) -> int:
    """Shift left; bits pushed past bit 63 are lost. `shl(1, n)` is square n of a bitboard."""
    return word(x << (count & 63))


def lsr(x: int, count: int) -> int:
    """Shift right and fill with zeros, where `x >> count` copies the sign."""
    return word((x & _MASK) >> (count & 63))


def popcount(x: int) -> int:
    """How many bits are set."""
    return (x & _MASK).bit_count()


def lsb(x: int) -> int:
    """The index of the lowest set bit, 64 if there is none."""
    return (x & -x & _MASK).bit_length() - 1 if x else WORD_BITS


def msb(x: int) -> int:
    """The index of the highest set bit, -1 if there is none."""
    return (x & _MASK).bit_length() - 1


def lowest(x: int) -> int:
    """The lowest set bit alone, 0 if there is none."""
    return word(x & -x)


def highest(x: int) -> int:
    """The highest set bit alone, 0 if there is none."""
    return shl(1, msb(x)) if x else 0


def pop_lowest(x: int) -> int:
    """The word without its lowest set bit; 0 stays 0."""
    return word(x & (x - 1))


def byteswap(x: int) -> int:
    """The eight bytes in reverse order: an 8×8 board upside down."""
    return word(int.from_bytes((x & _MASK).to_bytes(8, "little"), "big"))


def mix(x: int) -> int:
    """Scatter a word over all words, one to one: neighbors end up far apart.

    The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
    """
    x = mul(x ^ lsr(x, 30), -0x40A7B892E31B1A47)
    x = mul(x ^ lsr(x, 27), -0x6B2FB644ECCEEE15)
    return x ^ lsr(x, 31)


#: The odd constant by which SplitMix64 steps from word to word: 2⁶⁴ by the golden ratio.
GOLDEN = -0x61C8864680B583EB


#: What the compiled ways supply instructions for, in place of the bodies above.
PRIMITIVES = (
    wrap,
    add,
    sub,
    mul,
    shl,
    lsr,
    popcount,
    lsb,
    msb,
    lowest,
    highest,
    pop_lowest,
    byteswap,
)
