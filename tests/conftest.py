import faulthandler
import os
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import processes
import pytest
from hypothesis import settings
from shell import Shell

if TYPE_CHECKING:
    from lab_browser import Lab, Visitor
    from playwright.sync_api import Browser

settings.register_profile("default", deadline=None)
settings.load_profile("default")

#: Seconds for a test that is marked slow; pyproject.toml has the limit of all others.
SLOW_TIMEOUT = 3 * 3600


def pytest_configure(config: pytest.Config) -> None:
    """Keep machine code beside pytest's own cache, and games nowhere: nothing in the home."""
    os.environ.setdefault("THREEFOLD_CACHE", str(config.rootpath / ".pytest_cache" / "threefold"))
    games = tempfile.TemporaryDirectory(prefix="threefold-games-")
    config.add_cleanup(games.cleanup)
    os.environ["THREEFOLD_DATA"] = games.name
    if not config.getoption("numprocesses", None):  # where tests run, not where they are dealt out
        processes.hear_interrupts()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the process if a test hangs in machine code, which does not hear of the time-out."""
    capture = item.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    with capture.global_and_fixture_disabled():
        errors = os.dup(2)
    marker = item.get_closest_marker("timeout")
    limit = float(marker.args[0] if marker else item.config.getini("timeout"))
    faulthandler.dump_traceback_later(2 * limit, exit=True, file=errors)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        os.close(errors)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give heavy tests more time than the others have."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))


@pytest.fixture(autouse=True)
def end_what_was_started() -> Iterator[None]:
    """End the processes that a test left running; those of a file's own fixtures stay."""
    before = processes.running()
    yield
    processes.end_all(but=before)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command line, in this process."""
    return Shell(monkeypatch)


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a process that remembers nothing."""
    from threefold.engine import cache
    from threefold.engine.jit import entries

    monkeypatch.setenv("THREEFOLD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(entries, "_entries", {})
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setattr(cache, "_swept", set())
    return tmp_path / "cache" / "compiled"


# The lab in a browser. A browser per file: while one runs, no other test can have an event loop.


@pytest.fixture(scope="module")
def lab() -> "Iterator[Lab]":
    """A lab that is served."""
    from lab_browser import Lab

    with Lab() as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser to visit it with."""
    from lab_browser import PATIENCE, chromium
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    with chromium() as one:
        yield one
    expect.set_options(timeout=None)


@pytest.fixture
def visitor(browser: "Browser", lab: "Lab") -> "Iterator[Visitor]":
    """Somebody who visits it, and whose page must not complain."""
    from lab_browser import Visitor

    one = Visitor(browser, lab)
    yield one
    one.leave()
    assert not one.wrong


#: What was skipped where all components are required.
_missed: list[str] = []


def _note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and os.environ.get("THREEFOLD_REQUIRE_ALL"):
        _missed.append(f"{report.nodeid}: {report.longreprtext}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Hear of a test that was skipped."""
    _note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Hear of a whole file that was skipped."""
    _note_skip(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where all components are required, to lack one is to fail."""
    processes.end_all(but=[])
    if _missed:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was missed."""
    for one in _missed:
        terminalreporter.write_line(f"skipped, though all components are required: {one}", red=True)
