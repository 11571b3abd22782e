"""A record format: where PGN and PDN differ, and everything that can be done with either."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from os import PathLike
from typing import Generic, Protocol, TypeVar

from threefold.errors import BadRecord, ThreefoldError
from threefold.games.records.reading import read_records
from threefold.games.records.record import Line, Move, Record
from threefold.games.records.writing import ROSTER, write_record
from threefold.rules.contract import Action
from threefold.rules.game import Game

S = TypeVar("S")

#: Bytes that are not UTF-8 are read as Latin-1, the encoding of older files.
FALLBACK = "threefold-latin-1"


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(FALLBACK, _as_latin_1)


class Notation(Protocol[S]):
    """What reads the records of a game."""

    def begin(self, tags: Mapping[str, str], /) -> tuple[Game[S], S]:
        """The game and the starting position that tags describe."""
        ...

    def read(
        self,
        source: str | Iterable[str],
        *,
        report: Callable[[BadRecord], object] | None = None,
    ) -> Iterator[Record]:
        """The games in a text or an open text file."""
        ...

    def load(
        self,
        path: str | PathLike[str],
        *,
        report: Callable[[BadRecord], object] | None = None,
    ) -> Iterator[Record]:
        """The games in a file."""
        ...

    def positions(self, record: Record, /) -> list[S]:
        """The positions of a game as it was played, from first to last."""
        ...


@dataclass(frozen=True)
class Format(Generic[S]):
    """How the records of a game are written.

    - `begin(tags)` gives the game and the starting position that the tags describe; an
      impossible tag raises `BadTag`.
    - `parse_move(game, s, text)` and `format_move(game, s, a)` read and write moves, including
      moves made after the game was already a draw.
    - `results` maps the words that end a game to the way each is written.
    - `ply(s)` is the number of plies before a position, for the move numbers.
    - `tags` are what a new record has in addition to the roster.
    - `noise` are words to ignore.
    """

    begin: Callable[[Mapping[str, str]], tuple[Game[S], S]]
    parse_move: Callable[[Game[S], S, str], Action]
    format_move: Callable[[Game[S], S, Action], str]
    results: Mapping[str, str]
    ply: Callable[[S], int]
    tags: Mapping[str, str] = field(default_factory=dict)
    noise: frozenset[str] = frozenset()

    def read(
        self,
        source: str | Iterable[str],
        *,
        report: Callable[[BadRecord], object] | None = None,
    ) -> Iterator[Record]:
        """The games in a text or an open text file, one after another.

        A game that cannot be read raises `BadRecord`, which says where and why. With `report`,
        the error is passed to it instead, and reading continues with the next game.
        """
        lines = StringIO(source, newline=None) if isinstance(source, str) else source
        return read_records(self, lines, report)

    def load(
        self,
        path: str | PathLike[str],
        *,
        report: Callable[[BadRecord], object] | None = None,
    ) -> Iterator[Record]:
        """The games in a file: UTF-8, or Latin-1 where the bytes are not UTF-8."""
        try:
            with open(path, encoding="utf-8-sig", errors=FALLBACK) as file:
                yield from self.read(file, report=report)
        except BadRecord as error:
            raise BadRecord(f"{path}: {error}") from None
        except OSError as error:
            raise BadRecord(f"{path} cannot be read: {error.strerror or error}") from None

    def write(self, record: Record) -> str:
        """A game's text in export format; join several with an empty line in between."""
        return write_record(self, record)

    def record(
        self,
        moves: Iterable[str | Action],
        *,
        start: S | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Record:
        """A record of moves, given as text or numbers, with the seven tags that every game has.

        A start other than the usual one gets a FEN tag. If the moves end the game and the tags
        give no result, the result comes from the rules.
        """
        given = {name: "????.??.??" if name == "Date" else "?" for name in ROSTER}
        given |= {"Result": "*"} | dict(self.tags) | dict(tags or {})
        game, s = self.begin(given)
        if start is not None and start != s:
            given |= {"SetUp": "1", "FEN": game.format(start)}
            s = start
        line = Line()
        for number, move in enumerate(moves, 1):
            try:
                action = self.parse_move(game, s, move) if isinstance(move, str) else move
            except (ThreefoldError, ValueError) as error:
                raise BadRecord(f"move {number}: {error}") from None
            if action not in game.all_moves(s):
                raise BadRecord(f"move {number}: {action} is not a legal move")
            line.moves.append(Move(action))
            s = game.result(s, action)
        if given["Result"] == "*" and not game.moves(s):
            worth = 0 if game.all_moves(s) else game.utility(s)
            given["Result"] = "1-0" if worth > 0 else "0-1" if worth < 0 else "1/2-1/2"
        return Record(given, line)

    def positions(self, record: Record) -> list[S]:
        """The positions of the game as played, from first to last."""
        game, s = self.begin(record.tags)
        found = [s]
        for action in record.actions:
            found.append(game.result(found[-1], action))
        return found
