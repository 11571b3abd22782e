"""Talking with a GUI on standard input and output, in whatever protocol."""

import argparse
import io
import sys
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from threefold.errors import ThreefoldError
from threefold.protocols.output import Output
from threefold.protocols.thinking import Thinker
from threefold.rules.terms import parse_weights

#: Seconds after which a thread that runs Python makes way for another.
_SWITCH_AFTER: Final = 0.001


class Server(Protocol):
    """Speaks a protocol."""

    def serve(self, lines: Iterable[str]) -> None:
        """Obey until the other side has enough."""


def talk(server: Callable[[Thinker, Output], Server], args: argparse.Namespace) -> int:
    """Serve until the GUI quits, or is gone."""
    lines, output = standard_streams()
    weights = None if args.weights is None else parse_weights(args.weights)
    server(Thinker(args.eval, weights, args.database), output).serve(lines)
    return 0


def standard_streams() -> tuple[Iterable[str], Output]:
    """The lines of standard input, whatever they contain, and standard output, for an engine."""
    if sys.stdin is None or sys.stdout is None:
        raise ThreefoldError("a GUI talks to this command; standard input or output is closed")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    # The thread that loads the engine must not keep the others waiting.
    sys.setswitchinterval(_SWITCH_AFTER)
    return sys.stdin, Output(sys.stdout)
