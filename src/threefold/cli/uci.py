"""Play chess in a GUI that speaks UCI: this program is the engine.

A GUI starts it and talks to it; there is nothing to type. To try it by hand, write uci, isready,
position startpos, go movetime 1000 and quit.
"""

import argparse

from threefold.cli.output import add_database, add_evaluation

NAME = "uci"
HELP = "be a chess engine for GUIs, by the UCI protocol"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold uci`."""
    add_evaluation(parser, "the evaluation to use")
    add_database(parser)


def run(args: argparse.Namespace) -> int:
    """Speak UCI on standard input and output until the GUI quits."""
    from threefold.cli.talking import talk
    from threefold.protocols.uci import UciServer

    return talk(UciServer, args)
