"""What a record of a game of backgammon says, however it is written down.

Its moves are those of the rules: nature's rolls, what players do about the cube, and plays. Its
tags, beside any others:

    X, O        the players
    Seat        `2` if both have one name and X is the second of them, on the right of a sheet
    Cube        `no` if the game is played without
    Jacoby      `yes` with Jacoby's rule
    Length      of the match, missing for money
    Score       X's and O's points before the game, as `2-0`, in a match
    Crawford    `yes` in the Crawford game
    FEN         the position at the start, if it is not the usual one
    Result      `X+2`, `O+1`, or `*` if there is none
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from os import PathLike

from threefold.errors import BadRecord, ThreefoldError
from threefold.games.backgammon import backgammon
from threefold.games.backgammon.checkers import CHECKERS
from threefold.games.backgammon.layout import SIDES, winner
from threefold.games.backgammon.moves import PLAYS
from threefold.games.backgammon.rules import PASSED, State, is_over, points_won
from threefold.games.backgammon.stakes import doubles_of, length_of, rule_of, score_of
from threefold.games.records import FALLBACK, BadTag, Line, Move, Record
from threefold.rules.contract import MAX, MIN, Action
from threefold.rules.game import Game
from threefold.rules.text import shorten

YES, NO = "yes", "no"
UNKNOWN = "*"
SEAT = "Seat"


def tags_of(start: State, cube: bool) -> dict[str, str]:
    """The tags about the rules of a game that begins from a position."""
    tags = {"X": "X", "O": "O"}
    stakes = start.stakes
    if not cube:
        tags["Cube"] = NO
    elif length := length_of(stakes):
        tags["Length"] = str(length)
        tags["Score"] = f"{score_of(stakes, MAX)}-{score_of(stakes, MIN)}"
        if rule_of(stakes) & 1:
            tags["Crawford"] = YES
    elif rule_of(stakes) & 1:
        tags["Jacoby"] = YES
    game, usual = begin(tags)
    if start != usual:
        tags["FEN"] = game.format(start)
    return tags


def begin(tags: Mapping[str, str]) -> tuple[Game[State], State]:
    """The game that tags describe, and where it starts."""
    score = tags.get("Score", "0-0")
    x, dash, o = score.partition("-")
    if not (dash and x.isdecimal() and o.isdecimal()):
        raise BadTag("Score", f"{shorten(score)} is not X's points and O's, like 2-0")
    length = tags.get("Length", "0")
    if not length.isdecimal():
        raise BadTag("Length", f"{shorten(length)} is not a number of points")
    try:
        game = _game(
            tags.get("Cube") != NO,
            tags.get("Jacoby") == YES,
            int(length),
            (int(x), int(o)),
            tags.get("Crawford") == YES,
        )
    except ThreefoldError as error:
        raise BadTag("Length", error) from None
    try:
        return game, game.parse(tags["FEN"]) if "FEN" in tags else game.initial()
    except ThreefoldError as error:
        raise BadTag("FEN", error) from None


@lru_cache(maxsize=64)
def _game(
    cube: bool, jacoby: bool, match: int, score: tuple[int, int], crawford: bool
) -> Game[State]:
    return backgammon(cube=cube, jacoby=jacoby, match=match, score=score, crawford=crawford)


def has_cube(tags: Mapping[str, str]) -> bool:
    """Whether a game is played with the cube."""
    return tags.get("Cube") != NO


def seat(tags: Mapping[str, str], number: int) -> dict[str, str]:
    """The tag that tells X, in seat 0 or 1, from O, where their names do not."""
    return {SEAT: "2"} if number and tags["X"] == tags["O"] else {}


def points_before(tags: Mapping[str, str]) -> list[int]:
    """X's and O's points before a game of a match; for money 0."""
    return [int(points) for points in tags.get("Score", "0-0").split("-")]


def result_of(s: State, tags: Mapping[str, str]) -> str:
    """The result of a game that is over."""
    return f"{SIDES[winner(s)]}+{points(s, tags)}" if is_over(s) else UNKNOWN


def points(s: State, tags: Mapping[str, str]) -> int:
    """What a finished game counts, even if the match needs less: players write it down so."""
    doubles = doubles_of(s.stakes)
    if s.phase == PASSED:
        return 1 << doubles
    loser = (s.o_low, s.o_high) if s.x_low & 15 == CHECKERS else (s.x_low, s.x_high)
    won = points_won(*loser)
    return 1 if tags.get("Jacoby") == YES and doubles == 0 else won << doubles


def record(
    moves: Iterable[Action],
    start: State,
    cube: bool,
    tags: Mapping[str, str] | None = None,
    comments: Sequence[str] = (),
) -> Record:
    """A record of moves from a position; comments, if any, are by move.

    If the moves end the game, the result comes from the rules, not from the tags. A tag may also
    name only the winner, `X`, of a game that ended otherwise: that counts what the cube shows.
    """
    given = tags_of(start, cube) | dict(tags or {})
    game, s = begin(given)
    line = Line()
    for number, action in enumerate(moves):
        said = comments[number] if number < len(comments) else ""
        line.moves.append(Move(action, comments=[said] if said else []))
        s = game.result(s, action)
    if is_over(s) or "Result" not in given:
        given["Result"] = result_of(s, given)
    elif given["Result"] in SIDES:
        given["Result"] += f"+{1 << doubles_of(s.stakes)}"
    return Record(given, line)


def record_of(
    game: Game[State],
    start: State,
    moves: Iterable[Action],
    tags: Mapping[str, str],
    comments: Sequence[str],
) -> Record:
    """A record of moves of a game, which has moves for the cube or has not."""
    return record(moves, start, game.facts.move_range > PLAYS, tags, comments)


def positions(given: Record) -> list[State]:
    """The positions of a game as it was played, from first to last."""
    game, s = begin(given.tags)
    found = [s]
    for action in given.actions:
        found.append(game.result(found[-1], action))
    return found


def games_in(
    path: str | PathLike[str], read: Callable[[Iterable[str]], Iterator[Record]]
) -> Iterator[Record]:
    """The games that `read` finds in a file; what is wrong with it is said with its name."""
    try:
        with open(path, encoding="utf-8-sig", errors=FALLBACK) as file:
            yield from read(file)
    except BadRecord as error:
        raise BadRecord(f"{path}: {error}") from None
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror or error}") from None
