"""`threefold train`: from rules to a net, and one clear line for whatever cannot be."""

import json
import os
import random
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import processes
import pytest
from shell import Shell

from threefold import Game, game
from threefold.cli.train_report import milestone, progress
from threefold.engine.nets import Net
from threefold.engine.records import interpreted_record
from threefold.errors import BrokenRules, NoGpu
from threefold.learn.checkpoints import beside_net
from threefold.learn.feature_checks import check_features
from threefold.learn.one_ply import AT_RANDOM, BY_EVALUATION, Sparring, play_pairs
from threefold.learn.strength import Score, Sparrings
from threefold.learn.training import Report
from threefold.rules.rebind import interpreted

pytest.importorskip("torch", reason="needs PyTorch: pip install 'threefold[learn]'")

EXAMPLES = Path(__file__).parents[1] / "examples"
TIC_TAC_TOE = game("tic-tac-toe")
QUICK = ("train", "tic-tac-toe", "--games", "300", "--hidden", "8")


def weights(path: Path) -> dict[str, Any]:
    """A net's file without how it was made, which has times in it."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name].tolist() for name in file.files if name != "made"}


# What it does.


def test_a_net_is_trained_and_reported(shell: Shell, tmp_path: Path) -> None:
    out, svg, html = (tmp_path / name for name in ("net.npz", "net.svg", "net.html"))
    options = (*QUICK, "--out", str(out), "--svg", str(svg), "--html", str(html), "--seed", "3")
    answer = shell.json(*options)
    assert answer["game"] == "tic-tac-toe"
    assert (answer["method"], answer["file"], answer["games"]) == ("td", str(out), 300)
    assert (answer["hidden"], answer["inputs"] % 64, answer["results"]) == ([8], 0, [-1, 0, 1])
    assert answer["positions"] > 300
    assert set(answer["strength"]) == {"previous", "evaluation", "random"}
    for score in answer["strength"].values():
        assert score["games"] == score["wins"] + score["draws"] + score["losses"] > 0
    net = Net.load(out, TIC_TAC_TOE)
    assert net.hidden == (8,)
    assert net.made["games"] == 300
    assert net.made["seed"] == 3
    assert net.made["command"].startswith("threefold train tic-tac-toe --games 300 ")
    assert net.made["command"].endswith(f" --out {out.name}")  # not where that was
    assert svg.read_text().startswith("<svg")
    assert "refresh" not in html.read_text()


def test_the_stream_and_the_text(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "net.npz"
    assert shell(*QUICK, "--out", str(out), "--stream") == 0
    lines = [json.loads(line) for line in shell.out.splitlines()]
    assert [line["games"] for line in lines][-1] == 300
    for line in lines:
        assert {"games", "positions", "seconds", "loss", "strength"} <= set(line)
    assert shell(*QUICK, "--out", str(out)) == 0
    assert shell.out.startswith("Tic-tac-toe: 300 games, ")
    assert f"threefold play tic-tac-toe --eval {out}" in shell.out
    assert "--resume" in shell.err


def test_the_same_seed_makes_the_same_net(shell: Shell, tmp_path: Path) -> None:
    made = {}
    for name, options in (
        ("one", ("--seed", "1")),
        ("again", ("--seed", "1")),
        ("one thread", ("--seed", "1", "--threads", "1")),
        ("another", ("--seed", "2")),
    ):
        out = tmp_path / f"{name}.npz"
        assert shell(*QUICK, "--out", str(out), *options) == 0, shell.err
        made[name] = weights(out)
    assert made["one"] == made["again"] == made["one thread"]
    assert made["one"] != made["another"]


def test_a_resumed_run_counts_all_games(shell: Shell, tmp_path: Path) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    assert shell(*QUICK, "--out", str(first), "--seed", "5", "--rate", "0.01") == 0
    answer = shell.json(
        *("train", "tic-tac-toe", "--games", "500", "--resume", str(first), "--out", str(second))
    )
    assert (answer["games"], answer["hidden"]) == (500, [8]), "the layers are those of the start"
    assert Net.load(second, TIC_TAC_TOE).made["seed"] == 5
    again = shell.json(
        *("train", "tic-tac-toe", "--games", "500", "--resume", str(second), "--out", str(first))
    )
    assert again["games"] == 500
    assert "nothing is left to do" in shell.err
    assert weights(first) == weights(second)
    wrong = shell.refused(*QUICK, "--resume", str(second), "--out", str(first), "--hidden", "9")
    assert "trained with --hidden 8; it cannot go on with 9" in wrong


def test_a_run_begins_with_what_a_net_knows(shell: Shell, tmp_path: Path) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    assert shell(*QUICK, "--out", str(first)) == 0
    start = ("train", "tic-tac-toe", "--start", str(first), "--out", str(second))
    # Steps too small to change a rounded weight leave the net as it was.
    answer = shell.json(*start, "--games", "50", "--rate", "1e-9")
    assert (answer["games"], answer["hidden"]) == (50, [8])
    assert weights(first) == weights(second)
    assert Net.load(second, TIC_TAC_TOE).made["start"] == Net.load(first, TIC_TAC_TOE).made
    assert shell(*start[:2], "--games", "90", "--resume", str(second), "--out", str(second)) == 0
    begun_with = Net.load(second, TIC_TAC_TOE).made["start"]
    assert begun_with == Net.load(first, TIC_TAC_TOE).made, "a resumed run knows it still"
    assert shell(*start, "--games", "100") == 0
    assert weights(first) != weights(second)
    for options, said in (
        (("--hidden", "9"), "' is a net of --hidden 8; leave --hidden out"),
        (("--outputs", "margin"), "' is a net of --outputs results; leave --outputs out"),
        (("--start", str(beside_net(first))), "is a checkpoint of a training run, not the net"),
        (("--resume", str(second)), "' does not go with --resume"),
        (("--terms",), "' does not go with --terms"),
        (("--start", "lines"), "--start 'lines' is not a net"),
        (("--start", "no-such-file.npz"), "no-such-file.npz cannot be read: No such file"),
    ):
        assert said in shell.refused(*start, *options)
    wrong = shell.refused("train", "backgammon(cube=true)", "--start", "net", "--out", str(second))
    assert "--start 'net' was made for the game without stakes" in wrong


def test_ctrl_c_saves_what_was_learned(tmp_path: Path) -> None:
    out = tmp_path / "net.npz"
    command = ("train", "tic-tac-toe", "--time", "3600", "--out", str(out), "--stream")
    process = processes.start([*processes.THREEFOLD, *command])
    last = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=processes.PATIENCE)
    assert process.returncode == 0, errors
    last = json.loads(said.splitlines()[-1]) if said else last
    assert Net.load(out, TIC_TAC_TOE).made["games"] == last["games"] > 0


def test_a_killed_run_loses_no_more_than_since_the_last_checkpoint(
    shell: Shell, tmp_path: Path
) -> None:
    out = tmp_path / "net.npz"
    script = (
        "import sys\nfrom threefold.cli.main import main\nfrom threefold.learn import training\n"
        "training.SAVE_EVERY = training.LOOK_EVERY = 0.0\nmain(sys.argv[1:])\n"
    )
    command = ("train", "tic-tac-toe", "--games", "1000000000", "--out", str(out), "--stream")
    process = processes.start([sys.executable, "-c", script, *command])
    lines = [json.loads(process.stdout.readline()) for _ in range(3)]
    process.kill()
    process.wait()
    saved = Net.load(out, TIC_TAC_TOE).made["games"]
    assert saved >= lines[1]["games"] > 0, "all but the last round was saved"
    more = str(saved + 100)
    answer = shell.json(
        *("train", "tic-tac-toe", "--resume", str(out), "--games", more, "--out", str(out))
    )
    assert answer["games"] >= saved + 100


# What cannot be.


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--blocks", "2"), "--blocks is for --method alphazero"),
        (("--channels", "8"), "--channels is for --method alphazero"),
        (("--parallel", "8"), "--parallel is for --method alphazero"),
        (("--method", "magic"), "--method magic is not one of td, fit"),
        (("--device", "tpu"), "--device tpu is not cpu or gpu"),
        (("--outputs", "moves"), "--outputs moves is not results or margin"),
        (("--hidden", "64,x"), "--hidden '64,x' is not 1 to 4 numbers of units"),
        (("--hidden", "0"), "--hidden '0' is not"),
        (("--rate", "0"), "--rate 0.0 is not a number above 0"),
        (("--rate", "nan"), "--rate nan is not a number above 0"),
        (("--lambda", "1.5"), "--lambda 1.5 is not a number from 0 to 1"),
        (("--exploration", "-1"), "--exploration -1.0 is not a number from 0 to 1"),
        (("--every-roll", "2"), "--every-roll 2.0 is not a number from 0 to 1"),
        (("--every-roll", "1"), "--every-roll is for games of chance"),
        (("--games", "0"), "--games 0 is not a whole number from 1"),
        (("--time", "-3"), "--time -3.0 is not a number of seconds above 0"),
        (("--time", "inf"), "--time inf is not a number of seconds above 0"),
        (("--threads", "0"), "--threads 0 is not a whole number from 1"),
        (("--seed", "-1"), "--seed -1 is not a whole number from 0"),
        (("--games-from", "x.db"), "--games-from 'x.db' is for --method fit"),
        (("--games-from", "x.db", "--method", "fit"), "x.db cannot be read: No such file"),
        (("--mix", "2"), "--mix 2.0 is not a number from 0 to 1"),
        (("--nodes", "0"), "--nodes 0 is not a whole number from 1"),
        (("--terms",), "' would be taken for a net; weights are a text"),
        (("--terms", "line"), "no evaluation 'line'; did you mean lines"),
        (("--cluster", "x"), "--cluster 'x' is not local, ray or ray:HOST:PORT"),
        (("--cluster", "ray", "--method", "fit"), "--cluster ray is for nets, --method td and"),
        (("--resume", "no-such-file.npz"), "no-such-file.npz cannot be read: No such file"),
        (("--checkpoint", "no/such/folder.npz"), "--checkpoint 'no/such/folder.npz': there is"),
        (("--svg", "no/such.svg"), "--svg 'no/such.svg': there is no folder 'no'"),
        *(
            (("--method", "alphazero", *options), said)
            for options, said in (
                (("--hidden", "8"), "--hidden is not for --method alphazero"),
                (("--outputs", "margin"), "--outputs is not for --method alphazero"),
                (("--lambda", "0.5"), "--lambda is not for --method alphazero"),
                (("--mix", "0.5"), "--mix is not for --method alphazero"),
                (("--terms",), "--terms is not for --method alphazero"),
                (("--start", "x.npz"), "--start 'x.npz' does not go with alphazero; --resume does"),
                (("--games-from", "x.db"), "--games-from 'x.db' is for --method fit"),
                (("--blocks", "0"), "--blocks 0 is not a whole number from 1 to 64"),
                (("--channels", "2000"), "--channels 2000 is not a whole number from 1 to 1024"),
                (("--parallel", "0"), "--parallel 0 is not a whole number from 1 to 65536"),
                (("--nodes", "1"), "--nodes 1 is not a whole number from 2 to 10000"),
                (("--cluster", "x"), "--cluster 'x' is not local, ray or ray:HOST:PORT"),
            )
        ),
    ],
)
def test_options_that_make_no_sense(
    shell: Shell, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "net.npz"
    assert said in shell.refused("train", "tic-tac-toe", "--out", str(out), *options)
    assert not out.exists()


def test_where_a_net_cannot_be_saved(shell: Shell, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "net.npz"
    said = shell.refused("train", "tic-tac-toe", "--out", str(nowhere))
    assert "there is no folder" in said
    assert "is a folder" in shell.refused("train", "tic-tac-toe", "--out", str(tmp_path))
    assert "is a folder" in shell.refused("train", "tic-tac-toe", "--out", "")
    assert "required" in shell.refused("train", "tic-tac-toe")
    there = tmp_path / "there.npz"
    there.write_text("somebody's work")
    there.chmod(0o400)
    if os.geteuid():  # root may write anywhere
        said = shell.refused("train", "tic-tac-toe", "--out", str(there))
        assert "permission denied" in said


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc here")
def test_a_folder_that_takes_no_files(shell: Shell) -> None:
    assert "cannot be written" in shell.refused("train", "tic-tac-toe", "--out", "/proc/net.npz")


def test_without_a_gpu(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = pytest.importorskip("threefold.gpu.driver", reason="numba-cuda is not installed")

    def no_device(instead: str) -> None:
        raise NoGpu(f"there is no CUDA device on this machine; {instead}")

    monkeypatch.setattr(driver, "check_device", no_device)
    said = shell.refused(*QUICK, "--out", str(tmp_path / "net.npz"), "--device", "gpu")
    assert "there is no CUDA device" in said
    assert "--device cpu" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_costs_nothing(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    elsewhere = tmp_path / "net.checkpoint.npz"
    assert shell(*QUICK, "--out", "/dev/full", "--checkpoint", str(elsewhere)) == 2
    assert "/dev/full cannot be written: No space left on device" in shell.err
    assert "the net was saved as" in shell.err
    saved = next(tmp_path.rglob("full"))
    assert Net.load(saved, TIC_TAC_TOE).made["games"] == 300


def test_without_pytorch(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("threefold.learn.")]:
        if name.rpartition(".")[2] in {"model", "td", "on_gpu"}:
            monkeypatch.delitem(sys.modules, name)
    import threefold.learn

    monkeypatch.delattr(threefold.learn, "model", raising=False)
    said = shell.refused(*QUICK, "--out", str(tmp_path / "net.npz"))
    assert 'pip install "threefold[learn]"' in said


def test_games_that_cannot_be_learned(shell: Shell, tmp_path: Path) -> None:
    out = str(tmp_path / "net.npz")
    three = tmp_path / "three.py"
    three.write_text(
        "from typing import NamedTuple\nfrom threefold import Game\n"
        "class S(NamedTuple):\n    left: int\n    turn: int\n"
        "def actions(s, out):\n    out[0] = 1\n    return 1 if s.left else 0\n"
        "g = Game('Three', initial=lambda: S(5, 0), actions=actions,\n"
        "    result=lambda s, a: S(s.left - 1, (s.turn + 1) % 3),\n"
        "    utility=lambda s, p: 1 if p == s.turn else 0, players=3)\n"
    )
    assert "is for two players" in shell.refused("train", str(three), "--out", out)
    hidden = tmp_path / "hidden.py"
    hidden.write_text(
        (EXAMPLES / "twenty_one.py")
        .read_text()
        .replace("utility=utility", "utility=utility, observe=lambda s, p: p")
    )
    assert "perfect information" in shell.refused("train", str(hidden), "--out", out)
    slow = tmp_path / "slow.py"
    slow.write_text(
        "from threefold import Game\n"
        "def actions(s, out):\n    out[0] = 1\n    return 1 if s[0] else 0\n"
        "g = Game('Slow', initial=lambda: (5, 'MAX'), actions=actions, utility=lambda s: 1,\n"
        "    result=lambda s, a: (s[0] - 1, 'MIN' if s[1] == 'MAX' else 'MAX'),\n"
        "    player=lambda s: 0 if s[1] == 'MAX' else 1)\n"
    )
    assert "Slow" in shell.refused("train", str(slow), "--out", out)


class State(NamedTuple):
    stones: int
    turn: int


def counting(**changes: Any) -> Game[State]:
    """Take one to three of some stones; who has none left to take has lost."""

    def actions(s: State, out: Any) -> int:
        n = min(3, s.stones)
        for i in range(n):
            out[i] = i + 1
        return n

    def evaluate(s: State) -> int:
        lost = s.stones % 4 == 0
        return -1 if lost == (s.turn == 0) else 1

    hooks: dict[str, Any] = {
        "initial": lambda: State(21, 0),
        "actions": actions,
        "result": lambda s, a: State(s.stones - a, 1 - s.turn),
        "utility": lambda s: 1 if s.turn == 1 else -1,
        "evaluate": evaluate,
        "max_moves": 3,
        "max_ply": 21,
    }
    return Game("Counting", **(hooks | changes))


def test_features_must_be_a_function_of_the_position() -> None:
    asked = [0]

    def moody(s: State, p: int, out: Any) -> int:
        asked[0] += 1
        out[0] = s.stones + (asked[0] > 700)
        return 1

    def ragged(s: State, p: int, out: Any) -> int:
        n = 2 if s.stones > 10 else 1
        for i in range(n):
            out[i] = s.stones
        return n

    def none(s: State, p: int, out: Any) -> int:
        return 0

    def silent(s: State, p: int, out: Any) -> None:
        out[0] = s.stones

    def endless(s: State, p: int, out: Any) -> int:
        for i in range(65):
            out[i] = 0
        return 65

    def wrong(s: State, p: int, out: Any) -> int:
        out[0] = 0.5
        return 1

    def wide(s: State, p: int, out: Any) -> int:
        out[0] = 1 << 70
        return 1

    assert check_features(counting()) == 3, "the two words of the state, and whose eyes see it"
    for features, said in (
        (moody, "not the same each time"),
        (ragged, "returned 1 here and 2 at the start; write the same number of words"),
        (none, "wrote no words"),
        (silent, "return n, how many words it wrote"),
        (endless, "past the 64 words allowed"),
        (wrong, "whole numbers"),
        (wide, "does not fit into 64 bits"),
    ):
        with pytest.raises(BrokenRules, match=said) as caught:
            check_features(counting(features=features))
        assert "position: stones=" in str(caught.value)


# How strength is measured.


def test_who_knows_the_answer_never_loses_a_pair() -> None:
    """One ply ahead is enough for a perfect evaluation, from every position that is not lost."""
    sparrings = Sparrings(counting())
    sparrings.prepare()
    gains, _ = sparrings._play(BY_EVALUATION, AT_RANDOM, 400)
    assert None not in gains, "every game is played to its end"
    pairs = [sum(gain or 0 for gain in gains[i : i + 2]) for i in range(0, 400, 2)]
    assert min(pairs) == 0
    assert sum(pairs) > 250
    mirrored = sparrings.score(BY_EVALUATION, BY_EVALUATION, games=40)
    assert (mirrored.points, mirrored.error) == (0.0, 0.0), "each pair is one game, played twice"


def test_a_game_that_takes_all_its_plies_is_over() -> None:
    short = counting(initial=lambda: State(2, 0), max_ply=2)
    score = Sparrings(short).score(AT_RANDOM, BY_EVALUATION, games=40)
    assert (score.draws, score.unfinished, score.games) == (0, 0, 40)


def test_a_game_that_takes_too_long_is_no_draw() -> None:
    long = counting(initial=lambda: State(4, 0), max_ply=2)
    score = Sparrings(long).score(AT_RANDOM, AT_RANDOM, games=40)
    assert score.wins + score.losses + score.unfinished == score.games == 40
    assert 0 < score.unfinished < 40
    assert score.points == (score.wins - score.losses) / (score.wins + score.losses)


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_progress_fits_into_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    score = Score(400, 325, 0, 75, 1.05, 0.1177)
    strength = dict.fromkeys(("previous", "random", "evaluation"), score)
    report = Report(1_124_384, 7_192_221, 600.0, 0.8583, strength, measured=True)
    training: Any = SimpleNamespace(report=report, share=0.5)
    for line in (progress(training), milestone(report)):
        assert len(line) < columns
        assert "1,124,384 games" in line
        assert ("evaluation" in line) == (columns >= 80)
        assert ("previous" in line) == (columns == 200)


def by_python(of: Game[Any], games: int, seed: int) -> tuple[list[int], int]:
    """The same games by the evaluation against random play, interpreted."""
    record = interpreted_record(Sparring, of.facts.max_moves)
    record.max_plies = of.facts.max_ply
    record.ways[0], record.ways[1] = BY_EVALUATION, AT_RANDOM
    gains = [0] * games
    start: Any = of.initial()
    interpreted(play_pairs, of)(tuple(start), seed << 32, gains, [record])  # type: ignore[arg-type]
    return gains, record.nodes


@pytest.mark.parametrize("spec", ["tic-tac-toe", "dice-nim"])
def test_the_games_are_the_same_interpreted(spec: str) -> None:
    of = game(spec)
    assert Sparrings(of, seed=4)._play(BY_EVALUATION, AT_RANDOM, 12) == by_python(of, 12, 4)


def test_a_net_plays_by_what_its_plain_arithmetic_says(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "net.npz"
    assert shell(*QUICK, "--out", str(out)) == 0
    net: Any = Net.load(out, TIC_TAC_TOE)
    sparrings = Sparrings(TIC_TAC_TOE)
    played = sparrings._play(net, AT_RANDOM, 60)
    assert played == by_python(TIC_TAC_TOE.judged_by(net), 60, 0)
    assert sparrings.score(net, net, games=40).points == 0.0


# The weights of terms.


def test_the_weights_of_terms(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "weights.txt"
    words = ("train", "tic-tac-toe", "--terms", "threats", "--nodes", "20", "--out", str(out))
    assert shell(*words, "--games", "64", "--json") == 0
    answer = json.loads(shell.out)
    assert answer["evaluation"] == "threats"
    assert answer["games"] == 64
    assert answer["strength"]["evaluation"]["games"] > 0
    judged = TIC_TAC_TOE.using(str(out))
    assert {name: float(judged.weights[name]) for name in answer["weights"]} == answer["weights"]
    assert shell(*words, "--games", "128", "--resume", answer["checkpoint"]) == 0
    assert "128 games" in shell.out


# The documented example.


def test_breakthrough_has_the_moves_that_openspiel_finds() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not to be had here")
    ours = game(str(EXAMPLES / "breakthrough.py"))
    theirs = pyspiel.load_game("breakthrough(rows=6,columns=6)")
    rng = random.Random(7)
    for _ in range(20):
        s, t = ours.initial(), theirs.new_initial_state()
        while not t.is_terminal():
            # OpenSpiel's black moves first, from the top; ours is white, from the bottom.
            names = {turned(t.action_to_string(a)): a for a in t.legal_actions()}
            assert {ours.format_move(s, a): a for a in ours.moves(s)}.keys() == names.keys()
            move = rng.choice(sorted(names))
            s = ours.result(s, ours.parse_move(s, move))
            t.apply_action(names[move])
        assert ours.moves(s) == []
        assert ours.utility(s) == t.returns()[0]


def turned(move: str) -> str:
    """OpenSpiel's `a6a5*` as ours, `a1-a2`."""
    cells = [f"{move[i]}{7 - int(move[i + 1])}" for i in (0, 2)]
    return "-".join(cells)


def test_the_docs_show_breakthrough_as_it_is() -> None:
    page = (EXAMPLES.parent / "docs" / "train.md").read_text("utf-8")
    code = (EXAMPLES / "breakthrough.py").read_text("utf-8")
    begin, end = code.index("class State"), code.index("# How positions")
    assert code[begin:end].strip() in page
