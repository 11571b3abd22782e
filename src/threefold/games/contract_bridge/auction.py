"""An auction as the one to call sees it: who bid what, what stands, and what may be called."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from threefold.games.contract_bridge.calls import (
    DOUBLE,
    PASS,
    REDOUBLE,
    is_bid,
    level_of,
    strain_of,
)

NO_TRUMPS: Final[int] = 4
MAJORS: Final[tuple[int, ...]] = (3, 2)
MINORS: Final[tuple[int, ...]] = (1, 0)


@dataclass(frozen=True)
class Auction:
    """The calls so far, the dealer's first."""

    calls: tuple[int, ...]

    def _by(self, ahead: int) -> list[int]:
        """The calls of the one who is so many seats after the one to call."""
        return list(self.calls[(len(self.calls) + ahead) % 4 :: 4])

    @cached_property
    def mine(self) -> list[int]:
        """The earlier calls of the one to call."""
        return self._by(0)

    @cached_property
    def partners(self) -> list[int]:
        """Partner's calls."""
        return self._by(2)

    @cached_property
    def standing(self) -> int:
        """The bid that stands; PASS if nobody has bid."""
        return next((call for call in reversed(self.calls) if is_bid(call)), PASS)

    @cached_property
    def ours(self) -> bool:
        """Whether the bid that stands is of the side of the one to call."""
        place = len(self.calls) - 1 - self.calls[::-1].index(self.standing)
        return (len(self.calls) - place) % 2 == 0

    @cached_property
    def doubled(self) -> int:
        """0, or 1 if the bid that stands is doubled, 2 if redoubled."""
        after = self.calls[::-1]
        since = after[: after.index(self.standing)] if self.standing != PASS else after
        return 2 if REDOUBLE in since else 1 if DOUBLE in since else 0

    @property
    def right(self) -> int:
        """The call just before, by the opponent to the right; PASS at the start."""
        return self.calls[-1] if self.calls else PASS

    @cached_property
    def they_bid(self) -> bool:
        """Whether an opponent has bid."""
        return any(is_bid(call) for call in self._by(1) + self._by(3))

    @cached_property
    def their_suits(self) -> list[int]:
        """The suits that opponents have bid, in order."""
        n = len(self.calls)
        bids = (c for i, c in enumerate(self.calls) if (n - i) % 2 and is_bid(c))
        return list(dict.fromkeys(strain_of(c) for c in bids if strain_of(c) != NO_TRUMPS))

    @cached_property
    def their_stoppers(self) -> int:
        """Their suits as bits."""
        return sum(1 << suit for suit in self.their_suits)

    def is_legal(self, call: int) -> bool:
        """Whether a call may be made."""
        if call == PASS:
            return True
        if call == DOUBLE:
            return self.standing != PASS and not self.ours and self.doubled == 0
        if call == REDOUBLE:
            return self.standing != PASS and self.ours and self.doubled == 1
        return self.standing == PASS or call > self.standing

    def cheapest(self, strain: int) -> int:
        """The lowest level at which a strain can be bid, 8 if at none."""
        if self.standing == PASS:
            return 1
        level = level_of(self.standing)
        return level if strain > strain_of(self.standing) else level + 1


def first_bid(calls: Sequence[int]) -> int:
    """The first of some calls that is a bid; PASS if none is."""
    return next((call for call in calls if is_bid(call)), PASS)


def game_level(strain: int) -> int:
    """The level of a game in a strain."""
    return 3 if strain == NO_TRUMPS else 4 if strain in MAJORS else 5


def is_game(call: int) -> bool:
    """Whether a bid is a game or a slam."""
    return is_bid(call) and level_of(call) >= game_level(strain_of(call))
