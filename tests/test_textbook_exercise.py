"""Exercises: what is set, what is marked right and wrong, and why."""

import argparse
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from threefold.cli import exercise as command
from threefold.errors import ThreefoldError
from threefold.textbook.exercise import CUTS, Exercise, Marks, check, new
from threefold.textbook.explain import explain
from threefold.textbook.sheet import html
from threefold.textbook.tree import parse_tree, walk

SMALL = Exercise("A(B(D:3 E:5) C(F:-5 G))")

#: The lectures' trees with their values, moves and cuts.
LECTURES = {
    "A(B:8 C:3 D:-2)": ("8", "B", "", "none"),
    "A(B(E:9 F:-6 G:0) C(H:0 I:-2) D(J:-4 K:-3))": ("-2", "C", "B=-6 C=-2 D=-4", "K"),
    "A(B(D:3 E:5) C(F:-5 G))": ("3", "B", "B=3 C=-5", "G"),
    "A(B(D:3 E:5) C(F(I(K:0 L) J:5) G(M:7 N)))": ("5", "C", "B=3 C=5 F=5 I=0 G=7", "L N"),
    "((3 12 8) (2 4 6) (14 5 2))": ("3", "B", "B=3 C=2 D=2", "I J"),
    "A(B(C(-1 5) D(-2 -4)) E(F(1 -1) G(2 4)))": ("1", "E", "B=-2 C=5 D=-2 E=1 F=1 G=2", "O"),
    "A(B(D(H:6 I:5) E(J:8 K)) C(F(L:2 M:1) G(N O)))": (
        "6",
        "B",
        "B=6 D=6 E=8 C=2 F=2",
        "K G",
    ),
}


def sheet(exercise: Exercise = SMALL, **answers: str) -> str:
    """The solution with some answers changed."""
    text = exercise.solution()
    for key, answer in answers.items():
        text, changed = re.subn(rf"^{key}:.*$", f"{key}: {answer}", text, flags=re.MULTILINE)
        assert changed == 1
    return text


def marked(**answers: str) -> Marks:
    return check(sheet(SMALL, **answers))


# Setting.


def test_the_same_seed_gives_the_same_exercise() -> None:
    assert new(7).sheet() == new(7).sheet()
    assert len({new(seed).tree for seed in range(-10, 10)}) == 20
    # And the same on every machine.
    assert new(7, 2, 2, "minimax").tree == "A(B(D:8 E:3) C(F:2 G:5))"


@pytest.mark.parametrize("procedure", CUTS)
@pytest.mark.parametrize(("branching", "depth"), [(2, 2), (3, 2), (2, 4), (3, 3)])
def test_exercises_are_worth_doing(procedure: str, branching: int, depth: int) -> None:
    for seed in range(3):
        exercise = new(seed, branching, depth, procedure)
        leaves = [node for node in walk(exercise.root) if not node.children]
        assert len(leaves) == branching**depth
        assert all(isinstance(leaf.value, int) and -9 <= leaf.value <= 9 for leaf in leaves)
        whole = explain("minimax", exercise.root)
        moves = [event for event in whole.events if event.kind == "child" and event.node == "A"]
        assert sum(move["value"] == whole.value for move in moves) == 1
        assert bool(exercise.answer.pruned) == CUTS[procedure]
        if procedure.startswith("alphabeta"):  # it is the same whether equality cuts or not
            strict = explain(procedure, exercise.root, cut="strict")
            assert strict.pruned == exercise.answer.pruned
        assert check(exercise.solution()).right


def test_several_cuts_where_there_is_room() -> None:
    for seed in range(20):
        exercise = new(seed)
        assert len({exercise.reasons.parent[node] for node in exercise.answer.pruned}) >= 3


