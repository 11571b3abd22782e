"""What depth buys, and what it costs."""

import math
import random

from threefold.rules.contract import MAX
from threefold.textbook.experiments.experiment import Experiment, by
from threefold.textbook.explain import explain
from threefold.textbook.ordering import uniform
from threefold.textbook.statistics import statistics
from threefold.textbook.tree import Node, Number, parse_tree, walk

DEEPER = "A(B:3(D:-2(H:4) E:4(I:4)) C:2(F:2(J:2) G:3(K:2)))"


def deeper() -> Experiment:
    """A deeper search that plays worse, and how depth makes up for a poor evaluation."""
    root = parse_tree(DEEPER)
    shallow, deep, whole = (explain("minimax", root, depth=d) for d in (1, 2, 3))
    table = _decisions()
    lines = [
        f"the tree: {DEEPER}",
        f"1 ply: {by(shallow)}; 2 plies: {by(deep)}; to the end: {by(whole)}",
        "STATIC is wrong about D, and only the deeper search calls it there. Searching q > p plies",
        "guarantees nothing, unless STATIC is exact or the search reaches the end.",
        "",
        "On average, depth helps. Right decisions in 200 random games of 5 plies and 3 moves,",
        "where values drift from ply to ply, by the maximum error of STATIC:",
        "",
        "error   " + "  ".join(f"{d} plies" for d in range(1, 6)),
        *(
            f"±{error:<5}  " + "  ".join(f"{share:>6.0%} " for share in shares).rstrip()
            for error, shares in table.items()
        ),
    ]
    figures = {
        "1": shallow.path[0],
        "2": deep.path[0],
        "whole": whole.path[0],
        "decisions": {str(error): shares for error, shares in table.items()},
    }
    return Experiment("deeper", "Deeper is not always better", lines, figures)


def _decisions(games: int = 200, depth: int = 5, branching: int = 3) -> dict[int, list[float]]:
    """How often a search to each depth picks a truly best move, by the error of STATIC."""
    rng = random.Random(1)
    right = {error: [0] * depth for error in (0, 4, 16)}
    for number in range(games):
        tree = uniform(branching, depth, seed=number)
        true: dict[str, Number] = {}
        _let_values_drift(tree, rng)
        _back_up(tree, true)
        best = [child.name for child in tree.children if true[child.name] == true[tree.name]]
        for error, counts in right.items():
            for node in walk(tree):
                off = rng.randint(-error, error) if node.children else 0
                node.value = int(true[node.name]) + off
            for plies in range(1, depth + 1):
                counts[plies - 1] += explain("alphabeta", tree, depth=plies).path[0] in best
    return {error: [count / games for count in counts] for error, counts in right.items()}


def _let_values_drift(tree: Node, rng: random.Random) -> None:
    """Leaf values that add up along the path: neighbors resemble each other, as in real games."""
    waiting = [(tree, 0)]
    while waiting:
        node, value = waiting.pop()
        node.value = value
        waiting += [(child, value + rng.randint(-4, 4)) for child in node.children]


def _back_up(tree: Node, true: dict[str, Number]) -> None:
    for node in reversed(list(walk(tree))):
        if node.children:
            choose = max if node.player == MAX else min
            true[node.name] = choose(true[child.name] for child in node.children)
        else:
            assert isinstance(node.value, int)
            true[node.name] = node.value


def budget(seconds: int = 100, rate: int = 10_000, branching: int = 35) -> Experiment:
    """How deep a node budget reaches, with and without cutoffs."""
    nodes = seconds * rate
    plies = round(math.log(nodes, branching))  # 3.9 for the lecture's figures
    lines = [
        f"{seconds} s at {rate:,} nodes per second is {nodes:,} nodes.",
        f"{branching}^{plies} = {branching**plies:,}: minimax looks about {plies} plies ahead.",
        f"With perfect ordering alpha-beta visits about b^(d/2) leaves: about {2 * plies} plies.",
        "",
        "Looking p plies ahead takes b^p leaves and (b^p − 1)/(b − 1) expansions:",
        *(
            f"b = {b}, p = {p}: {b**p:,} leaves, {(b**p - 1) // (b - 1):,} expansions"
            for b, p in ((3, 4), (branching, 2), (branching, 4))
        ),
    ]
    counted = statistics(explain("minimax", uniform(3, 4, 0)).events)
    lines.append(
        f"counted on a tree of b = 3, p = 4: {counted.leaves} leaves, "
        f"{counted.nodes - counted.leaves} expansions"
    )
    figures = {
        "nodes": nodes,
        "minimax_plies": plies,
        "alphabeta_plies": 2 * plies,
        "leaves_3_4": counted.leaves,
        "expansions_3_4": counted.nodes - counted.leaves,
    }
    return Experiment("budget", "The lecture's budget", lines, figures)
