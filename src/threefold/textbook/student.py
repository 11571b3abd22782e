"""A student's code in a process of its own, with limits on its time and memory.

Only what it says over one channel comes back; the reference answers never go there.
"""

import inspect
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threefold.rules.contract import MAX
from threefold.textbook.tree import Node, parse_tree


@dataclass
class StudentRun:
    """What came back from the student's process."""

    #: Why the file is no input at all; or that it has no such function.
    refused: str = ""
    absent: bool = False
    load_failed: bool = False
    printed: str = ""
    #: By tree: what the function returned, or why it did not.
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)


def run_student(
    path: Path, name: str, texts: Sequence[str], seconds: float, memory: int
) -> StudentRun:
    """Run a function of a file on every tree, and bring back what it said and looked at."""
    job = {
        "file": str(path.absolute()),
        "function": name,
        "trees": [_as_json(parse_tree(text)) for text in texts],
        "seconds": seconds,
        "memory": memory,
    }
    output, status = _process(json.dumps(job), seconds)
    run = StudentRun()
    begun, finished = None, False
    for message in _messages(output):
        match message.get("kind"):
            case "refused":
                run.refused = str(message["why"])
            case "absent":
                run.absent = True
            case "failed":
                run.load_failed = True
                run.answers[0] = failure(str(message["why"]))
            case "begin":
                begun = message["tree"]
            case "answer":
                run.answers[message["tree"]] = message
            case "end":
                finished, run.printed = True, str(message["printed"])
    if not (finished or run.refused or run.absent or run.load_failed):
        doing = f"{name} was at work on this tree" if begun is not None else "the file was loading"
        run.load_failed = begun is None
        run.answers.setdefault(begun or 0, failure(f"{_ending(status, seconds)} while {doing}."))
    return run


def failure(why: str) -> dict[str, Any]:
    """The answer of a function that gave none."""
    return {"error": why, "leaves": [], "shown": ""}


def _ending(status: int | None, seconds: float) -> str:
    if status is None:
        return f"The time of {seconds:g} seconds was up"
    if status < 0:
        with suppress(ValueError):
            return f"The process was killed by {signal.Signals(-status).name}"
    return f"The process ended itself (exit code {status})"


def _messages(output: bytes) -> Iterator[dict[str, Any]]:
    """The lines that are messages; a line broken off by the end of the process is none."""
    for line in output.splitlines():
        with suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict):
                yield message


def _as_json(node: Node) -> dict[str, Any]:
    below = [_as_json(child) for child in node.children]
    is_max = node.player == MAX
    return {"name": node.name, "is_max": is_max, "value": node.value, "children": below}


def _process(job: str, seconds: float) -> tuple[bytes, int | None]:
    """What the process wrote and its exit code, which is None if its time was up."""
    code = f"{inspect.getsource(_student)}\n_student()\n"
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "LANG") if key in os.environ}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=kept,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(job.encode(), timeout=seconds)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            _kill(process)
            output, status = b"", None
            with suppress(subprocess.TimeoutExpired):
                output, _ = process.communicate(timeout=5)
        finally:
            _kill(process)
    return output, status


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and those that it started itself."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
        process.wait()


