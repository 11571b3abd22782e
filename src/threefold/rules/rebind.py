"""The same code, bound to other names: how one set of rules runs in several ways.

A function's code object says *what* to do; the globals and closure beside it say *to what*.
`Rebinder` makes a twin of a function that shares its code object but has its own namespace,
and does the same, recursively, for every plain function that it reaches. On the way, values can be
exchanged (a template's `actions` for a game's) and each twin handed to a compiler. The author's
functions are never changed.

`Fingerprint` follows the same references and digests everything that the result depends on, and
nothing else: neither file names nor line numbers.
"""

import builtins
import dis
import hashlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from threefold.errors import BrokenRules
from threefold.rules import contract
from threefold.rules.contract import CHANCE, MAX, MIN
from threefold.rules.endgames import no_limit, no_number, no_slice, unknown_limit
from threefold.rules.hooks import HOOKS
from threefold.rules.hooks import Function as Function
from threefold.rules.watching import Watch

if TYPE_CHECKING:
    from threefold.rules.game import Game

#: Python's recursion limit during a search: deeper than any tree, with room for the rules' calls.
_DEEP = 50_000
_GLOBAL_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_NAME_LOADS = _GLOBAL_LOADS | {"LOAD_DEREF"}
_ATTRIBUTE_LOADS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


class Instruction(NamedTuple):
    """What an instruction of bytecode does, to what, and on which line."""

    name: str
    operand: Any
    line: int


@lru_cache(maxsize=4096)
def instructions(code: CodeType) -> tuple[Instruction, ...]:
    """The instructions of a code object; cached, because rules are inspected often."""
    found, line = [], code.co_firstlineno
    for each in dis.get_instructions(code):
        line = (each.positions and each.positions.lineno) or line
        found.append(Instruction(each.opname, each.argval, line))
    return tuple(found)


def global_names(code: CodeType) -> Iterator[str]:
    """The global names that code, or code nested in it, looks up; each once, in order."""
    seen = dict.fromkeys(
        instruction.operand
        for part in nested(code)
        for instruction in instructions(part)
        if instruction.name in _GLOBAL_LOADS
    )
    yield from seen


def nested(code: CodeType) -> Iterator[CodeType]:
    """A code object and all those of the functions and comprehensions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)


def references(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function refers to by name: its globals except builtins, then its closure."""
    for name in global_names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    yield from closure(function)


