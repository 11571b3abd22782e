"""The student's side of the channel: the script that runs in the student's process.

It imports nothing from Threefold; the grader passes it as source text. The student's code can
change anything here, skip it, or send messages in its place, so the grader trusts none of it. The
grader holds the trees, gives out a leaf's value on request, records the request, and compares the
answer itself. There is nothing to gain by lying to it.

A line is a JSON object. The grader starts with a job, {"file", "function", "memory", "limits"}.

    this side sends                                       the grader replies
    {"do": "ready", "root"}                               nothing; root: whether it runs as root
    {"do": "refused" or "failed", "why"}                  nothing; it is over
    {"do": "absent"}                                      nothing; there is no such function
    {"do": "module", "name"}                              {"source"}, null if there is none
    {"do": "next", "printed"}                             {"tree"}, null after the last, and
                                                          {"window"}, if it is to be given one
    {"do": "value", "leaf"}                               {"value"}
    {"do": "answer", "value", "shown", "type", "number"}  nothing
    {"do": "error", "why", "full"}                        nothing

A message that expects a reply has a number `n`, and so does its reply. A tree is
[name, is_max, children].
"""

import _thread
import builtins
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from inspect import signature
from io import TextIOBase
from numbers import Real
from types import CodeType, ModuleType
from typing import Any


class Channel:
    """The connection to the grader."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = b""
        self._asked = 0
        self._one_at_a_time = _thread.allocate_lock()

    def send(self, **message: Any) -> None:
        """Send a message that has no reply."""
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._descriptor, data) :]

    def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message and wait for its reply."""
        with self._one_at_a_time:
            self._asked += 1
            number = self._asked
            self.send(n=number, **message)
            while True:  # skip replies that an exception kept earlier questions from reading
                reply = self.receive()
                if reply.get("n") == number:
                    return reply

    def receive(self) -> dict[str, Any]:
        """Receive the next message."""
        while b"\n" not in self._unread:
            more = os.read(self._descriptor, 2**16)
            if not more:  # the grader is gone
                os._exit(1)
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message


class Printed(TextIOBase):
    """Standard output: keeps the first few words and drops the rest."""

    def __init__(self) -> None:
        self.kept = ""

    def write(self, text: str) -> int:
        """Keep the text that fits."""
        self.kept += text[: 60 - len(self.kept)]
        return len(text)


class Node:
    """A node as the student sees it; a leaf's value is requested from the grader on first use."""

    def __init__(self, shape: Sequence[Any], ask: Callable[[str], Any]) -> None:
        self.name, self.is_max, below = shape
        self.children = tuple(Node(child, ask) for child in below)
        self.__is_leaf = not below
        self.__ask = ask

    @property
    def value(self) -> Any:
        """A leaf's value for MAX; None for an inner node."""
        if not self.__is_leaf:
            return None
        if "_known" not in self.__dict__:
            self._known = self.__ask(self.name)
        return self._known

    def __repr__(self) -> str:
        return f"<node {self.name}>"


