"""Positions for a page: the picture, the moves and the places to touch for them, and the result.

The page holds the game: where it started and its moves so far. So the lab remembers nothing, a
link keeps showing the same thing, and a lost connection loses no game.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import mean
from typing import Any
from xml.etree import ElementTree

from threefold.engine.nets import Net
from threefold.engine.policy_nets import PolicyNet
from threefold.engine.searchers import search_of
from threefold.errors import IllegalMove
from threefold.lab.gallery import Gallery
from threefold.lab.limits import MAX_PLIES, MAX_POSITION, MAX_TOUCHED
from threefold.lab.requests import BadRequest, Request
from threefold.rules.contract import CHANCE, MAX, MIN, Action, Player
from threefold.rules.game import Game
from threefold.rules.outcome import Outcome
from threefold.rules.svg import Svg
from threefold.rules.terms import plain

#: A board of so many places is large.
LARGE_BOARD = 40
#: Signs and names of pieces that most games do not name.
_USUAL_SIGNS = {
    **dict.fromkeys(("", ".", "-"), ("∅", "Nothing")),
    "+": ("+", "One more"),
    "−": ("−", "One less"),
}


@dataclass(frozen=True)
class Played:
    """A game so far: all its positions, from `start` to `now`."""

    game: Game[Any]
    positions: Sequence[Any]
    moves: Sequence[Action]

    @property
    def now(self) -> Any:
        """The position on the board."""
        return self.positions[-1]

    @property
    def before(self) -> Sequence[Any]:
        """The positions that came before it."""
        return self.positions[:-1]


def played(gallery: Gallery, request: Request) -> Played:
    """The game that a request describes: game, start and moves."""
    game = gallery.game(request)
    start = request.text("start", MAX_POSITION, "").strip()
    positions = [game.position(start or None)]
    moves: list[Action] = []
    for number, text in enumerate(request.texts("moves", MAX_PLIES), 1):
        s = positions[-1]
        try:
            moves.append(game.parse_move(s, text, positions[:-1]))
        except IllegalMove:
            if not game.moves(s):
                raise BadRequest(f"move {number}, {text}: the game is over before it") from None
            raise
        positions.append(game.result(s, moves[-1]))
    return Played(game, positions, moves)


def view(gallery: Gallery, request: Request) -> dict[str, Any]:
    """Everything a page shows of a game."""
    so_far = played(gallery, request)
    game, s = so_far.game, so_far.now
    legal = game.moves(s, so_far.before)
    ended = game.outcome(so_far.positions)
    player = game.player(s)
    return {
        "game": game.spec,
        "title": game.name,
        "position": game.format(s),
        "player": player,
        "turn": "nature" if player == CHANCE else game.sides[player],
        "sides": list(game.sides),
        "above": _above(game),
        "open": _is_open(game),
        "hides": not game.facts.perfect_information,
        "contents": dict(game.contents(s)),
        "units": {name: game.units.get(name, 1) for name in gallery.evaluations(game)},
        "svg": game.draw(s).unstyled,
        "moves": [_move(game, s, a) for a in legal],
        "barred": _barred(game, s, legal),
        "pairs": game.moves_pieces_one_by_one,
        "half": None if ended is not None else _half(game, s, ()),
        "passes": ended is None and _must_pass(game, s),
        "played": [
            _made(game, before, a) for before, a in zip(so_far.before, so_far.moves, strict=True)
        ],
        "over": ended is not None,
        "result": None if ended is None else result_of(ended),
        "evaluations": gallery.evaluations(game),
        "pieces": list(game.pieces),
        "signs": _signs(game),
        "record": None if game.record is None else game.record_name,
        "territory": game.territory is not None,
        "search": search_of(game),
    }


def evaluate(gallery: Gallery, request: Request) -> dict[str, Any]:
    """What the position is worth before any search, term by term, to MAX."""
    so_far = played(gallery, request)
    game, s = so_far.game, so_far.now
    game.require("an evaluation", zero_sum=True, perfect_information=False)
    own = {name: term.weight for name, term in game.terms.get(game.evaluation or "", {}).items()}
    return {
        "evaluation": game.evaluation,
        "unit": game.units.get(game.evaluation or "", 1),
        "value": plain(Fraction(game.evaluate(s), game.denominator)),
        "terms": [share.to_json() | {"own": plain(own[share.name])} for share in game.shares(s)],
        "win": game.net.win(s) if isinstance(game.net, Net | PolicyNet) else None,
        "draws": isinstance(game.net, Net | PolicyNet) and 0 in game.net.results,
    }


def roll(gallery: Gallery, request: Request) -> dict[str, Any]:
    """Let nature move."""
    so_far = played(gallery, request)
    if so_far.game.player(so_far.now) != CHANCE:
        raise BadRequest("it is not nature's turn")
    events = so_far.game.chances(so_far.now)
    event = random.choices(events, [weight for _, weight in events])[0][0]
    return _move(so_far.game, so_far.now, event)


def touch(gallery: Gallery, request: Request) -> dict[str, Any]:
    """A move of several pieces that is half made."""
    so_far = played(gallery, request)
    half = _half(so_far.game, so_far.now, request.texts("touched", MAX_TOUCHED))
    if half is None:
        raise BadRequest("no move is made piece by piece here")
    return half


def put(gallery: Gallery, request: Request) -> dict[str, Any]:
    """Set up a position: put a piece on a place, or change whose turn it is."""
    game = gallery.game(request)
    s = game.position(request.text("position", MAX_POSITION))
    place, piece = request.text("place", 20), request.text("piece", 20)
    if place != "turn":
        request.choice("piece", game.pieces)
        if place not in _heights(game.draw(s)):
            raise BadRequest(f"there is no place {place!r} on this board")
    changed = game.put(s, place, piece)
    return {"position": game.format(changed), "svg": game.draw(changed).unstyled}


def record(gallery: Gallery, request: Request) -> dict[str, Any]:
    """The game as its players write it down: PGN, PDN."""
    so_far = played(gallery, request)
    if so_far.game.record is None:
        raise BadRequest(f"{so_far.game.name} has no notation for whole games")
    return {"text": so_far.game.record(so_far.positions[0], so_far.moves)}


def _barred(game: Game[Any], s: Any, legal: Sequence[Action]) -> list[str]:
    """The places of moves that only superko forbids."""
    if not game.has_superko:
        return []
    return [place for a in {*game.moves(s)}.difference(legal) for place in game.places(s, a)]


@lru_cache(maxsize=64)
def _above(game: Game[Any]) -> Player | None:
    """The player whose pieces are above the other's in the picture of the start, or None."""
    s = game.initial()
    down = _heights(game.draw(s))
    heights: list[list[float]] = [[], []]
    for place, words in game.contents(s).items():
        for player, side in enumerate(game.sides):
            if words.partition(" ")[0] == side and place in down:
                heights[player].append(down[place])
    if not all(heights):
        return None
    first, second = map(mean, heights)
    return None if first == second else MAX if first < second else MIN


