"""Choosing a move of any game with our engine: by limits, at a level, by the clock."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from threefold.engine.limits import Limits
from threefold.engine.pacing import Pace, think
from threefold.engine.uncompiled import start_uncompiled
from threefold.errors import ThreefoldError
from threefold.protocols.loading import Loading
from threefold.rules.contract import Action
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.engine.analysis import Engine
    from threefold.engine.level import Level
    from threefold.engine.result import Result

#: Seconds a move where nothing else is said.
_DEFAULT_TIME: Final = 1.0
_MEGABYTES: Final = 64
#: Seconds between two looks at the compiler, so that Ctrl-C works meanwhile.
_LOOK_EVERY: Final = 0.2


class MoveChooser:
    """Our engine for one game, compiled in the background from the moment this is made."""

    def __init__(self, game: Game[Any], limits: Limits, at_level: str | None = None) -> None:
        self.game = game
        self._limits = limits
        self._level: Level | None = None
        if at_level is not None:
            from threefold.engine.levels import level

            self._level = level(at_level)
        self._loading = Loading(game)
        self._engine: Engine[Any] | None = None

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
        engine = self._ready_engine(pace)
        if engine is None:
            assert pace is not None
            return _best(start_uncompiled(game, s, Limits(time=pace.optimum)).result())
        if self._level is not None:
            from threefold.engine.levels import Opponent

            opponent = Opponent(game, self._level, seed=seed, engine=engine)
            return opponent.choose(s, positions[:-1])
        limits = self._limits
        if limits.endless and pace is None:
            limits = Limits(time=_DEFAULT_TIME)
        running = engine.start(s, limits, seed=seed, history=positions[:-1])
        return _best(running.result() if pace is None else think(running, pace))

    def _ready_engine(self, pace: Pace | None) -> "Engine[Any] | None":
        """Wait for the engine; where a clock runs, no longer than half of a move's time."""
        if pace is None:
            while not self._loading.is_over(_LOOK_EVERY):
                pass
        elif not self._loading.is_over(pace.optimum / 2):
            return None
        if self._loading.failure:
            raise ThreefoldError(self._loading.failure)
        if self._engine is None:
            self._engine = self._loading.engine(self.game, _MEGABYTES, 1)
        return self._engine


def _best(found: "Result[Any]") -> Action:
    assert found.best is not None
    return found.best
