"""The cache as Numba's dispatchers use it: they call it like a `numba.core.caching._Cache`."""

import logging
from typing import Any, Self

from threefold.engine.cache import EntryFiles, say_once
from threefold.engine.jit import private

log = logging.getLogger("threefold")

#: How Numba marks a call that it resolves only in the process that compiled it.
_UNRESOLVED = b".numba.unresolved$"


class EntryCache(EntryFiles):
    """The cache of one entry: a file for each signature."""

    #: The private names that it needs.
    NEEDS: tuple[str, ...] = (
        *(private.REDUCE, private.REBUILD, private.DUMPS),
        *(private.COMPILER, private.PROCESSOR),
    )

    @classmethod
    def attach(cls, dispatcher: Any, label: str, digest: str) -> Self | None:
        """Make a dispatcher use such a cache, if this version of Numba can."""
        if not private.can_keep(dispatcher, *cls.NEEDS):
            return None
        cache = cls(label, digest)
        setattr(dispatcher, private.CACHE, cache)
        return cache

    @property
    def cache_path(self) -> str:
        """The folder, as Numba's statistics show it."""
        return str(self.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled result for a signature, or None."""
        return self.read(sig, lambda content: self._rebuild(target_context, content))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled result, if it can be kept."""
        try:
            payload = self._reduce(data)
        except Exception as error:  # another version of Numba, or a value that cannot be pickled
            say_once(f"{self.label} cannot be kept on disk ({error})")
            return
        if payload is not None:
            self.write(sig, payload)

    def enable(self) -> None:
        """Nothing to do: an entry is cached from the start or never."""

    def disable(self) -> None:
        """Nothing to do, likewise."""

    def flush(self) -> None:
        """Nothing to do: a digest names its contents, which cannot change."""

    def _reduce(self, data: Any) -> bytes | None:
        """A compiled result as bytes, or None if it cannot be kept."""
        if data.lifted or data.library.has_dynamic_globals:
            log.info("%s refers to what cannot be kept on disk", self.label)
            return None
        payload: bytes = private.find(private.DUMPS)(data._reduce())
        if _UNRESOLVED in payload:
            log.warning("%s calls itself in a way that cannot be kept on disk", self.label)
            return None
        return payload

    def _rebuild(self, target_context: Any, content: Any) -> Any:
        """A compiled result from what those bytes hold."""
        return private.find(private.REBUILD)(target_context, *content)
