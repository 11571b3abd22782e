"""Counterfactual regret minimization, on the whole tree of a small game with hidden information."""

import argparse

from threefold.cli.contests import say
from threefold.cli.output import busy, whole_number
from threefold.cli.slides import DRAWN, show
from threefold.errors import ThreefoldError
from threefold.games import game
from threefold.textbook.regrets_narration import narrate, steps_of, table
from threefold.textbook.regrets_picture import RegretSlides
from threefold.textbook.regrets_run import ITERATIONS, PROCEDURES, minimize_regret

KIND = "games with hidden information"
NAMES: tuple[str, ...] = tuple(PROCEDURES)
OPTIONS = {"game", "position", "iterations", *DRAWN}
#: So many steps are told one by one, about two iterations of Kuhn poker; then so many iterations.
_DETAILED, _SUMMED_UP = 50, 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of regret minimization."""
    parser.add_argument(
        "--iterations",
        metavar="N",
        type=whole_number,
        help=f"cfr, cfr+: how many iterations (default: {ITERATIONS})",
    )


def run(args: argparse.Namespace) -> int:
    """Explain CFR or CFR+."""
    if args.game is None:
        raise ThreefoldError(f"{args.procedure} needs --game GAME, such as --game kuhn-poker")
    iterations = ITERATIONS if args.iterations is None else args.iterations
    with busy(args.procedure):
        found = minimize_regret(game(args.game), args.position, args.procedure, iterations)
    told = narrate(found, steps_of(found, _DETAILED, _SUMMED_UP))
    lines = [*told, "", table(found), "", str(found)]
    if args.position is not None and found.tree.root.children:
        say(
            "from here on both players know that it is this position: what they do is not what "
            "they would do in the whole game"
        )
    show(args, lambda: RegretSlides(found), found.to_json, lines, str(found))
    return 0
