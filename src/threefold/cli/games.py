"""List every game: its classification in a table, then its parameters with their defaults.

branching: how many moves a position has; length: how many plies a game has. Both are averages, of
the game with its default parameters.
"""

import argparse
import inspect
from collections.abc import Sequence
from dataclasses import asdict

from threefold.cli.output import add_json, print_json, print_line
from threefold.games.catalogue import catalogue, parameters
from threefold.games.loading import Factory
from threefold.rules.facts import Facts

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
    for line in _table([(name, factory().facts) for name, factory in catalogue()]):
        print_line(line)
    print_line()
    for name, factory in catalogue():
        defaults = ",".join(f"{p.name}={p.format(p.default)}" for p in parameters(factory))
        made = factory()
        print_line(f"{name}({defaults})" if defaults else name)
        for line in (inspect.getdoc(factory) or "").splitlines():
            print_line(f"    {line}".rstrip())
        print_line(f"    {made.facts}")
        if made.evaluation_names:
            print_line(f"    evaluations: {', '.join(made.evaluation_names)}")
        print_line()
    return 0


def _table(games: Sequence[tuple[str, Facts]]) -> list[str]:
    """The classification, a row for each game."""
    header = ("game", "players", "zero-sum", "deterministic", "information", "finite")
    table = [(*header, "branching", "length", "by")]
    for name, facts in games:
        typical = facts.typical
        table.append(
            (
                name,
                str(facts.players),
                _yes(facts.zero_sum),
                _yes(facts.deterministic),
                "perfect" if facts.perfect_information else "hidden",
                _yes(facts.finite),
                f"{typical.branching:g}" if typical else "",
                f"{typical.length:g}" if typical else "",
                typical.source if typical else "",
            )
        )
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _entry(name: str, factory: Factory) -> dict[str, object]:
    made = factory()
    return {
        "name": name,
        "title": made.name,
        "description": inspect.getdoc(factory),
        "parameters": [
            {"name": p.name, "default": p.format(p.default)} for p in parameters(factory)
        ],
        "evaluations": made.evaluation_names,
        "facts": asdict(made.facts),
        "start": made.format(made.initial()),
    }
