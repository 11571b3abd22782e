"""Choosing a move of any game with our engine: by limits, at a level, by the clock."""

import random
from collections.abc import Sequence
from typing import Any, Final

from threefold.engine.levels import Opponent, level
from threefold.engine.limits import Limits
from threefold.engine.methods import DEFAULT_TIME
from threefold.engine.pacing import Pace, think
from threefold.engine.uncompiled import start_uncompiled
from threefold.errors import ThreefoldError
from threefold.protocols.loading import Loading
from threefold.rules.contract import Action
from threefold.rules.game import Game

_MEGABYTES: Final = 64
#: Seconds between two looks at the compiler, so that Ctrl-C works meanwhile.
_LOOK_EVERY: Final = 0.2


class MoveChooser:
    """Our engine for one game, compiled in the background from the moment this is made."""

    def __init__(self, game: Game[Any], limits: Limits, at_level: str | None = None) -> None:
        self.game = game
        self._limits = limits
        self._level = None if at_level is None else level(at_level)
        self._loading = Loading(game)
        self._engine: Any = None

    def forget(self) -> None:
        """Forget what was found, for a new game."""
        if self._engine is not None:
            self._engine.clear()

    def choose(
        self, positions: Sequence[Any], pace: Pace | None, seed: int | None = None
    ) -> Action:
        """A move in the last of the positions of a game."""
        game, s = self.game, positions[-1]
        moves = game.moves(s)
        if len(moves) == 1:
            return moves[0]
        if not self._is_ready(pace):
            assert pace is not None
            return self._best(start_uncompiled(game, s, Limits(time=pace.optimum)).result())
        if self._level is not None:
            chosen = random.randrange(1 << 32) if seed is None else seed
            opponent = Opponent(game, self._level, seed=chosen, engine=self._engine)
            return opponent.choose(s, positions[:-1])
        limits = self._limits
        if limits.endless and pace is None:
            limits = Limits(time=DEFAULT_TIME)
        running = self._engine.start(s, limits, seed=seed, history=positions[:-1])
        return self._best(running.result() if pace is None else think(running, pace))

    def _is_ready(self, pace: Pace | None) -> bool:
        """Wait for the engine; where a clock runs, no longer than half of a move's time."""
        if pace is None:
            while not self._loading.is_over(_LOOK_EVERY):
                pass
        elif not self._loading.is_over(pace.optimum / 2):
            return False
        if self._loading.failure:
            raise ThreefoldError(self._loading.failure)
        if self._engine is None:
            self._engine = self._loading.engine(self.game, _MEGABYTES, 1)
        return True

    @staticmethod
    def _best(found: Any) -> Action:
        best: Action = found.best
        return best
