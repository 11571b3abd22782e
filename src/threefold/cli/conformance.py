"""Check that a game follows the rules contract and that all ways of running it agree.

The game is played at random. Each defect is reported in a sentence with a position that shows it.
The exit code is 1 if there are any.
"""

import argparse

from threefold.cli.output import (
    add_game,
    add_json,
    print_json,
    print_line,
    print_painted,
    whole_number,
)
from threefold.games import game
from threefold.rules.conformance import GAMES, conformance

NAME = "conformance"
HELP = "check a game, especially your own"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold conformance`."""
    add_game(parser, position=False)
    parser.add_argument(
        "--games",
        metavar="N",
        type=whole_number,
        default=GAMES,
        help=f"how many random games to play (default: {GAMES})",
    )
    parser.add_argument(
        "--seed", metavar="N", type=whole_number, default=1, help="random seed (default: 1)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Check and report."""
    from threefold.engine.progress import StatusLine, bar

    share = 0.0

    def progress(played: int, games: int) -> None:
        nonlocal share
        share = played / games

    chosen = game(args.game, own_net=False)
    with StatusLine(lambda seconds: f"{bar(share)} checking {chosen.name}… {seconds:.0f} s"):
        report = conformance(chosen, games=args.games, seed=args.seed, progress=progress)
    if args.json:
        print_json(report.to_json())
    else:
        *findings, verdict = str(report).splitlines()
        for line in findings:
            print_line(line)
        print_painted(verdict, "good" if report.ok else "bad")
    return 0 if report.ok else 1
