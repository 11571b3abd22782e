"""Play chess in a GUI that speaks XBoard's protocol: this program is the engine.

A GUI starts it and talks to it; there is nothing to type. To try it by hand, write protover 2, new,
usermove e2e4 and quit.
"""

import argparse
import sys

from threefold.cli.output import add_database, add_evaluation

NAME = "xboard"
HELP = "be a chess engine for GUIs, by XBoard's protocol (CECP)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold xboard`."""
    add_evaluation(parser, "the evaluation to use")
    add_database(parser)


def run(args: argparse.Namespace) -> int:
    """Speak XBoard's protocol on standard input and output until the GUI quits."""
    # A GUI waits two seconds for the features; this asks it to wait until they are there.
    if sys.stdout is not None:
        sys.stdout.write("feature done=0\n")
        sys.stdout.flush()
    from threefold.cli.talking import talk
    from threefold.protocols.xboard import XBoardServer

    return talk(XBoardServer, args)
