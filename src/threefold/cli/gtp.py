"""Play a board game for a program that speaks GTP, such as GoGui or Sabaki: as its engine.

That program starts it and talks to it; there is nothing to type. To try it by hand, write genmove
black, showboard and quit. Moves are written as the game writes them, and black moves first. Without
a clock, and without --time, --nodes, --depth or --level, a move takes one second. For Go, give
--game go or --game "go(size=19)".
"""

import argparse

from threefold.cli.output import (
    GAME_HELP,
    add_database,
    add_evaluation,
    number,
    whole_number,
    with_database,
)

NAME = "gtp"
HELP = "be an engine for board games, by the GTP protocol"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold gtp`."""
    parser.add_argument(
        "--game", metavar="GAME", default="othello", help=f"{GAME_HELP} (default: othello)"
    )
    parser.add_argument("--time", metavar="S", type=number, help="seconds a move")
    parser.add_argument("--nodes", metavar="N", type=whole_number, help="nodes a move")
    parser.add_argument("--depth", metavar="N", type=whole_number, help="maximum depth in plies")
    parser.add_argument(
        "--level", metavar="LEVEL", help="1 to 10, or beginner, easy, medium, hard, full"
    )
    add_evaluation(parser, "the evaluation to use")
    add_database(parser)


def run(args: argparse.Namespace) -> int:
    """Speak GTP on standard input and output until the other side quits."""
    from threefold.cli.talking import standard_streams
    from threefold.engine.limits import Limits
    from threefold.errors import ThreefoldError
    from threefold.games import game
    from threefold.protocols.gtp import GtpServer
    from threefold.protocols.move_chooser import MoveChooser
    from threefold.rules.terms import parse_weights

    limits = Limits(time=args.time, nodes=args.nodes, depth=args.depth)
    if args.level is not None and not limits.endless:
        raise ThreefoldError("--level has its own limits; leave out --time, --nodes and --depth")
    weights = None if args.weights is None else parse_weights(args.weights)
    lines, output = standard_streams()
    GtpServer(
        args.game,
        output,
        open_game=lambda spec: with_database(
            game(spec, own_net=args.eval is None).using(args.eval, weights=weights), args
        ),
        chooser=lambda chosen: MoveChooser(chosen, limits, args.level),
    ).serve(lines)
    return 0
