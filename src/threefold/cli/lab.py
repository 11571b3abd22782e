"""Open the lab: a page in the browser to play, analyze, step through and learn.

threefold lab                   on this machine only
threefold lab mygame.py         with your own game
threefold lab games.db          to look at recorded matches
threefold lab --eval net.npz    to play against a net, in the game that it was made for
threefold lab --host 0.0.0.0    for a class, which needs the link shown
"""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threefold.cli.output import print_line, whole_number
from threefold.errors import ThreefoldError

if TYPE_CHECKING:
    from threefold.engine.policy_nets import AnyNet
    from threefold.lab.matches import Archive
    from threefold.rules.game import Game

NAME = "lab"
HELP = "open the web page"
DEFAULT_PORT = 8333
#: How a database of SQLite begins, and how the names of such files end.
_DATABASE = b"SQLite format 3\0"
_ENDINGS = (".db", ".sqlite", ".sqlite3")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold lab`."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="your own game, FILE.py (loading it runs it), or recorded matches, or both",
    )
    parser.add_argument(
        "--eval", metavar="FILE", help="a net (.npz) as the evaluation of the game it is made for"
    )
    parser.add_argument(
        "--database",
        metavar="DIR",
        action="append",
        default=[],
        help="a database of end-games for the computer to look into; auto for small ones of your "
        "own; may be given several times, for several games",
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
    args.game = next((file for file in args.files if not _is_database(file)), None)
    users_game, archive = _opened(args.files)

    def ready(place: Place) -> None:
        print_line(place.url)
        if place.token is not None:
            _open_to_others(place.url, place.port, "" if archive is None else archive.name)

    port = DEFAULT_PORT if args.port is None else args.port
    if not 0 <= port <= 65535:
        raise ThreefoldError(f"--port {port} is not between 0 and 65535")
    options = {
        "host": args.host,
        "browser": not args.no_browser,
        "ready": ready,
        "archive": archive,
        "net": None if args.eval is None else _net(args.eval, users_game),
        "databases": _databases(args.database),
    }
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


def _opened(files: Sequence[str]) -> "tuple[Game[Any] | None, Archive | None]":
    """What the user wants to see: a game of their own, and a file of matches."""
    from threefold.games import game
    from threefold.lab.matches import Archive

    recorded = [file for file in files if _is_database(file)]
    games = [file for file in files if file not in recorded]
    for several, what in ((recorded, "file of matches"), (games, "game")):
        if len(several) > 1:
            raise ThreefoldError(f"the lab shows one {what}; give {several[0]} or {several[1]}")
    users_game = game(games[0]) if games else None
    if users_game is not None:
        users_game.require("the lab", zero_sum=False, perfect_information=False)
    return users_game, Archive(recorded[0]) if recorded else None


def _net(file: str, users_game: "Game[Any] | None") -> "AnyNet":
    """The net in a file, for the user's own game or for one of ours."""
    from threefold.engine.nets import BadNet, loaded, made_for
    from threefold.games.catalogue import HOMES, game

    spec = made_for(Path(file))
    if spec.partition("(")[0] in HOMES:
        return loaded(Path(file), game(spec))
    if users_game is None:
        raise BadNet(f"{file} was made for {spec}: open the lab with that game")
    return loaded(Path(file), users_game)


def _databases(folders: Sequence[str]) -> Sequence[str]:
    """The folders of databases, each of which has one."""
    from threefold.engine.endgames.database import rules_of
    from threefold.solve.endgames.opening import AUTO

    for folder in folders:
        if folder != AUTO:
            rules_of(Path(folder))
    return folders


def _is_database(name: str) -> bool:
    """Whether a file is a database, or should be one by its name."""
    try:
        with open(name, "rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE or name.endswith(_ENDINGS)
    except (OSError, ValueError):
        return name.endswith(_ENDINGS)


def _open_to_others(url: str, port: int, matches: str) -> None:
    """Say what was opened, and show the link as a QR code for a class's phones."""
    import segno

    but = f" other than {matches}" if matches else ""
    print_line(
        f"Anyone on this network who has the link can use the lab on port {port}: play, and have "
        f"this machine compute for them. They cannot run programs or read files{but}. Ctrl-C "
        "closes it."
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
