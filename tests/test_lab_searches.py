"""The lab's searches end when they should, and take no more memory than there is for all."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lab_client import Page, connect, opened
from processes import path_with, run
from starlette.testclient import TestClient

from threefold import game
from threefold.engine import worker
from threefold.engine.limits import Limits
from threefold.engine.mcts import MonteCarlo
from threefold.errors import ThreefoldError
from threefold.lab import memory as memory_of_the_lab
from threefold.lab import server
from threefold.lab.memory import Busy, Loan, Memory, Need
from threefold.lab.searching import METHODS
from threefold.lab.server import application
from threefold.lab.stopping import Stop

#: Longer than anybody waits: whatever ends within a test was stopped.
LONG = 3600
#: Seconds after which a test is given up; what it waits for takes a small part of that.
PATIENCE = 120.0

SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("analyse", {"game": "connect-four", "time": LONG}),
    ("analyse", {"game": "othello", "time": LONG, "multipv": 5}),
    ("analyse", {"game": "othello", "time": LONG, "method": "mcts"}),
    ("reply", {"game": "othello", "time": LONG}),
    ("review", {"game": "othello", "moves": ["d3", "c3"], "time": 30}),
    ("solve", {"game": "connect-four", "time": 120}),
    ("solve", {"game": "checkers", "time": 120}),
    ("explain", {"procedure": "minimax", "game": "checkers", "depth": 12}),
]


@pytest.fixture
def client() -> Iterator[TestClient]:
    with opened(application()) as one:
        yield one


def wait_until(condition: Callable[[], bool]) -> bool:
    over = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < over:
        time.sleep(0.02)
    return condition()


@pytest.mark.parametrize(("what", "fields"), SEARCHES)
def test_every_search_is_stopped_at_a_word(
    client: TestClient, what: str, fields: dict[str, Any]
) -> None:
    with connect(client) as socket:
        page = Page(socket)
        number = page.send(what, **fields)
        time.sleep(0.3)  # it is under way, or still compiles
        page.send("stop", which=number)
        message = page.receive(number)  # within the limit of the test, not of the search
        assert len(message.get("answer", {}).get("plies", ())) < 3, "a review ends halfway"
        assert "something went wrong" not in message.get("error", "")


def test_a_page_that_leaves_takes_its_searches_with_it(client: TestClient) -> None:
    def searching() -> int:
        """The threads at work; those that wait for the next search or request do not count."""
        resting = {*worker._idle}
        return sum(
            each not in resting and not each.name.startswith("answer")
            for each in threading.enumerate()
        )

    before = searching()
    with ExitStack() as pages:
        for number in range(20):
            page = Page(pages.enter_context(connect(client)))
            page.send("analyse", game="othello", method=METHODS[number % 2], time=LONG)
        assert wait_until(lambda: searching() > before + 20)
    assert wait_until(lambda: searching() <= before), threading.enumerate()


def test_monte_carlo_tree_search_reports_on_the_way(client: TestClient) -> None:
    with connect(client) as socket:
        page = Page(socket)
        answer = page.ask("analyse", game="othello", method="mcts", time=1.0, multipv=2)
        assert len(answer["moves"]) == 2
        assert any(news.get("nodes") for news in page.news)
        assert page.ask("analyse", game="tic-tac-toe", method="mcts", time=LONG)["exact"]


def test_monte_carlo_tree_search_stopped_before_it_began_names_a_move() -> None:
    g = game("othello")
    running = MonteCarlo(g, g.initial()).start(Limits())
    running.stop()
    found = running.result()
    assert found.best in g.moves(g.initial())
    assert not found.exact


def test_a_page_is_told_of_compiling(client: TestClient, fresh_cache: Path) -> None:
    del fresh_cache
    with connect(client) as socket:
        page = Page(socket)
        for method in METHODS:
            page.news.clear()
            assert page.ask("analyse", game="nim", method=method, time=0.1)["moves"]
            assert {"compiling": "Nim"} in page.news


def test_a_stop_is_told_to_whoever_comes_late() -> None:
    stop, told = Stop(), []
    with stop.notifying(lambda: told.append("early")):
        stop.set()
    with stop.notifying(lambda: told.append("late")):
        pass
    stop.set()
    assert told == ["early", "late"]
    assert stop()


# Memory.


def lent(memory: Memory, need: Need, stop: Stop | None = None) -> tuple[Loan, list[Any]]:
    asking = memory.lend(need, stop or Stop())
    news = []
    try:
        while True:
            news.append(next(asking))
    except StopIteration as done:
        return done.value, news


def test_memory_is_lent_and_given_back() -> None:
    memory = Memory(100)
    one, news = lent(memory, Need(30))
    with one as megabytes:
        assert (megabytes, memory.free, news) == (30, 70, [])
        with lent(memory, Need(90, least=10, leave=20))[0] as rest:
            assert rest == 25, "half of what is left when others got theirs"
            assert memory.free == 45
    assert memory.free == 100


def test_who_must_wait_is_told_so_and_gets_what_comes_back() -> None:
    memory = Memory(100)
    first, _ = lent(memory, Need(50))
    threading.Timer(0.2, first.__exit__, (None, None, None)).start()
    second, news = lent(memory, Need(50, least=40))
    assert second.megabytes == 50
    assert "The lab is solving for others" in news[0]["waiting"]


def test_who_waits_too_long_is_asked_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_of_the_lab, "SECONDS_TO_WAIT", 0.05)
    memory = Memory(100)
    with pytest.raises(Busy, match=r"^The lab is solving for others, .*; try again in a moment$"):
        lent(memory, Need(100, least=60))
    assert memory.free == 100


def test_a_page_that_leaves_waits_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_of_the_lab, "SECONDS_TO_WAIT", LONG)
    stop = Stop()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(Busy):
        lent(Memory(100), Need(100, least=60), stop)


def resident_megabytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 >> 20


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells")
def test_memory_of_a_search_that_failed_goes_back_to_the_system() -> None:
    def search(arrays: int) -> None:
        held = [np.ones(2 << 17) for _ in range(arrays)]  # 2 MB each
        raise ThreefoldError(f"{len(held)} tables were not enough")

    memory, before = Memory(1000), resident_megabytes()
    failure = None
    try:
        with Loan(memory, 400):
            search(200)
    except ThreefoldError as error:
        failure = error  # it holds its frames, and they held the tables
    assert failure is not None
    memory.tidy_up()
    assert resident_megabytes() < before + 200


#: Thirty searches in a lab of its own, and what they leave: other tests' code and threads, which
#: come and go in this process, take memory too.
MANY_SMALL_SEARCHES = """
import time
from contextlib import ExitStack
from lab_client import Page, connect, opened
from test_lab_searches import LONG, resident_megabytes, wait_until
from threefold.lab.server import application

