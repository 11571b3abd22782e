"""The score in which Connect Four solvers report how soon a game is won, after Pascal Pons."""

from collections.abc import Callable

from threefold.games.connect_four.rules import State
from threefold.rules.bits import popcount


def pons(columns: int, rows: int) -> Callable[[State, int, int], int]:
    """1 for a win with the winner's last stone, 2 with the one before, …; negative for a loss."""

    def score(s: State, utility: int, plies: int) -> int:
        if utility == 0:
            return 0
        stones_at_the_end = popcount(s.first | s.second) + plies
        # The winner has just moved, so at least half of the stones are the winner's.
        score = columns * rows // 2 + 1 - (stones_at_the_end + 1) // 2
        return score if utility > 0 else -score

    return score
