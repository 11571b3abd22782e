"""Whatever goes wrong with a file: nothing is lost, and one clear line says what happened."""

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import faults
import processes
import pytest
from faults import EIO, KILL, SHORT, Fault, inject
from shell import Shell

from threefold.errors import BadRecord
from threefold.games.chess import pgn
from threefold.replacing import UNFINISHED
from threefold.textbook.graph import LECTURE_GRAPH

TREE = "((3 12 8) (2 4 6) (14 5 2))"
OLD = "what was there before"
EXAMPLE = Path(__file__).parents[1] / "examples" / "twenty_one.py"
RECORDS = Path(__file__).parent / "records"


# The library itself.


def test_every_operation_is_counted_and_can_fail(tmp_path: Path) -> None:
    def code() -> None:
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "file").write_text("text")
        os.replace(tmp_path / "new" / "file", tmp_path / "file")
        handle = os.open(tmp_path / "file", os.O_RDWR)
        os.write(handle, b"bytes")
        os.fsync(handle)
        os.close(handle)
        with open(tmp_path / "file", "rb") as file:
            os.fstat(file.fileno())
            file.read()
        os.listdir(tmp_path)
        (tmp_path / "file").unlink()
        (tmp_path / "new").rmdir()

    said = [operation.split()[0] for operation in faults.count(code, tmp_path)]
    expected = "mkdir open write close replace open write fsync close open fstat read"
    # How often a whole file is read, and its size looked up, depends on Python's version.
    steps = [s for i, s in enumerate(said) if s != "read" or said[i - 1] != "read"]
    assert " ".join(steps) == f"{expected} close listdir unlink rmdir"
    assert list(tmp_path.iterdir()) == []
    with inject(Fault(tmp_path, 4, EIO)), pytest.raises(OSError, match="Input/output") as error:
        code()
    assert error.traceback[-1].name == "strike"
    assert (tmp_path / "new" / "file").read_text() == "text", "the fifth operation did not happen"


def test_a_short_write_leaves_half(tmp_path: Path) -> None:
    with inject(Fault(tmp_path, 0, SHORT)), pytest.raises(OSError, match="No space left"):
        (tmp_path / "file").write_text("12345678")
    assert (tmp_path / "file").read_text() == "1234"


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    with inject(Fault(tmp_path / "here", 0, EIO)) as fault:
        (tmp_path / "hereafter").write_text("text")
    assert not fault.happened


# Commands that write.


EXPORTS = [
    ("explain", "alphabeta", TREE, "--svg"),
    ("explain", "alphabeta", TREE, "--html"),
    ("explain", "alphabeta", TREE, "--tikz"),
    ("compare", "--branching", "2", "--depth", "2", "--chart"),
    ("exercise", "new", "--seed", "1", "--html"),
    ("exercise", "new", "--seed", "1", "--svg"),
]


@pytest.mark.parametrize("argv", EXPORTS, ids=lambda argv: f"{argv[0]} {argv[-1]}")
@pytest.mark.parametrize("there", [True, False], ids=["an old file", "no file"])
def test_an_export_succeeds_or_changes_nothing(
    shell: Shell, tmp_path: Path, argv: tuple[str, ...], there: bool
) -> None:
    target = tmp_path / "target"
    codes = []

    def prepare() -> None:
        for path in tmp_path.iterdir():
            path.unlink()
        if there:
            target.write_text(OLD)
            target.chmod(0o640)

    def run() -> None:
        codes.append(shell(*argv, str(target)))

    prepare()
    run()
    assert codes == [0], shell.err
    whole = target.read_text("utf-8")
    assert len(whole) > len(OLD)
    for fault in faults.each(run, tmp_path, prepare=prepare):
        if codes[-1] == 0:
            assert target.read_text("utf-8") == whole, fault
            assert shell.err == "", fault
        else:
            assert codes[-1] == 2, fault
            assert shell.err.startswith("threefold: "), fault
            assert "cannot be written: " in shell.err, fault
            assert shell.err.count("\n") == 1, fault
            assert target.exists() == there, fault
            assert not there or target.read_text() == OLD, fault
        if there:
            assert stat.S_IMODE(target.stat().st_mode) == 0o640, fault
        left = [path.name for path in tmp_path.iterdir() if path != target]
        # What cannot be removed stays; its name says what it is.
        assert len(left) <= (fault.kind in (faults.GONE, faults.EIO)), fault
        assert all(name.startswith(UNFINISHED) for name in left), fault
    assert 0 in codes
    assert 2 in codes


