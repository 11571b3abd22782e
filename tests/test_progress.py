"""The line on stderr: on a terminal only, after a while, and gone at the end."""

import io
import time

import pytest

from threefold.engine import progress
from threefold.engine.progress import StatusLine, bar, note_elsewhere


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_slow_block_is_described_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with StatusLine(lambda seconds: f"waited {seconds >= 0}", patience=0.0):
        limit = time.monotonic() + 10
        while "waited True" not in terminal.getvalue() and time.monotonic() < limit:
            time.sleep(0.01)
    assert "waited True" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_a_quick_block_is_not_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with StatusLine(lambda _: "never", patience=60.0):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_written_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr("sys.stderr", file)
    with StatusLine(lambda _: "never", patience=0.0):
        time.sleep(3 * progress._INTERVAL)
    assert file.getvalue() == ""


@pytest.mark.parametrize(("kind", "said"), [(io.StringIO, "compiling\n"), (Terminal, "")])
def test_a_log_gets_one_line(
    kind: type[io.StringIO], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kind()
    monkeypatch.setattr("sys.stderr", file)
    with note_elsewhere("compiling", patience=0.0):
        limit = time.monotonic() + (10 if said else 0.1)
        while not file.getvalue() and time.monotonic() < limit:
            time.sleep(0.01)
    with note_elsewhere("never", patience=60.0):
        pass
    assert file.getvalue() == said


def test_the_bar_fills() -> None:
    assert bar(0, 4) == "░░░░"
    assert bar(0.5, 4) == "██░░"
    assert bar(2, 4) == "████"
