"""What the tables of end-games hold: a number of 16 bits for each position.

Values are for the player to move:

    a draw                0
    won in n plies        DECIDED - n
    lost in n plies       n - DECIDED

So of two values the better one is larger: a win, the sooner the better, then a draw, then a loss,
the later the better. In games with margins a value is the margin that the player to move still
gains.

While a table is being made, a position that nothing is known about counts as a draw, or as
`UNKNOWN` where there are margins. Numbers that stand for no position are `UNUSED`.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.listing import checked_utility
from threefold.engine.values import to_mover
from threefold.rules.contract import HAS_MARGINS, HAS_SETTLED, settled

#: Greater than the plies to the end of any game.
DECIDED: Final = 1 << 14
#: The largest margin, apart from its sign.
MOST_MARGIN: Final = DECIDED
UNKNOWN: Final = (1 << 15) - 1
#: What tables without distances have as a win, apart from its sign.
SOMETIME: Final = 1
UNUSED: Final = -(1 << 15)
#: Below every value that counts.
NOTHING: Final = UNUSED + 1


def a_ply_later(value: int) -> int:
    """A value as it is one ply before: a win and a loss are farther away."""
    if HAS_MARGINS or value == 0:
        return value
    return value - 1 if value > 0 else value + 1


def plies_to_end(value: int) -> int:
    """How many plies a won or lost game lasts."""
    return DECIDED - abs(value)


def outcome(value: int) -> int:
    """1 for a win, -1 for a loss, 0 for a draw."""
    if value == 0:
        return 0
    return 1 if value > 0 else -1


def settled_to_mover(s: Any) -> int:
    """What is settled already, to the player to move; 0 where there are no margins."""
    if HAS_MARGINS and HAS_SETTLED:
        return to_mover(s, settled(s)[0])
    return 0


def finished_value(s: Any, control: Control) -> int:
    """The value of a finished game for the player who would move."""
    if HAS_MARGINS:
        utility = checked_utility(s, MOST_MARGIN, control)
        return to_mover(s, utility) - settled_to_mover(s)
    return to_mover(s, checked_utility(s, 1, control)) * DECIDED
