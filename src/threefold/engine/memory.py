"""The memory of one search thread: everything it keeps besides the table.

One record rather than ten arrays, because a function that calls itself passes each of its
arguments at every node.
"""

from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from threefold.engine.control import Control
from threefold.engine.endgames.probing import DatabaseMemory
from threefold.engine.net_value import NetMemory
from threefold.engine.records import WORD, Word
from threefold.engine.selectivity import Selectivity
from threefold.rules.contract import MAX_MOVES, MAX_TERMS

#: Plies from the root to the farthest leaf, extensions and quiescence included.
DEEPEST: Final = 512
#: How many moves of a principal variation are kept.
PV_LENGTH: Final = 64
#: Positions of the game so far that a search may have to recognize.
PAST_LENGTH: Final = 1024
#: Statistics distinguish this many moves.
_MOVE_SLOTS: Final = 1 << 12

Words: TypeAlias = MutableSequence[int]


@dataclass(slots=True, kw_only=True)
class Ply:
    """What a search keeps for each ply of its current line."""

    killers: Annotated[Words, WORD, 2]  # moves that last refuted something at this ply, + 1
    pv_length: Word
    pv: Annotated[Words, WORD, PV_LENGTH]  # the best line from here on
    moves: Annotated[Words, WORD, MAX_MOVES]  # the moves, or nature's events
    scores: Annotated[Words, WORD, MAX_MOVES]  # how promising each move is, or an event's weight
    bounds: Annotated[Words, WORD, MAX_MOVES]  # what is known about the value of each event


@dataclass(slots=True, kw_only=True)
class Memory(Control):
    """A search thread's memory.

    The plies come last, so that a hook that writes more moves than its game declared overwrites
    only those of deeper plies or the spare room after them before its count reveals the error.
    """

    generation: Word  # the search's generation in the table
    exact: Word  # nonzero asks for minimax itself: no reductions, extensions or null moves
    selectivity: Annotated[Selectivity, Selectivity]  # what to skip, reduce and extend
    weights: Annotated[Words, WORD, MAX_TERMS]  # of the evaluation's terms: see `weigh`
    net: Annotated[NetMemory, NetMemory]  # where a net judges positions: see `net_value`
    database: Annotated[DatabaseMemory, DatabaseMemory]  # of end-games: see `endgames.knowledge`
    guesses: Word  # how often an evaluation was used, or a value that depends on one
    root_depth: Word  # the depth of the iteration
    root_from: Word  # the first of the root's moves to search,
    root_count: Word  # and how many moves the root has in all
    root_ranks: Annotated[Words, WORD, MAX_MOVES]  # the lowest wins among equally good moves
    best: Word  # the best move at the root so far,
    best_value: Word  # and its value
    past_length: Word
    past: Annotated[Words, WORD, PAST_LENGTH]  # keys of the game so far, the latest first
    path: Annotated[Words, WORD, DEEPEST]  # keys of the positions from the root to here
    history: Annotated[MutableSequence[Words], WORD, 2, _MOVE_SLOTS]  # by player: see `ordering`
    answers: Annotated[MutableSequence[Words], WORD, 2, _MOVE_SLOTS]  # best reply to a move, + 1
    mark: Word  # the mark in use
    marks: Annotated[Words, WORD, _MOVE_SLOTS]  # the mark that each move has
    plies: Annotated[MutableSequence[Ply], Ply, DEEPEST]


def move_slot(a: int) -> int:
    """Where statistics about a move are kept."""
    return a & _MOVE_SLOTS - 1


def clear_marks(memory: Memory) -> None:
    """Forget which moves are marked."""
    memory.mark += 1


def mark(a: int, memory: Memory) -> None:
    """Mark a move."""
    memory.marks[move_slot(a)] = memory.mark


def is_marked(a: int, memory: Memory) -> bool:
    """Whether a move is marked."""
    return memory.marks[move_slot(a)] == memory.mark


def extend_pv(ply: int, a: int, memory: Memory) -> None:
    """The best line from a ply on is a move and then the next ply's best line."""
    here, below = memory.plies[ply], memory.plies[ply + 1]
    length = min(below.pv_length, PV_LENGTH - 1)
    here.pv_length = length + 1
    here.pv[0] = a
    for i in range(length):
        here.pv[1 + i] = below.pv[i]
