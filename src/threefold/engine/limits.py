"""How long a search may take: seconds, nodes, plies. Any of them, all of them or none.

`None` means no limit, here and wherever Python passes one on. In the words shared with compiled
code that is `control.NO_LIMIT`. A `Clock` enforces the limits. Memory belongs to what outlives a
search, such as an engine's table, and is limited there.
"""

import math
from dataclasses import dataclass

from threefold.errors import ThreefoldError, argument

#: The greatest depth that a table's entry can hold.
MAX_DEPTH = 126
MAX_THREADS = 256
MAX_MEGABYTES = 1 << 20
_MAX_NODES = 1 << 62


@dataclass(frozen=True)
class Limits:
    """What ends a search; `None` means no limit."""

    time: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.time is not None:
            seconds = self.time
            number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
            if not number or not math.isfinite(seconds) or seconds <= 0:
                given = argument("time", repr(seconds))
                raise ThreefoldError(f"{given} is not a number of seconds above 0")
        if self.nodes is not None:
            check_whole("nodes", self.nodes, 1, _MAX_NODES)
        if self.depth is not None:
            check_whole("depth", self.depth, 1, MAX_DEPTH)

    @property
    def endless(self) -> bool:
        """Whether nothing ends the search but an answer or a stop."""
        return self.time is None and self.nodes is None and self.depth is None


def check_whole(what: str, value: object, least: int, most: int) -> None:
    """Raise unless an option is a whole number in range."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        given = argument(what, repr(value))
        raise ThreefoldError(f"{given} is not a whole number from {least} to {most}")
