"""Backgammon positions and moves as text.

A position is written as XGID, and read as that or as GNU Backgammon's IDs. A move is written
`24/18 13/11`, `bar/20*`, `6/off(2)`, or `-` where there is none; a roll `31`; and what players do
about the cube `roll`, `double`, `take`, `pass`.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from threefold.games.backgammon.checkers import BAR, CHECKERS, OFF, count_at, high_unit, low_unit
from threefold.games.backgammon.gnu import EXAMPLE as GNU_EXAMPLE
from threefold.games.backgammon.gnu import POSITION_SIGNS, parse_gnu
from threefold.games.backgammon.moves import NO_PLAY, PLACE_BITS, list_plays, played
from threefold.games.backgammon.rules import (
    DECIDING,
    DOUBLE,
    DOUBLED,
    MOST_PLAYS,
    PASS,
    PASSED,
    ROLL,
    TAKE,
    State,
    is_over,
    of_mover,
    points_won,
)
from threefold.games.backgammon.xgid import EXAMPLE, PREFIX, format_xgid, parse_xgid
from threefold.rules.contract import CHANCE
from threefold.rules.records import TextHooks, Texts
from threefold.rules.text import listing, shorten

_PLAY = "24/18 13/11, bar/20*, 6/off(2)"
_NO_PLAY = "-"
#: What is said about the cube.
_WORDS = {ROLL: "roll", DOUBLE: "double", TAKE: "take", PASS: "pass"}
_ANSWERS = {DECIDING: (ROLL, DOUBLE), DOUBLED: (TAKE, PASS)}
#: How eXtreme Gammon marks GNU's IDs.
_GNU_PREFIX = "GNUbgID="
#: A text with so many characters more or less than a position ID was not meant as one.
_SLIP = 3
_PART = re.compile(
    r"(?P<places>(?:bar|[0-9]{1,2})\*?(?:/(?:off|[0-9]{1,2})\*?)+)(?:\((?P<times>[1-4])\))?"
)
_ROLL = re.compile("[1-6]{2}")
#: A text longer than this is no play.
_LONGEST = 100


def steps(s: State, a: int) -> list[tuple[int, int]]:
    """Where each die of a play moves a checker from and to, from the highest place to the lowest.

    Places are numbered as the mover does.
    """
    found = []
    die = s.dice >> 3
    while a:
        if place := a & (1 << PLACE_BITS) - 1:
            found.append((place, max(place - die, OFF)))
        a >>= PLACE_BITS
        die = s.dice & 7
    return sorted(found, reverse=True)


def paths(s: State, a: int) -> list[tuple[int, ...]]:
    """The places that each checker of a play passes through, its start and its end included."""
    found: list[tuple[int, ...]] = []
    for start, end in steps(s, a):
        for i, path in enumerate(found):
            if path[-1] == start:
                found[i] = (*path, end)
                break
        else:
            found.append((start, end))
    return found


def hits(s: State, a: int) -> set[int]:
    """The points, as the mover numbers them, where a play hits a blot."""
    _, _, low, high = of_mover(s)
    return {end for _, end in steps(s, a) if end != OFF and count_at(low, high, BAR - end) == 1}


def format_play(s: State, a: int) -> str:
    """A play as players write it: a place between is named only if a blot is hit there."""
    if a == NO_PLAY:
        return _NO_PLAY
    hit = hits(s, a)
    counted = Counter(paths(s, a))
    written = set()
    parts = []
    for path, times in counted.items():
        text = "bar" if path[0] == BAR else str(path[0])
        for place in path[1:]:
            strikes = place in hit and place not in written
            if strikes or place == path[-1]:
                text += f"/{place or 'off'}" + "*" * strikes
            written.add(place)
        parts.append(text + (f"({times})" if times > 1 else ""))
    return " ".join(parts)


def notation(
    player: Callable[[State], int],
    cube: bool,
    jacoby: bool,
) -> TextHooks:
    """The text hooks, given who moves, and how the game is played."""

    def parse(text: str) -> State:
        text = _without(PREFIX, given := text.strip())
        if text != given or text.count(":") > 1:
            return parse_xgid(text, cube)
        text = _without(_GNU_PREFIX, given)
        if ":" not in text and abs(len(text) - POSITION_SIGNS) > _SLIP:
            raise ValueError(f"expected an XGID, like {EXAMPLE}, or GNU's IDs, like {GNU_EXAMPLE}")
        return parse_gnu(text, cube, jacoby)

    def format_position(s: State) -> str:
        return format_xgid(s, cube)

    def format_move(s: State, a: int) -> str:
        if a in _WORDS:
            return _WORDS[a]
        return f"{a >> 3}{a & 7}" if player(s) == CHANCE else format_play(s, a)

    def parse_move(s: State, text: str) -> int:
        if player(s) == CHANCE:
            if not _ROLL.fullmatch(text):
                raise ValueError("a roll is two numbers from 1 to 6, like 31")
            small, large = sorted(map(int, text))
            return 8 * large + small
        if s.phase in _ANSWERS:
            for a in _ANSWERS[s.phase]:
                if text.lower() == _WORDS[a]:
                    return a
            raise ValueError(f"say {' or '.join(_WORDS[a] for a in _ANSWERS[s.phase])}")
        if is_over(s):
            raise ValueError("the game is over")
        if text != _NO_PLAY:
            return _find(s, text.lower())
        plays = next(iter(_by_checkers(s).values()))
        if plays != [NO_PLAY]:
            raise ValueError(f"there is a play, like {format_play(s, plays[0])}")
        return NO_PLAY

    def ending(s: State) -> str:
        if s.phase == PASSED:
            return f"{'XO'[s.turn]} passed"
        points = points_won(
            *((s.o_low, s.o_high) if s.x_low & 15 == CHECKERS else (s.x_low, s.x_high))
        )
        return ("all checkers are borne off", "a gammon", "a backgammon")[points - 1]

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "parse_move": parse_move,
        "texts": Texts(sides=("X", "O"), ending=ending),
    }


def _without(prefix: str, text: str) -> str:
    """A text without what it may begin with, in capitals or not."""
    begins = text[: len(prefix)].lower() == prefix.lower()
    return text[len(prefix) :] if begins else text


@lru_cache(maxsize=8)
def _by_checkers(s: State) -> dict[tuple[int, int], list[int]]:
    """The legal plays, by where they leave the mover's checkers. Remembered for the next text."""
    words = of_mover(s)
    row = [0] * MOST_PLAYS
    found: dict[tuple[int, int], list[int]] = {}
    for a in row[: list_plays(*words, s.dice, row)]:
        mine_low, mine_high, _, _ = played(*words, s.dice, a)
        found.setdefault((mine_low, mine_high), []).append(a)
    return found


