"""Ready-made experiments: what the lectures describe, shown happening.

Each is computed on request by the procedures themselves. No answer is hard-coded.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from threefold.errors import ThreefoldError
from threefold.games.catalogue import game
from threefold.rules.contract import MAX
from threefold.rules.text import did_you_mean, shorten
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.gametree import GameNode
from threefold.textbook.ordering import grow, uniform
from threefold.textbook.statistics import statistics
from threefold.textbook.trace import plain
from threefold.textbook.tree import Node, Number, format_number, parse_tree, walk


@dataclass(frozen=True)
class Experiment:
    """The result: sentences for people, figures for programs."""

    name: str
    title: str
    lines: Sequence[str]
    figures: dict[str, Any]

    def __str__(self) -> str:
        return "\n".join([self.title, "", *self.lines])

    def __repr__(self) -> str:
        return str(self)

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON types."""
        return {"experiment": self.name, "title": self.title} | {"figures": plain(self.figures)}


def _by(explained: Explanation) -> str:
    return f"{format_number(explained.value)} by {' '.join(explained.path)}"


def _compared(
    name: str,
    title: str,
    runs: Mapping[str, Explanation],
    before: Sequence[str],
    after: Sequence[str],
) -> Experiment:
    """Runs on one position, each with its answer; the text before and after says what they show."""
    answers = [f"{run}: {_by(explained)}" for run, explained in runs.items()]
    lines = [*before, "", *answers, "", *after]
    return Experiment(name, title, lines, {run: each.path[0] for run, each in runs.items()})


HORIZON = "A(B:-5(D:-5(H:-5(L:-5))) C:-1(E:-1(I:-1(M:-6))))"


def horizon() -> Experiment:
    """The horizon effect happening, and being cured."""
    root = parse_tree(HORIZON)
    runs = {
        "minimax, 2 plies": explain("minimax", root, depth=2),
        "minimax, 4 plies": explain("minimax", root, depth=4),
        "secondary search, 2 plies": explain("secondary", root, depth=2),
        "singular extensions, 2 plies": explain("singular", root, depth=2),
    }
    before = [
        f"the tree: {HORIZON}",
        "A piece worth 5 is lost whatever MAX does. B gives it up at once. C throws away a pawn",
        "first, which only delays the loss: C is really worth −6, and B −5.",
    ]
    after = [
        "At two plies the loss lies beyond the horizon, so C seems to cost only a pawn. A deeper",
        "search sees it. So does a second look at the end of the chosen line, and so does",
        "following a forced move further. On a tree this thin a deeper search costs no more. With",
        "many moves at each node it does, while these two look at only one line.",
    ]
    return _compared("horizon", "The horizon effect", runs, before, after)


QUIET = "A(B:6!(D:-4 E:-2) C:1(F:1 G:2))"


def quiet() -> Experiment:
    """A position that is not quiet: its value changes sign from one depth to the next."""
    root = parse_tree(QUIET)
    runs = {
        "minimax, 1 ply": explain("minimax", root, depth=1),
        "minimax, 2 plies": explain("minimax", root, depth=2),
        "quiescence, 1 ply": explain("quiescence", root, depth=1),
    }
    before = [
        f"the tree: {QUIET}",
        "B is in the middle of an exchange (marked !): it looks like 6, but is −4 a ply later.",
    ]
    after = [
        "Quiescence search continues below B until it is quiet, and nowhere else.",
    ]
    return _compared("quiet", "Non-quiescence", runs, before, after)


CHESS_HORIZON = "4k2r/5p1B/3P2p1/8/8/8/8/6K1 w - - 0 1"


def chess_horizon() -> Experiment:
    """The horizon effect on a chess board: a pawn thrown away to delay a loss."""
    chess = game("chess").using("material")
    runs = {
        "alpha-beta, 2 plies": chess.explain("alphabeta", CHESS_HORIZON, depth=2),
        "quiescence, 2 plies": chess.explain("quiescence", CHESS_HORIZON, depth=2),
        "alpha-beta, 4 plies": chess.explain("alphabeta", CHESS_HORIZON, depth=4),
        "secondary search, 2 plies": chess.explain("secondary", CHESS_HORIZON, depth=2),
    }
    before = [
        chess.render(chess.parse(CHESS_HORIZON)),
        "",
        "White's bishop on h7 is lost. The best move is to take a pawn for it, h7g6. The check",
        "d6d7 loses another pawn and saves nothing, but black must respond to it first.",
    ]
    after = [
        "After two plies it is white's move, so quiescence search stands pat and misses the rook",
        "taking the bishop too. A deeper search sees it, and so does a second look at the end of",
        "the chosen line.",
    ]
    return _compared("chess-horizon", "The horizon effect on a chess board", runs, before, after)


CHESS_QUIET = "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1"


