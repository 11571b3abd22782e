"""From a game's plain functions to machine code.

A procedure is written once as a *template*: plain functions that call `actions`, `result`,
`evaluate`… of `threefold.rules.contract`. `Compiled.entry` makes one for a game:

1. look through everything that the game's hooks reach, refuse what cannot be compiled, and take
   the fingerprint of the rest;
2. re-bind all of it into namespaces of its own, the game's hooks in place of the contract's;
3. hand each function to Numba;
4. give the outermost function, the entry, a file in the cache.

An entry takes a state as a tuple of words, never as the author's class: a game from a module and
the same one typed into a notebook share a file. The fingerprint is part of every function's
`__qualname__`, because that is what Numba makes symbols of: without it two games loaded from the
cache would run each other's code.
"""

import platform
import threading
from dataclasses import is_dataclass
from functools import cache
from types import FunctionType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import llvmlite
import numba
import numpy as np

import threefold
from threefold.engine import background, calls, instructions, refusals
from threefold.engine.cache import EntryCache, cpu, say_once
from threefold.engine.progress import StatusLine
from threefold.engine.records import SLACK
from threefold.errors import BrokenRules, CompilerOff, NotCompilable
from threefold.rules import bits, contract
from threefold.rules.contract import CHANCE, Action, Player
from threefold.rules.game import Game
from threefold.rules.inspection import first_defect
from threefold.rules.rebind import (
    Fingerprint,
    Function,
    Rebinder,
    reachable,
    references,
    slots,
)
from threefold.rules.text import is_record
from threefold.rules.watching import Watch

S = TypeVar("S")
Words: TypeAlias = tuple[int, ...]
Rows: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

#: A tuple of integers longer than this becomes an array, which compiles in a fraction of the time;
LONGEST_TUPLE = 16
#: a nested one only later, because the rows of an array cannot be unpacked by `for x, y in …`.
LONGEST_NESTED_TUPLE = 256

#: A notebook that changes its rules all day does not fill memory with what it had before.
MAX_ENTRIES = 256

_entries: dict[str, "Entry"] = {}
_authors: dict[tuple[str, bool, bool], dict[int, Any]] = {}
_lock = threading.RLock()
#: Of rules as they were when they were last looked through, and of those that can be compiled.
_digests: WeakKeyDictionary[Game[Any], "Digest"] = WeakKeyDictionary()
_compilable: WeakKeyDictionary[Game[Any], str] = WeakKeyDictionary()
_template_digests: WeakKeyDictionary[FunctionType, "Digest"] = WeakKeyDictionary()


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
        kinds = tuple(map(_kind, args))
        if kinds not in self._ready_for:
            signature = tuple(map(numba.typeof, args))
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
        raise self._compiled.diagnosis(failures[-1])

    def _bind(self, template: FunctionType, digest: str, *, allocates: bool) -> Any:
        """The template and all it reaches, re-bound and handed to Numba."""
        compiled = self._compiled
        suffix = _suffix(digest, compiled.checked, allocates)
        dispatcher: Any = Rebinder(
            exchange=_authors_code(compiled, allocates=allocates),
            host=__name__,
            suffix=suffix,
            keep=bits.PRIMITIVES,
            convert=_table,
            finish=lambda twin: _jit(
                twin, compiled.checked, allocates, outermost=twin.__name__ == template.__name__
            ),
            elsewhere=lambda function: (
                _library_twin(function, compiled.checked, allocates)
                if _is_closed(function)
                else None
            ),
        ).twin(template)
        if compiled.cachable:
            dispatcher._cache = EntryCache(self._label, suffix[1:])
        return dispatcher


