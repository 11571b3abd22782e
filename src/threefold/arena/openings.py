"""Where the games of a match begin: the openings.

Games 2k and 2k + 1 of a match have the same opening, with sides reversed. An opening is found from
its number alone, in any process, so nothing has to be remembered or sent to play a game again.
"""

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from threefold.arena.notation import parse_position, record_notation
from threefold.engine.progress import StatusLine
from threefold.errors import BadRecord, ThreefoldError
from threefold.games.catalogue import game as find_game
from threefold.games.records import Notation
from threefold.games.records.format import FALLBACK
from threefold.games.records.sgf import each_game
from threefold.rules.contract import CHANCE, Action
from threefold.rules.game import Game
from threefold.rules.text import shorten

#: How many openings `all:PLIES` may make.
MOST: Final = 100_000
#: How often a random opening is drawn again because the game was over too soon.
TRIES: Final = 1000
#: How large a file of openings may be, in bytes: it is kept in memory.
LARGEST_FILE: Final = 64 << 20
#: How many openings of a file are read before the match begins, so that most mistakes show then.
CHECKED: Final = 500

_BY_PLIES = re.compile(r"(random|all):(.*)", re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s)#.*")
_WAYS = "random:PLIES, all:PLIES or a FILE of positions, moves or games"


@dataclass(frozen=True)
class Opening:
    """Where a game begins."""

    #: The text of a position; empty for the usual start.
    start: str = ""
    #: The moves, and nature's events, made before the players take over.
    moves: tuple[str, ...] = ()


#: Positions at one distance from the start: by what tells each apart, the positions that lead to
#: it, itself included, and the moves between them.
_Level: TypeAlias = dict[Any, tuple[tuple[Any, ...], tuple[str, ...]]]


class Openings(ABC):
    """Openings by number. It can be pickled: the game is then made again from its text."""

    def __init__(self, game: Game[Any]) -> None:
        self._game: Game[Any] | None = game
        self._spec = game.spec

    @property
    def game(self) -> Game[Any]:
        """The game that they open."""
        if self._game is None:
            self._game = find_game(self._spec)
        return self._game

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_game": None}

    @abstractmethod
    def __getitem__(self, index: int) -> Opening:
        """The opening of that number; a list is begun again when it is used up."""

    def __len__(self) -> int:
        """How many different ones there are, where that is known."""
        raise TypeError("these openings never end")

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Opening]:
        raise TypeError("openings never end; take them by number")


class Usual(Openings):
    """The usual start, always."""

    def __getitem__(self, index: int) -> Opening:
        return Opening()

    def __len__(self) -> int:
        return 1


class RandomPlies(Openings):
    """Random moves from the start, and nature's events by their weights."""

    def __init__(self, game: Game[Any], plies: int, seed: int) -> None:
        super().__init__(game)
        self._plies = plies
        self._seed = seed

    def __getitem__(self, index: int) -> Opening:
        rng = random.Random(f"opening {index} of {self._seed}")
        for _ in range(TRIES):
            if (moves := self._drawn(rng)) is not None:
                return Opening(moves=moves)
        raise ThreefoldError(
            f"openings random:{self._plies}: in {TRIES} tries, no game of {self.game.name} was "
            f"still going on after {self._plies} random plies; give fewer"
        )

    def _drawn(self, rng: random.Random) -> tuple[str, ...] | None:
        """Moves by chance; None if they end the game."""
        game = self.game
        positions = [game.initial()]
        moves: list[str] = []
        while game.outcome(positions) is None:
            if len(moves) == self._plies:
                return tuple(moves)
            s = positions[-1]
            action = _any_move(game, positions, rng)
            moves.append(game.format_move(s, action))
            positions.append(game.result(s, action))
        return None


def _any_move(game: Game[Any], positions: Sequence[Any], rng: random.Random) -> Action:
    s = positions[-1]
    if game.player(s) != CHANCE:
        return rng.choice(game.moves(s, positions[:-1]))
    events = game.chances(s)
    return rng.choices([event for event, _ in events], [weight for _, weight in events])[0]


class Listed(Openings):
    """A list of openings, each as a text that is read when it is asked for."""

    def __init__(self, game: Game[Any], texts: Sequence[str]) -> None:
        super().__init__(game)
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, index: int) -> Opening:
        if index < 0:
            raise IndexError(index)
        return self._read(index % len(self._texts))

    def _read(self, index: int) -> Opening:
        return Opening(moves=tuple(self._texts[index].splitlines()))


