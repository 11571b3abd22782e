"""Tune numbers of a player by letting it play against itself: SPSA.

Each iteration moves all parameters a little, plays those values against the opposite ones, and
follows the winner. Parameters of alphabeta are the numbers of its selective search (null_depth,
futility, reduction, …) and the weights of its evaluation's terms; of mcts, exploration; of an
outside engine, its options. Games begin after four random plies unless --openings says otherwise.
Every game is recorded as it ends, and the same command goes on where it stopped. What comes out is
a guess: only a match decides.
"""

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from threefold.cli.contests import (
    PLAYER_HELP,
    add_contest,
    contest_options,
    play,
    say_where,
    with_database,
)
from threefold.cli.files import write_text
from threefold.cli.output import number, print_json, print_line, print_painted, whole_number
from threefold.engine.color import paint

if TYPE_CHECKING:
    from threefold.arena.tune import Tuning

NAME = "tune"
HELP = "tune numbers of a player by playing (SPSA)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold tune`."""
    parser.add_argument("player", metavar="PLAYER", help=PLAYER_HELP)
    parser.add_argument(
        "--param",
        metavar="NAME=LOW..HIGH[:START[:STEP]]",
        action="append",
        default=[],
        help="a number to tune and its range; START is by default what the player has, STEP, how "
        "far it is moved to be tried, a tenth of the range. With a point in any of LOW, HIGH and "
        "START, it has three decimals. May be given several times",
    )
    parser.add_argument(
        "--iterations", metavar="N", type=whole_number, default=500, help="default: 500"
    )
    parser.add_argument(
        "--pairs",
        metavar="P",
        type=whole_number,
        default=4,
        help="pairs of games in each iteration (default: 4)",
    )
    parser.add_argument(
        "--rate",
        metavar="R",
        type=number,
        help="how fast results move the parameters (default: 0.5 / √(iterations · pairs))",
    )
    parser.add_argument("--svg", metavar="FILE", help="draw the parameters over time")
    add_contest(parser)


def run(args: argparse.Namespace) -> int:
    """Tune and report."""
    from threefold.arena import tuned
    from threefold.arena.tune import Tuning

    began = time.perf_counter()
    with Tuning(
        args.game,
        with_database(args.player, args.database),
        args.param,
        iterations=args.iterations,
        pairs=args.pairs,
        rate=args.rate,
        **contest_options(args),
    ) as it:
        it.begin(it.games)
        before = it.ledger.games

        def lines(seconds: float) -> Sequence[str]:
            return _progress(it, it.ledger.games - before, seconds)

        def go_on(watch: Callable[[], object]) -> None:
            it.tune(concurrency=args.concurrency, watch=watch)

        play(it, it.games, go_on, lines)
        if args.svg:
            write_text(args.svg, tuned.plot(it.spsa))
        if args.json:
            seconds = round(time.perf_counter() - began, 3)
            print_json(it.to_json() | {"seconds": seconds})
        else:
            for line in tuned.lines(it.spsa, it.ledger.games):
                print_line(line)
            print_painted(it.tuned, "strong")
            _say_how_to_check(it, args)
        say_where(it)
    return 0


def _progress(it: "Tuning", played: int, seconds: float) -> list[str]:
    from threefold.arena import tuned
    from threefold.arena.table import duration

    lines = tuned.lines(it.spsa, it.ledger.games)
    if played:
        left = (it.games - it.ledger.games) * seconds / played
        lines[0] += f", {played / seconds:.1f} a second, about {duration(left)} left"
    return lines


def _say_how_to_check(it: "Tuning", args: argparse.Namespace) -> None:
    """The match that would show whether this is an improvement."""
    limits = [
        word
        for name in ("time", "tc", "nodes", "depth")
        if (value := getattr(args, name)) is not None
        for word in (f"--{name}", f"{value:g}" if isinstance(value, float) else str(value))
    ]
    words = ["threefold", "match", it.tuned, str(it.line), "--game", args.game, *limits]
    words += ["--openings", str(it.settings.openings), "--seed", str(args.seed + 1)]
    words += ["--games", "1000"]
    hint = f"a match shows whether that is better:\n  {shlex.join(words)}\n"
    sys.stderr.write(paint(hint, "faint", sys.stderr))
