"""Games to learn from, as arrays: recorded ones, or those that searches played."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from threefold.rules.contract import CHANCE
from threefold.rules.game import Game

S = TypeVar("S")


@dataclass(frozen=True)
class Recorded:
    """A game, position by position, and what searches thought of them."""

    #: The positions from the first to the last, a row of words each.
    states: Any
    #: Who is to move in each.
    movers: Any
    #: What the game was worth to MAX; None where that is unknown.
    utility: float | None
    #: For each position what a search estimated, to its mover, in its evaluation's own units; NaN
    #: where nothing is known.
    values: Any
    #: The same for a search that saw the game's end: the utility.
    ends: Any
    #: The first position to learn from: those before are of an opening.
    first: int = 0
    #: From this position on no move was random, so that the result says something about it.
    sound: int = 0
    #: What the values of MAX and of MIN are in: those in one unit are compared with each other.
    units: tuple[str, ...] = ("", "")

    @property
    def plies(self) -> int:
        """How many plies it had."""
        return len(self.states) - 1


def recorded(
    game: Game[S],
    positions: Sequence[S],
    utility: float | None,
    values: Iterable[float | None] = (),
    *,
    first: int = 0,
    units: tuple[str, ...] = ("", ""),
) -> Recorded:
    """A game from its positions; `values` are those of its positions, as far as there are any."""
    estimates = np.full(len(positions), np.nan)
    for place, value in enumerate(values):
        if value is not None and place < len(positions):
            estimates[place] = value
    return Recorded(
        states=np.array([[int(word) for word in s] for s in positions], np.int64),  # type: ignore[attr-defined]
        movers=np.array([game.player(s) for s in positions]),
        utility=utility,
        values=estimates,
        ends=np.full(len(positions), np.nan),
        first=first,
        sound=first,
        units=units,
    )


def signs(movers: Any) -> Any:
    """1 for positions where MAX moves, or nature; -1 for those of MIN."""
    return np.where((movers == CHANCE) | (movers == 0), 1.0, -1.0)
