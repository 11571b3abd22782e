"""Games of backgammon in SGF, as GNU Backgammon writes them: `GM[6]`.

Where a position is set up, X is Black; else X is who moves first. A move has the roll, then where
each checker goes from and to: points are `a` to `x` from White's 1 to White's 24, the bar is `y`,
and `z` is off the board.

    ;B[31qtst]      Black plays 31: 8/5 6/5
    ;W[double] ;B[take] ;B[drop]

Before the first move, a position is set up by `AE[a:y]`, `AW`, `AB`, the cube by `CV`, its value,
and `CP`, its owner; `PL` is whose turn it is, and `DI` are the dice.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike

import threefold
from threefold.errors import BadRecord, ThreefoldError
from threefold.games.backgammon.checkers import BAR, CHECKERS, OFF, high_unit, low_unit
from threefold.games.backgammon.layout import SIDES, counts, packed
from threefold.games.backgammon.moves import NO_PLAY, played
from threefold.games.backgammon.notation import steps
from threefold.games.backgammon.record import (
    NO,
    UNKNOWN,
    YES,
    begin,
    games_in,
    has_cube,
    positions,
    result_of,
    seat,
)
from threefold.games.backgammon.rules import (
    DECIDING,
    DOUBLE,
    DOUBLED,
    PASS,
    PASSED,
    PLAYING,
    ROLL,
    TAKE,
    State,
    of_mover,
    turn_phase,
)
from threefold.games.backgammon.session import Session
from threefold.games.backgammon.stakes import MOST_DOUBLES, doubles_of, owner_of, stakes_of
from threefold.games.records import Line, Move, Record
from threefold.games.records.sgf import Node, escaped, main_lines, tree
from threefold.rules.contract import CHANCE, MAX, MIN, Action, Player
from threefold.rules.game import Game
from threefold.rules.text import shorten

#: SGF's number for backgammon.
GAME = "6"
COLORS = ("B", "W")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORDS = {DOUBLE: "double", TAKE: "take", PASS: "drop"}
_MOVE = re.compile(r"([1-6])([1-6])((?:[a-y][a-xz]){0,4})")
_RESULT = re.compile(r"([BW])\+([0-9]{1,5})?R?")
#: What sets up a position.
_SET_UP = {"AE", "AB", "AW", "CV", "CP"}


def letter(color: str, place: int) -> str:
    """A place, as the player of a color numbers it, in SGF's letters."""
    if place in (BAR, OFF):
        return "y" if place == BAR else "z"
    return _LETTERS[place - 1 if color == "W" else BAR - place - 1]


def place_of(color: str, sign: str) -> int:
    """The place that a letter stands for, as the player of a color numbers it."""
    if sign in "yz":
        return BAR if sign == "y" else OFF
    place = _LETTERS.index(sign) + 1
    return place if color == "W" else BAR - place


# Writing.


def write(records: Iterable[Record]) -> str:
    """The text of games."""
    return "".join(written(records))


def written(records: Iterable[Record]) -> Iterator[str]:
    """The games of that text, one after another.

    X is Black in the first. In the others players keep their colors, because GNU Backgammon takes
    the names from the first game; so whoever begins is X. Where a position is set up X is Black.
    """
    session: Session | None = None
    for each in records:
        tags = each.tags
        if session is None or not session.goes_on(tags):
            left = session.left if session and session.has(tags) else None
            session = Session(tags, left)
        swapped = session.side(tags) == 1 and "FEN" not in tags
        colors = COLORS[::-1] if swapped else COLORS
        yield tree([_root(each, colors, session), *_set_up(each), *_moves(each, colors)])
        session.add(tags)


