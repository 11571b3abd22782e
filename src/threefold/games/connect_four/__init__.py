"""Connect Four, on any board of up to 62 squares, the sentinel row included."""

from threefold.errors import BadGame
from threefold.games.connect_four.drawing import drawing
from threefold.games.connect_four.notation import notation
from threefold.games.connect_four.rules import State, rules
from threefold.games.connect_four.scores import pons
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

MAX_SQUARES = 62
TYPICAL = Typical(branching=4, length=36, source="Allis 1994")


def connect_four(columns: int = 7, rows: int = 6, k: int = 4) -> Game[State]:
    """Two players take turns dropping stones into columns; k in line wins."""
    if columns < 1 or rows < 1 or columns * (rows + 1) > MAX_SQUARES:
        raise BadGame(
            f"connect-four: a board of columns={columns} and rows={rows} does not fit: both at "
            f"least 1, and columns·(rows+1) at most {MAX_SQUARES}"
        )
    if not 1 <= k <= max(columns, rows):
        raise BadGame(
            f"connect-four: k={k} in line does not fit the board: from 1 to {max(columns, rows)}"
        )
    return Game(
        "Connect Four",
        **rules(columns, rows, k),
        **notation(columns, rows, k),
        draw=drawing(columns, rows),
        scales=Scales(leads={"threats": 60, "lines": 10}, scores={"pons": pons(columns, rows)}),
        typical=TYPICAL if (columns, rows, k) == (7, 6, 4) else None,
    )
