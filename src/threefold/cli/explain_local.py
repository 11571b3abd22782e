"""Local search: hill climbing and simulated annealing."""

import argparse

from threefold.cli.files import read_text
from threefold.cli.output import whole_number
from threefold.cli.slides import DRAWN, show
from threefold.textbook.local import (
    Point,
    hill_climbing,
    parse_cities,
    random_cities,
    render_queens,
    simulated_annealing,
)
from threefold.textbook.local_picture import QueenSlides, TourSlides
from threefold.textbook.trace import plain

KIND = "local search"
NAMES: tuple[str, ...] = ("hill-climbing", "simulated-annealing")
OPTIONS = {"queens", "cities", "seed", *DRAWN}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of local search."""
    parser.add_argument("--queens", metavar="N", type=whole_number, help="hill climbing's board")
    parser.add_argument(
        "--cities", metavar="N|FILE", help="annealing's cities: random, or 'x y' lines"
    )


def run(args: argparse.Namespace) -> int:
    """Explain hill climbing or simulated annealing."""
    if args.procedure == "hill-climbing":
        climbed = hill_climbing(8 if args.queens is None else args.queens, args.seed)
        said = climbed.narrate()
        answer = f"{said[-1]}\n{render_queens(climbed.steps[-1].board)}"
        show(args, lambda: QueenSlides(climbed), climbed.to_json, said, answer)
    else:
        annealed = simulated_annealing(_cities(args), args.seed)
        show(
            args,
            lambda: TourSlides(annealed),
            lambda: plain(annealed.to_json()),
            annealed.narrate(),
            str(annealed),
        )
    return 0


def _cities(args: argparse.Namespace) -> list[Point]:
    given = args.cities or "10"
    if given.isdecimal() and len(given) < 6:
        return random_cities(int(given), args.seed)
    return parse_cities(read_text(given))
