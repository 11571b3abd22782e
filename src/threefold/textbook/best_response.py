"""The best response to a strategy, and exploitability: how far strategies are from an equilibrium.

A best response knows the opponent's strategy, but sees no hidden card: it has one move for each
information set, the one worth most on average over the nodes of the set, each as likely as chance
and the opponent lead there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from threefold.rules.contract import MAX, MIN, Player
from threefold.textbook.information import InformationSet, InformationTree
from threefold.textbook.strategy import Share, Strategy, mean, reaches, shares, worth
from threefold.textbook.tree import Node


@dataclass(frozen=True)
class BestResponse:
    """A player's best response: what it wins for that player, and its move at each set."""

    player: Player
    value: Share
    moves: Mapping[InformationSet, int]


def best_response(tree: InformationTree, strategy: Strategy, player: Player) -> BestResponse:
    """The best that a player can do against the opponent's part of a strategy."""
    reach = reaches(tree, strategy)
    chosen: dict[InformationSet, int] = {}
    known: dict[str, Share] = {}

    def value(node: Node) -> Share:
        """What a node is worth to the player, who plays best from there on."""
        if node.name not in known:
            here = tree.of.get(node.name)
            if not node.children:
                known[node.name] = worth(node) if player == MAX else -worth(node)
            elif here is not None and here.player == player:
                known[node.name] = value(node.children[best(here)])
            else:
                below = [value(child) for child in node.children]
                known[node.name] = mean(shares(tree, strategy, node), below)
        return known[node.name]

    def best(here: InformationSet) -> int:
        """The move that is worth most over all nodes of a set; ties go to the first."""

        def on_average(a: int) -> Share:
            return sum(reach[h.name].without(player) * value(h.children[a]) for h in here.nodes)

        if here not in chosen:
            chosen[here] = max(range(len(here.moves)), key=on_average)
        return chosen[here]

    for here in tree.sets:
        if here.player == player:
            best(here)
    return BestResponse(player, value(tree.root), chosen)


def exploitability(tree: InformationTree, strategy: Strategy) -> Share:
    """What a best response wins on average over both seats: 0 in an equilibrium."""
    both = (best_response(tree, strategy, player).value for player in (MAX, MIN))
    return Fraction(1, 2) * sum(both)
