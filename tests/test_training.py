"""Training runs: when they end, what they save, and what is left after whatever goes wrong."""

import json
import math
import signal
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import faults
import numpy as np
import pytest

from threefold import Game, ThreefoldError, game
from threefold.engine.nets import BadNet, Net, feature_words, rounded_layers
from threefold.learn import training as training_module
from threefold.learn.checkpoints import Checkpoint, beside_net, check_same
from threefold.learn.curves import curves, page
from threefold.learn.learner import Diverged, Experience, Goal, Learner, Plan, Round
from threefold.learn.strength import Score, Strength, scored
from threefold.learn.training import Report, Training, rate_at

TIC_TAC_TOE = game("tic-tac-toe")
WORDS = len(feature_words(TIC_TAC_TOE, TIC_TAC_TOE.initial(), 0))


class Stub:
    """Learns nothing, but every round and every step size leave their mark on its net."""

    def __init__(self, of: Game[Any] = TIC_TAC_TOE, games_a_round: int = 10) -> None:
        self.game = of
        self.rate = math.nan
        self.done = 0.0
        self.rates: list[float] = []
        self.games = 0
        self.weight = 0.0
        self.losses: dict[int, float] = {}
        self.at: dict[int, Any] = {}
        self._size = games_a_round

    def prepare(self) -> None:
        assert not self.rates

    def round(self, games: int | None = None) -> Round:
        number = len(self.rates)
        self.rates.append(self.rate)
        if number in self.at:
            self.at[number]()
        played = self._size if games is None else min(self._size, games)
        self.games += played
        self.weight = 0.9 * self.weight + 100 * self.rate
        return Round(played, 7 * played, self.losses.get(number, 1 / (1 + self.games)))

    def net(self) -> Net[Any]:
        first = np.full((64 * WORDS, 2), self.weight)
        weights, biases = [first, np.ones((3, 2))], [np.zeros(2), np.zeros(3)]
        return Net(self.game, *rounded_layers(weights, biases), (-1, 0, 1))

    def state(self) -> Mapping[str, Any]:
        return {"games": np.int64(self.games), "weight": np.float64(self.weight)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.games, self.weight = int(state["games"]), float(state["weight"])


class Referee:
    """Scores that are known before."""

    def __init__(self) -> None:
        self.measured: list[tuple[Net[Any], Net[Any] | None]] = []

    def prepare(self) -> None:
        pass

    def measure(self, net: Net[Any], previous: Net[Any] | None, seconds: float) -> Strength:
        assert 0 < seconds <= 3
        self.measured.append((net, previous))
        return {"random": Score(4, 3, 0, 1, 0.5, 0.25)}


def training(folder: Path, learner: Learner, goal: Goal, **options: Any) -> Training:
    out = folder / "net.npz"
    return Training(learner, Plan(), goal, out, beside_net(out), command="the command", **options)


# When a run ends.


@pytest.mark.parametrize(
    ("goal", "share"),
    [
        (Goal(100, None), 0.25),
        (Goal(None, 10.0), 0.5),
        (Goal(100, 10.0), 0.5),
        (Goal(20, 10.0), 1.0),
        (Goal(), 1.0),
    ],
)
def test_a_goal_says_how_far_a_run_is(goal: Goal, share: float) -> None:
    assert goal.share(25, 5.0) == share


def test_the_step_size_falls_evenly(tmp_path: Path) -> None:
    plan = Plan(rate=0.03, last_rate=0.01)
    assert rate_at(plan, 0.0) == 0.03
    assert rate_at(plan, 0.5) == pytest.approx(0.02)
    assert rate_at(plan, 1.0) == pytest.approx(0.01)
    learner = Stub()
    training(tmp_path, learner, Goal(games=40)).run()
    steps = [b - a for a, b in pairwise(learner.rates)]
    assert learner.rates[0] == Plan().rate
    assert steps == pytest.approx([steps[0]] * 3)
    assert steps[0] < 0


def test_a_run_learns_from_exactly_as_many_games_as_it_should(tmp_path: Path) -> None:
    learner = Stub()
    report = training(tmp_path, learner, Goal(games=25)).run()
    assert (report.games, report.positions) == (25, 175)
    assert learner.games == 25


def test_a_run_ends_when_its_time_is_up(tmp_path: Path) -> None:
    learner = Stub()
    report = training(tmp_path, learner, Goal(seconds=0.05)).run()
    assert report.seconds >= 0.05
    assert report.games == learner.games > 0


# What it saves.


def test_a_net_says_how_it_was_made(tmp_path: Path) -> None:
    referee: Any = Referee()
    training(tmp_path, Stub(), Goal(games=30), sparrings=referee).run()
    made = Net.load(tmp_path / "net.npz", TIC_TAC_TOE).made
    assert made["command"] == "the command"
    assert (made["seed"], made["games"], made["positions"]) == (0, 30, 210)
    assert made["plan"]["hidden"] == [128]
    assert {"threefold", "numpy", "numba", "python"} <= set(made["versions"])
    assert made["device"]
    assert made["strength"]["random"]["points"] == 0.5
    assert made["loss"] > 0
    assert len(str(made["loss"])) <= len("0.123456")


def test_a_plan_names_what_it_uses() -> None:
    assert {"hidden", "rate", "trace"} <= Plan().used().keys()
    assert not {"mix", "nodes", "terms", "exploration"} & Plan().used().keys()
    assert Plan(device="gpu", exploration=0.2).used()["exploration"] == 0.2
    assert "every_roll" in Plan().used()
    assert {"mix", "nodes"} <= Plan(method="fit").used().keys()
    assert not {"trace", "terms"} & Plan(method="fit").used().keys()
    assert not {"hidden", "rate"} & Plan(terms="material").used().keys()


def test_a_net_is_measured_before_and_after(tmp_path: Path) -> None:
    referee: Any = Referee()
    run = training(tmp_path, Stub(), Goal(games=30), sparrings=referee)
    seen: list[Report] = []
    run.watch = seen.append
    run.run()
    assert [previous is None for _, previous in referee.measured] == [True, False]
    assert referee.measured[1][1] is referee.measured[0][0]
    assert run.history[0].games == 0
    assert seen[-1].measured
    assert seen[-1].games == 30


def test_a_run_that_was_ended_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    def arrays(path: Path) -> dict[str, Any]:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name].tolist() for name in file.files if name != "made"}

    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    training(tmp_path / "whole", Stub(), Goal(games=60)).run()
    ended = Stub()
    ended.at[2] = lambda: signal.raise_signal(signal.SIGINT)
    first = training(tmp_path / "parts", ended, Goal(games=60))
    assert first.run().games == 30
    before = Checkpoint.load(tmp_path / "parts" / "net.npz", TIC_TAC_TOE)
    assert (before.goal, before.games) == (Goal(games=60), 30)
    second = training(tmp_path / "parts", Stub(), before.goal, before=before)
    assert second.report.games == 30
    assert second.history == first.history
    assert second.run().games == 60
    assert arrays(tmp_path / "parts" / "net.npz") == arrays(tmp_path / "whole" / "net.npz")
    made = Net.load(tmp_path / "parts" / "net.npz", TIC_TAC_TOE).made
    assert made["positions"] == 420
    assert made["seconds"] >= 0