class Compiled(Generic[S]):
    """A game's rules as machine code, under the same names as `Game`'s, and its entries."""

    def __init__(self, game: Game[S], *, checked: bool = False) -> None:
        if numba.config.DISABLE_JIT:
            raise CompilerOff(
                f"{game.name}: NUMBA_DISABLE_JIT is set, so nothing can be compiled; unset it or "
                "use the interpreted way"
            )
        if _compilable.get(game) is None or _compilable[game] != _remembered(game):
            check_state(game)
            check_hooks(game)
            _compilable[game] = fingerprint(game)
        self.game = game
        #: Whether indices are checked: slower, but a stray write is an error.
        self.checked = checked
        self._entries: dict[Function, Entry] = {}

    def entry(self, template: Function) -> Entry:
        """A template for this game, compiled at its first call."""
        if template not in self._entries:
            assert isinstance(template, FunctionType)
            with _lock:
                # Taken here, where the functions are bound: a digest never names other code.
                parts = (_template_digest(template), fingerprint(self.game), self.checked)
                digest = Fingerprint().add(parts).hexdigest()
                if digest not in _entries:
                    _entries[digest] = Entry(self, template, digest)
                    if len(_entries) > MAX_ENTRIES:
                        del _entries[next(iter(_entries))]
                self._entries[template] = _entries[digest]
        return self._entries[template]

    def is_ready(self, template: Function) -> bool:
        """Whether a template can be had without compiling: from memory, or from disk."""
        entry = self.entry(template)
        return bool(entry._ready) or any(
            isinstance(dispatcher._cache, EntryCache) and dispatcher._cache.holds_any()
            for dispatcher in entry._attempts
        )

    @property
    def cachable(self) -> bool:
        """Whether machine code may be kept: recursive rules crash when they are loaded again."""
        hooks = _compiled_hooks(self.game)
        recursive = [name for name, hook in hooks.items() if refusals.is_recursive(hook)]
        if recursive:
            say_once(
                f"{self.game.name}: {', '.join(recursive)}: recursive, so compiled code is not "
                "kept on disk; write a loop instead to compile only once"
            )
        return not recursive

    def words(self, s: S) -> Words:
        """A state's fields as words."""
        fields: Words = tuple(s)  # type: ignore[arg-type]
        if not all(isinstance(field, int) and bits.is_word(field) for field in fields):
            raise BrokenRules(f"{self.game.name}: {s} has a field that is no integer of 64 bits")
        return tuple(map(int, fields))

    def rows(self, plies: int, width: int = 1) -> Rows:
        """A row for each ply, `width` times as long as a position may have moves.

        Behind the last row lies as much room again as moves can be told apart in 16 bits, so that
        a hook that writes more than its game declared stays within our memory until its count
        gives it away.
        """
        facts = self.game.facts
        shape = (plies, width * facts.max_moves)
        room = np.empty(shape[0] * shape[1] + SLACK, np.int64)
        return room[: shape[0] * shape[1]].reshape(shape)

    # The hooks one by one, for Python.

    def initial(self) -> S:
        """The position the game starts from."""
        return self._state(self.entry(calls.call_initial)())

    def result(self, s: S, a: Action) -> S:
        """The position after a move or an event."""
        return self._state(self.entry(calls.call_result)(self.words(s), a))

    def utility(self, s: S) -> int:
        """What a finished position is worth to MAX."""
        return int(self.entry(calls.call_utility)(self.words(s)))

    def player(self, s: S) -> Player:
        """Whose turn it is."""
        return int(self.entry(calls.call_player)(self.words(s)))

    def is_terminal(self, s: S) -> bool:
        """Whether the game is over."""
        if "is_terminal" in self.game.hooks:
            return bool(self.entry(calls.call_is_terminal)(self.words(s)))
        return not self.moves(s)

    def evaluate(self, s: S) -> int:
        """The static value of a position to MAX."""
        return int(self.entry(calls.call_evaluate)(self.words(s)))

    def key(self, s: S) -> int:
        """The key of a position."""
        return int(self.entry(calls.call_key)(self.words(s)))

    def order(self, s: S, a: Action) -> int:
        """A first guess at how good a move is."""
        return int(self.entry(calls.call_order)(self.words(s), a))

    def null_move(self, s: S) -> S:
        """The position with the turn passed on."""
        return self._state(self.entry(calls.call_null_move)(self.words(s)))

    def extend(self, s: S) -> int:
        """How many plies deeper to look."""
        return int(self.entry(calls.call_extend)(self.words(s)))

    def bounds(self, s: S) -> tuple[int, int]:
        """The least and the greatest utility still possible."""
        low, high = self.entry(calls.call_bounds)(self.words(s))
        return int(low), int(high)

    def settled(self, s: S) -> tuple[int, int]:
        """What is settled of the utility, and a key to the rest."""
        points, rest = self.entry(calls.call_settled)(self.words(s))
        return int(points), int(rest)

    def remaining(self, s: S) -> int:
        """How many plies the game will last at most."""
        return int(self.entry(calls.call_remaining)(self.words(s)))

    def drawn(self, s: S) -> int:
        """Whether a rule makes a draw of it."""
        return int(self.entry(calls.call_drawn)(self.words(s)))

    def sufficient_moves(self, s: S) -> list[Action]:
        """Moves among which a best one is."""
        return self._written(calls.call_sufficient, s)

    def moves(self, s: S) -> list[Action]:
        """The legal moves, or the possible events; none once the game is over."""
        if self.player(s) == CHANCE:
            return [event for event, _ in self.chances(s)]
        if "drawn" in self.game.hooks and self.drawn(s) == contract.DRAWN:
            return []
        return self._written(calls.call_actions, s)

    def noisy_moves(self, s: S) -> list[Action]:
        """The moves that quiescence search must still look at."""
        return self._written(calls.call_noisy, s)

    def chances(self, s: S) -> list[tuple[Action, int]]:
        """The events of a chance node, each with its weight."""
        out, weight = self.rows(1)[0], self.rows(1)[0]
        n = self.entry(calls.call_outcomes)(self.words(s), out, weight)
        self.game.check_count("outcomes", n)
        return list(zip(out[:n].tolist(), weight[:n].tolist(), strict=True))

    def _written(self, template: Function, s: S) -> list[Action]:
        out = self.rows(1)[0]
        n = self.entry(template)(self.words(s), out)
        self.game.check_count(template.__name__.removeprefix("call_"), n)
        return [int(a) for a in out[:n]]

    def _state(self, words: Words) -> S:
        return self.game.state_type(*words)

    # What to say when the compiler gives up.

    def diagnosis(self, failure: Exception) -> NotCompilable:
        """Why the game cannot be compiled: what `conformance` would say, if it finds anything."""
        if (defect := first_defect(self.game)) is not None:
            where = f"position: {defect.position}"
            return NotCompilable(f"{self.game.name}: {defect.sentence}; {where}")
        reason = refusals.sentence_of(failure)
        general = NotCompilable(f"{self.game.name} cannot be compiled: {reason}")
        return self.broken_hook() or general

    def broken_hook(self) -> NotCompilable | None:
        """Which hook cannot be compiled, and why: compile them one by one."""
        row, start = numba.int64[::1], numba.typeof(self.words(self.game.initial()))
        arguments = {
            "initial": (),
            "actions": (start, row),
            "result": (start, numba.int64),
            "noisy": (start, row),
            "sufficient": (start, row),
            "outcomes": (start, row, row),
            "order": (start, numba.int64),
        }
        for name, hook in _compiled_hooks(self.game).items():
            entry = self.entry(getattr(calls, f"call_{name}"))
            try:
                entry._attempts[-1].compile(arguments.get(name, (start,)))
            except Exception as error:
                return NotCompilable(
                    f"{self.game.name}: {name} cannot be compiled: "
                    f"{refusals.compiler_says(hook, error)}"
                )
            returned = entry._attempts[-1].nopython_signatures[-1].return_type
            if isinstance(returned, numba.types.Float):
                return NotCompilable(
                    f"{self.game.name}: {name} returns a fraction, and rules deal in whole numbers"
                )
        return None


