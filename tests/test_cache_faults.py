"""A cache folder in any state costs time, never an answer, and what is not the cache's stays."""

import os
import pickle
import signal
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import faults
import nim
import platformdirs
import processes
import pytest
from faults import GONE, Fault, inject

from threefold.engine import cache
from threefold.engine.jit.cache import EntryCache
from threefold.replacing import UNFINISHED

SIGNATURE = "(int64,)"
CONTENT = list(range(1000))
NOBODY = 65534


class PlainCache(EntryCache):
    """Keeps any object where an entry would have machine code: nothing is compiled."""

    def _reduce(self, data: Any) -> bytes:
        return pickle.dumps(data)

    def _rebuild(self, target_context: Any, content: Any) -> Any:
        return content


def keep() -> None:
    PlainCache("Game count", "0").save_overload(SIGNATURE, CONTENT)


def kept() -> Any:
    """What a later process gets to see."""
    entry = PlainCache("Game count", "0")
    entry.holds(SIGNATURE)
    entry.holds_any()
    return entry.load_overload(SIGNATURE, None)


def entry_path() -> Path:
    return PlainCache("Game count", "0")._path(SIGNATURE)


@pytest.fixture
def said(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The warnings, in a fresh cache."""
    messages: list[str] = []
    monkeypatch.setattr(cache.log, "warning", messages.append)
    yield messages
    assert all("\n" not in message and len(message) < 300 for message in messages)


@contextmanager
def as_nobody() -> Iterator[None]:
    """As a user whom permissions concern, which they do not concern root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_what_is_kept_is_found(fresh_cache: Path, said: list[str]) -> None:
    assert kept() is None
    keep()
    assert kept() == CONTENT
    assert said == []


# Faults at every operation.


def test_a_fault_while_it_is_kept_is_a_miss(fresh_cache: Path, said: list[str]) -> None:
    def prepare() -> None:
        cache._said.clear()
        cache._swept.clear()
        said.clear()
        for path in fresh_cache.glob("*"):
            path.unlink()
        if fresh_cache.exists():
            fresh_cache.rmdir()

    for fault in faults.each(keep, fresh_cache.parent.parent, prepare=prepare):
        assert len(said) <= 1, fault
        assert not said or "compiled code cannot be kept" in said[0], fault
        assert (kept() == CONTENT) or said, fault
        keep()
        assert kept() == CONTENT, fault


def test_a_fault_while_it_is_found_is_a_miss(fresh_cache: Path, said: list[str]) -> None:
    found = []
    for fault in faults.each(lambda: found.append(kept()), fresh_cache, prepare=keep):
        assert found[-1] in (None, CONTENT), fault
    assert None in found
    assert all("it is damaged" in message for message in said)


def test_an_answer_comes_while_every_operation_fails(fresh_cache: Path, said: list[str]) -> None:
    with inject(Fault(fresh_cache.parent, 0, GONE)) as fault:
        assert nim.nim().perft(depth=2) == 9
    assert fault.happened
    assert len(said) == 1


@pytest.mark.parametrize("operation", ["write", "replace"])
def test_a_process_killed_while_it_keeps(
    fresh_cache: Path, said: list[str], operation: str
) -> None:
    fresh_cache.parent.mkdir()
    operations = [one.split()[0] for one in faults.count(keep, fresh_cache)]
    entry_path().unlink()
    script = (
        "import sys, faults, test_cache_faults\n"
        "with faults.inject(faults.Fault(sys.argv[1], int(sys.argv[2]), faults.KILL)):\n"
        "    test_cache_faults.keep()\n"
    )
    fresh_cache.rmdir()
    done = processes.run(
        [sys.executable, "-c", script, str(fresh_cache), str(operations.index(operation))],
        cwd=Path(__file__).parent,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    (half,) = fresh_cache.iterdir()
    assert half.name.startswith(UNFINISHED)
    assert kept() is None
    os.utime(half, (0, 0))
    cache._swept.clear()
    keep()
    assert kept() == CONTENT
    assert not half.exists(), "what a killed process left is swept away in the end"
    assert said == []


# Folders.


def test_a_folder_that_may_not_be_entered(fresh_cache: Path, said: list[str]) -> None:
    keep()
    fresh_cache.parent.chmod(0)
    with as_nobody():
        assert kept() is None
        keep()
    fresh_cache.parent.chmod(0o700)
    assert len(said) == 1
    assert "(Permission denied); set THREEFOLD_CACHE to a folder you own" in said[0]


def test_a_folder_of_another_user(
    fresh_cache: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_cache.mkdir(parents=True)
    fresh_cache.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY + 1)
    keep()
    assert "it belongs to another user" in said[0]
    assert stat.S_IMODE(fresh_cache.stat().st_mode) == 0o755
    assert list(fresh_cache.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["x" * 5000, "/".join(["x" * 99] * 50), "/dev/null", "/proc/nowhere"]
)
def test_a_folder_that_cannot_be(
    fresh_cache: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("THREEFOLD_CACHE", name)
    assert nim.nim().perft(depth=2) == 9
    assert kept() is None
    assert len(said) == 1
    assert "compiled code cannot be kept" in said[0]
    assert list(tmp_path.iterdir()) == [], "no part of it was made either"


def test_a_folder_deep_down(
    fresh_cache: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = tmp_path / "/".join("a" * 1050)
    monkeypatch.setenv("THREEFOLD_CACHE", str(deep))
    keep()
    assert kept() == CONTENT
    entry_path().unlink()
    os.removedirs(deep / "compiled")  # pytest would go down by recursion


@pytest.mark.parametrize("make", [Path.touch, os.mkfifo, lambda path: path.symlink_to("nowhere")])
def test_something_else_in_the_folders_place(fresh_cache: Path, said: list[str], make: Any) -> None:
    fresh_cache.parent.mkdir()
    make(fresh_cache)
    keep()
    assert kept() is None
    assert len(said) == 1


def test_a_folder_made_under_a_strict_umask(fresh_cache: Path, said: list[str]) -> None:
    before = os.umask(0o777)
    try:
        keep()
    finally:
        os.umask(before)
    assert said == []
    for folder in (fresh_cache, fresh_cache.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry_path().stat().st_mode) == 0o600


def test_a_link_to_a_folder_that_is_open_stays_open(
    fresh_cache: Path, said: list[str], tmp_path: Path
) -> None:
    elsewhere = tmp_path / "public"
    elsewhere.mkdir()
    elsewhere.chmod(0o755)
    fresh_cache.parent.mkdir()
    fresh_cache.symlink_to(elsewhere)
    keep()
    assert "it is a link to a folder that others can enter" in said[0]
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o755
    assert list(elsewhere.iterdir()) == []
    elsewhere.chmod(0o700)
    keep()
    assert kept() == CONTENT, "a link to a private folder is as good as that"


def test_a_user_without_a_home(
    fresh_cache: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THREEFOLD_CACHE")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda _: Path("~/.cache/threefold"))
    keep()
    assert "your home folder is not known" in said[0]
    assert list(tmp_path.iterdir()) == []


# Files.


def bind_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one, pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)  # a socket's path is short
        one.bind(path.name)


@pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        bind_socket,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to(path.name),
    ],
    ids=["pipe", "socket", "device", "link to itself"],
)
def test_something_else_in_an_entrys_place(fresh_cache: Path, said: list[str], make: Any) -> None:
    keep()
    entry_path().unlink()
    make(entry_path())
    assert kept() is None
    keep()
    assert kept() == CONTENT, "it was replaced"
    assert all("it is not a plain file" in message for message in said)


def test_a_folder_in_an_entrys_place(fresh_cache: Path, said: list[str]) -> None:
    keep()
    entry_path().unlink()
    entry_path().mkdir()
    assert kept() is None
    keep()
    assert kept() is None
    assert len(said) == 1
    assert "cannot be kept" in said[0]
    assert [path.name for path in fresh_cache.iterdir()] == [entry_path().name]


def test_what_cannot_be_swept_away_does_not_matter(fresh_cache: Path, said: list[str]) -> None:
    fresh_cache.mkdir(parents=True, mode=0o700)
    for name in ("A.0.entry", "B.0.entry"):
        (fresh_cache / name).mkdir()
        os.utime(fresh_cache / name, (0, 0))
    (fresh_cache / "C.0.entry").touch()
    os.utime(fresh_cache / "C.0.entry", (0, 0))
    keep()
    assert kept() == CONTENT
    assert said == []
    assert not (fresh_cache / "C.0.entry").exists()
