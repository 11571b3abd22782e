"""End-game databases on a cluster: a real one on this machine, and workers in this process."""

import json
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from test_cluster import Cluster, running_cluster, signal_node, wait_until_playing

import threefold
from threefold import Game, ThreefoldError, game
from threefold.cluster.nodes import Job, LostPortion, Shared, Unable
from threefold.engine.endgames.files import SUFFIX, TableFile, path_of, read_table
from threefold.solve.endgames import cluster as cluster_module
from threefold.solve.endgames.building import Built, build
from threefold.solve.endgames.cluster import ClusterBuilder
from threefold.solve.endgames.cluster_makers import Changes, Made, Part, Swept, TableMakers, Whole
from threefold.solve.endgames.making import Maker

CHECKERS = game("checkers")
PIECES = 3
TABLES = 16


def tables(g: Game[Any], folder: Path) -> dict[str, tuple[Any, bytes]]:
    """What a database holds: the values, and what the files say of them but for the time taken."""
    found = {}
    for path in folder.iterdir():
        assert path.suffix == SUFFIX, f"{path} is left over"
        table = TableFile(path)
        values = np.empty(table.header.size, np.int16)
        read_table(table, values, Maker(g).coder)
        found[path.name] = (vars(table.header) | {"made": None}, values.tobytes())
    return found


@pytest.fixture(scope="module")
def made_by_threads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("threads")
    build(CHECKERS, PIECES, folder, threads=1)
    return tables(CHECKERS, folder)


# A real cluster.

#: As `threefold database build`, but with parts of another size.
BUILD = """
import json, sys
from threefold import game
from threefold.solve.endgames import building, cluster
part, folder, where = sys.argv[1:]
cluster.PART = int(part) or cluster.PART
built = building.build(game("checkers"), 3, folder, cluster=where)
print(json.dumps({"made": built.made, "kept": built.kept}))
"""
#: With such parts, 3 pieces take some seconds.
SMALL = 8000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    pytest.importorskip("ray", reason="needs Ray: pip install 'threefold[cluster]'")
    with running_cluster() as one:
        yield one


def built_on(
    cluster: Cluster, folder: Path, part: int = 0, run: Any = processes.run, **environment: str
) -> Any:
    """A build on a cluster, in another process."""

    def in_parts(command: list[str], env: dict[str, str]) -> Any:
        return run([sys.executable, "-c", BUILD, str(part), str(folder), command[-1]], env=env)

    return cluster.run(run=in_parts, **environment)


def wait_for_tables(folder: Path, least: int, build: Any) -> None:
    while len(list(folder.glob(f"*{SUFFIX}"))) < least:
        assert build.poll() is None, build.stderr.read()
        time.sleep(0.01)


def test_a_cluster_makes_the_same_tables(
    cluster: Cluster, tmp_path: Path, made_by_threads: dict[str, Any]
) -> None:
    done = built_on(cluster, tmp_path / "db")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"made": TABLES, "kept": 0}
    assert tables(CHECKERS, tmp_path / "db") == made_by_threads
    done = built_on(cluster, tmp_path / "db")
    assert json.loads(done.stdout) == {"made": 0, "kept": TABLES}


def test_a_node_may_die_while_it_makes_parts(
    cluster: Cluster, tmp_path: Path, made_by_threads: dict[str, Any]
) -> None:
    node = cluster.add()
    building = built_on(cluster, tmp_path / "db", SMALL, run=processes.start)
    wait_until_playing(node, building)
    signal_node(node, signal.SIGKILL)
    assert building.poll() is None
    out, err = building.communicate(timeout=processes.PATIENCE)
    assert building.returncode == 0, err
    assert json.loads(out) == {"made": TABLES, "kept": 0}
    assert tables(CHECKERS, tmp_path / "db") == made_by_threads


