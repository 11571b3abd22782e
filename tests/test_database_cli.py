"""`threefold database`: building, looking, verifying, and what can go wrong meanwhile."""

import json
import re
import shutil
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import faults
import numpy as np
import processes
import pytest
from endgame_tables import Endings, endings
from faults import EIO, KILL, SHORT, Fault
from shell import Shell

from threefold import game
from threefold.engine.endgames.files import TableFile, path_of, read_table, write_table
from threefold.engine.endgames.values import DECIDED
from threefold.replacing import UNFINISHED
from threefold.solve.endgames.building import build
from threefold.solve.endgames.making import Maker

#: The tables of checkers with two pieces.
TWO = ["KvK", "KvM", "MvK", "MvM"]
#: What a build that was stopped may leave behind.
LEFT = (UNFINISHED, ".unverified-", ".tables.build.lock")


@pytest.fixture(scope="session", name="checkers")
def checkers_with_three_pieces(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return endings(tmp_path_factory, "checkers", 3)


@pytest.fixture(scope="session", name="chess")
def chess_with_three_men(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return endings(tmp_path_factory, "chess", 3)


@pytest.fixture(scope="session", name="kalah")
def kalah_with_eight_seeds(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return endings(tmp_path_factory, "kalah", 8)


@pytest.fixture(name="two")
def a_copy_with_two_pieces(checkers: Endings, tmp_path: Path) -> Path:
    """A database of checkers with two pieces, to be changed."""
    folder = tmp_path / "two"
    folder.mkdir()
    for name in TWO:
        shutil.copy(path_of(checkers.folder, name), folder)
    return folder


def built(shell: Shell, folder: Path, *more: str, pieces: int = 2) -> dict[str, Any]:
    argv = ("build", "checkers", "--pieces", str(pieces), "--dir", str(folder))
    return shell.json("database", *argv, *more)


def names_in(folder: Path) -> list[str]:
    """All that is in a folder, without the suffix of tables."""
    return sorted(path.name.removesuffix(".endgame") for path in folder.iterdir())


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def assert_right(of: Endings, folder: Path, *, outcomes: bool = False) -> int:
    """Every table in the folder has the right values; return how many there are."""
    tables = list(folder.glob("*.endgame"))
    for path in tables:
        right = of.values(path.stem)
        found = np.zeros(len(right), np.int16)
        table = TableFile(path)
        read_table(table, found, of.coder)
        assert outcomes or table.header.distances
        if not table.header.distances:
            right = np.where(right == np.iinfo(np.int16).min, right, np.sign(right))
        used = right != np.iinfo(np.int16).min
        assert (found == right)[used].all(), path
    return len(tables)


# Building.


def test_build_makes_what_is_missing(shell: Shell, checkers: Endings, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    first = built(shell, folder)
    assert list(first) == ["game", "pieces", "made", "kept", "positions", "bytes", "seconds"]
    length = sum(path.stat().st_size for path in folder.iterdir())
    assert (first["game"], first["pieces"], first["made"], first["kept"]) == ("checkers", 2, 4, 0)
    assert (first["positions"], first["bytes"]) == (3488, length)
    assert first["seconds"] >= 0
    assert names_in(folder) == TWO
    before = contents(folder)

    again = built(shell, folder)
    assert (again["made"], again["kept"], again["positions"]) == (0, 4, 3488)
    assert contents(folder) == before

    more = built(shell, folder, pieces=3)
    assert (more["made"], more["kept"], more["positions"]) == (12, 4, 199_520)
    assert contents(folder).items() >= before.items()
    assert names_in(folder) == sorted(checkers.slices)
    assert_right(checkers, folder)

    fewer = built(shell, folder)
    assert (fewer["made"], fewer["kept"], fewer["positions"]) == (0, 4, 3488)
    path_of(folder, "KvM").unlink()
    path_of(folder, "MvMM").unlink()
    assert built(shell, folder, pieces=3)["positions"] == 199_520
    assert assert_right(checkers, folder) == 16


def test_build_as_text(shell: Shell, tmp_path: Path) -> None:
    argv = ("database", "build", "checkers", "--pieces", "2", "--dir", str(tmp_path))
    numbers = r"3,488 positions in \d,\d{3} bytes \(0\.\d{3} each\), \d+\.\d s\n"
    assert shell(*argv) == 0
    assert re.fullmatch(rf"4 tables made and verified\n{numbers}", shell.out)
    assert shell.err == ""
    assert shell(*argv) == 0
    assert re.fullmatch(rf"0 tables made and verified, 4 were there already\n{numbers}", shell.out)


@pytest.mark.parametrize("more", [["--threads", "1"], ["--threads", "3"], ["--memory", "0.000001"]])
def test_threads_and_memory_change_nothing(
    shell: Shell, checkers: Endings, tmp_path: Path, more: list[str]
) -> None:
    assert built(shell, tmp_path, *more, pieces=3)["made"] == 16
    assert assert_right(checkers, tmp_path) == 16


def test_build_of_outcomes(shell: Shell, checkers: Endings, tmp_path: Path) -> None:
    with_distances = sum(checkers.file(name).bytes for name in checkers.slices)
    outcomes = built(shell, tmp_path, "--outcomes", pieces=3)
    assert outcomes["made"] == 16
    assert outcomes["positions"] == 199_520
    assert outcomes["bytes"] < with_distances / 2
    assert assert_right(checkers, tmp_path, outcomes=True) == 16
    assert not any(TableFile(path).header.distances for path in tmp_path.iterdir())
    before = contents(tmp_path)
    assert built(shell, tmp_path, "--outcomes", pieces=3)["made"] == 0
    assert contents(tmp_path) == before
    assert shell("database", "verify", str(tmp_path)) == 0
    counts = [
        {row["name"]: (row["won"], row["drawn"], row["lost"]) for row in answer["slices"]}
        for answer in (
            shell.json("database", "info", str(folder)) for folder in (tmp_path, checkers.folder)
        )
    ]
    assert counts[0] == counts[1]


def test_outcomes_of_tables_that_had_distances(shell: Shell, checkers: Endings, two: Path) -> None:
    assert built(shell, two, "--outcomes")["made"] == 0
    assert assert_right(checkers, two, outcomes=True) == 4
    assert not any(TableFile(path).header.distances for path in two.iterdir())
    argv = ("database", "build", "checkers", "--dir", str(two), "--pieces")
    before = contents(two)
    said = shell.refused(*argv, "2")
    assert "KvK.endgame' has outcomes without distances; choose another folder" in said
    said = shell.refused(*argv, "3", "--outcomes")
    assert "has outcomes without distances, and no more tables can be made from it" in said
    assert contents(two) == before


def test_build_where_tables_of_other_rules_are(shell: Shell, two: Path) -> None:
    argv = ("database", "build", "chess", "--pieces", "2", "--dir", str(two))
    said = shell.refused(*argv)
    assert "KvK.endgame' is the table KvK of checkers, not KvK of chess; remove it" in said


def test_build_where_tables_were_exchanged(shell: Shell, two: Path) -> None:
    path_of(two, "KvM").rename(two / "x")
    path_of(two, "MvK").rename(path_of(two, "KvM"))
    (two / "x").rename(path_of(two, "MvK"))
    argv = ("database", "build", "checkers", "--pieces", "2", "--dir", str(two))
    said = shell.refused(*argv)
    assert "KvM.endgame'" in said
    assert "of checkers, not of checkers" not in said


BUILD = ("database", "build", "checkers", "--pieces", "2", "--dir", "FOLDER")


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["database"], "needs an action: build, info, verify or probe"),
        (["database", "bild"], "did you mean build?"),
        (["database", "build", "checkers", "--dir", "FOLDER"], "--pieces"),
        (["database", "build", "checkers", "--pieces", "2"], "--dir"),
        ([*BUILD[:4], "0", *BUILD[5:]], "--pieces 0: databases of Checkers have up to 8 pieces"),
        ([*BUILD[:4], "1", *BUILD[5:]], "--pieces 1: "),
        ([*BUILD[:4], "99", *BUILD[5:]], "--pieces 99: databases of Checkers have up to 8 pieces"),
        ([*BUILD[:4], "-2", *BUILD[5:]], "--pieces -2: "),
        ([*BUILD[:4], "two", *BUILD[5:]], "'two' is not a whole number"),
        (["database", "build", "kalah", *BUILD[3:4], "99", *BUILD[5:]], "up to 24 seeds"),
        (["database", "build", "othello", *BUILD[3:]], "Othello declares no end-games"),
        (["database", "build", "checkrs", *BUILD[3:]], "did you mean checkers?"),
        ([*BUILD[:-1], "FOLDER/file"], "cannot be written: File exists"),
        ([*BUILD[:-1], "FOLDER/file/below"], "cannot be written: Not a directory"),
        ([*BUILD, "--threads", "0"], "--threads 0 is not a whole number from 1 to 256"),
        ([*BUILD, "--threads", "-1"], "--threads -1 is not"),
        ([*BUILD, "--memory", "much"], "'much' is not a number"),
        ([*BUILD, "--memory", "nan"], "--memory"),
        ([*BUILD, "--memory", "inf"], "--memory"),
        ([*BUILD, "--memory", "-1"], "--memory"),
        ([*BUILD, "--memory", "0"], "--memory"),
        (["database", "info"], "DIR"),
        (["database", "info", "FOLDER/nowhere"], "nowhere': it is not a folder"),
        (["database", "info", "FOLDER/file"], "file': it is not a folder"),
        (["database", "info", "FOLDER"], "'; make one with threefold database build"),
        (["database", "verify", "FOLDER"], "there is no database in '"),
        (["database", "verify", "FOLDER/nowhere"], "it is not a folder"),
        (["database", "probe", "checkers", "--dir", "FOLDER"], "there is no database in '"),
        (["database", "probe", "checkers", "--dir", "FOLDER/nowhere"], "it is not a folder"),
        (["database", "probe", "othello"], "Othello has no database of its own"),
        (["database", "probe", "checkers", "B:W1"], "B:W1"),
        (["database", "probe"], "GAME"),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, list) else "",
)
def test_bad_input_gets_one_line(shell: Shell, tmp_path: Path, argv: list[str], word: str) -> None:
    (tmp_path / "file").write_text("text")
    said = shell.refused(*(each.replace("FOLDER", str(tmp_path)) for each in argv))
    assert word in said
    assert names_in(tmp_path) == ["file"]


def test_a_folder_without_tables_is_named_by_its_option(shell: Shell, tmp_path: Path) -> None:
    """`--dir` is what `threefold database build` calls it."""
    said = shell.refused("database", "info", str(tmp_path))
    assert "--folder" not in said
    assert "--dir" in said


# Info.


def test_info_as_json(shell: Shell, checkers: Endings) -> None:
    answer = shell.json("database", "info", str(checkers.folder))
    assert list(answer) == ["game", "pieces", "slices", "bytes"]
    assert (answer["game"], answer["pieces"], len(answer["slices"])) == ("checkers", 3, 16)
    assert answer["bytes"] == sum(path.stat().st_size for path in checkers.folder.iterdir())
    assert answer["slices"][0] == {
        "name": "KvK",
        "positions": 992,
        "won": 230,
        "drawn": 654,
        "lost": 108,
        "longest": 11,
    }
    keys = ["name", "positions", "won", "drawn", "lost", "longest"]
    assert all(list(row) == keys for row in answer["slices"])
    assert {row["name"] for row in answer["slices"]} == set(checkers.slices)


def test_info_as_text(shell: Shell, checkers: Endings, two: Path) -> None:
    assert shell("database", "info", str(two)) == 0
    sizes = {name: path_of(two, name).stat().st_size for name in TWO}
    assert shell.out.splitlines() == [
        "slice  positions  won  drawn  lost  longest  bytes each",
        f"KvK          992  230    654   108       11       {sizes['KvK'] / 992:.3f}",
        f"KvM          868  331    531     6       11       {sizes['KvM'] / 868:.3f}",
        f"MvK          868   53    574   241       12       {sizes['MvK'] / 868:.3f}",
        f"MvM          760  102    611    47       13       {sizes['MvM'] / 760:.3f}",
        f"checkers: 4 slices, 3,488 positions, {sum(sizes.values()):,} bytes",
    ]
    assert shell("database", "info", str(checkers.folder)) == 0
    assert "KvMM      11,340     687  1,242   9,411       62" in shell.out


def test_info_where_values_are_margins(shell: Shell, kalah: Endings) -> None:
    answer = shell.json("database", "info", str(kalah.folder))
    assert (answer["game"], answer["pieces"]) == ("kalah", 8)
    assert {row["longest"] for row in answer["slices"]} == {None}
    assert [row["positions"] for row in answer["slices"]][:4] == [1, 0, 36, 252]
    assert shell("database", "info", str(kalah.folder)) == 0
    assert shell.out.splitlines()[-1].startswith("kalah: 9 slices, 119,966 positions, ")


def test_info_of_a_damaged_table(shell: Shell, two: Path) -> None:
    path_of(two, "MvK").write_bytes(b"nothing of the kind")
    said = shell.refused("database", "info", str(two))
    assert "MvK.endgame' cannot be used: it is not a table of end-games" in said


# Verifying.


def test_verify_what_is_right(shell: Shell, checkers: Endings, chess: Endings) -> None:
    assert shell("database", "verify", str(checkers.folder)) == 0
    assert shell.out == "all 16 tables are right: 199,520 positions\n"
    assert shell.err == ""
    answer = shell.json("database", "verify", str(chess.folder), "--threads", "2")
    assert answer == {"game": "chess", "slices": 11, "positions": 368_330, "wrong": []}
    argv = ("--game", "checkers(move_limit=0)", "--threads", "1")
    answer = shell.json("database", "verify", str(checkers.folder), *argv)
    assert answer["game"] == "checkers(move_limit=0)"
    assert answer["wrong"] == []
    said = shell.refused("database", "verify", str(checkers.folder), "--game", "chess")
    assert "is a table of checkers, not of chess" in said


def tamper(of: Endings, folder: Path, name: str, number: int, value: int) -> str:
    """Write a table again with a wrong value, and return the position that has it."""
    values, table = of.values(name), TableFile(path_of(folder, name))
    assert values[number] != value
    values[number] = value
    table.path.unlink()  # nobody's mapped file changes
    write_table(table.path, table.header, values, of.coder)
    return of.game.format(of.position(name, number))


def won_late(checkers: Endings) -> int:
    """The number of a position of MvM that is won, but not soon."""
    return int(np.flatnonzero(checkers.values("MvM") == DECIDED - 9)[0])


@pytest.mark.parametrize("value", [0, 5 - DECIDED, DECIDED - 5])
def test_verify_finds_a_wrong_value(shell: Shell, checkers: Endings, two: Path, value: int) -> None:
    """Each checksum of the file is right."""
    position = tamper(checkers, two, "MvM", won_late(checkers), value)
    wrong: list[tuple[str, str]] = []
    assert shell("database", "verify", str(two)) == 1
    assert shell.err == ""
    assert re.search(r"^\d of 4 tables are wrong$", shell.out, re.MULTILINE)
    assert "MvM" in shell.out
    assert shell("database", "verify", str(two), "--json") == 1
    answer = json.loads(shell.out)
    assert list(answer) == ["game", "slices", "positions", "wrong"]
    assert (answer["slices"], answer["positions"]) == (4, 3488)
    for each in answer["wrong"]:
        assert list(each) == ["name", "values", "position", "damage"]
        assert each["damage"] is None
        wrong.append((each["name"], each["position"]))
    assert ("MvM", position) in wrong
    assert shell("database", "verify", str(two), "--threads", "3") == 1
    assert position in shell.out


def test_verify_finds_a_wrong_win_without_distances(
    shell: Shell, checkers: Endings, two: Path
) -> None:
    assert built(shell, two, "--outcomes")["made"] == 0
    values = checkers.values("KvM")
    number = int(np.flatnonzero(values < 0)[0])
    table = TableFile(path_of(two, "KvM"))
    values[number] = 1
    table.path.unlink()
    write_table(table.path, table.header, values, checkers.coder)
    assert shell("database", "verify", str(two), "--json") == 1
    named = {each["name"]: each["position"] for each in json.loads(shell.out)["wrong"]}
    assert named["KvM"] == checkers.game.format(checkers.position("KvM", number))


def test_what_verify_finds_is_told_in_words(shell: Shell, checkers: Endings, two: Path) -> None:
    position = tamper(checkers, two, "MvM", won_late(checkers), 0)
    assert shell("database", "verify", str(two)) == 1
    assert "Verified(" not in shell.out
    assert "MvM" in shell.out
    assert position in shell.out


def test_verify_goes_on_after_a_damaged_table(shell: Shell, two: Path) -> None:
    path = path_of(two, "KvK")
    content = bytearray(path.read_bytes())
    content[-1] ^= 255
    path.write_bytes(content)
    assert shell("database", "verify", str(two), "--json") == 1
    answer = json.loads(shell.out)
    damaged = {each["name"]: each["damage"] for each in answer["wrong"]}
    assert set(damaged) == {"KvK", "KvM", "MvK"}, "those that lead there cannot be verified"
    assert answer["positions"] == 760, "MvM does not"
    assert all("KvK.endgame' cannot be used: block 0" in each for each in damaged.values())
    assert shell("database", "verify", str(two)) == 1
    assert "KvK.endgame' cannot be used: block 0 of it is damaged" in shell.out


def test_verify_says_which_table_is_missing(shell: Shell, two: Path) -> None:
    path_of(two, "KvK").unlink()
    assert shell("database", "verify", str(two), "--json") == 1
    answer = json.loads(shell.out)
    assert answer["slices"] == 3
    assert {each["damage"] for each in answer["wrong"]} == {"slice KvK is missing"}


def test_verify_compares_the_header(shell: Shell, checkers: Endings, two: Path) -> None:
    table = TableFile(path_of(two, "KvK"))
    header = replace(table.header, positions=991, drawn=table.header.drawn - 1)
    values = checkers.values("KvK")
    table.path.unlink()
    write_table(table.path, header, values, checkers.coder)
    assert shell("database", "verify", str(two), "--json") == 1
    (wrong,) = json.loads(shell.out)["wrong"]
    assert wrong["damage"] == "KvK has 992 positions, not 991 as its header says"


@pytest.mark.parametrize("threads", ["0", "-1", "5000"])
def test_verify_with_an_impossible_number_of_threads(
    shell: Shell, checkers: Endings, threads: str
) -> None:
    argv = ("database", "verify", str(checkers.folder), "--threads", threads)
    assert f"--threads {threads} is not a whole number from 1 to 256" in shell.refused(*argv)


def test_verify_runs_no_program_that_a_table_names(
    shell: Shell, checkers: Endings, two: Path, tmp_path: Path
) -> None:
    """A database may come from a stranger. Only a game that the user names may be a program."""
    program, mark = tmp_path / "program.py", tmp_path / "it ran"
    program.write_text(
        f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
        "from threefold import game as of\ngame = of('checkers')\n"
    )
    for name in TWO:
        table = TableFile(path_of(two, name))
        header, values = replace(table.header, game=str(program)), checkers.values(name)
        table.path.unlink()
        write_table(table.path, header, values, checkers.coder)
    assert shell("database", "info", str(two)) == 0
    assert not mark.exists()
    assert shell("database", "verify", str(two), "--game", str(program)) == 0
    assert mark.exists()
    mark.unlink()
    sys.modules.pop("program", None)
    shell("database", "verify", str(two))
    assert not mark.exists()


# Probing.


def probed(shell: Shell, of: Endings, position: str) -> dict[str, Any]:
    name = of.database.tables[next(iter(of.database.tables))].header.game
    answer = shell.json("database", "probe", name, position, "--dir", str(of.folder))
    assert list(answer) == ["game", "position", "value", "win_in", "moves"]
    assert all(list(each) == ["move", "value", "win_in"] for each in answer["moves"])
    assert (answer["game"], answer["position"]) == (name, position)
    ranks = [(each["value"], -(each["win_in"] or 0)) for each in answer["moves"]]
    assert ranks == sorted(ranks, reverse=True), "best first"
    if answer["moves"]:
        best = answer["moves"][0]
        assert (best["value"], best["win_in"]) == (answer["value"], answer["win_in"])
    return answer


def test_probe_of_a_won_position(shell: Shell, chess: Endings) -> None:
    answer = probed(shell, chess, "8/8/8/8/8/2k5/7q/K7 b - - 0 1")
    assert (answer["value"], answer["win_in"]) == (1, 1)
    assert len(answer["moves"]) == 28
    assert answer["moves"][0] == {"move": "h2b2", "value": 1, "win_in": 1}
    by_move = {each["move"]: (each["value"], each["win_in"]) for each in answer["moves"]}
    assert by_move["c3b3"] == (1, 3)
    assert by_move["h2c2"] == (0, None), "stalemate"
    assert by_move["h2a2"] == (0, None), "it can be taken"


def test_probe_of_a_lost_position(shell: Shell, chess: Endings) -> None:
    answer = probed(shell, chess, "7k/8/5K2/8/8/8/8/R7 b - - 0 1")
    assert answer["value"] == -1
    moves = {each["move"]: each["win_in"] for each in answer["moves"]}
    assert set(moves) == {"h8g8", "h8h7"}
    assert answer["win_in"] == min(moves.values()) < -2, "the longest resistance comes first"
    only = probed(shell, chess, "7k/8/6K1/8/8/8/8/R7 b - - 0 1")
    assert only["moves"] == [{"move": "h8g8", "value": -1, "win_in": -2}]


def test_probe_of_a_drawn_position(shell: Shell, checkers: Endings) -> None:
    answer = probed(shell, checkers, "B:WK32:BK1")
    assert (answer["value"], answer["win_in"]) == (0, None)
    assert answer["moves"] == [
        {"move": "1-5", "value": 0, "win_in": None},
        {"move": "1-6", "value": 0, "win_in": None},
    ]


def test_probe_of_a_capture(shell: Shell, checkers: Endings) -> None:
    """The last piece is taken: the position after it is in no table, but the game is over."""
    answer = probed(shell, checkers, "W:WK10:BK6")
    assert answer["moves"] == [{"move": "10x1", "value": 1, "win_in": 1}]
    answer = probed(shell, checkers, "B:W7,15:BK2")
    assert answer["moves"] == [{"move": "2x11x18", "value": 1, "win_in": 1}]


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", -1),
        ("chess", "7K/6q1/6k1/8/8/8/8/8 w - - 0 1", -1),
        ("chess", "7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", 0),
        ("checkers", "B:WK32:B", -1),
        ("checkers", "W:W:BK32", -1),
        ("checkers", "B:W9,14:B5", -1),
        ("kalah", "0,0,0,0,0,0,21/0,0,0,0,0,0,27 S", -6),
        ("kalah", "0,0,0,0,0,0,21/0,0,0,0,0,0,27 N", 6),
    ],
)
def test_probe_of_a_finished_position(
    shell: Shell, request: pytest.FixtureRequest, name: str, position: str, value: int
) -> None:
    of: Endings = request.getfixturevalue(name)
    answer = probed(shell, of, position)
    assert (answer["value"], answer["win_in"], answer["moves"]) == (value, None, [])
    assert shell("database", "probe", name, position, "--dir", str(of.folder)) == 0
    outcome = "drawn" if value == 0 else f"{'won' if value > 0 else 'lost'}, {value:+d}"
    assert shell.out == f"{outcome}\n"


