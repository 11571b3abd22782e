"""What a search makes of a database of end-games.

A draw, and a win or a loss that no rule about the length of games can spoil, are as good as
searched to the end: they count as proven. A win that may take too long, or one without a distance,
is better than any evaluation, but a guess.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.endgames.probing import (
    IS_DAMAGED,
    NOT_FOUND,
    DatabaseMemory,
    is_decided,
    probe,
)
from threefold.engine.endgames.values import outcome, plies_to_end, settled_to_mover
from threefold.engine.listing import BY_DATABASE, stop_for
from threefold.engine.memory import Memory
from threefold.engine.values import FAR, INFINITY, PLIES, WON
from threefold.rules.bits import wrap
from threefold.rules.contract import HAS_MARGINS, MAX_VALUE, REPEATS, plies_left

#: The database does not know the position.
NOT_KNOWN: Final = INFINITY


def probed(s: Any, memory: DatabaseMemory, control: Control) -> int:
    """The value of a position in the database, or `NOT_FOUND`; a damaged table stops the search."""
    value = probe(s, memory)
    if value == IS_DAMAGED:
        stop_for(BY_DATABASE, memory.damaged, control)
        return wrap(NOT_FOUND)
    return value


def is_certain(s: Any, value: int) -> bool:
    """Whether a value holds whatever rules there are about the length of games."""
    if HAS_MARGINS or value == 0:
        return True
    return is_decided(value) and plies_to_end(value) <= plies_left(s)


def known_value(s: Any, ply: int, memory: Memory) -> int:
    """The value of a position for the player to move as `search` has it, or `NOT_KNOWN`."""
    value = probed(s, memory.database, memory)
    if value == NOT_FOUND:
        return wrap(NOT_KNOWN)
    if HAS_MARGINS:
        return decided_value(settled_to_mover(s) + value, ply + FAR)
    if value == 0:
        return value
    late = ply + plies_to_end(value)
    if not is_certain(s, value):
        memory.guesses += 1
        return MAX_VALUE - late if value > 0 else late - MAX_VALUE
    # On the way, the game may come back to a position that occurred before: a draw by repetition.
    if REPEATS and memory.past_length > 0:
        memory.guesses += 1
    return decided_value(outcome(value), late)


def decided_value(utility: int, plies: int) -> int:
    """The value of a game with this utility that ends `plies` plies from the root."""
    if utility == 0:
        return 0
    if utility > 0:
        return WON + utility * PLIES - plies
    return utility * PLIES - WON + plies
