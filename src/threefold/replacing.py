"""Write a file completely or not at all.

The new contents go to a temporary file in the same folder, which then replaces the old file in one
step. Whatever goes wrong, such as a full disk or a killed process, the file is either the old one
or the new one, and no other process sees it half written.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

#: The prefix of files that a killed process leaves behind; they can be removed.
UNFINISHED = ".threefold-unfinished-"


def write_private(path: Path, content: bytes) -> None:
    """Write a plain file that only its owner can read and write, whatever the umask."""
    with _replacement_of(path, 0o600) as file:
        file.write(content)
        os.chmod(file.name, 0o600)


@contextmanager
def _replacement_of(path: Path, mode: int) -> Iterator[BinaryIO]:
    """A new file that replaces `path` at the end if nothing goes wrong."""
    name = path.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        with open(name, "xb", opener=lambda place, flags: os.open(place, flags, mode)) as file:
            yield file
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            name.unlink()
        raise


@contextmanager
def replacing(name: str) -> Iterator[BinaryIO]:
    """What a user names, to be written to: a file, a link to one, or a device such as /dev/stdout.

    An existing file keeps its owner and permissions, and one that may not be written stays
    unchanged. The contents are synced to disk before they replace anything.
    """
    try:
        there = os.stat(name)
    except FileNotFoundError:
        there = None
    if there is not None and (not stat.S_ISREG(there.st_mode) or _is_held_open(name)):
        with open(name, "wb") as file:
            yield file
        return
    if there is not None and not os.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with _replacement_of(Path(os.path.realpath(name)), 0o666) as file:
        yield file
        if there is not None:
            _make_like(file.name, there)
        file.flush()
        os.fsync(file.fileno())


def write_file(name: str, content: bytes) -> None:
    """Write to what a user names, as `replacing` does."""
    with replacing(name) as file:
        file.write(content)


def _is_held_open(name: str) -> bool:
    """Whether a name refers to a file a process already has open, which must not be replaced."""
    return os.path.abspath(name).startswith(("/dev/std", "/dev/fd/", "/proc/"))


def _make_like(name: str, other: os.stat_result) -> None:
    """Give a file another file's owner, if that is allowed, and its permissions."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(name, other.st_uid, other.st_gid)
    os.chmod(name, stat.S_IMODE(other.st_mode))