def test_a_second_interrupt_leaves_the_round_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_module, "LOOK_EVERY", 0.0)
    said: list[str] = []
    learner = Stub()

    def twice() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    learner.at[2] = twice
    before = signal.getsignal(signal.SIGINT)
    run = training(tmp_path, learner, Goal(games=60), say=said.append)
    run.run()
    assert signal.getsignal(signal.SIGINT) is before
    assert not run.can_be_resumed
    assert Net.load(tmp_path / "net.npz", TIC_TAC_TOE).made["games"] == 20
    assert not beside_net(tmp_path / "net.npz").exists(), "the learner was in the middle of a round"
    assert len(said) == 1


def test_an_interrupt_before_anything_was_learned_saves_nothing(tmp_path: Path) -> None:
    learner = Stub()

    def twice() -> None:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)

    learner.at[0] = twice
    with pytest.raises(KeyboardInterrupt):
        training(tmp_path, learner, Goal(games=60)).run()
    assert list(tmp_path.iterdir()) == []


# What can go wrong.


@pytest.mark.parametrize("loss", [math.nan, math.inf, 1e9])
def test_a_run_that_diverges_keeps_the_last_good_net(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: float
) -> None:
    monkeypatch.setattr(training_module, "LOOK_EVERY", 0.0)
    learner = Stub()
    learner.losses[3] = loss
    with pytest.raises(Diverged, match=r"diverged after 30 games.*the net of 30 games.*rate"):
        training(tmp_path, learner, Goal(games=100)).run()
    assert Net.load(tmp_path / "net.npz", TIC_TAC_TOE).made["games"] == 30


