"""The games, one folder each, and how they are found by name."""

from threefold.games.catalogue import game

__all__ = ["game"]
