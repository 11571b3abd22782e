"""Matches on a real Ray cluster of several nodes on this machine."""

import json
import os
import secrets
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import processes
import pytest
from cluster_players import HOLD
from test_match import game_of, played_here, recorded

from threefold import game
from threefold.arena.match import MatchSettings
from threefold.cluster.head_node import ray_address
from threefold.engine.nets import Net
from threefold.errors import ThreefoldError
from threefold.protocols.player import Budget

pytest.importorskip("ray", reason="needs Ray: pip install 'threefold[cluster]'")

HERE = Path(__file__).parent
HELD = "python(cluster_players:held)"
GAMES = 60


class Cluster:
    """A cluster, and how to play on it."""

    def __init__(self, folder: str) -> None:
        path = processes.path_with(HERE)
        #: As long as this file is there, players wait.
        self.hold = Path(folder, "hold")
        self._environment = os.environ | {"RAY_TMPDIR": folder, "PYTHONPATH": path}
        self.token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16)}
        self._process = processes.start(
            [sys.executable, str(HERE / "ray_cluster.py")],
            stdin=processes.PIPE,
            stderr=None,
            env=self._environment | self.token | {HOLD: str(self.hold)},
        )
        self.raylets: list[int] = []
        self.address = self._heard()["address"]
        self.add()

    def _heard(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self._process.stdout.readline())
        self.raylets.append(said["raylet"])
        return said

    def add(self, **environment: str) -> int:
        """Add a node; the process it lives by."""
        self._process.stdin.write(json.dumps(environment) + "\n")
        self._process.stdin.flush()
        self._heard()
        return self.raylets[-1]

    def match(self, *words: str, run: Any = processes.run, **environment: str) -> Any:
        """A match on it, on the command line."""
        return self.run("match", *words, "--json", run=run, **environment)

    def run(self, *words: str, run: Any = processes.run, **environment: str) -> Any:
        """A command that uses it."""
        command = [*processes.THREEFOLD, *words, "--cluster", f"ray:{self.address}"]
        return run(command, env=self._environment | self.token | environment)

    def processes(self) -> dict[int, str]:
        return children(self._process.pid)

    def close(self) -> None:
        processes.end(self._process)


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    # Not pytest's folder: the names of sockets may not be long.
    folder = tempfile.mkdtemp(prefix="ray-")
    one = Cluster(folder)
    yield one
    one.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as one:
        yield one


def children(process: int) -> dict[int, str]:
    """The processes that one has started, and what they call themselves."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            name = (path / "cmdline").read_bytes().partition(b"\0")[0].decode()
        except OSError:  # it is gone
            continue
        if parent == process:
            found[int(path.name)] = name
    return found


def wait_until_playing(raylet: int, match: Any) -> list[int]:
    """The workers of a node that play, once there are any."""
    while True:
        assert match.poll() is None, match.stderr.read()
        found = [child for child, name in children(raylet).items() if "Worker.play" in name]
        if found:
            return found
        time.sleep(0.05)


def signal_node(raylet: int, how: signal.Signals) -> None:
    for process in (raylet, *children(raylet)):
        os.kill(process, how)


def wait_for_games(db: Path, games: int) -> int:
    """Wait until so many games are recorded; how many there are then."""
    seen = 0
    while seen < games:
        time.sleep(0.05)
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as it,
        ):
            ((seen,),) = it.execute("SELECT count(*) FROM game")
    return seen


def held_games() -> list[Any]:
    """What a match that is held up must be, move for move."""
    budget = Budget(nodes=1)
    return list(map(game_of, played_here(MatchSettings("nim", (HELD, "random"), budget), GAMES)))


def start_held_match(cluster: Cluster, db: Path) -> Any:
    words = (HELD, "random", "--game", "nim", "--nodes", "1", "--games", str(GAMES))
    return cluster.match(*words, "--db", str(db), run=processes.start)


def assert_whole(match: Any, db: Path) -> None:
    """It has ended well, and its games are those that they must be."""
    out, err = match.communicate(timeout=processes.PATIENCE)
    assert match.returncode == 0, err
    assert all(line.startswith("threefold: ") for line in err.splitlines()), err
    assert json.loads(out)["games"] == GAMES
    assert list(map(game_of, recorded(db))) == held_games()


@pytest.mark.parametrize(
    "player",
    ["textbook(minimax,depth=1)", pytest.param("alphabeta(nodes=200)", marks=pytest.mark.slow)],
)
def test_a_cluster_plays_the_same_games_as_one_machine(
    cluster: Cluster, player: str, tmp_path: Path
) -> None:
    players = (player, "random")
    db = tmp_path / "games.db"
    words = (*players, "--game", "tic-tac-toe", "--games", "60", "--seed", "7", "--db", str(db))
    done = cluster.match(*words, "--openings", "random:2")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 60
    settings = MatchSettings("tic-tac-toe", players, openings="random:2", seed=7)
    assert list(map(game_of, recorded(db))) == list(map(game_of, played_here(settings, 60)))


def test_files_of_ones_own_are_sent_along(cluster: Cluster, tmp_path: Path) -> None:
    """The file asserts that it is not run where it was found, but where it was sent."""
    (tmp_path / "heap.py").write_text("SIZE = 7\n")
    (tmp_path / "taking.py").write_text(
        f"""
