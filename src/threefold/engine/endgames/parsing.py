"""The shortest way to write a block: which cells to copy from where, and which to name.

It is found by dynamic programming: going from the end of a block to its beginning, what is the
cheapest way to write the rest from here? How many cells can be copied with a stride is then one
more than it was, or none. Costs are in parts of a bit. They depend on the class of the cell before,
as the codes do: see `coding`.

Cells that stand for no position may become anything. Before it is known what, they are taken to be
like the one before. So it can turn out that fewer cells can be copied than was thought. Then the
block goes on with what is the cheapest from there.

Strides come in the order of their use. One with which no more cells can be copied than with another
before it is passed over.
"""

from typing import Any, Final, TypeAlias

from threefold.engine.endgames.symbols import STEPS, least_length, step_of

Array: TypeAlias = Any  # of NumPy, or of compiled code

#: A cell that stands for no position; the others are the numbers of their kinds.
ANYTHING: Final = -1
#: Costs are in parts of a bit, so many.
PARTS: Final = 16
#: What a symbol costs that has no code.
NEVER: Final = 1 << 12
#: Of each copy, so many lengths are tried: all cells, and then the most for each shorter symbol.
_TRIED: Final = 4

#: The rows of the room that is needed, each as long as two blocks: the cells, with something in
#: place of `ANYTHING`, in the second half, and `_NOTHING` in the first one; the least costs from a
#: cell on; how many cells to write there; with which stride, or -1; how many cells can be copied
#: with each stride; and the cells as they will be decoded.
ROOM: Final = 6
_FILLED, _COSTS, _LENGTHS, _STRIDES, _MATCHES, _DECODED = range(ROOM)
_NOTHING: Final = -2
#: What a token says: the class of the cell before, the symbol, and the kind or the length.
TOKEN: Final = 3
CLASS, SYMBOL, CONTENT = range(TOKEN)


def find_cheapest(
    cells: Array, shift: int, strides: Array, copies: Array, kinds: Array, room: Array
) -> None:
    """Find the least costs from each cell of a block on, and what to write there.

    `copies` and `kinds` are the costs of symbols and of kinds, for each class.
    """
    before, costs, matches = room[_FILLED], room[_COSTS], room[_MATCHES]
    half, count, last = len(before) // 2, len(strides), 0
    filled = before[half:]
    for i in range(half):
        before[i] = _NOTHING
    for i in range(len(cells)):
        if cells[i] != ANYTHING:
            last = int(cells[i])
        filled[i] = last
    for k in range(count):
        matches[k] = 0
    costs[len(cells)] = 0
    for i in range(len(cells) - 1, -1, -1):
        cell = int(cells[i])
        of_class = int(filled[i - 1]) >> shift if i > 0 else 0
        best = int(kinds[of_class, filled[i]]) + int(costs[i + 1])
        best_length, best_stride, longest = 1, -1, 0
        if cell == ANYTHING:
            for k in range(count):
                matches[k] = (matches[k] + 1) * (strides[k] <= i)
        else:
            for k in range(count):
                matches[k] = (matches[k] + 1) * (before[half + i - strides[k]] == cell)
        for k in range(count):
            if matches[k] > longest:
                match = longest = int(matches[k])
                step = step_of(match)
                for _ in range(_TRIED):
                    cost = int(copies[of_class, STEPS * k + step]) + int(costs[i + match])
                    if cost < best:
                        best, best_length, best_stride = cost, match, k
                    match = least_length(step) - 1
                    step -= 1
                    if match == 0:
                        break
        costs[i] = best
        room[_LENGTHS, i] = best_length
        room[_STRIDES, i] = best_stride


def parse(
    cells: Array,
    shift: int,
    strides: Array,
    copies: Array,
    kinds: Array,
    room: Array,
    tokens: Array,
) -> int:
    """Write a block as tokens; return how many there are."""
    find_cheapest(cells, shift, strides, copies, kinds, room)
    decoded = room[_DECODED]
    first_kind = STEPS * len(strides) + 1
    i, n = 0, 0
    while i < len(cells):
        before = int(decoded[i - 1]) if i > 0 else 0
        of_class = before >> shift
        k, copied = int(room[_STRIDES, i]), 0
        if k >= 0:
            copied = copied_cells(cells, i, int(room[_LENGTHS, i]), int(strides[k]), decoded)
            while copied > 0 and copies[of_class, STEPS * k + step_of(copied)] >= NEVER:
                copied = least_length(step_of(copied)) - 1
        tokens[n, CLASS] = of_class
        if copied > 0:
            tokens[n, SYMBOL] = STEPS * k + step_of(copied)
            tokens[n, CONTENT] = copied
            i += copied
        else:
            decoded[i] = before if cells[i] == ANYTHING else cells[i]
            tokens[n, SYMBOL] = first_kind + decoded[i]
            tokens[n, CONTENT] = decoded[i]
            i += 1
        n += 1
    return n


def copied_cells(cells: Array, i: int, length: int, stride: int, decoded: Array) -> int:
    """Copy cells to `i` and after it as long as they are right; return how many there are."""
    for copied in range(length):
        cell, copy = int(cells[i + copied]), int(decoded[i + copied - stride])
        if cell != copy and cell != ANYTHING:
            return copied
        decoded[i + copied] = copy
    return length
