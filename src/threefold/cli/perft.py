"""Count the positions exactly N plies away from a position.

A game that ended earlier is not counted, unless --finished is given. A forced pass is a ply, and
so is an event of nature.
"""

import argparse

from threefold.cli.output import (
    add_game,
    add_json,
    chosen_game,
    print_json,
    print_line,
    whole_number,
)

NAME = "perft"
HELP = "count the tree"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold perft`."""
    add_game(parser)
    parser.add_argument(
        "--depth", metavar="N", type=whole_number, required=True, help="depth in plies"
    )
    parser.add_argument("--divide", action="store_true", help="count each root move separately")
    parser.add_argument("--finished", action="store_true", help="count games that ended earlier")
    parser.add_argument(
        "--way",
        default="compiled",
        metavar="WAY",
        help="how to run the rules: interpreted, compiled (the default) or gpu",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Count and print."""
    from threefold.gpu.ways import perft

    game, s, position = chosen_game(args)
    counted = perft(game, s, args.depth, finished=args.finished, divide=args.divide, way=args.way)
    divide = [(game.format_move(s, a), nodes) for a, nodes in counted.divide]
    if args.json:
        answer = {
            "game": args.game,
            "position": position,
            "depth": counted.depth,
            "nodes": counted.nodes,
            "seconds": round(counted.seconds, 6),
        }
        if args.divide:
            answer["divide"] = [{"move": move, "nodes": nodes} for move, nodes in divide]
        print_json(answer)
        return 0
    for move, nodes in divide:
        print_line(f"{move}: {nodes}")
    print_line(str(counted.nodes))
    return 0
