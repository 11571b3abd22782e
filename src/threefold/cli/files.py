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


def write_text(name: str, text: str) -> None:
    """Write a file in UTF-8, completely or not at all."""
    try:
        write_file(name, text.encode())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ThreefoldError(f"{shorten(name)} cannot be written: {reason}") from None
