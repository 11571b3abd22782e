"""Time management: how long to think about a move, by what is left on the clock.

    running = engine.start(position, history=history)
    found = think(running, pace(left=60.0, increment=1.0))

A `Pace` has two marks. Around the *optimum* a search should end: sooner if its best move has been
the same for many iterations, later if it has just changed or turned out worse than believed. The
*maximum* is never exceeded.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.rules.contract import MIN, Action

S = TypeVar("S")

#: Seconds kept back for every move: for stopping the search, and for whoever passes the move on.
OVERHEAD: Final = 0.05
#: A game without a number of moves to go is expected to last this many more.
_HORIZON: Final = 28
#: However long the game, a move may take at least this share of what is left.
_LEAST_SHARE: Final = 0.02
#: A move takes at most this many times the optimum, and at most this share of what is left.
_LONGEST: Final = 4.0
_MOST_SHARE: Final = 0.75
#: The shortest time that makes sense, in seconds.
_INSTANT: Final = 0.001

#: The optimum is multiplied by this, by how many iterations the best move has been the same.
_BY_STABILITY: Final = (1.6, 1.3, 1.1, 1.0, 0.9, 0.8, 0.7)
#: A fall of the expected points by this much doubles the time; more does not add to that.
_DOUBLING_FALL: Final = 0.1
#: An iteration takes about twice as long as those before it together. It is not begun when less
#: than this share of the time is left.
_LEAST_LEFT: Final = 0.4
#: Seconds between two looks at a search that does not report its better answers.
_LOOK_EVERY: Final = 0.1


@dataclass(frozen=True)
class Pace:
    """How many seconds to think: about the optimum, never more than the maximum."""

    optimum: float
    maximum: float


def pace(
    left: float,
    increment: float = 0.0,
    moves_to_go: int | None = None,
    overhead: float = OVERHEAD,
) -> Pace:
    """The pace with some seconds left on the clock.

    `increment` is added after every move; after `moves_to_go` more moves, if given, the clock is
    set anew. `overhead` is lost with every move, and kept back.
    """
    usable = max(left - overhead, _INSTANT)
    moves = _HORIZON if moves_to_go is None else min(max(moves_to_go, 1), _HORIZON)
    to_share = usable + (increment - overhead) * (moves - 1)
    optimum = min(max(to_share / moves, usable * min(_LEAST_SHARE, 1 / moves)), usable)
    most = usable if moves == 1 else usable * _MOST_SHARE
    maximum = max(min(optimum * _LONGEST, most), _INSTANT)
    return Pace(max(min(optimum, maximum), _INSTANT), maximum)


def fixed(seconds: float) -> Pace:
    """The pace that takes the same time whatever is found."""
    return Pace(seconds, seconds)


def think(
    running: Running[Result[S]],
    pace: Pace,
    *,
    began: float | None = None,
    watch: Callable[[Result[S]], None] | None = None,
) -> Result[S]:
    """Let a search run at a pace, and return its answer.

    Time counts from `began` (by `time.perf_counter`), or from now, and compiling counts too: a
    search that is still compiling when time is up answers with what it has. `watch` is called with
    every better answer. To end the thinking, stop the search.
    """
    began = time.perf_counter() if began is None else began
    plan: Plan[S] = Plan(pace)
    reports, seen = 0, None
    try:
        while running.is_running():
            left = plan.deadline - (time.perf_counter() - began)
            if left <= 0:
                break
            reports = running.wait(reports, min(left, _LOOK_EVERY))
            found = running.now()
            if found.depth == 0 or (found.depth, found.lines) == seen:
                continue
            seen = found.depth, found.lines
            if watch is not None:
                watch(found)
            if plan.is_enough(found, time.perf_counter() - began):
                break
    finally:
        running.stop()
    found = running.now() if running.is_compiling else running.result()
    if watch is not None and (found.depth, found.lines) != seen:
        watch(found)
    return found


class Plan(Generic[S]):
    """When to stop a search, as its answers come in."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._best: Action | None = None
        self._stable = 0
        self._depth = 0
        #: What the player was believed to score, between 0 and 1.
        self._believed = 0.0
        #: After how many seconds to stop, whatever the search is doing.
        self.deadline = pace.maximum

    def is_enough(self, found: Result[S], seconds: float) -> bool:
        """Whether to stop at a better answer after so many seconds."""
        if found.exact or (found.lines and len(found.game.moves(found.position)) == 1):
            return True
        if self._pace.optimum >= self._pace.maximum:  # nothing to decide
            return False
        if found.depth <= self._depth:
            return False
        self._depth = found.depth
        self._stable = self._stable + 1 if found.best == self._best else 0
        self._best = found.best
        share = found.share(found)
        share = 1 - share if found.player == MIN else share
        fall = max(0.0, self._believed - share)
        # A fall counts for some iterations, ever less.
        self._believed = max(share, (self._believed + share) / 2)
        factor = _BY_STABILITY[min(self._stable, len(_BY_STABILITY) - 1)]
        factor *= 1 + min(fall / _DOUBLING_FALL, 1.0)
        self.deadline = min(self._pace.optimum * factor, self._pace.maximum)
        return seconds > self.deadline * (1 - _LEAST_LEFT)
