"""What a Kalah position is worth before the end.

Besides the seeds already banked, it counts what each side can still do: move again, capture, or at
least choose among many pits. Which side the seeds are on matters only when few are left.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.contract import MAX

if TYPE_CHECKING:
    from threefold.games.kalah.rules import Board, State

# In tenths of a seed, for the side to move and for the other. Fitted by least squares to what was
# banked in the rest of 1,500 self-play games of alpha-beta at depth 6, with earlier weights, from
# random openings; then rounded.
#: All seeds in play on one side and none on the other.
HOME = 28
#: For each pit with seeds,
OCCUPIED = (13, 12)
#: each seed that the best capture would bank,
CAPTURE = (9, 4)
#: and each pit whose last seed would be banked for another move, per ten seeds in play.
AGAIN = (8, 2)
#: Having the move without making use of it.
TURN = -4
#: Each banked seed.
BANKED = 10

#: An evaluation stays below the textbook's value of a finished game.
LIMIT = 990


def evaluations(
    board_of: "Callable[[State], Board]",
    turned: "Callable[[Board], Board]",
    options: "Callable[[Board], tuple[int, int, int, int]]",
    utility: "Callable[[State], int]",
) -> "dict[str, Callable[[State], int]]":
    """The evaluations, the default first.

    `options(board)` gives, for the player whose board it is, the seeds in that player's pits, the
    number of nonempty pits, how many of those move again, and the seeds of the best capture.
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
        """The difference between the stores."""
        return utility(s)

    return {"prospects": prospects, "stores": stores}