from typing import NamedTuple
from heap import SIZE
from threefold import Game

class State(NamedTuple):
    left: int
    turn: int

def initial(): return State(SIZE, 0)
def actions(s, out):
    for n in range(min(s.left, 2)):
        out[n] = n + 1
    return min(s.left, 2)
def result(s, a): return State(s.left - a, 1 - s.turn)
def utility(s): return 1 if s.turn == 1 else -1
taking = Game("Taking", initial=initial, actions=actions, result=result, utility=utility)

def last(game, s):
    assert {str(tmp_path)!r} not in __file__
    return game.moves(s)[-1]
"""
    )
    file, db = str(tmp_path / "taking.py"), tmp_path / "games.db"
    words = (f"python({file}:last)", "random", "--game", f"{file}:taking", "--games", "8")
    done = cluster.match(*words, "--db", str(db))
    assert done.returncode == 0, done.stderr
    assert {game.ending for game in recorded(db)} == {"rules"}
    assert len(recorded(db)) == 8


def test_a_killed_worker_loses_nothing(cluster: Cluster, tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    cluster.hold.touch()
    match = start_held_match(cluster, db)
    (worker,) = wait_until_playing(cluster.raylets[1], match)
    os.kill(worker, signal.SIGKILL)
    cluster.hold.unlink()
    assert_whole(match, db)


def test_a_node_may_join_hang_and_die(cluster: Cluster, tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    cluster.hold.touch()
    match = start_held_match(cluster, db)
    wait_until_playing(cluster.raylets[0], match)
    node = cluster.add()
    wait_until_playing(node, match)
    signal_node(node, signal.SIGSTOP)
    cluster.hold.unlink()
    wait_for_games(db, 10)  # by the others, who do not wait
    signal_node(node, signal.SIGKILL)
    assert_whole(match, db)


def test_an_interrupted_match_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    match = start_held_match(cluster, db)
    before = wait_for_games(db, 5)
    cluster.hold.touch()
    match.send_signal(signal.SIGINT)
    out, err = match.communicate(timeout=processes.PATIENCE)
    assert match.returncode == 0, err
    assert all(line.startswith("threefold: ") for line in err.splitlines()), err
    assert "threefold: interrupted" in err
    cluster.hold.unlink()
    assert before <= json.loads(out)["games"] == len(recorded(db)) < GAMES
    assert_whole(start_held_match(cluster, db), db)


def test_a_node_that_cannot_play_is_left_out(cluster: Cluster, tmp_path: Path) -> None:
    db, file = tmp_path / "games.db", tmp_path / "picky.py"
    file.write_text(
        "import os\nfrom cluster_players import held\n"
        "if 'NOT_HERE' in os.environ: raise RuntimeError('I cannot work here')\n"
    )
    cluster.hold.touch()
    words = (f"python({file}:held)", "random", "--game", "nim", "--nodes", "1", "--games", "6")
    node = cluster.add(NOT_HERE="1")
    match = cluster.match(*words, "--db", str(db), run=processes.start)
    said = match.stderr.readline()
    cluster.hold.unlink()
    out, _ = match.communicate(timeout=processes.PATIENCE)
    signal_node(node, signal.SIGKILL)
    assert said.startswith("threefold: left out node 127.0.0.1")
    assert "RuntimeError: I cannot work here" in said
    assert json.loads(out)["games"] == 6
    assert json.loads(out)["crashes"] == 0


@pytest.mark.slow
def test_a_match_ends_soon_after_its_head_node(tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    with running_cluster() as cluster:
        cluster.hold.touch()
        match = start_held_match(cluster, db)
        wait_until_playing(cluster.raylets[0], match)
        (head,) = (each for each, name in cluster.processes().items() if "gcs_server" in name)
        os.kill(head, signal.SIGKILL)
        out, err = match.communicate(timeout=processes.PATIENCE)
    assert match.returncode == 2
    assert not out
    (line,) = err.splitlines()
    assert "is gone; what was played is recorded" in line


def test_training_goes_on_without_a_worker(cluster: Cluster, tmp_path: Path) -> None:
    """Killed while it plays, on a node that has no other."""
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    net = tmp_path / "net.npz"
    words = ("nim(heaps=1-2)", "--time", "8", "--out", str(net), "--threads", "1", "--stream")
    training = cluster.run("train", *words, run=processes.start)
    before = json.loads(training.stdout.readline())
    worker = wait_for_worker(cluster.raylets[1], training)
    os.kill(worker, signal.SIGKILL)
    assert wait_for_worker(cluster.raylets[1], training, but=worker)
    out, err = training.communicate(timeout=processes.PATIENCE)
    assert training.returncode == 0, err
    after = json.loads(out.splitlines()[-1])
    assert after["games"] > before["games"] > 0
    Net.load(net, game("nim(heaps=1-2)"))


def wait_for_worker(raylet: int, command: Any, but: int = 0) -> int:
    """A worker of a node that is not this one, once there is any."""
    while True:
        assert command.poll() is None, command.stderr.read()
        for child, name in children(raylet).items():
            if "Worker" in name and child != but:
                return child
        time.sleep(0.05)


# What is wrong, in one line.

RANDOM = ("random", "random", "--game", "nim", "--games", "2")


def complaint(done: Any) -> str:
    """The only line of a command that could not do anything."""
    assert done.returncode == 2, done.stderr
    assert not done.stdout
    (line,) = done.stderr.splitlines()
    return str(line)


def test_nodes_must_have_the_same_version(cluster: Cluster, tmp_path: Path) -> None:
    import threefold

    source = Path(threefold.__file__).parent
    shutil.copytree(source, tmp_path / "threefold", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "threefold" / "arena" / "crew.py").open("a") as file:
        file.write("# another version\n")
    db = str(tmp_path / "games.db")
    done = cluster.match(*RANDOM, "--db", db, PYTHONPATH=processes.path_with(tmp_path))
    line = complaint(done)
    assert "no node of the cluster can play: it has Threefold" in line
    assert "install the same" in line


def test_engines_must_be_on_the_nodes(cluster: Cluster, tmp_path: Path) -> None:
    words = ("uci(no-such-engine)", "random", "--game", "chess", "--games", "2")
    line = complaint(cluster.match(*words, "--db", str(tmp_path / "games.db")))
    assert "no node of the cluster can play: there is no program no-such-engine" in line


def test_a_cluster_wants_its_token(cluster: Cluster, tmp_path: Path) -> None:
    db = str(tmp_path / "games.db")
    done = cluster.match(*RANDOM, "--db", db, RAY_AUTH_MODE="disabled")
    assert "it asks for its token: set RAY_AUTH_MODE=token" in complaint(done)
    done = cluster.match(*RANDOM, "--db", db, RAY_AUTH_TOKEN="", HOME=str(tmp_path))
    assert "there is no token: put the cluster's into" in complaint(done)


@pytest.mark.parametrize("given", ["ray:", "ray:head", "ray:head:0", "ray:ray://head:10001", "x"])
def test_bad_addresses(given: str) -> None:
    with pytest.raises(ThreefoldError, match="HOST:PORT"):
        ray_address(given)


def test_addresses() -> None:
    assert ray_address("ray") is ray_address("ray:auto") is None
    assert ray_address("ray:10.0.0.1:6379") == "10.0.0.1:6379"


def test_nobody_answers(tmp_path: Path) -> None:
    words = (*RANDOM, "--db", str(tmp_path / "games.db"), "--cluster", "ray:127.0.0.1:1")
    done = processes.run([*processes.THREEFOLD, "match", *words])
    assert "--cluster ray:127.0.0.1:1: nobody answers there" in complaint(done)


def test_without_ray(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError\n")
    words = (*RANDOM, "--db", str(tmp_path / "games.db"), "--cluster", "ray")
    environment = os.environ | {"PYTHONPATH": processes.path_with(tmp_path)}
    done = processes.run([*processes.THREEFOLD, "match", *words], env=environment)
    assert "need Ray: pip install 'threefold[cluster]'" in complaint(done)
