"""Matrix games: saddle points, dominance and the optimal mixture."""

import argparse

from threefold.cli.files import given_text
from threefold.cli.slides import DRAWN, show
from threefold.errors import ThreefoldError
from threefold.textbook.matrix import PRESETS, parse_matrix
from threefold.textbook.matrix_picture import MatrixSlides
from threefold.textbook.mixture import solve

KIND = "matrix games"
NAMES: tuple[str, ...] = ("matrix",)
OPTIONS = {"tree", *DRAWN}


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """A matrix stands where a tree does, and needs no options of its own."""


def run(args: argparse.Namespace) -> int:
    """Explain a matrix game."""
    if args.tree is None:
        raise ThreefoldError(f'give a matrix, like "3 -1; -2 4", or one of {", ".join(PRESETS)}')
    found = solve(parse_matrix(given_text(args.tree)))
    slides = MatrixSlides(found)
    lines = [*slides.sentences, "", slides.table(slides.at()), "", str(found)]
    show(args, lambda: slides, found.to_json, lines, str(found))
    return 0