class FolderImporter:
    """Imports modules from the student's folder, which only the grader can read."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._sources: dict[str, dict[str, Any]] = {}

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Ask the grader for a module that Python has not found."""
        found = self._channel.ask(do="module", name=name)["source"]
        if found is None:
            return None
        self._sources[name] = found
        return ModuleSpec(name, self, is_package=found["package"])  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Use Python's default."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's source."""
        found = self._sources[module.__name__]
        module.__file__ = found["file"]
        exec(_compiled(found["text"], found["file"]), module.__dict__)


def _compiled(text: str, file: str) -> CodeType:
    """Compile bytes that were sent as text, in the encoding they declare."""
    return compile(text.encode("latin-1"), file, "exec", dont_inherit=True)


def _window_by_default(function: Callable[..., Any]) -> bool:
    """Whether the second and third argument are a window: a low number and a higher one."""
    given = [one.default for one in signature(function).parameters.values()][1:3]
    numbers = [one for one in given if isinstance(one, Real) and not isinstance(one, bool)]
    return len(numbers) == 2 and float(numbers[0]) < float(numbers[1])


class Pupil:
    """Loads the student's file and runs its function on every tree from the grader."""

    def __init__(self, channel: Channel, printed: Printed, job: dict[str, Any]) -> None:
        self._channel = channel
        self._printed = printed
        self._file: str = job["file"]
        self._name: str = job["function"]
        self._memory: int = job["memory"]
        self._text: str = job["text"]
        self._takes_window = False

    def work(self) -> None:
        """Load the file and answer every tree."""
        function = self._load()
        while function:
            reply = self._channel.ask(do="next", printed=self._printed.kept)
            if reply["tree"] is None:
                break
            if "window" in reply and not self._takes_window:
                self._channel.send(do="no window")
                break
            self._answer(function, reply["tree"], reply.get("window", ()))

    def _load(self) -> Callable[..., Any] | None:
        """The student's function, or None after telling the grader why there is none."""
        send = self._channel.send
        try:
            code = _compiled(self._text, self._file)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            said = getattr(error, "msg", None) or str(error) or "it is nested too deeply"
            line = getattr(error, "lineno", None)
            where = f"line {line}: " if line else ""
            send(do="refused", why=f"{where}{said[:200]}; it should be a Python file")
            return None
        module = ModuleType("student")
        sys.modules["student"] = module
        module.__file__ = self._file
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            send(do="failed", why=f"While it was loaded, the file {self._reason(error)}")
            return None
        function = getattr(module, self._name, None)
        if not callable(function):
            send(do="absent")
            return None
        window = (-float("inf"), float("inf"))
        for given in ((), window) if self._name == "alphabeta" else ((),):
            try:
                signature(function).bind(None, *given)
            except (TypeError, ValueError):
                continue
            self._takes_window = bool(given) or _window_by_default(function)
            return lambda node, *asked, given=given: function(node, *(asked or given))
        wanted = "(node) or (node, alpha, beta)" if self._name == "alphabeta" else "(node)"
        send(do="refused", why=f"{self._name} should take {wanted}")
        return None

    def _answer(
        self, function: Callable[..., Any], tree: Sequence[Any], window: Sequence[int]
    ) -> None:
        def ask(leaf: str) -> Any:
            return self._channel.ask(do="value", leaf=leaf)["value"]

        try:
            found = function(Node(tree, ask), *window)
            number = isinstance(found, Real) and not isinstance(found, bool)
            value = None
            if number and abs(found) < 2**53:
                value = int(found) if found == int(found) else float(found)
            shown, kind = " ".join(repr(found).split())[:80], type(found).__name__[:80]
        except BaseException as error:
            why = f"{self._name} {self._reason(error)}"
            self._channel.send(do="error", why=why, full=isinstance(error, MemoryError))
        else:
            self._channel.send(do="answer", value=value, shown=shown, type=kind, number=number)

    def _reason(self, error: BaseException) -> str:
        """An exception in one sentence, with the line of the file that it came from."""
        line, trace = 0, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._file:
                line = trace.tb_lineno
            trace = trace.tb_next
        error.__traceback__ = None  # frees what its frames hold
        where = f" at line {line}" if line else ""
        if isinstance(error, MemoryError):
            return f"used more than {self._memory / 2**20:g} MB of memory{where}."
        if isinstance(error, RecursionError):
            return f"called itself without end (RecursionError){where}."
        if isinstance(error, SystemExit):
            return f"called exit{where}; it should return the value."
        try:
            said = " ".join(str(error).split())[:200]
        except BaseException:
            said = ""
        said = f": {said}" if said else ""
        return f"raised {type(error).__name__[:80]}{where}{said}."


def _limit(limits: dict[str, int]) -> None:
    """Limit this process and everything it starts; the limits cannot be raised again."""
    import resource

    for name, most in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (AttributeError, ValueError, OSError):  # not available, or already lower
            continue


def main() -> None:
    """Work through one job."""
    line = os.dup(0)
    os.dup2(1, 0)  # /dev/null, so that standard input gives nothing
    channel, printed = Channel(line), Printed()
    job = channel.receive()
    _limit(job["limits"])
    sys.stdout = sys.stderr = printed
    sys.meta_path.append(FolderImporter(channel))
    vars(builtins).update(exit=sys.exit, quit=sys.exit)  # as Python's `site` does
    channel.send(do="ready", root=os.geteuid() == 0)
    Pupil(channel, printed, job).work()
    os._exit(0)  # even if the student left threads running


if __name__ == "__main__":
    main()
