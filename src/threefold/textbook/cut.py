"""Whether a value equal to the bound cuts: at MAX nodes and at MIN nodes, each on its own.

Lectures differ. One listing cuts on `v > β` and `v < α`, another on `α ≥ β` and `β < α`, most books
on `≥` and `≤`. The value is the same, but not what is looked at. The choice is written

    equal                     equality cuts at both
    strict                    equality cuts at neither
    max=equal,min=strict      at MAX nodes only; a side that is not named stays at `equal`
"""

from dataclasses import dataclass

from threefold.errors import ThreefoldError, argument
from threefold.rules.contract import MAX, Player
from threefold.rules.text import shorten

_WORDS = {"equal": True, "strict": False}
_SIDES = ("max", "min")


class BadCut(ThreefoldError):
    """Where equality cuts cannot be read."""


@dataclass(frozen=True)
class Cut:
    """Whether equality cuts at MAX nodes, and at MIN nodes."""

    at_max: bool = True
    at_min: bool = True

    def at(self, player: Player) -> bool:
        """Whether equality cuts where this player is to move."""
        return self.at_max if player == MAX else self.at_min

    @property
    def where(self) -> str:
        """The convention in words."""
        if self.at_max and self.at_min:
            return "equality cuts at MAX and MIN"
        if not self.at_max and not self.at_min:
            return "equality does not cut"
        return f"equality cuts at {'MAX' if self.at_max else 'MIN'} only"

    def __str__(self) -> str:
        """As it is written on the command line."""
        at_max, at_min = ("equal" if one else "strict" for one in (self.at_max, self.at_min))
        return at_max if at_max == at_min else f"max={at_max},min={at_min}"


#: Equality cuts everywhere: the default.
EQUAL = Cut()
#: All four conventions, the one that most books print first.
CUTS = (EQUAL, Cut(at_max=False, at_min=False), Cut(at_min=False), Cut(at_max=False))


def parse_cut(text: str) -> Cut:
    """The convention that a text names."""
    if text in _WORDS:
        return Cut(_WORDS[text], _WORDS[text])
    chosen: dict[str, bool] = {}
    for part in text.split(","):
        side, given, word = (each.strip() for each in part.partition("="))
        if not given or side not in _SIDES or word not in _WORDS:
            raise _bad(text, f"{shorten(part.strip())} is not a choice for a side")
        if side in chosen:
            raise _bad(text, f"{side} is given twice")
        chosen[side] = _WORDS[word]
    return Cut(chosen.get("max", True), chosen.get("min", True))


def _bad(text: str, why: str) -> BadCut:
    right = "write equal, strict, or one for each side, such as max=equal,min=strict"
    return BadCut(f"{argument('cut', shorten(text))}: {why}; {right}")
