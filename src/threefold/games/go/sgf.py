"""Games of Go in SGF, the Smart Game Format: `GM[1]`.

A point is two letters, its column from the left and its row from the top. No point is a pass, and
so is `tt`.

    ;B[dd] ;W[]             Black on D16 of 19 × 19, then White passes
    AB[dd][pp:qq] AW AE PL  stones that are on the board before the first move, and whose turn it is

Of a tree the main line is read.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, Final

import threefold
from threefold.errors import BadRecord, ThreefoldError
from threefold.games.go.notation import Points
from threefold.games.go.record import (
    COLORS,
    UNKNOWN,
    USUAL_SIZE,
    begin,
    follow,
    is_legal,
    pass_of,
    positions,
    record,
    result_of,
    size_of,
)
from threefold.games.records import FALLBACK, BadTag, Line, Move, Record
from threefold.games.records.sgf import Node, escaped, main_lines, tree
from threefold.rules.contract import Action, Player
from threefold.rules.game import Game
from threefold.rules.text import shorten

__all__ = ["GAME", "SGF", "begin", "load", "positions", "read", "record", "write", "written"]

#: SGF's number for Go.
GAME: Final = "1"
_LETTERS: Final = "abcdefghijklmnopqrs"
_PASSES: Final = ("", "tt")
#: The tag of each property of the root that has a name of its own.
_TAGS: Final = {
    "PB": "Black",
    "PW": "White",
    "BR": "BlackRank",
    "WR": "WhiteRank",
    "EV": "Event",
    "RO": "Round",
    "DT": "Date",
    "PC": "Site",
    "RU": "Rules",
    "HA": "Handicap",
    "KM": "Komi",
    "SZ": "Size",
    "RE": "Result",
}
#: Properties of the root that are kept under their own names,
_KEPT: Final = ("GN", "GC", "ON", "TM", "OT", "BT", "WT", "AN", "CP", "SO", "US")
#: those that set stones up,
_SET_UP: Final = ("AB", "AW", "AE")
#: and marks of moves, as the numbers of PGN's glyphs.
_MARKS: Final = {"TE": 1, "BM": 2, "IT": 5, "DO": 6}
_RESULT: Final = re.compile(r"([BW])\+(.*)", re.IGNORECASE | re.DOTALL)
_WORDS: Final = {"resign": "R", "time": "T", "forfeit": "F"}


#: The encoding that a file says it has, and those that files of Go have beside UTF-8.
_ENCODING: Final = re.compile(rb"CA\[([A-Za-z0-9_. -]{1,40})\]")
_ENCODINGS: Final = frozenset(
    (
        *("gb2312", "gbk", "gb18030", "big5", "shift_jis", "cp932", "euc_jp", "iso2022_jp"),
        *("euc_kr", "cp949", "iso8859-1", "iso8859-2", "iso8859-15", "cp1251", "cp1252", "koi8-r"),
    )
)


# Reading.


def read(
    source: str | Iterable[str], *, report: Callable[[BadRecord], object] | None = None
) -> Iterator[Record]:
    """The games in a text or an open text file; of a tree, its main line.

    A game that cannot be read raises `BadRecord`, which says where and why. With `report`, the
    error is passed to it instead, and reading continues with the next game, if there is one.
    """
    text = (source if isinstance(source, str) else "".join(source)).removeprefix("\ufeff")
    games, number = main_lines(text), 0
    while True:
        number += 1
        try:
            nodes = next(games, None)
            if nodes is None:
                return
            found = _record(nodes)
        except ThreefoldError as error:
            refusal = BadRecord(f"game {number}: {error}")
            if report is None:
                raise refusal from None
            report(refusal)
        else:
            yield found


def load(
    path: str | PathLike[str], *, report: Callable[[BadRecord], object] | None = None
) -> Iterator[Record]:
    """The games in a file: in the encoding it names, or else UTF-8, or Latin-1 for other bytes."""
    try:
        text = _decoded(Path(path).read_bytes())
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        yield from read(text, report=report)
    except BadRecord as error:
        raise BadRecord(f"{path}: {error}") from None


def _decoded(data: bytes) -> str:
    """A file's text; the first game names the encoding of all."""
    if named := _ENCODING.search(data):
        with suppress(LookupError, UnicodeDecodeError):
            codec = codecs.lookup(named[1].decode("ascii", "replace")).name
            if codec in _ENCODINGS:
                return data.decode(codec)
    return data.decode("utf-8-sig", FALLBACK)