def _root(given: Record, colors: Sequence[str], session: Session) -> dict[str, list[str]]:
    tags = given.tags
    scores = dict(zip(colors, session.turned(tags, session.points), strict=True))
    names = {f"P{color}": [escaped(tags[side])] for color, side in zip(colors, SIDES, strict=True)}
    rules = [
        *(["NoCube"] if not has_cube(tags) else ()),
        *(["Crawford"] if "Length" in tags else ()),
        *(["CrawfordGame"] if tags.get("Crawford") == YES else ()),
        *(["Jacoby"] if tags.get("Jacoby") == YES else ()),
    ]
    length, result = tags.get("Length", 0), tags.get("Result", UNKNOWN)
    return {
        "FF": ["4"],
        "GM": [GAME],
        "CA": ["UTF-8"],
        "AP": [f"Threefold:{escaped(threefold.__version__, colons=True)}"],
        "MI": [
            f"length:{length}",
            f"game:{session.games}",
            f"ws:{scores['W']}",
            f"bs:{scores['B']}",
        ],
        **names,
        "EV": [escaped(tags["Event"])] if "Event" in tags else [],
        "RO": [escaped(tags["Round"])] if "Round" in tags else [],
        "DT": [escaped(tags["Date"].replace(".", "-"))] if "Date" in tags else [],
        "RU": [":".join(rules)] if rules else [],
        "RE": [] if result == UNKNOWN else [colors[SIDES.index(result[0])] + result[1:]],
    }


def _set_up(given: Record) -> Iterator[dict[str, list[str]]]:
    """The nodes that set up a position that is not the usual one."""
    if "FEN" not in given.tags:
        return
    _, s = begin(given.tags)
    if s.phase in (DOUBLED, PASSED):
        raise BadRecord("a game that starts after a double cannot be written as SGF")
    stones = {
        f"A{color}": [
            letter(color, place)
            for place, count in enumerate(counts(s, player))
            for _ in range(count)
            if place != OFF
        ]
        for player, color in enumerate(COLORS)
    }
    owner = owner_of(s.stakes)
    yield {
        "PL": [COLORS[s.turn]],  # first, because GNU Backgammon sets up what its player sees
        "AE": ["a:y"],
        **stones,
        "CV": [str(1 << doubles_of(s.stakes))] if doubles_of(s.stakes) else [],
        "CP": ["bw"[owner - 1]] if owner else [],
        "DI": [f"{s.dice >> 3}{s.dice & 7}"] if s.dice else [],
    }


def _moves(given: Record, colors: Sequence[str]) -> Iterator[dict[str, list[str]]]:
    said: list[str] = []
    states = positions(given)
    for s, move in zip(states, given.line.moves, strict=False):
        said += map(escaped, move.comments)
        if move.action == ROLL or (s.dice == 0 and move.action not in _WORDS):
            continue
        color = colors[s.turn]
        text = _WORDS.get(move.action, "")
        if not text:
            parts = [letter(color, place) for step in steps(s, move.action) for place in step]
            text = f"{s.dice >> 3}{s.dice & 7}{''.join(parts)}"
        yield {color: [text], "C": [" ".join(said)] if said else []}
        said = []
    last = states[-1]
    if last.dice:
        yield {"PL": [colors[last.turn]], "DI": [f"{last.dice >> 3}{last.dice & 7}"]}


# Reading.


def read(
    source: str | Iterable[str], *, report: Callable[[BadRecord], object] | None = None
) -> Iterator[Record]:
    """The games in a text or an open text file; of a tree, its main line.

    A game that cannot be read raises `BadRecord`, which says why. With `report`, the error is
    passed to it instead, and reading continues with the next game.
    """
    text = source if isinstance(source, str) else "".join(source)
    for number, nodes in enumerate(main_lines(text), 1):
        try:
            yield _record(nodes)
        except ThreefoldError as error:
            refusal = BadRecord(f"game {number}: {error}")
            if report is None:
                raise refusal from None
            report(refusal)


def load(
    path: str | PathLike[str], *, report: Callable[[BadRecord], object] | None = None
) -> Iterator[Record]:
    """The games in a file: UTF-8, or Latin-1 where the bytes are not UTF-8."""
    return games_in(path, lambda file: read(file, report=report))


def _record(nodes: list[Node]) -> Record:
    root = nodes[0] if nodes else {}
    if _value(root, "GM") != GAME:
        raise BadRecord(f"GM is {_value(root, 'GM') or 'missing'}; backgammon is GM[{GAME}]")
    tags = _tags(root)
    first = next((i for i, node in enumerate(nodes) if _color(node) is not None), len(nodes))
    if any(set(node) & _SET_UP for node in nodes[:first]):
        tags["FEN"] = _start(nodes[:first], nodes[first:], tags)
        return _line(nodes[first:], tags, root, swapped=False)
    swapped = _begins(nodes) == MIN
    if swapped:  # whoever begins is X
        tags |= {"X": tags["O"], "O": tags["X"]}
        tags |= seat(tags, 1)
        if "Score" in tags:
            tags["Score"] = "-".join(reversed(tags["Score"].split("-")))
    return _line(nodes[1:], tags, root, swapped=swapped)


