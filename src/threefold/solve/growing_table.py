"""Tables that take memory as the search needs it.

Most positions are solved with a table that fits in the processor's cache. Taking a gigabyte for
them would cost a thousand times as much as the search. So a table reserves all its addresses, which
is free, but starts with the first of them, and grows when there are more nodes than entries. It
keeps what it knows: a bucket lies at the same fraction of the table as before, so that each entry
moves up to where it will be looked for.
"""

from typing import Final, Protocol

import numpy as np

from threefold.engine.control import Control
from threefold.engine.table import BUCKET_WORDS, Table, new_table

#: The most megabytes that a table has at first: about what a processor's cache holds.
AT_FIRST: Final = 2
#: How many times larger it gets in one step.
FACTOR: Final = 8
#: The words that are moved between two looks at whether to stop.
_CHUNK: Final = 1 << 17
_ENTRY_WORDS: Final = 2
_WORDS_PER_MEGABYTE: Final = (1 << 20) // 8


class Search(Protocol):
    """A search that can be given another table."""

    def use(self, table: Table) -> None:
        """Use a table from now on."""


class GrowingTable:
    """A table with a limit in megabytes, and the search that uses it."""

    def __init__(self, search: Search, megabytes: int, control: Control) -> None:
        self._search = search
        self._control = control
        self._memory = new_table(megabytes)
        buckets = len(self._memory) // BUCKET_WORDS
        while buckets * BUCKET_WORDS > AT_FIRST * _WORDS_PER_MEGABYTE:
            buckets //= FACTOR
        self._resize(buckets * BUCKET_WORDS)

    @property
    def megabytes(self) -> int:
        """Its size now."""
        return self._size // _WORDS_PER_MEGABYTE

    @property
    def nodes_worthwhile(self) -> int | None:
        """With more nodes than this a larger table is better; None if this is the largest."""
        largest = self._size * FACTOR > len(self._memory)
        return None if largest else self._size // _ENTRY_WORDS

    def grow(self) -> None:
        """Grow, and keep everything that is known."""
        before = self._size
        self._resize(FACTOR * before)
        spread(self._memory, before, self._size, self._control)

    def _resize(self, words: int) -> None:
        self._size = words
        self._search.use(self._memory[:words])


class FixedTable:
    """A table that the system fills with memory as it is used, and that never has to grow."""

    nodes_worthwhile = None

    def __init__(self, megabytes: int) -> None:
        self.megabytes = megabytes

    def grow(self) -> None:
        """Nothing to do."""


def spread(memory: Table, before: int, after: int, control: Control) -> None:
    """Give the entries among the first `before` words their places among the first `after`.

    `after` is a multiple of `before`, so that no two buckets become one. Entries move in order from
    the last to the first, since none moves down. If this is stopped halfway, entries that have not
    moved are not found again: they are lost, but nothing is wrong.
    """
    buckets = after // BUCKET_WORDS
    for end in range(before, 0, -_CHUNK):
        if control.stop:
            return
        begin = max(0, end - _CHUNK)
        guarded, data = memory[begin:end].reshape(-1, _ENTRY_WORDS).T.copy()
        memory[begin:end] = 0
        used = np.flatnonzero(data)
        guarded, data = guarded[used], data[used]
        # Like `table.bucket_of`, for many at a time.
        upper = (guarded ^ data).view(np.uint64) >> np.uint64(32)
        bucket = (upper * np.uint64(buckets) >> np.uint64(32)).astype(np.int64)
        at = bucket * BUCKET_WORDS + used * _ENTRY_WORDS % BUCKET_WORDS
        memory[at] = guarded
        memory[at + 1] = data
