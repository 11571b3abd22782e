"""Solving a position by looking it and its moves up in a database of end-games."""

from dataclasses import dataclass
from typing import TypeVar

from threefold.engine.endgames.database import Database
from threefold.engine.endgames.lines import best_play, known_moves
from threefold.engine.result import Line
from threefold.rules.game import Game

S = TypeVar("S")


@dataclass(frozen=True)
class KnownEnding:
    """What a database says about a position."""

    #: To the player to move.
    value: int
    win_in: int | None
    #: Every move, best first.
    lines: tuple[Line, ...]


def known_ending(game: Game[S], s: S, *, in_full: bool) -> KnownEnding | None:
    """What the game's database says about a position; None if it does not have it.

    With `in_full`, each line goes on to the end of the game.
    """
    database = game.database
    if not isinstance(database, Database) or database.look_up(s) is None:
        return None
    moves = known_moves(game, database, s)
    if not moves:
        return None
    lines = []
    for a, known in moves.items():
        after = best_play(game, database, game.result(s, a)) if in_full else ()
        lines.append(Line(a, known.value, known.win_in, True, (a, *after)))
    best = lines[0]
    return KnownEnding(int(best.value), best.win_in, tuple(lines))