def chess_quiet() -> Experiment:
    """A queen takes a guarded pawn because the search stops in the middle of the exchange."""
    chess = game("chess").using("material")
    runs = {
        "minimax, 1 ply": chess.explain("minimax", CHESS_QUIET, depth=1),
        "minimax, 2 plies": chess.explain("minimax", CHESS_QUIET, depth=2),
        "quiescence, 1 ply": chess.explain("quiescence", CHESS_QUIET, depth=1),
    }
    before = [
        chess.render(chess.parse(CHESS_QUIET)),
        "",
        "The pawn on d5 is guarded by the one on e6. White is ahead by 7 pawns' worth of material.",
    ]
    after = [
        "At one ply, the queen has just won a pawn. Quiescence search looks only at the captures",
        f"that follow. It visits {len(runs['quiescence, 1 ply'].visited)} positions; "
        f"two plies of minimax visit {len(runs['minimax, 2 plies'].visited)}.",
    ]
    return _compared("chess-quiet", "Non-quiescence on a chess board", runs, before, after)


DEEPER = "A(B:3(D:-2(H:4) E:4(I:4)) C:2(F:2(J:2) G:3(K:2)))"


def deeper() -> Experiment:
    """A deeper search that plays worse, and how depth makes up for a poor evaluation."""
    root = parse_tree(DEEPER)
    shallow, deep, whole = (explain("minimax", root, depth=d) for d in (1, 2, 3))
    table = _decisions()
    lines = [
        f"the tree: {DEEPER}",
        f"1 ply: {_by(shallow)}; 2 plies: {_by(deep)}; to the end: {_by(whole)}",
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


ROOT_VALUES = "A(B(D:3 E:5) C(F:3 G:-9))"


def root_values() -> Experiment:
    """Why the values of the root's other children cannot be trusted after alpha-beta."""
    root = parse_tree(ROOT_VALUES)
    returned = {}
    for cut in ("equal", "strict"):
        run = explain("alphabeta", root, cut=cut)
        returned[cut] = {
            event["child"]: event["value"]
            for event in run.events
            if event.kind == "child" and event.node == "A"
        }
    true = {
        event["child"]: event["value"]
        for event in explain("minimax", root).events
        if event.kind == "child" and event.node == "A"
    }
    lines = [
        f"the tree: {ROOT_VALUES}",
        "",
        "child   alpha-beta   strict cuts   true value",
        *(
            f"{name:<7} {returned['equal'][name]:>10} {returned['strict'][name]:>13} {value:>12}"
            for name, value in true.items()
        ),
        "",
        "With equal cuts C returns 3: a bound, not a value. Picking any child that seems to share",
        "the best value may pick C, and lose. Three safe ways: keep the first child that was",
        "strictly better, cut only on strictly worse, or search each child with a full window.",
    ]
    figures = {"returned": returned["equal"], "strict": returned["strict"], "true": true}
    return Experiment("root-values", "Leftovers of alpha-beta", lines, figures)


COIN = "A(B(D:10 E:10) C(F:9 G:100))"


def coin() -> Experiment:
    """Minimax against an opponent who is not optimal: a fair coin."""
    best = explain("alphabeta", parse_tree(COIN))
    toss = explain("expectiminimax", parse_tree("A(B~(1/2*D:10 1/2*E:10) C~(1/2*F:9 1/2*G:100))"))
    lines = [
        f"the tree: {COIN}",
        f"against a perfect opponent: {_by(best)}; pruned: {' '.join(best.pruned)}",
        f"against a coin: {_by(toss)}",
        "",
        "Minimax guarantees 10 whatever the opponent does. In return it gives up 44.5 on average",
        "against one who tosses a coin. It is optimal against an optimal opponent. It is safe",
        "against any other, but not the best choice against any other.",
    ]
    figures = {
        "minimax": best.value,
        "minimax_move": best.path[0],
        "pruned": best.pruned,
        "coin": toss.value,
        "coin_move": toss.path[0],
    }
    return Experiment("coin", "An opponent who is not optimal", lines, figures)


def merged() -> Experiment:
    """The tree compared with the graph in which equal positions are merged."""
    from threefold.games.nim import nim

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


EXPERIMENTS: dict[str, Callable[[], Experiment]] = {
    "horizon": horizon,
    "chess-horizon": chess_horizon,
    "quiet": quiet,
    "chess-quiet": chess_quiet,
    "deeper": deeper,
    "root-values": root_values,
    "coin": coin,
    "merged": merged,
    "budget": budget,
    "classification": classification,
}


def experiment(name: str) -> Experiment:
    """Run an experiment by its name."""
    if name not in EXPERIMENTS:
        hint = did_you_mean(name, EXPERIMENTS)
        raise ThreefoldError(f"there is no experiment {shorten(name)}: {hint}")
    return EXPERIMENTS[name]()