def closure(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables that a function closes over, except those without a value yet."""
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def reachable(function: FunctionType) -> Iterator[FunctionType]:
    """A function and all the plain functions that it can call, each once."""
    seen: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            yield found
            waiting += [value for _, value in references(found) if isinstance(value, FunctionType)]


class ModuleRead(NamedTuple):
    """Something that is read through a module: whose attribute, by which dotted name, and where."""

    module: ModuleType
    attribute: str
    dotted: str
    line: int
    value: Any


def module_attributes(function: FunctionType) -> Iterator[tuple[str, int, Any]]:
    """What a function reads through modules: the dotted name, the line, and the value."""
    for read in module_reads(function):
        if not isinstance(read.value, ModuleType):
            yield read.dotted, read.line, read.value


def module_reads(function: FunctionType) -> Iterator[ModuleRead]:
    """Every attribute of a module that a function reads, including modules within modules."""
    values = dict(references(function))
    for code in nested(function.__code__):
        owner, dotted = None, ""
        for name, operand, line in instructions(code):
            if name in _ATTRIBUTE_LOADS and isinstance(owner, ModuleType):
                module, dotted = owner, f"{dotted}.{operand}"
                owner = getattr(owner, operand, None)
                yield ModuleRead(module, operand, dotted, line, owner)
            else:
                dotted = str(operand)
                owner = values.get(dotted) if name in _NAME_LOADS else None


def slots(game: "Game[Any]") -> dict[int, Any]:
    """What replaces each name of the contract in a template that is bound to a game."""
    constants: dict[int, Any] = {
        id(contract.MAX_MOVES): game.facts.max_moves,
        id(contract.REPEATS): game.repeats > 0,
        id(contract.REDUCTIONS): game.reductions,
        id(contract.HAS_FUTILITY): game.has_futility,
        id(contract.HAS_CLOCKS): bool(game.clocks),
        id(contract.HAS_WEIGHTS): game.weigh is not None,
        id(contract.weigh): game.weigh or contract.weigh,
        id(contract.HAS_NET): game.net is not None,
        id(contract.viewer): _viewer(game),
        id(contract.HAS_DATABASE): game.database is not None,
        **_endgames(game),
        id(contract.timeless): game.timeless,
        id(contract.HAS_SYMMETRIES): bool(game.symmetries),
        id(contract.symmetric_key): _least_key(game),
        id(contract.image): _image(game),
    }
    for name, row in HOOKS.items():
        if row.flag is not None:
            constants[id(row.flag)] = name in game.hooks
    return constants | {id(HOOKS[name].default): hook for name, hook in game.hooks.items()}


def _endgames(game: "Game[Any]") -> dict[int, Any]:
    """What numbers the positions of end-games, in a game that has them."""
    found = game.endgames
    if found is None:
        return {
            id(contract.slice_of): no_slice,
            id(contract.number_of): no_number,
            id(contract.plies_left): unknown_limit if game.clocks else no_limit,
            id(contract.HAS_ENDGAMES): False,
            id(contract.HAS_MARGINS): False,
        }
    return {
        id(contract.slice_of): found.slice_of,
        id(contract.number_of): found.number_of,
        id(contract.position_of): found.position,
        id(contract.plies_left): found.plies_left or no_limit,
        id(contract.HAS_ENDGAMES): True,
        id(contract.HAS_MARGINS): found.margins,
    }


def _viewer(game: "Game[Any]") -> Function:
    """The contract's `viewer` for a game."""
    player: Function = game.hooks.get("player", contract.player)
    if "turn" not in getattr(game.state_type, "_fields", ()):
        return lambda s: MIN if player(s) == MIN else MAX

    def viewer(s: Any) -> Any:
        p = player(s)
        return (MIN if s.turn == MIN else MAX) if p == CHANCE else p

    return viewer


def _least_key(game: "Game[Any]") -> Function:
    """The contract's `symmetric_key` for a game: one function around another for each symmetry."""
    key = game.hooks.get("key", contract.key)
    least = key
    for symmetry in game.symmetries:
        least = _lesser(least, key, symmetry)
    return least


def _lesser(one: Function, key: Function, symmetry: Function) -> Function:
    def lesser(s: Any) -> Any:
        return min(one(s), key(symmetry(s)))

    return lesser


def _image(game: "Game[Any]") -> Function:
    """The contract's `image` for a game, built in the same way."""

    def image(s: Any, number: int) -> Any:  # noqa: ARG001
        return s

    for number, symmetry in enumerate(game.symmetries, 1):
        image = _image_or(image, number, symmetry)
    return image


def _image_or(others: Function, number: int, symmetry: Function) -> Function:
    def image(s: Any, asked: int) -> Any:
        return symmetry(s) if asked == number else others(s, asked)

    return image


def interpreted(template: FunctionType, game: "Game[Any]") -> Function:
    """A template bound to a game's own functions, for Python to run."""
    hooks = [hook for hook in game.hooks.values() if isinstance(hook, FunctionType)]
    exchange = slots(game) | {
        id(contract.state): lambda words: game.state_type(*words),
        id(contract.words): lambda s: tuple(s),
    }
    bound = Rebinder(exchange=exchange, host=__name__, keep=hooks).twin(template)

    def guarded(*args: Any) -> Any:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _DEEP))
        try:
            return bound(*args)
        except IndexError as error:
            raise BrokenRules(
                f"{game.name}: {error}; does a position have more than max_moves="
                f"{game.facts.max_moves} moves?"
            ) from error
        finally:
            sys.setrecursionlimit(before)

    return guarded