def check_state(game: Game[Any]) -> None:
    """Refuse a state that is not made of words, and say what to change."""
    start = game.initial()
    wanted = "the compiled way needs a state that is a NamedTuple of integers"
    if not is_record(start):
        raise NotCompilable(
            f"{game.name}: {wanted}, and this one is a {type(start).__name__}; boards go into "
            "64-bit integers (see threefold.rules.bits)"
        )
    if not start:
        raise NotCompilable(f"{game.name}: {wanted}, and this one has no field")
    for name, value in zip(start._fields, start, strict=True):
        if not isinstance(value, int):
            raise NotCompilable(
                f"{game.name}: {wanted}, and `{name}` is a {type(value).__name__}; pack it into "
                "64-bit integers (see threefold.rules.bits)"
            )


def check_hooks(game: Game[Any]) -> None:
    """Refuse hooks that use what cannot be compiled, by name and line."""
    symmetries = {f"symmetry {i}": hook for i, hook in enumerate(game.symmetries, 1)}
    for name, hook in (_compiled_hooks(game) | symmetries).items():
        for refusal in refusals.in_hook(hook, game.state_type):
            raise NotCompilable(f"{game.name}: {name} cannot be compiled: {refusal}")


class Digest(NamedTuple):
    """What was digested, what came out, and whether it would again."""

    parts: tuple[Any, ...]
    digest: str
    watch: Watch

    @classmethod
    def of(cls, *parts: Any) -> "Digest":
        """The digest of functions and constants."""
        about = Fingerprint(keep=bits.PRIMITIVES).add(parts)
        return cls(parts, about.hexdigest(), about.watch)


