"""What a record of a game of Go says, however it is written down.

Its moves are those of the rules. A player who moves twice running has a pass of the other between
both; play may go on after two passes, as it does where players disagree about the end. Its tags:

    Black, White    the players
    Size, Komi      of the board, and what White is given
    Handicap        the number of stones that Black is given, on the board at the start
    FEN             the position at the start, if the board is not empty or White begins
    Result          `B+3.5`, `W+R` (by resignation), `W+T` (on time), `B+F` (by forfeit), `B+`,
                    `0`, `Void`, or `*` if there is none
    Rules           what the players call theirs

Any other tag is kept as it is.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from threefold.errors import BadGame, BadRecord, ThreefoldError
from threefold.games.go import go
from threefold.games.go.notation import score_text
from threefold.games.go.rules import LAST_PASS
from threefold.games.records import BadTag, Line, Move, Record
from threefold.rules.contract import MAX, Action
from threefold.rules.game import Game
from threefold.rules.text import shorten

UNKNOWN = "*"
COLORS = "BW"
#: The name of rules like ours that most programs know: area counts, and no board comes up again.
OUR_RULES = "Chinese"
#: A board without a size is as large as this.
USUAL_SIZE = 19
#: What a result says beyond who has won, by how PGN says that a game has ended.
_ENDINGS = {"time forfeit": "T", "resignation": "R", "abandoned": "F", "rules infraction": "F"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,4}(?:\.[0-9]{0,6})?|\.[0-9]{1,6})")


def begin(tags: Mapping[str, str]) -> tuple[Game[Any], Any]:
    """The game that tags describe, and where it starts."""
    size, komi = tags.get("Size", str(USUAL_SIZE)), tags.get("Komi", "0")
    if not re.fullmatch("[0-9]{1,3}", size):
        raise BadTag("Size", f"{shorten(size)} is not a number of rows")
    if not _NUMBER.fullmatch(komi):
        raise BadTag("Komi", f"{shorten(komi)} is not a number of points")
    try:
        game = _game(int(size), in_half_points(float(komi)))
    except BadGame as error:
        raise BadTag("Size" if "size" in str(error) else "Komi", error) from None
    try:
        return game, game.parse(tags["FEN"]) if "FEN" in tags else game.initial()
    except ThreefoldError as error:
        raise BadTag("FEN", error) from None


@lru_cache(maxsize=64)
def _game(size: int, komi: float) -> Game[Any]:
    return go(size, komi)


def in_half_points(komi: float) -> float:
    """A komi of the rules that decides every game as this one does.

    Areas are whole numbers, so any komi between two of them decides as the one halfway does.
    """
    return komi + 0.0 if komi * 2 == int(komi * 2) else math.floor(komi) + 0.5


def lead_of(game: Game[Any], s: Any) -> float:
    """By how many points black is ahead, every stone on the board alive."""
    area = game.utilities["area"]
    return area.worth(s) / area.units


def tags_of(game: Game[Any], start: Any) -> dict[str, str]:
    """The tags about the rules of a game that begins from a position."""
    contents = game.contents(start)
    stones = list(contents.values())
    # Without a stone nobody has an area, and what is left is the komi.
    empty = game.parse("/".join(["." * size_of(game)] * size_of(game)) + " X")
    tags = {"Size": str(size_of(game)), "Komi": f"{0.0 - lead_of(game, empty):g}"}
    given = stones.count("black")
    if given > 1 and "white" not in stones and game.player(start) != MAX:
        tags["Handicap"] = str(given)
    if start != begin(tags)[1]:
        tags["FEN"] = game.format(start)
    return tags


def size_of(game: Game[Any]) -> int:
    """How many rows and columns the board has."""
    return int((game.facts.max_moves - 1) ** 0.5)


def follow(s: Any, game: Game[Any], a: Action) -> Any:
    """The position after a move; one after the end of the game resumes it, but for a pass."""
    if s.passes >= LAST_PASS and a == pass_of(game):
        return s._replace(turn=1 - s.turn)
    return game.result(s, a)


def pass_of(game: Game[Any]) -> Action:
    """The move that is a pass."""
    return game.facts.max_moves - 1


def is_legal(game: Game[Any], positions: Sequence[Any], a: Action) -> bool:
    """Whether a move is legal in the last position of a game, also after its end."""
    s = positions[-1]
    goes_on = s._replace(passes=0) if s.passes >= LAST_PASS else s
    return game.is_legal(goes_on, a, positions[:-1])


def record(
    moves: Iterable[str | Action],
    *,
    game: Game[Any] | None = None,
    start: Any = None,
    tags: Mapping[str, str] | None = None,
    comments: Sequence[str] = (),
) -> Record:
    """A record of moves, given as text or numbers; comments, if any, are by move.

    The tags say which game it is, or `game` does. If the moves end the game and the tags give no
    result, it comes from the rules.
    """
    given = {"Black": "?", "White": "?", "Size": str(USUAL_SIZE), "Komi": "0", "Rules": OUR_RULES}
    if game is not None:
        given |= tags_of(game, game.initial() if start is None else start)
    given |= dict(tags or {})
    played, s = begin(given)
    if game is None and start is not None and start != s:
        s = start
        given["FEN"] = played.format(start)
    positions, line = [s], Line()
    for number, move in enumerate(moves, 1):
        try:
            a = played.parse_move(positions[-1], move) if isinstance(move, str) else move
        except ThreefoldError as error:
            raise BadRecord(f"move {number}: {error}") from None
        if not is_legal(played, positions, a):
            raise BadRecord(f"move {number}: {a} is not a legal move")
        said = comments[number - 1] if number <= len(comments) else ""
        line.moves.append(Move(a, comments=[said] if said else []))
        positions.append(follow(positions[-1], played, a))
    if given.get("Result", UNKNOWN) == UNKNOWN:
        given["Result"] = result_of(played, positions[-1])
    return Record(given, line)


def record_of(
    game: Game[Any],
    start: Any,
    moves: Iterable[Action],
    tags: Mapping[str, str],
    comments: Sequence[str],
) -> Record:
    """A record of a game of a match, whose tags say who has won and how it ended, as in PGN."""
    given = dict(tags)
    winner, ending = given.pop("Result", UNKNOWN), given.pop("Termination", "")
    for name in ("black", "white", "PlyCount"):
        given.pop(name, None)
    given["Date"] = given["Date"].replace(".", "-")
    found = record(moves, game=game, start=start, tags=given, comments=comments)
    if found.result == UNKNOWN and winner in game.sides:
        letter = COLORS[game.sides.index(winner)]
        found.tags["Result"] = f"{letter}+{_ENDINGS.get(ending, '')}"
    return found


def seat(_tags: Mapping[str, str], _number: int) -> dict[str, str]:
    """Nothing: the players of Go are told apart by their colors."""
    return {}


def result_of(game: Game[Any], s: Any) -> str:
    """The result of a game that is over, by our rules."""
    if not game.is_terminal(s):
        return UNKNOWN
    return score_text(lead_of(game, s))


def positions(given: Record) -> list[Any]:
    """The positions of a game as it was played, from first to last."""
    return list(_positions(given))


def _positions(given: Record) -> Iterator[Any]:
    game, s = begin(given.tags)
    yield s
    for a in given.actions:
        s = follow(s, game, a)
        yield s
