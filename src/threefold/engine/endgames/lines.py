"""What a database says of every move of a position, and of the best play from there to the end."""

from typing import Any, Final, TypeVar

from threefold.engine.endgames.database import Database, Known
from threefold.rules.contract import MIN, Action
from threefold.rules.game import Game

S = TypeVar("S")

#: Where values have no distance, best play could go in circles.
_LONGEST: Final = 500


def known_of(game: Game[S], database: Database[Any], s: S) -> Known | None:
    """What is known of a position for the player to move, finished games included."""
    if not game.moves(s):
        utility = game.utility(s)
        return Known(-utility if game.player(s) == MIN else utility, None)
    return database.look_up(s)


def known_moves(game: Game[S], database: Database[Any], s: S) -> dict[Action, Known] | None:
    """What each move is worth to the player who makes it, best first; None if one is not known."""
    found: dict[Action, Known] = {}
    for a in game.moves(s):
        child = game.result(s, a)
        after = known_of(game, database, child)
        if after is None:
            return None
        sign = 1 if (game.player(child) == MIN) == (game.player(s) == MIN) else -1
        value = sign * after.value
        is_over = not game.moves(child)
        plies = None
        if value != 0 and (is_over or after.win_in is not None) and not database.has_margins:
            plies = (1 + abs(after.win_in or 0)) * (1 if value > 0 else -1)
        found[a] = Known(value, plies)
    return dict(sorted(found.items(), key=lambda each: each[1].rank, reverse=True))


def best_play(game: Game[S], database: Database[Any], s: S) -> list[Action]:
    """The moves from a position to the end, or as long as the database knows what is best.

    A win or a loss is played to its end. Of draws there is no more to say.
    """
    line: list[Action] = []
    while len(line) < _LONGEST and game.moves(s):
        known = database.look_up(s)
        if known is None or known.win_in is None:
            break
        moves = known_moves(game, database, s)
        if not moves:
            break
        a = next(iter(moves))
        line.append(a)
        s = game.result(s, a)
    return line
