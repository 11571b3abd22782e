"""Arrays on disk that took long to compute, beside the compiled code.

Like compiled code, a file carries the digest of everything that its contents depend on in its name,
and a checksum. Whatever is wrong with it, the array is computed again; if it cannot be kept, for
example because the disk is full, that is said once, and the array serves from memory.
"""

import io
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from threefold.engine.cache import (
    CHECKSUM_BYTES,
    FOLDER_VARIABLE,
    checksum,
    folder,
    keep_latest,
    make_private,
    read_own,
    say_once,
)
from threefold.replacing import write_private
from threefold.rules.text import shorten

#: How many versions of an array are kept: they differ in the rules that they were made from.
_MOST_VERSIONS: Final = 4


def path_of(label: str, digest: str) -> Path:
    """The file for an array of that name, made from what has that digest."""
    return folder("tables") / f"{re.sub('[^a-z0-9]+', '-', label.lower())}.{digest}.npy"


def read_array(path: Path) -> Any:
    """The array in a file; None if there is none, or it is damaged."""
    try:
        content = read_own(path)
        payload = content[CHECKSUM_BYTES:]
        if checksum(path.name, payload) != content[:CHECKSUM_BYTES]:
            raise ValueError("it is damaged")
        with suppress(OSError):
            os.utime(path)
        return np.load(io.BytesIO(payload), allow_pickle=False)
    except OSError:  # it is written again; if that fails too, `write_array` says why
        return None
    except ValueError as error:
        say_once(f"the table {path.name} cannot be used ({error}); making it again")
        return None


def write_array(path: Path, array: Any) -> None:
    """Keep an array, if that is possible."""
    packed = io.BytesIO()
    np.save(packed, array, allow_pickle=False)
    payload = packed.getvalue()
    try:
        make_private(path.parent)
        write_private(path, checksum(path.name, payload) + payload)
    except OSError as error:
        say_once(
            f"the table cannot be kept in {shorten(str(path.parent), 120)} "
            f"({error.strerror or error}); set {FOLDER_VARIABLE} to a folder you own to make it "
            "only once"
        )
    else:
        label, _, _ = path.name.partition(".")
        keep_latest(path.parent.glob(f"{label}.*.npy"), _MOST_VERSIONS)
