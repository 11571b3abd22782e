"""What commands share: the GAME and POSITION arguments, and strict JSON on stdout."""

import argparse
import json
import os
import sys
from fractions import Fraction
from typing import Any

from threefold.engine.color import paint
from threefold.engine.progress import StatusLine
from threefold.errors import ThreefoldError
from threefold.games import game
from threefold.rules.game import Game
from threefold.rules.terms import parse_weights
from threefold.rules.text import printable

GAME_HELP = (
    "a game such as othello, othello(size=6) or nim(heaps=1-2-3); "
    "or your own: FILE.py, FILE.py:NAME or module:NAME; loading it runs it"
)
#: A longer number is a mistake.
_MAX_DIGITS = 30
#: Options whose name differs from the Python argument's.
_OTHER_NAMES = {"megabytes": "memory"}
POSITION_HELP = "a position in the game's notation (default: the start)"


def add_game(parser: argparse.ArgumentParser, *, position: bool = True) -> None:
    """Add the GAME argument, and POSITION unless it makes no sense."""
    parser.add_argument("game", metavar="GAME", help=GAME_HELP)
    if position:
        parser.add_argument("position", metavar="POSITION", nargs="?", help=POSITION_HELP)


def add_evaluation(parser: argparse.ArgumentParser, what: str) -> None:
    """Add --eval and --weights."""
    parser.add_argument(
        "--eval", metavar="NAME|FILE", help=f"{what}: its name, or the file of a net (.npz)"
    )
    parser.add_argument(
        "--weights",
        metavar="NAME=W,…",
        help="other weights for some of its terms, like queen=9,rook=5; without --eval, of the "
        "first evaluation that has them",
    )


def with_evaluation(chosen: Game[Any], args: argparse.Namespace) -> Game[Any]:
    """The game with the evaluation that --eval and --weights ask for."""
    weights = None if args.weights is None else parse_weights(args.weights)
    return chosen.using(args.eval, weights=weights)


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add --database."""
    parser.add_argument(
        "--database",
        metavar="DIR",
        help="a database of end-games to look into, made by threefold database build; auto for a "
        "small one of your own, which is made when it is first needed",
    )


def with_database(chosen: Game[Any], args: argparse.Namespace) -> Game[Any]:
    """The game with the database that --database names, if it does."""
    return chosen if args.database is None else chosen.with_database(args.database)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def whole_number(given: str) -> int:
    """Parse an integer option, with a clear error if it isn't one."""
    try:
        return int(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{given!r} is not a whole number") from None


def number(given: str) -> float:
    """Parse a number option, with a clear error if it isn't one."""
    try:
        return float(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{given!r} is not a number") from None


def exact_number(given: str) -> Fraction:
    """Parse a number option as a fraction: 0.1 is exactly a tenth."""
    try:
        if len(given) > _MAX_DIGITS:
            raise ValueError
        return Fraction(given)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{given!r} is not a number") from None


def as_option(name: str, value: str) -> str:
    """A Python argument as a command-line option, with its value if it has one."""
    option = "--" + _OTHER_NAMES.get(name, name).replace("_", "-")
    return f"{option} {value}" if value else option


def chosen_game(args: argparse.Namespace) -> tuple[Game[Any], Any, str]:
    """The game, the position, and its text: as the user wrote it, if they did."""
    # A net that comes with the game may not fit it any more: it is loaded only where it is used.
    chosen = game(args.game, own_net=getattr(args, "eval", "") is None)
    s = chosen.position(args.position)
    text = chosen.format(s) if args.position is None else " ".join(args.position.split())
    return chosen, s, text


def busy(with_what: str) -> StatusLine:
    """A line on stderr that says what takes so long, while a block runs."""
    return StatusLine(lambda seconds: f"{with_what}, {seconds:.0f} s")


def print_json(answer: dict[str, Any]) -> None:
    """Print one object on one line; what JSON cannot represent is an error."""
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text)
    print_line(text)


def print_line(text: str = "", *, styled: bool = False) -> None:
    """Print a line and flush it; escape sequences are kept only in `styled` lines, our own."""
    if not styled:
        text = printable(text, keep="\n\t")
    if sys.stdout is None:
        raise ThreefoldError("the answer cannot be written: standard output is closed")
    encoding = sys.stdout.encoding or "ascii"
    try:
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up_output()
        raise ThreefoldError(f"the answer cannot be written: {error.strerror}") from None


def print_painted(text: str, style: str) -> None:
    """Print a line in a style, if the output shows styles."""
    print_line(paint(printable(text, keep="\n\t"), style, sys.stdout), styled=True)


def give_up_output() -> None:
    """Keep Python from flushing at exit what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
