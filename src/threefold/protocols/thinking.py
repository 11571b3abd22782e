"""What all chess protocols share: an engine with its settings, and thinking about a position.

A `Thinker` has the engine. `Thinker.think` starts a `Thought` in the background, which reports its
better answers and at the end its best one, exactly once. Where the engine is still compiling, a
shallow search that needs no compiling stands in for it, so that no clock runs out.
"""

import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from threefold.engine.limits import MAX_DEPTH, Limits
from threefold.engine.pacing import OVERHEAD, Pace, Plan, fixed, pace
from threefold.engine.result import Line, Result
from threefold.engine.running import Running
from threefold.engine.uncompiled import start_uncompiled
from threefold.errors import ThreefoldError
from threefold.games import game as named_game
from threefold.games.chess.rules import State
from threefold.protocols.game_so_far import GameSoFar
from threefold.protocols.loading import DEFAULT_MEGABYTES, Loading
from threefold.protocols.strength import level_for
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.net_files import names_a_file
from threefold.rules.terms import Weight
from threefold.rules.weights_file import is_net, read_weights

if TYPE_CHECKING:
    from threefold.engine.searchers import GameSearcher

Found: TypeAlias = Result[State]
Watch: TypeAlias = Callable[[Found], None]
Complain: TypeAlias = Callable[[str], None]

#: The overhead takes at most this share of a fixed time for a move.
_KEPT_BACK: Final = 0.1
_SHORTEST: Final = 0.001
#: Seconds that the search without compiling may take from the compiler.
_MEANWHILE: Final = 2.0
#: Seconds between two looks at whether compiling is over.
_LOOK_EVERY: Final = 0.005
#: Seconds for the answer of a search that was stopped before its first depth.
_FIRST_SIGHT: Final = 0.05
#: Seconds that a thought may take to end after it was told to.
_PATIENCE: Final = 2.0


@dataclass(frozen=True)
class Order:
    """What to think about a position: how long, and about which moves."""

    limits: Limits = field(default_factory=Limits)
    #: What the clock allows; None where only the limits end the search.
    pace: Pace | None = None
    #: Whether to hold the answer back until it is released, as for `ponder` and `infinite`.
    held: bool = False
    multipv: int = 1
    #: The only moves to consider; all if there are none.
    moves: tuple[Action, ...] = ()
    #: Stop at a win in at most this many moves of ours.
    mate: int | None = None
    #: The strength to play at, in Elo; full strength if None.
    elo: int | None = None

    def is_mate(self, found: Found) -> bool:
        """Whether the mate that was asked for is found."""
        if self.mate is None or found.win_in is None:
            return False
        return 0 < found.win_in <= 2 * self.mate - 1


def mate_depth(moves: int) -> int:
    """How deep to look at most for a mate in this many moves.

    Quiet moves are searched less deeply, so that takes more plies than the mate.
    """
    return min(3 * moves + 6, MAX_DEPTH)


