"""One handle for every search: watched, stopped, interrupted and asked in the same way."""

import _thread
import gc
import itertools
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import nim
import pytest

from threefold import Game, ThreefoldError, game
from threefold.engine import clock as clocks
from threefold.engine import worker
from threefold.engine.analysis import Engine
from threefold.engine.clock import Clock
from threefold.engine.control import NO_LIMIT, Control
from threefold.engine.limits import Limits
from threefold.engine.mcts import MonteCarlo
from threefold.engine.records import allocate
from threefold.engine.running import Running
from threefold.errors import BrokenRules, Unsolved
from threefold.solve.solve import Solver

#: Longer than anybody waits: whatever ends within a test was stopped.
LONG = 3600.0
#: Seconds after which a test is given up; what it waits for takes a small part of that.
PATIENCE = 120.0

Start = Callable[..., Running[Any]]


def by_alphabeta(g: Game[Any], position: str | None = None, **limits: Any) -> Running[Any]:
    return Engine(g, megabytes=1).start(position, Limits(**limits))


def by_simulations(g: Game[Any], position: str | None = None, **limits: Any) -> Running[Any]:
    return MonteCarlo(g, g.position(position), megabytes=1).start(Limits(**limits))


def by_solving(g: Game[Any], position: str | None = None, **limits: Any) -> Running[Any]:
    return Solver(g, megabytes=1).start(position, method="null-window", progress=False, **limits)


every_search = pytest.mark.parametrize("start", [by_alphabeta, by_simulations, by_solving])

#: Connect Four: something is known for certain in a moment, and everything only after minutes.
SLOW = "444444"


def wait_until(condition: Callable[[], bool]) -> bool:
    over = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < over:
        time.sleep(0.01)
    return condition()


def knows_something(running: Running[Any]) -> bool:
    return running._search.found is not None


def ended(running: Running[Any]) -> Any:
    """The answer; None where a solver has found nothing for certain."""
    try:
        return running.result()
    except Unsolved:
        return None


@every_search
def test_a_search_comes_to_its_end(start: Start) -> None:
    with start(game("tic-tac-toe"), "XX./OO./... X") as running:
        answers = list(running)
    assert answers[-1].exact
    assert answers[-1].best == game("tic-tac-toe").parse_move(answers[-1].position, "c3")
    assert not running.is_running()
    assert not running.is_compiling
    assert running.result() is running.result() is running.now() is answers[-1]
    assert list(running) == [answers[-1]], "whoever comes late sees the end"


@every_search
def test_answers_improve(start: Start) -> None:
    watched: list[Any] = []
    with start(game("connect-four"), SLOW) as running:
        for found in itertools.islice(running, 3):
            watched.append(found)
        running.stop()
        watched.append(running.result())
    assert all(found.best in found.game.moves(found.position) for found in watched)
    nodes = [found.nodes for found in watched]
    assert nodes == sorted(nodes)
    assert nodes[0] > 0
    seconds = [found.seconds for found in watched]
    assert seconds == sorted(seconds)


@every_search
def test_a_watcher_sees_the_last_answer(start: Start) -> None:
    watched: list[Any] = []
    found = start(game("tic-tac-toe"), "XX./OO./... X").result(watched.append)
    assert watched[-1] is found


@every_search
def test_what_a_watcher_raises_ends_the_search(start: Start) -> None:
    def watch(_: Any) -> None:
        raise ValueError("enough")

    running = start(game("connect-four"), SLOW, time=LONG)
    with pytest.raises(ValueError, match="enough"):
        running.result(watch)
    assert not running.is_running(PATIENCE)


@every_search
def test_another_thread_may_stop_it(start: Start) -> None:
    running = start(game("connect-four"), SLOW)
    assert wait_until(lambda: knows_something(running))
    before = running.now()
    threading.Timer(0.05, running.stop).start()
    found = running.result()
    assert found.nodes >= before.nodes > 0
    assert found.best in found.game.moves(found.position)
    running.stop()
    assert running.result() is found, "a stop after the end changes nothing"


@every_search
def test_leaving_the_block_leaves_nothing_running(start: Start) -> None:
    with start(game("connect-four"), SLOW, time=LONG) as running:
        assert wait_until(lambda: knows_something(running))
    assert not running.is_running()
    assert not running._worker.is_busy(0)
    assert running.result().nodes > 0
    assert running._search.clock not in clocks._alarms._due


@every_search
def test_leaving_the_block_by_an_error_stops_it_too(start: Start) -> None:
    running = start(game("connect-four"), SLOW)
    assert wait_until(lambda: knows_something(running))
    with pytest.raises(ZeroDivisionError), running:
        raise ZeroDivisionError
    assert not running.is_running()


