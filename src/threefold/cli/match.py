"""Play a match of two players, and say which one is stronger and how sure that is.

Games come in pairs: the same opening, dice included, with sides reversed. Every game is recorded
as it ends. The same command again continues where it stopped, and never plays a game twice. With
--sprt the match ends as soon as the result is clear.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from threefold.cli.contests import PLAYER_HELP, add_contest, contest, play
from threefold.cli.output import print_json, print_line, whole_number
from threefold.errors import ThreefoldError, argument

NAME = "match"
HELP = "a rated match of two players of any game"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold match`."""
    parser.add_argument("a", metavar="A", help=PLAYER_HELP)
    parser.add_argument("b", metavar="B", help="the other player")
    parser.add_argument(
        "--games",
        metavar="N",
        type=whole_number,
        default=100,
        help="how many games, or how many at most with --sprt (default: 100)",
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="stop when it is clear whether A is ELO0 or ELO1 stronger (in normalized Elo)",
    )
    parser.add_argument(
        "--sprt-model",
        metavar="MODEL",
        default="normalized",
        help="the units of --sprt: normalized (the default), logistic or bayesian",
    )
    add_contest(parser)


def run(args: argparse.Namespace) -> int:
    """Play and report."""
    from threefold.arena.match import MATCH
    from threefold.arena.sprt import Sprt

    if args.games < 1:
        raise ThreefoldError(f"{argument('games', args.games)} is not a whole number above 0")
    sprt = None if args.sprt is None else Sprt.parse(args.sprt, model=args.sprt_model)
    with contest(args, [args.a, args.b], MATCH, sprt=sprt) as it:

        def lines(seconds: float) -> Sequence[str]:
            tally = it.ledger.standing.tally
            return [f"{tally.games}/{args.games} games, {tally.points:g} points, {seconds:.0f} s"]

        seconds = play(it, args.games, args.concurrency, lines)
        answer: dict[str, Any] = {
            "game": args.game,
            "players": [args.a, args.b],
            **it.ledger.standing.to_json(),
            **it.ledger.failures(),
            "seconds": round(seconds, 3),
        }
    if args.json:
        print_json(answer)
    else:
        for name, value in answer.items():
            print_line(f"{name}: {value}")
    return 0