def test_a_sheet_asks_and_does_not_tell() -> None:
    exercise = new(7)
    text = exercise.sheet()
    for key in ("value", "move", "values", "cut"):
        assert f"\n{key}:\n" in text
    assert f"tree: {exercise.tree}\n" in text
    assert "seed: 7\n" in text
    assert exercise.to_json() == {
        "seed": 7,
        "procedure": "alphabeta",
        "tree": exercise.tree,
        "sheet": text,
    }
    assert "cut:" not in new(7, procedure="minimax").sheet()
    assert "returns the bound" in new(7, procedure="alphabeta-hard").sheet()
    assert "\nseed:\n" in SMALL.sheet()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"procedure": "sss"}, "there is no exercise on 'sss': one of minimax, "),
        ({"branching": 0}, "branching 0, depth 3: both must be at least 1"),
        ({"depth": 0}, "at least 1"),
        ({"depth": 9}, "at most 200 nodes"),
        ({"depth": 10**9, "branching": 1}, "at most 200 nodes"),
        ({"low": 3, "high": 2}, "low 3 is greater than high 2"),
        ({"low": 3, "high": 3}, "values 3 to 3: no tree with a cut and one best move"),
        ({"branching": 1}, "no tree with a cut"),
        ({"depth": 1}, "no tree with a cut"),
        ({"low": 0, "high": 0, "procedure": "minimax"}, "no tree with one best move"),
    ],
)
def test_what_cannot_be_set(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(why)):
        new(1, **arguments)


@pytest.mark.parametrize("tree", ["~(0.5*3 0.5*4)", "(<1,2> <3,4>)"])
def test_only_two_players_and_plain_numbers(tree: str) -> None:
    with pytest.raises(ThreefoldError, match="two players and plain numbers"):
        Exercise(tree)


# Marking.


def test_small_letters_count_only_where_they_leave_no_doubt() -> None:
    tree = "A(b(3 5) B(-5 2))"
    marks = check(f"tree: {tree}\nprocedure: alphabeta\nmove: b\nvalues: b=3 B=-5\n")
    assert marks.move.answer == "b"
    assert [mark.answer for mark in marks.values.values()] == [3, -5]
    with pytest.raises(ThreefoldError, match="line 3: the tree has no node 'CC'"):
        check("tree: A(cc(3 5) Cc(-5 2))\nprocedure: alphabeta\nmove: CC\n")


@pytest.mark.parametrize("tree", LECTURES)
def test_the_lectures_trees(tree: str) -> None:
    value, move, values, cut = LECTURES[tree]
    marks = check(
        f"tree: {tree}\nprocedure: alphabeta\nvalue: {value}\nmove: {move}\n"
        f"values: {values}\ncut: {cut}\n"
    )
    assert marks.right, marks.first_error
    assert marks.points == marks.of
    assert marks.first_error == ""
    assert check(Exercise(tree).solution()).right


def test_what_a_right_answer_may_look_like() -> None:
    assert check(sheet(values="C = −5, B=3.0", move=" B ", cut="G, ")).right
    assert check(sheet(values="A=3 B=3 C=-5 D=3 F=-5")).right  # more than was asked
    assert check(sheet(values="B=3\n  C=-5  # on a line of its own")).right
    assert check(sheet(values="b=3 c<=-5", move="b", cut="g")).right
    assert check(sheet(value="= 3", values="B: 3; C ≤ − 5", move="B", cut=" g ")).right
    assert check(sheet(value=">=3", values="B 3, C –5")).right
    assert check("\ufeff" + SMALL.solution().replace("\n", "\r\n")).right
    assert check("TREE: (0.5 0.25)\nprocedure: negamax\nvalue: 2/4\nmove: B\ncut: -").right
    assert check("tree: 5\nprocedure: alphabeta\nvalue: 5\nmove: none\ncut: none").right


@pytest.mark.parametrize(
    ("answers", "part", "why"),
    [
        ({"value": "5"}, "value", "A is 3, not 5: MAX takes the highest of B 3, C −5."),
        (
            {"move": "C"},
            "move",
            "The move at A is B, not C: MAX takes the highest of B 3, C −5.",
        ),
        (
            {"move": "G"},
            "move",
            "The move at A is B, not G: MAX takes the highest of B 3, C −5; G is not a child of A.",
        ),
        ({"values": "B=5 C=-5"}, "B", "B is 3, not 5: MIN takes the lowest of D 3, E 5."),
        (
            {"values": "B=3 C=5"},
            "C",
            "C is −5, not 5: MIN takes the lowest of F −5, then the rest is cut.",
        ),
        (
            {"values": "B=3 C=-5 E=4"},
            "E",
            "E is 5, not 4: it is a leaf, and its value is given in the tree.",
        ),
        (
            {"values": "B=3 C=-5 G=1"},
            "G",
            "G is given 1, but it is never looked at. G is cut: after F, C can be held to −5 or "
            "less, but A already has 3 or more.",
        ),
        (
            {"cut": "none"},
            "cut",
            "G is cut: after F, C can be held to −5 or less, but A already has 3 or more.",
        ),
        (
            {"cut": "E G"},
            "cut",
            "E is not cut: when its turn comes, α = −∞ is less than β = 3, so it may matter.",
        ),
        (
            {"cut": "F G"},
            "cut",
            "F is not cut: nothing is known about C before its first child has been looked at.",
        ),
        ({"cut": "A G"}, "cut", "A is not cut: the search begins there."),
    ],
)
def test_each_kind_of_wrong_answer(answers: dict[str, str], part: str, why: str) -> None:
    marks = marked(**answers)
    assert not marks.right
    assert marks.first_error == why
    assert marks.points == marks.of - 1
    wrong = {node for node, mark in marks.values.items() if mark.mark == "wrong"}
    wrong |= {key for key in ("value", "move") if getattr(marks, key).mark == "wrong"}
    wrong |= {"cut"} if marks.cut_mark == "wrong" else set()
    assert wrong == {part}


