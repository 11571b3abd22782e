"""Generate an exercise on a tree, and mark the answers.

    threefold exercise new --seed 7 > sheet.txt
    threefold exercise check sheet.txt

A sheet is a text file to fill in. The marks say what is right, wrong and missing, including extra
and missed cuts, and explain the first error. The exit code is 1 if there are any errors. With
--students, a printable page has one exercise per student, with consecutive seeds.
"""

import argparse

from threefold.cli.files import read_text, write_text
from threefold.cli.output import add_json, print_json, print_line, whole_number
from threefold.errors import ThreefoldError

NAME = "exercise"
HELP = "generate exercises and mark the answers"

#: More than any class has.
_MAX_STUDENTS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold exercise`."""
    actions = parser.add_subparsers(dest="action", metavar="new|check", required=True)
    new = actions.add_parser("new", help="a tree to solve", allow_abbrev=False)
    for name, default, what in (
        ("--seed", 1, "which exercise"),
        ("--branching", 3, "children of each node"),
        ("--depth", 3, "depth in plies"),
    ):
        new.add_argument(
            name, metavar="N", type=whole_number, default=default, help=f"{what} ({default})"
        )
    new.add_argument(
        "--procedure",
        metavar="NAME",
        default="alphabeta",
        help="what to work by hand: minimax, alphabeta (the default), alphabeta-hard, negamax…",
    )
    new.add_argument("--solution", action="store_true", help="with the answers filled in")
    new.add_argument("--svg", metavar="FILE", help="write the tree as a picture")
    new.add_argument("--html", metavar="FILE", help="write a printable page")
    new.add_argument(
        "--students",
        metavar="N",
        type=whole_number,
        help="with --html: one exercise per student, with consecutive seeds from --seed",
    )
    add_json(new)
    check = actions.add_parser("check", help="mark a sheet", allow_abbrev=False)
    check.add_argument("file", metavar="FILE", help="the completed sheet; - reads standard input")
    check.add_argument(
        "--seed", metavar="N", type=whole_number, help="accept only the exercise of this seed"
    )
    add_json(check)


def run(args: argparse.Namespace) -> int:
    """Generate an exercise or mark a sheet."""
    return _check(args) if args.action == "check" else _new(args)


def _new(args: argparse.Namespace) -> int:
    from threefold.textbook.exercise import new
    from threefold.textbook.sheet import html

    if args.students is not None:
        if not args.html:
            raise ThreefoldError("--students makes a page for a class; add --html FILE")
        if args.svg:
            raise ThreefoldError("--svg draws one exercise; leave out --students")
        if not 1 <= args.students <= _MAX_STUDENTS:
            raise ThreefoldError(f"--students {args.students} is not from 1 to {_MAX_STUDENTS}")
    count = args.students or 1
    exercises = [
        new(args.seed + i, args.branching, args.depth, args.procedure) for i in range(count)
    ]
    first = exercises[0]
    if args.html:
        write_text(args.html, html(exercises, args.solution))
    if args.svg:
        write_text(args.svg, first.picture(args.solution))
    if args.json:
        answers = [
            one.to_json() | ({"solution": one.solution()} if args.solution else {})
            for one in exercises
        ]
        print_json(answers[0] if args.students is None else {"exercises": answers})
    elif args.students is not None:
        print_line(f"{args.html}: seeds {args.seed} to {args.seed + count - 1}")
    else:
        print_line((first.solution() if args.solution else first.sheet()).rstrip("\n"))
    return 0


def _check(args: argparse.Namespace) -> int:
    from threefold.textbook.exercise import Marks, check, was_set

    def lines(marks: Marks) -> list[str]:
        values = [f"{node} {one.mark}" for node, one in marks.values.items() if one.mark != "right"]
        cut = [f"{node} missed" for node in marks.missed] + [
            f"{node} extra" for node in marks.extra
        ]
        return [
            f"value: {marks.value.mark}",
            f"move: {marks.move.mark}",
            f"values: {', '.join(values) or 'right'}",
            f"cut: {', '.join(cut) if marks.cut_mark == 'wrong' else marks.cut_mark}",
            f"points: {marks.points} of {marks.of}",
            *([marks.first_error] if marks.first_error else []),
        ]

    marks = check(read_text(args.file))
    if args.seed is not None and not was_set(marks.exercise, args.seed):
        raise ThreefoldError(
            f"the tree on the sheet is not the one that seed {args.seed} generates"
        )
    if args.json:
        print_json(marks.to_json())
    else:
        print_line("\n".join(lines(marks)))
    return 0 if marks.right else 1
