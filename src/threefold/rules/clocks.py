"""The clocks of a game: fields of its state that only say how long it has lasted."""

from collections.abc import Callable
from typing import Any, cast

from threefold.errors import BadGame
from threefold.rules import contract, text


def timeless(name: str, start: Any, clocks: tuple[str, ...]) -> Callable[[Any], Any]:
    """A plain function that sets the clocks of a state back to their initial values."""
    if not clocks:
        return lambda s: s
    fields = start._fields if text.is_record(start) else ()
    if unknown := [clock for clock in clocks if clock not in fields]:
        raise BadGame(f"{name}: clocks names {unknown[0]!r}, which is not a field of the state")
    values = (str(int(getattr(start, f))) if f in clocks else f"s.{f}" for f in fields)
    namespace: dict[str, Any] = {"State": type(start), "__name__": __name__}
    exec(f"def timeless(s):\n    return State({', '.join(values)})\n", namespace)
    return cast(Callable[[Any], Any], namespace["timeless"])


def timeless_key(timeless: Callable[[Any], Any]) -> Callable[[Any], int]:
    """A key that is the same for positions that differ only in their clocks."""
    mixed = contract.key

    def key(s: Any) -> int:
        return mixed(timeless(s))

    return key
