"""Play a match of two players, and say which one is stronger and how sure that is.

Games come in pairs: the same opening, dice included, with sides reversed. Every game is recorded
as it ends. The same command again continues where it stopped, and never plays a game twice. With
--sprt the match ends as soon as the result is clear.
"""

import argparse
from collections.abc import Callable, Sequence

from threefold.cli.contests import (
    PLAYER_HELP,
    add_contest,
    check_games,
    contest,
    exit_code,
    play,
    say_where,
)
from threefold.cli.output import print_json, print_line, print_painted, whole_number

NAME = "match"
HELP = "play a rated match of two players"


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
        help="stop when it is clear whether A is ELO0 or ELO1 stronger than B",
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
    from threefold.arena import table
    from threefold.arena.match import MATCH
    from threefold.arena.sprt import Sprt, check_model

    check_games("games", args.games)
    check_model(args.sprt_model)
    sprt = None if args.sprt is None else Sprt.parse(args.sprt, model=args.sprt_model)
    with contest(args, [args.a, args.b], MATCH, sprt=sprt) as it:
        it.begin(args.games)
        before = it.ledger.games

        def lines(seconds: float) -> Sequence[str]:
            return table.lines(
                it.ledger.standing,
                [args.a, args.b],
                games=args.games,
                played=it.ledger.games - before,
                seconds=seconds,
                left=it.left(args.games),
                failures=it.ledger.failures(),
            )

        def go_on(watch: Callable[[], object]) -> None:
            it.play(args.games, concurrency=args.concurrency, watch=watch)

        seconds = play(it, args.games, go_on, lines)
        standing = it.ledger.standing
        if args.json:
            print_json(
                {"game": args.game, "players": [args.a, args.b]}
                | standing.to_json()
                | it.ledger.failures()
                | {"seconds": round(seconds, 3)}
            )
        else:
            for line in lines(seconds):
                print_line(line)
            print_painted(table.conclusion(standing), "strong")
        say_where(it)
        return exit_code(it)
