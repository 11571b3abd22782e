"""Processes that tests start: each in a group of its own, and none outlives its test.

Not even where the tests themselves are killed: a guardian, told of each group, sees that they are
gone and ends what is left.

`run` and `start` are `subprocess.run` and `subprocess.Popen` with text, both outputs caught and a
limit on the time. Every test that starts a process does so here; `test_house.py` sees to it.
"""

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

PIPE = subprocess.PIPE
#: The command line, in this tree and with this Python.
THREEFOLD = (sys.executable, "-m", "threefold")
#: Seconds after which a process hangs, on a machine however busy.
PATIENCE = 1000

_started: list["subprocess.Popen[Any]"] = []

#: Hears which groups begin (+) and are over (-), until nobody is left to tell.
_GUARDIAN = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
"""


def start(command: Any, **options: Any) -> Any:
    """Start a process, which is ended after the test or with the fixture that started it."""
    given = {"stdout": PIPE, "stderr": PIPE, "text": True, "start_new_session": True} | options
    process = subprocess.Popen(command, **given)
    _started.append(process)
    _tell_guardian(f"+{process.pid}")
    return process


def run(
    command: Any,
    *,
    input: Any = None,  # noqa: A002
    check: bool = False,
    **options: Any,
) -> "subprocess.CompletedProcess[Any]":
    """Run a process to its end; nothing is read from the tests' own input."""
    process = start(command, stdin=subprocess.DEVNULL if input is None else PIPE, **options)
    try:
        out, err = process.communicate(input, timeout=PATIENCE)
    finally:
        end(process)
    done = subprocess.CompletedProcess(command, process.returncode, out, err)
    assert not check or done.returncode == 0, f"{command}: {done.returncode}\n{out}\n{err}"
    return done


def path_with(folder: Path) -> str:
    """A PYTHONPATH for another process, which has a folder before what is there already."""
    return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))


def end(process: "subprocess.Popen[Any]") -> None:
    """End a process and all that it started."""
    if process in _started:
        _started.remove(process)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _tell_guardian(f"-{process.pid}")
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):  # what was still to be written to it is lost
                stream.close()


def _tell_guardian(news: str) -> None:
    _guardian().write(f"{news}\n")


@cache
def _guardian() -> IO[str]:
    """Where to tell the guardian something."""
    process = subprocess.Popen(
        [sys.executable, "-IS", "-c", _GUARDIAN],
        stdin=PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=1,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None

    def dismiss(tell: IO[str] = process.stdin) -> None:
        tell.close()
        process.wait()

    atexit.register(dismiss)
    return process.stdin


def running() -> list["subprocess.Popen[Any]"]:
    """What was started here and not ended yet."""
    return list(_started)


def end_all(but: list["subprocess.Popen[Any]"]) -> None:
    """End what was started, but for some."""
    for process in running():
        if process not in but:
            end(process)


def hear_interrupts() -> None:
    """Let Ctrl-C reach this process and those it starts.

    In the background of a shell the interrupt is ignored, and whatever is started from there
    ignores it as well; tests of Ctrl-C would wait forever.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def guarded(pid: int) -> Iterator[None]:
    """See to the end of a process, leader of its group, that a library has started."""
    _tell_guardian(f"+{pid}")
    try:
        yield
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        _tell_guardian(f"-{pid}")