class FromFile(Listed):
    """The openings of a file: units of text, each with the number of its first line."""

    def __init__(
        self, game: Game[Any], path: str, units: Sequence[tuple[int, str]], plies: int | None
    ) -> None:
        super().__init__(game, [text for _, text in units])
        self._lines = [line for line, _ in units]
        self._path = path
        self._plies = plies
        if not units:
            raise ThreefoldError(f"openings {path}: there is none in this file")

    def _read(self, index: int) -> Opening:
        try:
            start, actions = self._parse(self._texts[index])
            moves = self._played(start, actions[: self._plies])
        except ThreefoldError as error:
            raise ThreefoldError(f"openings {self._path}, {self._where(index, error)}") from None
        usual = start == self.game.initial()
        return Opening("" if usual else self.game.format(start), moves)

    def _played(self, start: Any, actions: Sequence[Action]) -> tuple[str, ...]:
        """The texts of moves, unless they end the game."""
        game, positions, moves = self.game, [start], []
        for action in actions:
            moves.append(game.format_move(positions[-1], action))
            positions.append(game.result(positions[-1], action))
        if game.outcome(positions) is not None:
            advice = f"; take only its first moves: {self._path}:PLIES" if moves else ""
            raise ThreefoldError(f"the game is already over{advice}")
        return tuple(moves)

    def _where(self, index: int, error: ThreefoldError) -> str:
        return f"line {self._lines[index]}: {error}"

    def _parse(self, text: str) -> tuple[Any, Sequence[Action]]:
        """A line's position, or its moves from the usual start."""
        game = self.game
        positions, actions = [game.initial()], []
        words = text.split()
        try:
            for word in words:
                actions.append(game.parse_move(positions[-1], word, positions[:-1]))
                positions.append(game.result(positions[-1], actions[-1]))
        except ThreefoldError as bad_move:
            if actions and len(words) > 1:
                raise ThreefoldError(f"move {len(actions) + 1}: {bad_move}") from None
            try:
                return parse_position(game, text), ()
            except ThreefoldError as error:
                raise ThreefoldError(f"neither moves nor a position: {error}") from None
        return game.initial(), actions


class FromRecords(FromFile):
    """The games of a PGN, PDN or SGF file."""

    def _parse(self, text: str) -> tuple[Any, Sequence[Action]]:
        records = list(self._notation.read(text))
        if len(records) != 1:
            raise ThreefoldError('not one game; each begins with its tags, like [Event "?"]')
        game, start = self._notation.begin(records[0].tags)
        if game.facts.max_moves != self.game.facts.max_moves:
            raise ThreefoldError(f"a game of {game.name} on another board than {self.game.spec}")
        start, actions = self.game.parse(self.game.format(start)), records[0].actions
        s = start
        for number, a in enumerate(actions, 1):
            if self.game.is_terminal(s):
                raise ThreefoldError(f"the game is over before move {number}")
            s = self.game.result(s, a)
        return start, actions

    def _where(self, index: int, error: ThreefoldError) -> str:
        """What is wrong, at its place in the whole file."""
        if isinstance(error, BadRecord):
            try:
                list(self._notation.read("\n" * (self._lines[index] - 1) + self._texts[index]))
            except BadRecord as placed:
                # It is the only game of its text, wherever it is in the file.
                where = str(placed).removeprefix("game 1: ")
                return where if where.startswith("line ") else f"line {self._lines[index]}: {where}"
        return super()._where(index, error)

    @property
    def _notation(self) -> Notation[Any]:
        notation = record_notation(self.game)
        assert notation is not None
        return notation