def _must_pass(game: Game[Any], s: Any) -> bool:
    """Whether a player has only one move, for which nothing on the board is touched."""
    if game.player(s) == CHANCE or not _is_touchable(game):
        return False
    legal = game.moves(s)
    return len(legal) == 1 and not game.places(s, legal[0])


@lru_cache(maxsize=64)
def _is_touchable(game: Game[Any]) -> bool:
    """Whether the board has places."""
    return bool(_heights(game.draw(game.initial())))


@lru_cache(maxsize=64)
def _is_open(game: Game[Any]) -> bool:
    """Whether a large board has a move nearly everywhere at first: marks for all would hide it."""
    s = game.initial()
    places = len(_heights(game.draw(s)))
    single = sum(len(game.places(s, a)) == 1 for a in game.moves(s))
    return places >= LARGE_BOARD and single > places / 2


def _signs(game: Game[Any]) -> dict[str, tuple[str, str]]:
    """A sign and a name for each of a game's pieces."""
    known = _USUAL_SIGNS | game.signs
    return {piece: known.get(piece, (piece, piece)) for piece in game.pieces}


def _heights(drawn: str) -> dict[str, float]:
    """The places of a drawing, each with its height from the top; none if it is not SVG."""
    try:
        parts = ElementTree.fromstring(drawn).iter()
    except ElementTree.ParseError:
        return {}
    return {
        part.attrib["data-place"]: float(part.get("y", 0))
        for part in parts
        if "data-place" in part.attrib
    }


def readable_line(game: Game[Any], s: Any, moves: Sequence[Action]) -> list[str]:
    """Moves one after another, as players write them."""
    texts = []
    for a in moves:
        texts.append(game.readable_move(s, a))
        s = game.result(s, a)
    return texts


def _move(game: Game[Any], s: Any, a: Action) -> dict[str, Any]:
    """A move: its name, its readable form, and the places to touch."""
    return {
        "move": game.format_move(s, a),
        "text": game.readable_move(s, a),
        "places": list(game.places(s, a)),
    }


def _made(game: Game[Any], s: Any, a: Action) -> dict[str, Any]:
    """A move that was made: by whom, and whether it was a pass that could not be avoided."""
    move = _move(game, s, a)
    passed = not move["places"] and _must_pass(game, s)
    return move | {"player": game.player(s), "passed": passed}


def _half(game: Game[Any], s: Any, places: Sequence[str]) -> dict[str, Any] | None:
    """A move that is being made piece by piece; None where moves are made in one go."""
    half = game.touched(s, places)
    if half is None:
        return None
    return {
        "next": list(half.next),
        "picks": half.picks,
        "hint": half.hint,
        "svg": Svg(half.drawing).unstyled,
        "move": None if half.move is None else game.format_move(s, half.move),
    }


def result_of(ended: Outcome) -> dict[str, Any]:
    """How a game ended, for a page."""
    utility = list(ended.utility) if isinstance(ended.utility, tuple) else ended.utility
    return {"winner": ended.winner, "utility": utility, "reason": ended.reason}
