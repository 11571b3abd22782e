"""What a game can be given besides its rules: a net that judges it, a database of its endings."""

from pathlib import Path
from typing import Any, Protocol, TypeVar

from threefold.errors import ThreefoldError

S_contra = TypeVar("S_contra", contravariant=True)


class Judge(Protocol[S_contra]):
    """A learned evaluation: a net."""

    @property
    def name(self) -> str:
        """What the evaluation is called."""
        ...

    def evaluate(self, s: S_contra, /) -> int:
        """What a position seems worth to MAX."""
        ...


class Knowledge(Protocol):
    """A database of end-games, as `Rules` sees it."""

    @property
    def folder(self) -> Path:
        """Where it is."""
        ...

    def value(self, s: Any, /) -> int | None:
        """The value of a position in its tables; None if it has none."""
        ...

    def damaged(self, of_slice: int) -> ThreefoldError:
        """The error that a table cannot be read, which names its file."""
        ...
