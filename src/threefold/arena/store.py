"""Matches and their games in one SQLite file, written by one process as games end.

A game is on disk before anybody hears of its result. Killing the process loses nothing that was
recorded.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from threefold.arena.record import MatchInfo, Played, Task
from threefold.engine.running import Closing
from threefold.errors import ThreefoldError

#: What marks a file as ours, and the version of its layout.
_APPLICATION: Final = 0x33464F4C
_LAYOUT: Final = 1
#: Seconds to wait for another process that is writing.
_PATIENCE: Final = 10.0

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS match (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    kind TEXT NOT NULL,
    players TEXT NOT NULL,
    about TEXT NOT NULL,
    settings TEXT NOT NULL,
    version TEXT NOT NULL,
    begun REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS game (
    match INTEGER NOT NULL REFERENCES match,
    number INTEGER NOT NULL,
    max INTEGER NOT NULL,
    min INTEGER NOT NULL,
    opening INTEGER NOT NULL,
    start TEXT NOT NULL,
    moves TEXT NOT NULL,
    opening_plies INTEGER NOT NULL,
    utility REAL NOT NULL,
    ending TEXT NOT NULL,
    reason TEXT NOT NULL,
    "values" TEXT NOT NULL,
    seconds TEXT NOT NULL,
    output TEXT NOT NULL,
    ended REAL NOT NULL,
    duration REAL NOT NULL,
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
"""


