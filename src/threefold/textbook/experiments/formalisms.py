"""How a game is written down: as a tree or a graph, and in the lectures' words."""

from threefold.games.nim import nim
from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.explain import explain
from threefold.textbook.gametree import GameNode
from threefold.textbook.ordering import grow
from threefold.textbook.tree import format_number, walk


def merged() -> Experiment:
    """The tree compared with the graph in which equal positions are merged."""
    game = nim((5,), take=2)
    tree = grow(GameNode(game, game.initial()))
    nodes = list(walk(tree))
    leaves = [node for node in nodes if not node.children]
    states = {game.initial()}
    waiting = [game.initial()]
    while waiting:
        s = waiting.pop()
        new = {game.result(s, a) for a in game.moves(s)} - states
        states |= new
        waiting += new
    best = explain("minimax", GameNode(game, game.initial()))
    lines = [
        "Five stones; take one or two at a time; whoever takes the last one wins.",
        f"The tree has {len(nodes)} nodes, {len(leaves)} of them leaves.",
        f"With equal positions merged, the graph has {len(states)} states.",
        f"minimax: {format_number(best.value)} by {' '.join(best.path)}: the first player wins by "
        "taking two.",
    ]
    figures = {"nodes": len(nodes), "leaves": len(leaves), "states": len(states), "path": best.path}
    return Experiment("merged", "A tree and its graph", lines, figures)


def classification() -> Experiment:
    """The lectures' three ways to write a game down, next to the rules contract."""
    table = (
        ("S₀", "I", "CURRENT", "initial()"),
        ("PLAYER(s)", "in the state", "Player", "player(s)"),
        ("ACTIONS(s)", "–", "MOVEGEN(Position, Player)", "actions(s, out)"),
        ("RESULT(s, a)", "Succs(s)", "MOVEGEN(Position, Player)", "result(s, a)"),
        ("TERMINAL-TEST(s)", "s in T", "DEEP_ENOUGH, no successors", "no actions"),
        ("UTILITY(s, p)", "V(s)", "STATIC(Position, Player)", "utility(s), evaluate(s)"),
    )
    widths = [max(len(row[i]) for row in table) for i in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines += [
        "",
        "`threefold quiz` asks which games are of this kind; `threefold games` lists ours.",
    ]
    figures = {"formalisms": [list(row) for row in table]}
    return Experiment("classification", "Three formalisms and the contract", lines, figures)
