"""What a position of checkers is worth before the end."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.rules.bits import popcount

if TYPE_CHECKING:
    from threefold.games.checkers.rules import State


def evaluations() -> "dict[str, Callable[[State], int]]":
    """The evaluations, the default first."""

    def material(s: "State") -> int:
        """A man counts 2, a king 3."""
        pieces = 2 * (popcount(s.black) - popcount(s.white))
        return pieces + popcount(s.black & s.kings) - popcount(s.white & s.kings)

    return {"material": material}
