"""Templates compiled for a game: when one is compiled, and for which arguments."""

import threading
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from threefold.engine import background, diagnosis
from threefold.engine.jit.binding import bind, bind_routine
from threefold.engine.jit.dispatcher import Dispatcher, kind, type_of
from threefold.engine.jit.fingerprint import fingerprint, surroundings, template_digest
from threefold.engine.progress import StatusLine
from threefold.rules.hooks import Function
from threefold.rules.rebind import Fingerprint

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled

#: A notebook that changes its rules all day does not fill memory with what it had before.
MAX_ENTRIES = 256

_entries: dict[str, "Entry"] = {}
_lock = threading.RLock()


def entry_for(compiled: "Compiled[Any]", template: FunctionType) -> "Entry":
    """A template for a game; games of the same digest share it."""
    with _lock:
        # Taken here, where the functions are bound, so that a digest never names other code.
        parts = (template_digest(template), fingerprint(compiled.game), compiled.checked)
        digest = Fingerprint().add(parts).hexdigest()
        if digest not in _entries:
            _entries[digest] = Entry(compiled, template, digest)
            if len(_entries) > MAX_ENTRIES:
                del _entries[next(iter(_entries))]
        return _entries[digest]


class Code:
    """What is compiled for each signature: call it with words, numbers and arrays of them."""

    def __init__(self, label: str, attempts: Sequence[Dispatcher]) -> None:
        """`attempts` are ways to compile it, in the order in which they are tried."""
        self._label = label
        self._attempts = attempts
        self._ready: dict[str, Dispatcher] = {}
        self._ready_for: dict[tuple[Any, ...], Any] = {}

    def prepare(self, *args: Any) -> Any:
        """Compile for arguments like these, or load what was compiled before."""
        kinds = tuple(map(kind, args))
        if kinds not in self._ready_for:
            signature = tuple(map(type_of, args))
            if str(signature) not in self._ready:
                with StatusLine(lambda seconds: f"compiling {self._label}… {seconds:.0f} s"):
                    background.finish(lambda: self._compile(signature))
            self._ready_for[kinds] = self._ready[str(signature)].run
        return self._ready_for[kinds]

    def __call__(self, *args: Any) -> Any:
        """Run it."""
        run = self._ready_for.get(tuple(map(kind, args)))
        if run is None:
            run = self.prepare(*args)
        return run(*args)

    @property
    def from_cache(self) -> bool:
        """Whether everything used so far came from disk."""
        return all(dispatcher.from_cache for dispatcher in self._ready.values())

    @property
    def is_ready(self) -> bool:
        """Whether it is available without compiling: from memory, or from disk."""
        return bool(self._ready) or any(dispatcher.is_kept() for dispatcher in self._attempts)

    def _compile(self, signature: tuple[Any, ...]) -> None:
        with _lock:
            if str(signature) not in self._ready:
                self._ready[str(signature)] = self._dispatcher(signature)

    def _dispatcher(self, signature: tuple[Any, ...]) -> Dispatcher:
        failures = []
        # Rules that needed the memory manager last time left a file that says so.
        for dispatcher in sorted(self._attempts, key=lambda d: not d.is_kept(signature)):
            try:
                dispatcher.compile(signature)
            except Exception as failure:  # Numba has errors of many families
                failures.append(failure)
            else:
                return dispatcher
        raise self._explained(failures[-1])

    def _explained(self, failure: Exception) -> Exception:
        """What to raise when nothing could be compiled."""
        return failure


class Routine(Code):
    """A function of the library that depends on no game: compiled once for all of them."""

    def __init__(self, label: str, function: Function) -> None:
        assert isinstance(function, FunctionType)
        about = (template_digest(function), surroundings())
        dispatcher = bind_routine(function, Fingerprint().add(about).hexdigest())
        dispatcher.keep(label)
        super().__init__(label, [dispatcher])


class Entry(Code):
    """A template compiled for one game."""

    def __init__(self, compiled: "Compiled[Any]", template: FunctionType, digest: str) -> None:
        self._compiled = compiled
        # Without Numba's memory manager code is a quarter faster; rules that allocate need it.
        # Both are bound now, because a global that changes later belongs to another digest.
        attempts = [bind(template, compiled, digest, allocates=a) for a in (False, True)]
        super().__init__(f"{compiled.game.name} {template.__name__}", attempts)
        if compiled.cachable:
            for dispatcher in attempts:
                dispatcher.keep(self._label)

    def returned_type(self, arguments: tuple[Any, ...]) -> Any:
        """Compile for arguments of these types alone, to see what it returns or why it fails."""
        return self._attempts[-1].returned_type(arguments)

    def _explained(self, failure: Exception) -> Exception:
        return diagnosis.of(self._compiled, failure)
