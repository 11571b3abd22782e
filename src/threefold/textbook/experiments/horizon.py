"""Where a depth limit goes wrong: the horizon effect, positions that are not quiet, and cures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from threefold.games.catalogue import game
from threefold.textbook.experiments.experiment import Experiment, compared
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.replay import show
from threefold.textbook.tree import parse_tree

#: MIN's forced reply to C is F, one of three. Only below it does the loss show.
HORIZON = (
    "A(B:-5(D:-5(K:-5 L:-6) E:0(M:0 N:-1)) "
    "C:-1(F:-1(I:-1!(O:-6 P:-1) J:-1!(Q:-6 R:0)) G:3(S:3 T:2) H:4(U:4 V:2)))"
)


def horizon() -> Experiment:
    """The horizon effect happening, and its three cures side by side."""
    root = parse_tree(HORIZON)
    runs = {
        "minimax, 2 plies": explain("minimax", root, depth=2),
        "quiescence, 2 plies": explain("quiescence", root, depth=2),
        "secondary search, 2 plies": explain("secondary", root, depth=2),
        "singular extensions, 2 plies": explain("singular", root, depth=2),
        "quiescence, 3 plies": explain("quiescence", root, depth=3),
        "minimax, 4 plies": explain("minimax", root, depth=4),
    }
    before = [
        f"the tree: {HORIZON}",
        "A piece worth 5 is lost whatever MAX does. B gives it up at once. C throws away a pawn",
        "first. MIN must take it: F is far better for MIN than G and H. That only delays the loss:",
        "C is really worth −6, and B −5.",
    ]
    after = [
        "At two plies the loss lies beyond the horizon, so C seems to cost only a pawn.",
        "Quiescence search does not help there: after F it is MAX's move, MAX has nothing to take,",
        "and F is quiet. A ply later it is MIN's, I and J are not quiet (marked !), and it sees",
        "the loss. Secondary search takes a second look at the end of the chosen line. Singular",
        "extensions follow C and F further, because each stands out among its alternatives. On a",
        "tree this small, four plies of minimax cost less; on a chess board they do not:",
        "threefold experiment chess-horizon.",
    ]
    return _side_by_side("horizon", "The horizon effect", runs, before, after)


def _side_by_side(
    name: str,
    title: str,
    runs: Mapping[str, Explanation],
    before: Sequence[str],
    after: Sequence[str],
) -> Experiment:
    """Runs on one position in a table: what each finds, and how many nodes it visits."""
    plain = compared(name, title, runs, before, after)
    table = [("search", "value", "move", "nodes")] + [
        (run, show(each.value), each.path[0], str(len(each.visited))) for run, each in runs.items()
    ]
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    rows = [
        f"{run:{widths[0]}}  {value:>{widths[1]}}  {move:{widths[2]}}  {nodes:>{widths[3]}}"
        for run, value, move, nodes in table
    ]
    listed = [
        {"search": run, "value": each.value, "move": each.path[0], "nodes": len(each.visited)}
        for run, each in runs.items()
    ]
    return replace(
        plain,
        lines=[*before, "", *rows, "", *after],
        figures=plain.figures | {"table": listed},
    )


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
    return compared("quiet", "Non-quiescence", runs, before, after)


CHESS_HORIZON = "4k3/6pN/8/8/7K/8/p7/8 w - - 0 1"


def chess_horizon() -> Experiment:
    """The horizon effect on a chess board, and its three cures side by side."""
    chess = game("chess").using("material")
    runs = {
        "alpha-beta, 2 plies": chess.explain("alphabeta", CHESS_HORIZON, depth=2),
        "quiescence, 2 plies": chess.explain("quiescence", CHESS_HORIZON, depth=2),
        "secondary search, 2 plies": chess.explain("secondary", CHESS_HORIZON, depth=2),
        "singular extensions, 2 plies": chess.explain("singular", CHESS_HORIZON, depth=2),
        "quiescence, 3 plies": chess.explain("quiescence", CHESS_HORIZON, depth=3),
        "alpha-beta, 4 plies": chess.explain("alphabeta", CHESS_HORIZON, depth=4),
    }
    before = [
        chess.render(chess.parse(CHESS_HORIZON)),
        "",
        "Nothing stops black's pawn on a2 from becoming a queen. The check h7f6 throws the knight",
        "away and saves nothing, but black must respond to it first, best by taking the knight.",
    ]
    after = [
        "After two plies it is white's move, and white has nothing to take, so quiescence search",
        "stops and misses the new queen. A ply later it is black's, and it sees the promotion.",
        "Secondary search looks further at the end of the chosen line. Singular extensions follow",
        "the check and the capture of the knight, because each stands out among its alternatives.",
        "A deeper search sees the queen as well, at a higher price.",
    ]
    return _side_by_side(
        "chess-horizon", "The horizon effect on a chess board", runs, before, after
    )


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
    return compared("chess-quiet", "Non-quiescence on a chess board", runs, before, after)
