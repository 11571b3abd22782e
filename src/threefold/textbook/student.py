"""Run a student's function on trees, and record what it did.

Everything that must be trusted is on this side: the trees with their leaves' values, which values
were requested and in which order, and the right answers. The other side, `pupil.py`, only asks and
answers.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.contract import MAX
from threefold.rules.text import printable, shorten
from threefold.textbook.conventions import Probe
from threefold.textbook.sandbox import (
    Ended,
    Garbled,
    Isolation,
    StudentProcess,
    TimeUp,
    student_process,
)
from threefold.textbook.tree import Node, parse_tree, walk

#: Maximum length of a program in bytes.
_LONGEST_FILE = 2**20


@dataclass(frozen=True)
class Answer:
    """What a function returned for a tree, or why it failed, and the leaves it looked at."""

    leaves: Sequence[str] = ()
    error: str = ""
    #: Set if it is a number in the range that trees use.
    value: float | None = None
    is_number: bool = False
    #: The answer's `repr` and type.
    shown: str = ""
    type_name: str = ""


@dataclass
class StudentRun:
    """What is known about a run."""

    isolation: Isolation
    #: Why the file cannot be used, and whether it lacks the function.
    refused: str = ""
    absent: bool = False
    load_failed: bool = False
    printed: str = ""
    #: The files in the same folder that were imported.
    imported: list[str] = field(default_factory=list)
    answers: dict[int, Answer] = field(default_factory=dict)
    #: What it returned for the probes' windows, up to where it broke off; empty if it takes none.
    probed: list[Answer] = field(default_factory=list)


def run_student(
    path: Path,
    name: str,
    texts: Sequence[str],
    seconds: float,
    memory: int,
    probes: Sequence[Probe] = (),
) -> StudentRun:
    """Run a file's function on every tree; then with the windows of the probes, if it takes one."""
    job = {"file": path.name, "text": read_program(path), "function": name, "memory": memory}
    with student_process(job, seconds, memory) as (process, isolation):
        talk = _Conversation(process, path.parent, texts, probes, StudentRun(isolation))
        try:
            while not talk.over:
                talk.handle(process.receive())
            return talk.run
        except TimeUp:
            why = f"The time limit of {seconds:g} seconds was reached"
        except Ended:
            why = _ending(process.wait())
        except Garbled:
            why = "The program sent something that is not a message to the grader"
        talk.break_off(why, name)
        return talk.run


