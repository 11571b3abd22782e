"""Choosing a move of any game with our engine: by limits, at a level, by the clock."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from threefold.engine.limits import Limits
from threefold.engine.pacing import Pace, Plan
from threefold.engine.uncompiled import start_uncompiled
from threefold.errors import ThreefoldError
from threefold.protocols.loading import DEFAULT_MEGABYTES, Loading
from threefold.rules.contract import Action
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.engine.analysis import Engine
    from threefold.engine.level import Level
    from threefold.engine.result import Result
    from threefold.engine.running import Running

#: Seconds a move where nothing else is said.
_DEFAULT_TIME: Final = 1.0
#: Seconds between two looks at the compiler, so that Ctrl-C works meanwhile.
_LOOK_EVERY: Final = 0.2
#: Seconds for a shallow search where waiting for the compiler has taken all of the time.
_SHORTEST: Final = 0.001


class MoveChooser:
    """Our engine for one game, compiled in the background from the moment this is made."""

    def __init__(self, game: Game[Any], limits: Limits, at_level: str | None = None) -> None:
        self.game = game
        self._limits = limits
        self._level: Level | None = None
        if at_level is not None:
            from threefold.engine.levels import level

            self._level = level(at_level)
        self._loading = Loading(game if self._level is None else self._level.view(game))
        self._engine: Engine[Any] | None = None

    def forget(self) -> None:
        """Forget what was found, for a new game."""
        if self._engine is not None:
            self._engine.clear()

    def get_ready(self, seconds: float) -> None:
        """Wait for the compiler at most this long, while no clock runs."""
        if self._loading.is_over(seconds) and not self._loading.failure:
            self._ready_engine(None)

    def choose(
        self, positions: Sequence[Any], pace: Pace | None, seed: int | None = None
    ) -> Action:
        """A move in the last of the positions of a game; the time for it counts from now."""
        plan = Plan(pace)
        game, s = self.game, positions[-1]
        moves = game.moves(s)
        if len(moves) == 1:
            return moves[0]
        engine = self._ready_engine(pace)
        if engine is None:
            assert pace is not None
            left = max(pace.optimum - plan.seconds, _SHORTEST)
            return _best(start_uncompiled(game, s, Limits(time=left)).result())
        if self._level is not None:
            from threefold.engine.levels import Opponent

            opponent = Opponent(game, self._level, seed=seed, engine=engine)
            a = opponent.choose_at_once(s)
            if a is None:
                a = opponent.pick(s, _run(opponent.start(s, positions[:-1]), plan))
            return a
        limits = self._limits
        if limits.endless and pace is None:
            limits = Limits(time=_DEFAULT_TIME)
        return _best(_run(engine.start(s, limits, seed=seed, history=positions[:-1]), plan))

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
            self._engine = self._loading.engine(self._loading.game, DEFAULT_MEGABYTES, threads=1)
        return self._engine


def _run(running: "Running[Result[Any]]", plan: Plan) -> "Result[Any]":
    """What a search finds within its own limits, and the clock's if there is one."""
    return plan.think(running) if plan.has_clock else running.result()


def _best(found: "Result[Any]") -> Action:
    assert found.best is not None
    return found.best
