"""Color: on a terminal, where it helps; never in a pipe, and never against somebody's wish."""

import io
import os
import pty
import re
from contextlib import suppress

import pytest
from processes import PATIENCE, PIPE, THREEFOLD, start

from threefold.engine.color import is_wanted, paint, paint_board


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def colorful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_terminal_gets_color_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paint("so", "strong", Terminal()) == "\x1b[1mso\x1b[0m"
    assert paint("so", "strong", io.StringIO()) == "so"
    assert paint("so", "strong", None) == "so"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("so", "strong", Terminal()) == "so"
    monkeypatch.setenv("NO_COLOR", "")
    assert is_wanted(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not is_wanted(Terminal())


def test_what_the_last_move_changed_is_marked() -> None:
    board = paint_board("2 X .\n1 . O", "2 X .\n1 . .", Terminal())
    assert board == "2 X \x1b[2m.\x1b[0m\n1 \x1b[2m.\x1b[0m \x1b[1;7mO\x1b[0m"
    assert paint_board("2 X .\n1 . O", "2 X .\n1 . .", io.StringIO()) == "2 X .\n1 . O"


@pytest.mark.parametrize("before", [None, "another shape", "XX\nOOO\n"])
def test_a_board_that_changed_its_shape_has_no_mark(before: str | None) -> None:
    assert paint_board("XX\nOO", before, Terminal()) == "XX\nOO"


def on_a_terminal(argv: list[str], typed: str, **more: str) -> str:
    """What a command shows somebody who sits at a terminal."""
    screen, keyboard = pty.openpty()
    surroundings = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
    process = start(
        [*THREEFOLD, *argv], stdin=PIPE, stdout=keyboard, stderr=keyboard, env=surroundings | more
    )
    os.close(keyboard)
    assert process.stdin is not None
    process.stdin.write(typed)
    process.stdin.close()
    shown = b""
    with suppress(OSError):  # the other end is closed
        while True:
            shown += os.read(screen, 4096)
    os.close(screen)
    assert process.wait(PATIENCE) == 0
    return shown.decode()


def test_play_marks_the_last_move_on_a_terminal() -> None:
    argv = ["play", "tic-tac-toe", "--level", "human"]
    assert "\x1b[1;7mX\x1b[0m" in on_a_terminal(argv, "b2\n")
    plain = on_a_terminal(argv, "b2\n", NO_COLOR="1")
    assert "X: b2" in plain
    assert not re.search(r"\x1b\[[0-9;]*m", plain)
