"""Run a ready-made experiment with game trees; without a NAME, list them."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from threefold.cli.output import add_json, print_json, print_line
from threefold.textbook.experiments import EXPERIMENTS, experiment

NAME = "experiment"
HELP = "ready-made experiments: what the lectures describe, shown happening"


#: Seconds until a long experiment first says that it is still running, and between later times.
_FIRST, _NEXT = 2, 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold experiment`."""
    parser.add_argument("name", metavar="NAME", nargs="?", help=f"one of {', '.join(EXPERIMENTS)}")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run one experiment, or list all of them."""
    about = {name: (run.__doc__ or "").strip() for name, run in EXPERIMENTS.items()}
    if args.name is not None:
        with _progress(args.name):
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


@contextmanager
def _progress(name: str) -> Iterator[None]:
    """Say now and then on stderr that something is happening."""
    finished = Event()

    def report() -> None:
        seconds = _FIRST
        while not finished.wait(_FIRST if seconds == _FIRST else _NEXT):
            sys.stderr.write(f"{name}: running for {seconds} seconds\n")
            seconds += _NEXT

    reporter = Thread(target=report, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        finished.set()
        reporter.join()
