"""Exercises on TD(λ), and the command that explains it."""

import json
import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pytest
from shell import Shell

from threefold import ThreefoldError
from threefold.textbook.sheet import html
from threefold.textbook.td import Settings
from threefold.textbook.td_episodes import Walk
from threefold.textbook.td_exercise import TDExercise, TDMarks, check, is_td, new, was_set


def by_hand() -> TDExercise:
    walk = Walk(5)
    start = {state: Fraction(1, 2) for state in walk.states}
    return TDExercise(walk, Settings(Fraction(1, 5)), start, walk.parse("C D E D E 1"))


def marked(exercise: TDExercise, **answers: str) -> TDMarks:
    """The marks of the solution with some answers changed."""
    text = exercise.solution()
    for key, answer in answers.items():
        text, changed = re.subn(rf"^{key}:.*$", f"{key}: {answer}", text, flags=re.MULTILINE)
        assert changed == 1
    return check(text)


# Setting.


def test_the_same_seed_gives_the_same_exercise() -> None:
    assert new(7).sheet() == new(7).sheet()
    assert len({new(seed).given for seed in range(-10, 10)}) == 20
    # And the same on every machine.
    assert new(7).given == (
        "walk: 5; alpha: 0.2; lambda: 0; start: A=0.5 B=0.6 C=0.7 D=0.8 E=0.9; episode: C D C D E 1"
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_solution_gets_full_marks(seed: int) -> None:
    exercise = new(seed)
    assert is_td(exercise.sheet())
    marks = check(exercise.solution())
    assert marks.right
    assert marks.points == marks.of == len(exercise.episode) + len(exercise.values)
    assert len(exercise.values) >= 3
    assert was_set(marks.exercise, seed)
    assert not was_set(marks.exercise, seed + 1)
    empty = check(exercise.sheet())
    assert not empty.right
    assert empty.points == 0


def test_alpha_and_lambda_may_be_chosen() -> None:
    exercise = new(3, Fraction(1, 4), Fraction(1, 3))
    assert "alpha: 0.25\nlambda: 0.333333\n" in exercise.sheet()
    assert exercise.settings.lambda_ == Fraction(1, 3)


# Marking.


def test_answers_by_hand() -> None:
    """δ: 0, 0, 0, 0, 0.5; only E changes, by a fifth of it."""
    exercise = by_hand()
    assert exercise.answers() == {"errors": "0 0 0 0 0.5", "values": "E=0.6"}
    assert marked(exercise, values="E = .6, a:0.5").right
    assert marked(exercise, errors="0 0.0004 −0.001 0 1/2").right
    assert marked(exercise, values="E=0.602").points == 5


def test_what_is_wrong_is_explained() -> None:
    exercise = by_hand()
    marks = marked(exercise, errors="0 0 0.1 0 0.5")
    assert marks.lines() == [
        "errors: step 3 wrong",
        "values: right",
        "points: 5 of 6",
        "Step 3: δ is 0, not 0.1. E → D, reward 0. δ = 0 + 0.5 − 0.5 = 0. Nothing changes.",
    ]
    marks = marked(exercise, errors="0 0", values="E=0.7 D=0.6")
    assert marks.lines()[:3] == [
        "errors: step 3 missing, step 4 missing, step 5 missing",
        "values: E wrong, D wrong",
        "points: 2 of 6",
    ]
    assert marks.first_error == "V(E) is 0.6, not 0.7: step 5 changes it from 0.5 to 0.6."
    assert marked(exercise, values="D=0.6 E=0.6").first_error == (
        "V(D) is 0.5, not 0.6: no step changes it."
    )
    answer = marks.to_json()
    assert json.loads(json.dumps(answer)) == answer
    assert answer["values"]["E"] == {"mark": "wrong", "answer": 0.7, "expected": 0.6}


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("walk", "4", "line 3: a walk of 4 states"),
        ("walk", "five", "line 3: 'five' is not a number of states"),
        ("alpha", "2", "line 4: alpha 2 is not from 0 to 1"),
        ("alpha", "x", "line 4: 'x' is not a number from 0 to 1"),
        ("lambda", "1/0", "line 5: '1/0' is not a number from 0 to 1"),
        ("start", "A=1", "line 6: values: B has none; write B=0.5"),
        ("start", "Q=1", "line 6: values: there is no state 'Q'"),
        ("episode", "C E 1", "line 7: episode 'C E 1': C to E is not a step of the walk"),
        ("episode", "", "the line 'episode: …' is missing"),
        ("seed", "x", "line 8: 'x' is not a seed"),
        ("errors", "0 0 0 0 0 0", "line 11: 6 errors, but the episode has 5 steps"),
        ("errors", "zero", "line 11: 'zero' is not a number"),
        ("values", "Q=1", "line 14: the walk has no state 'Q'; it has A, B, C, D, E"),
        ("values", "E=", "line 14: a number is missing; write it as E=3"),
    ],
)
def test_a_sheet_that_cannot_be_read(key: str, text: str, message: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        marked(by_hand(), **{key: text})
    assert message in str(caught.value)


def test_a_printed_sheet() -> None:
    exercise = new(1)
    page = html([exercise])
    assert "Exercise 1: td" in page
    assert "start: A=" in page
    assert "Why" not in page
    assert "δ = " in html([exercise], solutions=True)
    for solved in (False, True):
        ET.fromstring(exercise.picture(solved))


def test_a_line_that_is_there_twice() -> None:
    with pytest.raises(ThreefoldError, match="line 4: 'alpha:' is already on line 3"):
        check("procedure: td\nwalk: 5\nalpha: 0.1\nalpha: 0.2\n")


# From the command line.


def test_an_exercise_from_sheet_to_marks(shell: Shell, tmp_path: Path) -> None:
    assert shell("exercise", "new", "--procedure", "td", "--seed", "7", "--solution") == 0
    sheet = tmp_path / "sheet.txt"
    sheet.write_text(shell.out)
    assert shell("exercise", "check", str(sheet), "--seed", "7") == 0
    assert shell.out == "errors: right\nvalues: right\npoints: 8 of 8\n"
    assert "seed 8" in shell.refused("exercise", "check", str(sheet), "--seed", "8")
    assert shell("exercise", "new", "--procedure", "td", "--lambda", "0.5") == 0
    sheet.write_text(shell.out)
    assert shell("exercise", "check", str(sheet), "--json") == 1
    assert json.loads(shell.out)["points"] == 0
    files = ("--svg", str(tmp_path / "x.svg"), "--html", str(tmp_path / "x.html"))
    answer = shell.json("exercise", "new", "--procedure", "td", *files)
    assert (answer["walk"], answer["procedure"]) == (5, "td")
    ET.fromstring((tmp_path / "x.svg").read_text())
    students = shell.json("exercise", "new", "--procedure", "td", *files[2:], "--students", "3")
    assert [one["seed"] for one in students["exercises"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["new", "--procedure", "td", "--depth", "3"], "--depth does not go with --procedure td"),
        (["new", "--lambda", "0.5"], "--lambda does not go with --procedure alphabeta"),
        (["new", "--procedure", "td", "--alpha", "2"], "alpha 2 is not from 0 to 1"),
        (["new", "--procedure", "td", "--alpha", "x"], "'x' is not a number"),
    ],
)
def test_bad_exercises(shell: Shell, argv: list[str], word: str) -> None:
    assert word in shell.refused("exercise", *argv)