def _find(s: State, text: str) -> int:
    """The one legal play that a text means."""
    written = _read(text)
    moved = Counter[int]()
    named: set[int] = set()
    for path in written:
        moved[path[0][0]] -= 1
        moved[path[-1][0]] += 1
        named |= {place for place, struck in path if struck}
    mine_low, mine_high, _, _ = of_mover(s)
    wanted = (
        mine_low + sum(n * low_unit(place) for place, n in moved.items()),
        mine_high + sum(n * high_unit(place) for place, n in moved.items()),
    )
    fitting = _by_checkers(s).get(wanted, [])
    if not fitting:
        dice = f"{s.dice >> 3}{s.dice & 7}"
        plays = next(iter(_by_checkers(s).values()))
        if plays == [NO_PLAY]:
            raise ValueError(f"there is no legal play with {dice}; write {_NO_PLAY}")
        raise ValueError(f"it is no legal play with {dice}, such as {format_play(s, plays[0])}")
    fitting = [a for a in fitting if named <= hits(s, a)]
    if not fitting:
        raise ValueError(f"it hits nothing on {listing(sorted(map(str, named)))}")
    if len(fitting) > 1:
        between = _between(written)
        reached = {place for path in written for place, _ in path[1:]}
        preferences: tuple[Callable[[int], bool], ...] = (
            lambda a: between <= {place for path in paths(s, a) for place in path[1:-1]},
            lambda a: hits(s, a) <= reached,
            lambda a: hits(s, a) == named,
        )
        for fits in preferences:
            fitting = [a for a in fitting if fits(a)] or fitting
    if len(fitting) > 1:
        names = listing([format_play(s, a) for a in fitting])
        raise ValueError(f"it could be any of {names}; write where it hits")
    return fitting[0]


def _between(written: list[list[tuple[int, bool]]]) -> set[int]:
    """The places where a checker stops on its way, in one part of a text or from part to part."""
    inner = {place for path in written for place, _ in path[1:-1]}
    starts, ends = ({path[at][0] for path in written} for at in (0, -1))
    return inner | starts & ends


def _read(text: str) -> list[list[tuple[int, bool]]]:
    """Every checker's way as written: places, and whether a star says that a blot is hit there."""
    if len(text) > _LONGEST:
        raise ValueError(f"a play is written like {_PLAY}")
    found = []
    for part in re.split(r"[\s,]+", text.strip()):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"{shorten(part)} is not a checker's move; a play is written {_PLAY}")
        path = []
        for given in match["places"].split("/"):
            name = given.removesuffix("*")
            place = BAR if name == "bar" else OFF if name == "off" else int(name)
            path.append((place, given.endswith("*")))
        places = [place for place, _ in path]
        if max(places) > BAR:
            raise ValueError(f"{max(places)} is not a point; they are numbered from 1 to 24")
        if places != sorted(set(places), reverse=True):
            raise ValueError(f"{shorten(part)} does not go down from one place to a lower one")
        found += [path] * int(match["times"] or 1)
    if len(found) > 4:
        raise ValueError("no play moves more than four checkers")
    return found
