"""Students' programs: the right ones pass, and every kind of wrong one ends as a sentence."""

import argparse
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from student_programs import (
    ALPHABETA,
    MINIMAX,
)

from threefold.cli import grade as command
from threefold.errors import ThreefoldError
from threefold.textbook.grade import Difference, Grade, grade, random_trees
from threefold.textbook.tree import parse_tree, walk


@pytest.fixture
def student(tmp_path: Path) -> Path:
    return tmp_path / "student.py"


def graded(student: Path, code: str, *, function: str | None = None, **limits: float) -> Grade:
    student.write_text(code, "utf-8")
    seconds, memory = limits.get("seconds", 20), int(limits.get("memory", 2**28))
    found = grade(student, trees=60, function=function, seconds=seconds, memory=memory)
    json.dumps(found.to_json(), allow_nan=False)
    assert str(found)
    return found


def wrong(student: Path, code: str, **limits: Any) -> Difference:
    """The first difference, which must be reported."""
    found = graded(student, code, **limits)
    assert not found.right
    assert found.difference is not None
    assert found.difference.explanation
    assert "\n" not in found.difference.explanation
    assert found.difference.picture().startswith("<svg")
    return found.difference


# The trees.


def test_trees_are_the_same_for_a_seed_and_small_first() -> None:
    trees = random_trees(100, seed=3)
    assert trees == random_trees(100, seed=3)
    assert trees != random_trees(100, seed=4)
    sizes = [sum(1 for _ in walk(parse_tree(tree))) for tree in trees]
    assert sizes == sorted(sizes)
    assert sizes[0] <= 4
    assert sizes[-1] > 20
    assert any(tree.startswith("min ") for tree in trees)


# Right programs.


def test_right_programs(student: Path) -> None:
    found = graded(student, MINIMAX + ALPHABETA)
    assert found.right
    assert found.difference is None
    assert found.notes == []
    assert [(one.name, one.right_trees, one.cut) for one in found.functions] == [
        ("minimax", 60, None),
        ("alphabeta", 60, "equal"),
    ]
    assert str(found) == (
        "minimax: right on 60 of 60 trees (recognized: depth first)\n"
        "alphabeta: right on 60 of 60 trees (recognized: fail-soft, equality cuts at MAX and MIN)"
    )
    assert [one.name for one in graded(student, ALPHABETA).functions] == ["alphabeta"]
    both = graded(student, MINIMAX + ALPHABETA, function="minimax")
    assert [one.name for one in both.functions] == ["minimax"]


def test_a_leaf_may_be_found_and_read_in_other_ways(student: Path) -> None:
    code = MINIMAX.replace("if not node.children", "if node.value is not None")
    assert graded(student, code).right
    assert graded(student, MINIMAX.replace("return max", "return 1.0 * max")).right
    (student.parent / "beside.py").write_text(MINIMAX, "utf-8")
    assert graded(student, "from beside import minimax").right


def test_noise_is_noted_and_does_no_harm(student: Path) -> None:
    noisy = MINIMAX.replace("    if not", "    print('at', node)\n    if not", 1)
    found = graded(student, "import os\nos.write(1, b'{}\\n')\n" + noisy)
    assert found.right
    assert found.notes[0].startswith("minimax prints 'at <node A>")


def test_threads_left_behind_do_not_hold_it_up(student: Path) -> None:
    begun = time.monotonic()
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
    assert graded(student, code + MINIMAX, seconds=30).right
    assert time.monotonic() - begun < 25


# Wrong programs.


def test_one_that_never_cuts(student: Path) -> None:
    first = wrong(student, MINIMAX.replace("minimax", "alphabeta"))
    assert first.kind == "cuts"
    assert first.missed_cuts
    assert first.wrong_cuts == []
    leaf = first.missed_cuts[0]
    assert re.fullmatch(
        rf"{leaf} is looked at, but (it|\w+ above it) is cut: after \w+, .*", first.explanation
    )


def test_one_that_cuts_too_much(student: Path) -> None:
    first = wrong(student, ALPHABETA.replace("value >= beta", "value >= alpha"))
    assert first.kind == "cuts"
    assert first.missed_cuts == []
    assert first.wrong_cuts
    assert first.explanation.startswith(
        f"{first.wrong_cuts[0]} is not looked at, but when its turn"
    )


