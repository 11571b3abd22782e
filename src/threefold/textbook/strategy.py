"""Strategies where players do not see everything: where they lead, and what they are worth.

A strategy has a probability for each move of each information set. The probability that a node is
reached is a product with a part for each player and one for chance; taken apart like that, it also
says how likely the node is if one of them tries to get there. Values are MAX's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from threefold.rules.contract import CHANCE, MAX, MIN, Player
from threefold.textbook.information import InformationSet, InformationTree
from threefold.textbook.tree import Node

#: Exact as long as the fractions are short, then a float.
Share: TypeAlias = int | Fraction | float
#: A probability, a value or a regret for each move of an information set, in order.
Shares: TypeAlias = list[Share]
Strategy: TypeAlias = Mapping[InformationSet, Sequence[Share]]

#: A fraction with a larger denominator goes on as a float.
_LARGEST_DENOMINATOR = 10**9
#: A fraction of more letters, or with a denominator from this on, is shown as a decimal.
_LONGEST, _LARGEST_SHOWN = 7, 1_000


@dataclass(frozen=True)
class Reach:
    """The parts of the probability that a node is reached: what each player and chance add."""

    by: Mapping[Player, Share]

    def without(self, player: Player) -> Share:
        """The probability if this player tried to get there."""
        product: Share = 1
        for other, share in self.by.items():
            product *= 1 if other == player else share
        return product

    def then(self, player: Player, share: Share) -> "Reach":
        """After a move, or an event of chance, of this probability."""
        return Reach({**self.by, player: self.by[player] * share})


def reaches(tree: InformationTree, strategy: Strategy) -> dict[str, Reach]:
    """How each node is reached, by name: from the root down."""
    reach = {tree.root.name: Reach({MAX: 1, MIN: 1, CHANCE: 1})}
    for node in tree.nodes:
        for child, share in zip(node.children, shares(tree, strategy, node), strict=True):
            reach[child.name] = reach[node.name].then(node.player, share)
    return reach


def values(tree: InformationTree, strategy: Strategy) -> dict[str, Share]:
    """What each node is worth, by name: from the leaves up."""
    value: dict[str, Share] = {}
    for node in reversed(tree.nodes):
        below = [value[child.name] for child in node.children]
        value[node.name] = mean(shares(tree, strategy, node), below) if below else worth(node)
    return value


def shares(tree: InformationTree, strategy: Strategy, node: Node) -> Sequence[Share]:
    """The probability of each child of a node."""
    if not node.children:
        return ()
    return node.weights if node.player == CHANCE else strategy[tree.of[node.name]]


def worth(node: Node) -> Share:
    """What a leaf is worth."""
    assert isinstance(node.value, int | Fraction), f"{node.name} has no single value"
    return node.value


def mean(probabilities: Sequence[Share], worths: Sequence[Share]) -> Share:
    """The mean of values by their probabilities."""
    return sum(p * v for p, v in zip(probabilities, worths, strict=True))


def uniform(tree: InformationTree) -> dict[InformationSet, Shares]:
    """All moves equally likely everywhere."""
    return {each: in_proportion([0] * len(each.moves)) for each in tree.sets}


def in_proportion(weights: Sequence[Share]) -> Shares:
    """Probabilities in proportion to weights; all alike if there are none."""
    whole = sum(weights)
    if not whole:
        return [Fraction(1, len(weights))] * len(weights)
    part = 1 / Fraction(whole) if isinstance(whole, int | Fraction) else 1 / whole
    return [weight * part for weight in weights]


def kept_short(number: Share) -> Share:
    """A number that stays exact as long as it is short."""
    if isinstance(number, Fraction) and number.denominator > _LARGEST_DENOMINATOR:
        return float(number)
    return number


def show_share(number: Share) -> str:
    """A number for people: a short fraction as it is, anything else with four decimals."""
    if isinstance(number, int | Fraction):
        exact = str(number)
        if Fraction(number).denominator < _LARGEST_SHOWN and len(exact) <= _LONGEST:
            return exact.replace("-", "−")
    x = float(number)
    rounded = f"{x:.4f}" if abs(x) >= 0.001 else f"{x:.6f}"
    rounded = rounded.rstrip("0").rstrip(".").replace("-", "−")
    return ("≈0" if x else "0") if rounded in {"0", "−0"} else rounded
