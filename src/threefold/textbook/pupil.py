"""The student's side of the channel: the script that runs in the student's process.

It imports nothing of Threefold; the grader sends its text there. Everything here is in the hands of
the student's code, which can change it, skip it or speak in its place. So nothing here is believed:
the grader holds the trees, gives a leaf's value to whoever asks and writes down that it was asked
for, and compares the answer itself. There is nothing to gain by lying to it.

A line is a JSON object. The grader begins with a job, {"file", "function", "memory", "limits"}.

    this side says                                        the grader replies
    {"do": "ready", "root"}                               nothing; root: whether it has all rights
    {"do": "refused" or "failed", "why"}                  nothing; it is over
    {"do": "absent"}                                      nothing; there is no such function
    {"do": "module", "name"}                              {"source"}, null if there is none
    {"do": "next", "printed"}                             {"tree"}, null after the last
    {"do": "value", "leaf"}                               {"value"}
    {"do": "answer", "value", "shown", "type", "number"}  nothing
    {"do": "error", "why", "full"}                        nothing

What is replied to carries a number `n`, and so does the reply. A tree is [name, is_max, children].
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
    """The line to the grader."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = b""
        self._asked = 0
        self._one_at_a_time = _thread.allocate_lock()

    def tell(self, **message: Any) -> None:
        """Say something that has no reply."""
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._descriptor, data) :]

    def ask(self, **message: Any) -> dict[str, Any]:
        """Say something and wait for its reply."""
        with self._one_at_a_time:
            self._asked += 1
            number = self._asked
            self.tell(n=number, **message)
            while True:  # an exception may have kept an earlier question from its reply
                reply = self.hear()
                if reply.get("n") == number:
                    return reply

    def hear(self) -> dict[str, Any]:
        """The next line."""
        while b"\n" not in self._unread:
            more = os.read(self._descriptor, 2**16)
            if not more:  # the grader is gone
                os._exit(1)
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        heard: dict[str, Any] = json.loads(line)
        return heard


class Noise(TextIOBase):
    """Standard output: the first words are kept, the rest is not."""

    def __init__(self) -> None:
        self.heard = ""

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        self.heard += text[: 60 - len(self.heard)]
        return len(text)


class Node:
    """A node as the student sees it; a leaf's value is with the grader until it is asked for."""

    def __init__(self, shape: Sequence[Any], ask: Callable[[str], Any]) -> None:
        self.name, self.is_max, below = shape
        self.children = tuple(Node(child, ask) for child in below)
        self.__is_leaf = not below
        self.__ask = ask

    @property
    def value(self) -> Any:
        """Of a leaf, its value for MAX; of an inner node, None."""
        if not self.__is_leaf:
            return None
        if "_known" not in self.__dict__:
            self._known = self.__ask(self.name)
        return self._known

    def __repr__(self) -> str:
        return f"<node {self.name}>"


class Beside:
    """Finds the modules that lie beside the student's file, which only the grader can read."""

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
        """As Python does."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its text."""
        found = self._sources[module.__name__]
        module.__file__ = found["file"]
        exec(_compiled(found["text"], found["file"]), module.__dict__)


def _compiled(text: str, file: str) -> CodeType:
    """Compile bytes that came as text, in whatever encoding they say they are."""
    return compile(text.encode("latin-1"), file, "exec", dont_inherit=True)


class Pupil:
    """Loads the student's file and runs its function on every tree that the grader has."""

    def __init__(self, channel: Channel, noise: Noise, job: dict[str, Any]) -> None:
        self._channel = channel
        self._noise = noise
        self._file: str = job["file"]
        self._name: str = job["function"]
        self._memory: int = job["memory"]
        self._text: str = job["text"]

    def work(self) -> None:
        """Everything, from the file to the last tree."""
        function = self._load()
        while function:
            tree = self._channel.ask(do="next", printed=self._noise.heard)["tree"]
            if tree is None:
                break
            self._answer(function, tree)

    def _load(self) -> Callable[[Node], Any] | None:
        """The student's function; None where the grader has been told why there is none."""
        tell = self._channel.tell
        try:
            code = _compiled(self._text, self._file)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            said = getattr(error, "msg", None) or str(error) or "it is nested too deeply"
            line = getattr(error, "lineno", None)
            where = f"line {line}: " if line else ""
            tell(do="refused", why=f"{where}{said[:200]}; it should be a Python file")
            return None
        module = ModuleType("student")
        sys.modules["student"] = module
        module.__file__ = self._file
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            tell(do="failed", why=f"While it was loaded, the file {self._reason(error)}")
            return None
        function = getattr(module, self._name, None)
        if not callable(function):
            tell(do="absent")
            return None
        window = (-float("inf"), float("inf"))
        for given in ((), window) if self._name == "alphabeta" else ((),):
            try:
                signature(function).bind(None, *given)
            except (TypeError, ValueError):
                continue
            return lambda node, given=given: function(node, *given)  # type: ignore[misc]
        wanted = "(node) or (node, alpha, beta)" if self._name == "alphabeta" else "(node)"
        tell(do="refused", why=f"{self._name} should take {wanted}")
        return None

    def _answer(self, function: Callable[[Node], Any], tree: Sequence[Any]) -> None:
        def ask(leaf: str) -> Any:
            return self._channel.ask(do="value", leaf=leaf)["value"]

        try:
            found = function(Node(tree, ask))
            number = isinstance(found, Real) and not isinstance(found, bool)
            value = None
            if number and abs(found) < 2**53:
                value = int(found) if found == int(found) else float(found)
            shown, kind = " ".join(repr(found).split())[:80], type(found).__name__[:80]
        except BaseException as error:
            why = f"{self._name} {self._reason(error)}"
            self._channel.tell(do="error", why=why, full=isinstance(error, MemoryError))
        else:
            self._channel.tell(do="answer", value=value, shown=shown, type=kind, number=number)

    def _reason(self, error: BaseException) -> str:
        """An exception in one sentence, with the line of the file that it came from."""
        line, trace = 0, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._file:
                line = trace.tb_lineno
            trace = trace.tb_next
        error.__traceback__ = None  # and what its frames hold
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
    """Hold this process, and whatever it starts, to limits that it cannot raise again."""
    import resource

    for name, most in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (AttributeError, ValueError, OSError):  # not here, or a lower one is set already
            continue


def main() -> None:
    """Work through one job."""
    line = os.dup(0)
    os.dup2(1, 0)  # where there is nothing to read, and where what is written goes nowhere
    channel, noise = Channel(line), Noise()
    job = channel.hear()
    _limit(job["limits"])
    sys.stdout = sys.stderr = noise
    sys.meta_path.append(Beside(channel))
    vars(builtins).update(exit=sys.exit, quit=sys.exit)  # as Python's `site` would
    channel.tell(do="ready", root=os.geteuid() == 0)
    Pupil(channel, noise, job).work()
    os._exit(0)  # whatever threads the student has left behind


if __name__ == "__main__":
    main()
