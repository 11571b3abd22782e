"""List every game: its parameters with their defaults, and its classification."""

import argparse
import inspect
from dataclasses import asdict

from threefold.cli.output import add_json, print_json, print_line
from threefold.games.catalogue import catalogue, parameters
from threefold.games.loading import Factory

NAME = "games"
HELP = "every game, its parameters and its classification"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold games`."""
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the catalog."""
    if args.json:
        print_json({"games": [_entry(name, factory) for name, factory in catalogue()]})
        return 0
    for name, factory in catalogue():
        defaults = ",".join(f"{p.name}={p.format(p.default)}" for p in parameters(factory))
        made = factory()
        print_line(f"{name}({defaults})" if defaults else name)
        for line in (inspect.getdoc(factory) or "").splitlines():
            print_line(f"    {line}".rstrip())
        print_line(f"    {made.facts}")
        if made.evaluations:
            print_line(f"    evaluations: {', '.join(made.evaluations)}")
        print_line()
    return 0


def _entry(name: str, factory: Factory) -> dict[str, object]:
    made = factory()
    return {
        "name": name,
        "title": made.name,
        "description": inspect.getdoc(factory),
        "parameters": [
            {"name": p.name, "default": p.format(p.default)} for p in parameters(factory)
        ],
        "evaluations": list(made.evaluations),
        "facts": asdict(made.facts),
        "start": made.format(made.initial()),
    }