def test_an_export_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    target = tmp_path / "target"
    argv = ("explain", "minimax", TREE, "--svg", str(target))
    target.write_text(OLD)
    counted = processes.run(faults.command_under(Fault(tmp_path), *argv), check=True)
    whole = target.read_text("utf-8")
    operations = counted.stderr.split()
    assert "replace" in operations
    for at in range(operations.index("open"), len(operations)):
        target.write_text(OLD)
        done = processes.run(faults.command_under(Fault(tmp_path, at, KILL), *argv))
        assert done.returncode == -signal.SIGKILL
        finished = at > operations.index("replace")
        assert target.read_text("utf-8") == (whole if finished else OLD), operations[at]


def test_an_export_keeps_what_may_not_be_written(shell: Shell, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text(OLD)
    target.chmod(0o444)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)  # root may write everything
        assert "Permission denied" in shell.refused(
            "explain", "minimax", TREE, "--svg", str(target)
        )
    assert target.read_text() == OLD


def test_an_export_goes_through_a_link(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    for _ in range(2):
        assert shell("explain", "minimax", TREE, "--svg", str(tmp_path / "link")) == 0
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "target").read_text("utf-8").startswith("<svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]


def test_an_export_goes_to_devices_and_pipes(tmp_path: Path) -> None:
    argv = ("explain", "minimax", TREE, "--svg", "/dev/stdout")
    done = processes.run([*processes.THREEFOLD, *argv], check=True)
    assert "<svg" in done.stdout
    assert "path B" in done.stdout
    done = processes.run([*processes.THREEFOLD, *argv[:-1], "/dev/full"])
    assert done.returncode == 2
    assert "'/dev/full' cannot be written: No space left" in done.stderr


# Commands that read.


def sheet(shell: Shell) -> str:
    assert shell("exercise", "new", "--seed", "7", "--solution") == 0
    return shell.out


READERS: list[tuple[tuple[str, ...], Callable[[Shell], str]]] = [
    (("explain", "minimax", "FILE"), lambda _: TREE),
    (("explain", "a-star", "--graph", "FILE", "--from", "A", "--to", "G"), lambda _: LECTURE_GRAPH),
    (("exercise", "check", "FILE"), sheet),
    (("perft", "FILE", "--depth", "2", "--way", "interpreted"), lambda _: EXAMPLE.read_text()),
]


@pytest.mark.parametrize(("argv", "text"), READERS, ids=[argv[1] for argv, _ in READERS])
def test_what_cannot_be_read_is_one_line(
    shell: Shell, tmp_path: Path, argv: tuple[str, ...], text: Callable[[Shell], str]
) -> None:
    file = tmp_path / "given.py"
    file.write_text(text(shell), "utf-8")
    answers: list[tuple[int, str]] = []

    def run() -> None:
        code = shell(*(word.replace("FILE", str(file)) for word in argv))
        answers.append((code, shell.out))

    run()
    right = answers[0]
    assert right[0] == 0
    for fault in faults.each(run, tmp_path):
        if answers[-1] != right:
            assert answers[-1] == (2, ""), fault
            assert shell.err.startswith("threefold: "), fault
            assert shell.err.count("\n") == 1, fault
    assert (2, "") in answers


def test_records_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_bytes((RECORDS / "famous.pgn").read_bytes())
    whole = list(pgn.load(file))
    read: list[object] = []
    errors: list[str] = []

    def load() -> None:
        read.clear()
        try:
            for record in pgn.load(file):
                read.append(record)
        except BadRecord as error:
            errors.append(str(error))

    for fault in faults.each(load, tmp_path):
        assert whole[: len(read)] == read, fault
        if read != whole:
            assert errors[-1].startswith(f"{file} cannot be read: "), fault
    assert errors
    with pytest.raises(BadRecord, match=r"none\.pgn cannot be read: No such file"):
        next(pgn.load(tmp_path / "none.pgn"))
