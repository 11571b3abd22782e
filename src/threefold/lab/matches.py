"""Recorded matches for a page: their standing, the list of their games, and each game.

The lab opens one file, the one that its user named, and only reads it. What is in the file is data
from anywhere: nothing in it is run, used as a path, or trusted to be what it should be.
"""

import math
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeAlias

from threefold.arena.crosstable import cell
from threefold.arena.record import ABANDONED, FAILURES, TIME, MatchInfo, Played
from threefold.arena.replay import evaluation, replayed, unit
from threefold.arena.store import Store
from threefold.arena.summary import Summary, find, heading
from threefold.arena.table import NAME_WIDTH, conclusion, lines
from threefold.engine.result import share_of_estimate
from threefold.errors import ThreefoldError
from threefold.lab.gallery import Gallery
from threefold.lab.limits import MAX_PLIES, MAX_ROWS
from threefold.lab.requests import BadRequest, Request
from threefold.rules.contract import CHANCE, MIN
from threefold.rules.game import Game

#: What a list of games can be reduced to, seen from one player or, without one, from anyone.
RESULTS: Final = ("any", "won", "drawn", "lost", "failed")
#: Counting the games of a match takes at most this share of the time.
_SHARE: Final = 0.1
#: The largest number of a match or of a game.
_MOST: Final = 1 << 53
#: Characters of a reason or an output that are shown.
_LONGEST: Final = 4000

_WON, _DRAWN, _LOST, _FAILED, _NOTHING = range(5)


@dataclass(frozen=True)
class _Counted:
    """A match as it stood when its games were last counted."""

    #: The version of the file, and when to look again.
    version: int
    again: float
    answer: dict[str, Any]
    #: Of each game: its number, its players, and how it ended for the first of them.
    numbers: Sequence[int]
    players: Sequence[tuple[int, int]]
    outcomes: Sequence[int]
    failed: Sequence[int]


class Archive:
    """A file of matches that is open for reading."""

    def __init__(self, path: str | Path) -> None:
        self.name = Path(path).name
        self._store = Store(path, read_only=True)
        self._store.path = Path(self.name)  # for messages: a page need not know its folder
        self._lock = threading.Lock()
        self._counted: dict[int, _Counted] = {}

    def listed(self) -> list[dict[str, Any]]:
        """All matches, the latest first."""
        with self._lock:
            known = self._store.matches()
        return [
            {"match": match.id, "heading": heading(match), "players": list(match.players)}
            for match in reversed(known)
        ]

    def counted(self, number: int | None) -> tuple[MatchInfo, _Counted]:
        """A match, the latest without a number, and where it stands.

        While a match is played, its games are not counted so often that it takes long in all.
        """
        with self._lock:
            match = find(self._store, number)
            known = self._counted.get(match.id)
            version = self._store.version
            if known is not None and (version == known.version or time.monotonic() < known.again):
                return match, known
            self._counted.clear()  # one match at a time is looked at; a large one takes memory
            began = time.monotonic()
            summary = Summary(self._store, match)
            counted = _count(summary, version)
            took = time.monotonic() - began
            again = time.monotonic() + took / _SHARE
            known = self._counted[match.id] = _Counted(version, again, *counted)
        return match, known

    def games(self, match: MatchInfo, numbers: Sequence[int]) -> list[Played]:
        """Games by their numbers; some may be missing in a damaged file."""
        with self._lock:
            return [
                played
                for number in numbers
                for played in self._store.games(match, number, 1)
                if played.task.number == number
            ]


Answer: TypeAlias = Callable[[Gallery, Request], dict[str, Any]]


def _readable(answer: Answer) -> Answer:
    """An answer that says so if what is in the file is not of the right kind."""

    @wraps(answer)
    def careful(gallery: Gallery, request: Request) -> dict[str, Any]:
        try:
            return answer(gallery, request)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            name = "" if gallery.archive is None else gallery.archive.name
            raise ThreefoldError(f"{name} is damaged: something in it cannot be read") from None

    return careful


@_readable
def matches(gallery: Gallery, _: Request) -> dict[str, Any]:
    """The file that is open, and its matches."""
    archive = gallery.archive
    if archive is None:
        return {"file": None, "matches": []}
    return {"file": archive.name, "matches": archive.listed()}


@_readable
def match(gallery: Gallery, request: Request) -> dict[str, Any]:
    """Where a match stands; nothing but its version if the page has that already."""
    info, counted = _opened(gallery).counted(_number(request))
    known = {"match": info.id, "version": counted.version}
    if request.has("version") and request.whole("version", 0, _MOST) == counted.version:
        return known
    return known | counted.answer | {"board": gallery.name_of(info.game)}


@_readable
def games(gallery: Gallery, request: Request) -> dict[str, Any]:
    """A page of the list of games."""
    archive = _opened(gallery)
    info, counted = archive.counted(_number(request))
    player = request.whole("player", -1, len(info.players) - 1, -1)
    result = request.choice("result", RESULTS, "any")
    first = request.whole("first", 0, _MOST, 0)
    chosen = list(_chosen(counted, player, result))
    shown = chosen[first : first + MAX_ROWS]
    return {
        "match": info.id,
        "version": counted.version,
        "total": len(chosen),
        "first": first,
        "page": MAX_ROWS,
        "rows": [_row(played) for played in archive.games(info, shown)],
    }


