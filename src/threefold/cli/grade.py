"""Grade a student's minimax and alpha-beta.

The file defines minimax(node), or alphabeta(node) or alphabeta(node, alpha, beta), or both. Each
returns the value for MAX. A node has is_max, children (empty for a leaf) and value (for a leaf;
reading it counts as looking at it). The code runs in a separate process with limits on time and
memory. The report shows the first tree on which the value, the leaves looked at or their order
differ.

If the system permits, the program has no network and sees no files except Python's own; otherwise
the report says so. It may import files from its folder, so give each student a separate folder.
The exit code is 0 if the code is right; 1 if it is wrong or fails with an error, a limit, an exit
or a forged message; 2 if it cannot be graded: no such file, no such function, or no process to run
it in.
"""

import argparse

from threefold.cli.files import write_text
from threefold.cli.output import add_json, print_json, print_line, whole_number

NAME = "grade"
HELP = "grade a student's minimax and alpha-beta"


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
        "--function",
        metavar="NAME",
        help="only minimax or alphabeta (default: whichever are there)",
    )
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=_seconds,
        default=10.0,
        help="time limit per function in seconds (10)",
    )
    parser.add_argument(
        "--svg",
        metavar="FILE",
        help="if there is a difference, draw its tree with the right result",
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
