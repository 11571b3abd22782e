"""Opponents from beginner to full strength, and those from history, by name or number."""

import random
import re
from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

from threefold.engine.alphabeta import choose
from threefold.engine.historic import HISTORIC
from threefold.engine.level import Level, Strength
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.engine.searchers import GameSearcher, searcher
from threefold.errors import NotCompilable, ThreefoldError
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean, shorten

S = TypeVar("S")


#: Seconds a move at full strength; the maximum below it.
FULL_TIME: Final = 1.0
LEVELS: Final = (
    Strength(1, FULL_TIME, 50, depth=1, slips=50),
    Strength(2, FULL_TIME, 100, depth=1, slips=25),
    Strength(3, FULL_TIME, 200, depth=2, slips=15),
    Strength(4, FULL_TIME, 400, depth=2, slips=5),
    Strength(5, FULL_TIME, 800, depth=3),
    Strength(6, FULL_TIME, 1600, depth=4),
    Strength(7, FULL_TIME, 3200, depth=6),
    Strength(8, FULL_TIME, 6400, depth=8),
    Strength(9, FULL_TIME / 4, depth=None),
    Strength(10, FULL_TIME, depth=None),
)
NAMED: Final = {"beginner": 1, "easy": 3, "medium": 5, "hard": 7, "full": 10}
#: The maximum depth for rules that cannot be compiled.
_INTERPRETED_DEPTH: Final = 4


def level(given: str, others: Sequence[str] = ()) -> Level:
    """The level that a name or number means.

    `others` are what else the caller takes, named in the error message.
    """
    if given in HISTORIC:
        return HISTORIC[given]
    number = NAMED.get(given) or (int(given) if re.fullmatch("[0-9]{1,3}", given) else 0)
    if not 1 <= number <= len(LEVELS):
        hint = did_you_mean(given, (*others, *NAMED, *HISTORIC))
        if hint.endswith("?"):
            raise ThreefoldError(f"there is no level {shorten(given)}: {hint}")
        names = ", ".join(f"{name} ({number})" for name, number in NAMED.items())
        raise ThreefoldError(
            f"level {shorten(given)} is neither {''.join(f'{other}, ' for other in others)}"
            f"a number from 1 to {len(LEVELS)} nor one of {names}, {', '.join(HISTORIC)}"
        )
    return LEVELS[number - 1]


class Opponent(Generic[S]):
    """Plays a game at a level; keeps its table from move to move."""

    def __init__(
        self,
        game: Game[S],
        level: Level,
        *,
        seed: int | None = None,
        engine: GameSearcher[Any] | None = None,
    ) -> None:
        """An `engine` that is given must be for the level's view of the game."""
        self._game = game
        self._level = level
        self._rng = random.Random(seed)
        game.require("an opponent", zero_sum=True, perfect_information=False)
        try:
            self._engine: GameSearcher[Any] | None = engine or searcher(level.view(game))
        except NotCompilable:
            self._engine = None

    def choose(self, s: S, history: Sequence[S] = ()) -> Action:
        """The opponent's move; `history` is the list of positions before this one."""
        a = self.choose_at_once(s, history)
        if a is not None:
            return a
        if self._engine is None:
            depth = self._level.depth
            depth = _INTERPRETED_DEPTH if depth is None else min(depth, _INTERPRETED_DEPTH)
            a, legal = choose(self._game, s, depth).best, self._game.moves(s, history)
            return a if a in legal else self._rng.choice(legal)
        return self.pick(s, self.start(s, history).result())

    def choose_at_once(self, s: S, history: Sequence[S] = ()) -> Action | None:
        """The only legal move, or a slip; None if it has to think."""
        moves = self._game.moves(s, history)
        if len(moves) == 1:
            return moves[0]
        if self._rng.random() * 100 < self._level.slips and not self._has_agreed(s):
            return self._rng.choice(moves)
        return None

    def _has_agreed(self, s: S) -> bool:
        """Whether partners rely on what is done here: even a beginner bids as agreed."""
        return self._game.agreed is not None and self._game.agreed(s) is not None

    def start(self, s: S, history: Sequence[S] = ()) -> Running[Result[Any]]:
        """Start thinking, within the level's limits; only if the game can be compiled."""
        assert self._engine is not None
        return self._level.start(self._engine, s, self._rng.getrandbits(32), history)

    def pick(self, s: S, found: Result[Any]) -> Action:
        """The move to make, given what the thinking that was started has found."""
        return self._level.pick(s, found, self._rng)