def _begins(nodes: list[Node]) -> Player | None:
    """Who moves first, or, where nobody has moved, who has rolled; if that is known."""
    moved = next((color for node in nodes if (color := _color(node)) is not None), None)
    if moved is not None:
        return moved
    rolled = [_player(_value(node, "PL")) for node in nodes if "DI" in node and "PL" in node]
    return rolled[-1] if rolled else None


def _player(text: str) -> Player:
    return MIN if text.upper().startswith("W") else MAX


def _line(nodes: list[Node], tags: dict[str, str], root: Node, *, swapped: bool) -> Record:
    """The record of the moves, given who is White and who is Black.

    Dice by themselves count only at the end, where nobody has played them: GNU Backgammon leaves
    those that were set again.
    """
    game, s = begin(tags)
    line = Line()
    moving = [i for i, node in enumerate(nodes) if _color(node) is not None]
    last = moving[-1] if moving else -1
    rolled: Node = {}
    for number, node in enumerate(nodes):
        color = _color(node)
        if color is None:
            if _value(node, "DI") and number > last:
                rolled = node
            elif set(node) & _SET_UP:
                raise BadRecord("a position is set up in the middle of the game")
            continue
        player = 1 - color if swapped else color
        text = _value(node, COLORS[color])
        found = _actions(game, s, player, text, swapped=swapped, last=number == last)
        for action in _add(line, found, node):
            s = game.result(s, action)
    if rolled:
        _add(line, _rolls(game, s, _value(rolled, "DI")), rolled)
    result = result_of(s, tags)
    if result == UNKNOWN and (match := _RESULT.fullmatch(_value(root, "RE"))) and match[2]:
        winner = COLORS.index(match[1])
        result = f"{SIDES[1 - winner if swapped else winner]}+{match[2]}"
    return Record(tags | {"Result": result}, line)


def _add(line: Line, actions: Iterable[Action], node: Node) -> list[Action]:
    found = list(actions)
    said = _value(node, "C")
    for action in found:
        line.moves.append(Move(action))
    if said and found:
        line.moves[-1].comments.append(said)
    return found


def _tags(root: Mapping[str, list[str]]) -> dict[str, str]:
    tags = {"X": _value(root, "PB") or "Black", "O": _value(root, "PW") or "White"}
    for name, tag in (("EV", "Event"), ("RO", "Round"), ("DT", "Date")):
        if value := _value(root, name):
            tags[tag] = value.replace("-", ".") if tag == "Date" else value
    info = dict(part.partition(":")[::2] for part in root.get("MI", []))
    rules = set(_value(root, "RU").split(":"))
    if "NoCube" in rules:
        tags["Cube"] = NO
    elif info.get("length", "0") not in ("", "0"):
        tags |= {"Length": info["length"], "Score": f"{info.get('bs', 0)}-{info.get('ws', 0)}"}
        if "CrawfordGame" in rules:
            tags["Crawford"] = YES
    elif "Jacoby" in rules:
        tags["Jacoby"] = YES
    return tags


def _color(node: Node) -> Player | None:
    """Who moves in a node, if anybody does."""
    return next((player for player, color in enumerate(COLORS) if color in node), None)


def _value(node: Mapping[str, list[str]], name: str) -> str:
    return next(iter(node.get(name, ())), "")


