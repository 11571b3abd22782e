"""Games in SGF, the Smart Game Format, version 4: one game tree each, without branches."""

from collections.abc import Sequence
from time import gmtime, strftime
from typing import Any, Final

import threefold
from threefold.arena import record
from threefold.arena.record import MatchInfo, Played
from threefold.arena.replay import remarks, replayed
from threefold.games.records.sgf import escaped
from threefold.rules.contract import MAX
from threefold.rules.game import Game

#: SGF's numbers of games, by the home of ours.
GAME_NUMBERS: Final = {"othello": 2, "mnk": 4}
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def sgf_number(game: Game[Any]) -> int | None:
    """SGF's number of a game, if it has one."""
    module = game.state_type.__module__
    home = module.removeprefix("threefold.games.").partition(".")[0]
    return GAME_NUMBERS.get(home) if module.startswith("threefold.games.") else None


def sgf_game(match: MatchInfo, game: Game[Any], played: Played) -> str:
    """A game as a tree of SGF: the first player is Black, as SGF wants it."""
    positions, actions = replayed(game, played)
    points = _points(game, positions[0])
    columns = 1 + max(point[0] for point in points.values())
    rows = 1 + max(point[1] for point in points.values())
    black, white = (match.players[player] for player in played.task.players)
    pair, reversed_sides = divmod(played.task.number, 2)
    nodes = [
        {
            "FF": "4",
            "CA": "UTF-8",
            "GM": str(sgf_number(game)),
            "AP": f"Threefold:{escaped(threefold.__version__, colons=True)}",
            "SZ": str(columns) if columns == rows else f"{columns}:{rows}",
            "EV": escaped(f"Threefold {match.kind} {match.id}"),
            "RO": f"{pair + 1}.{reversed_sides + 1}",
            "DT": strftime("%Y-%m-%d", gmtime(played.ended)),
            "PB": escaped(black),
            "PW": escaped(white),
            "RE": _result(played),
            **_set_up(game, positions[0], points),
        }
    ]
    for s, action, said in zip(
        positions, actions, remarks(match, game, played, positions), strict=False
    ):
        color = "B" if game.player(s) == MAX else "W"
        nodes.append({color: _point(points, game.places(s, action)), "C": escaped(said)})
    text = "\n".join(";" + "".join(_property(*each) for each in node.items()) for node in nodes)
    return f"({text})\n"


def _points(game: Game[Any], s: Any) -> dict[str, tuple[int, int]]:
    """The places of a board, which are listed from the top left row by row: columns and rows."""
    places = list(game.contents(s))
    row = {place[1:]: number for number, place in enumerate(reversed(places))}
    order = sorted(row, key=lambda name: -row[name])
    letters = sorted({place[0] for place in places})
    return {place: (letters.index(place[0]), order.index(place[1:])) for place in places}


def _set_up(game: Game[Any], s: Any, points: dict[str, tuple[int, int]]) -> dict[str, str]:
    """The stones that are on the board at the start, and whose turn it is."""
    stones: dict[str, list[str]] = {"AB": [], "AW": []}
    for place, what in game.contents(s).items():
        if what in game.sides:
            stones["AB" if what == game.sides[MAX] else "AW"].append(_point(points, [place]))
    found = {name: "][".join(here) for name, here in stones.items() if here}
    return found | {"PL": "B" if game.player(s) == MAX else "W"} if found else {}


def _point(points: dict[str, tuple[int, int]], places: Sequence[str]) -> str:
    """A point as two letters, column and row from the top left; empty for a pass."""
    return "".join(_LETTERS[part] for place in places for part in points[place])


def _result(played: Played) -> str:
    if not played.counts:
        return "Void"
    if played.utility == 0:
        return "0"
    winner = "B" if played.utility > 0 else "W"
    if played.ending == record.TIME:
        return f"{winner}+T"
    if played.ending in record.FAILURES:
        return f"{winner}+F"
    margin = f"{abs(played.utility):g}" if abs(played.utility) > 1 else ""
    return f"{winner}+{margin}"


def _property(name: str, value: str) -> str:
    return "" if name == "C" and not value else f"{name}[{value}]"
