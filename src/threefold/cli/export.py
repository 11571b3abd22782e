"""Write the games of a match into a file for other programs: PGN, PDN, SGF, CSV or Parquet.

threefold export games.db games.pgn            the last match in the file
threefold export games.db games.csv --match 2  another one
"""

import argparse
import time

from threefold.cli.output import add_json, print_json, print_line, whole_number

NAME = "export"
HELP = "write recorded games as PGN, PDN, SGF, CSV or Parquet"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold export`."""
    parser.add_argument("file", metavar="FILE", help="where matches were recorded with --db")
    parser.add_argument(
        "to", metavar="TO", help="the file to write: .pgn, .pdn, .sgf, .csv or .parquet"
    )
    parser.add_argument(
        "--match", metavar="N", type=whole_number, help="which match (default: the last)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Write the games."""
    from threefold.arena.export import export
    from threefold.arena.store import Store

    began = time.perf_counter()
    with Store(args.file, read_only=True) as store:
        match = store.match(args.match)
        games = export(store, match, args.to)
    if args.json:
        seconds = round(time.perf_counter() - began, 3)
        print_json(
            {
                "file": args.file,
                "match": match.id,
                "to": args.to,
                "games": games,
                "seconds": seconds,
            }
        )
    else:
        print_line(f"{games:,} games of match {match.id} in {args.to}")
    return 0