def _start(nodes: list[Node], after: list[Node], tags: Mapping[str, str]) -> str:
    """The position that nodes set up; whose turn it is and the dice, as the first move has them."""
    game, s = begin(tags)
    sides = [counts(s, player) for player in (MAX, MIN)]
    doubles, owner, turn, dice = doubles_of(s.stakes), owner_of(s.stakes), s.turn, 0
    for node in nodes:
        if "AE" in node:
            sides = [[CHECKERS] + [0] * BAR for _ in COLORS]
        for player, color in enumerate(COLORS):
            for sign in node.get(f"A{color}", ()):
                if not re.fullmatch("[a-z]", sign):
                    raise BadRecord(f"A{color}: {shorten(sign)} is not a place from a to z")
                sides[player][place_of(color, sign)] += 1
                sides[player][OFF] -= 1
        if value := _value(node, "CV"):
            if value not in {str(1 << n) for n in range(MOST_DOUBLES + 1)}:
                raise BadRecord(f"CV: {shorten(value)} is not a value of the cube")
            doubles = int(value).bit_length() - 1
        if value := _value(node, "CP"):
            owner = {"b": 1, "w": 2}.get(value.lower(), 0)
        if value := _value(node, "PL"):
            turn = _player(value)
        if value := _value(node, "DI"):
            dice = _roll(value)
    if after and (first := _color(after[0])) is not None:
        turn = first
        match = _MOVE.fullmatch(_value(after[0], COLORS[first]))
        if match is None or _roll(match[1] + match[2]) != dice:
            dice = 0
    for player, here in enumerate(sides):
        if here[OFF] < 0:
            raise BadRecord(f"A{COLORS[player]}: more than {CHECKERS} checkers")
    x, o = map(packed, sides)
    stakes = s.stakes & ~stakes_of(15, 3) | stakes_of(doubles, owner)
    phase = PLAYING if dice else turn_phase(stakes, turn, has_cube(tags))
    return game.format(State(*x, *o, dice, turn, phase, stakes))


def _roll(text: str) -> int:
    if not re.fullmatch("[1-6]{2}", text):
        raise BadRecord(f"{shorten(text)} is not a roll, two numbers from 1 to 6")
    small, large = sorted(map(int, text))
    return 8 * large + small


def _rolls(game: Game[State], s: State, text: str) -> Iterator[Action]:
    """What leads to a roll: the decision not to double, and nature's event."""
    roll = _roll(text)
    if s.dice == roll:
        return
    if s.phase == DECIDING:
        yield ROLL
        s = game.result(s, ROLL)
    if game.player(s) != CHANCE or roll not in game.all_moves(s):
        raise BadRecord(f"{text} cannot be rolled in {game.format(s)}")
    yield roll


def _actions(
    game: Game[State], s: State, player: Player, text: str, *, swapped: bool, last: bool
) -> Iterator[Action]:
    """The moves that a node stands for; the last roll may have no play yet."""
    if game.is_terminal(s):
        raise BadRecord(f"{shorten(text)} follows, but the game is over")
    if player != s.turn:
        raise BadRecord(f"{shorten(text)} is not by the player whose turn it is")
    for action, word in _WORDS.items():
        if text == word:
            if action not in game.all_moves(s):
                raise BadRecord(f"there is no {word} in {game.format(s)}")
            yield action
            return
    match = _MOVE.fullmatch(text)
    if match is None:
        raise BadRecord(
            f"{shorten(text)} is not a move; moves are written 31qtst, double, take, drop"
        )
    for action in _rolls(game, s, match[1] + match[2]):
        yield action
        s = game.result(s, action)
    if match[3] or not last or game.all_moves(s) == [NO_PLAY]:
        yield _play(game, s, match[3], swapped)


def _play(game: Game[State], s: State, signs: str, swapped: bool) -> Action:
    """The play in which checkers go from and to these places."""
    color = COLORS[1 - s.turn if swapped else s.turn]
    places = [place_of(color, sign) for sign in signs]
    words = of_mover(s)
    low, high = words[:2]
    for start, end in zip(places[::2], places[1::2], strict=True):
        low += low_unit(end) - low_unit(start)
        high += high_unit(end) - high_unit(start)
    fitting = [a for a in game.all_moves(s) if played(*words, s.dice, a)[:2] == (low, high)]
    if len(fitting) > 1:
        # The same checkers on another way: it is the one with the same steps.
        pairs = sorted(zip(places[::2], places[1::2], strict=True), reverse=True)
        fitting = [a for a in fitting if steps(s, a) == pairs] or fitting
    if not fitting or (NO_PLAY in fitting) == bool(places):
        raise BadRecord(f"{s.dice >> 3}{s.dice & 7}{signs} is no legal play in {game.format(s)}")
    return fitting[0]