def test_probe_of_margins(shell: Shell, kalah: Endings) -> None:
    answer = probed(shell, kalah, "0,0,0,0,0,1,20/0,0,0,0,1,0,26 N")
    assert (answer["value"], answer["win_in"]) == (6, None)
    assert answer["moves"] == [{"move": "5", "value": 6, "win_in": None}]
    answer = probed(shell, kalah, "0,0,1,0,1,1,20/1,0,0,0,1,0,23 S")
    right = game("kalah").solve("0,0,1,0,1,1,20/1,0,0,0,1,0,23 S")
    assert answer["value"] == right.value
    assert len(answer["moves"]) == 3
    argv = ("0,0,1,0,1,1,20/1,0,0,0,1,0,23 S", "--dir", str(kalah.folder))
    assert shell("database", "probe", "kalah", *argv) == 0
    assert re.match(r"(won|lost), [+-]\d+\n +\d  (won|lost), [+-]\d+\n|drawn\n", shell.out)


def test_probe_as_text(shell: Shell, chess: Endings, checkers: Endings) -> None:
    argv = ("8/8/8/8/8/2k5/7q/K7 b - - 0 1", "--dir", str(chess.folder))
    assert shell("database", "probe", "chess", *argv) == 0
    lines = shell.out.splitlines()
    assert lines[:3] == [
        "won in 1 ply",
        "        Qb2#  won in 1 ply",
        "         Kb3  won in 3 plies",
    ]
    assert lines[-2:] == ["         Qc2  drawn", "best play: Qb2#"]
    assert len(lines) == 30
    argv = ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", "--dir", str(chess.folder))
    assert shell("database", "probe", "chess", *argv) == 0
    assert shell.out.splitlines() == [
        "lost in 2 plies",
        "         Kg8  lost in 2 plies",
        "best play: Kg8 Ra8#",
    ]
    argv = ("B:WK32:BK1", "--dir", str(checkers.folder))
    assert shell("database", "probe", "checkers", *argv) == 0
    assert shell.out == "drawn\n         1-5  drawn\n         1-6  drawn\n"