def test_one_that_only_cuts_shallowly(student: Path) -> None:
    """A bound from further up than the parent is forgotten: a missed cut, not a convention."""
    code = ALPHABETA.replace(
        "min(value, alphabeta(child, alpha, beta))",
        "min(value, alphabeta(child, float('-inf'), beta))",
    )
    first = wrong(student, code)
    assert first.kind == "cuts"
    assert first.missed_cuts
    assert "Choose one rule" not in first.explanation


def test_one_that_mixes_up_max_and_min(student: Path) -> None:
    first = wrong(student, ALPHABETA.replace("if node.is_max", "if not node.is_max"))
    assert first.kind == "value"
    assert re.match(
        r"alphabeta returned -?\d+, but A is worth −?\d+: M(AX|IN) takes the", first.explanation
    )


def test_one_that_goes_from_right_to_left(student: Path) -> None:
    first = wrong(student, MINIMAX.replace("in node.children]", "in node.children[::-1]]"))
    assert first.kind == "order"
    assert first.explanation == "C is looked at before B; children come from left to right."
    assert sorted(first.found_leaves) == sorted(first.expected_leaves)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return None", "minimax returned None, of type NoneType; it should return a number."),
        ("return True", "minimax returned True, of type bool; it should return a number."),
        ("return node.value, 'B'", "minimax returned (None, 'B'), of type tuple; it should"),
        ("return float('nan')", "minimax returned nan, but A is worth"),
        ("return 10 ** 400", "minimax returned 10000"),
        ("return 0.5", "minimax returned 0.5, but A is worth"),
        ("yield 1", "of type generator"),
    ],
)
def test_what_is_not_a_value(student: Path, body: str, why: str) -> None:
    first = wrong(student, f"def minimax(node):\n    {body}\n")
    assert first.kind == "value"
    assert why in first.explanation


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return 1 / 0", "minimax raised ZeroDivisionError at line 2: division by zero."),
        ("return minimax(node)", "minimax called itself without end (RecursionError) at line 2."),
        ("exit(3)", "minimax called exit at line 2; it should return the value."),
        ("raise KeyboardInterrupt", "minimax raised KeyboardInterrupt at line 2."),
        ("node.children.append(3)", "minimax raised AttributeError at line 2: 'tuple' object has"),
        ("return input()", "minimax raised EOFError at line 2"),
        (
            "import os; os._exit(5)",
            "The process ended itself (exit code 5) while minimax was running",
        ),
    ],
)
def test_what_ends_without_a_value(student: Path, body: str, why: str) -> None:
    first = wrong(student, f"def minimax(node):\n    {body}\n")
    assert first.kind == "failure"
    assert first.explanation.startswith(why)
    assert first.found_value == ""
    assert first.to_json()["found"]["value"] is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not the same there")
def test_a_crash(student: Path) -> None:
    code = "import os\ndef minimax(node):\n    os.kill(os.getpid(), 11)\n"
    assert wrong(student, code).explanation.startswith("The process was killed by SIGSEGV while")


def test_an_endless_loop(student: Path) -> None:
    begun = time.monotonic()
    code = "def minimax(node):\n    while True:\n        pass\n"
    found = graded(student, code + ALPHABETA, seconds=2)
    assert time.monotonic() - begun < 20
    first, second = found.functions
    assert first.difference is not None
    assert first.difference.explanation == (
        "The time limit of 2 seconds was reached while minimax was running on this tree."
    )
    assert second.right  # the other function has its chance all the same


def test_a_loop_that_begins_later(student: Path) -> None:
    code = MINIMAX.replace("    if", "    while node.name == 'E':\n        pass\n    if", 1)
    first = wrong(student, code, seconds=2)
    assert first.number > 1
    assert first.kind == "failure"


@pytest.mark.skipif(sys.platform != "linux", reason="only there is the limit on memory sure")
@pytest.mark.parametrize(
    "body", ["x = []\n    while True:\n        x += [7] * 10**6", "[0] * 10**12"]
)
def test_endless_memory(student: Path, body: str) -> None:
    first = wrong(student, f"def minimax(node):\n    {body}\n", memory=100 * 2**20)
    assert first.explanation.startswith("minimax used more than 100 MB of memory at line ")


