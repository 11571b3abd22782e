"""The evaluations of checkers as weighted sums: what each side has of what they count.

The terms of `strategy` are in hundredths of a man, interpolated by the pieces on the board and each
rounded down, so that their weights are all 1. What the evaluation itself rounds in another place is
the term `rounding`; how much more slowly it grows beyond a certain size is the term `limit`.
"""

from typing import TYPE_CHECKING

from threefold.games.checkers import evaluation
from threefold.games.checkers.evaluation import (
    BOTTOM,
    BOTTOM_BRIDGE,
    EDGE,
    TOP,
    TOP_BRIDGE,
    above,
    below,
    count_steps,
    neighbors,
    rows_from_top,
    strategy,
    unattacked,
    unlimited,
)
from threefold.games.checkers.routes import BOARD, PIECES
from threefold.rules.bits import popcount
from threefold.rules.contract import MAX, Player
from threefold.rules.terms import GivenTerms, remainder

if TYPE_CHECKING:
    from threefold.games.checkers.rules import State


def pieces_of(s: "State", p: Player) -> int:
    """A player's pieces."""
    return s.black if p == MAX else s.white


def men_of(s: "State", p: Player) -> int:
    """A player's men."""
    return pieces_of(s, p) & ~s.kings


def kings_of(s: "State", p: Player) -> int:
    """A player's kings."""
    return pieces_of(s, p) & s.kings


def weighed(s: "State", count: int, weights: tuple[int, int]) -> int:
    """A count, weighed between a full and an empty board and rounded down."""
    full = popcount(s.black | s.white)
    return (weights[0] * full + weights[1] * (2 * PIECES - full)) * count // (2 * PIECES)


def men(s: "State", p: Player) -> int:
    """Men."""
    return weighed(s, popcount(men_of(s, p)), evaluation.MEN)


def kings(s: "State", p: Player) -> int:
    """Kings."""
    return weighed(s, popcount(kings_of(s, p)), evaluation.KINGS)


def any_king(s: "State", p: Player) -> int:
    """Having a king at all."""
    return weighed(s, 1, evaluation.ONLY_KINGS) if kings_of(s, p) else 0


def rows(s: "State", p: Player) -> int:
    """Rows that men have advanced."""
    mine = men_of(s, p)
    down = rows_from_top(mine)
    return weighed(s, down if p == MAX else 7 * popcount(mine) - down, evaluation.ROWS)


def edge(s: "State", p: Player) -> int:
    """Men at the edge."""
    return weighed(s, popcount(men_of(s, p) & EDGE), evaluation.EDGE_MEN)


def passed(s: "State", p: Player) -> int:
    """Men that nothing can stop."""
    stopped = above(s.white) if p == MAX else below(s.black)
    return weighed(s, popcount(men_of(s, p) & ~stopped), evaluation.PASSED)


def guards(s: "State", p: Player) -> int:
    """Men on the home row, as long as the other side has men."""
    home = men_of(s, p) & (TOP if p == MAX else BOTTOM)
    return weighed(s, popcount(home), evaluation.GUARDS) if men_of(s, 1 - p) else 0


def bridge(s: "State", p: Player) -> int:
    """The two men that can guard the home row alone."""
    wanted = TOP_BRIDGE if p == MAX else BOTTOM_BRIDGE
    return weighed(s, 1, evaluation.BRIDGE) if men_of(s, p) & wanted == wanted else 0


def safe_for(s: "State", p: Player) -> int:
    """The vacant squares where a player's piece could not be captured."""
    vacant = BOARD & ~(s.black | s.white)
    if p == MAX:
        return unattacked(vacant, kings_of(s, 1), s.white)
    return unattacked(vacant, s.black, kings_of(s, 0))


def safe_steps(s: "State", p: Player) -> int:
    """Steps after which the piece cannot be taken."""
    down = s.black if p == MAX else kings_of(s, 1)
    up = kings_of(s, 0) if p == MAX else s.white
    return weighed(s, count_steps(down, up, safe_for(s, p)), evaluation.SAFE_STEPS)


def trapped_kings(s: "State", p: Player) -> int:
    """Kings that have no such step."""
    trapped = kings_of(s, p) & ~neighbors(safe_for(s, p))
    return weighed(s, popcount(trapped), evaluation.TRAPPED_KINGS)


def count_men(s: "State", p: Player) -> int:
    """How many men a player has."""
    return popcount(men_of(s, p))


def count_kings(s: "State", p: Player) -> int:
    """How many kings a player has."""
    return popcount(kings_of(s, p))


_STRATEGY: GivenTerms = {
    "men": (men, 1),
    "kings": (kings, 1),
    "any-king": (any_king, 1),
    "rows": (rows, 1),
    "edge": (edge, 1),
    "passed": (passed, 1),
    "guards": (guards, 1),
    "bridge": (bridge, 1),
    "safe-steps": (safe_steps, 1),
    "trapped-kings": (trapped_kings, 1),
}
_ROUNDED: GivenTerms = {**_STRATEGY, "rounding": (remainder(unlimited, _STRATEGY), 1)}

#: By evaluation, its terms and their weights. A man counts 2, a king 3.
TERMS: dict[str, GivenTerms] = {
    "strategy": {**_ROUNDED, "limit": (remainder(strategy, _ROUNDED), 1)},
    "material": {"man": (count_men, 2), "king": (count_kings, 3)},
}
