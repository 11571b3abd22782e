"""Recorded games to learn from: files of matches, PGN, PDN and Go's SGF."""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from threefold.arena.lines import parse_line
from threefold.arena.notation import record_notation
from threefold.arena.record import FAILURES, TIME, MatchInfo, Played
from threefold.arena.replay import evaluation, replayed
from threefold.arena.store import Store
from threefold.engine.nets import features_digest
from threefold.errors import BadRecord, ThreefoldError
from threefold.games import game as game_named
from threefold.games.records import Format, Notation, Record
from threefold.learn.recorded import Recorded, recorded
from threefold.rules.contract import MIN
from threefold.rules.game import Game

#: How every SQLite file begins.
_SQLITE: Final = b"SQLite format 3\0"
#: What a result is worth to MAX.
_RESULTS: Final = {
    "1-0": 1.0,
    "0-1": -1.0,
    "1/2-1/2": 0.0,
    "2-0": 1.0,
    "0-2": -1.0,
    "1-1": 0.0,
    "B+": 1.0,
    "W+": -1.0,
    "0": 0.0,
}
#: What programs write into comments: a value after the move, to White; and one that the player had
#: before it.
_AFTER: Final = re.compile(r"\[%eval ([+-]?\d+(?:\.\d+)?)")
_BEFORE: Final = re.compile(r"^\s*([+-]\d+\.\d+)(?:[/\s,]|$)")


def games_to_learn(
    game: Game[Any], path: Path, say: Callable[[str], object] = lambda _: None
) -> Iterator[Recorded]:
    """The games of a file, one after another; one that cannot be read is told and skipped.

    What is wrong with the file as a whole is raised before the first game is asked for.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(len(_SQLITE))
    except OSError as error:
        raise ThreefoldError(f"{path} cannot be read: {error.strerror or error}") from None
    games = _from_matches(game, path) if begin == _SQLITE else _from_records(game, path, say)
    first = next(games, None)
    if first is None:
        raise ThreefoldError(f"{path} has no game that was played to an end")
    return chain([first], games)


# Files of matches.


def _from_matches(game: Game[Any], path: Path) -> Iterator[Recorded]:
    with Store(path, read_only=True) as store:
        matches = store.matches()
        wanted = features_digest(game)
        specs = {match.game for match in matches}
        same = {
            spec for spec in specs if features_digest(game_named(spec, own_net=False)) == wanted
        }
        ours = [match for match in matches if match.game in same]
        if not ours:
            others = ", ".join(sorted(specs)) or "none at all"
            raise ThreefoldError(f"{path} has no games of {game.spec}; it has {others}")
        for match in ours:
            for played in store.games(match):
                if played.counts:
                    yield _from_match(game, match, played)


def _from_match(game: Game[Any], match: MatchInfo, played: Played) -> Recorded:
    positions, _ = replayed(game, played)
    decided = played.ending not in (*FAILURES, TIME)  # by the play, not by an accident
    return recorded(
        game,
        positions,
        played.utility if decided else None,
        [*(None for _ in range(played.opening_plies)), *played.values],
        first=played.opening_plies,
        units=tuple(_unit(game, match.players[player]) for player in played.task.players),
    )


def _unit(game: Game[Any], line: str) -> str:
    """What a player's values are in."""
    player = parse_line(line)
    if player.kind in ("alphabeta", "textbook", "level"):
        return str(evaluation(game, line))
    return player.kind


# PGN, PDN and SGF.


def _from_records(game: Game[Any], path: Path, say: Callable[[str], object]) -> Iterator[Recorded]:
    notation = record_notation(game)
    if notation is None:
        raise ThreefoldError(
            f"{path} is not a file of matches, as threefold match --db makes; {game.name} has no "
            "other records"
        )

    def report(error: BadRecord) -> None:
        say(f"{path}: {error}; this game is left out")

    for record in notation.load(path, report=report):
        lesson = _from_record(game, notation, record)
        if lesson is not None:
            yield lesson


def _from_record(game: Game[Any], notation: Notation[Any], record: Record) -> Recorded | None:
    """A game, if it is one of this game and anything is known about it."""
    other = notation.begin(record.tags)[0]
    if (other.name, other.facts.max_moves) != (game.name, game.facts.max_moves):
        return None
    positions = notation.positions(record)
    values: list[float | None] = [None] * len(positions)
    # In PGN and PDN values are in pawns; in SGF they could be anything.
    valued = record.line.moves if isinstance(notation, Format) else []
    for ply, move in enumerate(valued):
        for comment in move.comments:
            if found := _BEFORE.match(comment):
                values[ply] = float(found[1])
            elif (found := _AFTER.search(comment)) and values[ply + 1] is None:
                sign = -1 if game.player(positions[ply + 1]) == MIN else 1
                values[ply + 1] = sign * float(found[1])
    utility = _RESULTS.get(record.result, _RESULTS.get(record.result[:2]))
    if utility is None and all(value is None for value in values):
        return None
    return recorded(game, positions, utility, values, units=("pawns", "pawns"))