def test_probe_where_only_outcomes_are_known(shell: Shell, checkers: Endings, two: Path) -> None:
    built(shell, two, "--outcomes")
    number = int(np.flatnonzero(checkers.values("KvK") == DECIDED - 3)[0])
    position = checkers.game.format(checkers.position("KvK", number))
    with_distances = shell.json(
        *("database", "probe", "checkers", position, "--dir", str(checkers.folder))
    )
    assert (with_distances["value"], with_distances["win_in"]) == (1, 3)
    answer = shell.json("database", "probe", "checkers", position, "--dir", str(two))
    assert (answer["value"], answer["win_in"]) == (1, None)
    values = {each["move"]: each["value"] for each in answer["moves"]}
    assert values == {each["move"]: each["value"] for each in with_distances["moves"]}
    assert shell("database", "probe", "checkers", position, "--dir", str(two)) == 0
    assert shell.out.startswith("won")


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("chess", "4k3/8/8/8/8/8/4P3/4K2R w - - 0 1"),
        ("checkers", "B:WK31,K32:BK1,K2"),
        ("kalah", "4,4,4,4,4,4,0/4,4,4,4,4,4,0 S"),
    ],
)
def test_probe_of_a_position_that_is_not_there(
    shell: Shell, request: pytest.FixtureRequest, name: str, position: str
) -> None:
    of: Endings = request.getfixturevalue(name)
    said = shell.refused("database", "probe", name, position, "--dir", str(of.folder))
    unit = "8 seeds" if name == "kalah" else "3 pieces"
    folder = str(of.folder)
    assert said == (
        f"threefold: {position} is not in the database in {folder}, which has tables with up to "
        f"{unit}\n"
    )