def test_its_children_are_ended_too(student: Path, tmp_path: Path) -> None:
    sign = tmp_path / "alive"
    code = (
        "import subprocess, sys\n"
        f"WRITE = {f'import time; time.sleep(2.5); open({str(sign)!r}, chr(119))'!r}\n"
        "def minimax(node):\n"
        "    subprocess.Popen([sys.executable, '-c', WRITE]).wait()\n"
    )
    assert "was reached" in wrong(student, code, seconds=1).explanation
    if sys.platform != "win32":
        time.sleep(3)
        assert not sign.exists()


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise ValueError('x')", "While it was loaded, the file raised ValueError at line 1: x."),
        ("import sys; sys.exit()", "While it was loaded, the file called exit at line 1"),
        ("while True: pass", "The time limit of 1 seconds was reached while the file was loading."),
    ],
)
def test_a_file_that_does_not_load(student: Path, code: str, why: str) -> None:
    found = graded(student, code, seconds=1)
    assert len(found.functions) == 1
    assert found.difference is not None
    assert found.difference.explanation.startswith(why)


# Bad input.


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("def f(: pass", r"student.py: line 1: .*; it should be a Python file"),
        ("x = 'a\0b'", r"student.py: .*null bytes.*"),
        (
            "x = 1",
            r"student.py defines no function to grade; it should have def minimax\(node\) or",
        ),
        ("minimax = 3", r"student.py defines no function"),
        ("def minimax(): pass", r"student.py: minimax should take \(node\)$"),
        ("def minimax(node, alpha, beta): pass", r"minimax should take \(node\)$"),
        ("def alphabeta(a, b): pass", r"alphabeta should take \(node\) or \(node, alpha, beta\)$"),
    ],
)
def test_bad_files_are_refused(student: Path, code: str, why: str) -> None:
    student.write_text(code, "utf-8")
    with pytest.raises(ThreefoldError, match=why) as caught:
        grade(student)
    assert len(str(caught.value).splitlines()) == 1


def test_bad_arguments_are_refused(student: Path, tmp_path: Path) -> None:
    student.write_text(MINIMAX, "utf-8")
    refused: list[tuple[dict[str, Any], str]] = [
        ({"trees": 0}, "0 trees: give a number from 1 to 10,000"),
        ({"seconds": float("nan")}, "nan seconds"),
        ({"seconds": float("inf")}, "inf seconds"),
        ({"function": "negamax"}, "'negamax' is not graded: one of minimax, alphabeta"),
        ({"function": "alphabeta"}, r"it should have def alphabeta\(node\)"),
    ]
    for bad, why in refused:
        with pytest.raises(ThreefoldError, match=why):
            grade(student, **bad)
    for path in (tmp_path, tmp_path / "none.py", Path("a\0b")):
        with pytest.raises(ThreefoldError, match=r"there is no file|cannot be read"):
            grade(path)


# The command.


def threefold(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(argv))


def test_command(student: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "difference.svg"
    student.write_text(MINIMAX, "utf-8")
    assert threefold(str(student), "--trees", "20", "--svg", str(picture)) == 0
    assert capsys.readouterr().out == (
        "minimax: right on 20 of 20 trees (recognized: depth first)\n"
    )
    assert not picture.exists()
    student.write_text(MINIMAX.replace("max(values) if", "min(values) if"), "utf-8")
    assert threefold(str(student), "--seed", "2", "--svg", str(picture)) == 1
    assert "first difference, on tree 2: A(B:2 C:0)\n" in capsys.readouterr().out
    assert picture.read_text("utf-8").startswith("<svg")
    options = ("--function", "minimax", "--seconds", "15.5", "--json")
    assert threefold(str(student), *options) == 1
    answer = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert answer["right"] is False
    assert answer["difference"]["kind"] == "value"
    assert answer["functions"][0]["trees"] == 100
    with pytest.raises(ThreefoldError, match="cannot be written"):
        threefold(str(student), "--svg", str(tmp_path / "no" / "folder.svg"))
    with pytest.raises(ThreefoldError, match="there is no file"):
        threefold(str(tmp_path / "none.py"))
    with pytest.raises(SystemExit):
        threefold(str(student), "--seconds", "soon")
