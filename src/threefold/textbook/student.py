"""A student's function run on trees, and what it is known to have done there.

All truth is on this side: the trees with their leaves' values, which of them were asked for and in
which order, and the right answers. The other side, `pupil.py`, only asks and answers.
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
from threefold.textbook.sandbox import (
    Ended,
    Garbled,
    Isolation,
    StudentProcess,
    TimeUp,
    student_process,
)
from threefold.textbook.tree import Node, parse_tree, walk

#: Bytes of a program.
_LONGEST_FILE = 2**20


@dataclass(frozen=True)
class Answer:
    """What a function returned for a tree, or why it did not, and the leaves it looked at."""

    leaves: Sequence[str] = ()
    error: str = ""
    #: Where it is a number of a size that trees have.
    value: float | None = None
    is_number: bool = False
    #: As Python writes it, and its type.
    shown: str = ""
    type_name: str = ""


@dataclass
class StudentRun:
    """What is known of a run."""

    isolation: Isolation
    #: Why the file is no input at all; or that it has no such function.
    refused: str = ""
    absent: bool = False
    load_failed: bool = False
    printed: str = ""
    #: The files beside it that were imported.
    imported: list[str] = field(default_factory=list)
    answers: dict[int, Answer] = field(default_factory=dict)


def run_student(
    path: Path, name: str, texts: Sequence[str], seconds: float, memory: int
) -> StudentRun:
    """Run a function of a file on every tree."""
    job = {"file": path.name, "text": read_program(path), "function": name, "memory": memory}
    with student_process(job, seconds, memory) as (process, isolation):
        talk = _Conversation(process, path.parent, texts, StudentRun(isolation))
        try:
            while not talk.over:
                talk.hear(process.receive())
            return talk.run
        except TimeUp:
            why = f"The time of {seconds:g} seconds was up"
        except Ended:
            why = _ending(process.wait())
        except Garbled:
            why = "The program wrote what is no message into its channel to the grader"
        talk.break_off(why, name)
        return talk.run


def read_program(path: Path) -> str:
    """A file's bytes as text; only a plain file of some length, and not where a link leads."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            data = file.read(_LONGEST_FILE + 1)
    except (OSError, ValueError) as error:
        if path.is_symlink():
            raise ThreefoldError(
                f"{shorten(path.name)} is a link; give the file that it leads to"
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
    """What each message means, at the place where it comes."""

    def __init__(
        self, process: StudentProcess, folder: Path, texts: Sequence[str], run: StudentRun
    ) -> None:
        self.run = run
        self.over = False
        self._process = process
        self._folder = folder
        self._texts = texts
        #: The tree that is at work, if one is, and how many have begun.
        self._values: dict[str, Any] | None = None
        self._looked_at: list[str] = []
        self._begun = 0

    def hear(self, message: dict[str, Any]) -> None:
        """Take in a message, and reply to it where it asks for something."""
        match message:
            case {"do": "module", "name": str(module), "n": int(n)}:
                self._process.send({"n": n, "source": self._module(module)})
            case {"do": "value", "leaf": str(leaf), "n": int(n)} if self._values is not None:
                self._process.send({"n": n, "value": self._value(leaf)})
            case {"do": "next", "printed": str(printed), "n": int(n)} if self._values is None:
                self.run.printed = printed[:60]
                self._process.send({"n": n, "tree": self._next_tree()})
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
                self.over = full  # it would fill the memory again and again
            case {"do": "failed", "why": str(why)} if not self._begun:
                self.run.load_failed = self.over = True
                self.run.answers[0] = Answer(error=printable(why, 400))
            case {"do": "refused", "why": str(why)} if not self._begun:
                self.run.refused, self.over = printable(why, 400), True
            case {"do": "absent"} if not self._begun:
                self.run.absent = self.over = True
            case _:
                raise Garbled

    def break_off(self, why: str, name: str) -> None:
        """Note that there will be no more messages."""
        self.run.load_failed = not self._begun
        doing = f"{name} was at work on this tree" if self._begun else "the file was loading"
        place = max(self._begun - 1, 0)
        self.run.answers[place] = Answer(self._looked_at, error=f"{why} while {doing}.")

    def _next_tree(self) -> list[Any] | None:
        if self._begun == len(self._texts):
            self.over = True
            return None
        root = parse_tree(self._texts[self._begun])
        self._begun += 1
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
        self.run.answers[self._begun - 1] = answer
        self._values = None

    def _module(self, name: str) -> dict[str, Any] | None:
        """A module beside the file, but never one of ours, nor where a link leads elsewhere."""
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
