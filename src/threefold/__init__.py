"""Threefold: write a game's rules once; it explains the game, wins at it, and scales it."""

from threefold.errors import ThreefoldError
from threefold.games import game
from threefold.rules.conformance import conformance
from threefold.rules.contract import CHANCE
from threefold.rules.game import Game

__all__ = ["CHANCE", "Game", "ThreefoldError", "conformance", "game"]
__version__ = "0.1.0"