@every_search
@pytest.mark.parametrize("watched", [False, True])
def test_ctrl_c_gives_the_best_answer_so_far(start: Start, watched: bool) -> None:
    running = start(game("connect-four"), SLOW)
    assert wait_until(lambda: knows_something(running))
    seen: list[Any] = []
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    found = running.result(seen.append if watched else None)
    timer.join()
    assert found.best in found.game.moves(found.position)
    assert not running.is_running()
    assert not watched or seen[-1] is found


class Endless:
    """A search that finds nothing, and stops when it is told to, if at all."""

    found = None

    def __init__(self, *, stubborn: bool = False) -> None:
        self.clock = Clock(Limits())
        self.over = threading.Event()
        self._stubborn = stubborn

    def run(self, _: Any) -> str:
        while not self.over.wait(0.01) and (self._stubborn or not self.clock.expired):
            pass
        return "nothing"

    def answer(self) -> str:
        raise Unsolved("nothing is known")


@pytest.mark.parametrize("stubborn", [False, True])
def test_ctrl_c_is_raised_where_there_is_no_answer(
    stubborn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threefold.engine.running.PATIENCE", 0.1)
    search = Endless(stubborn=stubborn)
    running = Running(search)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        running.result()
    timer.join()
    assert running.is_running() == stubborn
    search.over.set()
    assert running.result() == "nothing"


def test_nothing_is_known_before_it_is() -> None:
    with Running(Endless()) as running, pytest.raises(Unsolved, match="nothing is known"):
        running.now()
    with Solver(game("connect-four")) as solver:
        running_solver = solver.start(method="graph", progress=False)
        running_solver.stop()
        with pytest.raises(Unsolved, match="nothing is known for certain"):
            running_solver.result()


@every_search
def test_a_search_stopped_before_it_began_claims_nothing(start: Start) -> None:
    g = game("connect-four")
    running = start(g)
    running.stop()
    found = ended(running)
    assert found is None or (found.best in g.moves(g.initial()) and not found.exact)


# Limits.


@every_search
def test_time_ends_it(start: Start) -> None:
    g = game("connect-four")
    found = ended(start(g, time=0.1))
    assert found is None or (found.best in g.moves(g.initial()) and not found.exact)


@every_search
def test_a_very_long_time_is_a_time(start: Start) -> None:
    assert start(game("tic-tac-toe"), "XX./OO./... X", time=1e12).result().exact


@every_search
def test_nodes_end_it(start: Start) -> None:
    found = ended(start(game("connect-four"), nodes=5_000))
    assert found is None or 0 < found.nodes <= 5_000


def test_no_limit_is_none_in_python_and_one_word_below() -> None:
    words, clock = allocate(Control), Clock(Limits())
    assert words.node_limit == NO_LIMIT
    assert Limits().endless
    with clock.enforce(words), clock.counting():
        assert words.node_limit == NO_LIMIT
        with clock.at_most(None):
            assert words.node_limit == NO_LIMIT
        assert not clock.expired
    assert clock.seconds > 0
    assert clock.seconds_left == float("inf")


def test_nodes_are_shared_and_counted_from_where_they_are() -> None:
    first, second, clock = allocate(Control), allocate(Control), Clock(Limits(nodes=100))
    first.nodes = second.nodes = 7
    with clock.enforce(first, second):
        assert first.node_limit == second.node_limit == 57
        assert not clock.expired
        second.nodes = 57
        assert clock.expired


def test_a_stop_reaches_what_begins_later_and_not_what_is_over() -> None:
    words, clock = allocate(Control), Clock(Limits())
    clock.stop()
    with clock.enforce(words):
        assert words.stop == 1
        words.stop = 0
    clock.stop()
    assert words.stop == 0


def test_only_the_time_within_its_blocks_counts() -> None:
    words, clock = allocate(Control), Clock(Limits(time=0.05))
    with clock.enforce(words):
        time.sleep(0.1)  # compiling
        assert not clock.expired
        assert clock.seconds == 0
        with clock.counting():
            assert wait_until(lambda: bool(words.stop))
    assert clock.expired
    assert clock.seconds >= 0.05


def test_one_thread_keeps_the_time_for_all() -> None:
    clock, soon = Clock(Limits(time=LONG)), Clock(Limits(time=0.05))
    with clock.counting(), soon.counting():
        keepers = [each for each in threading.enumerate() if each.name == "clock"]
        assert len(keepers) == 1
        assert wait_until(lambda: soon.expired)
        assert not clock.expired
    assert wait_until(lambda: not keepers[0].is_alive()), "it goes when nobody needs it"
    with Clock(Limits(time=0.01)).counting():
        assert clocks._alarms._thread is not None


# Failures, and what is left behind.


def broken() -> Game[Any]:
    def actions(s: nim.State, out: Any) -> int:
        return 999 if s.stones == 5 else nim_actions(s, out)

    return nim.nim(actions=actions)


nim_actions = nim.actions


@every_search
def test_rules_that_fail_raise_each_time(start: Start) -> None:
    running = start(broken())
    for _ in range(2):
        with pytest.raises(BrokenRules, match="actions returned 999"):
            running.result()
    with running:
        pass
    with start(broken()) as another, pytest.raises(BrokenRules, match="actions returned 999"):
        for _ in another:
            pass


@every_search
def test_a_search_leaves_nothing_behind(start: Start) -> None:
    """Not even until the garbage is collected: a table is large."""
    g = game("tic-tac-toe")
    gc.collect()
    gc.disable()
    try:
        running = start(g, "XX./OO./... X", time=LONG)
        for _ in running:
            pass
        gone = weakref.ref(running), weakref.ref(running._search)
        del running
        assert [each() for each in gone] == [None, None]
    finally:
        gc.enable()


def test_a_solver_takes_turns() -> None:
    with Solver(game("connect-four"), megabytes=16) as solver:
        first = solver.start(SLOW, progress=False)
        assert wait_until(lambda: knows_something(first))
        second = solver.start("243335424257", progress=False, detail="value")
        assert second.is_running()
        first.stop()
        assert not first.result().complete
        found = second.result()
        assert found.exact
        first.stop()  # which is over, and has the same shared words
        assert solver.solve("243335424257", detail="value").value == found.value


def test_a_search_that_waits_its_turn_can_be_stopped() -> None:
    with Solver(game("connect-four"), megabytes=16) as solver:
        first = solver.start(SLOW, progress=False)
        assert wait_until(lambda: knows_something(first))
        second = solver.start(SLOW, progress=False)
        second.stop()
        with pytest.raises(Unsolved):
            second.result()
        assert first.is_running()
        third = solver.start(SLOW, progress=False)
        solver.stop()  # at once, and also what has not begun
        with pytest.raises(Unsolved):
            third.result()
        assert not first.result().complete

    tree = MonteCarlo(game("connect-four"), game("connect-four").initial())
    with tree.start(Limits()) as endless:
        assert wait_until(lambda: endless.now().nodes > 0)
        waiting = tree.start(Limits())
        waiting.stop()
        assert waiting.result().best is not None
        assert endless.is_running()


def test_an_error_is_the_same_each_time() -> None:
    with Solver(game("connect-four"), megabytes=16) as solver:
        running = solver.start(progress=False, nodes=10)
        messages = []
        for ask in (running.result, running.now, lambda: list(running)):
            with pytest.raises(Unsolved) as caught:
                ask()
            messages.append(str(caught.value))
    assert len({*messages}) == 1
    assert "not solved within the limits" in messages[0]


def test_a_solver_that_is_closed_lets_go() -> None:
    solver = Solver(game("connect-four"), megabytes=16)
    running, waiting = (solver.start(SLOW, progress=False) for _ in range(2))
    assert wait_until(lambda: knows_something(running) or knows_something(waiting))
    solver.close()
    ended = []
    for each in (running, waiting):
        try:
            ended.append(each.result().complete)
        except ThreefoldError as error:
            ended.append("closed" in str(error))
    assert sorted(ended) == [False, True]
    assert solver._memory is None
    with pytest.raises(ThreefoldError, match=r"closed; game\.solver\(\) makes another"):
        solver.start(SLOW)


def test_a_tree_is_grown_by_one_at_a_time() -> None:
    g = game("othello")
    tree = MonteCarlo(g, g.initial(), megabytes=16)
    both = [tree.start(Limits(nodes=500)) for _ in range(2)]
    assert max(running.result().nodes for running in both) == 1000


def test_a_game_starts_a_search_by_any_method() -> None:
    g = game("connect-four")
    for method in ("alphabeta", "mcts"):
        with g.start("4444", method=method) as running:
            found = next(iter(running))
        assert found.best in g.moves(g.parse("4444"))
    answers = g.stream("4444", method="mcts", nodes=2000)
    assert list(answers)[-1].nodes == 2000


def test_compiling_is_said_and_never_waited_for(
    monkeypatch: pytest.MonkeyPatch, fresh_cache: Any
) -> None:
    del fresh_cache
    from threefold.engine.jit.entries import Entry

    begun, go_on = threading.Event(), threading.Event()
    compile_really = Entry._compile

    def compile_slowly(entry: Entry, signature: tuple[Any, ...]) -> None:
        begun.set()
        go_on.wait(PATIENCE)
        compile_really(entry, signature)

    monkeypatch.setattr(Entry, "_compile", compile_slowly)
    running = Engine(nim.nim()).start()
    assert begun.wait(PATIENCE)
    assert running.is_compiling
    assert running.is_running()
    assert running.now().best == 1
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        running.result()
    timer.join()
    running.close()
    assert running.is_compiling
    go_on.set()
    assert running.result().best == 1
    assert not running.is_compiling


def test_threads_that_searched_are_used_again() -> None:
    g = game("tic-tac-toe")
    start = by_alphabeta
    for _ in range(20):
        start(g, depth=2).result()
    assert len(worker._idle) <= worker._MOST_IDLE