def _student() -> None:
    """Everything that happens in the student's process; only its text goes there."""
    import json
    import os
    import sys
    from inspect import signature
    from io import TextIOBase
    from numbers import Real
    from typing import Any

    job = json.loads(sys.stdin.buffer.read())
    channel = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)

    def send(kind: str, **data: Any) -> None:
        os.write(channel, json.dumps({"kind": kind, **data}).encode() + b"\n")

    class Noise(TextIOBase):
        """Standard output: the first words are kept, the rest is not."""

        heard = ""

        def write(self, text: str) -> int:
            Noise.heard = (Noise.heard + text)[:60]
            return len(text)

    sys.stdout = sys.stderr = Noise()

    def limit() -> None:
        try:
            import resource
        except ImportError:  # not on this system
            return
        for what, most in (
            (resource.RLIMIT_CPU, int(job["seconds"]) + 2),
            (resource.RLIMIT_AS, job["memory"]),
            (resource.RLIMIT_FSIZE, 2**24),
            (resource.RLIMIT_CORE, 0),
        ):
            try:
                resource.setrlimit(what, (most, most))
            except (ValueError, OSError):  # not this limit, or a lower one is set already
                continue

    def reason(error: BaseException) -> str:
        """An exception in one sentence, with the line of the file that it came from."""
        line, trace = 0, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == job["file"]:
                line = trace.tb_lineno
            trace = trace.tb_next
        error.__traceback__ = None  # and what its frames hold
        where = f" at line {line}" if line else ""
        if isinstance(error, MemoryError):
            return f"used more than {job['memory'] / 2**20:g} MB of memory{where}."
        if isinstance(error, RecursionError):
            return f"called itself without end (RecursionError){where}."
        if isinstance(error, SystemExit):
            return f"called exit{where}; it should return the value."
        try:
            said = " ".join(str(error).split())[:200]
        except BaseException:
            said = ""
        said = f": {said}" if said else ""
        return f"raised {type(error).__name__}{where}{said}."

    class Node:
        """A node as the student sees it."""

        def __init__(self, data: dict[str, Any], looked_at: list[str]) -> None:
            self.name = data["name"]
            self.is_max = data["is_max"]
            self.children = tuple(Node(child, looked_at) for child in data["children"])
            self.__value = data["value"]
            self.__looked_at = looked_at

        @property
        def value(self) -> int | None:
            if self.children:
                return None
            if self.name not in self.__looked_at:
                self.__looked_at.append(self.name)
            return self.__value  # type: ignore[no-any-return]

        def __repr__(self) -> str:
            return f"<node {self.name}>"

    def load() -> Any:
        """The student's function; None where the answer has been sent already."""
        try:
            with open(job["file"], "rb") as opened:
                code = compile(opened.read(), job["file"], "exec", dont_inherit=True)
        except (SyntaxError, ValueError, OSError) as error:
            said = getattr(error, "msg", None) or getattr(error, "strerror", None) or error
            where = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
            return send("refused", why=f"{where}{said}; it should be a Python file")
        sys.path.append(os.path.dirname(job["file"]))
        module = type(sys)("student")
        sys.modules["student"] = module
        module.__file__ = job["file"]
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            return send("failed", why="While it was loaded, the file " + reason(error))
        function = getattr(module, job["function"], None)
        if not callable(function):
            return send("absent")
        for given in ((), (-float("inf"), float("inf"))):
            try:
                signature(function).bind(None, *given)
            except (TypeError, ValueError):
                continue
            if not given or job["function"] == "alphabeta":
                return lambda node: function(node, *given)
        wanted = "(node)" + (" or (node, alpha, beta)" * (job["function"] == "alphabeta"))
        return send("refused", why=f"{job['function']} should take {wanted}")

    def answer(function: Any, tree: dict[str, Any]) -> dict[str, Any]:
        looked_at: list[str] = []
        said: dict[str, Any] = {"leaves": looked_at, "error": None, "value": None}
        try:
            found = function(Node(tree, looked_at))
            said |= {"shown": " ".join(repr(found).split())[:80], "type": type(found).__name__}
            said["number"] = isinstance(found, Real) and not isinstance(found, bool)
            if said["number"] and abs(found) < 2**53:
                said["value"] = int(found) if found == int(found) else float(found)
        except BaseException as error:
            said["error"] = f"{job['function']} {reason(error)}"
        return said

    limit()
    function = load()
    if function is not None:
        for index, tree in enumerate(job["trees"]):
            send("begin", tree=index)
            said = answer(function, tree)
            send("answer", tree=index, **said)
            if "of memory" in (said["error"] or ""):  # it would fill up again and again
                break
        send("end", printed=Noise.heard)
    os._exit(0)  # whatever threads the student has left behind