class Thinker:
    """An engine for chess and Chess960, with its settings."""

    def __init__(
        self,
        evaluation: str | None = None,
        weights: Mapping[str, Weight] | None = None,
        database: str | None = None,
    ) -> None:
        self.overhead = OVERHEAD
        self.chess960 = False
        self.megabytes = DEFAULT_MEGABYTES
        self.threads = 1
        self._evaluation = evaluation
        self._weights = weights
        self._database = database
        self._engine: GameSearcher[State] | None = None
        self._lock = threading.Lock()
        self._rng = random.Random()
        self._use(evaluation, weights)

    @property
    def game(self) -> Game[State]:
        """Chess, or Chess960, with the evaluation in use."""
        return self._games[self.chess960]

    def evaluate_by(self, file: str) -> None:
        """Evaluate by a file: a net, or weights of terms; if there is none, as at first."""
        if not file:
            self._use(self._evaluation, self._weights)
        elif is_net(Path(file)):
            self._use(file, None)
        else:
            weights = read_weights(Path(file))
            named = self._evaluation
            self._use(None if named is not None and names_a_file(named) else named, weights)

    def look_into(self, folder: str) -> None:
        """Look into the database of end-games in a folder; into none if there is no name."""
        before, self._database = self._database, folder or None
        try:
            self._use(*self._used)
        except ThreefoldError:
            self._database = before
            raise

    def _use(self, evaluation: str | None, weights: Mapping[str, Weight] | None) -> None:
        """Use an evaluation and weights for its terms."""
        specs = {False: "chess", True: "chess(chess960=true)"}
        games: dict[bool, Game[State]] = {
            chess960: named_game(spec).using(evaluation, weights=weights)
            for chess960, spec in specs.items()
        }
        if self._database is not None:
            games = {each: game.with_database(self._database) for each, game in games.items()}
        self._used = evaluation, weights
        with self._lock:
            self._games = games
            self._loading = Loading(games[False])
            self._engine = None

    def use(self, *, megabytes: int | None = None, threads: int | None = None) -> None:
        """Use a table of another size, or more threads, from the next search on."""
        before = self.megabytes, self.threads
        self.megabytes = self.megabytes if megabytes is None else megabytes
        self.threads = self.threads if threads is None else threads
        with self._lock:
            self._engine = None
        try:
            self.get_ready()
        except MemoryError:
            wanted = self.megabytes
            self.megabytes, self.threads = before
            raise ThreefoldError(f"there is no memory for a table of {wanted} MB") from None

    def get_ready(self) -> None:
        """Make what the next search needs, before a clock runs; not while it is compiled."""
        with self._lock:
            if self.is_ready() and not self.failure:
                self._ready_engine()

    def _ready_engine(self) -> "GameSearcher[State]":
        """The engine, made anew if it is for another game or other settings."""
        if self._engine is None or self._engine.game is not self.game:
            self._engine = self._loading.engine(self.game, self.megabytes, self.threads)
        return self._engine

    def clear(self) -> None:
        """Forget what was found, for a new game."""
        with self._lock:
            if self._engine is not None:
                self._engine.clear()

    def is_ready(self, seconds: float = 0.0) -> bool:
        """Wait at most this long; whether compiling is over."""
        return self._loading.is_over(seconds)

    @property
    def failure(self) -> str:
        """Why there is no compiled search; empty if there is one, or if it is not known yet."""
        return self._loading.failure

    def pace(self, left: float, increment: float, moves_to_go: int | None) -> Pace:
        """The pace with some seconds left on the clock."""
        return pace(left, increment, moves_to_go, self.overhead)

    def fixed_pace(self, seconds: float) -> Pace:
        """The pace of a fixed time for the move."""
        seconds = max(seconds, _SHORTEST)
        return fixed(seconds - min(self.overhead, seconds * _KEPT_BACK))

    def start(self, so_far: GameSoFar, order: Order) -> Running[Found]:
        """Start the search that an order asks for."""
        game, s = self.game, so_far.position
        if not game.moves(s):  # it may be drawn by rule, and still go on
            return start_uncompiled(game, s, Limits(depth=1), moves=order.moves)
        with self._lock:
            if not self.is_ready() or self.failure:
                return start_uncompiled(
                    game, s, order.limits, history=so_far.history, moves=order.moves
                )
            return self._ready_engine().start(
                s,
                order.limits,
                multipv=order.multipv,
                history=so_far.history,
                moves=order.moves,
            )

    def at_strength(self, so_far: GameSoFar, order: Order) -> tuple[Order, Action | None]:
        """The order for a player of the strength that it asks for, or a random move instead."""
        if order.elo is None:
            return order, None
        level = level_for(order.elo, self._rng)
        if self._rng.random() * 100 < level.slips:
            return order, self._rng.choice(order.moves or so_far.game.all_moves(so_far.position))
        depth = min(order.limits.depth or MAX_DEPTH, level.depth or MAX_DEPTH)
        time = min(order.limits.time or level.time, level.time)
        return replace(order, limits=replace(order.limits, depth=depth, time=time)), None

    def think(
        self, so_far: GameSoFar, order: Order, watch: Watch, done: Watch, trouble: Complain
    ) -> "Thought":
        """Start thinking in the background.

        There, `watch` hears of better answers, `done` of the last one and `trouble` of what went
        wrong.
        """
        return Thought(self, so_far.copy(), order, watch, done, trouble)


