"""Choosing a move of any game with our engine: by limits, at a level, by the clock."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from threefold.engine.limits import Limits
from threefold.engine.pacing import Pace, Plan
from threefold.engine.uncompiled import start_uncompiled
from threefold.errors import ThreefoldError
from threefold.protocols.loading import DEFAULT_MEGABYTES, Loading
from threefold.rules.contract import Action
from threefold.rules.definition_checks import TREE_SEARCH
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.engine.level import Level
    from threefold.engine.result import Result
    from threefold.engine.running import Running
    from threefold.engine.searchers import GameSearcher

#: What is called with a search that has begun.
Watch: TypeAlias = "Callable[[Running[Result[Any]]], None]"

#: Seconds a move where nothing else is said.
_DEFAULT_TIME: Final = 1.0
#: Seconds between two looks at the compiler, so that Ctrl-C works meanwhile.
_LOOK_EVERY: Final = 0.2
#: Seconds for a shallow search where waiting for the compiler has taken all of the time.
_SHORTEST: Final = 0.001


class MoveChooser:
    """Our engine for one game, compiled in the background from the moment this is made."""

    def __init__(self, game: Game[Any], limits: Limits, at_level: str | None = None) -> None:
        if limits.depth is not None and game.search == TREE_SEARCH:
            raise ThreefoldError(
                f"{game.name} is played by tree search, which has no depth to limit; limit its "
                "time or its nodes, which are simulations"
            )
        self.game = game
        self._limits = limits
        self._level: Level | None = None
        if at_level is not None:
            from threefold.engine.levels import level

            self._level = level(at_level)
        self._loading = Loading(game if self._level is None else self._level.view(game))
        self._engine: GameSearcher[Any] | None = None

    def forget(self) -> None:
        """Forget what was found, for a new game."""
        if self._engine is not None:
            self._engine.clear()

    def get_ready(self, seconds: float) -> None:
        """Wait for the compiler at most this long, while no clock runs."""
        if self._loading.is_over(seconds) and not self._loading.failure:
            self._ready_engine(None)

    def choose(
        self,
        positions: Sequence[Any],
        pace: Pace | None,
        seed: int | None = None,
        watch: Watch = lambda _: None,
        lines: int = 1,
    ) -> Action:
        """A move in the last of the positions of a game; the time for it counts from now.

        `watch` is called with the search once it has begun. That finds as many `lines` as are
        asked for if they cost nothing, as in tree search.
        """
        plan = Plan(pace)
        game, s, history = self.game, positions[-1], positions[:-1]
        moves = game.moves(s, history)
        if len(moves) == 1:
            return moves[0]
        engine = self._ready_engine(pace)
        if engine is None:
            assert pace is not None
            left = max(pace.optimum - plan.seconds, _SHORTEST)
            return _best(
                start_uncompiled(game, s, Limits(time=left), history=history, moves=moves).result()
            )
        if self._level is not None:
            from threefold.engine.levels import Opponent

            opponent = Opponent(game, self._level, seed=seed, engine=engine)
            a = opponent.choose_at_once(s, history)
            if a is None:
                a = opponent.pick(s, _run(opponent.start(s, history), plan, watch))
            return a
        limits = self._limits
        if limits.endless and pace is None:
            limits = Limits(time=_DEFAULT_TIME)
        multipv = 1 if engine.deepens else lines
        running = engine.start(s, limits, multipv=multipv, seed=seed, history=history)
        return _best(_run(running, plan, watch))

    def analyze(
        self,
        positions: Sequence[Any],
        moves: Sequence[Action],
        lines: int,
        is_wanted: Callable[[], bool],
    ) -> "Running[Result[Any]] | None":
        """Start to analyze some moves in the last of the positions, without limits.

        That waits for the compiler; None if the analysis is no longer wanted after that.
        """
        while not self._loading.is_over(_LOOK_EVERY):
            if not is_wanted():
                return None
        engine = self._ready_engine(None)
        assert engine is not None
        s, history = positions[-1], positions[:-1]
        return engine.start(s, Limits(), multipv=lines, history=history, moves=moves)

    def _ready_engine(self, pace: Pace | None) -> "GameSearcher[Any] | None":
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


def _run(running: "Running[Result[Any]]", plan: Plan, watch: Watch) -> "Result[Any]":
    """What a search finds within its own limits, and the clock's if there is one."""
    watch(running)
    return plan.think(running) if plan.has_clock else running.result()


def _best(found: "Result[Any]") -> Action:
    assert found.best is not None
    return found.best
