"""COUNTERFACTUAL REGRET MINIMIZATION: how to play well without seeing everything.

At each information set a player keeps a regret for every move: how much better it would have been,
so far, to have always made it. *Regret matching* makes each move in proportion to its positive
regret. The regrets are *counterfactual*: what happens at a set counts as often as chance and the
opponent lead there, as if the player had tried to get there. If no regret grows as fast as the
number of iterations, the average strategies approach an equilibrium (Zinkevich, Johanson, Bowling
and Piccione, "Regret minimization in games with incomplete information", 2007).

CFR+ forgets negative regrets, lets the players learn in turn, and gives later strategies more
weight in the average (Tammelin, "Solving large imperfect information games using CFR+", 2014).

The papers write R(I, a) for a regret, s(I, a) for a sum of strategies, π(I) for what the player
adds to the probability of reaching I, σ(I, a) for a probability and v(I, a) for a value.
"""

from collections.abc import Mapping, Sequence

from threefold.rules.contract import MAX, MIN
from threefold.textbook.information import InformationSet, InformationTree
from threefold.textbook.regrets_trace import RegretTrace
from threefold.textbook.strategy import (
    Reach,
    Share,
    Shares,
    Strategy,
    in_proportion,
    kept_short,
    mean,
    reaches,
    values,
)


def cfr(tree: InformationTree, trace: RegretTrace, iterations: int) -> Strategy:
    """CFR: regret matching at every information set; it is the average strategy that counts."""
    regret = {here: nothing(here) for here in tree.sets}
    total = {here: nothing(here) for here in tree.sets}
    for t in range(1, iterations + 1):
        strategy = {here: regret_matching(regret[here]) for here in tree.sets}
        trace.matched(t, regret, strategy)
        reach, value = reaches(tree, strategy), values(tree, strategy)
        trace.walked(reach, value)
        for here in tree.sets:
            v = counterfactual_values(here, reach, value)
            expected = mean(strategy[here], v)
            own = reach[here.nodes[0].name].by[here.player]
            for a in range(len(here.moves)):
                # as printed: R(I, a) ← R(I, a) + v(I, a) − v(I)
                regret[here][a] = kept_short(regret[here][a] + v[a] - expected)
                # as printed: s(I, a) ← s(I, a) + π(I) · σ(I, a)
                total[here][a] = kept_short(total[here][a] + own * strategy[here][a])
            trace.regretted(here, v, expected, regret[here], total[here])
        trace.averaged(average(total))
    return average(total)


def cfr_plus(tree: InformationTree, trace: RegretTrace, iterations: int) -> Strategy:
    """CFR+: negative regrets are forgotten, players take turns, later strategies count more."""
    regret = {here: nothing(here) for here in tree.sets}
    total = {here: nothing(here) for here in tree.sets}
    for t in range(1, iterations + 1):
        for player in (MAX, MIN):
            strategy = {here: regret_matching(regret[here]) for here in tree.sets}
            trace.matched(t, regret, strategy, player)
            reach, value = reaches(tree, strategy), values(tree, strategy)
            trace.walked(reach, value)
            for here in (each for each in tree.sets if each.player == player):
                v = counterfactual_values(here, reach, value)
                expected = mean(strategy[here], v)
                own = reach[here.nodes[0].name].by[player]
                for a in range(len(here.moves)):
                    # as printed: Q(I, a) ← max(Q(I, a) + v(I, a) − v(I), 0)
                    regret[here][a] = kept_short(max(regret[here][a] + v[a] - expected, 0))
                    # as printed: s(I, a) ← s(I, a) + t · π(I) · σ(I, a)
                    total[here][a] = kept_short(total[here][a] + t * own * strategy[here][a])
                trace.regretted(here, v, expected, regret[here], total[here])
        trace.averaged(average(total))
    return average(total)


def nothing(here: InformationSet) -> Shares:
    """A 0 for every move."""
    return [0] * len(here.moves)


def regret_matching(regret: Sequence[Share]) -> Shares:
    """Each move in proportion to its positive regret; all alike if no regret is positive."""
    return in_proportion([max(each, 0) for each in regret])


def counterfactual_values(
    here: InformationSet, reach: Mapping[str, Reach], value: Mapping[str, Share]
) -> Shares:
    """What each move is worth to the player, by how the others lead to each node of the set."""
    sign = 1 if here.player == MAX else -1
    return [
        sum(
            reach[node.name].without(here.player) * sign * value[node.children[a].name]
            for node in here.nodes
        )
        for a in range(len(here.moves))
    ]


def average(total: Mapping[InformationSet, Sequence[Share]]) -> dict[InformationSet, Shares]:
    """The average strategy: each counts as much as the player tried to get to the set."""
    return {here: in_proportion(weights) for here, weights in total.items()}
