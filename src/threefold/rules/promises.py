"""Are the moves that a game calls sufficient really enough? Small trees are searched to the end.

`sufficient` promises that its moves include a best one: as good a result as any other, a win as
early and a loss as late. A search relies on that; only trying all the moves can verify it.
"""

from typing import Generic, TypeAlias, TypeVar

from threefold.rules.contract import MAX, Action
from threefold.rules.game import Game

S = TypeVar("S")

#: What a position is worth to MAX: its utility first, then how far away the end is.
Worth: TypeAlias = int

#: A utility of 1 outweighs any number of plies.
_UTILITY = 1 << 32
#: How many new positions one question may visit, and all questions together.
_LARGEST_TREE = 2_000
_ALL_TREES = 50_000
#: Deeper trees are skipped: Python's stack is the limit.
_DEEPEST = 200


class TooLarge(Exception):
    """The tree has too many positions to search."""


class SmallTrees(Generic[S]):
    """Plain minimax over every move, remembering each position; for games without chance."""

    def __init__(self, game: Game[S]) -> None:
        self._game = game
        self._known: dict[S, Worth] = {}
        self._left = _ALL_TREES
        self._limit = 0

    def better(self, s: S, moves: list[Action], chosen: list[Action]) -> Action | None:
        """A move that is better than all the chosen ones, or None; raises `TooLarge`."""
        budget = self._limit = min(self._left, _LARGEST_TREE)
        try:
            sign = 1 if self._game.player(s) == MAX else -1
            worth = {a: sign * self._worth(self._game.result(s, a), _DEEPEST) for a in moves}
        finally:
            self._left -= budget - max(self._limit, 0)
        best = max(moves, key=worth.__getitem__)
        return best if worth[best] > max(worth[a] for a in chosen) else None

    def _worth(self, s: S, depth: int) -> Worth:
        if s not in self._known:
            self._limit -= 1
            if self._limit < 0 or depth == 0:
                raise TooLarge
            game = self._game
            values = [self._worth(game.result(s, a), depth - 1) for a in game.moves(s)]
            if not values:
                self._known[s] = game.utility(s) * _UTILITY
            else:
                best = max(values) if game.player(s) == MAX else min(values)
                self._known[s] = best - (best > 0) + (best < 0)
        return self._known[s]
