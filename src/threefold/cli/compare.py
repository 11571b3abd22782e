"""Run procedures side by side on one tree: their values, which must agree, and their cost.

On a uniform tree the theoretical counts are shown too. The exit code is 1 if the values differ.

  threefold compare "((3 12 8) (2 4 6) (14 5 2))" --order given,best-first,worst-first
  threefold compare --branching 3 --depth 6 --chart chart.svg
"""

import argparse

from threefold.cli.files import write_text
from threefold.cli.output import add_json, print_json, print_line, whole_number
from threefold.cli.trees import add_cut, add_order, add_tree, chosen_tree
from threefold.errors import ThreefoldError
from threefold.textbook.chart import chart
from threefold.textbook.compare import USUAL, compare
from threefold.textbook.ordering import uniform

NAME = "compare"
HELP = "several procedures side by side"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold compare`."""
    add_tree(parser)
    add_order(parser, "given")
    add_cut(parser)
    parser.add_argument(
        "--procedures",
        metavar="A,B,…",
        default=",".join(USUAL),
        help=f"which to compare (default: {','.join(USUAL)})",
    )
    parser.add_argument(
        "--branching", metavar="B", type=whole_number, help="a random uniform tree instead"
    )
    parser.add_argument("--chart", metavar="FILE", help="draw nodes against depth")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Compare and print."""
    procedures = [name.strip() for name in args.procedures.split(",")]
    orders = [order.strip() for order in args.order.split(",")]
    if args.branching is not None:
        if args.tree is not None or args.game is not None:
            raise ThreefoldError("give only one of --branching, a tree and --game")
        if args.depth is None:
            raise ThreefoldError("--branching needs --depth N")
        root = uniform(args.branching, args.depth, args.seed)
    else:
        root, _ = chosen_tree(args)
    compared = compare(root, procedures, orders, args.depth, args.seed, args.cut)
    if args.chart is not None:
        write_text(args.chart, _chart(args, procedures, orders[0]))
    if args.json:
        print_json(compared.to_json())
    else:
        print_line(str(compared))
    return 0 if compared.agree else 1


def _chart(args: argparse.Namespace, procedures: list[str], order: str) -> str:
    """Nodes against depth, from 1 to the requested depth."""
    if args.depth is None:
        raise ThreefoldError("--chart needs --depth N")
    results = {}
    for depth in range(1, args.depth + 1):
        if args.branching is not None:
            root = uniform(args.branching, depth, args.seed)
        else:
            root, _ = chosen_tree(args)
        results[depth] = compare(root, procedures, [order], depth, args.seed, args.cut)
    return chart(results, args.branching)
