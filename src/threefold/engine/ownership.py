"""Who is likely to own which places at the end: an estimate of territory from playouts.

>>> from threefold import game
>>> from threefold.engine.ownership import ownership
>>> go = game("go(size=5,komi=0)")
>>> estimate = ownership(go, go.position("..X../..X../..X../..X../..X.. O"))
>>> estimate.score
'B+24.5'
"""

from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.limits import Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.owning import own, own_from
from threefold.engine.playing_out import Search
from threefold.engine.records import allocate, boxed, interpreted_record
from threefold.engine.running import Report, Running
from threefold.errors import BrokenRules, NotCompilable, ThreefoldError
from threefold.rules.bits import WORD_BITS, mix, word
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted
from threefold.rules.records import Territory

S = TypeVar("S")

#: Enough games for shares that are off by a few percent.
PLAYOUTS: Final = 1_000
MAX_PLAYOUTS: Final = 1 << 30


@dataclass(frozen=True)
class Ownership:
    """How often each side owned each place at the end of simulated games."""

    #: By place, MAX's share of the games less MIN's: 1 if it was always MAX's, -1 if MIN's.
    balance: dict[str, float]
    #: What that comes to, as players write it.
    score: str
    #: How many games were played to the end.
    games: int

    def to_json(self) -> dict[str, Any]:
        """The estimate as JSON's own types."""
        balance = {place: round(share, 3) for place, share in self.balance.items()}
        return {"balance": balance, "score": self.score, "games": self.games}


def ownership(
    game: Game[S],
    s: S,
    *,
    playouts: int = PLAYOUTS,
    seed: int = 0,
    compiled: Compiled[S] | None = None,
) -> Ownership:
    """Estimate who will own what, in a game that has the hook `owners`.

    The same seed and number of playouts give the same answer. Pass `compiled`, of this game, if its
    rules are known not to have changed.
    """
    check_whole("playouts", playouts, 1, MAX_PLAYOUTS)
    limits = Limits(nodes=playouts)
    return start_ownership(game, s, limits, seed=seed, compiled=compiled).result()


def start_ownership(
    game: Game[S],
    s: S,
    limits: Limits,
    *,
    seed: int = 0,
    compiled: Compiled[S] | None = None,
) -> Running[Ownership]:
    """Start to estimate; `limits.nodes` counts playouts."""
    if game.territory is None:
        raise ThreefoldError(f"{game.name} has no territory to estimate: it lacks the hook owners")
    check_whole("seed", seed, -(1 << 63), (1 << 63) - 1)
    return Running(_Estimate(game, s, game.territory, limits, seed, compiled))


class _Estimate(Generic[S]):
    """One run of playouts."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        territory: Territory,
        limits: Limits,
        seed: int,
        compiled: Compiled[S] | None,
    ) -> None:
        self.clock = Clock(limits)
        self._game = game
        self._position = s
        self._territory = territory
        self._compiled = compiled
        self._seed = seed
        self._search: Search | None = None
        self._counts: Any = None

    @property
    def found(self) -> int | None:
        """How many games were played."""
        return None if self._search is None else int(self._search.simulations) or None

    def run(self, report: Report) -> Ownership:  # noqa: ARG002  polled, not called
        """Compile if necessary, then play."""
        if not self.clock.is_stopped:
            play = self._prepared()
            assert self._search is not None
            with self.clock.enforce(self._search), self.clock.counting():
                play()
            check_fault(self._game, self._search)
        return self.answer()

    def answer(self) -> Ownership:
        """The estimate so far."""
        games = self.found or 0
        counts = self._counts
        half = 0 if counts is None else len(counts) // 2
        balance = {
            place: (int(counts[i]) - int(counts[half + i])) / games if games else 0.0
            for i, place in enumerate(self._territory.places)
        }
        return Ownership(balance, self._territory.score(sum(balance.values())), games)

    def _prepared(self) -> Any:
        """The function that plays, compiled if possible."""
        words, places = len(self._game.owners(self._position)), len(self._territory.places)
        if words % 2 or places > words // 2 * WORD_BITS:
            raise BrokenRules(
                f"{self._game.name}: owners returned {words} words; for {places} places of "
                f"territory, each side needs {-(-places // WORD_BITS)}"
            )
        self._counts = np.zeros(words * WORD_BITS, np.int64)
        max_moves = self._game.facts.max_moves
        try:
            compiled = self._compiled or Compiled(self._game)
            self._search = self._set_up(allocate(Search, max_moves))
            arguments = (compiled.words(self._position), self._counts, boxed(self._search))
            entry = compiled.entry(own_from)
            entry.prepare(*arguments)
            return partial(entry, *arguments)
        except NotCompilable:
            assert isinstance(own, FunctionType)
            self._search = self._set_up(interpreted_record(Search, max_moves))
            bound = interpreted(own, self._game)
            return partial(bound, self._position, self._counts, self._search)

    def _set_up(self, search: Search) -> Search:
        search.max_plies = self._game.facts.max_ply
        search.random = mix(word(self._seed))
        return search