def read_program(path: Path) -> str:
    """A file's bytes as text; only a plain file of limited length, never through a link."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            data = file.read(_LONGEST_FILE + 1)
    except (OSError, ValueError) as error:
        if path.is_symlink():
            raise ThreefoldError(
                f"{shorten(path.name)} is a link; give the file it points to"
            ) from None
        reason = getattr(error, "strerror", None) or error
        raise ThreefoldError(f"{shorten(str(path))} cannot be read: {reason}") from None
    if len(data) > _LONGEST_FILE:
        raise ThreefoldError(f"{shorten(path.name)} is longer than {_LONGEST_FILE:,} bytes")
    return data.decode("latin-1")


def _ending(status: int | None) -> str:
    if status is None:
        return "The program closed its channel to the grader"
    if status > 128:
        with suppress(ValueError):
            return f"The process was killed by {signal.Signals(status - 128).name}"
    return f"The process ended itself (exit code {status})"


class _Conversation:
    """Handles the messages of one run; what a message means depends on what came before."""

    def __init__(
        self,
        process: StudentProcess,
        folder: Path,
        texts: Sequence[str],
        probes: Sequence[Probe],
        run: StudentRun,
    ) -> None:
        self.run = run
        self.over = False
        self._process = process
        self._folder = folder
        self._texts = texts
        self._probes = probes
        #: The current tree's leaves, if there is a current tree, and how many trees were sent.
        self._values: dict[str, Any] | None = None
        self._looked_at: list[str] = []
        self._started = 0

    def handle(self, message: dict[str, Any]) -> None:
        """Handle a message, and reply if it asks for something."""
        match message:
            case {"do": "module", "name": str(module), "n": int(n)}:
                self._process.send({"n": n, "source": self._module(module)})
            case {"do": "value", "leaf": str(leaf), "n": int(n)} if self._values is not None:
                self._process.send({"n": n, "value": self._value(leaf)})
            case {"do": "next", "printed": str(printed), "n": int(n)} if self._values is None:
                self.run.printed = printed[:60]
                more = self._next_tree()
                if more is None:
                    self.over = True
                self._process.send({"n": n, "tree": None} | (more or {}))
            case {
                "do": "answer",
                "value": int() | float() | None as value,
                "number": bool(is_number),
                "shown": str(shown),
                "type": str(type_name),
            } if self._values is not None:
                self._answered(
                    Answer(
                        self._looked_at,
                        value=value,
                        is_number=is_number,
                        shown=printable(shown, 80),
                        type_name=printable(type_name, 80),
                    )
                )
            case {"do": "error", "why": str(why), "full": bool(full)} if self._values is not None:
                self._answered(Answer(self._looked_at, error=printable(why, 400)))
                self.over = full  # it would run out of memory again
            case {"do": "failed", "why": str(why)} if not self._started:
                self.run.load_failed = self.over = True
                self.run.answers[0] = Answer(error=printable(why, 400))
            case {"do": "no window"} if self.probing and not self.run.probed:
                self.over = True
            case {"do": "refused", "why": str(why)} if not self._started:
                self.run.refused, self.over = printable(why, 400), True
            case {"do": "absent"} if not self._started:
                self.run.absent = self.over = True
            case _:
                raise Garbled

    def break_off(self, why: str, name: str) -> None:
        """Record that there will be no more messages."""
        self.run.load_failed = not self._started
        doing = f"{name} was running on this tree" if self._started else "the file was loading"
        self._started = max(self._started, 1)
        del self.run.probed[len(self._probes) - 1 :]  # it may end after the last answer
        self._answered(Answer(self._looked_at, error=f"{why} while {doing}."))

    @property
    def probing(self) -> bool:
        """Whether every tree has been answered, and the probes have begun."""
        return self._started > len(self._texts)

    def _next_tree(self) -> dict[str, Any] | None:
        done = self._started - len(self._texts)
        if done < 0:
            return {"tree": self._start(self._texts[self._started])}
        if done == len(self._probes):
            return None
        probe = self._probes[done]
        return {"tree": self._start(probe.tree), "window": [probe.alpha, probe.beta]}

    def _start(self, text: str) -> list[Any]:
        root = parse_tree(text)
        self._started += 1
        self._values = {node.name: node.value for node in walk(root) if not node.children}
        self._looked_at = []
        return _shape(root)

    def _value(self, leaf: str) -> Any:
        if self._values is None or leaf not in self._values:
            raise Garbled
        if leaf not in self._looked_at:
            self._looked_at.append(leaf)
        return self._values[leaf]

    def _answered(self, answer: Answer) -> None:
        if self.probing:
            self.run.probed.append(answer)
        else:
            self.run.answers[self._started - 1] = answer
        self._values = None

    def _module(self, name: str) -> dict[str, Any] | None:
        """A module from the file's folder, but never Threefold's, nor through a link elsewhere."""
        parts = name.split(".")
        if parts[0] == "threefold" or not all(part.isidentifier() for part in parts):
            return None
        place = self._folder.joinpath(*parts)
        for file, package in (
            (place.with_name(f"{parts[-1]}.py"), False),
            (place / "__init__.py", True),
        ):
            with suppress(ThreefoldError, OSError, ValueError):
                if file.is_file() and file.parent.resolve().is_relative_to(self._folder.resolve()):
                    text = read_program(file)
                    shown = str(file.relative_to(self._folder))
                    if shown not in self.run.imported:
                        self.run.imported.append(shown)
                    return {"text": text, "file": shown, "package": package}
        return None


def _shape(node: Node) -> list[Any]:
    return [node.name, node.player == MAX, [_shape(child) for child in node.children]]
