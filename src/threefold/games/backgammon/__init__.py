"""Backgammon."""

from threefold.games.backgammon.notation import notation
from threefold.games.backgammon.rules import State, rules
from threefold.rules.game import Game


def backgammon() -> Game[State]:
    """Race your checkers home and bear them off, past an opponent who hits those left alone."""
    hooks = rules()
    return Game(
        "Backgammon",
        **hooks,
        **notation(hooks["player"], hooks["actions"]),
        finite=False,
    )
