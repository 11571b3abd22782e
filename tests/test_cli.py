"""The command line, as its users type it."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import processes
import pytest
from shell import Shell

from threefold import __version__
from threefold.cli.main import main

ROOT = Path(__file__).parents[1]
EXAMPLE = str(ROOT / "examples" / "twenty_one.py")


# Help.


def test_help_and_version(shell: Shell) -> None:
    assert shell("--version") == 0
    assert shell.out == f"threefold {__version__}\n"
    assert shell() == 0
    assert "perft" in shell.out
    for command in ("games", "play", "perft", "conformance", "bench"):
        assert shell(command, "--help") == 0
        assert command in shell.out


@pytest.mark.parametrize("argv", ["--help", "games", "perft --help"])
def test_help_needs_neither_numba_nor_numpy(argv: str) -> None:
    script = (
        "import sys\nfrom threefold.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'llvmlite'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = processes.run([sys.executable, "-c", script, *argv.split()])
    assert done.returncode == 0, done.stderr


# Games.


def test_games_lists_all_with_parameters_and_classification(shell: Shell) -> None:
    assert shell("games") == 0
    for line in (
        "tic-tac-toe",
        "mnk(m=3,n=3,k=3)",
        "nim(heaps=3-4-5,take=0,misere=false)",
        "connect-four(columns=7,rows=6,k=4)",
        "othello(size=8)",
        "kalah(pits=6,seeds=4,empty_capture=false,rest=owner)",
    ):
        assert line in shell.out.splitlines()
    assert "chance" in shell.out
    listed = {g["name"]: g for g in shell.json("games")["games"]}
    assert listed["othello"]["parameters"] == [{"name": "size", "default": "8"}]
    assert listed["dice-nim"]["facts"]["deterministic"] is False


# Perft.


@pytest.mark.parametrize("way", ["interpreted", "compiled"])
def test_perft_as_json(shell: Shell, way: str) -> None:
    answer = shell.json("perft", "connect-four", "4453", "--depth", "3", "--way", way, "--divide")
    seconds = answer.pop("seconds")
    assert seconds >= 0
    assert answer == {
        "game": "connect-four",
        "position": "4453",
        "depth": 3,
        "nodes": 343,
        "divide": [{"move": str(c), "nodes": 49} for c in range(1, 8)],
    }


def test_perft_as_text(shell: Shell) -> None:
    assert shell("perft", "tic-tac-toe", "XO./.X./..O X", "--depth", "2", "--divide") == 0
    assert shell.out.splitlines()[-1] == "20"
    assert "c3: 4" in shell.out.splitlines()
    assert shell("perft", "tic-tac-toe", "--depth", "9", "--finished") == 0
    assert shell.out == "255168\n"


def test_perft_of_what_starts_with_a_dash(shell: Shell) -> None:
    start = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X"
    assert shell.json("perft", "othello", start, "--depth", "4")["nodes"] == 244


def test_perft_at_the_ends(shell: Shell) -> None:
    assert shell.json("perft", "connect-four", "", "--depth", "0")["nodes"] == 1
    over = "1212121"
    assert shell.json("perft", "connect-four", over, "--depth", "0")["nodes"] == 1
    answer = shell.json("perft", "connect-four", over, "--depth", "3", "--divide")
    assert answer["nodes"] == 0
    assert answer["divide"] == []
    assert shell.json("perft", "connect-four", over, "--depth", "3", "--finished")["nodes"] == 1


def test_the_start_is_named_in_json(shell: Shell) -> None:
    assert shell.json("perft", "nim", "--depth", "1")["position"] == "3-4-5 1"
    assert shell.json("perft", "connect-four", "--depth", "1")["position"] == ""


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["perft"], "required"),
        (["perft", "nim"], "--depth"),
        (["perft", "nim", "--depth", "two"], "'two' is not a whole number"),
        (["perft", "nim", "--depth", "-1"], "depth -1"),
        (["perft", "nim", "--depth", "99999"], "depth 99999"),
        (["perft", "nim", "--depth", "2", "--way", "gpx"], "no way 'gpx'"),
        (["perft", "nimm", "--depth", "2"], "did you mean nim?"),
        (["perft", "nim", "9-9-9 1", "--depth", "2"], "heap 1"),
        (["perft", "othello(size=5)", "--depth", "2"], "size=5"),
        (["perft", "nim", "3-4-5 1", "more", "--depth", "2"], "more"),
        (["perft", "nowhere.py", "--depth", "2"], "no file 'nowhere.py'"),
        (["perft", "no_such_module:game", "--depth", "2"], "no_such_module"),
        (["perft", "os:path", "--depth", "2"], "no Game 'path'"),
        (["perft", "1x:game", "--depth", "2"], "not a module name"),
        (["fly"], "no command 'fly'"),
        (["anlyze", "nim"], "no command 'anlyze': did you mean analyze?"),
        (["exercise", "nwe"], "no command 'nwe': did you mean new?"),
        (["--versoin"], "no option '--versoin': did you mean --version?"),
        (["perft", "nim", "--deepth", "3"], "no option '--deepth': did you mean --depth?"),
        (["perft", "nim", "--deepth=3"], "no option '--deepth': did you mean --depth?"),
        (["analyze", "nim", "-depth", "3"], "no option '-depth': did you mean --depth?"),
        (["explain", "alphbeta", "(1 2)"], "no procedure 'alphbeta': did you mean alphabeta?"),
        (["explain", "a-starr", "(1 2)"], "no procedure 'a-starr': did you mean a-star?"),
        (["experiment", "horizn"], "no experiment 'horizn': did you mean horizon?"),
        (["analyze", "nim", "--method", "mtcs"], "no method 'mtcs': did you mean mcts?"),
        (["perft", "nim(heap=3)", "--depth", "1"], "no parameter 'heap'; did you mean heaps?"),
        (
            ["perft", "examples/twenty_two.py", "--depth", "1"],
            "did you mean examples/twenty_one.py?",
        ),
        (["perft", "examples/twenty_one", "--depth", "1"], "the file examples/twenty_one.py?"),
        (["perft", f"{EXAMPLE}:gane", "--depth", "1"], "no Game 'gane'; did you mean game?"),
        (["play", "nim", "--level", "mediun"], "no level 'mediun': did you mean medium?"),
        (["games", "--fast"], "--fast"),
        (["play", "nim", "--level", "genius"], "level 'genius'"),
        (["play", "nim", "--level", "0"], "level '0'"),
        (["play", "nim", "--level", "9" * 5000], "level '999"),
        (["play", "nim", "--level", "４"], "level '４'"),
        (["perft", "a" * 5000 + ".py", "--depth", "2"], "no file 'aaa"),
        (["perft", f"{EXAMPLE}:game:more", "--depth", "2"], "not a module name"),
        (["perft", EXAMPLE, "stones=5,turn=5", "--depth", "2"], "player 5's turn"),
        (["play", "nim", "--side", "left"], "--side 'left'"),
        (["play", "nim", "--eval", "luck"], "no evaluation 'luck'"),
        (["conformance", "nim", "--games", "0"], "games=0"),
        (["bench", "nothing"], "no benchmark 'nothing'"),
        (["analyze", "backgammon", "--filter", "2,-1"], "'2,-1' is not K or K,MARGIN"),
        (["analyze", "backgammon", "--filter", "2,"], "such as 8 or 8,160"),
    ],
)
def test_bad_input_gets_one_line(shell: Shell, argv: list[str], word: str) -> None:
    assert word in shell.refused(*argv)


# A user's own game.


def test_a_users_file(shell: Shell) -> None:
    assert shell.json("perft", EXAMPLE, "--depth", "4")["nodes"] == 81
    assert shell.json("perft", f"{EXAMPLE}:game", "stones=2,turn=1", "--depth", "2")["nodes"] == 1
    assert shell("conformance", EXAMPLE) == 0
    assert "no defect" in shell.out


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_users_module(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    write(tmp_path, "my_rules.py", Path(EXAMPLE).read_text())
    assert shell.json("perft", "my_rules:game", "--depth", "4")["nodes"] == 81


def test_a_users_function_with_parameters(shell: Shell, tmp_path: Path) -> None:
    source = (
        "from threefold.games.nim import nim\n"
        "def heap(stones: int = 5, fast: bool = True): return nim((stones,), take=2)\n"
        "def wanting(stones): return nim((stones,))\n"
        "def nothing(): return 5\n"
    )
    path = write(tmp_path, "mine.py", source)
    assert shell.json("perft", f"{path}:heap(stones=4)", "--depth", "2")["nodes"] == 4
    assert "no value for stones" in shell.refused("perft", f"{path}:wanting", "--depth", "1")
    assert "returns int, not a Game" in shell.refused("perft", f"{path}:nothing", "--depth", "1")
    said = shell.refused("perft", path, "--depth", "1")
    assert "has no Game; if a function returns one, name it: mine.py:heap, mine.py:wanting" in said


HEAP = """
from typing import NamedTuple
import threefold
from threefold import Game

