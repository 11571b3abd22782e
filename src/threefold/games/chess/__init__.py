"""Chess, and Chess960."""

from threefold.games.chess.notation import notation
from threefold.games.chess.rules import State, rules
from threefold.rules.game import Game


def chess(chess960: bool = False) -> Game[State]:
    """Checkmate the king: attack it so that it cannot escape."""
    return Game("Chess960" if chess960 else "Chess", **rules(), **notation(chess960))
