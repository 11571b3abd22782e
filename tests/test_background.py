"""Ctrl-C while the compiler works: answered at once, and the compiler is not hurt."""

import _thread
import signal
import sys
import threading
from pathlib import Path

import processes
import pytest

from threefold.engine import background
from threefold.engine.background import interrupt_later

#: A compiler that takes as long as it likes.
SLOW = """
import sys, time
from threefold import game
from threefold.engine.jit.entries import Entry

def never_done(entry, signature):
    print("compiling", file=sys.stderr, flush=True)
    time.sleep(600)

Entry._compile = never_done
nim = game("nim")
"""


def test_the_work_goes_on_behind_ones_back() -> None:
    go_on, done = threading.Event(), threading.Event()

    def work() -> int:
        go_on.wait(60)
        done.set()
        return 7

    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        background.finish(work)
    timer.join()
    assert not done.is_set()
    assert bool(background._compiling)
    go_on.set()
    assert done.wait(60)
    assert background.finish(lambda: 8) == 8


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        background.finish(lambda: 1 // 0)


def interrupted(*command: str) -> "tuple[int, str]":
    """The exit code and what is said of a program that is interrupted while it compiles."""
    process = processes.start([sys.executable, *command])
    assert process.stderr is not None
    while "compiling" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=processes.PATIENCE)
    return process.returncode, said


def test_ctrl_c_ends_a_command_that_compiles(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    code, said = interrupted("-m", "threefold", "perft", str(tmp_path / "slow.py"), "--depth", "3")
    assert code == 130
    assert said.strip() == "interrupted"


def test_ctrl_c_ends_a_script_that_compiles() -> None:
    code, said = interrupted("-c", SLOW + "nim.perft(depth=3)")
    assert code in (-signal.SIGINT, 130)
    assert said.strip().endswith("KeyboardInterrupt")


def test_ctrl_c_waits_for_what_must_not_be_interrupted() -> None:
    done = []

    def work() -> None:
        with interrupt_later():
            signal.raise_signal(signal.SIGINT)
            done.append("still working")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_is_ignored_stays_ignored() -> None:
    """As a shell has it for a command in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupt_later():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
