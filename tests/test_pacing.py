"""Time management: what the clock allows, and when a search is told to stop."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import game
from threefold.engine import pacing
from threefold.engine.pacing import Pace, Plan, fixed, pace, think
from threefold.engine.result import Line, Result
from threefold.engine.uncompiled import start_uncompiled

SECONDS = st.floats(0, 10_000)
TO_GO = st.none() | st.integers(-5, 200)


@given(SECONDS, st.floats(0, 100), TO_GO, st.floats(0, 5))
def test_the_overhead_is_kept_back(
    left: float, increment: float, to_go: int | None, overhead: float
) -> None:
    found = pace(left, increment, to_go, overhead)
    assert 0 < found.optimum <= found.maximum
    assert found.maximum <= max(left - overhead, 0.001)


@given(st.floats(0.2, 1000), st.floats(0, 10), st.floats(0, 0.05), st.integers(1, 300))
def test_the_clock_never_runs_out(
    base: float, increment: float, latency: float, moves: int
) -> None:
    """Even if every move takes the maximum, and then some."""
    left = base
    for _ in range(moves):
        used = pace(left, increment, None, overhead=0.06).maximum
        if used <= 0.001:
            return  # nothing is left but to move at once
        left -= used + latency
        assert left > 0
        left += increment


@given(st.floats(1, 1000), st.integers(1, 60), st.integers(1, 5))
def test_a_session_of_moves_is_completed(session: float, moves: int, sessions: int) -> None:
    left = session
    for _ in range(sessions):
        for to_go in range(moves, 0, -1):
            left -= pace(left, 0.0, to_go, overhead=0.05).optimum
            assert left > 0.05
        left += session


@given(SECONDS, SECONDS, st.floats(0, 10), TO_GO)
def test_more_time_is_never_used_for_less_thought(
    one: float, other: float, increment: float, to_go: int | None
) -> None:
    less, more = sorted((one, other))
    assert pace(less, increment, to_go).optimum <= pace(more, increment, to_go).optimum + 1e-9


def test_the_last_move_before_the_control_may_take_what_is_left() -> None:
    assert pace(10, moves_to_go=1).maximum > pace(10, moves_to_go=2).maximum
    assert pace(10, moves_to_go=2).optimum > pace(10, moves_to_go=20).optimum


class Scripted:
    """A search with a script: an answer every second of a clock that only it moves."""

    is_compiling = False

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answers: Sequence[Result[Any]]) -> None:
        self.now_is = 0.0
        self.stopped = False
        self._answers = answers
        monkeypatch.setattr(f"{pacing.__name__}.time.perf_counter", lambda: self.now_is)

    def is_running(self) -> bool:
        return not self.stopped and self.now_is < len(self._answers)

    def wait(self, seen: int, seconds: float) -> int:
        self.now_is = round(min(self.now_is + seconds, int(self.now_is) + 1), 6)
        return int(self.now_is)

    def now(self) -> Result[Any]:
        reached = min(int(self.now_is), len(self._answers))
        return self._answers[reached - 1] if reached else replace(self._answers[0], depth=0)

    def stop(self) -> None:
        self.stopped = True

    def result(self) -> Result[Any]:
        return self.now()


def answers(*found: tuple[int, float], exact: bool = False) -> list[Result[Any]]:
    """Answers by move and value, one for each depth."""
    chess = game("chess")
    return [
        Result(
            chess, chess.initial(), (Line(a, value, None, exact, (a,)),), value, exact, None,
            depth, depth, 0, 0.0,
        )
        for depth, (a, value) in enumerate(found, 1)
    ]  # fmt: skip


PACE = Pace(20, 60)


def seconds_for(
    monkeypatch: pytest.MonkeyPatch, found: list[Result[Any]], at: Pace = PACE
) -> float:
    running = Scripted(monkeypatch, found)
    think(running, at)  # type: ignore[arg-type]
    assert running.stopped
    return running.now_is


def test_a_stable_move_is_made_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    stable = seconds_for(monkeypatch, answers(*[(1, 10.0)] * 100))
    changing = seconds_for(monkeypatch, answers(*[(1, 10.0), (2, 10.0)] * 50))
    falling = seconds_for(monkeypatch, answers(*[(1, 300.0 - 40 * depth) for depth in range(100)]))
    assert stable < PACE.optimum < changing <= PACE.maximum
    assert stable < falling <= PACE.maximum


def test_the_maximum_is_never_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even by a search that reports nothing."""
    (first,) = answers((1, 0.0))
    silent = Scripted(monkeypatch, [replace(first, depth=0)] * 1000)
    monkeypatch.setattr(silent, "wait", lambda seen, seconds: _pass(silent, seconds))
    think(silent, PACE)  # type: ignore[arg-type]
    assert silent.now_is == pytest.approx(PACE.maximum, abs=0.1)


def _pass(running: Scripted, seconds: float) -> int:
    """Time passes, and nothing is reported."""
    running.now_is += seconds
    return 0


def test_a_fixed_time_is_used_whatever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seconds_for(monkeypatch, answers(*[(1, 0.0)] * 100), fixed(30)) == pytest.approx(30)


def test_a_proof_ends_the_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seconds_for(monkeypatch, answers((1, 0.0), (1, 0.0), exact=True)) == 1


def test_an_only_move_is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    chess = game("chess")
    only = chess.parse("k7/8/8/8/8/8/1r6/K7 w - - 0 1")
    (a,) = chess.moves(only)
    found = [replace(x, position=only) for x in answers((a, 0.0), (a, 0.0), (a, 0.0))]
    assert seconds_for(monkeypatch, found) == 1


def test_a_held_answer_waits_for_its_release() -> None:
    tic = game("tic-tac-toe")
    plan = Plan(fixed(0.001), held=True)
    found: list[Result[Any]] = []
    running = start_uncompiled(tic, tic.initial())
    thread = threading.Thread(target=lambda: found.append(plan.think(running)))
    thread.start()
    running.stop()  # the search is over, and still there is no answer
    assert not running.is_running(60)
    thread.join(0.05)
    assert thread.is_alive()
    assert not found
    plan.release()
    thread.join(60)
    assert found[0].best in tic.moves(tic.initial())


def test_pondering_counts_when_the_move_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    running = Scripted(monkeypatch, answers(*[(1, 10.0)] * 100))
    plan = Plan(None, held=True)
    monkeypatch.setattr(
        running, "wait", lambda seen, seconds: _release_at_50(plan, running, seconds)
    )
    plan.think(running)  # type: ignore[arg-type]
    assert 50 <= running.now_is < 52  # far more than the optimum was pondered already


def _release_at_50(plan: Plan, running: Scripted, seconds: float) -> int:
    running.now_is += 1
    if running.now_is == 50:
        plan.release(PACE)
    return int(running.now_is)


def test_the_thinking_ends_when_the_search_is_stopped() -> None:
    tic = game("tic-tac-toe")
    running = start_uncompiled(tic, tic.initial())
    running.stop()
    assert think(running, Pace(1000, 1000)).best in tic.moves(tic.initial())
