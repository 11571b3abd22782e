"""Compiled entries on disk: one file each, in a folder that only its owner can touch.

This is the one file that leans on Numba's private parts: the dispatcher's `_cache` attribute with
the interface `numba.core.caching._Cache`, and `CompileResult._reduce` and `_rebuild`. A file's
name carries the digest of all that the machine code depends on, so an entry never goes stale; it
only grows old, and old ones are swept away.

A cache must never be the reason that something fails: whatever goes wrong with a file or the
folder counts as a miss, and is said once.
"""

import hashlib
import logging
import os
import pickle
import re
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs
from numba.core import caching, compiler, serialize
from numba.core.registry import cpu_target

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
        return self._path(sig).is_file()

    def holds_any(self) -> bool:
        """Whether there is a file for any signature."""
        return any(self._folder.glob(f"{self._label}.{self._digest}-*{_SUFFIX}"))

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
        except (FileNotFoundError, NotADirectoryError):
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
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _close_to_others(self._folder)
            path = self._path(sig)
            _write(path, _checksum(path.name, payload) + payload)
            self._sweep()
        except OSError as error:
            say_once(
                f"compiled code cannot be kept in {self._folder} ({error.strerror or error}); set "
                f"{FOLDER_VARIABLE} to a folder of yours to compile only once"
            )

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

    def _sweep(self) -> None:
        """Remove what nobody used for long, and all but the latest versions of this entry."""
        if self._folder not in _swept:
            _swept.add(self._folder)
            oldest = time.time() - MAX_AGE_DAYS * 86_400
            _remove([p for p in self._folder.glob(f"*{_SUFFIX}*") if _last_use(p) < oldest])
        versions = sorted(self._folder.glob(f"{self._label}.*{_SUFFIX}"), key=_last_use)
        _remove(versions[:-MAX_VERSIONS])


def _checksum(name: str, payload: bytes) -> bytes:
    """Of the name as well: a file under another's name is no file of ours."""
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


def _read_own(path: Path) -> bytes:
    """A file's contents, if nobody but this user can have written it: code is unpickled from it."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if os.name != "nt" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            raise PermissionError("others may have written it")
        return file.read()


def _close_to_others(place: Path) -> None:
    """Make a folder private; on Windows those of a profile are."""
    if os.name == "nt":
        return
    status = place.stat()
    if status.st_uid != os.geteuid():
        raise PermissionError("it belongs to another user")
    if stat.S_IMODE(status.st_mode) & 0o077:
        place.chmod(0o700)


def _write(path: Path, content: bytes) -> None:
    """Write a file in one step, so that no other process sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _last_use(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process was quicker
        return 0.0


def _remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
