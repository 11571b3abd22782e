"""Listing moves on the device: part of every kernel.

Counts come back as the hooks return them; a kernel reports those that no row holds.
"""

from typing import Any

from threefold.gpu.slots import nowhere
from threefold.rules.contract import (
    CHANCE,
    DRAWN,
    HAS_DRAWN,
    HAS_OUTCOMES,
    MAX_MOVES,
    actions,
    drawn,
    outcomes,
    player,
)


def checked(n: int) -> int:
    """A count of moves, or 0 if no row holds that many."""
    return n if 0 <= n <= MAX_MOVES else 0


def list_moves(s: Any, row: Any) -> int:
    """The moves of `s`, where a player moves, into `row`; none once the game is over."""
    if HAS_DRAWN and drawn(s) == DRAWN:
        return 0
    return actions(s, row)


def list_open(s: Any, row: Any) -> int:
    """The moves, or nature's events, of `s` into `row`; none once the game is over."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return outcomes(s, row, nowhere())
    return list_moves(s, row)


def list_below(s: Any, row: Any) -> int:
    """The moves, or nature's events, into `row`, draws ignored; -1 where nature has no event."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        n = outcomes(s, row, nowhere())
        return n if n != 0 else -1
    return actions(s, row)
