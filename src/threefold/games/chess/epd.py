"""Chess positions with operations (Extended Position Description).

`2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";`
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import NamedTuple, TypeAlias

from threefold.errors import BadRecord
from threefold.games.chess.notation import format_fen, parse_fen
from threefold.games.chess.rules import State, result
from threefold.games.chess.san import format_san, parse_san
from threefold.rules.contract import Action
from threefold.rules.text import shorten

Operand: TypeAlias = int | float | str
#: An operation's value: nothing, one operand, or several.
Value: TypeAlias = Operand | tuple[Operand, ...] | None

#: Operations with any number of moves in the position: best moves, moves to avoid.
CHOICES = frozenset({"bm", "am"})
#: Operations with one move: supplied, predicted.
SINGLE = frozenset({"sm", "pm"})
#: Operations with a sequence of moves: the predicted variation.
LINES = frozenset({"pv"})
#: Operations with a number: depth, nodes, seconds, centipawns, mate distance; perft counts.
NUMBERS = re.compile(r"acd|acn|acs|ce|dm|hmvc|fmvn|D[0-9]+")
#: Operations with a text: name, comments, variations, opening codes.
TEXTS = re.compile(r"id|[cv][0-9]|eco|nic")
#: Operations that are part of the position: its two counters.
COUNTERS = ("hmvc", "fmvn")

_POSITION = re.compile(r"\s*(?P<fen>[^\s;]+(?:\s+[^\s;]+){3}(?:\s+[0-9]+\s+[0-9]+(?=[\s;]|\Z))?)")
_TOKEN = re.compile(
    r"""\s*(?:(?P<end>;)|"(?P<text>(?:[^"\\]|\\.)*)"|(?P<word>[^\s;"]+)|(?P<bad>"))""", re.DOTALL
)
_LINE_END = re.compile(r"[\r\n]")
_OPCODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,18}\.[0-9]{0,18}")


@dataclass
class Entry:
    """A position and its operations.

    Moves are actions: a tuple of them under `bm`, `am` and `pv`, one under `sm` and `pm`.
    """

    position: State
    operations: dict[str, Value] = field(default_factory=dict)


class _Token(NamedTuple):
    """An opcode or operand, and where it starts."""

    text: str
    quoted: bool
    place: int


def read(source: str | Iterable[str], *, chess960: bool = False) -> Iterator[Entry]:
    """The entries of a text or an open text file, one per nonempty line.

    Lines that start with # are skipped. An entry that cannot be read raises `BadRecord`, which says
    where.
    """
    lines = StringIO(source, newline=None) if isinstance(source, str) else source
    for number, line in enumerate(lines, 1):
        text = line.removeprefix("\ufeff") if number == 1 else line
        if text.strip() and not text.startswith("#"):
            try:
                yield parse(text, chess960=chess960)
            except BadRecord as error:
                raise BadRecord(f"line {number}, {error}") from None


def parse(text: str, *, chess960: bool = False) -> Entry:
    """One entry."""
    text = _LINE_END.sub(" ", text)
    found = _POSITION.match(text)
    if not found:
        raise _error(0, "an entry starts with four fields: board, side, castling, en passant")
    fields = found["fen"].split()
    s = _position(fields, found.start("fen"), chess960)
    said: dict[str, Value] = {}
    for opcode, operands in _operations(text, found.end()):
        if not _OPCODE.fullmatch(opcode.text) or opcode.quoted:
            reason = f"an operation starts with its name, like bm, not {shorten(opcode.text)}"
            raise _error(opcode.place, reason)
        if opcode.text in said:
            raise _error(opcode.place, f"operation {opcode.text} is given twice")
        said[opcode.text] = _value(s, opcode, operands)
        if opcode.text in COUNTERS:
            counters = said.get("hmvc", s.halfmove), said.get("fmvn", s.fullmove)
            s = _position([*fields[:4], *map(str, counters)], opcode.place, chess960)
    return Entry(s, {name: value for name, value in said.items() if name not in COUNTERS})


def write(entry: Entry) -> str:
    """An entry's text: one line, without the line end."""
    s = entry.position
    said = dict(entry.operations)
    if (s.halfmove, s.fullmove) != (0, 1):
        said |= dict(zip(COUNTERS, (s.halfmove, s.fullmove), strict=True))
    position = format_fen(s).rsplit(" ", 2)[0]
    return " ".join([position, *(_operation(s, *operation) for operation in said.items())])


def _position(fields: list[str], place: int, chess960: bool) -> State:
    try:
        return parse_fen(" ".join(fields), chess960)
    except ValueError as error:
        raise _error(place, error) from None


def _operations(text: str, place: int) -> Iterator[tuple[_Token, list[_Token]]]:
    """Each operation's name and operands."""
    here: list[_Token] = []
    while found := _TOKEN.match(text, place):
        place = found.end()
        if found["bad"]:
            raise _error(found.start("bad"), 'this text has no end; close it with "')
        if found["text"] is not None:
            plain = re.sub(r'\\(["\\])', r"\1", found["text"])
            here.append(_Token(plain, True, found.start("text") - 1))
        elif found["word"]:
            here.append(_Token(found["word"], False, found.start("word")))
        elif here:
            yield here[0], here[1:]
            here = []
    if here:
        yield here[0], here[1:]


def _value(s: State, opcode: _Token, operands: list[_Token]) -> Value:
    """An operation's operands as moves, numbers or texts."""
    name = opcode.text
    if name in LINES:
        line: list[Action] = []
        for token in operands:
            line.append(_move(s, token))
            s = result(s, line[-1])
        return tuple(line)
    if name in CHOICES:
        return tuple(_move(s, token) for token in operands)
    if TEXTS.fullmatch(name):
        return " ".join(token.text for token in operands)
    if name in SINGLE or NUMBERS.fullmatch(name):
        if len(operands) != 1:
            raise _error(opcode.place, f"{name} has one operand, not {len(operands)}")
        if name in SINGLE:
            return _move(s, operands[0])
        if not _WHOLE.fullmatch(operands[0].text):
            reason = f"{name} is a whole number, not {shorten(operands[0].text)}"
            raise _error(operands[0].place, reason)
    values = tuple(map(_operand, operands))
    return values if len(values) > 1 else values[0] if values else None


def _operand(token: _Token) -> Operand:
    """A number if it looks like one, otherwise a text."""
    if not token.quoted and _WHOLE.fullmatch(token.text):
        return int(token.text)
    if not token.quoted and _DECIMAL.fullmatch(token.text):
        return float(token.text)
    return token.text


def _move(s: State, token: _Token) -> Action:
    try:
        return parse_san(s, token.text)
    except ValueError as error:
        raise _error(token.place, error) from None


def _operation(s: State, opcode: str, value: Value) -> str:
    """An operation's text."""
    if not _OPCODE.fullmatch(opcode):
        raise BadRecord(f"{opcode!r} is not a name for an operation; use letters, digits and _")
    operands: Iterable[Operand] = value if isinstance(value, tuple) else ()
    if value is not None and not isinstance(value, tuple):
        operands = (value,)
    if opcode not in CHOICES | SINGLE | LINES:
        return " ".join([opcode, *map(_text, operands)]) + ";"
    words = [opcode]
    for action in operands:
        words.append(format_san(s, int(action)))
        s = result(s, int(action)) if opcode in LINES else s
    return " ".join(words) + ";"


def _text(operand: Operand) -> str:
    if isinstance(operand, str):
        escaped = _LINE_END.sub(" ", operand).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(operand)


def _error(place: int, reason: object) -> BadRecord:
    return BadRecord(f"column {place + 1}: {reason}")
