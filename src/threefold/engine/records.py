"""Memory by name: a dataclass where Python runs a template, a NumPy record where it is compiled.

A template writes `memory.nodes += 1` or `memory.plies[3].moves[0]` either way. Each field of such
a dataclass is annotated with what it occupies in a record: a number type or another such class,
and a count if there are several. `MAX_MOVES` stands for the most moves that a position of the game
may have.

Python accesses a record through a `Handle`, under the same names. An entry takes it as an array of
one (`boxed`), because Numba is slow to recognize a single record.
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast, get_type_hints

from threefold.rules.contract import MAX_MOVES

R = TypeVar("R")

#: Types of eight bytes, and of four.
WORD: Final = "i8"
HALF: Final = "i4"
REAL: Final = "f8"
#: Room for more moves than 16 bits can distinguish.
SLACK: Final = 1 << 16
Word: TypeAlias = Annotated[int, WORD]
Half: TypeAlias = Annotated[int, HALF]
Real: TypeAlias = Annotated[float, REAL]

#: A record as an entry takes it.
Boxed: TypeAlias = Sequence[R]


class Handle:
    """A record of compiled code, as Python reads and writes it: see `_handle_type`."""

    __slots__ = ("array", "reals", "words")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.words = array.view(WORD)
        self.reals = array.view(REAL)


@cache
def _handle_type(described: Any) -> type[Handle]:
    """A handle with a property for each field; NumPy's own records are ten times slower."""
    properties: dict[str, Any] = {"__slots__": ()}
    for name, (item, offset) in described.fields.items():
        if name in Handle.__slots__:
            raise TypeError(f"{name}: a handle needs this name for itself")
        if item.str[1:] == WORD:
            properties[name] = _number("words", offset // 8)
        elif item.str[1:] == REAL:
            properties[name] = _number("reals", offset // 8)
        else:
            properties[name] = _other(name)
    return type("Handle", (Handle,), properties)


def _number(kind: str, place: int) -> property:
    def write(handle: Any, value: float) -> None:
        getattr(handle, kind)[place] = value

    if kind == "words":
        return property(lambda handle: handle.words.item(place), write)
    return property(lambda handle: handle.reals.item(place), write)


def _other(name: str) -> property:
    """An array, or a number of another size."""

    def write(handle: Any, value: Any) -> None:
        handle.array[name][0] = value

    return property(lambda handle: handle.array[name][0], write)


def _handle(array: Any) -> Any:
    """A handle to an array of one record."""
    return _handle_type(array.dtype)(array)


@cache
def layout(kind: Any, max_moves: int = 0) -> Any:
    """The type of a NumPy record with the fields of a dataclass."""
    import numpy as np

    described = []
    for name, (item, shape) in _fields(kind, max_moves).items():
        if hasattr(np.record, name):
            raise TypeError(f"{kind.__name__}.{name}: NumPy's records have that attribute")
        described.append((name, layout(item, max_moves) if isinstance(item, type) else item, shape))
    return np.dtype((np.record, np.dtype(described, align=True)))


def allocate(kind: Callable[..., R], max_moves: int = 0) -> R:
    """A record for compiled code: zeros, or what the dataclass has as defaults.

    A record with rows of moves is followed by spare room. A hook that writes more moves than its
    game declared then stays within our memory until its count reveals the error.
    """
    import numpy as np

    described = layout(kind, max_moves)
    room = np.zeros(described.itemsize + (8 * SLACK if max_moves else 0), np.uint8)
    record = _handle(room[: described.itemsize].view(described))
    for name, value in _defaults(kind).items():
        setattr(record, name, value)
    return cast(R, record)


def part(records: Sequence[R], i: int) -> R:
    """One of several records within an allocated one, through a handle faster than NumPy's."""
    return cast(R, _handle(records[i : i + 1]))


def boxed(record: R) -> Boxed[R]:
    """An allocated record as an entry takes it: an array of one."""
    return cast(Boxed[R], cast(Any, record).array)


def interpreted_record(kind: Callable[..., R], max_moves: int = 0) -> R:
    """The same for Python: the dataclass itself, with lists for its arrays."""
    values = {
        name: _lists(item, shape, max_moves)
        for name, (item, shape) in _fields(kind, max_moves).items()
    }
    return kind(**(values | _defaults(kind)))


@cache
def _fields(kind: Any, max_moves: int) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """For each field its element type, and how many there are."""
    found = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        item, *lengths = hint.__metadata__
        found[name] = item, tuple(max_moves if n is MAX_MOVES else n for n in lengths)
    return found


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """The initial values of a new record's fields that are not zero."""
    return {f.name: f.default for f in fields(kind) if f.default is not MISSING and f.default}


def _lists(item: Any, shape: tuple[int, ...], max_moves: int) -> Any:
    if shape:
        return [_lists(item, shape[1:], max_moves) for _ in range(shape[0])]
    if isinstance(item, type):
        return interpreted_record(item, max_moves)
    return 0.0 if item == REAL else 0