def test_missed_and_extra_cuts_are_told_apart() -> None:
    marks = marked(cut="E")
    assert (marks.missed, marks.extra) == (["G"], ["E"])
    assert marks.to_json()["cut"] == {
        "mark": "wrong",
        "answer": ["E"],
        "expected": ["G"],
        "missed": ["G"],
        "extra": ["E"],
    }


def test_below_a_cut() -> None:
    exercise = Exercise("A(B(D(H:6 I:5) E(J:8 K)) C(F(L:2 M:1) G(N O)))")
    marks = check(sheet(exercise, cut="K N O"))
    assert (marks.missed, marks.extra) == (["G"], ["N", "O"])
    marks = check(sheet(exercise, cut="K G O"))
    assert marks.first_error == "O is below G, and G is where the branch is cut: name only it."
    marks = check(sheet(exercise, values=f"{exercise.answers()['values']} N=1"))
    assert marks.first_error.startswith("N is given 1, but it is never looked at. N is below G. G")
    marks = check(sheet(exercise, cut="G"))
    assert marks.first_error == (
        "K is cut: after J, E is worth 8 or more to MAX, but MIN at B already has 6 or less."
    )


def test_the_first_error_is_the_first_in_the_run() -> None:
    marks = marked(value="9", values="B=4 C=2", cut="none")
    assert marks.first_error.startswith("B is 3, not 4")
    assert marked(value="9", values="B=3 C=2", cut="none").first_error.startswith("G is cut")
    # What is wrong comes before what is only missing.
    assert marked(value="9", values="").first_error.startswith("A is 3, not 9")


def test_an_empty_sheet() -> None:
    marks = check(SMALL.sheet())
    assert not marks.right
    assert (marks.points, marks.of) == (0, 5)
    assert {marks.value.mark, marks.move.mark, marks.cut_mark} == {"missing"}
    assert {mark.mark for mark in marks.values.values()} == {"missing"}
    assert marks.first_error == "B is 3: MIN takes the lowest of D 3, E 5."
    assert marked(move="").first_error.startswith("The move at A is B: ")
    nothing = check("tree: (1 2)\nprocedure: alphabeta\nvalue: 2\nmove: C\ncut:")
    assert nothing.first_error.endswith("so write cut: none.")


TIED = "tree: A(B(D:3 E:5) C(F:3 G:2))\nprocedure: alphabeta\nvalue: 3\nmove: B\n"


@pytest.mark.parametrize(
    ("answers", "equality"),
    [("values: B=3 C=3\ncut: G\n", "equal"), ("values: B=3 C=2\ncut: none\n", "strict")],
)
def test_a_sheet_that_leaves_equality_open_accepts_both(answers: str, equality: str) -> None:
    marks = check(TIED + answers)
    assert marks.right
    assert marks.exercise.equality == equality
    assert check(f"{TIED}{answers}equality: {equality}\n").right
    other = {"equal": "strict", "strict": "equal"}[equality]
    marks = check(f"{TIED}{answers}equality: {other}\n")
    assert not marks.right
    rule = {"equal": "equality cuts at MAX and MIN", "strict": "equality does not cut"}[other]
    assert marks.first_error.endswith(f" Marked by this rule: {rule}.")


def test_the_rule_is_named_only_if_it_matters() -> None:
    half = check(TIED + "values: B=3 C=2\ncut: G\n")
    assert half.first_error.endswith(" Marked by this rule: equality cuts at MAX and MIN.")
    clear = check(TIED.replace("F:3", "F:1") + "values: B=3 C=1\ncut: none\n")
    assert clear.missed == ["G"]
    assert "rule" not in clear.first_error