class Rebinder:
    """Makes twins of functions in new namespaces, one for each module they came from.

    `exchange` maps the `id` of what a template refers to, to its replacement; a replacement is the
    author's code, in which nothing is exchanged. Functions in `keep` are left as they are;
    `convert` may change any value that is not a function; `finish` receives each new twin and
    returns what its callers should see; `elsewhere` may already have a twin of a template's
    function. A twin is finished before its references are resolved, so that functions may refer to
    themselves and to each other.
    """

    def __init__(
        self,
        *,
        exchange: Mapping[int, Any],
        host: str,
        suffix: str = "",
        keep: Collection[Function] = (),
        convert: Callable[[Any], Any] = lambda value: value,
        finish: Callable[[FunctionType], Function] = lambda twin: twin,
        elsewhere: Callable[[FunctionType], Function | None] = lambda _: None,
    ) -> None:
        self._exchange = exchange
        self._host = host
        self._suffix = suffix
        self._keep = frozenset(keep)
        self._convert = convert
        self._finish = finish
        self._elsewhere = elsewhere
        self._namespaces: dict[int, dict[str, Any]] = {}
        self._twins: dict[FunctionType, Function] = {}

    def twin(self, function: FunctionType, *, template: bool = True) -> Function:
        """The re-bound twin of a function, made when it is first needed."""
        if function not in self._twins:
            code = function.__code__
            # Compilers look up the namespace's module by name, so it has to be importable.
            namespace = self._namespaces.setdefault(
                id(function.__globals__), {"__name__": self._host, "__builtins__": builtins}
            )
            cells = {name: CellType() for name in code.co_freevars}
            twin = FunctionType(
                code, namespace, function.__name__, function.__defaults__, tuple(cells.values())
            )
            twin.__kwdefaults__ = function.__kwdefaults__
            twin.__qualname__ = function.__name__ + self._suffix
            self._twins[function] = self._finish(twin)
            closed = dict(closure(function))
            for name, value in references(function):
                if name in closed:
                    cells[name].cell_contents = self._value(value, template)
                else:
                    namespace[name] = self._value(value, template)
        return self._twins[function]

    def _value(self, value: Any, template: bool) -> Any:
        if template and id(value) in self._exchange:
            value, template = self._exchange[id(value)], False
        if not isinstance(value, FunctionType):
            return self._convert(value)
        if value in self._keep:
            return value
        return (template and self._elsewhere(value)) or self.twin(value, template=template)


class Fingerprint:
    """A digest of functions and of everything they reach."""

    def __init__(self, keep: Collection[Function] = ()) -> None:
        #: Says later whether the digest would be the same again.
        self.watch = Watch()
        self._keep = frozenset(keep)
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}

    def add(self, value: Any) -> "Fingerprint":
        """Digest a value: a function with all it reaches, a class by its fields, a constant."""
        if isinstance(value, FunctionType):
            if value in self._keep:
                self._put("kept", value.__name__)
            elif self._first_time(value):
                self._put("function", value.__name__)
                self._note(value)
                self._add_code(value.__code__)
                self.add(value.__defaults__).add(value.__kwdefaults__)
                for name, referred in references(value):
                    self._put("refers", name)
                    self.add(referred)
                for name, _, referred in module_attributes(value):
                    self._put("reads", name)
                    self.add(referred)
        elif isinstance(value, CodeType):
            self._add_code(value)
        elif isinstance(value, type):
            self._put("class", value.__name__)
            if hasattr(value, "_fields"):
                self.watch.note_attribute(value, "_fields")
                self.add(value._fields).add(getattr(value, "_field_defaults", None))
        elif isinstance(value, tuple | list):
            if isinstance(value, list):
                self.watch.note_container(value)
            self._put(type(value).__name__, f"{len(value)}{getattr(value, '_fields', '')}")
            for item in value:
                self.add(item)
        elif isinstance(value, dict):
            self.watch.note_container(value)
            self.add(tuple(value.items()))
        elif isinstance(value, frozenset):
            self.add(tuple(sorted(value, key=repr)))
        elif hasattr(value, "tobytes") and hasattr(value, "dtype"):
            self.watch.note_value(value)
            self._put(f"{value.dtype}{value.shape}", hashlib.sha256(value.tobytes()).hexdigest())
        elif isinstance(value, ModuleType):
            self._put("module", value.__name__)
        elif callable(value):
            self._put("callable", f"{getattr(value, '__module__', '')}.{_name(value)}")
        else:
            self.watch.note_value(value)
            self._put(type(value).__name__, repr(value))
        return self

    def hexdigest(self) -> str:
        """The digest, short enough for names and long enough to be unique."""
        return self._hash.hexdigest()[:32]

    def _first_time(self, function: FunctionType) -> bool:
        if id(function) in self._seen:
            self._put("again", str(self._seen[id(function)]))
            return False
        self._seen[id(function)] = len(self._seen)
        return True

    def _note(self, function: FunctionType) -> None:
        self.watch.note_function(function)
        for name in global_names(function.__code__):
            self.watch.note_global(function, name)
        for read in module_reads(function):
            self.watch.note_attribute(read.module, read.attribute)

    def _add_code(self, code: CodeType) -> None:
        self._hash.update(code.co_code)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.add((counts, names, code.co_exceptiontable, code.co_consts))

    def _put(self, kind: str, content: str) -> None:
        self._hash.update(f"{kind}:{len(content)}:{content};".encode())


def _name(value: object) -> str:
    return str(getattr(value, "__qualname__", type(value).__qualname__))
