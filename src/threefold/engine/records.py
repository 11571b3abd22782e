"""Memory by name: a dataclass where Python runs a template, a NumPy record where it is compiled.

A template writes `memory.nodes += 1` or `memory.plies[3].moves[0]` either way. Each field of such
a dataclass is annotated with what it takes in a record: a type of number or another such class,
and how many of them where there are several. `MAX_MOVES` stands for as many as a position of the
game may have moves.
"""

from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast, get_type_hints

from threefold.rules.contract import MAX_MOVES

R = TypeVar("R")

#: What takes eight bytes, or four.
WORD: Final = "i8"
HALF: Final = "i4"
REAL: Final = "f8"
#: Room for more moves than any game can tell apart in 16 bits.
SLACK: Final = 1 << 16
Word: TypeAlias = Annotated[int, WORD]
Half: TypeAlias = Annotated[int, HALF]
Real: TypeAlias = Annotated[float, REAL]


def layout(kind: type, max_moves: int = 0) -> Any:
    """The type of a NumPy record with the fields of a dataclass."""
    import numpy as np

    described = []
    for name, (item, shape) in _fields(kind, max_moves).items():
        if hasattr(np.record, name):
            raise TypeError(f"{kind.__name__}.{name}: NumPy's records have that attribute")
        described.append((name, layout(item, max_moves) if isinstance(item, type) else item, shape))
    return np.dtype((np.record, np.dtype(described, align=True)))


def allocate(kind: type[R], max_moves: int = 0) -> R:
    """A record for compiled code: zeros, or what the dataclass has as defaults.

    Behind one with rows of moves there is spare room, so that a hook that writes more moves than
    its game declared stays within our memory until its count gives it away.
    """
    import numpy as np

    described = layout(kind, max_moves)
    room = np.zeros(described.itemsize + (8 * SLACK if max_moves else 0), np.uint8)
    record = room[: described.itemsize].view(described)[0]
    for name, value in _defaults(kind).items():
        record[name] = value
    return cast(R, record)


def interpreted_record(kind: type[R], max_moves: int = 0) -> R:
    """The same for Python: the dataclass itself, with lists for its arrays."""
    values = {
        name: _lists(item, shape, max_moves)
        for name, (item, shape) in _fields(kind, max_moves).items()
    }
    return kind(**(values | _defaults(kind)))


def _fields(kind: type, max_moves: int) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """For each field what it is made of, and how many of them."""
    found = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        item, *lengths = hint.__metadata__
        found[name] = item, tuple(max_moves if n is MAX_MOVES else n for n in lengths)
    return found


def _defaults(kind: type) -> dict[str, Any]:
    return {f.name: f.default for f in fields(kind) if f.default is not MISSING}


def _lists(item: Any, shape: tuple[int, ...], max_moves: int) -> Any:
    if shape:
        return [_lists(item, shape[1:], max_moves) for _ in range(shape[0])]
    if isinstance(item, type):
        return interpreted_record(item, max_moves)
    return 0.0 if item == REAL else 0


def depends_on_game(kind: Any) -> bool:
    """Whether a dataclass has another layout in each game: one with as many items as moves."""
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return False
    return any(
        MAX_MOVES in hint.__metadata__ or depends_on_game(hint.__metadata__[0])
        for hint in get_type_hints(kind, include_extras=True).values()
    )
