"""Backgammon."""

from threefold.games.backgammon.drawing import drawing
from threefold.games.backgammon.notation import notation
from threefold.games.backgammon.rules import State, rules
from threefold.games.backgammon.touching import board
from threefold.rules.game import Game


def backgammon() -> Game[State]:
    """Race your checkers home and bear them off, past an opponent who hits those left alone."""
    hooks = rules()
    texts = notation(hooks["player"], hooks["actions"])
    texts["board"] = board(hooks["player"], hooks["actions"], cube=False)
    return Game(
        "Backgammon",
        **hooks,
        **texts,
        draw=drawing(cube=False),
        finite=False,
    )
