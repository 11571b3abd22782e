"""What every search shares with its caller.

Compiled code cannot see Ctrl-C, and a thread that runs it cannot be killed. So it counts its nodes
where other threads can read them, and often checks there whether to stop.
"""

from dataclasses import dataclass, fields
from typing import Final

from threefold.engine.records import Word

#: A node limit that no search reaches, for no limit at all.
NO_LIMIT: Final = 1 << 62


@dataclass(slots=True, kw_only=True)
class Control:
    """A search's progress, its limit and its orders; larger records begin with these fields."""

    stop: Word = 0  # nonzero asks the search to return immediately, with whatever it has
    nodes: Word = 0  # how many nodes were counted so far
    node_limit: Word = NO_LIMIT  # the count of nodes at which to stop; 0 stops immediately
    fault: Word = 0  # which hook broke the rules of the contract: see `listing`
    returned: Word = 0  # what that hook returned
    longest: Word = 0  # the longest line looked at, in plies
    probes: Word = 0  # look-ups in the table
    hits: Word = 0  # those that found something


def clear(control: Control) -> None:
    """Reset all the fields that every search has in common."""
    for field in fields(Control):
        setattr(control, field.name, field.default)