def test_an_interrupted_build_goes_on(
    cluster: Cluster, tmp_path: Path, made_by_threads: dict[str, Any]
) -> None:
    building = built_on(cluster, tmp_path / "db", SMALL, run=processes.start)
    wait_for_tables(tmp_path / "db", 3, building)
    building.send_signal(signal.SIGINT)
    _, err = building.communicate(timeout=processes.PATIENCE)
    assert building.returncode != 0
    assert err.endswith("KeyboardInterrupt\n")
    done = built_on(cluster, tmp_path / "db")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kept"] >= 3
    assert tables(CHECKERS, tmp_path / "db") == made_by_threads


def test_nodes_must_have_the_same_version(cluster: Cluster, tmp_path: Path) -> None:
    source = Path(threefold.__file__).parent
    shutil.copytree(source, tmp_path / "threefold", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "threefold" / "solve" / "endgames" / "making.py").open("a") as file:
        file.write("# another version\n")
    done = built_on(cluster, tmp_path / "db", PYTHONPATH=processes.path_with(tmp_path))
    assert done.returncode != 0
    assert "no node of the cluster can play: it has Threefold" in done.stderr
    assert not list((tmp_path / "db").iterdir())


# Workers in this process.


class Here(Shared[Any]):
    """Something that need not be sent."""

    def get(self) -> Any:
        if isinstance(self._reference, np.ndarray):
            self._reference.flags.writeable = False
        return self._reference


class Nodes:
    """Two workers in this process, who lose every third task."""

    capacity = 4

    def __init__(self, job: Job, address: str | None, *, most: int | None = None) -> None:
        assert (address, most) == ("10.0.0.1:6379", None)
        assert job.crew == f"{TableMakers.__module__}:{TableMakers.__name__}"
        #: Two workers take turns, so that none knows all that has changed.
        self.crews = [TableMakers[Any](*job.arguments) for _ in range(2)]
        self.crews[0].get_ready()
        self.waiting: deque[Whole | Part] = deque()
        self.received = 0

    def share(self, thing: Any) -> Shared[Any]:
        return Here(thing)

    def send(self, task: Whole | Part) -> None:
        self.waiting.append(task)
        assert len(self.waiting) <= self.capacity

    def receive(self, seconds: float) -> list[Made | Swept | LostPortion[Whole | Part]]:
        assert seconds > 0
        task = self.waiting.popleft()
        self.received += 1
        if self.loses(task):
            return [LostPortion(task)]
        return [self.crews[self.received % 2].play(task)]

    def loses(self, task: Whole | Part) -> bool:
        return self.received % 3 == 0

    def __enter__(self) -> "Nodes":
        return self

    def __exit__(self, *_: object) -> None:
        self.waiting.clear()


def built_here(g: Game[Any], pieces: int, folder: Path) -> Built:
    return build(g, pieces, folder, cluster="ray:10.0.0.1:6379")


@pytest.mark.parametrize("part", [1 << 20, 20_000])
def test_what_is_lost_is_made_again(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_by_threads: dict[str, Any]
) -> None:
    monkeypatch.setattr(cluster_module, "RayNodes", Nodes)
    monkeypatch.setattr(cluster_module, "PART", part)
    assert built_here(CHECKERS, PIECES, tmp_path).made == TABLES
    assert tables(CHECKERS, tmp_path) == made_by_threads


@pytest.mark.parametrize("part", [1 << 20, 100])
def test_margins(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "RayNodes", Nodes)
    monkeypatch.setattr(cluster_module, "PART", part)
    kalah = game("kalah(pits=2)")
    built_here(kalah, 9, tmp_path / "cluster")
    build(kalah, 9, tmp_path / "threads", threads=1)
    assert tables(kalah, tmp_path / "cluster") == tables(kalah, tmp_path / "threads")


def test_a_group_that_is_too_much_for_workers_is_made_by_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_by_threads: dict[str, Any]
) -> None:
    class Small(Nodes):
        def loses(self, task: Whole | Part) -> bool:
            return isinstance(task, Whole) and task.group not in small

    small = {each.number for each in CHECKERS.endgames.slices(2)}  # type: ignore[union-attr]
    monkeypatch.setattr(cluster_module, "RayNodes", Small)
    built_here(CHECKERS, PIECES, tmp_path)
    assert tables(CHECKERS, tmp_path) == made_by_threads


