"""What `explain` and `compare` share: a tree as text, in a file or on stdin, or a game's."""

import argparse

from threefold.cli.files import given_text
from threefold.cli.output import GAME_HELP, add_evaluation, whole_number, with_evaluation
from threefold.errors import ThreefoldError
from threefold.games import game
from threefold.rules.text import shorten
from threefold.textbook.explain import WITH_PAYOFFS
from threefold.textbook.gametree import GameNode
from threefold.textbook.ordering import ORDERS
from threefold.textbook.tree import Node, parse_tree


def add_tree(parser: argparse.ArgumentParser) -> None:
    """Add the TREE argument, --game and its options."""
    parser.add_argument(
        "tree",
        metavar="TREE",
        nargs="?",
        help="a tree like '((3 12 8) (2 4 6) (14 5 2))', a file with one, or - for stdin",
    )
    parser.add_argument("--game", metavar="GAME", help=f"a game's tree instead: {GAME_HELP}")
    parser.add_argument("--position", metavar="POSITION", help="where the game's tree starts")
    add_evaluation(parser, "which of the game's evaluations to use")
    parser.add_argument("--depth", metavar="N", type=whole_number, help="maximum depth in plies")
    parser.add_argument(
        "--symmetries",
        action="store_true",
        help="merge the game's symmetric moves: one stands for all, marked ×4",
    )
    parser.add_argument(
        "--seed", metavar="N", type=whole_number, default=0, help="random seed (default: 0)"
    )


def add_order(parser: argparse.ArgumentParser, default: str) -> None:
    """Add --order."""
    parser.add_argument(
        "--order",
        default=default,
        metavar="ORDER",
        help=f"the order of children: {', '.join(ORDERS)} (default: {default})",
    )


def add_cut(parser: argparse.ArgumentParser) -> None:
    """Add --cut."""
    parser.add_argument(
        "--cut",
        metavar="HOW",
        help="whether equality cuts: equal (the default), strict, or a choice for each side, such "
        "as max=equal,min=strict",
    )


def chosen_tree(args: argparse.Namespace) -> tuple[Node, str | None]:
    """The root, and the tree's text if it has one."""
    if args.depth is not None and args.depth < 0:
        raise ThreefoldError(f"depth {args.depth} is negative")
    if args.game is None:
        for option in ("position", "eval", "weights"):
            if getattr(args, option) is not None:
                raise ThreefoldError(f"--{option} needs --game")
        if args.symmetries:
            raise ThreefoldError("--symmetries needs --game")
        if args.tree is None:
            raise ThreefoldError("give a tree, like '((3 12) (2 4))', or --game GAME")
        text = _read(args.tree)
        return parse_tree(text), text.strip()
    if args.tree is not None:
        raise ThreefoldError("give a tree or --game, not both")
    chosen = with_evaluation(game(args.game, own_net=args.eval is None), args)
    root = GameNode(chosen, chosen.position(args.position))
    if getattr(args, "procedure", None) in WITH_PAYOFFS:
        root = root.with_payoffs()  # before the tree is put into another order
    return root.without_symmetric_moves() if args.symmetries else root, None


def _read(given: str) -> str:
    """The tree's text, from the argument itself, the file it names, or standard input."""
    text = given_text(given)
    if text == given and "(" not in given and ("/" in given or given.endswith(".txt")):
        raise ThreefoldError(f"there is no file {shorten(given)}; a tree is written like (3 (4 5))")
    return text
