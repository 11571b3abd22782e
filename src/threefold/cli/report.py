"""Show the tables of recorded games again, and turn them into plots, a page or other files.

FILE is what `threefold match` and `threefold tournament` record (--db). If it has several matches,
they are listed, and the latest one is shown.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from threefold.cli.output import add_json, busy, print_json, print_line, whole_number
from threefold.errors import ThreefoldError, argument

if TYPE_CHECKING:
    from threefold.arena.summary import Summary

NAME = "report"
HELP = "tables, plots and files of recorded matches"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold report`."""
    parser.add_argument("file", metavar="FILE", help="a file of recorded games")
    parser.add_argument(
        "--match", metavar="N", type=whole_number, help="which match (default: the latest)"
    )
    parser.add_argument("--html", metavar="OUT", help="write a page with everything")
    parser.add_argument(
        "--svg",
        metavar="DIR|FILE",
        help="write the plots to a folder, or the most important one to a file that ends in .svg",
    )
    parser.add_argument(
        "--export",
        metavar="FILE",
        action="append",
        default=[],
        help="write the games, in the format that the name's ending says: .pgn, .pdn, .sgf, .csv "
        "or .parquet; may be given several times",
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="what this test says about the games (default: the test of the match, if it had one)",
    )
    parser.add_argument(
        "--sprt-model",
        metavar="MODEL",
        default="normalized",
        help="the units of --sprt: normalized (the default), logistic or bayesian",
    )
    parser.add_argument(
        "--anchor",
        metavar="PLAYER=ELO",
        help="rate a tournament with one player's rating given (default: the average is 0)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Show a match, and write what is asked for."""
    from threefold.arena.sprt import Sprt
    from threefold.arena.store import Store
    from threefold.arena.summary import Summary, find, heading

    sprt = None if args.sprt is None else Sprt.parse(args.sprt, model=args.sprt_model)
    with busy("counting games"), Store(args.file, create=False) as store:
        match = find(store, args.match)
        matches = store.matches()
        summary = Summary(store, match, sprt=sprt, anchor=args.anchor)
        answer = summary.to_json()
        lines = [] if args.json else summary.lines()
        _write(args, summary)
    if args.json:
        print_json(answer)
        return 0
    if len(matches) > 1:
        print_line(f"{args.file} has {len(matches)} matches; --match N shows another one:")
        for each in matches:
            print_line(f"{'>' if each.id == match.id else ' '} {each.id}  {heading(each)}")
        print_line()
    else:
        print_line(heading(match))
        print_line()
    for line in lines:
        print_line(line)
    return 0


def _write(args: argparse.Namespace, summary: "Summary") -> None:
    from threefold.cli.files import write_text

    if args.svg is not None:
        plots = summary.plots()
        if args.svg.endswith(".svg"):
            write_text(args.svg, next(iter(plots.values())))
        else:
            try:
                Path(args.svg).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                given = argument("svg", args.svg)
                raise ThreefoldError(
                    f"{given}: no such folder can be made: {error.strerror}"
                ) from None
            for name, plot in plots.items():
                write_text(str(Path(args.svg, f"{name}.svg")), plot)
    if args.html is not None:
        from threefold.arena.report import report

        write_text(args.html, report(summary))
    for path in args.export:
        from threefold.arena.export import export

        export(summary.store, summary.match, path)
