"""Where a depth limit goes wrong: the horizon effect, positions that are not quiet, and cures."""

from threefold.games.catalogue import game
from threefold.textbook.experiments.experiment import Experiment, compared
from threefold.textbook.explain import explain
from threefold.textbook.tree import parse_tree

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
    return compared("horizon", "The horizon effect", runs, before, after)


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
    return compared("chess-horizon", "The horizon effect on a chess board", runs, before, after)


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
