"""Whether rules are unchanged since their fingerprint was taken.

A notebook may change a constant, or replace a function, at any moment. Going through everything
that a game's hooks reach takes from a millisecond to a tenth of a second; checking that every name
still refers to the same object takes microseconds.
"""

from collections.abc import Sized
from operator import is_
from types import CellType, FunctionType
from typing import Any, Final

from threefold.rules.contract import Slot

#: The value of a name that has none.
_NOTHING: Final = object()
_CONSTANT: Final = (int, str, float, complex, bytes, type(None), type(...), slice, range, Slot)


class Watch:
    """The objects that names referred to when they were noted, and whether they still do."""

    def __init__(self) -> None:
        self._names: list[tuple[dict[str, Any], str, Any]] = []
        self._cells: list[tuple[CellType, Any]] = []
        self._attributes: list[tuple[Any, str, Any]] = []
        self._containers: list[tuple[Any, tuple[Any, ...]]] = []
        #: Whether something was noted that can change without becoming another object.
        self._unsteady = False

    def is_unchanged(self) -> bool:
        """Whether every name still refers to the same object."""
        return (
            not self._unsteady
            and all(names.get(name, _NOTHING) is value for names, name, value in self._names)
            and all(_contents(cell) is value for cell, value in self._cells)
            and all(getattr(of, name, _NOTHING) is value for of, name, value in self._attributes)
            and all(_same(_items(value), items) for value, items in self._containers)
        )

    def note_global(self, function: FunctionType, name: str) -> None:
        """What a global name refers to in a function; a name without a value may be a builtin."""
        names = function.__globals__
        self._names.append((names, name, names.get(name, _NOTHING)))

    def note_function(self, function: FunctionType) -> None:
        """A function's code, default arguments and closure."""
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.note_attribute(function, name)
        self._cells += [(cell, _contents(cell)) for cell in function.__closure__ or ()]

    def note_attribute(self, of: Any, name: str) -> None:
        """An attribute of a module, a function or a class."""
        self._attributes.append((of, name, getattr(of, name, _NOTHING)))

    def note_container(self, value: list[Any] | dict[Any, Any]) -> None:
        """What a list or a dictionary holds."""
        self._containers.append((value, _items(value)))

    def note_value(self, value: Any) -> None:
        """Anything else: a constant, or something that cannot be watched."""
        self._unsteady |= not isinstance(value, _CONSTANT)


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _NOTHING


def _items(value: list[Any] | dict[Any, Any]) -> tuple[Any, ...]:
    return (*value, *value.values()) if isinstance(value, dict) else tuple(value)


def _same(some: Sized, others: tuple[Any, ...]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))  # type: ignore[call-overload]
