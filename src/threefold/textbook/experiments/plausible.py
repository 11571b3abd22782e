"""What a plausible-move generator saves, and what it overlooks."""

from typing import Any

from threefold.games.catalogue import game
from threefold.textbook.experiments.experiment import Experiment, by
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.tree import parse_tree

#: STATIC likes B and D. C gives something up and gets more back.
TREE = "A(B:4(E:2(3 1) F:3(2 5)) C:-3(G:6(9 7) H:7(8 6)) D:3(I:1(1 4) J:2(0 2)))"
#: White to move: the queen can be sacrificed on g8, and the knight mates.
SACRIFICE = "5r1k/6pp/2n4N/8/2Q5/8/p7/6K1 w - - 0 1"
_KEPT = (2, 4, 8)


def plausible() -> Experiment:
    """A generator of plausible moves: how much it saves, and the sacrifice that it never sees."""
    tree = {"every move": explain("minmax", parse_tree(TREE))}
    tree |= {f"the best {k}": explain("minmax", parse_tree(TREE), plausible=k) for k in (1, 2)}
    chess = game("chess").using("material")
    board = {"every move": chess.explain("alphabeta", SACRIFICE, depth=3)}
    board |= {
        f"the best {k}": chess.explain("alphabeta", SACRIFICE, depth=3, plausible=k) for k in _KEPT
    }
    lines = [
        f"the tree: {TREE}",
        "Of B, C and D the static evaluation likes C least, but C is the best move.",
        "",
        *_table("minmax", tree),
        "",
        chess.render(chess.parse(SACRIFICE)),
        "",
        "White mates by giving up the queen: Qg8+ Rxg8, Nf7#. Right after the sacrifice no piece",
        "is off the board yet, so the move looks worse than taking a pawn or a knight.",
        "",
        *_table("alphabeta, 3 plies, material", board),
        "",
        "Alpha-beta skips only what cannot change the answer. A plausible-move generator skips",
        "what looks bad, and is wrong wherever the evaluation is wrong.",
    ]
    figures = {
        name: {run: _figures(each) for run, each in runs.items()}
        for name, runs in (("tree", tree), ("chess", board))
    }
    return Experiment("plausible", "A plausible-move generator", lines, figures)


def _figures(run: Explanation) -> dict[str, Any]:
    return {"value": run.value, "move": run.path[0], "nodes": len(run.visited)}


def _table(what: str, runs: dict[str, Explanation]) -> list[str]:
    counts = {name: len(run.visited) for name, run in runs.items()}
    return [
        f"{what}:",
        *(f"{name:<12} {counts[name]:>6,} nodes   {by(run)}" for name, run in runs.items()),
    ]
