"""Faults on purpose: make the k-th file operation of a piece of code fail, for every k.

    def export() -> None:
        assert shell("explain", "minimax", TREE, "--svg", str(folder / "tree.svg")) in (0, 2)

    for fault in faults.each(export, under=folder):
        ...  # the export has run, and one of its operations failed: look at what is left

`each` runs the code once and counts its file operations below a folder. Then it runs it again for
every operation and every kind of fault, and hands over what it did after each run:

- `EIO`, `ENOSPC`, `EACCES`: the operation fails with that error, and those after it work;
- `GONE`: it fails with EIO and so do all after it, as on a disk that was pulled out; what a
  program does to clean up fails as well;
- `SHORT`: it writes half of what it should, and every write after it finds the disk full. Where
  the operation writes nothing, it works, and the next write is the short one;
- `KILL`: the process ends there, as by `kill -9`, after half of what it was to write. That is
  for a process of its own: `command_under(fault)` is how to start one.

What is an operation: a call of the functions of `os` in `FUNCTIONS`, and opening, reading, writing
and closing a file, on paths below the folder. All of Python's own library goes through these. What
happens to other paths is neither counted nor touched. Code that must not be disturbed, like a test
that prepares files, runs outside of `inject`.
"""

import _io
import builtins
import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EIO, ENOSPC, EACCES, GONE, SHORT, KILL = "EIO", "ENOSPC", "EACCES", "GONE", "SHORT", "KILL"
#: What a program can live through.
ERRORS = (EIO, ENOSPC, EACCES, GONE, SHORT)
#: The functions of `os` that are operations: each takes a path first, or an open file's number.
# fmt: off
FUNCTIONS = (
    "access", "chmod", "chown", "close", "fchmod", "fstat", "fsync", "ftruncate", "link",
    "listdir", "lstat", "mkdir", "open", "pwrite", "read", "readlink", "remove", "rename",
    "replace", "rmdir", "scandir", "stat", "symlink", "truncate", "unlink", "utime", "write",
)
# fmt: on


@dataclass(repr=False)
class Fault:
    """A fault at one operation, and what happened until then."""

    under: Path | str
    #: Which operation fails, from 0; None for none, to count them.
    at: int | None = None
    kind: str = EIO
    #: The operations so far, as `open tree.svg`.
    operations: list[str] = field(default_factory=list)
    _handles: set[int] = field(default_factory=set)
    _full: bool = False

    def __repr__(self) -> str:
        where = self.operations[self.at] if self.happened and self.at is not None else "none"
        return f"{self.kind} at operation {self.at}: {where}"

    @property
    def happened(self) -> bool:
        """Whether the code came as far as the operation that was to fail."""
        return self.at is not None and len(self.operations) > self.at

    def concerns(self, place: Any) -> bool:
        """Whether a path, or an open file's number, is below the folder."""
        if isinstance(place, int):
            return place in self._handles
        try:
            absolute = os.path.abspath(os.fsdecode(os.fspath(place)))
        except TypeError:
            return False
        return absolute == str(self.under) or absolute.startswith(f"{self.under}{os.sep}")

    def strike(
        self, operation: str, place: Any, write_half: Callable[[], object] | None = None
    ) -> bool:
        """Count an operation and let it fail if it is its turn; whether to write only half."""
        turn = len(self.operations)
        shown = place if isinstance(place, int) else Path(os.fsdecode(place)).name
        self.operations.append(f"{operation} {shown}")
        if self.at is None or turn < self.at:
            return False
        if self.kind == SHORT:
            if write_half is None:
                return False
            if self._full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._full = True
            return True
        if self.kind == KILL:
            if write_half is not None:
                write_half()
            os.kill(os.getpid(), signal.SIGKILL)
        if turn == self.at or self.kind == GONE:
            number = getattr(errno, "EIO" if self.kind == GONE else self.kind)
            raise OSError(number, os.strerror(number))
        return False


