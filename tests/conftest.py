import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from lab_browser import Lab, Visitor
    from playwright.sync_api import Browser

settings.register_profile("default", deadline=None)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    """Keep machine code beside pytest's own cache: quick to run again, nothing in the home."""
    os.environ.setdefault("THREEFOLD_CACHE", str(config.rootpath / ".pytest_cache" / "threefold"))


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a process that remembers nothing."""
    from threefold.engine import cache
    from threefold.engine import compile as compiling

    monkeypatch.setenv("THREEFOLD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiling, "_entries", {})
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
    if _missed:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was missed."""
    for one in _missed:
        terminalreporter.write_line(f"skipped, though all components are required: {one}", red=True)