def _record(nodes: list[Node]) -> Record:
    if not nodes:
        raise BadRecord("a game begins with (;")
    root = nodes[0]
    kind = _value(root, "GM") or GAME
    if kind != GAME:
        raise BadRecord(f"GM is {shorten(kind)[1:-1]}; Go is GM[{GAME}]")
    tags = _tags(root)
    first = next((i for i, node in enumerate(nodes) if _colors(node)), len(nodes))
    opening = nodes[: first + 1]
    if any(set(node) & {*_SET_UP, "PL"} for node in opening):
        tags["FEN"] = _start(opening, tags)
        if begin(tags)[1] == begin(_without(tags, "FEN"))[1]:
            del tags["FEN"]
    game, s = begin(tags)
    return Record(tags, _line(game, s, nodes, first, tags))


def _without(tags: Mapping[str, str], name: str) -> dict[str, str]:
    return {tag: value for tag, value in tags.items() if tag != name}


def _tags(root: Node) -> dict[str, str]:
    """The tags of a game; a size and a komi always, as SGF means them if it does not name them."""
    tags = {"Black": "?", "White": "?", "Size": str(USUAL_SIZE), "Komi": "0"}
    for name, values in root.items():
        tag = _TAGS.get(name, name if name in _KEPT else "")
        if tag and values and values[0].strip():
            tags[tag] = " ".join(values[0].split())
    columns, colon, rows = tags["Size"].partition(":")
    if colon and columns.strip() != rows.strip():
        raise BadTag("Size", f"{shorten(tags['Size'])} is not a square board")
    tags["Size"] = columns.strip()
    tags["Result"] = _result(tags.get("Result", ""))
    return tags


def _result(text: str) -> str:
    """A result in one of the ways in which it can be written."""
    if found := _RESULT.fullmatch(text):
        how = found[2].strip()
        return f"{found[1].upper()}+{_WORDS.get(how.lower(), how)}"
    if text.lower() in ("0", "draw", "jigo"):
        return "0"
    return "Void" if text.lower() == "void" else UNKNOWN


def _line(game: Game[Any], s: Any, nodes: list[Node], first: int, tags: dict[str, str]) -> Line:
    """The moves, each with what was said about it."""
    line, so_far, number = Line(), [s], 0
    for index, node in enumerate(nodes):
        if index > first and set(node) & set(_SET_UP):
            raise BadRecord(f"after move {number}: stones are set up in the middle of the game")
        for player in _colors(node):
            number += 1
            try:
                a = _move(game, node[COLORS[player]])
                for each in _in_turn(game, so_far, player, a):
                    line.moves.append(Move(each))
                    so_far.append(follow(so_far[-1], game, each))
            except ThreefoldError as error:
                raise BadRecord(f"move {number}: {error}") from None
        here = line.moves[-1].comments if line.moves else line.comments
        here += [" ".join(said.split()) for said in node.get("C", ()) if said.strip()]
        if line.moves:
            line.moves[-1].nags += [nag for name, nag in _MARKS.items() if name in node]
    if tags["Result"] == UNKNOWN:
        tags["Result"] = result_of(game, so_far[-1])
    return line


def _in_turn(game: Game[Any], so_far: list[Any], player: Player, a: Action) -> Iterator[Action]:
    """A move, with the pass of the other player before it where it is not the player's turn."""
    if game.player(so_far[-1]) != player:
        yield pass_of(game)
    if not is_legal(game, so_far, a):
        s = so_far[-1]
        # What is wrong, in the words of the rules.
        game.parse_move(s._replace(passes=0), game.format_move(s, a), so_far[:-1])
    yield a


def _move(game: Game[Any], values: list[str]) -> Action:
    if len(values) != 1:
        raise BadRecord(f"it has {len(values)} points, not one")
    point = values[0].strip()
    return pass_of(game) if point in _PASSES else cell_of(point, size_of(game))


def cell_of(point: str, size: int) -> int:
    """The number of a point."""
    letters = _LETTERS[:size]
    if len(point) != 2 or point[0] not in letters or point[1] not in letters:
        last = letters[-1]
        raise BadRecord(
            f"{shorten(point)} is not a point from 'aa' to '{last}{last}', nor empty for a pass"
        )
    return (size - 1 - letters.index(point[1])) * size + letters.index(point[0])


