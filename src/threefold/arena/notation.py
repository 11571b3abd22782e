"""Which notations a game has beside its own texts: for whole games, and for lists of positions.

A game's home may have a room for each: chess has `pgn` and `epd`, checkers has `pdn`, backgammon
has `mat` and `sgf`, and Go has `sgf`.
"""

import importlib
from importlib.util import find_spec
from typing import Any

from threefold.errors import BadRecord, ThreefoldError
from threefold.games.records import Format, Notation
from threefold.rules.game import Game


def record_notation(game: Game[Any]) -> Notation[Any] | None:
    """What reads the records of a game: PGN for chess, PDN for checkers, SGF for Go."""
    own = None if game.record is None else room(game, game.record_name.lower())
    found: Notation[Any] | None = getattr(own, game.record_name, None)
    return found


def record_format(game: Game[Any]) -> Format[Any] | None:
    """How players write a whole game down: PGN for chess, PDN for checkers; None for others."""
    found = record_notation(game)
    return found if isinstance(found, Format) else None


def parse_position(game: Game[Any], text: str) -> Any:
    """A position from its text; chess reads EPD as well."""
    epd = room(game, "epd")
    if epd is None:
        return game.parse(text)
    error: BadRecord | None = None
    for chess960 in (False, True):
        try:
            found = epd.parse(text, chess960=chess960).position
        except BadRecord as refusal:
            error = error or refusal
        else:
            return game.parse(game.format(found))
    assert error is not None
    raise ThreefoldError(str(error))


def room(game: Game[Any], name: str) -> Any:
    """The module of that name in the home of a built-in game, if there is one."""
    home = game.state_type.__module__.rpartition(".")[0]
    if not home.startswith("threefold.games.") or find_spec(f"{home}.{name}") is None:
        return None
    return importlib.import_module(f"{home}.{name}")
