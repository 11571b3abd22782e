"""Time management: how long to think about a move, by what is left on the clock.

    running = engine.start(position, history=history)
    found = think(running, pace(left=60.0, increment=1.0))

A `Pace` has two marks. Around the *optimum* a search should end: sooner if its best move has been
the same for many iterations, later if it has just changed or turned out worse than believed. The
*maximum* is never exceeded.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from threefold.engine.result import Line, Result
from threefold.engine.running import Running
from threefold.rules.contract import MIN, Action

S = TypeVar("S")

#: Seconds kept back: for stopping the search, and for whoever passes the move on.
OVERHEAD: Final = 0.05
#: A game without a number of moves to go is expected to last this many more.
_HORIZON: Final = 28
#: A move takes at most this many times the optimum,
_LONGEST: Final = 4.0
#: and at most this share of what is left, unless it is the last before more is added. The optimum
#: is at most the same share of the maximum.
_MOST_SHARE: Final = 0.75
#: The shortest time that makes sense, in seconds.
_INSTANT: Final = 0.001

#: The optimum is multiplied by this, by how many iterations the best move has been the same.
_BY_STABILITY: Final = (2.2, 1.8, 1.5, 1.3, 1.15, 1.0, 0.9)
#: A fall of the expected points by this much doubles the time; more does not add to that.
_DOUBLING_FALL: Final = 0.1
#: An iteration takes about twice as long as those before it together. It is not begun when less
#: than this share of the time is left.
_LEAST_LEFT: Final = 0.4
#: Seconds that a search without any answer yet may take beyond its time.
_GRACE: Final = 0.02
#: Seconds between two looks at whether the answer is still held back, and between two questions to
#: a search that does not report its better answers.
_LOOK_EVERY: Final = 0.01
_ASK_EVERY: Final = 0.1


@dataclass(frozen=True)
class Pace:
    """How many seconds to think: about the optimum, never more than the maximum."""

    optimum: float
    maximum: float

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to decide."""
        return self.optimum >= self.maximum


def pace(
    left: float,
    increment: float = 0.0,
    moves_to_go: int | None = None,
    overhead: float = OVERHEAD,
) -> Pace:
    """The pace with some seconds left on the clock.

    `increment` is added after every move; after `moves_to_go` more moves, if given, the clock is
    set anew. `overhead` is always kept back.
    """
    usable = max(left - overhead, _INSTANT)
    moves = _HORIZON if moves_to_go is None else min(max(moves_to_go, 1), _HORIZON)
    to_share = usable + increment * (moves - 1)
    optimum = to_share / moves
    maximum = min(optimum * _LONGEST, usable if moves == 1 else usable * _MOST_SHARE)
    return Pace(min(optimum, maximum * _MOST_SHARE), maximum)


def fixed(seconds: float) -> Pace:
    """The pace that takes the same time whatever is found."""
    return Pace(seconds, seconds)


def think(
    running: Running[Result[S]],
    pace: Pace,
    *,
    watch: Callable[[Result[S]], None] | None = None,
) -> Result[S]:
    """Let a search run at a pace from now on, and return its answer.

    `watch` is called with every better answer. To end the thinking, stop the search.
    """
    return Plan(pace).think(running, watch=watch)


class Plan:
    """When to stop a search, as its answers come in.

    Time counts from when the plan is made. A plan that is *held*, as while pondering, stops nothing
    and gives no answer until it is released, even if the search has come to its end.
    """

    def __init__(self, pace: Pace | None = None, *, held: bool = False) -> None:
        self._pace = pace
        self._began = time.perf_counter()
        self._released = threading.Event()
        if not held:
            self._released.set()
        #: By how much the optimum is multiplied; None before the first answer.
        self._factor: float | None = None
        self._depth = 0
        self._best: Action | None = None
        self._stable = 0
        #: What the player was believed to score, between 0 and 1.
        self._believed = 0.0

    def release(self, pace: Pace | None = None) -> None:
        """Hold the answer back no longer; from now on there may be another pace."""
        if pace is not None:
            self._pace = pace
        self._released.set()

    def wait(self) -> None:
        """Wait until the answer may be given."""
        self._released.wait()

    @property
    def has_clock(self) -> bool:
        """Whether there is a pace to keep."""
        return self._pace is not None

    @property
    def seconds(self) -> float:
        """How long ago the plan was made."""
        return time.perf_counter() - self._began

    @property
    def seconds_left(self) -> float:
        """Until the search is to stop, by what it has found so far."""
        if self._pace is None or not self._released.is_set():
            return math.inf
        return self._deadline(self._pace) - self.seconds

    def think(
        self,
        running: Running[Result[S]],
        *,
        watch: Callable[[Result[S]], None] | None = None,
        enough: Callable[[Result[S]], bool] | None = None,
    ) -> Result[S]:
        """Let a search run by the plan, and return its answer.

        Compiling takes its time like anything else: a search that is still compiling when time is
        up answers with what it has. `watch` is called with every better answer, and with the last
        if it took more work. `enough` says of a better answer whether it ends the search.
        """
        reports, looked = 0, 0.0
        seen: tuple[int, tuple[Line, ...]] | None = None
        nodes = 0
        try:
            while running.is_running():
                held = not self._released.is_set()
                left = self.seconds_left
                if left <= (0.0 if seen else -_GRACE):
                    break
                before = reports
                reports = running.wait(before, min(max(left, _INSTANT), _LOOK_EVERY))
                if reports == before and self.seconds < looked + _ASK_EVERY:
                    continue
                looked = self.seconds
                found = running.now()
                if found.depth == 0 or (found.depth, found.lines) == seen:
                    continue
                seen, nodes = (found.depth, found.lines), found.nodes
                if watch is not None:
                    watch(found)
                settled = self._learn(found) or (enough is not None and enough(found))
                if settled or (not held and self._is_late()):
                    break
        finally:
            running.stop()
        self.wait()
        found = running.now() if running.is_compiling else running.result()
        if watch is not None and (found.depth, found.lines, found.nodes) != (*(seen or ()), nodes):
            watch(found)
        return found

    def _deadline(self, pace: Pace) -> float:
        if self._factor is None or pace.is_fixed:
            return pace.maximum
        return min(pace.optimum * self._factor, pace.maximum)

    def _is_late(self) -> bool:
        """Whether the next iteration would not end in time."""
        pace = self._pace
        if pace is None or pace.is_fixed:
            return False
        return self.seconds > self._deadline(pace) * (1 - _LEAST_LEFT)

    def _learn(self, found: Result[S]) -> bool:
        """Take a better answer into account; whether no better one is to be expected."""
        if self._pace is not None and len(found.game.moves(found.position)) == 1:
            return True
        if found.depth > self._depth:
            self._depth = found.depth
            self._stable = self._stable + 1 if found.best == self._best else 0
            self._best = found.best
            share = found.share(found)
            share = 1 - share if found.player == MIN else share
            fall = max(0.0, self._believed - share)
            # A fall counts for some iterations, ever less.
            self._believed = max(share, (self._believed + share) / 2)
            factor = _BY_STABILITY[min(self._stable, len(_BY_STABILITY) - 1)]
            self._factor = factor * (1 + min(fall / _DOUBLING_FALL, 1.0))
        return self._pace is not None and found.exact
