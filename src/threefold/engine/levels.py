"""Opponents from beginner to full strength: how far each looks, and how often it slips."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from threefold.engine.alphabeta import choose
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.errors import NotCompilable, ThreefoldError
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean, shorten

S = TypeVar("S")


@dataclass(frozen=True)
class Level:
    """How strong an opponent is."""

    number: int
    #: Maximum depth in plies, and maximum time in seconds.
    depth: int | None
    time: float
    #: How often it plays a random move instead, out of a hundred.
    slips: int = 0

    def __str__(self) -> str:
        looks = (
            f"thinks {self.time:g} s" if self.depth is None else f"looks {self.depth} plies ahead"
        )
        return f"{looks}, slips {self.slips} % of the time" if self.slips else looks


#: Seconds a move at full strength; the maximum below it.
FULL_TIME: Final = 1.0
LEVELS: Final = (
    Level(1, 1, FULL_TIME, slips=50),
    Level(2, 1, FULL_TIME, slips=25),
    Level(3, 2, FULL_TIME, slips=15),
    Level(4, 2, FULL_TIME, slips=5),
    Level(5, 3, FULL_TIME),
    Level(6, 4, FULL_TIME),
    Level(7, 6, FULL_TIME),
    Level(8, 8, FULL_TIME),
    Level(9, None, FULL_TIME / 4),
    Level(10, None, FULL_TIME),
)
NAMED: Final = {"beginner": 1, "easy": 3, "medium": 5, "hard": 7, "full": 10}
#: The maximum depth for rules that cannot be compiled.
_INTERPRETED_DEPTH: Final = 4


def level(given: str) -> Level:
    """The level that a name or number means."""
    number = NAMED.get(given) or (int(given) if re.fullmatch("[0-9]{1,3}", given) else 0)
    if not 1 <= number <= len(LEVELS):
        hint = did_you_mean(given, ("human", "random", *NAMED))
        if hint.endswith("?"):
            raise ThreefoldError(f"there is no level {shorten(given)}: {hint}")
        names = ", ".join(f"{name} ({number})" for name, number in NAMED.items())
        raise ThreefoldError(
            f"level {shorten(given)} is neither human, random, a number from 1 to {len(LEVELS)} "
            f"nor one of {names}"
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
        engine: Engine[S] | None = None,
    ) -> None:
        self._game = game
        self._level = level
        self._rng = random.Random(seed)
        game.require("alpha-beta", zero_sum=True, perfect_information=True)
        try:
            self._engine: Engine[S] | None = engine or Engine(game)
        except NotCompilable:
            self._engine = None

    def choose(self, s: S, history: Sequence[S] = ()) -> Action:
        """The opponent's move; `history` is the list of positions before this one."""
        a = self.choose_at_once(s)
        if a is not None:
            return a
        if self._engine is None:
            depth = self._level.depth
            depth = _INTERPRETED_DEPTH if depth is None else min(depth, _INTERPRETED_DEPTH)
            return choose(self._game, s, depth).best
        found = self.start(s, history).result()
        assert found.best is not None
        return found.best

    def choose_at_once(self, s: S) -> Action | None:
        """The only legal move, or a slip; None if it has to think."""
        moves = self._game.moves(s)
        if len(moves) == 1:
            return moves[0]
        if self._rng.random() * 100 < self._level.slips:
            return self._rng.choice(moves)
        return None

    def start(self, s: S, history: Sequence[S] = ()) -> Running[Result[S]]:
        """Start thinking, within the level's limits; only if the game can be compiled."""
        assert self._engine is not None
        return self._engine.start(
            s,
            Limits(time=self._level.time, depth=self._level.depth),
            seed=self._rng.getrandbits(32),
            history=history,
        )