def openings(game: Game[Any], given: str | None, seed: int) -> Openings:
    """The openings that a text names: none for the usual start, `random:PLIES`, `all:PLIES`, FILE.

    A FILE has one position (EPD for chess) or one list of moves a line, or is a PGN or PDN file,
    or for Go SGF; `FILE:PLIES` takes only the first moves.
    """
    if given is None:
        return Usual(game)
    if by_plies := _BY_PLIES.fullmatch(given):
        wanted = _plies(given, by_plies[2])
        if by_plies[1] == "all":
            return _every(game, wanted, seed)
        drawn = RandomPlies(game, wanted, seed)
        drawn[0]  # say now if there are none
        return drawn
    path, plies = _path(given)
    split = _RECORDS.get(Path(path).suffix.lower())
    if split:
        notation = record_notation(game)
        if notation is None or game.record_name.lower() != Path(path).suffix.lower()[1:]:
            raise ThreefoldError(
                f"openings {path}: {game.name} has no {Path(path).suffix[1:].upper()}; give a file "
                "with one position, or moves separated by spaces, on each line"
            )
    text = _text(path)
    kind = FromRecords if split else FromFile
    found = kind(game, path, list(split(text) if split else _lines(path, text)), plies)
    with StatusLine(lambda _: f"reading {path}"):
        for index in range(min(CHECKED, len(found))):
            found[index]
    return found


def _plies(given: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text):
        raise ThreefoldError(
            f"openings {shorten(given)}: {shorten(text)} is not a number of plies, like 8"
        )
    return int(text)


def _every(game: Game[Any], plies: int, seed: int) -> Listed:
    """Every position at this distance from the start, each by one line of moves, shuffled."""
    level: _Level = {None: ((game.initial(),), ())}
    with StatusLine(lambda _: f"openings: {len(level):,} positions"):
        for _ in range(plies):
            level = dict(_next_level(game, level, plies))
    if not level:
        raise ThreefoldError(
            f"openings all:{plies}: no game of {game.name} lasts that long; give fewer plies"
        )
    lines = ["\n".join(moves) for _, moves in level.values()]
    random.Random(f"order of {seed}").shuffle(lines)
    return Listed(game, lines)


def _next_level(
    game: Game[Any], level: _Level, plies: int
) -> Iterator[tuple[Any, tuple[tuple[Any, ...], tuple[str, ...]]]]:
    """The positions one ply on, by what tells them apart, without finished games."""
    seen = set()
    for positions, moves in level.values():
        s = positions[-1]
        for action in game.moves(s, positions[:-1]):
            child = game.result(s, action)
            name = game.timeless(child)
            if name in seen or game.outcome([child]) is not None:
                continue
            seen.add(name)
            if len(seen) > MOST:
                raise ThreefoldError(
                    f"openings all:{plies}: there are more than {MOST:,}; give fewer plies, or "
                    f"random:{plies}"
                )
            yield name, ((*positions, child), (*moves, game.format_move(s, action)))


def _path(given: str) -> tuple[str, int | None]:
    """A file, and how many plies of each game in it if that is given."""
    path, colon, plies = given.rpartition(":")
    if _is_file(given):
        return given, None
    if colon and _is_file(path):
        return path, _plies(given, plies)
    raise ThreefoldError(f"openings {shorten(given)}: there is no such file; give {_WAYS}")


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def _text(path: str) -> str:
    try:
        if Path(path).stat().st_size > LARGEST_FILE:
            raise ThreefoldError(
                f"openings {path}: this file is over {LARGEST_FILE >> 20} MB; give a part of it"
            )
        text = Path(path).read_text("utf-8-sig", errors=FALLBACK)
    except OSError as error:
        raise ThreefoldError(f"openings {path} cannot be read: {error.strerror}") from None
    if "\0" in text:
        raise ThreefoldError(f"openings {path}: this is no text; give {_WAYS}")
    return text


def _lines(path: str, text: str) -> Iterator[tuple[int, str]]:
    """The lines with something on them, and their numbers. EPD may have # in its texts."""
    epd = Path(path).suffix.lower() == ".epd"
    for number, line in enumerate(text.split("\n"), 1):
        bare = line if epd and not line.startswith("#") else _COMMENT.sub("", line)
        if bare.strip():
            yield number, bare.strip()


def _games(text: str) -> Iterator[tuple[int, str]]:
    """The games of a file: a tag after an empty line, once there are moves, begins the next."""
    lines: list[str] = []
    first, moves, empty = 1, False, True
    for number, line in enumerate(text.split("\n"), 1):
        tag = line.startswith("[")
        if tag and empty and moves:
            yield first, "\n".join(lines)
            lines, first, moves = [], number, False
        lines.append(line)
        empty = not line.strip()
        moves = moves or not (tag or empty)
    if "".join(lines).strip():
        yield first, "\n".join(lines)


#: By the ending of a file of records, how it is split into games.
_RECORDS: Final = {".pgn": _games, ".pdn": _games, ".sgf": each_game}
