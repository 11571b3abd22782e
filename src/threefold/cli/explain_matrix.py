"""Matrix games: saddle points, dominance and the optimal mixture."""

import argparse

from threefold.cli.files import given_text, write_text
from threefold.cli.output import print_json, print_line
from threefold.cli.slides import step_through
from threefold.errors import ThreefoldError
from threefold.textbook.matrix import PRESETS, parse_matrix
from threefold.textbook.matrix_picture import draw_matrix, matrix_as_text
from threefold.textbook.matrix_tikz import matrix_as_tikz
from threefold.textbook.mixture import solve

KIND = "matrix games"
NAMES: tuple[str, ...] = ("matrix",)
OPTIONS = {"tree", "step", "svg", "tikz", "at"}


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """A matrix stands where a tree does, and needs no options of its own."""


def run(args: argparse.Namespace) -> int:
    """Explain a matrix game."""
    if args.tree is None:
        raise ThreefoldError(f'give a matrix, like "3 -1; -2 4", or one of {", ".join(PRESETS)}')
    found = solve(parse_matrix(given_text(args.tree)))
    steps = len(found.steps)
    if args.at is not None and not 1 <= args.at <= steps:
        raise ThreefoldError(f"step {args.at} is not between 1 and {steps}")
    if args.svg is not None:
        write_text(args.svg, draw_matrix(found, args.at))
    if args.tikz is not None:
        write_text(args.tikz, matrix_as_tikz(found, args.at))
    if args.json:
        print_json(found.to_json())
    elif args.step:
        step_through(
            steps,
            lambda i: f"{matrix_as_text(found, i)}\n\n{i}/{steps}  {found.steps[i - 1].sentence}",
            str(found),
        )
    else:
        for step in found.steps:
            print_line(step.sentence)
        print_line()
        print_line(matrix_as_text(found))
        print_line()
        print_line(str(found))
    return 0