def test_explaining_a_walk(shell: Shell, tmp_path: Path) -> None:
    answer = shell.json("explain", "td", "--episodes", "3", "--alpha", "0.1", "--seed", "1")
    assert answer["procedure"] == "td"
    assert len(answer["rms"]) == 4
    assert set(answer["values"]) == set(answer["true_values"]) == set("ABCDE")
    again = shell.json("explain", "td", "--walk", "5", "--episodes", "3", "--seed", "1")
    assert again["visited"] == answer["visited"]
    svg, page, tex = (tmp_path / f"x.{end}" for end in ("svg", "html", "tex"))
    files = ("--svg", str(svg), "--html", str(page), "--tikz", str(tex), "--at", "2")
    assert shell("explain", "td", "--episode", "C D E end", "--lambda", "1", *files) == 0
    assert "V(C) = 0.5 + 0.1 × 0.5 = 0.55" in shell.out
    assert "<title>td: step 2</title>" in svg.read_text()
    assert "C → D, reward 0" in page.read_text()
    assert tex.read_text().startswith("% \\usepackage{tikz}")


def test_explaining_states_of_ones_own(shell: Shell) -> None:
    """The predictor of Sutton and Barto's example 6.4: A leads to B, and B mostly pays 1."""
    episodes = ["A 0 B 0", *["B 1"] * 6, "B 0"]
    argv = [word for text in episodes for word in ("--episode", text)]
    answer = shell.json("explain", "td", "--states", "A B", "--values", "0", *argv)
    b = 0.0
    for reward in (0, 1, 1, 1, 1, 1, 1, 0):
        b += 0.1 * (reward - b)
    assert answer["values"] == {"A": 0, "B": pytest.approx(b)}
    assert answer["true_values"] is None


