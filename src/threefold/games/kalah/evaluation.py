"""What a Kalah position is worth before the end."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threefold.games.kalah.rules import State


def evaluations(utility: "Callable[[State], int]") -> "dict[str, Callable[[State], int]]":
    """The evaluations, the default first."""

    def stores(s: "State") -> int:
        """The difference of the stores."""
        return utility(s)

    return {"stores": stores}
