"""The room for Numba: what another version lacks costs speed or the cache, never an answer."""

import logging
from pathlib import Path
from typing import Any

import nim
import pytest
from numba.core import errors

from threefold.engine import background
from threefold.engine.jit import binding, entries, private
from threefold.engine.jit.cache import EntryCache
from threefold.engine.tree_count import count_from


def take_away(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Let Numba lack a name, as another version may. Numba itself keeps it: it needs most."""
    find = private.find
    monkeypatch.setattr(private, "find", lambda name: None if name == missing else find(name))


def test_the_installed_numba_lacks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    names = (*EntryCache.NEEDS, private.OPTIONS, private.LOCK)
    assert [name for name in names if private.find(name) is None] == []
    assert nim.nim().perft(depth=2) == 9
    assert "lacks" not in caplog.text


def test_an_error_is_worded_without_touching_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    nim.nim().perft(depth=2)
    monkeypatch.setattr(errors, "init", pytest.fail, raising=False)  # there with colorama
    assert "no such type" in errors.termcolor().errmsg("no such type")


@pytest.mark.parametrize("name", EntryCache.NEEDS)
def test_without_a_private_name_nothing_is_kept_and_that_is_said_once(
    fresh_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
) -> None:
    take_away(monkeypatch, name)
    with caplog.at_level(logging.WARNING):
        g = nim.nim()
        assert g.perft(depth=2) == 9
        assert g.compiled().moves(g.initial()) == [1, 2, 3]
    assert not g.compiled().entry(count_from).from_cache
    assert not fresh_cache.exists()
    (said,) = [record.getMessage() for record in caplog.records]
    assert name in said
    assert "so compiled code is not kept on disk" in said


def test_a_dispatcher_without_a_cache_is_not_given_one(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(private, "CACHE", "_renamed")
    assert nim.nim().perft(depth=2) == 9
    assert "lacks CPUDispatcher._renamed" in caplog.text
    assert not fresh_cache.exists()


@pytest.mark.parametrize("method", ["_reduce", "_rebuild"])
def test_a_private_method_that_takes_other_arguments_is_a_miss(
    fresh_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
) -> None:
    from numba.core.compiler import CompileResult

    def other(one: Any, two: Any, three: Any, four: Any) -> None:
        raise AssertionError("called with four arguments")

    monkeypatch.setattr(CompileResult, method, other)
    for _ in range(2):
        assert nim.nim().perft(depth=2) == 9
        assert not nim.nim().compiled().entry(count_from).from_cache
        entries._entries.clear()
    assert "cannot be kept on disk" in caplog.text or "cannot be used" in caplog.text


def test_without_its_options_code_is_only_slower(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(binding, "_authors", {})
    binding.library_twin.cache_clear()
    take_away(monkeypatch, private.OPTIONS)
    assert nim.nim().perft(depth=2) == 9
    assert caplog.text.count("lacks the options _nrt, no_cpython_wrapper, no_cfunc_wrapper") == 1
    monkeypatch.undo()
    binding.library_twin.cache_clear()


def test_without_llvms_lock_the_program_ends_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(private, "LOCK", "llvmlite.binding.ffi:lib._renamed")
    monkeypatch.setattr(background, "_compiling", {0})
    background._let_the_compiler_come_out()


def test_names_that_are_not_there() -> None:
    assert private.find("numba.core.compiler:CompileResult._renamed") is None
    assert private.find("numba.core.nowhere:anything") is None
