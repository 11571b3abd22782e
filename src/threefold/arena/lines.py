"""A player in one line: `alphabeta(depth=6,eval=material)`, `uci(stockfish,Skill Level=5)`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from threefold.errors import ThreefoldError
from threefold.protocols.player import Budget
from threefold.rules.text import shorten

#: The kinds of players whose first word is a command line, whatever signs it has.
COMMANDS: Final = ("uci", "xboard", "gtp")

_LINE: Final = re.compile(r"\s*([a-z][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_CLOCK: Final = re.compile(r"(?:([1-9]\d*)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")


class BadPlayer(ThreefoldError):
    """A player's line cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True)
class PlayerLine:
    """A player's line, read: its kind, its words, and its options in their order."""

    kind: str
    words: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        given = [*self.words, *(f"{name}={value}" for name, value in self.options.items())]
        return f"{self.kind}({','.join(map(_escaped, given))})" if given else self.kind

    def budget(self, default: Budget) -> "tuple[PlayerLine, Budget]":
        """The line without what it says of time, nodes and depth; and that, or the default."""
        limits = {name: self.options[name] for name in LIMITS if name in self.options}
        rest = {name: value for name, value in self.options.items() if name not in LIMITS}
        if not limits:
            return self, default
        own = Budget()
        for name, value in limits.items():
            own = with_limit(own, name, value, f"player {self}: {name}={value}")
        return replace(self, options=rest), own


def parse_line(given: str) -> PlayerLine:
    """Read a player's line."""
    found = _LINE.fullmatch(given)
    if found is None or any("\ud800" <= sign <= "\udfff" for sign in given):
        raise BadPlayer(
            f"player {shorten(given)} is not written as NAME or NAME(WORD,OPTION=VALUE,…)"
        )
    kind, inside = found.groups()
    words: list[str] = []
    options: dict[str, str] = {}
    for number, part in enumerate(_parts(inside, given)) if inside else ():
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals or (number == 0 and kind in COMMANDS):
            if options:
                raise BadPlayer(f"player {shorten(given)}: {shorten(part)} is not OPTION=VALUE")
            words.append(part.strip())
        elif not name:
            raise BadPlayer(f"player {shorten(given)}: {shorten(part)} has no option before the =")
        elif name in options:
            raise BadPlayer(f"player {shorten(given)}: option {shorten(name)} is given twice")
        else:
            options[name] = value.strip()
    if not all(words):
        raise BadPlayer(f"player {shorten(given)} has nothing before or after a comma")
    return PlayerLine(kind, tuple(words), options)


def parse_clock(given: str) -> Budget:
    """A clock for the whole game: seconds, `60+0.6` with an increment, `40/60` for 40 moves."""
    found = _CLOCK.fullmatch(given.strip())
    if found is None or not float(found[2]):
        raise ThreefoldError(
            f"the clock {shorten(given)} is not SECONDS, SECONDS+INCREMENT or MOVES/SECONDS"
        )
    moves, base, increment = found.groups()
    per = None if moves is None else int(moves)
    return Budget(base=float(base), increment=float(increment or 0), moves=per)


def with_limit(budget: Budget, name: str, value: str, shown: str) -> Budget:
    """A budget with one more limit, given as text; `shown` is how a message names it."""
    if name == "tc":
        clock = parse_clock(value)
        return replace(budget, base=clock.base, increment=clock.increment, moves=clock.moves)
    try:
        number = float(value) if name == "time" else int(value)
    except ValueError:
        number = 0
    if not 0 < number < 1e12:
        what = "seconds" if name == "time" else "a whole number"
        raise ThreefoldError(f"{shown} is not {what} above 0")
    if name == "time":
        return replace(budget, time=number)
    whole = int(number)
    return replace(budget, depth=whole) if name == "depth" else replace(budget, nodes=whole)


#: What a line may say about its budget.
LIMITS: Final = ("time", "tc", "nodes", "simulations", "deals", "depth")


def _parts(inside: str, given: str) -> Iterator[str]:
    """What stands between commas that are neither in parentheses nor after a backslash."""
    depth, part, signs = 0, "", iter(inside)
    for sign in signs:
        if sign == "\\":
            part += next(signs, "\\")
            continue
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            yield part
            part = ""
        else:
            part += sign
    if depth:
        raise BadPlayer(f"player {shorten(given)}: its parentheses do not match")
    yield part


def _escaped(part: str) -> str:
    """A part as it is written in a line: its signs that would end it after a backslash."""
    return re.sub(r"([\\,()])", r"\\\1", part)
