"""The same names as `instructions`, for the CUDA simulator: Python runs the rules as they are."""

from types import CodeType
from typing import Any

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
    """Python calls functions anyway."""