def test_workers_that_always_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Deadly(Nodes):
        def loses(self, task: Whole | Part) -> bool:
            return True

    monkeypatch.setattr(cluster_module, "RayNodes", Deadly)
    with pytest.raises(
        ThreefoldError, match=r"10 workers died while they made .*too little memory"
    ):
        built_here(CHECKERS, PIECES, tmp_path)
    assert not list(tmp_path.iterdir())


def test_damaged_files_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_by_threads: dict[str, Any]
) -> None:
    class Careless(Nodes):
        def receive(self, seconds: float) -> list[Made | Swept | LostPortion[Whole | Part]]:
            (answer,) = super().receive(seconds)
            if isinstance(answer, Made) and self.received % 2:
                for content in answer.files.values():
                    content[-9 if self.received % 4 == 1 else 20] ^= 1
            return [answer]

        def loses(self, task: Whole | Part) -> bool:
            return False

    monkeypatch.setattr(cluster_module, "RayNodes", Careless)
    built_here(CHECKERS, PIECES, tmp_path)
    assert tables(CHECKERS, tmp_path) == made_by_threads


def test_wrong_values_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here workers soon say that nothing changes any more."""

    class Lazy(Nodes):
        def receive(self, seconds: float) -> list[Made | Swept | LostPortion[Whole | Part]]:
            (answer,) = super().receive(seconds)
            if isinstance(answer, Swept) and self.received > 40:
                nothing = np.zeros(0, np.int16)
                answer = replace(answer, changes=Changes(0, nothing, nothing))
            return [answer]

    monkeypatch.setattr(cluster_module, "RayNodes", Lazy)
    monkeypatch.setattr(cluster_module, "PART", 20_000)
    with pytest.raises(ThreefoldError, match=r"values of slice .* are not what their successors"):
        built_here(CHECKERS, PIECES, tmp_path)


def test_a_worker_whose_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its task is lost; and its node is left out once the next worker there says why."""

    def full(*_: Any, **__: Any) -> None:
        raise OSError("no space left")

    crew: TableMakers[Any] = TableMakers("checkers", 2, None)
    monkeypatch.setattr("threefold.solve.endgames.building.write_table", full)
    with pytest.raises(Unable, match="no space left"):
        crew.play(Whole(number=1, group=next(iter(crew._groups)), files={}))
    with pytest.raises(ThreefoldError, match="it cannot make tables: no space left"):
        crew.get_ready()


def test_a_damaged_table_of_an_earlier_build_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "RayNodes", Nodes)
    build(CHECKERS, 2, tmp_path, threads=1)
    path = path_of(tmp_path, "KvK")
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)
    with pytest.raises(ThreefoldError, match=f"{path}' cannot be used: block 0 of it is damaged"):
        built_here(CHECKERS, PIECES, tmp_path)


def test_what_cannot_be_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ThreefoldError, match="is not local, ray or ray:HOST:PORT"):
        build(CHECKERS, 2, tmp_path, cluster="dask")
    with pytest.raises(ThreefoldError, match="on a cluster, tables are made on CPUs"):
        build(CHECKERS, 2, tmp_path, cluster="ray", device="gpu")


def test_progress_names_what_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = set()

    class Watched(Nodes):
        def receive(self, seconds: float) -> list[Made | Swept | LostPortion[Whole | Part]]:
            said.add(builder._status(1.0))
            return super().receive(seconds)

    monkeypatch.setattr(cluster_module, "RayNodes", Watched)
    monkeypatch.setattr(cluster_module, "PART", 20_000)
    slices = list(CHECKERS.endgames.slices(PIECES))  # type: ignore[union-attr]
    builder = ClusterBuilder(
        CHECKERS, slices, tmp_path, True, None, "ray:10.0.0.1:6379", workers=None
    )
    builder.run()
    assert any(": 2 workers; KvK" in each for each in said)
    assert any("(sweep 3," in each and " s left: 2 workers; " in each for each in said)
    assert any("; MvMK, MKvM (verifying)" in each for each in said)
    assert builder._looked() == builder._total
