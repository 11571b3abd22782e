"""Tuning by playing: where parameters go, going on at any moment, and what cannot be tuned."""

import json
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from processes import THREEFOLD, run, start

import threefold
from threefold.arena.crew import Crew
from threefold.arena.lines import parse_line
from threefold.arena.match import MatchSettings
from threefold.arena.openings import openings
from threefold.arena.players import make
from threefold.arena.record import ABANDONED, RULES, Played, Task
from threefold.arena.report import report
from threefold.arena.searching_players import AlphaBeta
from threefold.arena.store import Store
from threefold.arena.summary import Summary
from threefold.arena.tune import Tuning
from threefold.arena.tuned import plot
from threefold.arena.workers import Lost, Workers
from threefold.errors import ThreefoldError
from threefold.protocols.player import Budget

#: Where the pretended players are strongest.
BEST = {"aspiration": 70.0, "lines": -3.0}


class Pretended(Workers):
    """Workers that play no game: who is nearer to the best values wins more often.

    They stop the whole run after some games, as a user would with Ctrl-C.
    """

    def __init__(self, games: float = float("inf"), seed: int = 0) -> None:
        self._waiting: list[Sequence[Task]] = []
        self._left = games
        self._order = random.Random(seed)
        self.numbers: list[int] = []

    @property
    def capacity(self) -> int:
        return 4

    def send(self, portion: Sequence[Task]) -> None:
        self._waiting.append(portion)

    def receive(self, seconds: float) -> list[list[Played] | Lost]:
        tasks = self._waiting.pop(self._order.randrange(len(self._waiting)))
        if self._left < len(tasks):
            raise KeyboardInterrupt
        self._left -= len(tasks)
        self.numbers += [task.number for task in tasks]
        return [[self._played(task) for task in tasks]]

    def _played(self, task: Task) -> Played:
        far = [sum(self._distance(task.lines[player])) for player in task.players]
        chance = random.Random(f"{task.number} {task.opening}").random()
        won = 1 if chance < 0.5 + 0.02 * (far[1] - far[0]) else -1
        ending = ABANDONED if task.number % 50 == 7 else RULES
        return Played(task, "", (), 0, won, ending, "")

    def _distance(self, line: str) -> list[float]:
        options = parse_line(line).options
        return [abs(float(options[name]) - best) for name, best in BEST.items() if name in options]


def tuning(path: Path, **changes: Any) -> Tuning:
    settings: dict[str, Any] = {"iterations": 60, "pairs": 5, "seed": 4} | changes
    parameters = settings.pop("parameters", ["aspiration=10..100:20", "lines=-9.0..9.0"])
    player = settings.pop("player", "alphabeta(eval=lines,nodes=9)")
    return Tuning("tic-tac-toe", player, parameters, db=path, **settings)


def tuned(path: Path, workers: Workers, **changes: Any) -> Tuning:
    """Tune with the workers given, as far as they go."""
    with tuning(path, **changes) as it:
        it._workers = lambda _: workers  # type: ignore[method-assign, assignment]
        it.begin(it.games)
        with suppress(KeyboardInterrupt):
            it.tune()
        return it


def test_parameters_go_where_players_win(tmp_path: Path) -> None:
    it = tuned(tmp_path / "games.db", Pretended(), iterations=150)
    assert it.spsa.done == 150
    assert it.ledger.games == 1500
    assert it.spsa.values["aspiration"] == pytest.approx(70, abs=10)
    assert it.spsa.values["lines"] == pytest.approx(-3, abs=2)
    values = it.spsa.values
    assert it.tuned == (
        f"alphabeta(eval=lines,nodes=9,aspiration={values['aspiration']:.0f},"
        f"lines={values['lines']:.3f}".rstrip("0").rstrip(".")
        + ")"
    )


@pytest.mark.parametrize("stops", [(0,), (1, 9), (10, 11, 99), tuple(range(0, 200, 23))])
def test_a_run_can_be_stopped_at_any_moment(tmp_path: Path, stops: tuple[int, ...]) -> None:
    """The same path at the end, whatever the interruptions; and no game is played twice."""
    whole = tuned(tmp_path / "whole.db", Pretended(), iterations=20)
    path, numbers, before = tmp_path / "parts.db", [], 0
    for seed, stop in enumerate([*stops, 200]):
        workers = Pretended(stop - before, seed)
        parts = tuned(path, workers, iterations=20)
        numbers += workers.numbers
        before = len(numbers)
        with Store(path, create=False) as store:
            matches = store.matches()  # none as long as there are no games
            assert len(matches) == min(before, 1)
            assert sum(len(list(store.results(match))) for match in matches) == before
    assert sorted(numbers) == list(range(200))
    assert parts.spsa.path == whole.spsa.path
    assert parts.to_json() == whole.to_json()


