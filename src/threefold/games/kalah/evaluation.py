"""What a Kalah position is worth before the end.

Beside what is banked already, it counts who can still do something: move again, capture, or at
least choose among many pits. On which side the seeds lie matters only when few are left.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.contract import MAX

if TYPE_CHECKING:
    from threefold.games.kalah.rules import Board, State

# In tenths of a seed, for the side to move and for the other. Fitted by least squares to what was
# banked in the rest of 1,500 games that alpha-beta six plies deep, with earlier weights, played
# against itself from random openings; then rounded.
#: All seeds that are played for on one side, and none on the other.
HOME = 28
#: For each pit that holds seeds,
OCCUPIED = (13, 12)
#: each seed that the best capture would bank,
CAPTURE = (9, 4)
#: and each pit whose last seed is banked, so that one moves again, with ten seeds to play for.
AGAIN = (8, 2)
#: To have the move, and to make no use of it.
TURN = -4
#: Seeds that are banked.
BANKED = 10

#: An evaluation stays below what the textbook counts for a finished game.
LIMIT = 990


def evaluations(
    board_of: "Callable[[State], Board]",
    turned: "Callable[[Board], Board]",
    options: "Callable[[Board], tuple[int, int, int, int]]",
    utility: "Callable[[State], int]",
) -> "dict[str, Callable[[State], int]]":
    """The evaluations, the default first.

    `options(board)` are, for the player whose board it is, the seeds in the own pits, the pits that
    hold some, those of them that move again, and the seeds of the best capture.
    """

    def prospects(s: "State") -> int:
        """Stores, and what each side could do next."""
        board = board_of(s)
        mine, theirs = options(board), options(turned(board))
        playing = max(1, mine[0] + theirs[0])
        value = TURN + HOME * (mine[0] - theirs[0]) // playing
        value += OCCUPIED[0] * mine[1] - OCCUPIED[1] * theirs[1]
        value += (AGAIN[0] * mine[2] - AGAIN[1] * theirs[2]) * playing // 10
        value += CAPTURE[0] * mine[3] - CAPTURE[1] * theirs[3]
        value = BANKED * utility(s) + (value if s.turn == MAX else -value)
        return max(-LIMIT, min(value, LIMIT))

    def stores(s: "State") -> int:
        """The difference of the stores."""
        return utility(s)

    return {"prospects": prospects, "stores": stores}
