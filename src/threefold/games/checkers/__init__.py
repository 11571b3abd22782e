"""Checkers (English draughts) on 8×8 squares."""

from threefold.errors import BadGame
from threefold.games.checkers.rules import State, rules
from threefold.rules.game import Game


def checkers(repetition: int = 3, move_limit: int = 40) -> Game[State]:
    """Jump over the other side's pieces, as you must if you can; who cannot move loses."""
    return Game("Checkers", **rules(repetition, move_limit))
