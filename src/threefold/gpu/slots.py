"""What kernels call by name and a game's `Kernels` supply, besides the rules contract."""

from typing import Any, Final, cast

from threefold.rules.contract import Slot

#: The integer type of a row's entries: as narrow as the game's moves allow.
ROW_TYPE: Final = cast(Any, Slot("ROW_TYPE"))


def load(positions: Any, i: int) -> Any:
    """The i-th State of an array with a row for each field."""
    raise NotImplementedError("the library supplies load")


def store(positions: Any, i: int, s: Any) -> None:
    """Put a State at place i of such an array."""
    raise NotImplementedError("the library supplies store")


def nowhere() -> Any:
    """A row that forgets what is written to it."""
    raise NotImplementedError("the library supplies nowhere")
