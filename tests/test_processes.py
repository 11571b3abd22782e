"""What tests start is ended with them, however they end."""

import signal
import sys
from pathlib import Path

import processes

FOLDER = Path(__file__).parent

#: Starts a process that holds the output open, and ends at once.
LEAVING = """
import os, signal, sys, processes
processes.start(["sleep", "100000"], stdout=None, stderr=None)
{end}
"""


def left_by(end: str) -> int:
    """The exit code of a program, once what it started is gone as well."""
    process = processes.start([sys.executable, "-c", LEAVING.format(end=end)], cwd=FOLDER)
    process.communicate(timeout=processes.PATIENCE)
    return int(process.returncode)


def test_the_tests_are_killed() -> None:
    assert left_by("os.kill(os.getpid(), signal.SIGKILL)") == -signal.SIGKILL


def test_the_tests_end_without_a_word() -> None:
    assert left_by("os._exit(3)") == 3


def test_what_was_started_is_ended_with_all_of_its_own() -> None:
    process = processes.start("sleep 100000 & echo started; sleep 100000", shell=True)
    assert process.stdout.readline() == "started\n"
    processes.end(process)
    assert process.returncode == -signal.SIGKILL
    assert process.stdout.closed
    assert process not in processes.running()


def test_ctrl_c_is_heard() -> None:
    script = "import time\nprint('ready', flush=True)\ntime.sleep(100000)"
    process = processes.start([sys.executable, "-c", script])
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=processes.PATIENCE)
    assert said.strip().endswith("KeyboardInterrupt")