def test_weights_that_are_no_numbers_are_a_divergence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_module, "LOOK_EVERY", 0.0)
    learner = Stub()
    learner.at[2] = lambda: setattr(learner, "weight", math.nan)
    with pytest.raises(Diverged, match=r"not a number.*the net of 20 games"):
        training(tmp_path, learner, Goal(games=100)).run()


def test_a_run_that_diverges_at_once_says_so(tmp_path: Path) -> None:
    learner = Stub()
    learner.losses[0] = math.nan
    with pytest.raises(Diverged, match="nothing was saved"):
        training(tmp_path, learner, Goal(games=100)).run()
    assert list(tmp_path.iterdir()) == []


def test_whatever_fails_while_it_saves_training_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file operation fails in turn: the files are old or new, and the net is somewhere."""
    monkeypatch.setattr(training_module, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(training_module, "LOOK_EVERY", 0.0)
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "folder"
    elsewhere.mkdir()
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    said: list[str] = []
    raised: list[str] = []

    def run() -> None:
        said.clear()
        raised.clear()
        try:
            training(folder, Stub(), Goal(games=10), say=said.append).run()
        except ThreefoldError as error:
            raised.append(str(error))

    kinds = (faults.ENOSPC, faults.GONE, faults.SHORT)
    for fault in faults.each(run, under=folder, kinds=kinds):
        assert fault.happened or not said
        for line in (*said, *raised):
            assert "\n" not in line
            assert "cannot be" in line
        if raised:
            saved = next(elsewhere.rglob("net.npz"))
            assert str(saved) in raised[0]
            assert Net.load(saved, TIC_TAC_TOE).made["games"] == 10
            saved.unlink()
        else:
            assert Net.load(folder / "net.npz", TIC_TAC_TOE).made["games"] == 10
        for path in folder.iterdir():
            path.unlink()


# Checkpoints.


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    training(tmp_path, Stub(), Goal(games=20)).run()
    return beside_net(tmp_path / "net.npz")


def test_a_checkpoint_is_for_one_game(checkpoint: Path) -> None:
    with pytest.raises(BadNet, match=r"for tic-tac-toe, whose features are not those of nim"):
        Checkpoint.load(checkpoint, game("nim"))


def test_a_net_without_its_checkpoint_cannot_go_on(checkpoint: Path) -> None:
    checkpoint.unlink()
    with pytest.raises(BadNet, match=r"is a net, and the checkpoint .*net\.checkpoint\.npz"):
        Checkpoint.load(checkpoint.with_name("net.npz"), TIC_TAC_TOE)


def test_a_run_goes_on_with_layers_of_the_same_size_only(checkpoint: Path) -> None:
    before = Checkpoint.load(checkpoint, TIC_TAC_TOE).plan
    check_same(before, Plan(rate=0.5, seed=9, threads=1), checkpoint)
    for other in (Plan(hidden=(32,)), Plan(outputs="margin"), Plan(method="fit")):
        with pytest.raises(ThreefoldError, match="cannot go on with"):
            check_same(before, other, checkpoint)


def test_a_run_of_alphazero_goes_on_where_it_was() -> None:
    """A checkpoint of a GPU has no positions to learn from, which stay on the card."""
    before, path = Plan.usual("alphazero", "gpu"), Path("net.checkpoint.npz")
    check_same(before, before, path)
    with pytest.raises(ThreefoldError, match="device gpu; it cannot go on with cpu"):
        check_same(before, replace(before, device="cpu"), path)


def test_damaged_checkpoints_are_refused(checkpoint: Path) -> None:
    whole = checkpoint.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        checkpoint.write_bytes(whole[:length])
        with pytest.raises(BadNet, match="checkpoint"):
            Checkpoint.load(checkpoint, TIC_TAC_TOE)
    with checkpoint.open("wb") as file:
        np.savez(file, checkpoint=np.int64(1), game=np.array({"a": 1}, object))
    with pytest.raises(BadNet, match="not a checkpoint"):  # which would have to be unpickled
        Checkpoint.load(checkpoint, TIC_TAC_TOE)
    checkpoint.write_bytes(whole)
    with np.load(checkpoint) as file:
        arrays = {name: file[name] for name in file.files}
    with checkpoint.open("wb") as file:
        np.savez(file, **arrays | {"plan": np.array("[1]")})
    with pytest.raises(BadNet, match="not a checkpoint"):
        Checkpoint.load(checkpoint, TIC_TAC_TOE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("adam_0_exp_avg", np.zeros(0, np.float32)),
        ("adam_0_step", np.zeros(0, np.float32)),
        ("adam_1_exp_avg_sq", np.zeros(3, np.int64)),
        ("part_0", np.full((4, 128), np.nan, np.float32)),
    ],
)
def test_weights_and_moments_that_do_not_fit_are_refused(name: str, value: Any) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from threefold.learn.model import Model

    model: Model[Any] = Model(2, (-1, 1), Plan(hidden=(4,)))
    rng = np.random.default_rng(0)
    words = rng.integers(-(1 << 60), 1 << 60, (64, 2))
    model.learn(Experience(words, np.full((64, 2), 0.5, np.float32), 1, 64), 0.01)
    saved = model.state()
    model.restore(saved)
    assert name in saved
    with pytest.raises(ValueError, match=r"Adam|finite"):
        model.restore(saved | {name: value})


@pytest.mark.parametrize("part", ["plan", "progress", "features", "learner.games"])
def test_a_checkpoint_that_lacks_a_part_is_refused(checkpoint: Path, part: str) -> None:
    with np.load(checkpoint) as file:
        arrays = {name: file[name] for name in file.files if name != part}
    with checkpoint.open("wb") as target:
        np.savez(target, **arrays)

    def resume() -> None:
        before = Checkpoint.load(checkpoint, TIC_TAC_TOE)
        training(checkpoint.parent, Stub(), Goal(games=40), before=before)

    with pytest.raises(BadNet, match="damaged"):
        resume()


# Figures and curves.


def test_scores_count_pairs() -> None:
    score = scored([3, -1, 1, 1, -1, 1, 0, 0])
    assert (score.games, score.wins, score.draws, score.losses) == (8, 4, 2, 2)
    assert score.points == pytest.approx(0.5)
    spread = float(np.std([1.0, 1.0, 0.0, 0.0], ddof=1)) / 2
    assert score.error == pytest.approx(1.96 * spread)
    assert Score.from_json(score.to_json()) == Score(8, 4, 2, 2, 0.5, round(1.96 * spread, 4))
    assert scored([1, 1]).error is None


def test_games_that_were_cut_off_do_not_count() -> None:
    score = scored([2, None, -1, 0, 1, 1, None, None])
    assert (score.games, score.wins, score.draws, score.losses) == (8, 3, 1, 1)
    assert score.unfinished == 3
    assert score.points == pytest.approx(3 / 5)
    assert score.error == pytest.approx(1.96 * 0.66813, rel=1e-4)
    assert scored([None, None]).points == 0.0


def some_history() -> list[Report]:
    strength = {
        "random": Score(4, 3, 0, 1, 0.5, 0.25),
        "evaluation": Score(4, 1, 0, 3, -0.5, None),
    }
    return [
        Report(0, 0, 0.0, None, strength, measured=True),
        *(Report(10 * i, 70 * i, 0.5 * i, 1 / i, strength) for i in range(1, 1000)),
        Report(10_000, 70_000, 500.0, 0.001, strength, measured=True),
    ]


def test_curves_are_drawn(tmp_path: Path) -> None:
    drawn = curves("a <b> & c", some_history())
    root = ET.fromstring(drawn)
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert {"Loss", "Strength", "against random play"} <= set(texts)
    assert "from 1.0000 to 0.0010 in 10,000 games" in drawn
    assert len(drawn) < 50_000, "a curve has no more points than can be seen"
    assert curves("nothing yet", [Report(0, 0, 0.0, None)])


def test_the_page_needs_nothing_else_and_reloads_until_the_end() -> None:
    about = [("command", "threefold train <x>")]
    going_on = page("a <b>", about, some_history(), ended=False)
    assert 'http-equiv="refresh"' in going_on
    ended = page("a <b>", about, some_history(), ended=True)
    assert "refresh" not in ended
    assert "<script" not in ended
    assert "threefold train &lt;x&gt;" in ended
    assert "+0.50 ± 0.25" in ended
    assert "src=" not in ended
    assert "http" not in ended.replace("http://www.w3.org/2000/svg", "")


def test_long_runs_keep_few_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_module, "LOOK_EVERY", 0.0)
    monkeypatch.setattr(training_module, "_MOST_POINTS", 20)
    run = training(tmp_path, Stub(), Goal(games=1000))
    report = run.run()
    assert len(run.history) <= 21
    assert run.history[-1].games == report.games == 1000
    with np.load(run.checkpoint) as file:
        assert len(json.loads(str(file["progress"]))["history"]) == len(run.history)
