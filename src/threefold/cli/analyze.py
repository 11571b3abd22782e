"""Search a position for its best move, its value and the line that follows.

Without --depth, --time, --nodes, --games or --infinite the search takes one second. Ctrl-C ends it
with the best answer so far. The value is for the player to move: in the evaluation's units, or 1000
for a utility of 1 where the end of the game is in sight (its utility itself in games without an
evaluation).
"""

import argparse
from typing import Any

from threefold.cli.output import (
    add_database,
    add_evaluation,
    add_game,
    add_json,
    chosen_game,
    number,
    print_json,
    print_line,
    print_painted,
    whole_number,
    with_database,
    with_evaluation,
)

NAME = "analyze"
ALIASES = ("analyse",)
HELP = "find the best move of a position"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold analyze`."""
    add_game(parser)
    parser.add_argument("--depth", metavar="N", type=whole_number, help="maximum depth in plies")
    parser.add_argument("--time", metavar="S", type=number, help="time limit in seconds")
    parser.add_argument("--nodes", metavar="N", type=whole_number, help="node limit")
    parser.add_argument("--infinite", action="store_true", help="until the answer is proven")
    parser.add_argument(
        "--multipv", metavar="K", type=whole_number, default=1, help="the K best moves (default: 1)"
    )
    parser.add_argument(
        "--threads", metavar="T", type=whole_number, default=1, help="threads (default: 1)"
    )
    add_evaluation(parser, "the evaluation to use")
    add_database(parser)
    parser.add_argument(
        "--exact",
        action="store_true",
        help="the value of plain minimax to the depth: no reductions, no extensions",
    )
    parser.add_argument(
        "--method",
        metavar="NAME",
        help="alphabeta; mcts, which plays games out; rollout, which plays games of chance out "
        "by the evaluation; where something is hidden, ismcts, a tree of what players know, or "
        "worlds, which judges sampled deals as if they were open (default: what suits the game)",
    )
    parser.add_argument(
        "--games", metavar="N", type=whole_number, help="games of a rollout from each move"
    )
    parser.add_argument(
        "--truncate",
        metavar="N",
        type=whole_number,
        help="end the games of a rollout after N rolls, by the evaluation",
    )
    parser.add_argument(
        "--filter",
        metavar="K[,MARGIN]",
        type=move_filter,
        help="in games of chance, search only the K moves that seem best, and none that seems "
        "worse by more than MARGIN units of the evaluation (default: 160)",
    )
    parser.add_argument(
        "--playouts-on",
        metavar="WHERE",
        default="cpu",
        help="where mcts and rollout play games: cpu (the default) or gpu",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole_number,
        help="random seed for the choice among equal moves",
    )
    parser.add_argument(
        "--memory", metavar="MB", type=whole_number, help="the size of the table, or of the tree"
    )
    add_json(parser)
    parser.add_argument(
        "--stream", action="store_true", help="one JSON object per line as answers improve"
    )


def move_filter(given: str) -> dict[str, int]:
    """Parse --filter: how many moves, and by how much they may seem worse than the best."""
    keep, comma, margin = given.partition(",")
    if not all(part.strip().isdecimal() for part in ((keep, margin) if comma else (keep,))):
        raise argparse.ArgumentTypeError(
            f"{given!r} is not K or K,MARGIN, whole numbers from 0 up, such as 8 or 8,160"
        )
    return {"filter": int(keep)} | ({"filter_margin": int(margin)} if comma else {})


def run(args: argparse.Namespace) -> int:
    """Search and print."""
    from threefold.engine.methods import DEFAULT_TIME
    from threefold.engine.progress import StatusLine

    game, s, position = chosen_game(args)
    game = with_database(with_evaluation(game, args), args)
    limits = (args.time, args.depth, args.nodes, args.games)
    unlimited = all(limit is None for limit in limits)
    running = game.start(
        s,
        time=DEFAULT_TIME if unlimited and not args.infinite else args.time,
        depth=args.depth,
        nodes=args.nodes,
        multipv=args.multipv,
        threads=args.threads,
        seed=args.seed,
        exact=args.exact,
        method=args.method,
        playouts_on=args.playouts_on,
        megabytes=args.memory,
        selective=args.filter,
        games=args.games,
        truncate=args.truncate,
    )
    latest: list[Any] = []

    def watch(found: Any) -> None:
        latest[:] = [found]
        if args.stream:
            print_json(found.to_json(args.game, position))

    with StatusLine(lambda _: latest[0].headline() if latest else "searching…"):
        found = running.result(watch)
    if args.json and not args.stream:
        print_json(found.to_json(args.game, position))
    elif not args.stream:
        best, *rest = str(found).splitlines()
        print_painted(best, "strong")
        for line in rest:
            print_line(line)
        if not found.nodes and game.agreed is not None and found.best is not None:
            print_line("This is what partners have agreed on; it has no value of its own.")
    return 0
