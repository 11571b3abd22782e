"""Requesting memory before it is needed.

A large table does not fit in the processor's caches, and a look-up waits as long as a hundred
instructions take. An entry that was requested early has arrived by then.
"""

from threefold.engine.jit.instructions import prefetch_word
from threefold.engine.table import Table, bucket_of


def prefetch(hashed: int, table: Table) -> None:
    """Request the bucket of a position."""
    prefetch_word(table, bucket_of(hashed, table))
