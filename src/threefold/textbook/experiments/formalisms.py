"""How a game is written down: as a tree or a graph, and in the lectures' words."""

from threefold.games.nim import nim
from threefold.textbook.experiments.experiment import Experiment, by
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.gametree import GameNode
from threefold.textbook.ordering import grow
from threefold.textbook.replay import show
from threefold.textbook.tree import walk


def merged() -> Experiment:
    """Five-stone Nim as a tree and as a graph of merged positions, by both rules for its end."""
    games = {"wins": nim((5,), take=2), "loses": nim((5,), take=2, misere=True)}
    best = {name: explain("minimax", GameNode(g, g.initial())) for name, g in games.items()}
    game = games["wins"]
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
    lines = [
        "Five stones; take one or two at a time.",
        f"The tree has {len(nodes)} nodes, {len(leaves)} of them leaves.",
        f"With equal positions merged, the graph has {len(states)} states.",
        "",
        *(
            line
            for name, run in best.items()
            for line in (
                f"Whoever takes the last stone {name}: minimax {by(run)};",
                f"  backed up, in the order of the search: {_backed_up(run)}.",
            )
        ),
        "",
        "The first player wins both games, the first by taking two, the second by taking one. The",
        "Kharagpur lecture states the first rule and backs up the values of the second.",
    ]
    figures = {
        "nodes": len(nodes),
        "leaves": len(leaves),
        "states": len(states),
        "path": best["wins"].path,
        "misere_path": best["loses"].path,
    }
    return Experiment("merged", "A tree and its graph", lines, figures)


def _backed_up(run: Explanation) -> str:
    """What inner nodes are worth, in the order in which the search leaves them."""
    left = [event["value"] for event in run.events if event.kind == "leave"]
    return " ".join(map(show, left))


def classification() -> Experiment:
    """The lectures' four ways to write a game down, next to the rules contract."""
    table = (
        ("S₀", "I", "CURRENT", "initial state", "initial()"),
        ("PLAYER(s)", "in the state", "Player", "in the state", "player(s)"),
        ("ACTIONS(s)", "–", "MOVEGEN(Position, Player)", "OPERATORS[game]", "actions(s, out)"),
        (
            "RESULT(s, a)",
            "Succs(s)",
            "MOVEGEN(Position, Player)",
            "APPLY(op, game)",
            "result(s, a)",
        ),
        (
            "TERMINAL-TEST(s)",
            "s in T",
            "DEEP_ENOUGH, no successors",
            "TERMINAL-TEST[game](s)",
            "no actions",
        ),
        (
            "UTILITY(s, p)",
            "V(s)",
            "STATIC(Position, Player)",
            "UTILITY[game](s)",
            "utility(s), evaluate(s)",
        ),
    )
    widths = [max(len(row[i]) for row in table) for i in range(5)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines += [
        "",
        "The fourth has one function for both sides: `threefold explain minimax-value TREE`.",
        "`threefold quiz` asks which games are of this kind; `threefold games` lists ours.",
    ]
    figures = {"formalisms": [list(row) for row in table]}
    return Experiment("classification", "Four formalisms and the contract", lines, figures)