class Thought:
    """Thinking about one position, in the background."""

    def __init__(
        self,
        thinker: Thinker,
        so_far: GameSoFar,
        order: Order,
        watch: Watch,
        done: Watch,
        trouble: Complain,
    ) -> None:
        self._thinker = thinker
        self._so_far = so_far
        self._order = order
        self._watch = watch
        self._done = done
        self._trouble = trouble
        self._plan = Plan(order.pace, held=order.held)
        self._running: Running[Found] | None = None
        #: Whether the answer is a random move, as weak players make them.
        self._slipped = False
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True, name="thinking")
        self._thread.start()

    def stop(self) -> None:
        """End the thinking; its answer is given in a moment."""
        with self._lock:
            self._stopped.set()
            if self._running is not None:
                self._running.stop()
        self._plan.release()

    def release(self, pace: Pace | None = None) -> None:
        """Hold the answer back no longer: the move that was pondered on has been played."""
        self._plan.release(pace)

    def wait(self) -> None:
        """Wait until the answer was given."""
        self._thread.join(_PATIENCE)

    @property
    def latest(self) -> Found:
        """The best answer so far."""
        running = self._running
        return self._first_move() if running is None else running.now()

    def _run(self) -> None:
        try:
            found = self._think()
            if found.depth == 0 and found.lines and not self._slipped:
                found = self._at_first_sight()
        except Exception as error:  # whatever happened, there is a legal move to make
            self._trouble(f"{type(error).__name__}: {error}")
            found = self._first_move()
        self._plan.wait()
        self._done(found)

    def _think(self) -> Found:
        found = self._meanwhile()
        if found is not None and not self._thinker.is_ready():
            self._trouble("the engine is still being compiled; this is a shallow search")
            return found
        order, slip = self._thinker.at_strength(self._so_far, self._order)
        if slip is not None:
            self._slipped = True
            return self._answer(slip)
        self._run_search(self._thinker.start(self._so_far, order))
        assert self._running is not None
        deeper = self._plan.think(self._running, watch=self._watch, enough=order.is_mate)
        return found if found is not None and deeper.depth == 0 else deeper

    def _meanwhile(self) -> Found | None:
        """What a search without compiling finds until compiling is over, or time is up."""
        if self._thinker.is_ready():
            return None
        self._run_search(
            start_uncompiled(
                self._so_far.game,
                self._so_far.position,
                Limits(time=_MEANWHILE),
                history=self._so_far.history,
                moves=self._order.moves,
            )
        )
        assert self._running is not None
        shown = 0
        with self._running as running:
            while not (
                self._thinker.is_ready(_LOOK_EVERY)
                or self._stopped.is_set()
                or self._plan.seconds_left <= 0
            ):
                if (reports := running.wait(shown, 0.0)) > shown:
                    shown = reports
                    self._watch(running.now())
        return running.now()

    def _run_search(self, running: Running[Found]) -> None:
        """Make a search the one that is stopped by `stop`, also if that was before."""
        with self._lock:
            self._running = running
            if self._stopped.is_set():
                running.stop()

    def _at_first_sight(self) -> Found:
        """The move that looks best before any answer to it is considered."""
        return start_uncompiled(
            self._so_far.game,
            self._so_far.position,
            Limits(depth=1, time=_FIRST_SIGHT),
            history=self._so_far.history,
            moves=self._order.moves,
        ).result()

    def _first_move(self) -> Found:
        moves = self._order.moves or self._so_far.game.all_moves(self._so_far.position)
        return self._answer(*moves[:1])

    def _answer(self, *moves: Action) -> Found:
        """An answer without thinking."""
        lines = tuple(Line(a, 0.0, None, False, (a,)) for a in moves)
        game, s = self._so_far.game, self._so_far.position
        return Result(game, s, lines, 0.0, False, None, 0, 0, 0, 0.0)
