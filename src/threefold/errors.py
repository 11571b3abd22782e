"""Threefold's exceptions, all in one family.

Every message is a single line that names the bad part and says what would be right. It names
arguments the way its reader writes them: `megabytes=` in Python is `--memory` on the command line.
So a message contains `argument("megabytes")`, and the code that prints it decides how to write it.
"""

import re
from collections.abc import Callable
from typing import Final

#: Maximum length of a message in characters; a longer one quotes too much.
LONGEST_MESSAGE = 1000
#: Delimits an argument's name and value; it occurs in no text that a user gives.
_MARK: Final = "\0"
_MARKED: Final = re.compile(f"{_MARK}([^{_MARK}]*){_MARK}([^{_MARK}]*){_MARK}")


def argument(name: str, value: object = None) -> str:
    """An argument's name for a message, with the given or the expected value."""
    shown = "" if value is None else str(value).replace(_MARK, "?")
    return f"{_MARK}{name}{_MARK}{shown}{_MARK}"


def without_middle(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """A text without its middle if it is too long, because a message says most at its ends."""
    if len(text) <= longest:
        return text
    end = (longest - 3) // 2
    return f"{text[:end]} … {text[-end:]}"


class ThreefoldError(Exception):
    """Something the caller gave cannot be used; the message says what and what would be right."""

    def __str__(self) -> str:
        return self.worded(lambda name, value: f"{name} {value}" if value else f"{name}=")

    def worded(self, write: Callable[[str, str], str]) -> str:
        """The message, with each argument written by `write(name, value)`; no value is ""."""
        message = _MARKED.sub(lambda found: write(found[1], found[2]), super().__str__())
        return without_middle(message)


class BadGame(ThreefoldError):
    """A game's name, parameters or definition cannot be used."""


class BadPosition(ThreefoldError):
    """A position's text cannot be read, or no play leads to it."""


class IllegalMove(ThreefoldError):
    """A move's text is not a legal move in the position."""


class Unsolved(ThreefoldError):
    """The input was fine, but the answer was not found within the limits."""


class BadRecord(ThreefoldError):
    """A game's record cannot be read or written; the message says where."""


class NotCompilable(ThreefoldError):
    """A game's rules cannot be run the compiled way; the interpreted way still works."""


class CompilerOff(NotCompilable):
    """Nothing can be compiled in this process, whatever the game."""


class NoGpu(ThreefoldError):
    """There is no GPU, or no software to run code on it; the other ways still work."""


class BrokenRules(ThreefoldError):
    """A game's rules broke the contract while they ran."""
