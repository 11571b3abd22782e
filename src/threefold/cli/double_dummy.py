"""How many tricks each declarer takes in each strain, if all four hands are open.

DEAL is written as in PBN: N:AKQ2.J5.T987.K83 and the hands of East, South and West; each hand is
spades, hearts, diamonds and clubs with a dot between two. Or it is a file with a deal on each line,
or - for standard input; of a PBN file, the Deal tags are read. Then each deal takes one line.
"""

import argparse
import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final

from threefold.cli.contests import say
from threefold.cli.files import given_text
from threefold.cli.output import add_json, print_json, print_line, whole_number
from threefold.engine.progress import PATIENCE, StatusLine, bar
from threefold.errors import BadPosition, ThreefoldError
from threefold.games.bridge.cards import SEAT_NAMES, SEATS, STRAINS, SUIT_SIGNS
from threefold.games.bridge.double_dummy import DoubleDummy, Tricks
from threefold.games.bridge.notation import DEAL_EXAMPLE, read_deal
from threefold.rules.text import did_you_mean, shorten

NAME = "double-dummy"
HELP = "bridge: tricks with all hands open"

#: A deal in quotes, as in `[Deal "N:…"]`.
_QUOTED: Final = re.compile(r'"\s*([NESWnesw]\s*:[^"]*)"')
_MOST_THREADS: Final = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold double-dummy`."""
    parser.add_argument(
        "deal", metavar="DEAL", nargs="+", help="a deal in PBN, in quotes or not; a file; or -"
    )
    parser.add_argument(
        "--strain", metavar="S", help="only with these trumps, C, D, H or S, or without any, NT"
    )
    parser.add_argument("--declarer", metavar="P", help="only for this declarer: N, E, S or W")
    parser.add_argument(
        "--threads",
        metavar="T",
        type=whole_number,
        default=os.cpu_count() or 1,
        help="how many threads to use (default: one for each core)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Solve and print, one deal after another."""
    strains = _chosen("strain", args.strain, STRAINS)
    declarers = _chosen("declarer", args.declarer, tuple(SEATS))
    if not 1 <= args.threads <= _MOST_THREADS:
        raise ThreefoldError(f"--threads {args.threads} is not from 1 to {_MOST_THREADS}")
    texts, several = _deals(args.deal)
    deals = [_hands(text, where) for where, text in texts]
    solver = DoubleDummy(strains, declarers, threads=args.threads)
    solved = solver.tables(deals)
    for done, (_, text) in enumerate(texts):
        try:
            with _waiting(done, len(deals)):
                tricks = next(solved)
        except KeyboardInterrupt:
            if done == 0:
                raise
            say(f"interrupted after {done:,} of {len(deals):,} deals")
            return 0
        if args.json:
            print_json({"deal": text, "tricks": tricks})
        elif several:
            print_line(f"{text}  {_one_line(tricks)}")
        else:
            print_line(_table(tricks))
    return 0


def _waiting(done: int, deals: int) -> AbstractContextManager[object]:
    """A bar on stderr while a deal is solved, erased before its answer is printed."""
    patience = PATIENCE if done == 0 else 0.0

    def describe(_: float) -> str:
        return f"{bar(done / deals)} {done}/{deals} deals"

    return StatusLine(describe, patience)


def _chosen(option: str, given: str | None, known: Sequence[str]) -> Sequence[str]:
    if given is None:
        return known
    if given.upper() not in known:
        raise ThreefoldError(f"--{option} {shorten(given)}: {did_you_mean(given.upper(), known)}")
    return (given.upper(),)


def _deals(words: Sequence[str]) -> tuple[list[tuple[str, str]], bool]:
    """The deals that are given, each with where it is in a file; and whether it is a file."""
    given = " ".join(" ".join(words).split())
    text = given_text(words[0]) if len(words) == 1 else given
    if len(words) > 1 or text is words[0]:
        quoted = _QUOTED.search(given)
        if ":" not in given:
            raise ThreefoldError(
                f"{shorten(given)} is neither a file nor a deal, like {DEAL_EXAMPLE}"
            )
        return [("", quoted[1] if quoted else given)], False
    lines = [(f"line {i}: ", line.strip()) for i, line in enumerate(text.splitlines(), 1)]
    found = [(where, match[1]) for where, line in lines if (match := _QUOTED.search(line))]
    found = found or [(where, line) for where, line in lines if line and line[0] not in "#%;["]
    if not found:
        raise ThreefoldError(f"{shorten(words[0])} has no deal; write one on each line")
    return [(where, " ".join(deal.split())) for where, deal in found], True


def _hands(text: str, where: str) -> Sequence[int]:
    try:
        return read_deal(text)
    except ValueError as error:
        raise BadPosition(f"{where}deal {shorten(text)}: {error}") from None


def _table(tricks: Tricks) -> str:
    """A row for each declarer, a column for each strain."""
    strains = [*next(iter(tricks.values()))]
    names = {SEATS[i]: name for i, name in enumerate(SEAT_NAMES)}
    signs = [SUIT_SIGNS[STRAINS.index(s)] if s != "NT" else s for s in strains]
    rows = [
        f"{names[declarer]:<6}" + "".join(f"{count:>4}" for count in row.values())
        for declarer, row in tricks.items()
    ]
    return "\n".join(["      " + "".join(f"{sign:>4}" for sign in signs), *rows])


def _one_line(tricks: Tricks) -> str:
    """`N 7 10 6 11 10  E …`: by declarer, the tricks in clubs, diamonds, hearts, spades, NT."""
    return "  ".join(
        " ".join([declarer, *map(str, row.values())]) for declarer, row in tricks.items()
    )