def test_another_plan_is_another_run(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    tuned(path, Pretended(), iterations=3)
    for changes in (
        {"iterations": 4},
        {"iterations": 3, "seed": 5},
        {"iterations": 3, "rate": 1.0},
    ):
        workers = Pretended()
        tuned(path, workers, **changes)
        assert len(workers.numbers) == 10 * changes["iterations"]
    with Store(path, create=False) as store:
        assert [match.kind for match in store.matches()] == ["tune"] * 4


def test_abandoned_games_move_nothing(tmp_path: Path) -> None:
    class Abandoning(Pretended):
        def _played(self, task: Task) -> Played:
            return Played(task, "", (), 0, 1, ABANDONED, "")

    it = tuned(tmp_path / "games.db", Abandoning(), iterations=5)
    assert it.spsa.done == 5
    assert set(it.spsa.path) == {(20.0, 1.0)}


def test_the_picture_shows_every_parameter(tmp_path: Path) -> None:
    it = tuned(tmp_path / "games.db", Pretended(), iterations=30)
    root = ElementTree.fromstring(plot(it.spsa))
    (told,) = [each.text for each in root if each.tag.endswith("desc")]
    ends = [each.text(it.spsa.values[each.name]) for each in it.plan.parameters]
    assert told == f"aspiration from 20 to {ends[0]}; lines from 1 to {ends[1]}"
    inner = [each for each in root.iter() if each.tag.endswith("svg")][1:]
    assert [each.find("{*}title").text for each in inner] == ["aspiration", "lines"]  # type: ignore[union-attr]


def test_a_report_shows_where_the_parameters_are(tmp_path: Path) -> None:
    it = tuned(tmp_path / "games.db", Pretended(games=123), iterations=30)
    with Store(tmp_path / "games.db", create=False) as store:
        (match,) = store.matches()
        summary = Summary(store, match)
        assert summary.to_json() == it.to_json()
        assert summary.lines()[0] == "12 of 30 iterations, 123 games"
        assert summary.lines()[-1] == it.tuned
        assert it.tuned in report(summary)
        assert summary.plots()["parameters"] == plot(it.spsa)


# The players.


def test_the_lines_of_a_task_decide_who_plays() -> None:
    lines = ("alphabeta(aspiration=5,nodes=20)", "alphabeta(aspiration=6,nodes=20)")
    settings = MatchSettings("tic-tac-toe", ("random", "random"))
    game = threefold.game("tic-tac-toe")
    with Crew(settings, openings(game, None, 0)) as crew:
        for number in range(4):
            tried = tuple(line.replace("20", str(20 + number)) for line in lines)
            (played,) = crew.play([Task(number, (0, 1), 0, tried)])
            assert played.ending == RULES
            assert sorted(line for line, _ in crew._players) == sorted(tried)
        equal = (lines[0], lines[0])
        crew.play([Task(9, (0, 1), 0, equal)])
        assert sorted(crew._players) == [(lines[0], 0), (lines[0], 1)]


def test_a_line_sets_the_numbers_of_the_search() -> None:
    line = parse_line("alphabeta(aspiration=5,aspiration_depth=2,nodes=20)")
    player = make(line, threefold.game("tic-tac-toe"), Budget())
    assert isinstance(player, AlphaBeta)
    player.prepare()
    assert player._engine is not None
    found = player._engine.selectivity
    assert (found.aspiration, found.aspiration_depth) == (5, 2)


@pytest.mark.parametrize(
    ("spec", "line", "message"),
    [
        ("chess", "alphabeta(futil=3)", "has no option 'futil'; did you mean futility?"),
        ("chess", "alphabeta(futility=x)", "futility=x is not a whole number from 0 to"),
        ("chess", "alphabeta(null_depth=-1)", "null_depth=-1 is not a whole number from 1 to 127"),
        ("othello", "alphabeta(null_depth=2)", "null_depth changes nothing in Othello"),
    ],
)
def test_bad_numbers_in_a_line(spec: str, line: str, message: str) -> None:
    with pytest.raises(ThreefoldError) as raised:
        make(parse_line(line), threefold.game(spec), Budget())
    assert message in str(raised.value)


# What may be tuned.


@pytest.mark.parametrize(
    ("game", "player", "parameter", "wanted"),
    [
        ("chess", "alphabeta", "futility=50..200", (50, 200, 100, 15, True)),
        ("chess", "alphabeta(futility=90)", "futility=50..200", (50, 200, 90, 15, True)),
        ("chess", "alphabeta", "null_depth = 1..6 : 2", (1, 6, 2, 0.5, True)),
        ("chess", "alphabeta", "null_depth=1..6::2", (1, 6, 3, 2, True)),
        ("chess", "alphabeta(eval=material)", "queen=7.5..11", (7.5, 11, 9, 0.35, False)),
        ("chess", "alphabeta(eval=material)", "queen=7..11", (7, 11, 9, 0.5, True)),
        ("chess", "alphabeta", "king-attack=-1.0..3:0.5:0.25", (-1, 3, 0.5, 0.25, False)),
        ("nim", "mcts", "exploration=0..4", (0, 4, 1.4, 0.4, False)),
    ],
)
def test_parameters_and_their_defaults(
    tmp_path: Path, game: str, player: str, parameter: str, wanted: tuple[Any, ...]
) -> None:
    with Tuning(game, player, [parameter], db=tmp_path / "games.db", iterations=1, pairs=1) as it:
        (found,) = it.plan.parameters
    assert (found.low, found.high, found.start, found.step, found.whole) == wanted


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters": []}, "nothing to tune: give param NAME=LOW..HIGH"),
        ({"parameters": ["aspiration"]}, "is not NAME=LOW..HIGH"),
        ({"parameters": ["aspiration=5"]}, "is not NAME=LOW..HIGH"),
        ({"parameters": ["aspiration=5..9..10"]}, "is not NAME=LOW..HIGH"),
        ({"parameters": ["aspiration=9..5:7"]}, "9 is not below 5"),
        ({"parameters": ["aspiration=5..9"]}, "its start 16 is not in that range"),
        ({"parameters": ["aspiration=5..90::0.2"]}, "a step of 0.2 is not from 0.5 to half"),
        ({"parameters": ["aspiration=5..90::80"]}, "to half of the range, 42.5"),
        ({"parameters": ["aspiration=0..90"]}, "aspiration=0 is not a whole number from 1"),
        ({"parameters": ["aspiration=5.0..90"]}, "aspiration=5.0 is not a whole number"),
        ({"parameters": ["aspiration=5..90", "aspiration=1..90"]}, "aspiration is given twice"),
        ({"parameters": ["null_depth=1..5"]}, "null_depth changes nothing in Tic-tac-toe"),
        ({"parameters": ["corners=1..5"]}, "has no option 'corners'"),
        (
            {"parameters": ["nodes=1..5"]},
            "nodes cannot be tuned: it is none of the player's own numbers",
        ),
        (
            {"parameters": ["memory=1..5"]},
            "there is no value of memory to start from",
        ),
        ({"player": "random"}, "has no option 'aspiration': it has none"),
        ({"iterations": 0}, "iterations 0 is not a whole number from 1 to 1,000,000"),
        ({"pairs": 10**6}, "pairs 1000000 is not a whole number from 1 to 10,000"),
        ({"rate": 0.0}, "rate 0.0 is not a number above 0"),
        ({"rate": float("nan")}, "rate nan is not a number above 0"),
    ],
)
def test_what_cannot_be_tuned(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ThreefoldError) as raised:
        tuning(tmp_path / "games.db", **changes)
    assert message in str(raised.value)
    assert not (tmp_path / "games.db").exists()