class State(NamedTuple):
    stones: int
    turn: int

def {name}(stones{default}):
    def initial(): return State(stones, 0)
    def actions(s, out):
        out[0] = 1
        return min(1, s.stones)
    def result(s, a): return State(s.stones - a, 1 - s.turn)
    def utility(s): return 1 if s.turn == 1 else -1
    if stones > 9:
        raise ValueError("stones are 9 at most")
    return {call}("Heap", initial=initial, actions=actions, result=result, utility=utility)
"""


@pytest.mark.parametrize("call", ["Game", "threefold.Game"])
def test_the_only_function_that_returns_a_game_is_taken(
    shell: Shell, tmp_path: Path, call: str
) -> None:
    path = write(tmp_path, "heap.py", HEAP.format(name="heap", default=": int = 3", call=call))
    assert shell.json("solve", path)["value"] == 1
    assert shell.json("solve", f"{path}(stones=2)")["value"] == -1
    assert "stones are 9 at most" in shell.refused("solve", f"{path}(stones=10)")
    assert "no parameter 'stone'; did you mean stones?" in shell.refused(
        "solve", f"{path}(stone=1)"
    )
    wanting = write(tmp_path, "wanting.py", HEAP.format(name="heap", default="", call=call))
    assert "no value for stones; " in shell.refused("solve", wanting)
    assert "heap.py(stones=…)" in shell.refused("solve", wanting).replace("wanting", "heap")


def test_with_several_functions_one_must_be_named(shell: Shell, tmp_path: Path) -> None:
    both = "".join(HEAP.format(name=n, default="=3", call="Game") for n in ("small", "large"))
    path = write(tmp_path, "both.py", both)
    said = shell.refused("solve", path)
    assert "both.py has several functions that return a Game: small, large; name one" in said
    assert shell.json("solve", f"{path}:large")["value"] == 1
    one = write(tmp_path, "one.py", f"{both}\ngame = small()\n")
    assert shell.json("solve", one)["value"] == 1


def test_hooks_without_a_game_are_told_what_to_add(shell: Shell, tmp_path: Path) -> None:
    hooks, _, _ = Path(EXAMPLE).read_text().partition("game = Game")
    path = write(tmp_path, "hooks.py", hooks)
    assert 'game = Game("hooks", initial=initial, actions=actions' in shell.refused("solve", path)


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("def f(:", "line 1: invalid syntax"),
        ("x = 1\ny = nowhere\n", "line 2: NameError"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("import nowhere_at_all", "ModuleNotFoundError"),
        ("x = 5", "has no Game"),
        ("from threefold import game\na = game('nim')\nb = game('nim')", "several Games: a, b"),
        ("from threefold import game\na = game('nimm')", "did you mean nim"),
    ],
)
def test_a_file_that_cannot_be_loaded(shell: Shell, tmp_path: Path, source: str, word: str) -> None:
    path = write(tmp_path, "broken.py", source)
    assert word in shell.refused("perft", path, "--depth", "1")


def test_rules_that_fail_give_one_line(shell: Shell, tmp_path: Path) -> None:
    source = Path(EXAMPLE).read_text().replace("s.stones - a", "s.stones // (a - 1)")
    path = write(tmp_path, "failing.py", source)
    said = shell.refused("perft", path, "--depth", "3", "--way", "interpreted")
    assert "ZeroDivisionError" in said
    assert "failing.py, line" in said


def test_a_game_that_cannot_be_compiled_says_why(shell: Shell, tmp_path: Path) -> None:
    source = (
        Path(EXAMPLE)
        .read_text()
        .replace(
            "State(s.stones - a, 1 - s.turn)", "s._replace(stones=s.stones - a, turn=1 - s.turn)"
        )
    )
    path = write(tmp_path, "replacing.py", source)
    said = shell.refused("perft", path, "--depth", "3")
    assert "result (replacing.py, line" in said
    assert "_replace" in said
    assert shell("perft", path, "--depth", "3", "--way", "interpreted") == 0
    assert shell.out == "27\n"


def test_conformance_of_a_broken_game(shell: Shell, tmp_path: Path) -> None:
    source = Path(EXAMPLE).read_text().replace("1 - s.turn", "s.turn")
    path = write(tmp_path, "broken.py", source)
    assert shell("conformance", path) == 1
    assert "MIN never moved" in shell.out
    assert "position: stones=21,turn=0" in shell.out
    assert shell("conformance", path, "--json") == 1
    answer = json.loads(shell.out)
    assert answer["ok"] is False
    assert answer["defects"][0]["check"] == "turn order"


# In a process of its own.


def threefold(*argv: str, **options: Any) -> Any:
    return processes.start([*processes.THREEFOLD, *argv], **options)


def interrupt_when(ready: Callable[[], bool], process: Any) -> Any:
    limit = time.monotonic() + processes.PATIENCE
    while not ready() and time.monotonic() < limit:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=processes.PATIENCE)


def test_the_command_is_ready_for_ctrl_c_before_it_loads_anything() -> None:
    code = (
        "import sys, threefold.__main__\n"
        "print(*(name for name in sys.modules if name.startswith('threefold')))"
    )
    ran = processes.run([sys.executable, "-c", code])
    assert ran.stdout.split() == ["threefold", "threefold.__main__"]


def test_ctrl_c_ends_a_long_count(tmp_path: Path) -> None:
    environment = os.environ | {"THREEFOLD_CACHE": str(tmp_path)}
    process = threefold("perft", "connect-four", "--depth", "30", env=environment)
    # Once the entry is on disk it has been compiled, and the count is on.
    out, err = interrupt_when(lambda: bool(list(tmp_path.rglob("*.entry"))), process)
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "interrupted"


def test_ctrl_c_ends_a_game() -> None:
    process = threefold("play", "nim", "--level", "human", stdin=processes.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=processes.PATIENCE)
    assert process.returncode == 130
    assert err.strip() == "interrupted"


def test_a_closed_pipe_is_not_an_error() -> None:
    process = threefold("games")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(processes.PATIENCE) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


def test_a_file_with_spaces_and_parentheses_in_its_name(shell: Shell, tmp_path: Path) -> None:
    path = write(tmp_path, "weird (1).py", Path(EXAMPLE).read_text())
    assert shell.json("perft", path, "--depth", "2")["nodes"] == 9
    assert shell.json("perft", f"{path}:game", "--depth", "2")["nodes"] == 9


def test_parameters_by_annotation(shell: Shell, tmp_path: Path) -> None:
    source = (
        "from threefold.games.nim import nim\n"
        "def heap(stones: int, heaps: tuple[int, ...] = None, *args, **more): return nim((stones,))"
    )
    path = write(tmp_path, "mine.py", source)
    assert shell.json("perft", f"{path}:heap(stones=3)", "--depth", "1")["nodes"] == 3
    assert "stones=x" in shell.refused("perft", f"{path}:heap(stones=x)", "--depth", "1")


def test_the_benchmarks_are_listed(shell: Shell) -> None:
    assert shell("bench", "--list") == 0
    assert "perft: " in shell.out
    assert "perft" in shell.json("bench", "--list")["benchmarks"]


def test_the_benchmark_of_branching(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SECONDS": "0.02", "GAMES": "2", "MATCHES": "tic-tac-toe"}.items():
        monkeypatch.setenv(f"THREEFOLD_{name}", value)
    looked_at, score = shell.json("bench", "branching")["comparisons"]
    assert looked_at["what"] == "tic-tac-toe"
    assert looked_at["positions"] == 5
    assert 1 <= looked_at["moves"] <= 5  # from the fourth ply on
    assert looked_at["depth"] >= 1
    assert looked_at["simulations"] >= 1
    assert 0 < looked_at["tree_depth"] <= 9
    assert score["games"] == 2
    assert score["wins"] + score["draws"] + score["losses"] == 2


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
def test_output_that_cannot_be_written(redirection: str) -> None:
    done = processes.run(
        f"{sys.executable} -m threefold games {redirection}",
        shell=True,
    )
    assert done.returncode == 2
    assert "the answer cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("redirection", ["<&-", "</dev/null"])
def test_input_that_cannot_be_read(redirection: str) -> None:
    done = processes.run(
        f"{sys.executable} -m threefold play nim {redirection}",
        shell=True,
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_input_that_is_not_text() -> None:
    done = processes.run(
        [*processes.THREEFOLD, "play", "nim", "--level", "human"],
        input=b"\xff\n1:1\nquit\n",
        text=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_end_of_input_and_a_terminal_without_unicode() -> None:
    process = threefold(
        "play", "nim", stdin=processes.PIPE, env=os.environ | {"PYTHONIOENCODING": "ascii"}
    )
    out, err = process.communicate("1:1\n1:x\n", timeout=processes.PATIENCE)
    assert process.returncode == 0
    assert err == ""
    assert "not a legal move" in out


def test_what_is_not_solved_in_time_is_not_bad_input(shell: Shell) -> None:
    assert shell("solve", "connect-four", "--nodes", "1000", "--json") == 1
    assert shell.out == ""
    assert "not solved within the limits" in shell.err


def test_no_memory_is_too_little(shell: Shell) -> None:
    assert "--memory 0" in shell.refused("analyze", "tic-tac-toe", "--memory", "0")


def test_help_says_that_a_file_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever a user's game is accepted, and where the cache's code is mentioned."""
    for command in ([], ["play"], ["solve"], ["explain"], ["lab"], ["conformance"]):
        with pytest.raises(SystemExit):
            main([*command, "--help"])
        told = " ".join(capsys.readouterr().out.split())
        assert "loading it runs it" in told, command
    with pytest.raises(SystemExit):
        main(["--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "The cache folder (THREEFOLD_CACHE) contains code" in told
