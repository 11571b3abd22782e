"""The names of `instructions` for the CUDA simulator, where Python runs the rules as they are."""

from types import CodeType
from typing import Any

#: Nothing is compiled.
COMPILER_ERRORS: tuple[type[BaseException], ...] = ()

#: Python has the bodies.
PRIMITIVES: dict[CodeType, Any] = {}


def word(x: Any) -> int:
    """A State field as a word."""
    return int(x)


def table(value: Any) -> Any:
    """A table stays what it is."""
    return value


class _Nowhere:
    def __setitem__(self, index: int, value: int) -> None:
        pass


def nowhere() -> _Nowhere:
    """A row for rules that are only asked how many moves there are."""
    return _Nowhere()


def stay_apart() -> None:
    """Do nothing: Python calls functions anyway."""


def send(host: Any, device: Any, stream: Any) -> None:
    """Copy an array to one of the same shape on the device."""
    device.copy_to_device(host, stream)


def keep(function: Any, label: str, digest: str) -> None:
    """There is nothing compiled to keep."""