def test_ties_go_to_the_first_child() -> None:
    marks = check("tree: (3 3)\nprocedure: minimax\nvalue: 3\nmove: C")
    assert marks.first_error == (
        "The move at A is B, not C: MAX takes the highest of B 3, C 3, and ties go to the first "
        "child."
    )
    assert check("tree: (3 3)\nprocedure: minimax\nvalue: 3\nmove: B").right
    leaf = check("tree: B:3\nprocedure: minimax\nvalue: 3\nmove: B")
    assert leaf.first_error == "There is no move: the root B is a leaf."


def test_minimax_cuts_nothing() -> None:
    marks = check("tree: ((3 5) (1 2))\nprocedure: minimax\nvalue: 3\nmove: B\nvalues: B=3 C=1")
    assert marks.right
    marks = check(
        "tree: ((3 5) (1 2))\nprocedure: minimax\nvalue: 3\nmove: B\nvalues: B=3 C=1\ncut: G"
    )
    assert marks.first_error == "G is not cut: minimax looks at every node."


def test_fail_hard_returns_the_bound() -> None:
    exercise = Exercise(SMALL.tree, "alphabeta-hard")
    assert exercise.answers()["values"] == "B=3 C=3"
    assert check(sheet(exercise, values="B=3 C=-5")).first_error == (
        "C is 3, not −5: MIN takes the lowest of F −5, but a value outside the window is returned "
        "as the bound, then the rest is cut."
    )


def test_points_never_fall_below_zero() -> None:
    assert marked(cut="A B C D E F").points == 4
    assert marked(values="D=1 E=1 F=1 G=1 B=1 C=1").points == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the line 'tree: …' is missing"),
        ("tree: (1 2)", "the line 'procedure: …' is missing"),
        ("tree:\nprocedure: minimax", "the line 'tree: …' is missing"),
        ("tree: (1 2\nprocedure: minimax", "line 1: tree, character 5: 1 ')' missing"),
        ("tree: (1 B)\nprocedure: minimax", "line 1: node B has no value"),
        ("tree: (1 2)\nprocedure: magic", "line 2: there is no exercise on 'magic'"),
        ("procedure: minimax\ntree: ~(1*2)", "line 2: node A: an exercise has two players"),
        ("tree: (1 2)\ntree: (1 2)", "line 2: 'tree:' is already on line 1"),
        ("tree: (1 2)\nanswer 3", "line 2: 'answer 3' does not start with one of tree:, "),
        ("  3", "line 1: '  3' does not start with"),
        ("tree: (1 2)\nprocedure: minimax\nseed: x", "line 3: 'x' is not a seed"),
        (
            "tree: (1 2)\nprocedure: minimax\nvalue: two",
            "line 3: 'two' is not a number; write it as",
        ),
        ("tree: (1 2)\nprocedure: minimax\nvalue: 1/0", "line 3: '1/0' is not a number"),
        ("tree: (1 2)\nprocedure: minimax\nvalue: nan", "line 3: 'nan' is not a number"),
        (f"tree: (1 2)\nprocedure: minimax\nvalue: {'9' * 5000}", "line 3: '999"),
        ("tree: (1 2)\nprocedure: minimax\nmove: Q", "line 3: the tree has no node 'Q'; it has A"),
        ("tree: (1 2)\nprocedure: minimax\nmove: B C", "line 3: give one move"),
        ("tree: (1 2)\nprocedure: minimax\ncut: Q", "line 3: the tree has no node 'Q'"),
        ("tree: (1 2)\nprocedure: minimax\nvalues: 3", "line 3: the tree has no node '3'"),
        ("tree: (1 2)\nprocedure: minimax\nvalues: B", "line 3: a number is missing; write it as"),
        ("tree: (1 2)\nprocedure: minimax\nvalues: B=x", "line 3: 'x' is not a number"),
        ("tree: (1 2)\nprocedure: minimax\nvalues: B=1 B=1", "line 3: B is given two values"),
    ],
)
def test_malformed_sheets(text: str, why: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(why)) as caught:
        check(text)
    assert len(str(caught.value).splitlines()) == 1


# Pages.


