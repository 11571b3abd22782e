"""A game to start from: it works as it is, and no existing file is overwritten."""

import re
from pathlib import Path

import pytest
from shell import Shell

from threefold import conformance, game


def test_the_game_is_played_checked_and_solved(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "my_little_game.py"
    assert shell("new", str(path)) == 0
    assert f"threefold play {path}" in shell.out
    made = game(str(path))
    assert made.name == "My little game"
    assert conformance(made, games=20).ok
    assert made.solve().value == 0
    assert shell("play", str(path), "--level", "human", typing="a1\na2\nb1\nb2\nc1\n") == 0
    assert "3 . . .\n2 O O .\n1 X X X\n  a b c" in shell.out
    assert shell.out.splitlines()[-1] == "X wins"


def test_every_move_is_a_place_on_the_picture(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "clicked.py"
    shell("new", str(path))
    made = game(str(path))
    start = made.initial()
    places = set(re.findall(r'data-place="(\w+)"', made.draw(start)))
    assert [made.places(start, a) for a in made.moves(start)] == [
        (made.format_move(start, a),) for a in made.moves(start)
    ]
    assert places == {made.format_move(start, a) for a in made.moves(start)}
    assert set(made.contents(start)) == places


def test_a_file_that_is_there_is_left_alone(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("years of work")
    assert "already exists" in shell.refused("new", str(path))
    assert path.read_text() == "years of work"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("game.txt", "call it game.py"),
        ("game", "call it game.py"),
        ("no/such/folder/game.py", "cannot be written"),
        ("x" * 5000 + ".py", "cannot be written"),
        ("a\0b.py", "cannot be written"),
    ],
)
def test_a_file_that_cannot_be_is_refused(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert word in shell.refused("new", name)
    assert not [*tmp_path.iterdir()]
