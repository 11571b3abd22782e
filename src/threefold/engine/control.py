"""What every search shares with whoever started it.

Compiled code cannot see Ctrl-C, and a thread that runs it cannot be killed. So it counts its nodes
where others can read them, and often looks there whether to stop.
"""

from dataclasses import dataclass, fields
from typing import Final

from threefold.engine.records import Word

#: A node limit that no search reaches: there is none.
NO_LIMIT: Final = 1 << 62


@dataclass(slots=True, kw_only=True)
class Control:
    """A search's progress, its limit and its orders; larger records begin with these fields."""

    stop: Word = 0  # nonzero asks the search to return at once, with whatever it has
    nodes: Word = 0  # how many nodes were counted so far
    node_limit: Word = NO_LIMIT  # the count of nodes at which to stop; 0 stops at once
    fault: Word = 0  # which hook broke the rules of the contract: see `listing`
    returned: Word = 0  # what that hook returned
    longest: Word = 0  # the longest line looked at, in plies
    probes: Word = 0  # look-ups in the table
    hits: Word = 0  # those that found something


def clear(control: Control) -> None:
    """Set all that every search has in common back to how it was at first."""
    for field in fields(Control):
        setattr(control, field.name, field.default)
