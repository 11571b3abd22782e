"""Answers to an exercise, as people write them.

The meaning counts, not the form: `b = -9`, `B<=−9` and `B:-9` are all `B=-9`. After a cutoff a
value is only a bound, and many people write it as one.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction

from threefold.errors import ThreefoldError
from threefold.rules.text import listing, shorten
from threefold.textbook.tree import Number, simplest

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:/\d+)?")
#: Characters that mean a minus sign, "is", or a separator between two answers.
_FORMS = str.maketrans(
    dict.fromkeys("−–—‐‑﹣－", "-") | dict.fromkeys("<>≤≥⩽⩾≦≧:＝", "=") | dict.fromkeys(",;", " ")
)
_NOTHING = {"none", "nothing", "-"}


class BadAnswer(ThreefoldError):
    """An answer that cannot be read, with the question and, if there is one, the node."""

    def __init__(self, field: str, reason: str, node: str | None = None) -> None:
        super().__init__(reason)
        self.field = field
        self.node = node


def sheet_lines(text: str, keys: Sequence[str]) -> dict[str, tuple[int, str]]:
    """The text after each key of a sheet, with its line number; indented lines continue it."""
    starts = re.compile(rf"\s*({'|'.join(sorted(keys, key=len)[::-1])})\s*:(.*)", re.IGNORECASE)
    lines = dict.fromkeys(keys, 0)
    parts: dict[str, list[str]] = {key: [] for key in keys}
    last = ""
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = raw.partition("#")[0].rstrip()
        if not line:
            continue
        match = starts.fullmatch(line)
        if match:
            last = match[1].lower()
            if lines[last]:
                raise ThreefoldError(f"line {number}: '{last}:' is already on line {lines[last]}")
            lines[last] = number
            parts[last].append(match[2].strip())
        elif last and line[0].isspace():
            parts[last].append(line.strip())
        else:
            known = ", ".join(f"{key}:" for key in keys)
            raise ThreefoldError(
                f"line {number}: {shorten(line)} does not start with one of {known}"
            )
    return {key: (lines[key], " ".join(parts[key]).strip()) for key in keys}


def read_seed(line: int, text: str) -> int | None:
    """The seed on a sheet; None if there is none."""
    if text and not re.fullmatch(r"[+-]?\d{1,4000}", text):
        raise ThreefoldError(f"line {line}: {shorten(text)} is not a seed; use a whole number")
    return int(text) if text else None


class Answers:
    """Reads answers about a tree with these nodes, or about other things with names."""

    def __init__(
        self, names: Collection[str], unknown: str = "the tree has no node {}; it has"
    ) -> None:
        self._unknown = unknown
        self._names = frozenset(names)
        folded = Counter(name.casefold() for name in names)
        #: Each name by its case-folded form, where only one name has that form.
        self._alike = {name.casefold(): name for name in names if folded[name.casefold()] == 1}

    def value(self, text: str) -> Number | None:
        """A number, or None if there is no answer yet."""
        words = [word for word in _words(text) if word != "="]
        if words[:1] in (["-"], ["+"]):
            words[:2] = ["".join(words[:2])]
        return self._number("value", " ".join(words), "3", text.strip()) if words else None

    def values(self, text: str) -> dict[str, Number]:
        """Numbers by node, `B=3 C=-2`."""
        given: dict[str, Number] = {}
        words = _words(text)[::-1]
        while words:
            name = self._name("values", words.pop())
            if name in given:
                raise BadAnswer("values", f"{name} is given two values; give it one", name)
            is_given = False
            while words and words[-1] == "=":
                is_given = bool(words.pop())
            value = words.pop() if words and (is_given or _NUMBER.fullmatch(words[-1])) else ""
            if value in {"-", "+"} and words:
                value += words.pop()
            given[name] = self._number("values", value, f"{name}=3", value, name)
        return given

    def numbers(self, field: str, text: str) -> list[Number]:
        """Numbers in a row, `0 -0.05 1/2`."""
        return [self._number(field, word, "0.25", word) for word in _words(text)]

    def move(self, text: str) -> str | None:
        """One node, or `none`; None if there is no answer yet."""
        found = self._nodes("move", text)
        if found is not None and len(found) > 1:
            raise BadAnswer("move", f"give one move, such as {found[0]}")
        return None if found is None else "".join(found) or "none"

    def cut(self, text: str) -> frozenset[str] | None:
        """A set of nodes, empty for `none`; None if there is no answer yet."""
        found = self._nodes("cut", text)
        return None if found is None else frozenset(found)

    def _nodes(self, field: str, text: str) -> list[str] | None:
        words = _words(text)
        if len(words) == 1 and words[0].casefold() in _NOTHING and words[0] not in self._names:
            return []
        return [self._name(field, word) for word in words] or None

    def _name(self, field: str, word: str) -> str:
        name = word if word in self._names else self._alike.get(word.casefold())
        if name is None:
            known = sorted(self._names, key=lambda known: (len(known), known))
            raise BadAnswer(field, f"{self._unknown.format(shorten(word))} {listing(known, 30)}")
        return name

    def _number(
        self, field: str, word: str, example: str, written: str, node: str | None = None
    ) -> Number:
        try:
            if not _NUMBER.fullmatch(word):
                raise ValueError
            return simplest(Fraction(word))
        except (ValueError, ZeroDivisionError):
            what = f"{shorten(written)} is not a number" if word else "a number is missing"
            raise BadAnswer(field, f"{what}; write it as {example}", node) from None


def _words(text: str) -> list[str]:
    """Names, numbers and `=`, normalized."""
    return text.translate(_FORMS).replace("=", " = ").split()
