"""The textbook from the command line."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import processes
import pytest
from shell import Shell

from threefold.textbook.graph import LECTURE_GRAPH


def test_explain_as_json(shell: Shell) -> None:
    answer = shell.json("explain", "alphabeta", "A(B(D:3 E:5) C(F:-5 G))")
    events = answer.pop("events")
    assert answer == {
        "procedure": "alphabeta",
        "value": 3,
        "path": ["B", "D"],
        "visited": ["A", "B", "D", "E", "C", "F"],
        "pruned": ["G"],
    }
    assert events[1] == {"kind": "enter", "node": "A", "player": "MAX", "alpha": None, "beta": None}


def test_explain_on_a_game(shell: Shell) -> None:
    argv = ("explain", "minimax", "--game", "tic-tac-toe", "--depth", "2", "--eval", "lines")
    answer = shell.json(*argv)
    assert answer["value"] == 1
    assert answer["path"] == ["b2", "a1"]
    assert answer["visited"][:3] == [".", "a1", "a1/b1"]
    assert shell.json(*argv, "--order", "best-first")["path"] == ["b2", "a1"]
    answer = shell.json(
        "explain", "alphabeta", "--game", "nim(heaps=5,take=2)", "--position", "4 1"
    )
    assert answer["value"] == 1
    assert answer["path"][0] == "1:1"


def test_explain_in_words(shell: Shell) -> None:
    assert shell("explain", "alphabeta", "A(B(D:3 E:5) C(F:-5 G))") == 0
    assert "C can be held to −5 or less, but A already has 3 or more: G is never" in shell.out
    assert "✂ G" in shell.out
    assert "value 3, path B D\npruned: G\n" in shell.out


def test_a_tree_from_a_file_and_from_stdin(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "tree.txt"
    file.write_text("((3 12 8)\n (2 4 6)\n (14 5 2))\n")
    assert shell.json("explain", "minimax", str(file))["value"] == 3
    done = processes.run(
        [*processes.THREEFOLD, "explain", "minimax", "-", "--json"],
        input=file.read_text(),
        check=True,
    )
    assert json.loads(done.stdout)["value"] == 3


def test_fractions_come_out_as_numbers(shell: Shell) -> None:
    tree = "(~(0.5*3 1/2*8) 5)"
    assert shell.json("explain", "expectiminimax", tree)["value"] == 5.5
    assert shell.json("explain", "maxn", "(<3,1> <2,5>)")["value"] == [3, 1]


def test_cut_and_order(shell: Shell) -> None:
    tree = "A(B(D:3 E:5) C(F:3 G:-9))"
    assert shell.json("explain", "alphabeta", tree)["pruned"] == ["G"]
    assert shell.json("explain", "alphabeta", tree, "--cut", "strict")["pruned"] == []
    assert shell.json("explain", "alphabeta", tree, "--order", "worst-first")["visited"][1] == "C"


def test_pictures_are_written(shell: Shell, tmp_path: Path) -> None:
    svg, html, tikz = (str(tmp_path / name) for name in ("t.svg", "t.html", "t.tex"))
    argv = ("explain", "pvs", "((3 12 8) (2 4 6))", "--svg", svg, "--html", html, "--tikz", tikz)
    assert shell(*argv) == 0
    ElementTree.fromstring(Path(svg).read_text())
    assert "<script" in Path(html).read_text()
    assert "\\begin{tikzpicture}" in Path(tikz).read_text()


def test_a_picture_at_a_step(shell: Shell, tmp_path: Path) -> None:
    first, last = str(tmp_path / "first.svg"), str(tmp_path / "last.svg")
    tree = "((3 12 8) (2 4 6))"
    assert shell("explain", "alphabeta", tree, "--svg", first, "--at", "3") == 0
    assert shell("explain", "alphabeta", tree, "--svg", last) == 0
    assert Path(first).read_text() != Path(last).read_text()
    assert "step 99 is not between" in shell.refused("explain", "minimax", tree, "--at", "99")


def test_stepping_forward_and_back(shell: Shell) -> None:
    typed = "\n\nb\nc\n4\ne\n"
    assert shell("explain", "alphabeta", "A(B(D:3 E:5) C(F:-5 G))", "--step", typing=typed) == 0
    steps = [line.split("  ")[0] for line in shell.out.splitlines() if "/14  " in line]
    assert steps == ["1/14", "2/14", "3/14", "2/14", "12/14", "4/14"]
    assert "c: next cutoff" in shell.out
    assert "effective branching factor" in shell.out.splitlines()[-1]


@pytest.mark.parametrize(
    ("argv", "answer"),
    [
        (["minimax", "(1 2)"], "value 2, path C"),
        (["matrix", "1 2; 3 4"], "value 3, a saddle point"),
        (["a-star", "--graph", "lecture"], "path A C D E G, cost 9, 5 expanded"),
        (["hill-climbing", "--queens", "4"], "Q"),
        (["simulated-annealing", "--cities", "4"], "a tour of length"),
    ],
)
def test_stepping_ends_the_same_way_everywhere(shell: Shell, argv: list[str], answer: str) -> None:
    """The end, the end of what is typed and the step after the last one print the answer."""
    assert shell("explain", *argv, "--step", typing="q\n") == 0
    left = shell.out
    assert "c: next cutoff" not in left
    ends = []
    for typed in ("", "e\n", "e"):
        assert shell("explain", *argv, "--step", typing=typed) == 0
        assert shell.out.startswith(left)
        ends.append(shell.out.removeprefix(left))
    assert answer in ends[0]
    assert len(set(ends)) == 1
    assert shell("explain", *argv, "--step", typing="99999\n\n") == 0
    assert shell.out.endswith(ends[0])


def test_paths_on_the_lectures_graph(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "graph.txt"
    file.write_text(LECTURE_GRAPH)
    where = ("--graph", str(file), "--from", "A", "--to", "G")
    a_star = shell.json("explain", "a-star", *where)
    assert a_star["path"] == ["A", "C", "D", "E", "G"]
    assert a_star["cost"] == 9
    assert a_star["expanded"] == ["A", "C", "D", "E", "G"]
    assert a_star["fringes"][0] == [["C", 7], ["B", 12]]
    uniform = shell.json("explain", "uniform-cost", *where)
    assert (uniform["path"], uniform["cost"]) == (["A", "C", "D", "E", "G"], 9)
    greedy = shell.json("explain", "greedy", *where)
    assert (greedy["path"], greedy["cost"]) == (["A", "C", "F", "G"], 15)
    assert shell("explain", "ida-star", *where) == 0
    assert shell.json("explain", "bidirectional", *where)["path"] == ["A", "B", "E", "G"]


def test_puzzles_queens_and_cities(shell: Shell, tmp_path: Path) -> None:
    assert shell.json("explain", "a-star", "--puzzle", "123456708")["cost"] == 1
    assert shell("explain", "ida-star", "--puzzle", "123450786") == 0
    assert shell.json("explain", "hill-climbing", "--queens", "4", "--seed", "1")
    assert shell("explain", "hill-climbing") == 0
    assert shell.json("explain", "simulated-annealing", "--cities", "6", "--seed", "2")
    file = tmp_path / "cities.txt"
    file.write_text("0 0\n0 1\n1 1\n1 0\n")
    assert shell("explain", "simulated-annealing", "--cities", str(file)) == 0


def test_compare(shell: Shell, tmp_path: Path) -> None:
    answer = shell.json(
        "compare", "((3 12 8) (2 4 6) (14 5 2))", "--order", "given,best-first,worst-first"
    )
    assert answer["agree"] is True
    assert {row["value"] for row in answer["rows"]} == {3}
    assert answer["theory"]["fewest_leaves"] == 5
    chart = str(tmp_path / "chart.svg")
    argv = ("compare", "--branching", "3", "--depth", "4", "--order", "best-first")
    assert shell(*argv, "--chart", chart) == 0
    assert "theory for b=3, d=4: all leaves 81, fewest 17" in shell.out
    assert "alphabeta" in Path(chart).read_text()
    tree = "A:0(B:6!(D:-4 E:-2) C:1(F:1 G:2))"
    assert shell("compare", tree, "--depth", "1", "--procedures", "minimax,quiescence") == 1
    assert "do not agree" in shell.out
    assert shell.json("compare", "--game", "nim(heaps=2-2)", "--depth", "4")["agree"] is True


FIGURES: dict[str, dict[str, Any]] = {
    "horizon": {
        "minimax, 2 plies": "C",
        "quiescence, 2 plies": "C",
        "secondary search, 2 plies": "B",
        "singular extensions, 2 plies": "B",
        "quiescence, 3 plies": "B",
        "minimax, 4 plies": "B",
    },
    "quiet": {"minimax, 1 ply": "B", "minimax, 2 plies": "C", "quiescence, 1 ply": "C"},
    "chess-horizon": {
        "alpha-beta, 2 plies": "h7f6",
        "quiescence, 2 plies": "h7f6",
        "secondary search, 2 plies": "h4g3",
        "singular extensions, 2 plies": "h4g3",
        "quiescence, 3 plies": "h4g3",
        "alpha-beta, 4 plies": "h4g3",
    },
    "chess-quiet": {"minimax, 1 ply": "d1d5", "quiescence, 1 ply": "e1f1"},
    "deeper": {"1": "B", "2": "C", "whole": "B"},
    "root-values": {"returned": {"B": 3, "C": 3}, "true": {"B": 3, "C": -9}},
    "coin": {"minimax": 10, "coin": 54.5, "pruned": ["G"], "coin_move": "C"},
    "merged": {
        "nodes": 20,
        "leaves": 8,
        "states": 10,
        "path": ["1:2", "1:1", "1:2"],
        "misere_path": ["1:1", "1:1", "1:2", "1:1"],
    },
    "budget": {"nodes": 1_000_000, "minimax_plies": 4, "alphabeta_plies": 8},
    "branching": {},
    "plausible": {
        "tree": {
            "every move": {"value": 8, "move": "C", "nodes": 22},
            "the best 1": {"value": 3, "move": "B", "nodes": 4},
            "the best 2": {"value": 3, "move": "B", "nodes": 15},
        }
    },
    "classification": {},
    "strategy-fusion": {
        "mean": {"claim": 1, "wait": 2},
        "truth": {"claim": 1, "wait": 0},
        "sampled_deals": "wait",
        "best": "claim",
    },
    **{key: {} for key in ("fronts", "ida-star", "heuristics", "queens", "annealing")},
}


@pytest.mark.parametrize("name", FIGURES)
def test_experiments(shell: Shell, name: str) -> None:
    figures = shell.json("experiment", name)["figures"]
    assert {key: figures[key] for key in FIGURES[name]} == FIGURES[name]
    assert shell("experiment", name) == 0


def test_experiments_are_listed(shell: Shell) -> None:
    assert shell("experiment") == 0
    assert set(shell.json("experiment")["experiments"]) == set(FIGURES)


def test_the_quiz(shell: Shell) -> None:
    assert shell("quiz", typing="yes\nno\n\nno\n") == 0
    assert "Yes: chess has all six properties." in shell.out
    assert shell.out.rstrip().endswith("1 of 3 right")
    questions = {q["game"]: q for q in shell.json("quiz")["questions"]}
    assert questions["backgammon"]["lacks"] == ["deterministic"]


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["explain", "magic", "(1 2)"], "no procedure 'magic'"),
        (["explain", "alphabeta"], "give a tree"),
        (["explain", "alphabeta", "(1 2"], "')' missing"),
        (["explain", "alphabeta", ""], "empty"),
        (["explain", "alphabeta", "(1 2)", "--game", "nim"], "not both"),
        (["explain", "alphabeta", "(1 2)", "--position", "x"], "--position needs --game"),
        (["explain", "alphabeta", "(1 2)", "--eval", "x"], "--eval needs --game"),
        (["explain", "alphabeta", "(1 2)", "--depth", "-1"], "depth -1"),
        (["explain", "alphabeta", "(1 2)", "--cut", "hard"], "--cut 'hard'"),
        (
            ["explain", "minimax", "(1 2)", "--cut", "strict"],
            "minimax has no option --cut;",
        ),
        (["explain", "alphabeta", "(1 2)", "--order", "up"], "no order 'up'"),
        (["explain", "alphabeta", "(1 2)", "--svg", "/no/such/folder/x.svg"], "cannot be written"),
        (["explain", "alphabeta", "--game", "nimm"], "did you mean nim"),
        (["explain", "minimax", "(A 2)"], "node A has no value"),
        (["explain", "a-star"], "--graph FILE or --puzzle"),
        (["explain", "depth-limited", "--puzzle", "123456708"], "depth-limited needs --depth N"),
        (["explain", "a-star", "--puzzle", "123456708", "--depth", "3"], "--depth does not go"),
        (["explain", "depth-limited", "--puzzle", "123456708", "--depth", "-3"], "-3 is negative"),
        (
            ["explain", "a-star", "--graph", "/no/such", "--from", "A", "--to", "B"],
            "cannot be read",
        ),
        (["explain", "a-star", "--graph", __file__], "--from NODE"),
        (["explain", "a-star", "--graph", __file__, "--from", "A", "--to", "B"], "line"),
        (["explain", "a-star", "--puzzle", "12345"], "12345"),
        (["explain", "a-star", "--puzzle", "123456870"], "123456870"),
        (["explain", "hill-climbing", "--queens", "-1"], "-1"),
        (["explain", "simulated-annealing", "--cities", "/no/such"], "cannot be read"),
        (["compare", "(1 2)", "--procedures", "magic"], "no procedure 'magic'"),
        (["compare", "--branching", "3"], "needs --depth"),
        (["compare", "(1 2)", "--branching", "3", "--depth", "2"], "give only one of"),
        (["compare", "(1 2)", "--chart", "x.svg"], "--chart needs --depth"),
        (["experiment", "magic"], "no experiment 'magic'"),
    ],
)
def test_bad_input_gets_one_line(shell: Shell, argv: list[str], word: str) -> None:
    assert word in shell.refused(*argv)


def test_the_textbook_needs_neither_numba_nor_numpy() -> None:
    script = (
        "import sys\nfrom threefold.cli.main import main\n"
        "main(['explain', 'alphabeta', '--game', 'nim(heaps=2-2)', '--json'])\n"
        "heavy = {'numba', 'numpy', 'llvmlite'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = processes.run([sys.executable, "-c", script], env=os.environ)
    assert done.returncode == 0, done.stderr


def test_options_may_come_anywhere(shell: Shell) -> None:
    tree = "((3 12) (2 4))"
    for argv in (
        ("explain", "--json", "alphabeta", tree),
        ("explain", "alphabeta", "--json", tree),
        ("explain", "alphabeta", "--cut", "strict", tree, "--json"),
    ):
        assert shell(*argv) == 0, shell.err
        assert json.loads(shell.out)["value"] == 3
    board = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X"
    assert shell("perft", "othello", "--depth", "3", board, "--json") == 0
    assert json.loads(shell.out)["nodes"] == 56
    assert shell("perft", "--depth", "3", "othello") == 0
    assert shell.out == "56\n"


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["explain", "minimax", "~(0.5*3 0.5*8)"], "node A is a chance node"),
        (["compare", "(~(0.5*3 0.5*8) 4)"], "node B is a chance node"),
        (["explain", "alphabeta", "--game", "dice-nim", "--depth", "3"], "is a chance node"),
        (["explain", "minimax", "(<3,1> <2,4>)"], "a payoff for each player"),
        (["explain", "minimax", f"({'9' * 400}.5 2)"], "more than 100 digits"),
        (["explain", "minimax", "/no/such/file"], "there is no file '/no/such/file'"),
        (["explain", "a-star", "(3 4)", "--puzzle", "123456708"], "TREE does not go with a-star"),
        (["explain", "a-star", "--puzzle", "123456708", "--at", "9"], "step 9 is not between 1"),
        (["explain", "a-star", "--puzzle", "123456708", "--svg", "/no/x"], "/no/x' cannot be"),
        (["explain", "minimax", "(3 4)", "--puzzle", "1"], "--puzzle does not go with minimax"),
        (["explain", "hill-climbing", "--depth", "3"], "--depth does not go with hill-climbing"),
    ],
)
def test_what_does_not_fit_is_refused(shell: Shell, argv: list[str], word: str) -> None:
    assert word in shell.refused(*argv)


def test_a_path_search_is_drawn(shell: Shell, tmp_path: Path) -> None:
    svg, html, tex = (tmp_path / f"x.{end}" for end in ("svg", "html", "tex"))
    files = ("--svg", str(svg), "--html", str(html), "--tikz", str(tex))
    assert shell("explain", "a-star", "--puzzle", "123456708", *files, "--at", "1") == 0
    assert shell.out.startswith("Expand 123456708: 123456780 enters with 1")
    assert "<title>a-star: step 1</title>" in svg.read_text()
    assert "Expand 123456708" in html.read_text()
    assert tex.read_text().startswith("% \\usepackage{tikz}\n\\begin{tikzpicture}")


def test_a_path_search_is_stepped_through(shell: Shell, tmp_path: Path) -> None:
    """Forward, back, to a number, to the end, and out."""
    file = tmp_path / "graph.txt"
    file.write_text(LECTURE_GRAPH)
    where = ("--graph", str(file), "--from", "A", "--to", "G")
    assert shell("explain", "a-star", *where, "--step", typing="\nb\n3\n99\ne") == 0
    shown = re.findall(r"\d/5  ", shell.out)
    assert [each[0] for each in shown] == ["1", "2", "1", "3", "5"]
    assert shell.out.endswith("path A C D E G, cost 9, 5 expanded\n")
    assert "▶ └─ ● C 1+6=7" in shell.out


def test_a_graph_on_stdin() -> None:
    argv = ("explain", "a-star", "--graph", "-", "--from", "A", "--to", "G", "--json")
    done = processes.run(
        [*processes.THREEFOLD, *argv],
        input=LECTURE_GRAPH,
        check=True,
    )
    assert json.loads(done.stdout)["cost"] == 9


def test_an_exercise_from_sheet_to_marks(shell: Shell, tmp_path: Path) -> None:
    assert shell("exercise", "new", "--seed", "7", "--solution") == 0
    sheet = tmp_path / "sheet.txt"
    sheet.write_text(shell.out)
    assert shell("exercise", "check", str(sheet)) == 0
    assert shell("exercise", "check", str(sheet), "--seed", "7") == 0
    assert "not the one that seed 8 generates" in shell.refused(
        "exercise", "check", str(sheet), "--seed", "8"
    )
    assert shell("exercise", "new", "--seed", "7") == 0
    sheet.write_text(shell.out)
    assert shell("exercise", "check", str(sheet), "--json") == 1
    assert json.loads(shell.out)["right"] is False


def test_grading_from_the_command_line(shell: Shell, tmp_path: Path) -> None:
    student = tmp_path / "student.py"
    student.write_text(
        "def minimax(node):\n"
        "    if not node.children:\n"
        "        return node.value\n"
        "    values = [minimax(child) for child in node.children]\n"
        "    return max(values) if node.is_max else min(values)\n"
    )
    assert shell("grade", str(student), "--trees", "20") == 0
    student.write_text(student.read_text().replace("min(values)", "max(values)"))
    assert shell("grade", str(student), "--trees", "20", "--json") == 1
    assert json.loads(shell.out)["right"] is False
    assert "there is no file" in shell.refused("grade", str(tmp_path / "none.py"))


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("maxn", "(<1,2> <2,1>)", "--plausible", "1"), "--plausible is for two players"),
        (("single-agent", "(1 2)", "--plausible", "1"), "--plausible is for two players"),
        (
            ("maxn", "((<1,2> <2,1>) <0,0>)", "--order", "iterative-deepening"),
            "has no single value, so it cannot be put in order",
        ),
    ],
)
def test_what_is_for_two_players_is_refused_elsewhere(
    shell: Shell, argv: tuple[str, ...], message: str
) -> None:
    assert message in shell.refused("explain", *argv)


def test_each_question_has_its_own_answer(shell: Shell) -> None:
    tree = "(<3,1> <2,5>)"
    assert shell.json("compare", tree, "--procedures", "maxn,paranoid")["agree"]


def test_a_root_with_a_static_value_may_be_mins(shell: Shell) -> None:
    answer = shell.json("explain", "minimax", "min :2(3 4)")
    assert (answer["value"], answer["visited"]) == (3, ["A", "B", "C"])
    named = shell.json("explain", "minimax", "min:2(3 4)")
    assert (named["value"], named["visited"]) == (4, ["min", "A", "B"])
