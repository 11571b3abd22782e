"""Solving within limits: what is known when time, nodes, memory or patience run out."""

import _thread
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import nim
import pytest

from threefold import Game, ThreefoldError, game
from threefold.engine.clock import Clock
from threefold.engine.control import Control
from threefold.engine.limits import Limits
from threefold.engine.records import allocate
from threefold.errors import BrokenRules
from threefold.solve.exact import ExactSearch, Stopped


def test_options_are_checked() -> None:
    g = game("tic-tac-toe")
    with pytest.raises(ThreefoldError, match="no method 'magic': one of auto, graph, table"):
        g.solve(method="magic")
    with pytest.raises(ThreefoldError, match="no detail 'all': one of value, win_in, best, moves"):
        g.solve(detail="all")
    with pytest.raises(ThreefoldError, match="megabytes 0 is not a whole number"):
        g.solve(megabytes=0)
    with pytest.raises(ThreefoldError, match="time -1 is not a number of seconds"):
        g.solve(time=-1)
    with pytest.raises(ThreefoldError, match="solving is for zero-sum games"):
        nim.nim(zero_sum=False).solve()
    with pytest.raises(ThreefoldError, match="solving is for games of perfect information"):
        nim.nim(observe=lambda s, p: 0).solver()


def test_a_graph_that_does_not_fit() -> None:
    g = game("connect-four(columns=4,rows=4)")
    with pytest.raises(ThreefoldError, match="do not fit into 2 MB"):
        g.solve(method="graph", megabytes=2)


@pytest.mark.parametrize("method", ["auto", "graph", "null-window", "proof"])
def test_too_little_time_or_nodes_says_so(method: str) -> None:
    g = game("connect-four")
    for limits in ({"time": 0.05}, {"nodes": 1000}):
        with pytest.raises(ThreefoldError, match="not solved within the limits"):
            g.solve(method=method, megabytes=64, **limits)


class SlowSearch(ExactSearch[Any]):
    """Stops, or is interrupted, before a given question; a question costs a thousand nodes."""

    asked = 0
    at = 10**9
    interrupted = False
    control: Any

    def __init__(self, game: Game[Any], megabytes: int, control: Any) -> None:
        super().__init__(game, megabytes, control)
        self.control = control
        SlowSearch.asked = 0

    def question(self) -> None:
        SlowSearch.asked += 1
        self.control.nodes += 1000
        if SlowSearch.asked == SlowSearch.at:
            if SlowSearch.interrupted:
                _thread.interrupt_main()
                while not self.control.stop:
                    time.sleep(0.001)
            self.control.stop = 1
            raise Stopped

    def bound(self, s: Any, alpha: int, beta: int) -> int:
        self.question()
        return super().bound(s, alpha, beta)

    def value(self, s: Any, *, quickest: bool = True, guess: int = 0) -> int:
        self.question()
        return super().value(s, quickest=quickest, guess=guess)


@pytest.mark.parametrize("interrupted", [False, True])
def test_what_is_known_when_it_is_stopped(
    interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stop before every single question: what is said must be true, and more each time."""
    monkeypatch.setattr("threefold.solve.memory.ExactSearch", SlowSearch)
    monkeypatch.setattr(SlowSearch, "interrupted", interrupted)
    g = game("tic-tac-toe")
    s = g.parse("XX./.O./O.. X")
    monkeypatch.setattr(SlowSearch, "at", 10**9)
    whole = g.solve(s, method="null-window", megabytes=1)
    values = {line.move: line.value for line in whole.lines}
    known = -1
    for at in range(1, SlowSearch.asked):
        monkeypatch.setattr(SlowSearch, "at", at)
        try:
            solution = g.solve(s, method="null-window", megabytes=1)
        except (ThreefoldError, KeyboardInterrupt):
            assert known == -1
            continue
        assert not solution.complete or len(solution.lines) == len(values)
        assert solution.value == whole.value
        assert all(values[line.move] == line.value for line in solution.lines if line.exact)
        assert solution.best in values
        assert len(solution.lines) >= known
        assert str(solution)
        assert json.dumps(solution.to_json())
        known = len(solution.lines)
    assert known == len(values)


def test_nothing_known_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threefold.solve.memory.ExactSearch", SlowSearch)
    monkeypatch.setattr(SlowSearch, "at", 1)
    with pytest.raises(ThreefoldError, match="nothing is known for certain"):
        game("tic-tac-toe").solve(method="null-window", megabytes=1)
    monkeypatch.setattr(SlowSearch, "interrupted", True)
    with pytest.raises(KeyboardInterrupt):
        game("tic-tac-toe").solve(method="null-window", megabytes=1)


def test_broken_rules_are_no_limit() -> None:
    def actions(s: nim.State, out: Any) -> int:
        return 999 if s.stones == 5 else nim_actions(s, out)

    g = nim.nim(actions=actions)
    for method in ("graph", "null-window", "proof"):
        with pytest.raises(BrokenRules, match="actions returned 999"):
            g.solve(method=method, megabytes=1)


nim_actions = nim.actions


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("graph", ["looking for all positions", "retrograde analysis"]),
        ("null-window", ["null-window ████████████████████████ 9/9 moves"]),
    ],
)
def test_progress_says_what_is_going_on(
    method: str, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    @contextmanager
    def status_line(describe: Callable[[float], str]) -> Iterator[None]:
        yield
        heard.append(describe(1.0))

    monkeypatch.setattr(sys.modules["threefold.solve.work"], "StatusLine", status_line)
    game("tic-tac-toe").solve(method=method, megabytes=1)
    assert [line.split("  ")[0] for line in heard] == said
    assert all(re.fullmatch(r".*  [1-9][\d,]* positions  [\d.]+ M/s", line) for line in heard)
    heard.clear()
    game("tic-tac-toe").solve(method=method, megabytes=1, progress=False)
    assert heard == []


def test_a_budget_within_a_budget() -> None:
    words, clock = allocate(Control), Clock(Limits(nodes=1000))
    with clock.enforce(words), clock.counting():
        with clock.at_most(500):
            with clock.at_most(100):
                assert words.node_limit == 100
                words.nodes = 100
                assert clock.expired
                words.stop = 1
            assert words.stop == 0
            assert words.node_limit == 500
            assert not clock.expired
            with clock.at_most(None):
                assert words.node_limit == 500
            words.nodes = 600
            with clock.at_most(100):
                assert words.stop == 1
            assert words.stop == 1
        assert words.stop == 0
        words.nodes = 1000
        assert clock.expired
    assert clock.seconds > 0


def test_a_limit_of_nodes_holds_for_a_graph() -> None:
    g = game("tic-tac-toe")
    with pytest.raises(ThreefoldError, match=r"not solved within the limits.* 10 positions"):
        g.solve(method="graph", nodes=10)
