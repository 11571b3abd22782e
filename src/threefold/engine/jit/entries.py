"""Templates compiled for a game."""

import threading
from types import FunctionType
from typing import TYPE_CHECKING, Any

from threefold.engine import background, diagnosis
from threefold.engine.cache import EntryCache
from threefold.engine.jit.binding import authors_code, is_closed, library_twin, suffix_of
from threefold.engine.jit.dispatcher import jit, kind, type_of
from threefold.engine.jit.fingerprint import fingerprint, template_digest
from threefold.engine.jit.tables import table
from threefold.engine.progress import StatusLine
from threefold.rules import bits
from threefold.rules.rebind import Fingerprint, Rebinder

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled

#: A notebook that changes its rules all day does not fill memory with what it had before.
MAX_ENTRIES = 256

_entries: dict[str, "Entry"] = {}
_lock = threading.RLock()


def entry_for(compiled: "Compiled[Any]", template: FunctionType) -> "Entry":
    """A template for a game: one for all games of the same digest."""
    with _lock:
        # Taken here, where the functions are bound: a digest never names other code.
        parts = (template_digest(template), fingerprint(compiled.game), compiled.checked)
        digest = Fingerprint().add(parts).hexdigest()
        if digest not in _entries:
            _entries[digest] = Entry(compiled, template, digest)
            if len(_entries) > MAX_ENTRIES:
                del _entries[next(iter(_entries))]
        return _entries[digest]


class Entry:
    """A template compiled for one game: call it with words, numbers and arrays of them."""

    def __init__(self, compiled: "Compiled[Any]", template: FunctionType, digest: str) -> None:
        self._compiled = compiled
        self._label = f"{compiled.game.name} {template.__name__}"
        # Without Numba's memory manager code is a quarter faster; rules that allocate need it.
        # Both are bound now, because a global that changes later belongs to another digest.
        self._attempts = [self._bind(template, digest, allocates=a) for a in (False, True)]
        self._ready: dict[str, Any] = {}
        self._ready_for: dict[tuple[Any, ...], Any] = {}

    def prepare(self, *args: Any) -> Any:
        """Compile for arguments like these, or load what was compiled before."""
        kinds = tuple(map(kind, args))
        if kinds not in self._ready_for:
            signature = tuple(map(type_of, args))
            if str(signature) not in self._ready:
                with StatusLine(lambda seconds: f"compiling {self._label}… {seconds:.0f} s"):
                    background.finish(lambda: self._compile(signature))
            self._ready_for[kinds] = self._ready[str(signature)]
        return self._ready_for[kinds]

    def __call__(self, *args: Any) -> Any:
        """Run it."""
        return self.prepare(*args)(*args)

    @property
    def from_cache(self) -> bool:
        """Whether all that was used so far came from disk."""
        caches = [dispatcher._cache for dispatcher in self._ready.values()]
        return all(isinstance(cache, EntryCache) and cache.hits for cache in caches)

    @property
    def is_ready(self) -> bool:
        """Whether it can be had without compiling: from memory, or from disk."""
        return bool(self._ready) or any(
            isinstance(dispatcher._cache, EntryCache) and dispatcher._cache.holds_any()
            for dispatcher in self._attempts
        )

    def returned_type(self, arguments: tuple[Any, ...]) -> Any:
        """Compile for arguments of these types alone, to see what it returns or why it fails."""
        dispatcher = self._attempts[-1]
        dispatcher.compile(arguments)
        return dispatcher.nopython_signatures[-1].return_type

    def _compile(self, signature: tuple[Any, ...]) -> None:
        with _lock:
            if str(signature) not in self._ready:
                self._ready[str(signature)] = self._dispatcher(signature)

    def _dispatcher(self, signature: tuple[Any, ...]) -> Any:
        failures = []
        # Rules that needed the memory manager last time left a file that says so.
        for dispatcher in sorted(self._attempts, key=lambda d: not _is_kept(d, signature)):
            try:
                dispatcher.compile(signature)
            except Exception as failure:  # Numba has errors of many families
                failures.append(failure)
            else:
                return dispatcher
        raise diagnosis.of(self._compiled, failures[-1])

    def _bind(self, template: FunctionType, digest: str, *, allocates: bool) -> Any:
        """The template and all it reaches, re-bound and handed to Numba."""
        compiled = self._compiled
        suffix = suffix_of(digest, compiled.checked, allocates)
        dispatcher: Any = Rebinder(
            exchange=authors_code(compiled, allocates=allocates),
            host=__name__,
            suffix=suffix,
            keep=bits.PRIMITIVES,
            convert=table,
            finish=lambda twin: jit(
                twin, compiled.checked, allocates, outermost=twin.__name__ == template.__name__
            ),
            elsewhere=lambda function: (
                library_twin(function, compiled.checked, allocates) if is_closed(function) else None
            ),
        ).twin(template)
        if compiled.cachable:
            dispatcher._cache = EntryCache(self._label, suffix[1:])
        return dispatcher


def _is_kept(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
    cache = dispatcher._cache
    return isinstance(cache, EntryCache) and cache.holds(signature)
