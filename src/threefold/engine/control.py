"""The words that a search shares with whoever started it.

Compiled code cannot see Ctrl-C, and a thread that runs it cannot be killed. So it counts its nodes
in a few words of memory, and looks there often whether to stop.
"""

from typing import Any, Final, TypeAlias

Control: TypeAlias = Any  # a list of integers interpreted, an array compiled

# The shared words.
#: Nonzero asks the worker to come back at once, with whatever it has.
STOP: Final = 0
#: How much was counted so far, for the progress line.
NODES: Final = 1
#: Which hook returned a count that it may not, and the count.
FAULT: Final = 2
COUNT: Final = 3
#: The best move at the root so far, or its place among the root's moves.
BEST: Final = 4
#: The count of nodes at which to stop; `NO_LIMIT` where there is none. 0 stops at once.
NODE_LIMIT: Final = 5
#: The longest line looked at, in plies.
LONGEST: Final = 6
#: How often an evaluation, or a value that rests on one, was used.
GUESSES: Final = 7
#: Look-ups in the table, and those that found something.
PROBES: Final = 8
HITS: Final = 9
#: The search's generation in the table.
GENERATION: Final = 10
#: Nonzero asks for the value of minimax itself: no reductions, no extensions, no null move.
EXACT: Final = 11
#: The depth of the iteration.
ROOT_DEPTH: Final = 12
#: Where the root's moves begin that are to be searched, and where they end.
ROOT_FROM: Final = 13
ROOT_COUNT: Final = 14
#: What the best of them is worth.
ROOT_VALUE: Final = 15
#: Nonzero where a sooner win is a better one.
HURRY: Final = 16
CONTROL_WORDS: Final = 24

#: More nodes than anybody counts.
NO_LIMIT: Final = 1 << 62


def new_control() -> Control:
    """The shared words of a compiled search, without a limit."""
    import numpy as np

    control = np.zeros(CONTROL_WORDS, np.int64)
    control[NODE_LIMIT] = NO_LIMIT
    return control
