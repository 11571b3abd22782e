"""Compiled entries on disk: one file each, in a folder that only its owner can touch.

A file's name carries the digest of everything that the machine code depends on, so an entry never
goes stale; it only grows old, and old ones are removed. `threefold.engine.jit.cache` defines what
the files hold.

A cache must never make anything fail: whatever goes wrong with a file or the folder counts as a
miss, and is reported once. Nor may it harm files that do not belong to it: it opens only plain
files, makes a folder private only if it owns that folder and the folder is not a link, and removes
nothing but entries.
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
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import platformdirs

from threefold.replacing import UNFINISHED, write_private
from threefold.rules.text import shorten

log = logging.getLogger("threefold")

#: The environment variable that names the folder to use instead of the user's cache folder.
FOLDER_VARIABLE = "THREEFOLD_CACHE"
#: An entry that has not been used for this long is removed,
MAX_AGE_DAYS = 30
#: and so are the least recently used versions of one procedure for games of one name.
MAX_VERSIONS = 16
_SUFFIX = ".entry"
CHECKSUM_BYTES = hashlib.sha256().digest_size

_said: set[str] = set()
_swept: set[Path] = set()


def say_once(message: str) -> None:
    """Log a warning the first time it occurs."""
    if message not in _said:
        _said.add(message)
        log.warning(message)


def folder(room: str = "compiled") -> Path:
    """Where compiled entries are kept, or other things that can be made again."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return (Path(chosen) if chosen else platformdirs.user_cache_path("threefold")) / room


class EntryFiles:
    """The files of one entry, one for each signature.

    `label` is a readable name for it; `digest` covers everything it depends on.
    """

    def __init__(self, label: str, digest: str) -> None:
        self.label = re.sub(r"[^A-Za-z0-9_]+", "-", label)[-80:]
        self.folder = folder()
        #: How many were read.
        self.hits = 0
        self._digest = digest

    def holds(self, sig: Any) -> bool:
        """Whether there is a file for a signature."""
        return os.path.isfile(self._path(sig))

    def holds_any(self) -> bool:
        """Whether there is a file for any signature."""
        return bool(self._files(f"{self.label}.{self._digest}-*{_SUFFIX}"))

    def read(self, sig: Any, rebuild: Callable[[Any], Any]) -> Any:
        """What `rebuild` makes of the contents for a signature, or None."""
        path = self._path(sig)
        try:
            content = read_own(path)
            payload = content[CHECKSUM_BYTES:]
            if checksum(path.name, payload) != content[:CHECKSUM_BYTES]:
                raise ValueError("it is damaged")
            result = rebuild(pickle.loads(payload))
            with suppress(OSError):
                os.utime(path)
        except OSError:  # it is written again; if that fails too, `write` says why
            return None
        except Exception as error:
            say_once(f"the cached {path.name} cannot be used ({error}); compiling it again")
            return None
        self.hits += 1
        return result

    def write(self, sig: Any, payload: bytes) -> None:
        """Keep the contents for a signature: a pickle."""
        path = self._path(sig)
        try:
            make_private(self.folder)
            write_private(path, checksum(path.name, payload) + payload)
        except OSError as error:
            say_once(
                f"compiled code cannot be kept in {shorten(str(self.folder), 120)} "
                f"({error.strerror or error}); set {FOLDER_VARIABLE} to a folder you own to "
                "compile only once"
            )
        else:
            self._sweep()

    def _path(self, sig: Any) -> Path:
        signature = hashlib.sha256(str(sig).encode()).hexdigest()[:8]
        return self.folder / f"{self.label}.{self._digest}-{signature}{_SUFFIX}"

    def _files(self, pattern: str) -> list[Path]:
        """The files in the folder whose names match."""
        try:
            names = os.listdir(self.folder)
        except OSError:
            return []
        return [self.folder / name for name in fnmatch.filter(names, pattern)]

    def _sweep(self) -> None:
        """Remove entries not used for a long time, and all but the latest versions of this one."""
        if self.folder not in _swept:
            _swept.add(self.folder)
            oldest = time.time() - MAX_AGE_DAYS * 86_400
            files = self._files(f"*{_SUFFIX}*") + self._files(f"{UNFINISHED}*")
            _remove(path for path in files if _last_use(path) < oldest)
        keep_latest(self._files(f"{self.label}.*{_SUFFIX}"), MAX_VERSIONS)


def checksum(name: str, payload: bytes) -> bytes:
    """Of the name as well: a file under another name is not ours."""
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


def read_own(path: Path) -> bytes:
    """A file's contents, if only this user can have written it, because it gets unpickled."""
    # Opening a pipe would block until something writes to it.
    with open(path, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a plain file")
        if os.name != "nt" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            raise ValueError("others may have written it")
        return file.read()


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def make_private(place: Path) -> None:
    """Make a folder that only this user can access; Windows profile folders are private anyway."""
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
    """Make a folder and its parents, where they do not exist."""
    try:
        _make_one(place)
    except FileExistsError:
        return
    except FileNotFoundError:
        above = takewhile(lambda parent: not os.path.lexists(parent), place.parents)
        for missing in (*reversed(list(above)), place):
            with suppress(FileExistsError):  # another process was faster
                _make_one(missing)


def _make_one(place: Path) -> None:
    place.mkdir(mode=0o700)
    place.chmod(0o700)  # even if the umask removed some of these bits


def keep_latest(paths: Iterable[Path], most: int) -> None:
    """Remove all but the files that were used last."""
    _remove(sorted(paths, key=_last_use)[:-most])


def _last_use(path: Path) -> float:
    """When a file was last used; one that cannot be examined does not count as old."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return math.inf


def _remove(paths: Iterable[Path]) -> None:
    """Remove files; one that cannot be removed does no harm."""
    for path in paths:
        with suppress(OSError):
            path.unlink()
