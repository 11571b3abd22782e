"""Tic-tac-toe, and the general m,n,k game: k in line on m columns and n rows."""

from threefold.errors import BadGame
from threefold.games.board import LETTERS
from threefold.games.mnk.drawing import drawing
from threefold.games.mnk.notation import notation
from threefold.games.mnk.rules import State, rules
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

MAX_SQUARES = 63
#: Of tic-tac-toe.
TYPICAL = Typical(branching=5.6, length=7.6, source="random play")


def mnk(m: int = 3, n: int = 3, k: int = 3) -> Game[State]:
    """Two players take turns placing a stone; k in line wins. m columns, n rows."""
    return _game(f"{m},{n},{k}-game", m, n, k)


def tic_tac_toe() -> Game[State]:
    """Three in a row on a board of 3×3."""
    return _game("Tic-tac-toe", 3, 3, 3)


def _game(name: str, m: int, n: int, k: int) -> Game[State]:
    if not (1 <= m <= len(LETTERS) and n >= 1 and (m + 1) * n <= MAX_SQUARES):
        raise BadGame(
            f"mnk: a board of m={m} columns and n={n} rows does not fit: both at least 1, m at "
            f"most {len(LETTERS)}, and (m+1)·n at most {MAX_SQUARES}"
        )
    if not 1 <= k <= max(m, n):
        raise BadGame(f"mnk: k={k} in line does not fit the board: from 1 to {max(m, n)}")
    return Game(
        name,
        **rules(m, n, k),
        **notation(m, n, k),
        draw=drawing(name, m, n),
        scales=Scales(leads={"lines": 2, "threats": 40}),
        typical=TYPICAL if (m, n, k) == (3, 3, 3) else None,
    )
