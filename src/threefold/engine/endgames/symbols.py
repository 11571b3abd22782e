"""The symbols that blocks of cells are written with.

The different cells of a table are its *kinds*. They have numbers, which begin at 0. A symbol says
that some cells are copied from earlier in the block, or which kind the next cell is of. The
distances to copy from are the table's *strides*.

    32 × i + s         copy cells from stride i back; s says how many
    32 × strides       the number of a kind follows, in 15 digits
    that + 1 + number  a kind

For few cells, up to seven, s is how many they are less one. From there on, each s stands for half
of the numbers with so many binary digits: those with the same first two. The other digits follow.

    s       0  1  2  3  4  5  6    7     8     9     10   ...     25
    cells   1  2  3  4  5  6  7  8-11  12-15 16-23 24-31  ...  4096-6143
    digits  0  0  0  0  0  0  0    2     2     3     3    ...     11
"""

from typing import Final

from threefold.rules.bits import msb

#: How many symbols each stride has.
STEPS: Final = 32
#: Up to so many cells, each number of them has an s of its own.
FEW: Final = 7
#: The binary digits of a kind's number.
KIND_DIGITS: Final = 15


def step_of(length: int) -> int:
    """The s of a copy of so many cells."""
    if length <= FEW:
        return length - 1
    first = msb(length)
    return FEW + 2 * (first - 3) + (length >> first - 1 & 1)


def digits_after(step: int) -> int:
    """How many digits follow an s."""
    return 0 if step < FEW else (step - FEW >> 1) + 2


def least_length(step: int) -> int:
    """The fewest cells that an s stands for."""
    return step + 1 if step < FEW else (2 | step - FEW & 1) << digits_after(step)
