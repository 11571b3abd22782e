"""The transposition table: what is known about a position, for when it comes up again.

It is a flat array of words, shared by all threads without locks. An entry is two words. Four
entries make a bucket, which is one line of the processor's cache:

    key ^ data | data      key ^ data | data      key ^ data | data      key ^ data | data

    data, from the lowest bit:  bound 2 | generation 2 | depth 8 | move 16 | value 36

Two threads may write to one entry at the same time, and a thread may read a half-written one. Then
`key ^ data` and `data` come from different writes, their exclusive or is the key of no position,
and the entry is not found: a torn entry is lost, never believed (Hyatt and Mann, 2002).

A lower bound and an upper bound together are an exact value, so `bound & BOUND_LOWER` is true for
both lower bounds and exact values.
"""

from typing import Any, Final, TypeAlias

from threefold.rules.bits import lsr, mix
from threefold.rules.contract import HAS_SYMMETRIES, key, symmetric_key

Table: TypeAlias = Any  # an array of words

BOUND_UPPER: Final = 1
BOUND_LOWER: Final = 2
BOUND_EXACT: Final = BOUND_LOWER | BOUND_UPPER

#: Added to the depth of a value that no evaluation affected: a deeper search will not change it.
PROVEN: Final = 128
GENERATIONS: Final = 4
#: No move; a real move with the same 16 bits is merely tried a little too early.
NO_MOVE: Final = -1

_WAYS: Final = 4
BUCKET_WORDS: Final = 2 * _WAYS
_MOVE_MASK: Final = (1 << 16) - 1


def position_key(s: Any) -> int:
    """The table's key for a position: the game's key, scattered over all words."""
    return mix(key(s))


def shared_key(s: Any) -> int:
    """The same for all positions that are symmetric to each other; more expensive."""
    return mix(symmetric_key(s)) if HAS_SYMMETRIES else mix(key(s))


def packed(value: int, move: int, depth: int, generation: int, bound: int) -> int:
    """An entry's data."""
    return value << 28 | (move & _MOVE_MASK) << 12 | depth << 4 | generation << 2 | bound


def value_of(data: int) -> int:
    """The value for the player to move, with plies to the end counted from the position."""
    return data >> 28


def move_of(data: int) -> int:
    """The lowest 16 bits of the best move."""
    return data >> 12 & _MOVE_MASK


def is_move(a: int, stored: int) -> bool:
    """Whether a move may be the one that an entry holds."""
    return a & _MOVE_MASK == stored


def bound_kind(value: int, alpha: int, beta: int) -> int:
    """Which kind of bound a search in a window has found."""
    if value >= beta:
        return BOUND_LOWER
    return BOUND_EXACT if value > alpha else BOUND_UPPER


def depth_to_store(depth: int, proven: bool) -> int:
    """What `depth_of` is to return: the depth, and whether the value is proven."""
    return min(depth, PROVEN - 1) + (PROVEN if proven else 0)


def depth_of(data: int) -> int:
    """How deep the search below was, plus `PROVEN` if it reached the end of every line."""
    return data >> 4 & 255


def bound_of(data: int) -> int:
    """Which kind of bound the value is; 0 for no entry."""
    return data & 3


def bucket_of(hashed: int, table: Table) -> int:
    """Where a position's bucket begins: the key's upper half, as a share of the table."""
    return (lsr(hashed, 32) * (len(table) // BUCKET_WORDS) >> 32) * BUCKET_WORDS


def probe(hashed: int, table: Table) -> int:
    """The data of a position; 0 if there is none."""
    at = bucket_of(hashed, table)
    for i in range(at, at + BUCKET_WORDS, 2):
        data = table[i + 1]
        if table[i] ^ data == hashed:
            return int(data)
    return 0


def store(hashed: int, data: int, table: Table) -> None:
    """Put an entry in place of the position's old one, or of the least useful in its bucket.

    An entry is worth its depth, and much less if it is from an earlier search.
    """
    at = bucket_of(hashed, table)
    generation = data >> 2 & 3
    place = at
    least = 1 << 20
    for i in range(at, at + BUCKET_WORDS, 2):
        old = table[i + 1]
        if table[i] ^ old == hashed:
            place = i
            break
        age = generation - (old >> 2) & (GENERATIONS - 1)
        worth = (old >> 4 & PROVEN - 1) - PROVEN * age if old & 3 else -4096
        if worth < least:
            least = worth
            place = i
    table[place] = hashed ^ data
    table[place + 1] = data


def new_table(megabytes: int) -> Table:
    """An empty table of about this size in MB, each bucket in one cache line.

    Nothing is cleared explicitly: the system supplies zeroed pages as they are touched.
    """
    import numpy as np

    words = max(1, (megabytes << 20) // (8 * BUCKET_WORDS)) * BUCKET_WORDS
    memory = np.zeros(words + BUCKET_WORDS, np.int64)
    skipped = -(memory.ctypes.data // 8) % BUCKET_WORDS
    return memory[skipped : skipped + words]
