"""Other people's programs: finding them, starting them, and reading what they say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.protocols import process
from threefold.protocols.player import Budget
from threefold.protocols.process import find_program
from threefold.protocols.uci_engine import UciPlayer

TIC_TAC_TOE = game("tic-tac-toe")
FAST = Budget(time=1)


def test_missing_programs() -> None:
    for command, complaint in (
        ("stokfish", "there is no program stokfish; install it or give its path"),
        ("/no/such/engine --uci", "there is no program /no/such/engine; install it"),
        ("a\0b", "there is no program"),
        ("", "there is no command"),
        ('stockfish "', "cannot be read: No closing quotation"),
        (__file__, "is not a program; make it executable"),
    ):
        with pytest.raises(ThreefoldError, match=complaint.replace("?", r"\?")):
            UciPlayer(TIC_TAC_TOE, FAST, command).prepare()


def test_programs_are_found_on_path_and_among_debians_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program("engine") == str(engine)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(process, "_GAMES_FOLDER", str(tmp_path))
    assert find_program("engine") == str(engine)


def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_bytes(b"\x7fELF nonsense")
    engine.chmod(0o755)
    with pytest.raises(ThreefoldError, match="engine cannot be started: Exec format error"):
        UciPlayer(TIC_TAC_TOE, FAST, str(engine)).prepare()


@given(st.lists(st.binary(min_size=1, max_size=20)))
def test_lines_do_not_depend_on_how_they_arrive(arrived: list[bytes]) -> None:
    pieces = process._Pieces()
    lines = [line for data in (*arrived, b"") for line in pieces.lines(data)]
    expected = [line.decode("utf-8", "replace").rstrip() for line in b"".join(arrived).split(b"\n")]
    assert lines == (expected if b"".join(arrived).rpartition(b"\n")[2] else expected[:-1])


def test_of_a_long_line_the_beginning_is_kept() -> None:
    pieces = process._Pieces()
    lines = [line for _ in range(100) for line in pieces.lines(b"x" * 10_000)]
    assert lines == []
    (line, after) = pieces.lines(b"\nafter\n")
    assert (line, after) == ("x" * process._LONGEST_LINE, "after")
