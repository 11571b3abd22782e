"""What a Kalah position is worth before the end.

Besides the seeds already banked, it counts what each side can still do: move again, capture, or at
least choose among many pits. Which side the seeds are on matters only when few are left.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.contract import MAX, Player
from threefold.rules.records import EvaluationHooks
from threefold.rules.terms import GivenTerms, credited, remainder

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
    store: "Callable[[Board], int]",
) -> EvaluationHooks:
    """The evaluations, the default first.

    `options(board)` gives, for the player whose board it is, the seeds in that player's pits, the
    number of nonempty pits, how many of those move again, and the seeds of the best capture;
    `store(board)` gives the seeds that this player has banked.
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
        value += BANKED * (store(board) - store(turned(board)))
        return max(-LIMIT, min(value if s.turn == MAX else -value, LIMIT))

    # By terms. What depends on both sides is credited to the one that is ahead.

    def board_for(s: "State", p: Player) -> "Board":
        return board_of(s) if s.turn == p else turned(board_of(s))

    def for_turn(s: "State", p: Player, weights: tuple[int, int]) -> int:
        """The weight for the side to move, or for the other."""
        return weights[0] if s.turn == p else weights[1]

    def banked(s: "State", p: Player) -> int:
        """Banked seeds."""
        return store(board_for(s, p))

    def home(s: "State", p: Player) -> int:
        """Having more of the seeds in play."""
        board = board_of(s)
        mine, theirs = options(board)[0], options(turned(board))[0]
        value = HOME * (mine - theirs) // max(1, mine + theirs)
        return credited(value if s.turn == MAX else -value, p)

    def again(s: "State", p: Player) -> int:
        """Pits whose last seed would be banked for another move."""
        board = board_of(s)
        mine, theirs = options(board), options(turned(board))
        value = (AGAIN[0] * mine[2] - AGAIN[1] * theirs[2]) * max(1, mine[0] + theirs[0]) // 10
        return credited(value if s.turn == MAX else -value, p)

    def occupied(s: "State", p: Player) -> int:
        """Pits with seeds."""
        return for_turn(s, p, OCCUPIED) * options(board_for(s, p))[1]

    def capture(s: "State", p: Player) -> int:
        """Seeds that the best capture would bank."""
        return for_turn(s, p, CAPTURE) * options(board_for(s, p))[3]

    def turn(s: "State", p: Player) -> int:
        """Having the move."""
        return TURN if s.turn == p else 0

    parts: GivenTerms = {
        "banked": (banked, BANKED),
        "home": (home, 1),
        "pits": (occupied, 1),
        "again": (again, 1),
        "capture": (capture, 1),
        "turn": (turn, 1),
    }
    return {
        "evaluations": {"prospects": prospects},
        "terms": {
            "prospects": {**parts, "limit": (remainder(prospects, parts), 1)},
            "stores": {"store": (banked, 1)},
        },
    }
