"""Looking a position up in a database of end-games, from compiled code.

Tables are mapped into memory, and compiled code is given their addresses. The smallest tables are
decoded as a whole. In others, a probe decodes one block, unless it is among those that the thread
has decoded already. Those are kept in a cache in which each block has one place only:

    tags     by place    the number of the block that is there, + 1
    blocks   by place    its cells, as the numbers of their kinds

The directory of tables is searched like the one of `sweeping`:

    0   the slice's number + 1, or 0 for an empty entry
    1   how many numbers the table has
    2   whether it has distances
    3   the length of its rows: see `layout`
    4   how wide its blocks are
    5   how deep
    6   the address of the ends of the blocks
    7   of the checksums
    8   of the data
    9   of the codes
    10  the number of its first block, among the blocks of all tables
    11  the seed of its checksums
    12  the address of all its values, if the whole table is decoded; otherwise 0
"""

from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.endgames.coding import (
    BLOCK,
    HEAD,
    cells_by_number,
    checksum,
    decode_block,
    table_length,
)
from threefold.engine.endgames.packing import PACKED
from threefold.engine.endgames.reachable import number_by_hash
from threefold.engine.endgames.values import DECIDED, NOTHING, SOMETIME, UNUSED
from threefold.engine.jit.instructions import bytes_at, ints_at, shorts_at, words_at
from threefold.engine.records import Boxed, Word
from threefold.rules.bits import mix, wrap
from threefold.rules.contract import HAS_ENDGAMES, number_of, slice_of, state

ENTRY: Final = 13
(
    SLICE,
    SIZE,
    DISTANCES,
    ROW,
    WIDE,
    DEEP,
    ENDS,
    CHECKS,
    DATA,
    CODES,
    FIRST_BLOCK,
    SEED,
    VALUES,
) = range(ENTRY)

#: A probe's answers that are no values of `values`: the position is not in the database, or its
#: table is damaged.
NOT_FOUND: Final = NOTHING
IS_DAMAGED: Final = UNUSED
#: Where blocks end are numbers without a sign.
_UNSIGNED: Final = 0xFFFFFFFF


@dataclass(slots=True, kw_only=True)
class DatabaseMemory:
    """Where a thread finds the tables and the blocks that it has decoded."""

    directory: Word = 0  # the address of the directory,
    last_entry: Word = 0  # and the number of its last entry: a power of two less one
    tags: Word = 0  # the addresses of the cache
    blocks: Word = 0
    last_place: Word = 0  # the number of its last place, likewise
    probes: Word = 0  # positions that were found
    decoded: Word = 0  # blocks that had to be decoded
    damaged: Word = 0  # the slice whose table is damaged
    slots: Word = 0  # where all positions are numbered by hashing: see `reachable`
    last_slot: Word = 0
    positions: Word = 0


def probe(s: Any, memory: DatabaseMemory) -> int:
    """The value of a position as `values` has it; `NOT_FOUND`, or `IS_DAMAGED`.

    In a table without distances, a win is `SOMETIME` and a loss `-SOMETIME`.
    """
    # Step 1. The table.
    of_slice = slice_of(s) if HAS_ENDGAMES else wrap(0)
    if of_slice < 0:
        return wrap(NOT_FOUND)
    directory = words_at(memory.directory, ENTRY * (memory.last_entry + 1))
    i = mix(of_slice) & memory.last_entry
    while directory[ENTRY * i + SLICE] != of_slice + 1:
        if directory[ENTRY * i + SLICE] == 0:
            return wrap(NOT_FOUND)
        i = i + 1 & memory.last_entry
    entry = words_at(memory.directory + 8 * ENTRY * i, ENTRY)

    # Step 2. The place. A table that is decoded already has the value there.
    if HAS_ENDGAMES:
        number = number_of(s)
    else:
        number = number_by_hash(s, memory.slots, memory.last_slot, memory.positions)
    if number < 0 or number >= entry[SIZE]:
        return wrap(NOT_FOUND)
    if entry[VALUES] != 0:
        memory.probes += 1
        return wrap(shorts_at(entry[VALUES] + 2 * number, 1)[0])

    # Step 3. The block.
    row, wide, deep = entry[ROW], entry[WIDE], entry[DEEP]
    down, right = number // row, number % row
    strips = (row + wide - 1) // wide
    block = down // deep * strips + right // wide
    offset, length = down % deep * wide + right % wide, wide * deep
    digit = wrap(0)
    if entry[DISTANCES] == 0:
        digit, offset, length = offset % PACKED, offset // PACKED, length // PACKED
    tag = entry[FIRST_BLOCK] + block + 1
    place = mix(tag) & memory.last_place
    tags = words_at(memory.tags + 8 * place, 1)
    cells = shorts_at(memory.blocks + 2 * BLOCK * place, BLOCK)
    codes = ints_at(entry[CODES], table_length(ints_at(entry[CODES], HEAD)))
    if tags[0] != tag:
        tags[0] = 0
        ends = ints_at(entry[ENDS], block + 1)
        begin = wrap(0) if block == 0 else wrap(ends[block - 1]) & _UNSIGNED
        end = wrap(ends[block]) & _UNSIGNED
        data = bytes_at(entry[DATA], end)
        check = ints_at(entry[CHECKS], block + 1)[block]
        sound = checksum(data, begin, end, entry[SEED] ^ block) == check
        if not (sound and decode_block(data, begin, end, codes, cells, length)):
            memory.damaged = of_slice
            return wrap(IS_DAMAGED)
        tags[0] = tag
        memory.decoded += 1

    # Step 4. The value.
    memory.probes += 1
    value = wrap(cells_by_number(codes)[cells[offset]])
    if entry[DISTANCES] != 0:
        return value
    for _ in range(digit):
        value //= 3
    return (value % 3 - 1) * SOMETIME


def is_decided(value: int) -> bool:
    """Whether a value of a game without margins says in how many plies it is won or lost."""
    return abs(value) > SOMETIME and abs(value) <= DECIDED


def probe_position(words: tuple[int, ...], memory: Boxed[DatabaseMemory]) -> int:
    """The entry: look up a position that is given as words."""
    return probe(state(words), memory[0])