def test_explaining_self_play(shell: Shell) -> None:
    game = ("--game", "dice-nim(stones=4)", "--episodes", "400")
    answer = shell.json("explain", "td", *game, "--lambda", "0.5", "--traces", "replacing")
    assert answer["policy"]["right"] == answer["policy"]["of"] > 0
    assert answer["on"] == "Dice Nim"
    assert shell("explain", "td", *game) == 0
    assert "steps are too many to tell" in shell.out
    assert "choices by these values are the best ones" in shell.out


def test_stepping_ends_with_the_answer(shell: Shell) -> None:
    assert shell("explain", "td", "--episode", "C B A 0", "--step", typing="\n\nb\ne\n") == 0
    assert "1/5" in shell.out
    assert shell.out.rstrip().splitlines()[-1].startswith("TD(0), α = 0.1, 1 episode: V(C) = 0.5")


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["--walk", "4"], "use an odd number"),
        (["--episodes", "0"], "0 episodes"),
        (["--alpha", "2"], "alpha 2 is not from 0 to 1"),
        (["--alpha", "x"], "'x' is not a number"),
        (["--alpha", "1/0"], "'1/0' is not a number"),
        (["--alpha", "0." + "1" * 40], "is not a number"),
        (["--lambda", "-1"], "lambda -1 is not from 0 to 1"),
        (["--traces", "odd"], "use accumulating or replacing"),
        (["--episode", "C E 1"], "not a step of the walk"),
        (["--episode", "C D E 1", "--episodes", "3"], "not both"),
        (["--states", "A B"], "--states needs --episode"),
        (["--states", "A B", "--walk", "3"], "--walk does not go with --states"),
        (["--epsilon", "0.1"], "--epsilon needs --game"),
        (["--position", "3 1"], "--position needs --game"),
        (["--game", "dice-nim", "--walk", "5"], "--walk does not go with --game"),
        (["--game", "dice-nim", "--episode", "A 1"], "--episode does not go with --game"),
        (["--game", "dice-nim", "--epsilon", "2"], "epsilon 2 is not from 0 to 1"),
        (["--game", "tic-tac-toe"], "more than 60 positions"),
        (["--values", "Q=1"], "there is no state 'Q'"),
        (["--depth", "3"], "--depth does not go with td"),
        (["(1 2)"], "TREE does not go with td"),
        (["--episode", "C D E 1", "--at", "9"], "step 9 is not between 1 and 5"),
    ],
)
def test_bad_input_gets_one_line(shell: Shell, argv: list[str], word: str) -> None:
    assert word in shell.refused("explain", "td", *argv)


def test_options_of_td_do_not_go_with_others(shell: Shell) -> None:
    refused = shell.refused("explain", "minimax", "(1 2)", "--lambda", "0.5")
    assert "--lambda does not go with minimax, which is for trees" in refused
