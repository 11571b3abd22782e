"""Games of backgammon in `.mat`, the text format of Jellyfish and GNU Backgammon.

     7 point match

     Game 1
     Alice : 0                      Bob : 0
      1) 31: 8/5 6/5                 42: 24/20 13/11
      2)  Doubles => 2                Takes

Each player has a column. A match for money has 0 points. Whoever plays the opening roll is X. The
lines before, which begin with a semicolon, are tags; `CubeLimit` is 1 in a game without the cube.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike

from threefold.errors import BadRecord, ThreefoldError
from threefold.games.backgammon.layout import SIDES
from threefold.games.backgammon.moves import NO_PLAY
from threefold.games.backgammon.notation import format_play
from threefold.games.backgammon.record import (
    NO,
    UNKNOWN,
    YES,
    begin,
    games_in,
    has_cube,
    points_before,
    positions,
    result_of,
    seat,
)
from threefold.games.backgammon.rules import DECIDING, DOUBLE, DOUBLED, PASS, ROLL, TAKE, State
from threefold.games.backgammon.session import Session, at_match_point
from threefold.games.backgammon.stakes import MOST_DOUBLES, doubles_of
from threefold.games.records import Line, Move, Record
from threefold.rules.contract import CHANCE, MAX, MIN, Action, Player
from threefold.rules.game import Game
from threefold.rules.text import shorten

#: The widths of a column, and of the first name.
_COLUMN = 28
_NAME = 31
#: A column that begins here or later is the right one.
_RIGHT = 18

_TAG = re.compile(r'\s*;\s*\[([^"]+?)\s*"(.*)"\]\s*')
_MATCH = re.compile(r"\s*(\d{1,5})\s+point match\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d+)\s*", re.IGNORECASE)
_SCORE = r"\s*: *(\d+)"
#: The line of names and scores. GNU Backgammon leaves no space after the first score if its name is
#: long.
_SCORES = tuple(
    re.compile(rf"\s*(.*?){_SCORE}{gap}(.*?){_SCORE}\s*") for gap in (r"\s+", r"(?=\D)")
)
_NUMBER = re.compile(r"\s*\d+\)")
_CELL = re.compile(
    r"""(?P<roll>[1-6]{2}):(?P<play>(?:(?![1-6]{2}:|Doubles|Takes|Drops|Wins).)*)
    |Doubles\s*=>\s*(?P<value>\d+)
    |(?P<takes>Takes)
    |(?P<drops>Drops)
    |Wins\s+(?P<points>\d+)\s+points?(?:\s+and\s+the\s+match)?""",
    re.VERBOSE | re.IGNORECASE,
)
#: The tags that name the players.
_PLAYERS = ("Player 1", "Player 2")
#: What may be written where there is no play.
_NO_PLAYS = ("", "-", "cannot move", "no move", "can't move")


# Reading.


@dataclass
class _Cell:
    """What a player did, and where that is written."""

    match: re.Match[str]
    #: 0 for the left column, 1 for the right one.
    side: int
    line: int

    def error(self, reason: object) -> BadRecord:
        return BadRecord(f"line {self.line}: {reason}")


@dataclass
class _Sheet:
    """A game as it is written: what is known of it, and its cells."""

    line: int
    tags: dict[str, str]
    length: int
    #: Which match of the file it belongs to.
    match: int
    names: tuple[str, str] = ("", "")
    scores: tuple[int, int] | None = None
    cells: list[_Cell] = field(default_factory=list)
    error: BadRecord | None = None


def read(
    source: str | Iterable[str], *, report: Callable[[BadRecord], object] | None = None
) -> Iterator[Record]:
    """The games in a text or an open text file, one after another.

    A game that cannot be read raises `BadRecord`, which says where and why. With `report`, the
    error is passed to it instead, and reading continues with the next game.
    """
    lines = source.splitlines() if isinstance(source, str) else source
    had_crawford = -1
    for sheet in _sheets(lines):
        crawford = had_crawford != sheet.match and _is_crawford(sheet)
        if crawford:
            had_crawford = sheet.match
        try:
            yield _record(sheet, crawford)
        except BadRecord as error:
            if report is None:
                raise
            report(error)


def load(
    path: str | PathLike[str], *, report: Callable[[BadRecord], object] | None = None
) -> Iterator[Record]:
    """The games in a file: UTF-8, or Latin-1 where the bytes are not UTF-8."""
    return games_in(path, lambda file: read(file, report=report))


def _sheets(lines: Iterable[str]) -> Iterator[_Sheet]:
    """The games of a text, line by line."""
    tags: dict[str, str] = {}
    length = matches = 0
    sheet: _Sheet | None = None
    is_header = True
    for number, given in enumerate(lines, 1):
        text = given.rstrip().expandtabs().removeprefix("\ufeff")
        if not text or text.lstrip().startswith(";"):
            if match := _TAG.fullmatch(text):
                tags = tags | {match[1]: match[2]} if is_header else {match[1]: match[2]}
                is_header = True
        elif match := _MATCH.fullmatch(text):
            length = int(match[1])
            matches += 1
        elif _GAME.fullmatch(text):
            if sheet is not None:
                yield sheet
            sheet = _Sheet(number, tags, length, matches)
            is_header = False
        elif sheet is None:
            raise BadRecord(
                f"line {number}: {shorten(text.strip())} is neither `7 point match` nor `Game 1`"
            )
        elif sheet.scores is None and not sheet.cells and (match := _scores(sheet, text)):
            one, ones, two, twos = match.groups()
            sheet.names, sheet.scores = (one, two), (int(ones), int(twos))
        else:
            _add_cells(sheet, text, number)
    if sheet is not None:
        yield sheet


def _scores(sheet: _Sheet, text: str) -> re.Match[str] | None:
    """A line of names and scores: with the names of the tags, or else with any."""
    patterns: Iterable[re.Pattern[str]] = _SCORES
    named = [re.escape(_in_game(sheet.tags[tag])) for tag in _PLAYERS if tag in sheet.tags]
    if len(named) == len(_PLAYERS):
        one, two = named
        patterns = (re.compile(rf"\s*({one}){_SCORE}\s*({two}){_SCORE}\s*"), *_SCORES)
    return next((match for each in patterns if (match := each.fullmatch(text))), None)


def _add_cells(sheet: _Sheet, text: str, number: int) -> None:
    numbered = _NUMBER.match(text)
    end = numbered.end() if numbered else 0
    for match in _CELL.finditer(text, end):
        between = text[end : match.start()].strip()
        end = match.end()
        if between:
            break
        sheet.cells.append(_Cell(match, int(match.start() >= _RIGHT), number))
    else:
        between = text[end:].strip()
    if between and sheet.error is None:
        sheet.error = BadRecord(
            f"line {number}: {shorten(between)} is neither a play like 31: 8/5 6/5 nor Doubles => 2"
            ", Takes, Drops or Wins 1 point"
        )


def _is_crawford(sheet: _Sheet) -> bool:
    """Whether it may be the Crawford game."""
    if sheet.scores is None or sheet.tags.get("Crawford", "On") == "Off":
        return False
    return at_match_point(sheet.scores, sheet.length)


def _full_name(sheet: _Sheet, number: int, shown: str) -> str:
    """A player's name: as the tags have it, unless a game's own line has another."""
    tag = _PLAYERS[number]
    name = sheet.tags.get(tag, tag)
    return name if shown in {"", _in_game(name)} else shown


def _in_game(name: str) -> str:
    """A name as a game's own line has it, where a semicolon in front would begin a comment."""
    return name.lstrip("; ")