@_readable
def game(gallery: Gallery, request: Request) -> dict[str, Any]:
    """A game, to be replayed."""
    archive = _opened(gallery)
    info, counted = archive.counted(_number(request))
    number = request.whole("number", 0, _MOST)
    found = archive.games(info, [number])
    if not found:
        raise BadRequest(f"match {info.id} has no game {number + 1}")
    played = found[0]
    if len(played.moves) > MAX_PLIES:
        raise BadRequest(f"this game has {len(played.moves):,} moves; the limit is {MAX_PLIES:,}")
    name = gallery.name_of(info.game)
    at = counted.numbers.index(number) if number in counted.numbers else -1
    neighbors = {
        "previous": counted.numbers[at - 1] if at > 0 else None,
        "next": counted.numbers[at + 1] if 0 <= at < len(counted.numbers) - 1 else None,
    }
    thoughts = None
    start = str(played.start)
    if name is not None:
        g = gallery.named(name)
        start = "" if not start or g.parse(start) == g.initial() else start
        thoughts = _thoughts(g, info, played)
    return (
        _row(played)
        | neighbors
        | {
            "match": info.id,
            "game": name,
            "spec": info.game,
            "names": [info.players[player] for player in played.task.players],
            "start": start,
            "moves": [str(move) for move in played.moves],
            "opening": played.opening_plies,
            "thoughts": thoughts,
            "output": str(played.output)[-_LONGEST:],
            "ended": _finite(played.ended),
        }
    )


def _opened(gallery: Gallery) -> Archive:
    if gallery.archive is None:
        raise BadRequest("no file of matches is open; start the lab with one: threefold lab FILE")
    return gallery.archive


def _number(request: Request) -> int | None:
    return request.whole("match", 0, _MOST) if request.has("match") else None


def _count(
    summary: Summary, version: int
) -> tuple[dict[str, Any], Sequence[int], Sequence[tuple[int, int]], Sequence[int], Sequence[int]]:
    """What there is to say of a match, and the columns of its games."""
    numbers, outcomes, failed = array("q"), array("b"), array("b")
    players: list[tuple[int, int]] = []
    pairs: dict[tuple[int, int], tuple[int, int]] = {}
    for task, utility, ending in summary.results:
        numbers.append(task.number)
        players.append(pairs.setdefault(task.players, task.players))
        counts = ending != ABANDONED
        outcomes.append(
            (_WON if utility > 0 else _LOST if utility < 0 else _DRAWN) if counts else _NOTHING
        )
        failed.append(ending in (*FAILURES, TIME) or not counts)
    answer: dict[str, Any] = {
        "heading": heading(summary.match),
        "kind": summary.match.kind,
        "game": summary.match.game,
        "players": list(summary.names),
        "games": len(numbers),
        "version": version,
    }
    if summary.is_match:
        standing = summary.ledger.standing
        rows = lines(standing, summary.names, failures=summary.ledger.failures())
        answer |= {
            "conclusion": conclusion(standing),
            "rows": [[row[:NAME_WIDTH].strip(), row[NAME_WIDTH:]] for row in rows],
        }
    else:
        answer |= _tournament(summary)
    return answer, numbers, players, outcomes, failed


def _tournament(summary: Summary) -> dict[str, Any]:
    ratings = summary.ledger.ratings
    ranked = [one.player for one in ratings.players]
    return {
        "unit": "Points a game" if summary.has_chance else "Elo",
        "ratings": [
            {
                "player": one.player,
                "rating": one.rating,
                "error": one.error,
                "games": one.games,
                "points": one.points,
            }
            for one in ratings.players
        ],
        "table": [
            [cell(summary.ledger.meetings, player, other) for other in ranked] for player in ranked
        ],
    }


def _chosen(counted: _Counted, player: int, result: str) -> Iterator[int]:
    """The numbers of the games that a page wants to see."""
    for number, pair, outcome, failed in zip(
        counted.numbers, counted.players, counted.outcomes, counted.failed, strict=True
    ):
        if player >= 0 and player not in pair:
            continue
        seen = outcome
        if player >= 0 and player == pair[1] and outcome in (_WON, _LOST):
            seen = _LOST if outcome == _WON else _WON
        if (
            result == "any"
            or (result == "failed" and failed)
            or (result == "drawn" and seen == _DRAWN)
            or (result == "won" and (seen == _WON or (player < 0 and seen == _LOST)))
            or (result == "lost" and (seen == _LOST or (player < 0 and seen == _WON)))
        ):
            yield number


def _row(played: Played) -> dict[str, Any]:
    """A game in the list."""
    return {
        "number": played.task.number,
        "players": list(played.task.players),
        "utility": _finite(played.utility),
        "points": played.points if played.counts else None,
        "ending": str(played.ending),
        "reason": str(played.reason)[:_LONGEST],
        "plies": len(played.moves),
        "seconds": _finite(played.duration),
    }


def _thoughts(g: Game[Any], info: MatchInfo, played: Played) -> list[dict[str, Any] | None]:
    """For each move what its player thought, as MAX sees it, and the seconds it took."""
    positions, _ = replayed(g, played)
    lines_of = [info.players[player] for player in played.task.players]
    units = [unit(g, line) for line in lines_of]
    evaluations = [evaluation(g, line) for line in lines_of]
    found: list[dict[str, Any] | None] = [None] * len(played.moves)
    for ply in range(played.opening_plies, len(played.moves)):
        at = ply - played.opening_plies
        mover = g.player(positions[ply])
        if mover == CHANCE:
            continue
        value = _finite(played.values[at]) if at < len(played.values) else None
        seconds = _finite(played.seconds[at]) if at < len(played.seconds) else None
        if value is not None and mover == MIN:
            value = -value
        found[ply] = {
            "value": None if value is None else value / units[mover],
            "share": None if value is None else share_of_estimate(g, value, evaluations[mover]),
            "seconds": seconds,
        }
    return found


def _finite(value: Any) -> float | None:
    """A number that JSON can hold; None for whatever else is in a file."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
