"""The tokens of PGN and PDN, each with its position.

A text is read line by line, so that files of any length work. What cannot be a token becomes one of
kind BAD, which says why, so that a reader can continue after it.
"""

import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import NamedTuple

from threefold.errors import BadRecord


class Kind(Enum):
    """What a token is."""

    TAG = auto()
    COMMENT = auto()
    NAG = auto()
    OPEN = auto()
    CLOSE = auto()
    NUMBER = auto()
    WORD = auto()
    BAD = auto()


class Token(NamedTuple):
    """A token of a record."""

    kind: Kind
    text: str
    #: A tag's value.
    value: str
    line: int
    column: int
    #: Whether it is the first token after an empty line.
    fresh: bool
    #: Whether it directly follows a word.
    glued: bool

    def error(self, reason: object) -> BadRecord:
        """An error at this position."""
        return BadRecord(f"line {self.line}, column {self.column}: {reason}")


#: The marks after a move, as glyph numbers.
MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
TAG_NAME = r"[A-Za-z0-9_][A-Za-z0-9_+#=:-]*"

# Older files have commas between moves, which mean nothing.
_SKIPPED = re.compile(r"[\s,]*")
# A tag with quotes in its value takes up the rest of its line. It is only tried if the line ends
# like a tag; otherwise every [ in a long line would be scanned to the end of the line in vain.
_LOOSE_TAG = re.compile(rf'\[\s*(?P<name>{TAG_NAME})\s*"(?P<value>.*)"\s*\]\s*$')
_TOKEN = re.compile(
    rf"""
      \[\s*(?P<name>{TAG_NAME})\s*"(?P<value>(?:[^"\\]|\\.)*)"\s*\]
    | (?P<tag>\[)
    | (?P<brace>\{{)
    | ;(?P<rest>.*)
    | \$(?P<nag>[0-9]{{1,9}})
    | (?P<marks>[!?]{{1,2}}) | \((?P<doubtful>[!?]{{1,2}})\)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<dots>[0-9]{{0,9}}(?:\.+|…))
    | (?P<number>[0-9]+)(?=[\s,(){{}};$]|$)
    | (?P<word>\*|[^\s,\[\](){{}};$!?*"<>]+)
    | (?P<bad>.)
    """,
    re.VERBOSE,
)


def tokens(lines: Iterable[str]) -> Iterator[Token]:
    """The tokens of a text given line by line; move numbers with their dots are skipped."""
    opened: Token | None = None  # the comment that is being read
    said: list[str] = []
    fresh = True
    for number, given in enumerate(lines, 1):
        text = given.rstrip("\r\n")
        if number == 1:
            text = text.removeprefix("\ufeff")
        if opened is None and text.startswith("%"):
            continue
        fresh = fresh or not text.strip()
        place, end = 0, -1
        stripped = text.rstrip()
        ends_like_tag = stripped.endswith("]") and stripped[:-1].rstrip().endswith('"')
        while True:
            if opened is not None:
                closing = text.find("}", place)
                said.append(text[place:] if closing < 0 else text[place:closing])
                if closing < 0:
                    break
                yield opened._replace(text=" ".join(said).strip())
                opened, place = None, closing + 1
            start = _SKIPPED.match(text, place).end()  # type: ignore[union-attr]
            match = _TOKEN.match(text, start)
            if match is None:
                break
            if match["tag"] and ends_like_tag:
                match = _LOOSE_TAG.match(text, start) or match
            kind, word, value = _meaning(match)
            if kind is not None:
                token = Token(kind, word, value, number, start + 1, fresh, start == end)
                if kind is Kind.COMMENT and match["brace"]:
                    opened, said = token, []
                else:
                    yield token
                fresh = False
            place = match.end()
            end = place if kind is Kind.WORD else -1
    if opened is not None:
        yield opened._replace(kind=Kind.BAD, text="this comment has no end; close it with }")


def _meaning(match: re.Match[str]) -> tuple[Kind | None, str, str]:
    """The kind, text and value of a match; the kind is None for what means nothing."""
    if match["name"]:
        return Kind.TAG, match["name"], re.sub(r'\\(["\\])', r"\1", match["value"])
    if match["rest"] is not None:
        return Kind.COMMENT, match["rest"].strip(), ""
    if match["nag"]:
        return Kind.NAG, str(int(match["nag"])), ""
    if marks := match["marks"] or match["doubtful"]:
        return Kind.NAG, str(MARKS[marks]), ""
    if match["dots"]:
        return None, "", ""
    if match["tag"]:
        return Kind.BAD, 'a tag is written [Name "value"], on one line', ""
    if match["bad"] == "$":
        return Kind.BAD, "expected a number after $, as in $1", ""
    if match["bad"]:
        return Kind.BAD, f"{match['bad']!r} has no meaning here", ""
    for kind in (Kind.OPEN, Kind.CLOSE, Kind.NUMBER, Kind.WORD):
        if match[kind.name.lower()]:
            return kind, match[0], ""
    return Kind.COMMENT, "", ""
