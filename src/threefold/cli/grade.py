"""Mark a student's own minimax and alpha-beta.

The file defines minimax(node), or alphabeta(node) or alphabeta(node, alpha, beta), or both, and
each returns the value for MAX. A node has is_max, children (empty for a leaf) and value (of a
leaf; reading it is looking at it). The code runs in a process of its own, with limits on time and
memory; the report shows the first tree on which the value, the leaves looked at or their order
differ.

Where the system permits it, the program has no network and sees no files but Python's own; where
not, the report says so. It may import the files beside it, so give each student a folder. The exit
code is 0 if it is right; 1 if it is wrong or breaks off: by an error, a limit, an exit or forgery;
2 if it cannot be graded: no such file, no such function, or no process to run it in.
"""

import argparse

from threefold.cli.files import write_text
from threefold.cli.output import add_json, print_json, print_line, whole_number

NAME = "grade"
HELP = "mark a student's own minimax and alpha-beta"


def _seconds(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{given!r} is not a number of seconds") from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold grade`."""
    parser.add_argument("file", metavar="FILE.py", help="the student's file")
    parser.add_argument(
        "--trees", metavar="N", type=whole_number, default=100, help="how many trees (100)"
    )
    parser.add_argument("--seed", metavar="N", type=whole_number, default=1, help="which trees (1)")
    parser.add_argument(
        "--function", metavar="NAME", help="only minimax or alphabeta (default: what there is)"
    )
    parser.add_argument(
        "--seconds", metavar="S", type=_seconds, default=10.0, help="time for a function (10)"
    )
    parser.add_argument(
        "--svg",
        metavar="FILE",
        help="write the tree of the first difference, if any, as it should be",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the student's code and report."""
    from threefold.textbook.grade import grade

    given = grade(args.file, args.trees, args.seed, args.function, args.seconds)
    if args.svg and given.difference:
        write_text(args.svg, given.difference.picture())
    if args.json:
        print_json(given.to_json())
    else:
        print_line(str(given))
        if given.isolation.warning:
            print_line(given.isolation.warning)
    return 0 if given.right else 1