# On the command line, with real games.

WORDS = (
    *("tune", "mcts(simulations=15)", "--game", "tic-tac-toe", "--param", "exploration=0..3"),
    *("--pairs", "3", "--seed", "2"),
)


def tune(path: Path, *words: str) -> Any:
    return run([*THREEFOLD, *WORDS, "--db", str(path), *words])


def answer(done: Any) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.pop("seconds") > 0
    return found


def test_a_killed_run_goes_on_and_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    words = ("--iterations", "20", "--json")
    picture, path = tmp_path / "tuned.svg", tmp_path / "parts.db"
    one = start([*THREEFOLD, *WORDS, "--db", str(path), *words])
    wait_until(lambda: recorded(path) >= 10)
    one.kill()
    one.wait()
    assert 10 <= recorded(path) < 120
    parts = answer(tune(path, *words, "--concurrency", "2", "--svg", str(picture)))
    whole = answer(tune(tmp_path / "whole.db", *words))
    assert parts == whole
    assert parts["games"] == recorded(path) == 120
    assert parts["tuned"].startswith("mcts(simulations=15,exploration=")
    assert "exploration from 1.4 to" in picture.read_text("utf-8")
    again = tune(path, "--iterations", "20")
    assert again.stdout.splitlines()[0] == "20 of 20 iterations, 120 games"
    assert again.stdout.splitlines()[-1] == parts["tuned"]
    assert f"threefold match '{parts['tuned']}' 'mcts(simulations=15)'" in again.stderr


def test_bad_input_is_one_line_and_two(tmp_path: Path) -> None:
    done = tune(tmp_path / "games.db", "--param", "luck=1..2")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "has no option 'luck'" in done.stderr
    done = run([*THREEFOLD, "tune", "alphabeta", "--game", "chess", "--param", "futility=9"])
    assert done.returncode == 2
    assert "--param 'futility=9' is not NAME=LOW..HIGH" in done.stderr


def recorded(path: Path) -> int:
    if not path.exists():
        return 0
    with Store(path) as store:
        return sum(1 for match in store.matches() for _ in store.results(match))


def wait_until(happened: Callable[[], bool]) -> None:
    while not happened():
        time.sleep(0.05)
