"""A deal with all hands open: the double-dummy game that a contract comes to, and what it is worth.

Double dummy counts tricks, and a contract a score; so tricks are turned into the score of the
contract, and the best card is the one with the best score on the mean of deals. A card that risks
the contract for an overtrick does not pay.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from threefold.errors import ThreefoldError
from threefold.games.bridge.cards import STRAINS
from threefold.games.bridge.position import PER_CARD
from threefold.games.bridge.position import State as OpenState
from threefold.games.contract_bridge.position import (
    State,
    card_at,
    in_play,
    in_trick,
    leader_of,
    strain_in,
)
from threefold.rules.game import Game


@cache
def double_dummy(strain: int) -> Game[OpenState]:
    """The game of a strain with all hands open."""
    from threefold.games.catalogue import game

    return game(f"bridge(strain={STRAINS[strain]})")


def opened(s: State) -> tuple[Game[Any], OpenState]:
    """The position in the double-dummy game of its strain."""
    if not in_play(s):
        raise ThreefoldError("the hands of an auction cannot be played open: it has no contract")
    first = s.played - in_trick(s)
    trick = 0
    for i in range(in_trick(s)):
        trick |= card_at(s, first + i) + 1 << PER_CARD * i
    lost = s.played // 4 - s.won
    position = OpenState(s.north, s.east, s.south, s.west, trick, leader_of(s), s.won, lost)
    return double_dummy(strain_in(s.contract)), position


def opened_worth(score_of: Callable[[int, int], int]) -> Callable[[State, int], int]:
    """What a contract scores for North-South, from their tricks less those of East-West."""

    def worth(s: State, value: int) -> int:
        return score_of(s.contract, (13 + value) // 2)

    return worth
