"""Compiled entries on disk: one file each, in a folder that only its owner can touch.

This is the one file that leans on Numba's private parts: the dispatcher's `_cache` attribute with
the interface `numba.core.caching._Cache`, and `CompileResult._reduce` and `_rebuild`. A file's
name carries the digest of all that the machine code depends on, so an entry never goes stale; it
only grows old, and old ones are swept away.

A cache must never be the reason that something fails: whatever goes wrong with a file or the
folder counts as a miss, and is said once. Nor may it harm what is not its own: it opens plain
files only, closes a folder to others only if that is its own and no link, and removes nothing but
entries.
"""

import fnmatch
import hashlib
import logging
import math
import os
import pickle
import re
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import platformdirs
from numba.core import caching, compiler, serialize
from numba.core.registry import cpu_target

from threefold.replacing import UNFINISHED, write_private
from threefold.rules.text import shorten

log = logging.getLogger("threefold")

#: Names the folder to use instead of the user's own cache folder.
FOLDER_VARIABLE = "THREEFOLD_CACHE"
#: An entry that nobody used for this long is removed,
MAX_AGE_DAYS = 30
#: and so are the least recently used versions of one procedure for games of one name.
MAX_VERSIONS = 16
_SUFFIX = ".entry"
#: How Numba marks a call that it resolves only in the process which compiled it.
_UNRESOLVED = b".numba.unresolved$"
_CHECKSUM_BYTES = hashlib.sha256().digest_size

_said: set[str] = set()
_swept: set[Path] = set()


def say_once(message: str) -> None:
    """Log a warning the first time that it comes up."""
    if message not in _said:
        _said.add(message)
        log.warning(message)


def folder() -> Path:
    """Where compiled entries are kept."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return (Path(chosen) if chosen else platformdirs.user_cache_path("threefold")) / "compiled"


def cpu() -> str:
    """The processor that machine code is made for."""
    return repr(cpu_target.target_context.codegen().magic_tuple())


class EntryCache(caching._Cache):  # type: ignore[misc]
    """The cache of one entry: `label` says for people what it is, `digest` what it depends on."""

    def __init__(self, label: str, digest: str) -> None:
        self._label = re.sub(r"[^A-Za-z0-9_]+", "-", label)[-80:]
        self._digest = digest
        self._folder = folder()
        self.hits = 0

    @property
    def cache_path(self) -> str:
        """The folder, as Numba's statistics show it."""
        return str(self._folder)

    def holds(self, sig: Any) -> bool:
        """Whether there is a file for a signature."""
        return os.path.isfile(self._path(sig))

    def holds_any(self) -> bool:
        """Whether there is a file for any signature."""
        return bool(self._files(f"{self._label}.{self._digest}-*{_SUFFIX}"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled result for a signature, or None."""
        path = self._path(sig)
        try:
            content = _read_own(path)
            payload = content[_CHECKSUM_BYTES:]
            if _checksum(path.name, payload) != content[:_CHECKSUM_BYTES]:
                raise ValueError("it is damaged")
            result = self._rebuild(target_context, pickle.loads(payload))
            with suppress(OSError):
                os.utime(path)
        except OSError:  # it is written anew; if that fails too, `save_overload` says why
            return None
        except Exception as error:
            say_once(f"the cached {path.name} cannot be used ({error}); compiling it again")
            return None
        self.hits += 1
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled result, if it can be kept."""
        payload = self._reduce(data)
        if payload is None:
            return
        path = self._path(sig)
        try:
            _make_private(self._folder)
            write_private(path, _checksum(path.name, payload) + payload)
        except OSError as error:
            say_once(
                f"compiled code cannot be kept in {shorten(str(self._folder), 120)} "
                f"({error.strerror or error}); set {FOLDER_VARIABLE} to a folder of yours to "
                "compile only once"
            )
        else:
            self._sweep()

    def enable(self) -> None:
        """Nothing to do: an entry is cached from the start or never."""

    def disable(self) -> None:
        """Nothing to do, likewise."""

    def flush(self) -> None:
        """Nothing to do: a digest names its contents, which cannot change."""

    def _reduce(self, data: Any) -> bytes | None:
        """A compiled result as bytes, or None if it cannot be kept."""
        if data.lifted or data.library.has_dynamic_globals:
            log.info("%s refers to what cannot be kept on disk", self._label)
            return None
        payload: bytes = serialize.dumps(data._reduce())
        if _UNRESOLVED in payload:
            log.warning("%s calls itself in a way that cannot be kept on disk", self._label)
            return None
        return payload

    def _rebuild(self, target_context: Any, content: Any) -> Any:
        """A compiled result from what those bytes hold."""
        return compiler.CompileResult._rebuild(target_context, *content)

    def _path(self, sig: Any) -> Path:
        signature = hashlib.sha256(str(sig).encode()).hexdigest()[:8]
        return self._folder / f"{self._label}.{self._digest}-{signature}{_SUFFIX}"

    def _files(self, pattern: str) -> list[Path]:
        """The folder's files of such names."""
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        return [self._folder / name for name in fnmatch.filter(names, pattern)]

    def _sweep(self) -> None:
        """Remove what nobody used for long, and all but the latest versions of this entry."""
        if self._folder not in _swept:
            _swept.add(self._folder)
            oldest = time.time() - MAX_AGE_DAYS * 86_400
            files = self._files(f"*{_SUFFIX}*") + self._files(f"{UNFINISHED}*")
            _remove(path for path in files if _last_use(path) < oldest)
        versions = sorted(self._files(f"{self._label}.*{_SUFFIX}"), key=_last_use)
        _remove(versions[:-MAX_VERSIONS])


def _checksum(name: str, payload: bytes) -> bytes:
    """Of the name as well: a file under another's name is no file of ours."""
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


def _read_own(path: Path) -> bytes:
    """A file's contents, if nobody but this user can have written it: code is unpickled from it."""
    # To open a pipe would wait for somebody to write to it.
    with open(path, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a plain file")
        if os.name != "nt" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            raise ValueError("others may have written it")
        return file.read()


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _make_private(place: Path) -> None:
    """Make a folder that only this user can touch; on Windows those of a profile are."""
    if place.parts[0] == "~":
        raise OSError("your home folder is not known")
    _make(place)
    if os.name == "nt":
        return
    status = place.stat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError("it is not a folder")
    if status.st_uid != os.geteuid():
        raise PermissionError("it belongs to another user")
    if status.st_mode & 0o077:
        if place.is_symlink():
            raise PermissionError("it is a link to a folder that others can enter")
        place.chmod(0o700)


def _make(place: Path) -> None:
    """Make a folder, and those above it, where there is none."""
    try:
        _make_one(place)
    except FileExistsError:
        return
    except FileNotFoundError:
        above = takewhile(lambda parent: not os.path.lexists(parent), place.parents)
        for missing in (*reversed(list(above)), place):
            with suppress(FileExistsError):  # another process was quicker
                _make_one(missing)


def _make_one(place: Path) -> None:
    place.mkdir(mode=0o700)
    place.chmod(0o700)  # whatever the umask took away


def _last_use(path: Path) -> float:
    """When a file was last used; one that cannot be looked at does not count as old."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return math.inf


def _remove(paths: Iterable[Path]) -> None:
    """Remove files; one that stays is no harm."""
    for path in paths:
        with suppress(OSError):
            path.unlink()
