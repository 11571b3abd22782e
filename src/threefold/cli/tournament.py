"""Play a tournament of several players, and rate them.

Everyone plays everyone, or with --gauntlet the first plays all others. In each round every pairing
has two games: one opening, with sides reversed. Ratings are in Elo, by maximum likelihood; in
games of chance they are points per game. Everything else is as in `threefold match`.
"""

import argparse
from collections.abc import Callable, Sequence

from threefold.cli.contests import (
    PLAYER_HELP,
    add_contest,
    anchor_with_database,
    check_games,
    contest,
    exit_code,
    play,
    say_where,
)
from threefold.cli.output import print_json, print_line, whole_number

NAME = "tournament"
HELP = "play a tournament and rate the players"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold tournament`."""
    parser.add_argument("players", metavar="PLAYER", nargs="+", help=PLAYER_HELP)
    parser.add_argument(
        "--games",
        metavar="N",
        type=whole_number,
        default=20,
        help="how many games each pairing has (default: 20)",
    )
    parser.add_argument(
        "--gauntlet", action="store_true", help="the first player plays all others, and only that"
    )
    parser.add_argument(
        "--anchor",
        metavar="PLAYER=ELO",
        help="the rating of one of the players (default: the average is 0)",
    )
    add_contest(parser)


def run(args: argparse.Namespace) -> int:
    """Play and rate."""
    from threefold.arena import crosstable
    from threefold.arena.match import GAUNTLET, ROUND_ROBIN
    from threefold.arena.table import pace

    check_games("games", args.games)
    kind = GAUNTLET if args.gauntlet else ROUND_ROBIN
    anchor = None if args.anchor is None else anchor_with_database(args.anchor, args.database)
    with contest(args, args.players, kind, anchor=anchor) as it:
        games = it.settings.games_of_rounds(args.games)
        it.begin(games)
        before = it.ledger.games

        def ratings() -> list[str]:
            chance = not it.game.facts.deterministic
            return crosstable.rating_lines(args.players, it.ledger.ratings, chance=chance)

        def lines(seconds: float) -> Sequence[str]:
            time = pace(it.left(games), it.ledger.games - before, seconds)
            return [*ratings(), f"{it.ledger.games:,} of {games:,} games: {time}"]

        def go_on(watch: Callable[[], object]) -> None:
            it.play(games, concurrency=args.concurrency, watch=watch)

        seconds = play(it, games, go_on, lines)
        if args.json:
            print_json(
                {"game": args.game, **it.ledger.ratings.to_json(args.players)}
                | {"games": it.ledger.games, **it.ledger.failures(), "seconds": round(seconds, 3)}
            )
        else:
            for line in ratings():
                print_line(line)
            print_line()
            for line in crosstable.lines(args.players, it.ledger.meetings, it.ledger.ratings):
                print_line(line)
        say_where(it)
        return exit_code(it)
