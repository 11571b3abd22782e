"""Open the lab: a page in the browser to play, analyze, step through and learn.

threefold lab                   on this machine only
threefold lab mygame.py         with your own game
threefold lab --host 0.0.0.0    for a class, which needs the link shown
"""

import argparse
from contextlib import suppress

from threefold.cli.output import print_line, whole_number
from threefold.errors import ThreefoldError

NAME = "lab"
HELP = "open the web page"
DEFAULT_PORT = 8333


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold lab`."""
    parser.add_argument(
        "game", metavar="FILE.py", nargs="?", help="your own game; loading it runs it"
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=whole_number,
        help=f"port to listen on; 0 takes any free one (default: {DEFAULT_PORT}, or any)",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on; 0.0.0.0 lets others on the network in",
    )
    parser.add_argument("--no-browser", action="store_true", help="serve without opening a browser")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    try:
        from threefold.lab.server import Place, serve
    except ImportError as missing:
        raise ThreefoldError(
            f"the lab needs {missing.name}, which is not installed; pip install {missing.name}"
        ) from None
    from threefold.games import game

    users_game = game(args.game) if args.game is not None else None
    if users_game is not None:
        users_game.require("the lab", zero_sum=False, perfect_information=False)

    def ready(place: Place) -> None:
        print_line(place.url)
        if place.token is not None:
            _open_to_others(place.url, place.port)

    port = DEFAULT_PORT if args.port is None else args.port
    if not 0 <= port <= 65535:
        raise ThreefoldError(f"--port {port} is not between 0 and 65535")
    options = {"host": args.host, "browser": not args.no_browser, "ready": ready}
    try:
        serve(users_game, port=port, **options)
    except KeyboardInterrupt:
        return 0
    except ThreefoldError:
        if args.port is not None:
            raise
        with suppress(KeyboardInterrupt):
            serve(users_game, port=0, **options)
    return 0


def _open_to_others(url: str, port: int) -> None:
    """Say what was opened, and show the link as a QR code for a class's phones."""
    import segno

    print_line(
        f"Anyone on this network who has the link can use the lab on port {port}: play, and have "
        "this machine compute for them. They cannot run programs or read files. Ctrl-C closes it."
    )
    code = segno.make(url, error="m")
    for row in _rows(code):
        print_line(row)


def _rows(code: object) -> list[str]:
    """A QR code for a terminal, two modules per character."""
    matrix = [[bool(module) for module in row] for row in code.matrix_iter(border=2)]  # type: ignore[attr-defined]
    if len(matrix) % 2:
        matrix.append([False] * len(matrix[0]))
    blocks = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return [
        "".join(blocks[pair] for pair in zip(above, below, strict=True))
        for above, below in zip(matrix[::2], matrix[1::2], strict=True)
    ]