def _record(sheet: _Sheet, crawford: bool) -> Record:
    """The game that a sheet describes."""
    if sheet.error is not None:
        raise sheet.error
    first = sheet.cells[0].side if sheet.cells else 0
    names = [_full_name(sheet, i, name) for i, name in enumerate(sheet.names)]
    tags = {"X": names[first], "O": names[1 - first]}
    tags |= seat(tags, first)
    if "EventDate" in sheet.tags:
        tags["Date"] = sheet.tags["EventDate"]
    if sheet.tags.get("CubeLimit") == "1" and not sheet.length:
        tags["Cube"] = NO
    elif sheet.length:
        score = sheet.scores or (0, 0)
        tags |= {"Length": str(sheet.length), "Score": f"{score[first]}-{score[1 - first]}"}
        if crawford:
            tags["Crawford"] = YES
    elif sheet.tags.get("Jacoby") == "On":
        tags["Jacoby"] = YES
    try:
        game, s = begin(tags)
    except ThreefoldError as error:
        raise BadRecord(f"line {sheet.line}: {error}") from None
    line = Line()
    result = UNKNOWN
    for number, cell in enumerate(sheet.cells):
        player = MAX if cell.side == first else MIN
        if result != UNKNOWN:
            raise cell.error("the game is already won")
        if points := cell.match["points"]:
            result = f"{SIDES[player]}+{points}"
            continue
        for action in _actions(game, s, cell, player, number + 1 == _count(sheet)):
            line.moves.append(Move(action))
            s = game.result(s, action)
    return Record(tags | {"Result": result_of(s, tags) if game.is_terminal(s) else result}, line)


def _count(sheet: _Sheet) -> int:
    """How many cells there are before the one that says who wins."""
    return sum(1 for cell in sheet.cells if cell.match["points"] is None)


def _actions(
    game: Game[State], s: State, cell: _Cell, player: Player, last: bool
) -> Iterator[Action]:
    """The moves that a cell stands for."""
    if game.is_terminal(s):
        raise cell.error(f"{shorten(cell.match[0].strip())} follows, but the game is over")
    if s.turn != player:
        raise cell.error(f"it is the turn of {SIDES[s.turn]}, who is in the other column")
    if value := cell.match["value"]:
        if s.phase != DECIDING:
            raise cell.error(f"{SIDES[player]} may not double here")
        if int(value) != 2 << doubles_of(s.stakes):
            raise cell.error(f"the cube is turned to {2 << doubles_of(s.stakes)}, not {value}")
        yield DOUBLE
    elif cell.match["takes"] or cell.match["drops"]:
        if s.phase != DOUBLED:
            raise cell.error("nobody has doubled")
        yield TAKE if cell.match["takes"] else PASS
    else:
        yield from _rolled(game, s, cell, last)


