"""Read and write the files that a command names, and report errors in one line."""

import sys
from pathlib import Path

from threefold.errors import ThreefoldError
from threefold.replacing import write_file
from threefold.rules.text import shorten


def read_text(name: str) -> str:
    """A file's text, or standard input for `-`."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ThreefoldError(f"{shorten(name)} is not UTF-8 text; save it as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ThreefoldError(f"{shorten(name)} cannot be read: {reason}") from None


def given_text(given: str) -> str:
    """An argument's text: its own, that of the file it names, or standard input for `-`."""
    if given == "-":
        return read_text(given)
    try:
        is_file = Path(given).is_file()
    except (OSError, ValueError):
        is_file = False  # too long, or otherwise not a valid file name
    return read_text(given) if is_file else given


def write_text(name: str, text: str) -> None:
    """Write a file in UTF-8, completely or not at all."""
    try:
        write_file(name, text.encode())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ThreefoldError(f"{shorten(name)} cannot be written: {reason}") from None
