"""What a notebook shows: results as they are printed, positions and explanations as pictures."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import nim
import processes
import pytest

from threefold import conformance, game
from threefold.textbook.compare import compare
from threefold.textbook.experiments import Experiment
from threefold.textbook.tree import parse_tree

TREE = "((3 12 8) (2 4 6) (14 5 2))"


def test_a_result_at_the_prompt_is_what_print_gives() -> None:
    g = game("tic-tac-toe")
    for found in (
        g.analyze(depth=2),
        g.solve(),
        g.explain("alphabeta", depth=2),
        conformance(nim.nim(), games=2),
        compare(parse_tree(TREE)),
        Experiment("one", "A title", ["a line"], {}),
    ):
        assert repr(found) == str(found)
        assert type(found).__name__ not in repr(found)


def test_an_explanation_says_its_answer() -> None:
    said = str(game("tic-tac-toe").explain("minimax", depth=1))
    assert said.startswith("value 4, path b2")
    assert "pruned: nothing\nnodes: 10, leaves: 9" in said


# In IPython itself, in a process of its own: a shell changes much of the one that it runs in.

NOTEBOOK = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell

if "--bare" in sys.argv:
    sys.modules["threefold.textbook.notebook"] = None
shell = InteractiveShell.instance()
shell.display_formatter.active_types = list(shell.display_formatter.formatters)
seen = []
for cell in json.load(sys.stdin):
    statements, _, last = cell.rpartition("\\n")
    shell.run_cell(statements, store_history=False).raise_error()
    seen.append(shell.display_formatter.format(shell.ev(last))[0])
print(json.dumps(seen))
"""


def notebook(tmp_path: Path, *cells: str, bare: bool = False) -> list[dict[str, Any]]:
    """What a notebook keeps of what the last line of each cell gives, by its type."""
    pytest.importorskip("IPython")
    done = processes.run(
        [sys.executable, "-c", NOTEBOOK, *(["--bare"] if bare else [])],
        input=json.dumps(cells),
        check=True,
        env=os.environ | {"IPYTHONDIR": str(tmp_path)},
    )
    seen: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return seen


OWN = """
from typing import NamedTuple
from threefold import Game, game

class State(NamedTuple):
    stones: int
    turn: int

def made(stones, name="Own"):
    def actions(s, out):
        for i in range(min(3, s.stones)):
            out[i] = i + 1
        return min(3, s.stones)

    return Game(
        name,
        initial=lambda: State(stones, 0),
        actions=actions,
        result=lambda s, a: State(s.stones - a, 1 - s.turn),
        utility=lambda s: 1 if s.turn else -1,
    )
"""
COUNT = """
from threefold import Game
counting = Game(
    "Count",
    initial=lambda: 3,
    actions=lambda s, out: 0,
    result=lambda s, a: s,
    utility=lambda s: 0,
    player=lambda s: 0,
)
3
"""


def test_positions_are_shown_as_pictures(tmp_path: Path) -> None:
    own, again, two, shared, number = notebook(
        tmp_path,
        f"{OWN}g = made(20)\ng.initial()",
        f"{OWN}g = made(21)\ng.result(g.initial(), 1)",  # the same cell again
        "h = made(30, 'Other')\ng.initial()",
        "small, large = game('othello(size=4)'), game('othello')\nsmall.initial()",
        COUNT.rstrip(),
    )
    assert own["text/plain"] == "State(stones=20, turn=0)"
    assert own["image/svg+xml"].startswith("<svg")
    assert "stones=20,turn=0" in own["image/svg+xml"]
    assert "stones=20,turn=1" in again["image/svg+xml"]
    # A state that may be of two games stays a text, and numbers stay numbers.
    assert set(two) == set(shared) == set(number) == {"text/plain"}


def test_results_and_explanations_have_pictures(tmp_path: Path) -> None:
    first = "from threefold import game\ng = game('tic-tac-toe')\n"
    explained, found = notebook(
        tmp_path, f"{first}g.explain('alphabeta', depth=1)", f"{first}g.analyze(depth=1)", bare=True
    )
    assert set(explained) == {"text/plain", "image/svg+xml"}
    assert explained["image/svg+xml"].startswith("<svg")
    assert explained["text/plain"].startswith("value 4, path b2")
    assert "<table>" in found["text/html"]
    assert "<svg" in found["text/html"]
    assert found["text/plain"].splitlines()[-1].startswith("depth 1")


def test_an_explanation_can_be_stepped_through_and_still_has_its_picture(tmp_path: Path) -> None:
    pytest.importorskip("anywidget", reason="needs threefold[notebook]")
    first = "from threefold import game\ng = game('tic-tac-toe')\n"
    (seen,) = notebook(tmp_path, f"{first}g.explain('alphabeta', depth=1)")
    assert "application/vnd.jupyter.widget-view+json" in seen
    assert seen["image/svg+xml"].startswith("<svg")


def test_elsewhere_ipython_is_not_even_imported() -> None:
    program = "import sys, threefold\nthreefold.game('nim')\nassert 'IPython' not in sys.modules"
    processes.run([sys.executable, "-c", program], check=True)
