"""Dealing positions that the one who decides cannot tell apart, compiled if that is possible."""

from collections.abc import Callable
from types import FunctionType
from typing import Generic, TypeVar

from threefold.engine.compile import Compiled
from threefold.engine.information_sets import SetSearch, deal_again, dealt
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed, interpreted_record
from threefold.errors import NotCompilable
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted

S = TypeVar("S")


class Dealer(Generic[S]):
    """Deals a position again and again; for one thread at a time.

    It looks at nothing but what the one who decides sees: the same observation and the same seed
    deal the same position.
    """

    def __init__(self, game: Game[S], compiled: Compiled[S] | None = None) -> None:
        """Pass `compiled`, of this game, if its rules are known not to have changed."""
        self._game = game
        self._deal: Callable[[S], S]
        try:
            compiled = compiled or Compiled(game)
            self._search: SetSearch = allocate(SetSearch, game.facts.max_moves)
            self._deal = self._compiled(compiled)
        except NotCompilable:
            self._search = interpreted_record(SetSearch, game.facts.max_moves)
            self._deal = self._interpreted()
        self._search.max_plies = game.facts.max_ply

    def deal(self, s: S, seed: int) -> S:
        """A position that the one who decides in `s` cannot tell from it."""
        self._search.random = seed
        drawn = self._deal(s)
        check_fault(self._game, self._search)
        return drawn

    def _compiled(self, compiled: Compiled[S]) -> Callable[[S], S]:
        entry, make = compiled.entry(deal_again), self._game.state_type
        start = compiled.words(self._game.initial())
        entry.prepare(start, boxed(self._search))
        return lambda s: make(*map(int, entry(compiled.words(s), boxed(self._search))))

    def _interpreted(self) -> Callable[[S], S]:
        assert isinstance(dealt, FunctionType)
        deal, seat = interpreted(dealt, self._game), self._game.seat
        return lambda s: deal(s, seat(s), self._search)
