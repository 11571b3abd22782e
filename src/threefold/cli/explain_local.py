"""Local search: hill climbing and simulated annealing."""

import argparse

from threefold.cli.files import read_text
from threefold.cli.output import print_json, print_line, whole_number
from threefold.textbook.local import (
    hill_climbing,
    parse_cities,
    random_cities,
    simulated_annealing,
)
from threefold.textbook.trace import plain

KIND = "local search"
NAMES: tuple[str, ...] = ("hill-climbing", "simulated-annealing")
OPTIONS = {"queens", "cities", "seed"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of local search."""
    parser.add_argument("--queens", metavar="N", type=whole_number, help="hill climbing's board")
    parser.add_argument(
        "--cities", metavar="N|FILE", help="annealing's cities: random, or 'x y' lines"
    )


def run(args: argparse.Namespace) -> int:
    """Explain hill climbing or simulated annealing."""
    if args.procedure == "hill-climbing":
        found = hill_climbing(8 if args.queens is None else args.queens, args.seed)
        answer, sentences = found.to_json(), found.narrate()
    else:
        given = args.cities or "10"
        if given.isdecimal() and len(given) < 6:
            cities = random_cities(int(given), args.seed)
        else:
            cities = parse_cities(read_text(given))
        annealed = simulated_annealing(cities, args.seed)
        answer, sentences = annealed.to_json(), annealed.narrate()
    if args.json:
        print_json(plain(answer))
        return 0
    for sentence in sentences:
        print_line(sentence)
    return 0
