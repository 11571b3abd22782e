"""SGF, the Smart Game Format, as text: game trees, nodes and their properties.

Of a tree only the main line is read: the first branch wherever there are several.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from threefold.errors import BadRecord
from threefold.rules.text import shorten

#: A node: the values of each property.
Node = dict[str, list[str]]

_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>[();])
    |(?P<name>[A-Za-z]+)(?=\s*\[)
    |\[(?P<value>(?:[^\]\\]|\\.)*)\]
    |(?P<bad>\S))""",
    re.VERBOSE | re.DOTALL,
)
#: A sign after a backslash means itself; a line's end there means nothing.
_ESCAPE = re.compile(r"\\(?:\r\n|\r|\n|(.))")


def main_lines(text: str) -> Iterator[list[Node]]:
    """The main line of every game in a text, as nodes."""
    line: list[Node] = []
    depth = end = 0
    #: The main line ends with the first branch that does.
    ended = False
    name = ""
    for match in _TOKEN.finditer(text):
        end = match.end()
        sign = match["sign"]
        if match["bad"]:
            raise BadRecord(f"{_place(text, match)}: {shorten(match['bad'])} has no meaning here")
        if sign == "(":
            depth += 1
        elif depth == 0:
            raise BadRecord(f"{_place(text, match)}: a game begins with (")
        elif sign == ")":
            depth -= 1
            ended = depth > 0
            if depth == 0:
                yield line
                line = []
        elif ended:
            continue
        elif sign == ";":
            line.append({})
            name = ""
        elif not line:
            raise BadRecord(f"{_place(text, match)}: a game begins with (;")
        elif match["name"]:
            # Older files may write GaMe for GM.
            name = "".join(letter for letter in match["name"] if letter.isupper())
            line[-1].setdefault(name, [])
        elif not name:
            raise BadRecord(f"{_place(text, match)}: a value without the name of its property")
        else:
            line[-1][name].append(_ESCAPE.sub(r"\1", match["value"]))
    if depth:
        raise BadRecord("the last game has no end; close it with )")
    if text[end:].strip():
        raise BadRecord(f"{shorten(text[end:].strip())} follows the last game")


def each_game(text: str) -> Iterator[tuple[int, str]]:
    """The text of every game, at its own column, and the number of its first line.

    What is no game is left in its place, for a reader to complain about.
    """
    depth = start = 0
    ends = []
    for match in _TOKEN.finditer(text):
        sign = match["sign"]
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth <= 0:
            ends.append(match.end())
            depth = 0
    for end in (*ends, len(text)):
        part = text[start:end]
        first = start + len(part) - len(part.lstrip())
        if first < end:
            column = first - text.rfind("\n", 0, first) - 1
            yield text.count("\n", 0, first) + 1, " " * column + text[first:end]
        start = end


def _place(text: str, match: re.Match[str]) -> str:
    at = match.start() + len(match[0]) - len(match[0].lstrip())
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def tree(nodes: Sequence[Mapping[str, Sequence[str]]]) -> str:
    """A game without branches; values are written as they are, so see to `escaped` before."""
    lines = [
        ";" + "".join(f"{name}[{']['.join(values)}]" for name, values in node.items() if values)
        for node in nodes
    ]
    return f"({chr(10).join(lines)})\n"


def escaped(text: str, *, colons: bool = False) -> str:
    """A text as SGF's SimpleText; colons only need care in a value of two parts."""
    special = "\\]:" if colons else "\\]"
    return "".join(
        ("\\" if sign in special else "") + (" " if sign.isspace() else sign) for sign in text
    )
