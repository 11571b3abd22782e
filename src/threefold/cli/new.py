"""Write a commented game to start from: three in a row, drawn and clickable in the lab.

threefold new my_game.py
threefold play my_game.py
"""

import argparse
import re
from importlib.resources import files
from pathlib import Path

from threefold.cli.output import print_line
from threefold.errors import ThreefoldError
from threefold.rules.text import shorten

NAME = "new"
HELP = "a commented game to start from"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold new`."""
    parser.add_argument("file", metavar="FILE.py", help="the file to write; it must not exist yet")


def run(args: argparse.Namespace) -> int:
    """Write the file and say what to do with it."""
    path = Path(args.file)
    if path.suffix != ".py":
        raise ThreefoldError(f"{shorten(args.file)} is not a Python file; call it {path.stem}.py")
    _write(path, _text(path))
    shown = f'"{path}"' if " " in str(path) else str(path)
    print_line(f"wrote {shown}: three in a row, ready for your changes")
    print_line(f"try: threefold play {shown}, threefold lab {shown}, threefold conformance {shown}")
    return 0


def _text(path: Path) -> str:
    """The template, with the file's name as the game's name."""
    title = re.sub(r"[\W_]+", " ", path.stem).strip().capitalize() or "My game"
    template = files("threefold.cli").joinpath("template.py.txt").read_text("utf-8")
    return template.replace('"My game"', f'"{title}"').replace(" FILE  ", f" {path.name}  ")


def _write(path: Path, text: str) -> None:
    """Write a new file, but never overwrite an existing one, which is someone's work."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ThreefoldError(
            f"{shorten(str(path))} already exists and is left unchanged; choose another name"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ThreefoldError(f"{shorten(str(path))} cannot be written: {reason}") from None
