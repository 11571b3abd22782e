"""Writing records: the roster of tags first, then movetext in lines of fewer than 80 columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from threefold.errors import BadRecord
from threefold.games.records.record import Line, Record
from threefold.games.records.tokens import TAG_NAME
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.games.records.format import Format

S = TypeVar("S")

WIDTH = 79
#: The seven tags that come first, in this order.
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")

_LINE_END = re.compile(r"\r\n|\r|\n")
# A comment may be broken at a single space, but never so that a line starts like a tag or escape.
_BREAK = re.compile(r"(?<=\S) (?=[^\s%\[])")


def write_record(notation: Format[S], record: Record) -> str:
    """A game's text, ending in a newline."""
    names = [name for name in ROSTER if name in record.tags]
    names += [name for name in record.tags if name not in ROSTER]
    tags = "".join(f"{_tag(name, record.tags[name])}\n" for name in names)
    game, start = notation.begin(record.tags)
    words = list(_words(notation, game, record.line, start, notation.ply(start)))
    words.append(notation.results.get(record.result, "*"))
    return f"{tags}\n{_wrapped(words)}" if tags else _wrapped(words)


def _tag(name: str, value: str) -> str:
    if not re.fullmatch(TAG_NAME, name):
        raise BadRecord(f"{name!r} is not a tag name; use letters, digits and _")
    escaped = _LINE_END.sub(" ", value).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _words(notation: Format[S], game: Game[S], line: Line, s: S, ply: int) -> Iterator[str]:
    """A line's words; one that ends in a newline must be the last on its line."""
    yield from _comments(line.comments)
    numbered = True
    for move in line.moves:
        if move.action not in game.all_moves(s):
            raise BadRecord(f"move {ply // 2 + 1}: {move.action} is illegal in {game.show(s)}")
        number = f"{ply // 2 + 1}{'...' if ply % 2 else '.'} " if numbered or ply % 2 == 0 else ""
        yield number + notation.format_move(game, s, move.action)
        yield from (f"${nag}" for nag in move.nags)
        yield from _comments(move.comments)
        for variation in move.variations:
            yield from _in_parentheses(list(_words(notation, game, variation, s, ply)))
        numbered = bool(move.comments or move.variations)
        s, ply = game.result(s, move.action), ply + 1


def _in_parentheses(words: list[str]) -> Iterator[str]:
    """A variation's words, with parentheses on the first and the last."""
    first, *rest = words or [""]
    words = [f"({first}", *rest]
    if words[-1].endswith("\n"):
        words.append("")
    yield from words[:-1]
    yield f"{words[-1]})"


def _comments(comments: Iterable[str]) -> Iterator[str]:
    """Comments in braces; one that contains a closing brace uses ; to the end of the line."""
    for comment in comments:
        text = _LINE_END.sub(" ", comment).strip()
        if "}" in text:
            yield f";{text}\n"
        else:
            yield from _BREAK.split(f"{{{text}}}")


def _wrapped(words: Iterable[str]) -> str:
    """Words joined by spaces or newlines."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word.rstrip("\n")) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
        if word.endswith("\n"):
            lines[-1] = lines[-1][:-1]
            lines.append("")
    return "\n".join(lines) + "\n"
