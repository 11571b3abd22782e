"""Machine code on disk: private, swept, and never the reason that something fails."""

import logging
import os
import stat
import time
from pathlib import Path
from typing import Any

import nim
import pytest

from threefold.engine import cache
from threefold.engine.cache import MAX_VERSIONS, EntryFiles
from threefold.engine.jit import entries
from threefold.engine.tree_count import count_from

ROOT = Path(__file__).parents[1]


def from_cache() -> bool:
    return nim.nim().compiled().entry(count_from).from_cache


def forget() -> None:
    entries._entries.clear()


def test_the_folder_is_private(fresh_cache: Path) -> None:
    nim.nim().perft(depth=2)
    assert stat.S_IMODE(fresh_cache.stat().st_mode) == 0o700
    for entry in fresh_cache.iterdir():
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600


def test_a_folder_left_open_is_closed(fresh_cache: Path) -> None:
    fresh_cache.mkdir(parents=True)
    fresh_cache.chmod(0o777)
    nim.nim().perft(depth=2)
    assert stat.S_IMODE(fresh_cache.stat().st_mode) == 0o700


def test_what_another_user_wrote_is_not_loaded(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    nim.nim().perft(depth=2)
    forget()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with caplog.at_level(logging.WARNING):
        assert nim.nim().perft(depth=2) == 9
    assert not from_cache()
    assert "others may have written it" in caplog.text


def test_a_second_use_comes_from_disk(fresh_cache: Path) -> None:
    nim.nim().perft(depth=2)
    assert not from_cache()
    forget()
    nim.nim().perft(depth=2)
    assert from_cache()


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 5000])
def test_a_damaged_file_is_a_miss(
    fresh_cache: Path, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    nim.nim().perft(depth=2)
    forget()
    for entry in fresh_cache.iterdir():
        entry.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert nim.nim().perft(depth=2) == 9
    assert not from_cache()
    assert caplog.text.count("it is damaged") == 1
    forget()
    nim.nim().perft(depth=2)
    assert from_cache(), "the damaged file was replaced"


def test_a_truncated_file_is_a_miss(fresh_cache: Path) -> None:
    nim.nim().perft(depth=2)
    forget()
    for entry in fresh_cache.iterdir():
        entry.write_bytes(entry.read_bytes()[:-100])
    assert nim.nim().perft(depth=2) == 9
    assert not from_cache()


def test_an_unwritable_folder_is_said_once(
    tmp_path: Path,
    fresh_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("THREEFOLD_CACHE", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING):
        g = nim.nim()
        assert g.perft(depth=2) == 9
        assert g.compiled().moves(g.initial()) == [1, 2, 3]
    assert caplog.text.count("compiled code cannot be kept") == 1


def test_old_entries_are_swept(fresh_cache: Path) -> None:
    fresh_cache.mkdir(parents=True, mode=0o700)
    stale, fresh = fresh_cache / "Old.0.entry", fresh_cache / "New.0.entry"
    other = fresh_cache / "notes.txt"
    for path in (stale, fresh, other):
        path.write_text("")
    long_ago = time.time() - (cache.MAX_AGE_DAYS + 1) * 86_400
    os.utime(stale, (long_ago, long_ago))
    os.utime(other, (long_ago, long_ago))
    nim.nim().perft(depth=2)
    assert not stale.exists()
    assert fresh.exists()
    assert other.exists(), "what is not ours is left alone"


def test_versions_of_one_entry_do_not_pile_up(fresh_cache: Path) -> None:
    """A notebook that changes a rule fifty times leaves a few files behind, not fifty."""
    fresh_cache.mkdir(parents=True, mode=0o700)
    label = EntryFiles(f"Nim 20 {count_from.__name__}", "x").label
    for age in range(2 * MAX_VERSIONS):
        path = fresh_cache / f"{label}.{age}.entry"
        path.write_text("")
        os.utime(path, (time.time() - age * 60, time.time() - age * 60))
    nim.nim().perft(depth=2)
    left = sorted(fresh_cache.glob(f"{label}.*"))
    assert len(left) == MAX_VERSIONS
    assert fresh_cache / f"{label}.0.entry" in left
    assert fresh_cache / f"{label}.{2 * MAX_VERSIONS - 1}.entry" not in left


def test_use_keeps_an_entry_young(fresh_cache: Path) -> None:
    nim.nim().perft(depth=2)
    forget()
    long_ago = time.time() - 1000
    for entry in fresh_cache.iterdir():
        os.utime(entry, (long_ago, long_ago))
    nim.nim().perft(depth=2)
    assert all(entry.stat().st_mtime > long_ago + 500 for entry in fresh_cache.iterdir())


def plant(fresh_cache: Path, *, mode: int) -> None:
    """Put a file of the right name and checksum, with other contents, where an entry was."""
    (entry,) = fresh_cache.iterdir()
    payload = b"cos\nsystem\n(S'echo planted'\ntR."
    entry.write_bytes(cache.checksum(entry.name, payload) + payload)
    entry.chmod(mode)


def test_what_others_may_have_written_is_not_unpickled(
    fresh_cache: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    nim.nim().perft(depth=2)
    forget()
    plant(fresh_cache, mode=0o666)
    with caplog.at_level(logging.WARNING):
        assert nim.nim().perft(depth=2) == 9
    assert "others may have written it" in caplog.text
    assert "planted" not in capfd.readouterr().out


def test_an_entry_under_another_name_is_no_entry(
    fresh_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    nim.nim().perft(depth=2)
    forget()
    (entry,) = fresh_cache.iterdir()
    other = nim.nim(utility=lambda s: 0)
    other.perft(depth=2)
    (second,) = set(fresh_cache.iterdir()) - {entry}
    second.write_bytes(entry.read_bytes())
    forget()
    with caplog.at_level(logging.WARNING):
        assert other.perft(depth=2) == 9
    assert "it is damaged" in caplog.text


def test_a_read_only_folder_is_still_read(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nim.nim().perft(depth=2)
    forget()

    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(os, "utime", refuse)
    nim.nim().perft(depth=2)
    assert from_cache()


def test_memory_keeps_only_so_many_entries(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "MAX_ENTRIES", 2)
    for value in range(4):
        nim.nim(utility=lambda s, v=value: v).compiled().entry(count_from)
    assert len(entries._entries) == 2


def test_a_game_that_is_written_twice_is_compiled_as_one(
    fresh_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The same rules, run again as in a notebook's cell: another class, but one type."""
    rules = (ROOT / "examples" / "twenty_one.py").read_text("utf-8")
    games = []
    for _ in range(2):
        cell: dict[str, Any] = {"__name__": "__main__"}
        exec(rules, cell)
        games.append(cell["game"])
    games[0].compiled().moves(games[0].initial())
    assert games[1].perft(depth=3) == 27
    assert "cannot be kept" not in caplog.text
    assert any("count_from" in entry.name for entry in fresh_cache.iterdir())
