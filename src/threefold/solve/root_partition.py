"""What each move of a position is worth, by partition search."""

from typing import TypeVar

from threefold.rules.contract import MAX_VALUE, MIN, Action
from threefold.rules.game import Game
from threefold.solve.partition_search import PartitionSearch
from threefold.solve.root import ONE_MOVE, Known, Root

S = TypeVar("S")


class RootPartition(Root[S]):
    """By partition search: the value, the moves that keep it, then what the others are worth."""

    def __init__(self, game: Game[S], s: S, search: PartitionSearch[S], guess: int | None) -> None:
        super().__init__(game, s)
        self._search = search
        self._asked_first = guess
        self._sign = -1 if game.player(s) == MIN else 1
        self._plies = None if game.lasts is None else game.lasts(s)
        search.begin()

    def run(self, detail: str) -> None:
        """Find out what is asked for; utilities here are for the player to move."""
        if self.utility is None:
            self.utility = self._worth(self._s, -MAX_VALUE, MAX_VALUE, self._guess())
            likely = self._search.move
            self.moves.sort(key=lambda a: a != likely)
        for a in self.moves:
            if self.known and detail in ONE_MOVE:
                return
            if a not in self.known and self._keeps(a, self.utility):
                self.known[a] = Known(self.utility, self._plies)
        if detail == "moves":
            below = self.utility - self._game.grain
            for a in self.moves:
                if a not in self.known:
                    child = self._game.result(self._s, a)
                    self.known[a] = Known(self._worth(child, -MAX_VALUE, below, below), self._plies)

    def follow_lines(self) -> None:
        """Best play after each move."""
        for a, known in self.known.items():
            if a not in self._follow:
                child = self._game.result(self._s, a)
                self._follow[a] = self._search.line(child, self._sign * known.utility)

    def _guess(self) -> int:
        """A utility to ask about first: the evaluation, if it has a unit that people count."""
        if self._asked_first is not None:
            return self._asked_first
        units = self._game.units.get(self._game.evaluation or "", 0)
        value = self._game.evaluate(self._s) if units else 0
        return self._sign * round(value / units) if units else 0

    def _keeps(self, a: Action, utility: int) -> bool:
        """Whether a move is worth that much, which none exceeds."""
        below = utility - self._game.grain
        return self._worth(self._game.result(self._s, a), below, utility, utility) == utility

    def _worth(self, s: S, low: int, high: int, guess: int) -> int:
        """What a position is worth to the player to move at the root."""
        if self._sign > 0:
            return self._search.value(s, low, high, guess)
        return -self._search.value(s, -high, -low, -guess)
