"""Run a textbook procedure step by step: on a tree, a game, a graph or a random walk.

threefold explain alphabeta "((3 12 8) (2 4 6) (14 5 2))" --step
threefold explain minimax --game tic-tac-toe --depth 2 --eval lines
threefold explain mcts --game "go(size=5)" --simulations 50 --html mcts.html
threefold explain a-star --graph lecture --html a-star.html
threefold explain a-star --graph FILE --from A --to G
threefold explain ida-star --puzzle 123456708
threefold explain hill-climbing --queens 8
threefold explain matrix "3 -1; -2 4"
threefold explain td --walk 5 --episodes 10 --lambda 0.8
threefold explain td --game "dice-nim(stones=6)" --episodes 100
threefold explain cfr --game kuhn-poker --iterations 10 --html kuhn.html
"""

import argparse
from typing import Protocol

from threefold.cli.output import add_json, whole_number
from threefold.errors import ThreefoldError
from threefold.rules.text import did_you_mean, shorten

NAME = "explain"
HELP = "run a textbook procedure step by step"


class Kind(Protocol):
    """One kind of procedure: a module of its own."""

    #: What its procedures are for.
    KIND: str
    #: Its procedures.
    NAMES: tuple[str, ...]
    #: The options that mean something to it, as attributes of the parsed arguments.
    OPTIONS: set[str]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that no other kind has."""

    def run(self, args: argparse.Namespace) -> int:
        """Explain one of its procedures."""


def kinds() -> tuple[Kind, ...]:
    """All of them, loaded when they are needed: other commands answer sooner."""
    from threefold.cli import (
        explain_local,
        explain_matrix,
        explain_paths,
        explain_regrets,
        explain_td,
        explain_trees,
    )

    return (
        explain_trees,
        explain_paths,
        explain_local,
        explain_matrix,
        explain_td,
        explain_regrets,
    )


_SPELLED = {"start": "--from", "goal": "--to", "tree": "TREE", "lambda_": "--lambda"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold explain`."""
    known = ", ".join(_names())
    parser.add_argument("procedure", metavar="PROCEDURE", help=f"one of {known}")
    for kind in kinds():
        kind.add_arguments(parser)
    parser.add_argument("--step", action="store_true", help="wait for a key at every step")
    parser.add_argument("--svg", metavar="FILE", help="write a picture")
    parser.add_argument("--html", metavar="FILE", help="write a page for stepping through it")
    parser.add_argument("--tikz", metavar="FILE", help="write TikZ for slides")
    parser.add_argument(
        "--at",
        metavar="N",
        type=whole_number,
        help="draw --svg and --tikz at this step instead of the end",
    )
    add_json(parser)
    options = set().union(*(kind.OPTIONS for kind in kinds()))
    parser.set_defaults(unset={name: parser.get_default(name) for name in options})


def run(args: argparse.Namespace) -> int:
    """Explain and print."""
    kind = next((kind for kind in kinds() if args.procedure in kind.NAMES), None)
    if kind is None:
        hint = did_you_mean(args.procedure, _names())
        raise ThreefoldError(f"there is no procedure {shorten(args.procedure)}: {hint}")
    for name in sorted(args.unset.keys() - kind.OPTIONS):
        # Refuse an option that means nothing here instead of ignoring it.
        if getattr(args, name) != args.unset[name]:
            option = _SPELLED.get(name, f"--{name.replace('_', '-')}")
            raise ThreefoldError(
                f"{option} does not go with {args.procedure}, which is for {kind.KIND}"
            )
    return kind.run(args)


def _names() -> list[str]:
    return [name for kind in kinds() for name in kind.NAMES]