def test_probe_where_a_move_leads_out_of_the_database(
    shell: Shell, checkers: Endings, tmp_path: Path
) -> None:
    """The position has a value, but a table that a move leads to is missing."""
    shutil.copytree(checkers.folder, tmp_path / "less")
    for name in ("KvMK", "KvMM"):
        path_of(tmp_path / "less", name).unlink()
    position = "B:WK32:B9,K1"
    argv = ("database", "probe", "checkers", position, "--dir", str(tmp_path / "less"))
    assert position in shell.refused(*argv)


def test_probe_in_a_database_of_another_game(shell: Shell, checkers: Endings) -> None:
    said = shell.refused("database", "probe", "chess", "--dir", str(checkers.folder))
    assert said.endswith("is for checkers, not for chess\n")


def test_probe_makes_small_tables_of_its_own(
    shell: Shell, chess: Endings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THREEFOLD_DATA", str(tmp_path))
    position = "8/8/8/8/8/2k5/7q/K7 b - - 0 1"
    answer = shell.json("database", "probe", "chess", position)
    assert answer["win_in"] == 1
    (folder,) = (tmp_path / "endgames").iterdir()
    assert names_in(folder) == sorted(chess.slices)
    assert assert_right(chess, folder) == 11
    before = contents(folder)
    assert shell.json("database", "probe", "chess", position, "--dir", "auto") == answer
    assert contents(folder) == before
    path_of(folder, "KvKR").unlink()
    assert shell.json("database", "probe", "chess", position, "--dir", "auto") == answer
    assert assert_right(chess, folder) == 11


# Stopped in the middle.


def build_in_a_process(folder: Path) -> Any:
    """Start a build that takes a while, and wait until the first tables are there."""
    argv = ("database", "build", "checkers", "--pieces", "4", "--dir", str(folder))
    process = processes.start([*processes.THREEFOLD, *argv])
    limit = time.monotonic() + processes.PATIENCE
    while not list(folder.glob("*.endgame")) and time.monotonic() < limit:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def finished_later(shell: Shell, checkers: Endings, folder: Path) -> None:
    """What is finished is right, and the build can go on."""
    there = len(list(folder.glob("*.endgame")))
    assert 0 < there < 41
    three = [name for name in checkers.slices if path_of(folder, name).exists()]
    for path in folder.glob("*.endgame"):
        if path.stem not in checkers.slices:
            path.unlink()
    before = {name: path_of(folder, name).read_bytes() for name in three}
    answer = built(shell, folder, pieces=3)
    # A group of two tables is made again if only one of them got its name.
    assert answer["made"] + answer["kept"] == 16
    assert answer["kept"] >= len(three) - 2
    assert assert_right(checkers, folder) == 16
    same = [name for name in three if path_of(folder, name).read_bytes() == before[name]]
    assert len(same) >= len(three) - 2


def test_ctrl_c_keeps_what_is_finished(shell: Shell, checkers: Endings, tmp_path: Path) -> None:
    process = build_in_a_process(tmp_path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=processes.PATIENCE)
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "interrupted"
    finished_later(shell, checkers, tmp_path)


def test_a_killed_build_goes_on(shell: Shell, checkers: Endings, tmp_path: Path) -> None:
    process = build_in_a_process(tmp_path)
    process.kill()
    process.communicate(timeout=processes.PATIENCE)
    assert process.returncode == -signal.SIGKILL
    finished_later(shell, checkers, tmp_path)


def killed_at(folder: Path, at: int | None, *more: str) -> Any:
    argv = ("database", "build", "checkers", "--pieces", "2", "--threads", "1")
    command = faults.command_under(Fault(folder, at, KILL), *argv, "--dir", str(folder), *more)
    return processes.run(command)


def test_a_build_that_is_killed_anywhere_goes_on(
    shell: Shell, checkers: Endings, tmp_path: Path
) -> None:
    """While a table is written, when it is to be verified, and when it gets its name."""
    counted = killed_at(tmp_path / "counted", None)
    operations = counted.stderr.split()
    replaced = [at for at, operation in enumerate(operations) if operation == "replace"]
    written = [at for at, operation in enumerate(operations) if operation == "write"]
    left = set()
    for turn, at in enumerate((written[0], replaced[1], written[2], replaced[5], replaced[-1] + 1)):
        folder = tmp_path / str(turn)
        assert killed_at(folder, at).returncode == -signal.SIGKILL
        there = assert_right(checkers, folder)
        assert there < 4 or at > replaced[-1]
        names = [name for name in names_in(folder) if name not in TWO]
        assert all(name.startswith(LEFT) for name in names)
        left.update(names)
        answer = built(shell, folder, "--threads", "1")
        # Of two tables that are made together, one may have its name already.
        assert answer["kept"] in (there, there - (at == replaced[5]))
        assert answer["made"] == 4 - answer["kept"]
        assert assert_right(checkers, folder) == 4
        assert not any(name.startswith(LEFT[1]) for name in names_in(folder))
    assert left


def test_dropping_distances_can_be_killed(shell: Shell, checkers: Endings, two: Path) -> None:
    counted = killed_at(two, None, "--outcomes")
    replaced = [at for at, each in enumerate(counted.stderr.split()) if each == "replace"]
    assert len(replaced) == 4
    for name in TWO:
        shutil.copy(path_of(checkers.folder, name), two)
    assert killed_at(two, replaced[2], "--outcomes").returncode == -signal.SIGKILL
    assert assert_right(checkers, two, outcomes=True) == 4
    have = [TableFile(path_of(two, name)).header.distances for name in TWO]
    assert sorted(have) == [False, False, True, True]
    assert shell("database", "verify", str(two)) == 0
    assert built(shell, two, "--outcomes")["kept"] == 4
    assert not any(TableFile(path_of(two, name)).header.distances for name in TWO)
    assert assert_right(checkers, two, outcomes=True) == 4


def test_what_a_killed_build_left_is_removed_by_the_next(shell: Shell, tmp_path: Path) -> None:
    """Half-written tables can be large, and nobody else would remove them."""
    left = [tmp_path / f"{prefix}0123456789abcdef" for prefix in LEFT[:2]]
    for path in left:
        path.write_bytes(b"half of a table")
    built(shell, tmp_path)
    assert names_in(tmp_path) == TWO


def test_two_builds_at_once_in_the_same_folder(
    checkers: Endings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when two commands with `--database auto` are started together the first time."""
    verify = Maker.differences
    others: list[object] = []

    def another_build_meanwhile(self: Maker[Any], *args: Any, **options: Any) -> Any:
        if not others:
            others.append("started")
            others.append(build(game("checkers"), 2, tmp_path))
        return verify(self, *args, **options)

    monkeypatch.setattr(Maker, "differences", another_build_meanwhile)
    build(game("checkers"), 2, tmp_path, threads=1)
    assert len(others) == 2
    assert assert_right(checkers, tmp_path) == 4
    assert names_in(tmp_path) == TWO


# Disks that fail.


def test_whatever_fails_while_building(
    shell: Shell, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    of = endings(tmp_path_factory, "kalah(pits=2)", 1)
    folder = tmp_path / "folder"
    argv = ("database", "build", "kalah(pits=2)", "--pieces", "1", "--threads", "1")
    codes = []

    def run() -> None:
        codes.append(shell(*argv, "--dir", str(folder)))

    for fault in faults.each(run, folder, prepare=lambda: shutil.rmtree(folder, True)):
        there = assert_right(of, folder) if folder.exists() else 0
        if codes[-1] == 0:
            assert there == 2, fault
            assert shell.err == "", fault
        else:
            assert codes[-1] == 2, fault
            assert shell.out == "", fault
            assert shell.err.startswith("threefold: "), fault
            assert shell.err.count("\n") == 1, fault
            assert str(folder) in shell.err, fault
        others = (
            [name for name in names_in(folder) if not name.startswith("seeds")] if there else []
        )
        assert all(name.startswith(LEFT) for name in others), fault
        run()
        assert codes[-1] == 0, (fault, shell.err)
        assert assert_right(of, folder) == 2, fault
    assert {0, 2} == set(codes)


def test_whatever_fails_while_distances_are_dropped(
    shell: Shell, checkers: Endings, two: Path
) -> None:
    argv = ("database", "build", "checkers", "--pieces", "2", "--outcomes", "--dir", str(two))
    codes = []

    def prepare() -> None:
        for path in two.iterdir():
            path.unlink()
        for name in TWO:
            shutil.copy(path_of(checkers.folder, name), two)

    def run() -> None:
        codes.append(shell(*argv))

    for fault in faults.each(run, two, prepare=prepare, kinds=(EIO, SHORT)):
        assert assert_right(checkers, two, outcomes=True) == 4, fault
        if codes[-1] != 0:
            assert codes[-1] == 2, fault
            assert shell.err.startswith("threefold: "), fault
            assert shell.err.count("\n") == 1, fault
    run()
    assert codes[-1] == 0
    assert 2 in codes


READERS: list[tuple[str, ...]] = [
    ("info", "FOLDER", "--json"),
    ("verify", "FOLDER", "--json"),
    ("probe", "checkers", "B:WK32:BK1", "--dir", "FOLDER", "--json"),
]


@pytest.mark.parametrize("argv", READERS, ids=lambda argv: argv[0])
def test_whatever_fails_while_reading(shell: Shell, two: Path, argv: tuple[str, ...]) -> None:
    answers: list[tuple[int, str]] = []

    def run() -> None:
        code = shell("database", *(word.replace("FOLDER", str(two)) for word in argv))
        answers.append((code, shell.out))

    run()
    right = answers[0]
    assert right[0] == 0
    for fault in faults.each(run, two, kinds=(EIO, faults.EACCES, faults.GONE)):
        if answers[-1] == right:
            continue
        code, out = answers[-1]
        if argv[0] == "verify" and code == 1:  # a table that cannot be read is not right
            assert json.loads(out)["wrong"], fault
            continue
        assert (code, out) == (2, ""), fault
        assert shell.err.startswith("threefold: "), fault
        assert shell.err.count("\n") == 1, fault
        assert str(two) in shell.err, fault
    assert len(set(answers)) > 1


def test_a_full_disk_is_told_in_one_line(shell: Shell, tmp_path: Path) -> None:
    def run() -> None:
        shell("database", "build", "kalah(pits=2)", "--pieces", "1", "--dir", str(tmp_path))

    operations = faults.count(run, tmp_path)
    for path in tmp_path.iterdir():
        path.unlink()
    at = next(at for at, each in enumerate(operations) if each.startswith("write"))
    with faults.inject(Fault(tmp_path, at, faults.ENOSPC)):
        run()
    assert shell.err == (
        f"threefold: the database in '{tmp_path}' cannot be written: No space left on device; "
        "what is finished stays, and the same command goes on\n"
    )
    assert list(tmp_path.iterdir()) == []


# Used by other commands.


def test_solve_with_a_database(shell: Shell, checkers: Endings) -> None:
    argv = ("solve", "checkers", "B:WK32,K31:BK1", "--database", str(checkers.folder))
    answer = shell.json(*argv)
    probe = probed(shell, checkers, "B:WK32,K31:BK1")
    assert (answer["value"], answer["win_in"]) == (probe["value"], probe["win_in"])
    assert len(answer["pv"]) == abs(probe["win_in"])
    assert {each["move"]: each["value"] for each in answer["moves"]} == {
        each["move"]: each["value"] for each in probe["moves"]
    }


@pytest.mark.parametrize("command", ["solve", "analyze"])
def test_a_damaged_table_stops_a_search(shell: Shell, two: Path, command: str) -> None:
    path = path_of(two, "KvK")
    content = bytearray(path.read_bytes())
    content[-1] ^= 255
    path.write_bytes(content)
    said = shell.refused(command, "checkers", "B:WK32:BK1", "--database", str(two))
    assert "KvK.endgame' cannot be used: " in said
