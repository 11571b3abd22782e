"""Arrays on disk that took long to compute, beside the compiled code.

Like compiled code, a file carries the digest of everything that its contents depend on in its name,
and a checksum. Whatever is wrong with it, the arrays are computed again; if they cannot be kept,
for example because the disk is full, that is said once, and they serve from memory.
"""

import io
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from threefold.engine.cache import (
    CHECKSUM_BYTES,
    FOLDER_VARIABLE,
    checksum,
    folder,
    make_private,
    read_own,
    say_once,
)
from threefold.engine.race_building import Array
from threefold.replacing import write_private
from threefold.rules.text import shorten


def path_of(label: str, digest: str) -> Path:
    """The file for arrays of that name, made from what has that digest."""
    return folder("tables") / f"{label}.{digest}.npz"


def read_arrays(path: Path) -> dict[str, Array] | None:
    """The arrays of a file by name; None if there is none, or it is damaged."""
    try:
        content = read_own(path)
        payload = content[CHECKSUM_BYTES:]
        if checksum(path.name, payload) != content[:CHECKSUM_BYTES]:
            raise ValueError("it is damaged")
        with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except OSError:
        return None
    except (ValueError, BadZipFile) as error:
        say_once(f"the table {path.name} cannot be used ({error}); making it again")
        return None


def write_arrays(path: Path, arrays: dict[str, Array]) -> None:
    """Keep arrays, if that is possible."""
    packed = io.BytesIO()
    np.savez(packed, **arrays)
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
