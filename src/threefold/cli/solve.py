"""Solve a position: its exact value, every best move, and the value of every other one.

The value is the utility for the player to move. Ctrl-C ends with what is known so far. A game of
hidden information is solved from its start: a strategy for every information set, its value, and
how much the best answers to it would gain.
"""

import argparse

from threefold.cli.output import (
    add_database,
    add_game,
    add_json,
    chosen_game,
    number,
    print_json,
    print_line,
    whole_number,
    with_database,
)

NAME = "solve"
HELP = "the exact value and every best move"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold solve`."""
    add_game(parser)
    parser.add_argument("--score", metavar="NAME", help="report values in one of the game's scores")
    parser.add_argument(
        "--method",
        metavar="NAME",
        default="auto",
        help="auto (the default), graph, table, null-window, proof or superko; cfr+, cfr or "
        "external for hidden information",
    )
    parser.add_argument(
        "--detail",
        metavar="HOW",
        default="moves",
        help="moves (the default: every move's value), best (every best move), win_in (how soon) "
        "or value",
    )
    parser.add_argument(
        "--memory", metavar="MB", type=whole_number, help="memory limit in megabytes"
    )
    parser.add_argument("--time", metavar="S", type=number, help="time limit in seconds")
    parser.add_argument("--nodes", metavar="N", type=whole_number, help="node limit")
    hidden = parser.add_argument_group("games of hidden information")
    hidden.add_argument("--iterations", metavar="N", type=whole_number, help="how many iterations")
    hidden.add_argument(
        "--exploitability",
        metavar="E",
        type=number,
        help="stop when the strategies are this near to optimal (default: 0.00001; for external, "
        "0.01)",
    )
    hidden.add_argument("--seed", metavar="S", type=whole_number, help="for --method external")
    add_database(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Solve and print."""
    from threefold.solve.solve import DEFAULT_MEGABYTES, solve

    game, s, position = chosen_game(args)
    game = with_database(game, args)
    found = solve(
        game,
        s,
        score=args.score,
        method=args.method,
        detail=args.detail,
        megabytes=DEFAULT_MEGABYTES if args.memory is None else args.memory,
        time=args.time,
        nodes=args.nodes,
        iterations=args.iterations,
        exploitability=args.exploitability,
        seed=args.seed,
    )
    if args.json:
        print_json(found.to_json(args.game, position))
    else:
        print_line(str(found))
    return 0
