"""All moves as first: what a simulation says about moves that were only made later in it.

A stone that wins when it is played now often wins when it is played later, too. So every
simulation through a node also counts for those children of it whose move the same player made at
any later time in the simulation, in the tree or in the playout (AMAF: Brügmann, 1993). These values
are there long before the children's own, but are biased. RAVE (Gelly and Silver, 2011) trusts them
as long as there is nothing better:

    value = (1 - beta) · own mean + beta · mean of all moves as first
    beta  = m / (n + m + n · m / equivalence)

for n visits of a child and m simulations in which its move was made. This beta has the least mean
squared error if the bias is such that `equivalence` visits tell as much as any number of the other
kind.
"""

from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import TypeAlias

from threefold.engine.records import Real, Word
from threefold.rules.contract import MIN, Action, Player


@dataclass(slots=True)
class MoveValue:
    """What all moves as first say about a node, besides its own statistics."""

    visits: Word = 0  # how many simulations made its move at some time
    total: Real = 0.0  # the sum of their values to MAX


#: One for each node of the tree; None in a search without.
Amaf: TypeAlias = MutableSequence[MoveValue] | None
#: For each move, who made it first in which simulation (see `stamp`); None in a search without.
Played: TypeAlias = MutableSequence[int] | None


def stamp(simulation: int, mover: Player) -> int:
    """A simulation and a player in one number. Every number counts once, so nothing is cleared."""
    return 2 * simulation + mover


def note_if_first(a: Action, simulation: int, mover: Player, played: MutableSequence[int]) -> None:
    """Note who made a move, unless it was made before in the same simulation.

    A point that both players take in turn counts for the one who took it first. A playout that
    breaks the rules must not write where there is no move.
    """
    if 0 <= a < len(played) and played[a] >> 1 != simulation:
        played[a] = stamp(simulation, mover)


def blended(own: float, visits: int, mover: Player, others: MoveValue, equivalence: float) -> float:
    """The value of a child to a player: its own mean, and that of all moves as first."""
    if others.visits == 0:
        return own
    n, m = float(visits), float(others.visits)
    mean = others.total / m
    if mover == MIN:
        mean = -mean
    beta = m / (n + m + n * m / equivalence)
    return (1.0 - beta) * own + beta * mean
