"""A search thread's own memory: one array of words that holds all but the table.

One array rather than ten, because a function that calls itself passes each of its arguments at
every node. It begins with the shared words of `control`; the rest is laid out here.
"""

from typing import Any, Final, TypeAlias

from threefold.engine.control import CONTROL_WORDS
from threefold.rules.contract import MAX_MOVES

Memory: TypeAlias = Any  # an array of words

#: Plies from the root to the farthest leaf, extensions and quiescence included.
DEEPEST: Final = 512
#: As many moves of a principal variation are kept.
PV_LENGTH: Final = 64
#: Positions of the game so far that a search may have to recognise.
PAST_LENGTH: Final = 1024
#: Moves are told apart by so many of their values where statistics are kept of them.
_MOVE_SLOTS: Final = 1 << 12

# Where things begin.
_KILLERS: Final = CONTROL_WORDS  # two for each ply
PATH: Final = _KILLERS + 2 * DEEPEST  # the key of each ply's position
PAST: Final = PATH + DEEPEST  # the keys of the game so far, the latest first, and how many
_PV: Final = PAST + 1 + PAST_LENGTH  # for each ply how many moves, then the moves
_HISTORY: Final = _PV + DEEPEST * (PV_LENGTH + 1)  # for each player and move
_COUNTERS: Final = _HISTORY + 2 * _MOVE_SLOTS  # likewise
_MARKS: Final = _COUNTERS + 2 * _MOVE_SLOTS  # for each move, and the mark in use
_ROWS: Final = _MARKS + 1 + _MOVE_SLOTS  # for each ply its moves, and two numbers for each

#: Words before the rows, whose length depends on the game.
FIXED_WORDS: Final = _ROWS
ROW_COLUMNS: Final = 3


def moves_at(ply: int) -> int:
    """Where the moves of a ply are listed; a score for each follows, and room for a bound."""
    return _ROWS + ply * ROW_COLUMNS * MAX_MOVES


def killers_at(ply: int) -> int:
    """Where the two moves are that last refuted something at this ply."""
    return _KILLERS + 2 * ply


def pv_at(ply: int) -> int:
    """Where the best line from a ply on is: its length, then its moves."""
    return _PV + ply * (PV_LENGTH + 1)


def history_at(player: int, a: int) -> int:
    """Where it is kept how well a move has done."""
    return _HISTORY + player * _MOVE_SLOTS + (a & _MOVE_SLOTS - 1)


def counter_at(player: int, a: int) -> int:
    """Where the player's best answer to the other side's move is kept."""
    return _COUNTERS + player * _MOVE_SLOTS + (a & _MOVE_SLOTS - 1)


def new_mark(own: Memory) -> None:
    """Forget which moves are marked."""
    own[_MARKS] += 1


def mark(a: int, own: Memory) -> None:
    """Mark a move."""
    own[_MARKS + 1 + (a & _MOVE_SLOTS - 1)] = own[_MARKS]


def is_marked(a: int, own: Memory) -> bool:
    """Whether a move is marked."""
    return bool(own[_MARKS + 1 + (a & _MOVE_SLOTS - 1)] == own[_MARKS])


def extend_pv(ply: int, a: int, own: Memory) -> None:
    """The best line from a ply on is a move and then the next ply's best line."""
    here, below = pv_at(ply), pv_at(ply + 1)
    length = min(own[below], PV_LENGTH - 1)
    own[here] = length + 1
    own[here + 1] = a
    for i in range(length):
        own[here + 2 + i] = own[below + 1 + i]