def test_a_page_with_and_without_solutions() -> None:
    exercises = [new(1), new(2, procedure="minimax")]
    page, solved = html(exercises), html(exercises, solutions=True)
    for text in (page, solved):
        assert text.count("<svg") == 2
        assert text.count('class="exercise last"') == 2
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "<script" not in text
    assert "Name:" in page
    assert "Name:" not in solved
    first = exercises[0]
    answers = first.answers()
    assert f"<p class='answer values'>{answers['values']}</p>" in solved
    assert answers["values"] not in page
    assert "Pruned:" not in page  # nor does the picture's description tell
    assert f"{first.answer.pruned[0]} is cut: after " in solved
    assert " is cut: " not in page
    assert html(exercises, per_page=2).count('class="exercise last"') == 1
    assert "<svg" not in html([])
    with pytest.raises(ThreefoldError, match="0 exercises per page"):
        html(exercises, per_page=0)


# The command.


def threefold(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(argv))


def test_command_new(capsys: pytest.CaptureFixture[str]) -> None:
    assert threefold("new", "--seed", "7") == 0
    assert capsys.readouterr().out == new(7).sheet()
    assert threefold("new", "--seed", "7", "--solution") == 0
    assert capsys.readouterr().out == new(7).solution()
    options = ("--branching", "2", "--depth", "2", "--procedure", "negamax", "--json")
    assert threefold("new", *options) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == new(1, 2, 2, "negamax").to_json()
    assert threefold("new", "--solution", "--json") == 0
    assert json.loads(capsys.readouterr().out)["solution"] == new(1).solution()


def test_command_new_writes_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    svg, page = tmp_path / "tree.svg", tmp_path / "sheet.html"
    assert threefold("new", "--seed", "5", "--svg", str(svg), "--html", str(page)) == 0
    assert svg.read_text("utf-8") == new(5).picture()
    assert page.read_text("utf-8") == html([new(5)])
    assert threefold("new", "--seed", "5", "--svg", str(svg), "--solution") == 0
    assert svg.read_text("utf-8") == new(5).picture(solved=True)
    capsys.readouterr()
    assert threefold("new", "--seed", "5", "--students", "3", "--html", str(page)) == 0
    assert capsys.readouterr().out == f"{page}: seeds 5 to 7\n"
    assert page.read_text("utf-8") == html([new(5), new(6), new(7)])
    assert threefold("new", "--students", "2", "--html", str(page), "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert [one["seed"] for one in answer["exercises"]] == [1, 2]


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["new", "--students", "3"], "add --html FILE"),
        (["new", "--students", "3", "--html", "x", "--svg", "y"], "leave out --students"),
        (["new", "--students", "0", "--html", "x"], "--students 0"),
        (["new", "--html", "/no/such/folder/x"], "cannot be written: No such file"),
        (["check", "/no/such/file"], "cannot be read: No such file"),
        (["check", "a\0b"], "cannot be read"),
    ],
)
def test_command_refuses(argv: list[str], why: str) -> None:
    with pytest.raises(ThreefoldError, match=why):
        threefold(*argv)


def test_command_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answer.txt"
    file.write_text(new(7).solution(), "utf-8")
    assert threefold("check", str(file)) == 0
    points = check(new(7).solution()).of
    assert capsys.readouterr().out == (
        f"value: right\nmove: right\nvalues: right\ncut: right\npoints: {points} of {points}\n"
    )
    file.write_text(sheet(values="B=5", cut="E"), "utf-8")
    assert threefold("check", str(file)) == 1
    assert capsys.readouterr().out == (
        "value: right\nmove: right\nvalues: B wrong, C missing\ncut: G missed, E extra\n"
        "points: 2 of 5\n"
        "E is not cut: when its turn comes, α = −∞ is less than β = 3, so it may matter.\n"
    )
    assert threefold("check", str(file), "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["right"] is False
    assert answer["values"]["B"] == {"mark": "wrong", "answer": 5, "expected": 3}
    typed = SimpleNamespace(buffer=io.BytesIO(SMALL.solution().encode()))
    monkeypatch.setattr("sys.stdin", typed)
    assert threefold("check", "-", "--json") == 0
    assert json.loads(capsys.readouterr().out)["first_error"] is None
    file.write_bytes(b"value: \xff")
    with pytest.raises(ThreefoldError, match="is not UTF-8 text"):
        threefold("check", str(file))


def test_trees_as_written_are_the_trees_as_drawn() -> None:
    exercise = new(3)
    names = [node.name for node in walk(parse_tree(exercise.tree))]
    assert names == [node.name for node in walk(exercise.root)]
    assert all(f">{name}<" in exercise.picture() for name in names)
