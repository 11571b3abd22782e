"""Values of the engine as chess programs show them: centipawns, mates, chances of the outcomes."""

import math
from typing import Any, Final

from threefold.engine.result import Line, Result
from threefold.games.chess.evaluation import FULL, stage
from threefold.games.chess.rules import State
from threefold.rules.contract import FINISHED
from threefold.rules.game import Game

#: A lead in centipawns that wins half of the games, on a full board and on an empty one, and how
#: quickly the chances change around it. A model, not fitted to games: it is chosen so that a lead
#: of 120 scores three points of four in the middle game, as elsewhere in the program, and that
#: games with few pieces left are drawn more often.
_WINNING: Final = (110.0, 190.0)
_SPREAD: Final = 75.0
#: A net says what result to expect, from -1 to 1. Leela Chess Zero's formula makes centipawns of it
#: by which an advantage of 110 scores three points of four.
_NET_SCALE: Final = 111.714640912
_NET_SLOPE: Final = 1.5620688421
_SURE: Final = 0.999


def centipawns(game: Game[Any], value: float) -> int:
    """A value of the evaluation in hundredths of a pawn."""
    if game.net is None:
        return round(value * 100 / game.units.get(game.evaluation or "", 1))
    expected = max(-_SURE, min(_SURE, value / FINISHED))
    return round(_NET_SCALE * math.tan(_NET_SLOPE * expected))


def moves_to_mate(plies: int) -> int:
    """A win in this many plies, counted in full moves; negative for a loss, as in `score mate`."""
    return (plies + 1) // 2 if plies > 0 else -(-plies // 2)


def chances(game: Game[Any], s: State, line: Line) -> tuple[int, int, int]:
    """Wins, draws and losses to expect out of a thousand games, for the player to move.

    A position that is drawn by rule has no moves in the game, though a GUI may let it go on.
    """
    if line.win_in is not None:
        return (1000, 0, 0) if line.win_in > 0 else (0, 0, 1000)
    if not game.moves(s) or (line.exact and line.value == 0):
        return 0, 1000, 0
    full = stage(s) / FULL
    winning = _WINNING[0] * full + _WINNING[1] * (1 - full)
    value = centipawns(game, line.value)
    win, loss = _share(value - winning), _share(-value - winning)
    return win, 1000 - win - loss, loss


def _share(lead: float) -> int:
    return round(1000 / (1 + math.exp(-max(-40.0, min(40.0, lead / _SPREAD)))))


def milliseconds(found: Result[State]) -> int:
    """How long a search has taken."""
    return round(found.seconds * 1000)
