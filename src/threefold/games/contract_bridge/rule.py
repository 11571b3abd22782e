"""A rule of the bidding system: with such a hand, make this call."""

from dataclasses import dataclass
from typing import Final

from threefold.games.contract_bridge.shows import Shows

#: The kind of a rule that says nothing of a hand: what is left when all others do not fit.
NO_CLUE: Final = "no clue"
#: The kind of a double that asks partner for a suit.
TAKEOUT: Final = "takeout"
#: The kind of two clubs after one no trump, which asks for a major.
STAYMAN: Final = "stayman"


@dataclass(frozen=True)
class Rule:
    """A call, the hands that make it, and what partner is told in words."""

    call: int
    shows: Shows
    note: str = ""
    #: Partner must not pass.
    forcing: bool = False
    kind: str = ""