def _cells(value: str, size: int) -> Iterator[int]:
    """The points of a value: one, or a rectangle by two of its corners."""
    one, colon, other = value.strip().partition(":")
    first = cell_of(one, size)
    last = cell_of(other, size) if colon else first
    columns, rows = (
        sorted(pair) for pair in zip(_place(first, size), _place(last, size), strict=True)
    )
    for row in range(rows[0], rows[1] + 1):
        for column in range(columns[0], columns[1] + 1):
            yield row * size + column


def _place(cell: int, size: int) -> tuple[int, int]:
    return cell % size, cell // size


def _start(nodes: list[Node], tags: Mapping[str, str]) -> str:
    """The position that nodes set up, the last of which has the first move, if there is one."""
    game, _ = begin(tags)
    size = size_of(game)
    letters, turn = ["."] * size * size, ""
    for node in nodes:
        for name, letter in zip(_SET_UP, "XO.", strict=True):
            for value in node.get(name, ()):
                try:
                    for cell in _cells(value, size):
                        letters[cell] = letter
                except BadRecord as error:
                    raise BadRecord(f"{name}: {error}") from None
        turn = _value(node, "PL")[:1].upper() or turn
    if turn not in COLORS or not turn:
        moves = _colors(nodes[-1])
        turn = COLORS[moves[0]] if moves else "W" if "Handicap" in tags else "B"
    rows = ["".join(letters[row * size : (row + 1) * size]) for row in reversed(range(size))]
    return f"{'/'.join(rows)} {'XO'[COLORS.index(turn)]}"


def _colors(node: Node) -> list[Player]:
    """Who moves in a node, in order; usually one, or nobody."""
    return [COLORS.index(name) for name in node if name in ("B", "W")]


def _value(node: Node, name: str) -> str:
    return next(iter(node.get(name, ())), "").strip()


# Writing.


def write(records: Record | Iterable[Record]) -> str:
    """The text of a game, or of several."""
    return "".join(written([records] if isinstance(records, Record) else records))


def written(records: Iterable[Record]) -> Iterator[str]:
    """The texts of games, one after another."""
    for given in records:
        game, s = begin(given.tags)
        yield tree([_root(given, game, s), *_moves(given, game, s)])


def _root(given: Record, game: Game[Any], s: Any) -> dict[str, list[str]]:
    tags = dict(given.tags)
    if tags.get("Result", UNKNOWN) == UNKNOWN:
        tags.pop("Result", None)
    known = {name: tags[tag] for name, tag in _TAGS.items() if tags.get(tag, "?") != "?"}
    known |= {name: tags[name] for name in _KEPT if name in tags}
    root = {
        "FF": ["4"],
        "GM": [GAME],
        "CA": ["UTF-8"],
        "AP": [f"Threefold:{escaped(threefold.__version__, colons=True)}"],
        **{name: [escaped(value)] for name, value in known.items()},
        "C": [escaped(" ".join(given.line.comments))] if given.line.comments else [],
    }
    if "FEN" in tags:
        root |= _stones(game, s) | {"PL": [COLORS[game.player(s)]]}
    return root


def _stones(game: Game[Any], s: Any) -> dict[str, list[str]]:
    points = Points(size_of(game))
    sides = {"AB": points.sets.black(s), "AW": points.sets.white(s)}
    return {
        name: sorted(point_of(cell, points.size) for cell in points.board.cells_of(stones))
        for name, stones in sides.items()
    }


def point_of(cell: int, size: int) -> str:
    """The two letters of a point, nothing for a pass."""
    if cell == size * size:
        return ""
    column, row = _place(cell, size)
    return _LETTERS[column] + _LETTERS[size - 1 - row]


def _moves(given: Record, game: Game[Any], s: Any) -> Iterator[dict[str, list[str]]]:
    size, so_far = size_of(game), [s]
    for number, move in enumerate(given.line.moves, 1):
        s = so_far[-1]
        if not is_legal(game, so_far, move.action):
            raise BadRecord(f"move {number}: {move.action} is illegal in {game.show(s)}")
        said = " ".join(move.comments)
        yield {
            COLORS[game.player(s)]: [point_of(move.action, size)],
            **{name: ["1"] for name, nag in _MARKS.items() if nag in move.nags},
            "C": [escaped(said)] if said else [],
        }
        so_far.append(follow(s, game, move.action))


class _Sgf:
    """What reads these records, as one object."""

    begin = staticmethod(begin)
    read = staticmethod(read)
    load = staticmethod(load)
    positions = staticmethod(positions)


SGF: Final = _Sgf()