def fingerprint(game: Game[Any]) -> str:
    """The digest of everything that a game's machine code depends on, but the template."""
    if _remembered(game) is None:
        _digests[game] = Digest.of(*_parts(game))
    return _digests[game].digest


def _remembered(game: Game[Any]) -> str | None:
    """The digest of rules that have not changed since it was taken."""
    known = _digests.get(game)
    if known is None or known.parts != _parts(game) or not known.watch.is_unchanged():
        return None
    return known.digest


def _parts(game: Game[Any]) -> tuple[Any, ...]:
    return (
        *(_surroundings(), game.state_type, game.facts.max_moves, game.facts.move_range),
        *(game.repeats > 0, game.reductions, game.futility),
        *(tuple(_compiled_hooks(game).items()), game.symmetries, game.timeless),
    )


def _template_digest(template: FunctionType) -> str:
    known = _template_digests.get(template)
    if known is None or not known.watch.is_unchanged():
        known = _template_digests[template] = Digest.of(template)
    return known.digest


def _compiled_hooks(game: Game[Any]) -> dict[str, Function]:
    return {name: hook for name, hook in game.hooks.items() if name in contract.COMPILED_HOOKS}


@cache
def _surroundings() -> str:
    """A digest of the versions, the processor and the code of ours that end up in machine code.

    The code as it was loaded, not as the files have it by now.
    """
    about = Fingerprint().add(
        (
            platform.python_version(),
            numba.__version__,
            llvmlite.__version__,
            np.__version__,
            threefold.__version__,
            cpu(),
        )
    )
    named = [*vars(bits).values(), *vars(instructions).values(), *globals().values()]
    for value in (*named, *instructions.EMITTED.values()):
        if isinstance(value, FunctionType):
            about.add((value.__name__, value.__code__))
    return about.hexdigest()


