"""The options of the engine under UCI: what there is, and what a GUI may set it to."""

import os
from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.limits import MAX_THREADS
from threefold.errors import ThreefoldError
from threefold.protocols.strength import RATINGS
from threefold.protocols.thinking import DEFAULT_MEGABYTES
from threefold.rules.text import shorten

#: How a GUI writes an empty text.
EMPTY: Final = "<empty>"


@dataclass(frozen=True)
class Option:
    """An option: a `check`, a `spin` with its range, a `string` or a `button`."""

    name: str
    kind: str
    default: Any = None
    least: int = 0
    most: int = 0

    @property
    def declaration(self) -> str:
        """The line that tells a GUI of it."""
        text = f"option name {self.name} type {self.kind}"
        if self.kind == "check":
            return f"{text} default {str(self.default).lower()}"
        if self.kind == "spin":
            return f"{text} default {self.default} min {self.least} max {self.most}"
        if self.kind == "string":
            return f"{text} default {self.default or EMPTY}"
        return text

    def read(self, given: str) -> Any:
        """A value that a GUI gave, checked."""
        if self.kind == "check":
            if given.lower() not in ("true", "false"):
                raise ThreefoldError(f"{self.name} is true or false, not {shorten(given)}")
            return given.lower() == "true"
        if self.kind == "spin":
            digits = given.removeprefix("+")
            is_number = digits.isascii() and digits.isdigit() and len(digits) < 10
            if not is_number or not self.least <= int(digits) <= self.most:
                raise ThreefoldError(
                    f"{self.name} is a whole number from {self.least} to {self.most}, "
                    f"not {shorten(given)}"
                )
            return int(digits)
        return "" if given == EMPTY else given


def _most_megabytes() -> int:
    """The largest table: half of the machine's memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not known on this system
        return 4096
    return max(DEFAULT_MEGABYTES, memory >> 21)


ABOUT: Final = "Threefold: rules written once, in plain Python. Free software under the MIT license"

OPTIONS: Final = {
    option.name.lower(): option
    for option in (
        Option("Hash", "spin", DEFAULT_MEGABYTES, 1, _most_megabytes()),
        Option("Clear Hash", "button"),
        Option("Threads", "spin", 1, 1, MAX_THREADS),
        Option("MultiPV", "spin", 1, 1, 500),
        Option("Ponder", "check", False),
        Option("Move Overhead", "spin", 50, 0, 5000),
        Option("UCI_Chess960", "check", False),
        Option("UCI_ShowWDL", "check", False),
        Option("UCI_LimitStrength", "check", False),
        Option("UCI_Elo", "spin", RATINGS[-1], RATINGS[0], RATINGS[-1]),
        Option("EvalFile", "string", ""),
        Option("UCI_EngineAbout", "string", ABOUT),
    )
}
