"""A process for a student's program: what it may see, use and start, and how it is ended.

It uses the strongest isolation that this system permits: user namespaces, or else bubblewrap, which
some systems permit instead. If neither works, the program runs unprotected and the report says so.
"""

import importlib.resources
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import threefold
from threefold.errors import ThreefoldError

#: Limits: processes and threads, of which the walls may need three; open files; bytes per file.
TASKS = 8
FILES = 64
FILE_SIZE = 2**20
#: Bytes of a message from the student's process; no honest one is longer.
_LONGEST_MESSAGE = 2**14
#: Time for Python to start, not counted as the student's.
_START_SECONDS = 60.0
_END_SECONDS = 5.0


@dataclass(frozen=True)
class Isolation:
    """What keeps a student's program away from the teacher's files and the network."""

    #: `namespaces`, `bubblewrap` or `nothing`.
    by: str
    #: Why nothing stronger was possible.
    why: str = ""
    #: Whether the program ran as root.
    root: bool = False

    @property
    def warning(self) -> str:
        """A warning if nothing does; empty otherwise."""
        if self.by != "nothing":
            return ""
        could = "read your files and use the network"
        if self.root:
            could = "do anything, because it ran as root"
        return f"not isolated: the program could {could}; no isolation is permitted ({self.why})"

    def to_json(self) -> dict[str, Any]:
        """The isolation as JSON types."""
        return {"by": self.by, "warning": self.warning or None}


class TimeUp(Exception):
    """The time ran out before a message arrived."""


class Ended(Exception):
    """The other side has closed the channel."""


class Garbled(Exception):
    """What came over the channel is not a message."""


class StudentProcess:
    """A started student's process and the channel to it."""

    def __init__(self, process: subprocess.Popen[bytes], channel: socket.socket) -> None:
        self.deadline = time.monotonic() + _START_SECONDS
        self._process = process
        self._channel = channel
        self._unread = b""

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; a program that does not read it cannot block the grader."""
        try:
            self._channel.settimeout(self._seconds_left())
            self._channel.sendall(json.dumps(message).encode() + b"\n")
        except TimeoutError:
            raise TimeUp from None
        except OSError:
            raise Ended from None

    def receive(self) -> dict[str, Any]:
        """The next message; an overlong one is refused without reading all of it."""
        while b"\n" not in self._unread:
            if len(self._unread) > _LONGEST_MESSAGE:
                raise Garbled
            self._channel.settimeout(self._seconds_left())
            try:
                more = self._channel.recv(_LONGEST_MESSAGE)
            except TimeoutError:
                raise TimeUp from None
            except OSError:
                raise Ended from None
            if not more:
                raise Ended
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            raise Garbled from None
        if not isinstance(message, dict):
            raise Garbled
        return message

    def _seconds_left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeUp
        return left

    def wait(self) -> int | None:
        """The exit code, as a shell reports it; None if the process does not end on its own."""
        try:
            status = self._process.wait(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        return status if status >= 0 else 128 - status

    def end(self) -> None:
        """End the process and everything it has started."""
        self._channel.close()
        with suppress(ProcessLookupError, PermissionError):
            self._process.terminate()  # takes down the walls, or makes jail.py end its children
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_END_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextmanager
def student_process(
    job: Mapping[str, Any], seconds: float, memory: int
) -> Iterator[tuple[StudentProcess, Isolation]]:
    """A process that is ready for the student's code, behind the strongest walls available."""
    if sys.platform == "win32":
        raise ThreefoldError(
            "limits on a student's program do not work on Windows; grade it on Linux or macOS"
        )
    refusals: list[str] = []
    for by in walls():
        with ExitStack() as stack:
            try:
                process = _start(by, stack)
                hello = _greeting(process, {**job, "limits": _limits(by, seconds, memory)})
            except OSError as error:
                refusals.append(f"{by}: {error.strerror or error}")
                continue
            process.deadline = time.monotonic() + seconds
            yield process, Isolation(by, "; ".join(refusals), root=hello["root"])
            return
    raise ThreefoldError(
        f"cannot start a process for the student's program ({'; '.join(refusals)})"
    )