with opened(application()) as client:
    with connect(client) as socket:  # all that is loaded and compiled once
        Page(socket).ask("analyse", game="othello", time=0.1)
    before = resident_megabytes()
    with ExitStack() as pages:
        for _ in range(15):
            page = Page(pages.enter_context(connect(client)))
            page.send("analyse", game="othello", time=LONG)
            page.send("analyse", game="othello", time=LONG)
        assert wait_until(lambda: resident_megabytes() > before + 200)
        time.sleep(3)  # and more, as the tables fill
        most = resident_megabytes()
    # Some of it stays, for the pages and their threads.
    enough = before + 0.75 * (most - before)
    assert wait_until(lambda: resident_megabytes() < enough), (before, most, resident_megabytes())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells")
def test_memory_of_many_small_searches_goes_back_to_the_system() -> None:
    here = path_with(Path(__file__).parent)
    run(
        [sys.executable, "-c", MANY_SMALL_SEARCHES],
        env=os.environ | {"PYTHONPATH": here},
        check=True,
    )


def test_all_pages_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_of_the_lab, "SECONDS_TO_WAIT", 0.2)
    memory = Memory(300)
    monkeypatch.setattr(server, "Memory", lambda: memory)
    with opened(application()) as client, connect(client) as one, connect(client) as another:
        solving, waiting = Page(one), Page(another)
        number = solving.send("solve", game="connect-four", time=120)
        assert wait_until(lambda: memory.free < 300)
        said = waiting.refused("solve", game="connect-four", time=120)
        assert said.startswith("The lab is solving for others")
        assert waiting.news[-1]["waiting"].startswith("The lab is solving for others")
        move = waiting.ask("reply", game="connect-four", time=0.1)
        assert move["move"], "a move is answered all the same"
        solving.send("stop", which=number)
        solving.receive(number)
        assert wait_until(lambda: memory.free == 300)
        number = waiting.send("solve", game="connect-four", time=120)
        assert wait_until(lambda: memory.free < 300)
    assert wait_until(lambda: memory.free == 300), "whoever leaves gives it back"
