"""What a Go position is worth before the end, in half points.

Nobody has found an evaluation of Go that makes alpha-beta play well. This one is what a beginner
counts: stones, points nearer to one's own stones, and stones in atari. It serves alpha-beta for
comparison; the strong players of Go are tree search and nets.
"""

from typing import TYPE_CHECKING, Any

from threefold.games.go.groups import Groups
from threefold.rules.contract import MAX, MIN, Player
from threefold.rules.records import EvaluationHooks
from threefold.rules.terms import GivenTerms
from threefold.rules.wide import Cells

if TYPE_CHECKING:
    from threefold.games.go.rules import Sets

#: A point of area in half points, which komi is counted in.
POINT = 2
#: A stone in atari is half lost: it counts as none, and half of the time as the other side's.
IN_ATARI = -2


def evaluations(groups: Groups, sets: "Sets", twice_komi: int) -> EvaluationHooks:
    """The evaluations for one size of board."""
    board = groups.board
    union, others, count = board.union, board.others, board.count
    black, white = sets.black, sets.white
    nearer, few = groups.nearer, groups.with_few_liberties

    def of(s: Any, p: Player) -> Cells:
        return black(s) if p == MAX else white(s)

    def against(s: Any, p: Player) -> Cells:
        return white(s) if p == MAX else black(s)

    def stones(s: Any, p: Player) -> int:
        """The number of stones."""
        return count(of(s, p))

    def territory(s: Any, p: Player) -> int:
        """Empty points nearer to this side's stones."""
        return count(nearer(of(s, p), against(s, p)))

    def atari(s: Any, p: Player) -> int:
        """Stones of groups with one liberty."""
        empty = others(union(black(s), white(s)))
        return count(few(of(s, p), empty, 1))

    def komi(s: Any, p: Player) -> int:  # noqa: ARG001
        """Half points for moving second."""
        return twice_komi if p == MIN else 0

    terms: GivenTerms = {
        "stones": (stones, POINT),
        "territory": (territory, POINT),
        "atari": (atari, IN_ATARI),
        "komi": (komi, 1),
    }
    return {"evaluations": {}, "terms": {"area": terms}}
