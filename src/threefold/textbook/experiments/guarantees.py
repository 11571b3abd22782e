"""What minimax and alpha-beta promise, and what they do not."""

from threefold.textbook.experiments.experiment import Experiment, by
from threefold.textbook.explain import explain
from threefold.textbook.tree import parse_tree

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
        f"against a perfect opponent: {by(best)}; pruned: {' '.join(best.pruned)}",
        f"against a coin: {by(toss)}",
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