class Store(Closing):
    """An open file of matches."""

    def __init__(self, path: str | Path, *, create: bool = True, read_only: bool = False) -> None:
        self.path = Path(path)
        create = create and not read_only
        if not create and not self.path.is_file():
            raise ThreefoldError(f"there is no file {self.path}")
        if not create and not self.path.stat().st_size:
            raise ThreefoldError(f"{self.path} is empty; no games were recorded there")
        mode = "ro" if read_only else "rwc"
        with self._explained():
            self._connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}",
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
            self._check(read_only)

    def _check(self, read_only: bool) -> None:
        ask = self._connection.execute
        (application,), (layout,) = ask("PRAGMA application_id"), ask("PRAGMA user_version")
        if application == (0,) and not ask("SELECT 1 FROM sqlite_master").fetchone():
            ask("PRAGMA journal_mode = WAL")
            self._connection.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {_APPLICATION};"
                f"PRAGMA user_version = {_LAYOUT}; COMMIT;"
            )
        elif application != (_APPLICATION,):
            raise ThreefoldError(f"{self.path} is a database of another program")
        elif layout != (_LAYOUT,):
            raise ThreefoldError(
                f"{self.path} was made by another version of Threefold (layout {layout[0]}, "
                f"this one has {_LAYOUT})"
            )
        if not read_only:
            ask("PRAGMA synchronous = FULL")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what SQLite complains about into one line that says what to do."""
        try:
            yield
        except (sqlite3.Error, UnicodeError) as error:
            raise ThreefoldError(f"{self.path}: {_advice(error)}") from None

    @contextmanager
    def _writing(self) -> Iterator[Callable[..., Any]]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
            except BaseException:
                if self._connection.in_transaction:  # SQLite may have given it up by itself
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def begin(self, match: MatchInfo) -> MatchInfo:
        """Enter a match, or find it if it was begun before; the number it has in this file."""
        with self._writing() as ask:
            ask(
                "INSERT INTO match (digest, game, kind, players, about, settings, version, begun) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (digest) DO UPDATE SET settings = excluded.settings",
                (
                    match.digest,
                    match.game,
                    match.kind,
                    _json(match.players),
                    _json(match.about),
                    _json(match.settings),
                    match.version,
                    match.begun or time.time(),
                ),
            )
        return next(known for known in self.matches() if known.digest == match.digest)

    def forget(self, match: MatchInfo) -> None:
        """Take a match out again that has no games."""
        with self._writing() as ask:
            ask(
                "DELETE FROM match WHERE id = ? AND id NOT IN (SELECT match FROM game)",
                (match.id,),
            )

    def add(self, match: MatchInfo, games: Iterable[Played]) -> None:
        """Record games; one that is recorded already stays as it is."""
        with self._writing() as ask:
            for played in games:
                row = _row(match.id, played)
                marks = ", ".join("?" * len(row))
                ask(f"INSERT OR IGNORE INTO game VALUES ({marks})", row)

    def matches(self) -> list[MatchInfo]:
        """Every match in the file, in the order in which they began."""
        with self._explained():
            rows = self._connection.execute(
                "SELECT id, digest, game, players, about, kind, settings, version, begun "
                "FROM match ORDER BY id"
            ).fetchall()
        return [
            MatchInfo(
                number,
                digest,
                game,
                json.loads(players),
                json.loads(about),
                kind,
                json.loads(settings),
                version,
                begun,
            )
            for number, digest, game, players, about, kind, settings, version, begun in rows
        ]

    def games(self, match: MatchInfo, first: int = 0, most: int = -1) -> Iterator[Played]:
        """The games of a match by number, some or all of them."""
        with self._explained():
            rows = self._connection.execute(
                "SELECT * FROM game WHERE match = ? AND number >= ? ORDER BY number LIMIT ?",
                (match.id, first, most),
            )
            for row in rows:
                yield _played(row)

    def results(self, match: MatchInfo) -> Iterator[tuple[Task, float, str]]:
        """Of each game, by number: the task, what it was worth to MAX, and how it ended."""
        with self._explained():
            for number, one, other, opening, utility, ending in self._connection.execute(
                "SELECT number, max, min, opening, utility, ending FROM game WHERE match = ? "
                "ORDER BY number",
                (match.id,),
            ):
                yield Task(number, (one, other), opening), utility, ending

    def seconds(self, match: MatchInfo) -> float:
        """How long the games of a match took, one after another."""
        with self._explained():
            (total,) = self._connection.execute(
                "SELECT total(duration) FROM game WHERE match = ?", (match.id,)
            ).fetchone()
        return float(total)

    def repeated(self, match: MatchInfo) -> int:
        """How many games of a match are, move for move, the same as another one before."""
        with self._explained():
            (games, different) = self._connection.execute(
                "SELECT count(*), count(DISTINCT start || moves) FROM game WHERE match = ?",
                (match.id,),
            ).fetchone()
        return int(games - different)

    @property
    def version(self) -> int:
        """A number that changes whenever another process has written to the file."""
        with self._explained():
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return int(version)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _row(match: int, played: Played) -> Sequence[Any]:
    return (
        match,
        played.task.number,
        *played.task.players,
        played.task.opening,
        played.start,
        _json(list(played.moves)),
        played.opening_plies,
        played.utility,
        played.ending,
        played.reason,
        _json(list(played.values)),
        _json(list(played.seconds)),
        played.output,
        played.ended,
        played.duration,
    )


def _played(row: Sequence[Any]) -> Played:
    _, number, one, other, opening, start, moves, plies, utility, ending, reason, *rest = row
    values, seconds, output, ended, duration = rest
    return Played(
        Task(number, (one, other), opening),
        start,
        json.loads(moves),
        plies,
        utility,
        ending,
        reason,
        json.loads(values),
        json.loads(seconds),
        output,
        ended,
        duration,
    )


def _advice(error: Exception) -> str:
    said = str(error)
    if "locked" in said:
        return "another program is writing to it; try again when it is done"
    if "full" in said:
        return "the disk is full; what was recorded is safe, so make room and run it again"
    if "malformed" in said or "not a database" in said:
        return "the file is damaged or is no database; give another file"
    if "unable to open" in said:
        return "it cannot be opened; does its folder exist, and may you write there?"
    if "readonly" in said:
        return "it cannot be written to"
    return said