def walls() -> Sequence[str]:
    """The walls to try, the strongest first."""
    if os.geteuid() == 0:  # the kernel does not count root's processes in bubblewrap
        return ("namespaces", "nothing")
    return ("namespaces", "bubblewrap", "nothing")


def _start(by: str, stack: ExitStack) -> StudentProcess:
    """Start the process; the stack ends it."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    command = _command(by, folder)
    ours, theirs = socket.socketpair()
    stack.enter_context(ours)
    with theirs:
        started = subprocess.Popen(
            command,
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ},
            start_new_session=True,
        )
    process = StudentProcess(started, ours)
    stack.callback(process.end)
    return process


def _greeting(process: StudentProcess, job: Mapping[str, Any]) -> dict[str, Any]:
    """The process's first message, when it is ready for the student's code; else an OSError."""
    try:
        with suppress(Ended):  # it may have sent a reason before it ended
            process.send(job)
        hello = process.receive()
    except TimeUp:
        raise OSError(f"no response for {_START_SECONDS:g} seconds") from None
    except (Ended, Garbled):
        raise OSError(f"Python does not start (exit code {process.wait()})") from None
    if hello["do"] != "ready":
        raise OSError(hello["why"])
    return hello


def _command(by: str, folder: str) -> list[str]:
    """The command line that starts the student's process."""
    python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    inner = [python, "-I", "-S", "-B", "-X", "utf8", "-c", _script("pupil.py")]
    visible, hidden = _files(python)
    if by == "bubblewrap":
        program = which("bwrap")
        if program is None:
            raise OSError("not installed")
        return [program, *_bubblewrap_options(visible, hidden), "--", *inner]
    plan = {
        "walls": by == "namespaces",
        "root": folder,
        "visible": visible,
        "hidden": hidden,
        "command": inner,
    }
    return [python, "-I", "-S", "-B", "-c", _script("jail.py"), json.dumps(plan)]


def _bubblewrap_options(visible: list[str], hidden: list[str]) -> list[str]:
    options = ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"]
    options += ["--uid", "65534", "--gid", "65534"]
    options += ["--die-with-parent", "--new-session", "--chdir", "/"]
    for path in visible:
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        else:
            options += ["--ro-bind", path, path]
    for path in hidden:
        options += ["--tmpfs", path, "--remount-ro", path]
    return [*options, "--remount-ro", "/"]


def _script(name: str) -> str:
    return (importlib.resources.files("threefold.textbook") / name).read_text("utf-8")


def _files(python: str) -> tuple[list[str], list[str]]:
    """The files that Python needs, and those among them to hide.

    Hidden is everything installed in addition to Python itself, including Threefold.
    """
    homes = {"/", "/usr", sys.base_prefix, sys.base_exec_prefix}
    libraries = {Path(home, name) for home in homes for name in ("lib", "lib32", "lib64")}
    visible = sorted(str(path) for path in libraries if path.exists())
    for file in (python, "/etc/ld.so.cache"):
        if os.path.isfile(file) and not any(Path(file).is_relative_to(one) for one in visible):
            visible.append(file)
    real = sorted({os.path.realpath(path) for path in visible})
    installed = {
        str(found)
        for path in real
        for pattern in ("site-packages", "dist-packages")
        for found in Path(path).glob(f"*/{pattern}")
    }
    package = os.path.dirname(os.path.realpath(threefold.__file__))
    if any(Path(package).is_relative_to(path) for path in real):
        installed.add(package)
    return visible, sorted(installed)


def _limits(by: str, seconds: float, memory: int) -> dict[str, int]:
    """The limits that the kernel enforces, by their names in `resource`."""
    tasks = TASKS
    if by == "nothing" and os.geteuid() != 0:  # the kernel counts all of this user's tasks
        tasks += _tasks_of_user()
    return {
        "RLIMIT_CPU": int(seconds) + 2,
        "RLIMIT_AS": memory,
        "RLIMIT_FSIZE": FILE_SIZE,
        "RLIMIT_NOFILE": FILES,
        "RLIMIT_NPROC": tasks,
        "RLIMIT_CORE": 0,
    }


def _tasks_of_user() -> int:
    """How many processes and threads the user has now."""
    tasks, user = 0, os.getuid()
    with suppress(OSError):
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if process.stat().st_uid == user:
                    tasks += len(os.listdir(process / "task"))
    return tasks
