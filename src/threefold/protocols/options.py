"""The options that a GUI may set, by the names that UCI gives them, and what they change."""

import os
from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.limits import MAX_THREADS
from threefold.errors import ThreefoldError
from threefold.protocols.loading import DEFAULT_MEGABYTES
from threefold.protocols.strength import RATINGS
from threefold.protocols.thinking import Thinker
from threefold.rules.text import shorten

#: How GUIs write yes and no: UCI in words, XBoard as numbers.
_CHECKS: Final = {"true": True, "false": False, "1": True, "0": False}
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
    def for_uci(self) -> str:
        """The line that tells a GUI of it under UCI."""
        text = f"option name {self.name} type {self.kind}"
        if self.kind == "check":
            return f"{text} default {str(self.default).lower()}"
        if self.kind == "spin":
            return f"{text} default {self.default} min {self.least} max {self.most}"
        if self.kind == "string":
            return f"{text} default {self.default or EMPTY}"
        return text

    @property
    def for_xboard(self) -> str:
        """The same under XBoard."""
        if self.kind == "check":
            return f"{self.name} -check {int(self.default)}"
        if self.kind == "spin":
            return f"{self.name} -spin {self.default} {self.least} {self.most}"
        return f"{self.name} -{self.kind} {self.default or ''}".rstrip()

    def read(self, given: str) -> Any:
        """A value that a GUI gave, checked."""
        if self.kind == "check":
            if given.lower() not in _CHECKS:
                raise ThreefoldError(f"{self.name} is true or false, not {shorten(given)}")
            return _CHECKS[given.lower()]
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
        Option("DatabasePath", "string", ""),
        Option("UCI_EngineAbout", "string", ABOUT),
    )
}


class Options:
    """What the options are set to, and the engine that they are about."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._values = {name: option.default for name, option in OPTIONS.items()}

    def __getitem__(self, name: str) -> Any:
        """The value of an option."""
        return self._values[name.lower()]

    @property
    def elo(self) -> int | None:
        """The strength to play at; None for all there is."""
        return self["UCI_Elo"] if self["UCI_LimitStrength"] else None

    def set(self, name: str, given: str) -> None:
        """Set an option to a value as a GUI writes it; if it cannot be that, nothing changes."""
        name, written = name.lower(), name
        if name not in OPTIONS:
            raise ThreefoldError(f"there is no option {shorten(written)}")
        value = OPTIONS[name].read(given)
        thinker = self._thinker
        if name == "hash":
            thinker.use(megabytes=value)
        elif name == "threads":
            thinker.use(threads=value)
        elif name == "clear hash":
            thinker.clear()
        elif name == "move overhead":
            thinker.overhead = value / 1000
        elif name == "uci_chess960":
            thinker.chess960 = value
        elif name == "evalfile":
            thinker.evaluate_by(value)
        elif name == "databasepath":
            thinker.look_into(value)
        self._values[name] = value
