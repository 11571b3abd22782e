"""The `threefold` command.

Data goes to stdout, progress and errors to stderr. Exit codes: 0 done; 1 the answer is no; 2 bad
input, explained in one line; 130 interrupted before there was an answer.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import threefold
from threefold.cli import (
    analyze,
    bench,
    compare,
    completion,
    conformance,
    database,
    double_dummy,
    evaluate,
    exercise,
    experiment,
    explain,
    games,
    grade,
    gtp,
    lab,
    match,
    new,
    perft,
    play,
    quiz,
    report,
    solve,
    tournament,
    train,
    tune,
    uci,
    xboard,
)
from threefold.cli.output import as_option, give_up_output
from threefold.cli.parsing import BAD_INPUT, OneLineParser, one_line
from threefold.engine.color import paint
from threefold.errors import ThreefoldError, Unsolved
from threefold.games.loading import describe

ANSWER_IS_NO = 1
INTERRUPTED = 130

_COMMANDS = (
    lab,
    games,
    play,
    analyze,
    evaluate,
    solve,
    database,
    double_dummy,
    match,
    tournament,
    train,
    tune,
    report,
    perft,
    explain,
    compare,
    experiment,
    quiz,
    exercise,
    grade,
    new,
    conformance,
    uci,
    xboard,
    gtp,
    bench,
    completion,
)


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The whole command line, or all of it but the options of other commands than one."""
    top = OneLineParser(
        prog="threefold",
        description="Two-player games from their rules: play, analyze, solve and explain them.",
        epilog="Run 'threefold COMMAND --help' for more about a command. A game's FILE.py is a "
        "program, and loading it runs it. The cache folder (THREEFOLD_CACHE) contains code that is "
        "run too.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"threefold {threefold.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", title="commands")
    for module in _COMMANDS:
        command = commands.add_parser(
            module.NAME,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            aliases=(aliases := getattr(module, "ALIASES", ())),
        )
        if only is None or only in (module.NAME, *aliases):
            module.add_arguments(command)
        command.set_defaults(run=module.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    top = parser(only=next((word for word in words if not word.startswith("-")), ""))
    args = top.parse_args(argv)
    if not hasattr(args, "run"):
        top.print_help()
        return 0
    try:
        return int(args.run(args))
    except ThreefoldError as error:
        complained = _complain(error.worded(as_option))
        return ANSWER_IS_NO if isinstance(error, Unsolved) else complained
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has stopped reading
        give_up_output()
        return 0
    except Exception as error:
        if _is_users_game(args):
            return _complain(f"{args.game}: its rules fail: {describe(error)}")
        raise


def _is_users_game(args: Any) -> bool:
    named = getattr(args, "game", None) or ""
    return ":" in named or ".py" in named


def _complain(message: str) -> int:
    name = paint("threefold:", "bad", sys.stderr)
    sys.stderr.write(f"{name} {one_line(message)}\n")
    return BAD_INPUT