def _rolled(game: Game[State], s: State, cell: _Cell, last: bool) -> Iterator[Action]:
    """A roll and the play; the last play may be missing, if the player resigned instead."""
    if s.phase == DECIDING:
        yield ROLL
        s = game.result(s, ROLL)
    if game.player(s) != CHANCE:
        raise cell.error("expected Takes or Drops after a double")
    small, large = sorted(map(int, cell.match["roll"]))
    roll = 8 * large + small
    if roll not in game.all_moves(s):
        raise cell.error(f"the opening roll is {large}{small}, but it cannot be a double")
    yield roll
    s = game.result(s, roll)
    text = cell.match["play"].strip()
    if text.lower() in _NO_PLAYS:
        if game.all_moves(s) == [NO_PLAY]:
            yield NO_PLAY
        elif not last:
            raise cell.error(f"{large}{small} can be played, but no play is given")
        return
    try:
        yield game.parse_move(s, text)
    except ThreefoldError as error:
        raise cell.error(error) from None


# Writing.


def write(records: Iterable[Record]) -> str:
    """The text of games: of one match or session, unless they cannot belong together."""
    return "".join(written(records))


def written(records: Iterable[Record]) -> Iterator[str]:
    """The parts of that text, one after another."""
    session: Session | None = None
    for each in records:
        if "FEN" in each.tags:
            raise BadRecord(
                f"a game from a position of its own, {shorten(each.tags['FEN'])}, cannot be "
                "written as .mat; use .sgf"
            )
        if session is None or not session.goes_on(each.tags):
            session = Session(each.tags)
            yield _header(each.tags)
        yield _game_text(each, session)
        session.add(each.tags)


def _header(tags: Mapping[str, str]) -> str:
    """What is written above the games of a session, given the tags of the first."""
    length = int(tags.get("Length", 0))
    without = length and at_match_point(points_before(tags), length) and "Crawford" not in tags
    known = {
        **dict(zip(_PLAYERS, (tags["X"], tags["O"]), strict=True)),
        "Event": tags.get("Event", ""),
        "EventDate": tags.get("Date", ""),
        "Variation": "Backgammon",
        "Crawford": "" if not length else "Off" if without else "On",
        "Jacoby": "On" if tags.get("Jacoby") == YES else "",
        "CubeLimit": str(1 << MOST_DOUBLES) if has_cube(tags) else "1",
    }
    lines = [f'; [{name} "{_plain(value)}"]' for name, value in known.items() if value]
    return "\n".join([*lines, "", f" {length} point match", "", ""])


def _plain(text: str) -> str:
    """A text on one line, without quotes."""
    return " ".join(text.replace('"', "'").split())


def _game_text(given: Record, session: Session) -> str:
    x_side, score = session.side(given.tags), session.points
    sides = SIDES if x_side == 0 else SIDES[::-1]
    names = [_in_game(_plain(given.tags[side])) for side in sides]
    first, second = (f"{name} : {points}" for name, points in zip(names, score, strict=True))
    lines = [f" Game {session.games + 1}", f" {first:<{_NAME}} {second}"]
    cells = [(x_side if player == MAX else 1 - x_side, text) for player, text in _cells(given)]
    if cells and cells[0][0] == 1:
        cells.insert(0, (0, ""))
    for at in range(0, len(cells), 2):
        line = f"{at // 2 + 1:>3}) " + " ".join(
            f"{text:<{_COLUMN - 1}}" for _, text in cells[at:][:2]
        )
        lines.append(line.rstrip())
    if won := session.won(given.tags):
        side, points = won
        said = f" Wins {points} point{'s' * (points != 1)}"
        length = int(given.tags.get("Length", 0))
        if length and score[side] + points >= length:
            said += " and the match"
        column = " " * (5 + side * _COLUMN)
        if side == 1 and len(cells) % 2:  # beside the loser's last words
            lines[-1] = f"{lines[-1]:<{len(column)}}{said}"
        else:
            lines.append(column + said)
    return "\n".join([*lines, "", ""])


def _cells(given: Record) -> Iterator[tuple[Player, str]]:
    """Who did what, in order; a roll and its play are one."""
    states = positions(given)
    rolled = ""
    for s, action in zip(states, given.actions, strict=False):
        if action == ROLL:
            continue
        if action == DOUBLE:
            yield s.turn, f" Doubles => {2 << doubles_of(s.stakes)}"
        elif action == TAKE:
            yield s.turn, " Takes"
        elif action == PASS:
            yield s.turn, " Drops"
        elif s.dice:
            play = "" if action == NO_PLAY else format_play(s, action)
            yield s.turn, f"{s.dice >> 3}{s.dice & 7}: {play}"
            rolled = ""
        else:
            rolled = f"{action >> 3}{action & 7}:"
    if rolled:
        yield states[-1].turn, rolled
