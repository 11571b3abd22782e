"""Generate an exercise on a tree or on learning, and mark the answers.

    threefold exercise new --seed 7 > sheet.txt
    threefold exercise check sheet.txt
    threefold exercise new --procedure td --seed 7 > walk.txt

A sheet is a text file to fill in. The marks say what is right, wrong and missing, including extra
and missed cuts, and explain the first error. The exit code is 1 if there are any errors. With
--students, a printable page has one exercise per student, with consecutive seeds.
"""

import argparse
from typing import TYPE_CHECKING

from threefold.cli.files import read_text, write_text
from threefold.cli.output import add_json, exact_number, print_json, print_line, whole_number
from threefold.errors import ThreefoldError

if TYPE_CHECKING:
    from threefold.textbook.exercise import Exercise
    from threefold.textbook.td_exercise import TDExercise

NAME = "exercise"
HELP = "generate exercises and mark the answers"

#: More than any class has.
_MAX_STUDENTS = 1000
#: The children of a node, and the plies, unless other numbers are given.
_SIZE = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold exercise`."""
    actions = parser.add_subparsers(dest="action", metavar="new|check", required=True)
    new = actions.add_parser("new", help="something to solve", allow_abbrev=False)
    new.add_argument("--seed", metavar="N", type=whole_number, default=1, help="which exercise (1)")
    for name, what in (("--branching", "children of each node"), ("--depth", "depth in plies")):
        new.add_argument(name, metavar="N", type=whole_number, help=f"{what} ({_SIZE})")
    new.add_argument(
        "--procedure",
        metavar="NAME",
        default="alphabeta",
        help="what to work by hand: minimax, alphabeta (the default), alphabeta-hard, negamax…; "
        "td: temporal differences on a random walk",
    )
    new.add_argument("--alpha", metavar="A", type=exact_number, help="td: the step size")
    new.add_argument(
        "--lambda", dest="lambda_", metavar="L", type=exact_number, help="td: λ, from 0 to 1"
    )
    new.add_argument("--solution", action="store_true", help="with the answers filled in")
    new.add_argument("--svg", metavar="FILE", help="write a picture")
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
    from threefold.textbook.sheet import html

    if args.students is not None:
        if not args.html:
            raise ThreefoldError("--students makes a page for a class; add --html FILE")
        if args.svg:
            raise ThreefoldError("--svg draws one exercise; leave out --students")
        if not 1 <= args.students <= _MAX_STUDENTS:
            raise ThreefoldError(f"--students {args.students} is not from 1 to {_MAX_STUDENTS}")
    count = args.students or 1
    exercises = _exercises(args, range(args.seed, args.seed + count))
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


def _exercises(args: argparse.Namespace, seeds: range) -> "list[Exercise] | list[TDExercise]":
    from threefold.textbook import exercise, td_exercise

    is_td = args.procedure == "td"
    others = ("branching", "depth") if is_td else ("alpha", "lambda_")
    for option in others:
        if getattr(args, option) is not None:
            raise ThreefoldError(
                f"--{option.rstrip('_')} does not go with --procedure {args.procedure}"
            )
    if is_td:
        return [td_exercise.new(seed, args.alpha, args.lambda_) for seed in seeds]
    branching = _SIZE if args.branching is None else args.branching
    depth = _SIZE if args.depth is None else args.depth
    return [exercise.new(seed, branching, depth, args.procedure) for seed in seeds]


def _check(args: argparse.Namespace) -> int:
    from threefold.textbook import td_exercise

    text = read_text(args.file)
    if not td_exercise.is_td(text):
        return _check_tree(args, text)
    marks = td_exercise.check(text)
    if args.seed is not None and not td_exercise.was_set(marks.exercise, args.seed):
        raise ThreefoldError(f"the walk on the sheet is not what seed {args.seed} generates")
    if args.json:
        print_json(marks.to_json())
    else:
        print_line("\n".join(marks.lines()))
    return 0 if marks.right else 1


def _check_tree(args: argparse.Namespace, text: str) -> int:
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

    marks = check(text)
    if args.seed is not None and not was_set(marks.exercise, args.seed):
        raise ThreefoldError(
            f"the tree on the sheet is not the one that seed {args.seed} generates"
        )
    if args.json:
        print_json(marks.to_json())
    else:
        print_line("\n".join(lines(marks)))
    return 0 if marks.right else 1
