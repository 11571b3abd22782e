"""Boards whose moves name one point each, the games that GTP is made for.

A point is written as the game itself writes it: `d3` in Othello, where a1 is the top left corner;
`b2` in m,n,k; the column `4` in Connect Four. Black is MAX, who moves first.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from threefold.errors import BadGame, ThreefoldError
from threefold.games import game as named_game
from threefold.games.catalogue import HOMES, catalogue, parameters
from threefold.rules.contract import MAX, MIN, Action, Player
from threefold.rules.game import Game

PASS: Final = "pass"
#: Who plays a color, by its name or first letter.
COLORS: Final[dict[str, Player]] = {"black": MAX, "b": MAX, "white": MIN, "w": MIN}
COLOR_NAMES: Final = ("black", "white")
#: The largest board that GTP knows.
LARGEST: Final = 25
#: What a board size and a number of moves look like.
WHOLE: Final = re.compile(r"[0-9]{1,9}")
#: What a place of such a board is called: not so a card.
_PLACE: Final = re.compile(r"[a-zA-Z]?[0-9]{1,2}|[a-zA-Z]")
_POINT: Final = re.compile(r"([a-zA-Z])([0-9]{1,2})")


def require_points(game: Game[Any]) -> None:
    """Raise unless the game can be played by naming points."""
    game.require("GTP", zero_sum=True, perfect_information=True)
    s = game.initial()
    moves = game.moves(s)
    of_points = all(_is_point(game, s, a) for a in moves)
    of_points = of_points and all(map(_PLACE.fullmatch, game.contents(s)))
    if not game.facts.deterministic or not moves or not of_points:
        raise BadGame(
            f"GTP is for games whose moves name a point, like othello or mnk; {game.name}'s do not"
        )


def _is_point(game: Game[Any], s: Any, a: Action) -> bool:
    return tuple(game.places(s, a)) in ((), (game.format_move(s, a),))


def is_pass(game: Game[Any], s: Any, a: Action) -> bool:
    """Whether a move names no point."""
    return not game.places(s, a)


def vertex_of(game: Game[Any], s: Any, a: Action) -> str:
    """How a move is written."""
    return PASS if is_pass(game, s, a) else game.format_move(s, a)


def find_move(game: Game[Any], positions: Sequence[Any], vertex: str) -> Action | None:
    """The legal move that a vertex names, in capitals or not; None if there is none.

    It is a move in the last of the `positions` of a game.
    """
    s, wanted = positions[-1], vertex.lower()
    for a in game.moves(s):
        if game.format_move(s, a).lower() == wanted or (wanted == PASS and is_pass(game, s, a)):
            return a if game.is_legal(s, a, positions[:-1]) else None
    return None


def board_size(game: Game[Any]) -> int | None:
    """How many rows and columns a square board of points has; None for any other board."""
    points = [_POINT.fullmatch(place) for place in game.contents(game.initial())]
    columns = {point[1] for point in points if point}
    rows = {int(point[2]) for point in points if point}
    square = len(columns) == len(rows) == max(rows, default=0) and all(points)
    return len(rows) if square and len(points) == len(rows) ** 2 else None


def board_rows(game: Game[Any], s: Any) -> list[str]:
    """What is on a square board, row by row from the highest number down: X, O and dots."""
    signs = dict(zip((*game.sides, "X", "O"), "XOXO", strict=True))
    size = board_size(game) or 0
    rows = [["."] * size for _ in range(size)]
    columns = sorted({place[0].lower() for place in game.contents(s)})
    for place, content in game.contents(s).items():
        rows[size - int(place[1:])][columns.index(place[0].lower())] = signs.get(content, ".")
    return [" ".join(row) for row in rows]


def resized(game: Game[Any], size: int) -> str:
    """The spec of the same game on a board of another size."""
    name = game.spec.partition("(")[0]
    factory = dict(catalogue())[name] if name in HOMES else None
    known = {parameter.name for parameter in parameters(factory)} if factory else set()
    sides = next((s for s in ({"size"}, {"m", "n"}) if s <= known), None)
    if sides is None:
        raise BadGame(f"{game.name} has no board of size {size}")
    others = {"handicap": "0"} if "handicap" in known else {}
    return changed(game, dict.fromkeys(sorted(sides), str(size)) | others)


def changed(game: Game[Any], parameters: Mapping[str, str]) -> str:
    """The spec of the same game with other parameters."""
    name, _, given = game.spec.partition("(")
    arguments = dict(part.split("=") for part in given.rstrip(")").split(",") if part)
    arguments |= parameters
    spec = f"{name}({','.join(f'{key}={value}' for key, value in arguments.items())})"
    named_game(spec)
    return spec


@cache
def games_of_points() -> tuple[str, ...]:
    """The names of our games that can be played by naming points."""
    found = []
    for name in HOMES:
        try:
            require_points(named_game(name))
        except ThreefoldError:
            continue
        found.append(name)
    return tuple(found)
