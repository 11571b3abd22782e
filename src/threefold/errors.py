"""The one family of exceptions.

Every message is a single line that names the bad part and says what would be right, so that the
command line can print it as it is.
"""

#: Characters of a message; what is longer quotes too much.
LONGEST_MESSAGE = 1000


def without_middle(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """A text without its middle if it is long, as a message tells most at its ends."""
    if len(text) <= longest:
        return text
    end = (longest - 3) // 2
    return f"{text[:end]} … {text[-end:]}"


class ThreefoldError(Exception):
    """Something the caller gave cannot be used; the message says what and what would be right."""

    def __init__(self, message: str = "") -> None:
        super().__init__(without_middle(message))


class BadGame(ThreefoldError):
    """A game's name, parameters or definition cannot be used."""


class BadPosition(ThreefoldError):
    """A position's text cannot be read, or no play leads to it."""


class IllegalMove(ThreefoldError):
    """A move's text is no legal move of the position."""


class Unsolved(ThreefoldError):
    """Nothing was wrong, but the answer is not known within the limits."""


class BadRecord(ThreefoldError):
    """A game's record cannot be read or written; the message says where."""


class NotCompilable(ThreefoldError):
    """A game's rules cannot be run the compiled way; the interpreted way still works."""


class CompilerOff(NotCompilable):
    """Nothing can be compiled in this process, whatever the game."""


class NoGpu(ThreefoldError):
    """There is no GPU here, or nothing to run code on it with; the other ways still work."""


class BrokenRules(ThreefoldError):
    """A game's rules broke the contract while they ran."""
