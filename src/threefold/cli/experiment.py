"""Run a ready-made experiment; without a NAME, list them."""

import argparse

from threefold.cli.output import add_json, busy, print_json, print_line

NAME = "experiment"
HELP = "ready-made experiments: what the lectures describe, shown happening"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold experiment`."""
    from threefold.textbook.experiments import EXPERIMENTS

    parser.add_argument("name", metavar="NAME", nargs="?", help=f"one of {', '.join(EXPERIMENTS)}")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run one experiment, or list all of them."""
    from threefold.textbook.experiments import EXPERIMENTS, experiment

    about = {name: (run.__doc__ or "").strip() for name, run in EXPERIMENTS.items()}
    if args.name is not None:
        with busy(args.name):
            done = experiment(args.name)
        if args.json:
            print_json(done.to_json())
        else:
            print_line(str(done))
    elif args.json:
        print_json({"experiments": about})
    else:
        for name, sentence in about.items():
            print_line(f"{name}: {sentence}")
    return 0