@contextmanager
def inject(fault: Fault) -> Iterator[Fault]:
    """Let a fault happen to the code within."""
    fault.under = Path(os.path.abspath(fault.under))
    originals = {name: getattr(os, name) for name in FUNCTIONS if hasattr(os, name)}
    opened, opened_code = io.open, io.open_code

    def guarded(name: str) -> Callable[..., Any]:
        real = originals[name]

        def operation(place: Any = ".", *args: Any, **options: Any) -> Any:
            if not fault.concerns(place):
                return real(place, *args, **options)
            if name == "close":  # the number is given back even where closing fails
                fault._handles.discard(place)
                real(place)
                return fault.strike(name, place)
            if name in ("write", "pwrite"):
                content, *rest = args
                half = content[: len(content) // 2]
                if fault.strike(name, place, lambda: real(place, half, *rest)):
                    return real(place, half, *rest)
            else:
                fault.strike(name, place)
            result = real(place, *args, **options)
            if name == "open":
                fault._handles.add(result)
            return result

        return operation

    def open_file(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        if not fault.concerns(file):
            return opened(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = _Raw(fault, file, mode.translate({ord("t"): None, ord("b"): None}), closefd, opener)
        if buffering == 0:
            return raw
        kind: Any = io.BufferedReader
        if raw.writable():
            kind = io.BufferedRandom if raw.readable() else io.BufferedWriter
        buffer = kind(raw)
        if "b" in mode:
            return buffer
        return io.TextIOWrapper(buffer, encoding, errors, newline)

    try:
        for name in originals:
            setattr(os, name, guarded(name))
        io.open = builtins.open = open_file
        _io.open_code = lambda path: open_file(path, "rb")  # how modules are read
        yield fault
    finally:
        io.open = builtins.open = opened
        _io.open_code = opened_code
        for name, real in originals.items():
            setattr(os, name, real)


class _Raw(io.FileIO):
    """An open file whose reading, writing and closing are operations."""

    def __init__(self, fault: Fault, file: Any, mode: str, closefd: bool, opener: Any) -> None:
        if opener is None and not isinstance(file, int):
            fault.strike("open", file)
        super().__init__(file, mode, closefd, opener)
        self._fault = fault
        self._place = file
        fault._handles.add(self.fileno())

    def readinto(self, buffer: Any) -> Any:
        self._fault.strike("read", self._place)
        return super().readinto(buffer)

    def readall(self) -> Any:
        self._fault.strike("read", self._place)
        return super().readall()

    def write(self, content: Any) -> Any:
        half = bytes(content)[: len(content) // 2]
        if self._fault.strike("write", self._place, lambda: super(_Raw, self).write(half)):
            return super().write(half)
        return super().write(content)

    def close(self) -> None:
        if self.closed:
            return
        self._fault._handles.discard(self.fileno())
        super().close()
        self._fault.strike("close", self._place)


def count(code: Callable[[], object], under: Path) -> list[str]:
    """The file operations of a piece of code below a folder."""
    with inject(Fault(under)) as none:
        code()
    return none.operations


def each(
    code: Callable[[], object],
    under: Path,
    *,
    prepare: Callable[[], object] = lambda: None,
    kinds: tuple[str, ...] = ERRORS,
) -> Iterator[Fault]:
    """Run code once for every fault at every operation; `prepare` sets the folder up before."""
    prepare()
    operations = count(code, under)
    assert operations, "the code does nothing below the folder"
    for kind in kinds:
        for at in range(len(operations)):
            prepare()
            fault = Fault(under, at, kind)
            with inject(fault):
                code()
            if fault.happened:
                yield fault


def command_under(fault: Fault, *argv: str) -> list[str]:
    """How to run `threefold` in a process of its own with a fault."""
    at = "" if fault.at is None else str(fault.at)
    return [sys.executable, __file__, str(fault.under), at, fault.kind, *argv]


def main() -> int:
    """Run `threefold` with a fault: FOLDER AT KIND COMMAND…; without AT, list operations."""
    from threefold.cli.main import main as threefold

    under, at, kind, *argv = sys.argv[1:]
    with inject(Fault(Path(under), int(at) if at else None, kind)) as fault:
        code = threefold(argv)
    if not at:
        sys.stderr.write("\n".join(one.split()[0] for one in fault.operations))
    return code


if __name__ == "__main__":
    sys.exit(main())