def _kind(argument: Any) -> Any:
    """What to know arguments of one type by: Numba takes ten times as long to tell the type."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num
    if isinstance(argument, tuple):
        return tuple(map(_kind, argument))
    return type(argument)


def _is_kept(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
    cache = dispatcher._cache
    return isinstance(cache, EntryCache) and cache.holds(signature)


def _suffix(digest: str, checked: bool, allocates: bool) -> str:
    """What tells the symbols of one piece of code from those of another of the same name."""
    return f"_{digest}{'_checked' if checked else ''}{'_nrt' if allocates else ''}"


def _jit(function: FunctionType, checked: bool, allocates: bool, outermost: bool = False) -> Any:
    """Hand a function to Numba; only what Python calls needs wrappers, a sixth of the compiling."""
    return numba.njit(
        nogil=True,
        boundscheck=checked,
        _nrt=allocates,
        no_cpython_wrapper=not outermost,
        no_cfunc_wrapper=not outermost,
    )(function)


def _authors_code(compiled: "Compiled[Any]", *, allocates: bool) -> dict[int, Any]:
    """What stands for each name of the contract, compiled once for all templates.

    And once for all games of the same digest, so that their States are of one type: a template
    that meets two calls itself at two signatures, and cannot be loaded again.
    """
    digest = fingerprint(compiled.game)
    known = (digest, compiled.checked, allocates)
    if known not in _authors:
        suffix = _suffix(digest, compiled.checked, allocates)
        state_type = compiled.game.state_type

        def jit(function: FunctionType) -> Any:
            return _jit(function, compiled.checked, allocates)

        make, from_words, to_words = _state_functions(state_type, jit, suffix)
        rebinder = Rebinder(
            exchange={},
            host=__name__,
            suffix=suffix,
            keep=bits.PRIMITIVES,
            convert=lambda value: make if value is state_type else _table(value),
            finish=jit,
        )
        _authors[known] = {
            name: rebinder.twin(value, template=False) if isinstance(value, FunctionType) else value
            for name, value in slots(compiled.game).items()
        }
        _authors[known] |= {id(contract.state): from_words, id(contract.words): to_words}
        if len(_authors) > MAX_ENTRIES:
            del _authors[next(iter(_authors))]
    return _authors[known]


@cache
def _library_twin(function: FunctionType, checked: bool, allocates: bool) -> Any:
    """The compiled twin of a function of ours that depends on no game, once for all of them."""
    about = Fingerprint(keep=bits.PRIMITIVES).add(function).add(_surroundings())
    return Rebinder(
        exchange={},
        host=__name__,
        suffix=_suffix(about.hexdigest(), checked, allocates),
        keep=bits.PRIMITIVES,
        convert=_table,
        finish=lambda twin: _jit(twin, checked, allocates),
        elsewhere=lambda inner: (
            None if inner is function else _library_twin(inner, checked, allocates)
        ),
    ).twin(function)


@cache
def _is_closed(function: FunctionType) -> bool:
    """Whether a function of a template comes to use nothing that a game supplies."""
    functions = list(reachable(function))
    used = (value for f in functions for _, value in references(f))
    # Records have other fields in each game, and Numba makes symbols of their number, which is
    # another in each process: code for two of them must not be mistaken for each other.
    taken = (kind for f in functions for kind in f.__annotations__.values())
    return not any(map(_is_slot, used)) and not any(map(is_dataclass, taken))


def _is_slot(value: object) -> bool:
    """Whether a game supplies what stands in a template by this name."""
    is_hook = isinstance(value, FunctionType) and value.__module__ == contract.__name__
    return is_hook or isinstance(value, contract.Slot)


def _state_functions(state_type: type, jit: Any, suffix: str) -> tuple[Any, Any, Any]:
    """What stands for the State class and for the contract's `state` and `words`.

    The class is exchanged for a function that casts every field to a word: rules may then put a
    bool where elsewhere they put an integer, and all branches still return one type.
    """
    fields: tuple[str, ...] = state_type._fields  # type: ignore[attr-defined]
    namespace = {"__name__": __name__, "_State": state_type, "_word": instructions.word}
    source = (
        f"def _make({', '.join(fields)}):\n"
        f"    return _State({', '.join(f'_word({field})' for field in fields)})\n"
        f"def _from_words(given):\n"
        f"    return _make({', '.join(f'given[{i}]' for i in range(len(fields)))})\n"
        f"def _to_words(s):\n"
        f"    return ({', '.join(f's.{field}' for field in fields)},)\n"
    )
    exec(source, namespace)
    defaults = tuple(state_type._field_defaults.values())  # type: ignore[attr-defined]
    namespace["_make"].__defaults__ = defaults
    for name in ("_make", "_from_words", "_to_words"):
        function: Any = namespace[name]
        function.__qualname__ = name + suffix
        namespace[name] = jit(function)
    return namespace["_make"], namespace["_from_words"], namespace["_to_words"]


def _table(value: Any) -> Any:
    """Turn a long table into an array."""
    return np.array(value, np.int64) if is_long_table(value) else value


def is_long_table(value: Any) -> bool:
    """Whether a value is a tuple of so many integers that it is better an array."""
    if not isinstance(value, tuple) or is_record(value):
        return False
    if len(value) > LONGEST_TUPLE and all(type(item) is int for item in value):
        return True
    if value and all(isinstance(row, tuple) for row in value):
        items = [item for row in value for item in row]
        rectangular = len({len(row) for row in value}) == 1
        return len(items) > LONGEST_NESTED_TUPLE and rectangular and {*map(type, items)} == {int}
    return False
