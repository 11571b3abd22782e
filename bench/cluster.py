"""Matches on a Ray cluster: games a second against worker processes, and the leader's limits.

The cluster is the one that runs on this machine, or one that is started. It plays with as many
workers as there are processes in the pool that it is compared with. The limits are what the process
that leads a match could do if it had a core of its own, by the processor time that it takes: to
record games of workers that answer at once, and to pass on portions without games.

    threefold bench cluster
"""

import importlib.util
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from comparison import Comparison, LeftOut, Rate, say

from threefold.arena.contest import Contest
from threefold.arena.crew import Crew
from threefold.arena.pool import Pool
from threefold.arena.record import Played, Task
from threefold.arena.runner import Runner
from threefold.arena.workers import Lost, Workers

GAMES = 5000
TURNS = 3
PORTIONS = 1000
WORKERS = min(os.cpu_count() or 1, 8)
MATCH: Any = ("tic-tac-toe", ["random", "random"])


def measure() -> Iterator[Comparison | Rate | LeftOut]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Contest(*MATCH, db=Path(folder, "games.db")) as it,
    ):
        say("the leader alone")
        began = time.process_time()
        _rate(Immediate(it), Path(folder, "leader.db"))
        most = GAMES / (time.process_time() - began)
        yield Rate("the leader's limit, recording games", most, "games/s", 0)
        if importlib.util.find_spec("ray") is None:
            yield LeftOut("matches on Ray", 'pip install -e ".[cluster]" installs it')
            return
        from threefold.arena.cluster import RayWorkers

        say("worker processes and Ray, in turns")
        with (
            Pool(it.settings, it.openings, WORKERS) as pool,
            RayWorkers(it.settings, it.openings, most=WORKERS) as workers,
        ):
            local, ours = 0.0, 0.0
            for turn in range(TURNS):
                local = max(local, _rate(pool, Path(folder, f"pool{turn}.db")))
                ours = max(ours, _rate(workers, Path(folder, f"ray{turn}.db")))
            what = f"tic-tac-toe, random players, {WORKERS} Ray workers"
            yield Comparison(what, ours, "worker processes", local, "games/s", 0.5)
            most = _portions(workers)
            yield Rate("the leader's limit, handing out portions on Ray", most, "portions/s", 0)


class Immediate(Workers):
    """Workers whose games were played before."""

    def __init__(self, it: Contest) -> None:
        with Crew(it.settings, it.openings) as crew:
            self._games = crew.play([it.settings.task(number) for number in range(100)])
        self._sent: list[Sequence[Task]] = []

    @property
    def capacity(self) -> int:
        return 2 * WORKERS

    def send(self, portion: Sequence[Task]) -> None:
        self._sent.append(portion)

    def receive(self, seconds: float) -> list[list[Played] | Lost]:  # noqa: ARG002
        played = [
            [replace(self._games[task.number % 100], task=task) for task in portion]
            for portion in self._sent
        ]
        self._sent.clear()
        return list(played)


def _rate(workers: Workers, db: Path) -> float:
    """Games that are played and recorded in a second, once everyone is at work."""
    seen: list[tuple[float, int]] = []
    with Contest(*MATCH, db=db) as it:
        it.begin(GAMES)
        runner = Runner(it.settings, it.store, it.match, it.ledger)
        runner.run(GAMES, workers, lambda: seen.append((time.perf_counter(), it.ledger.games)))
    first = next(each for each in seen if each[1] > GAMES / 5)
    seconds, games = (last - early for early, last in zip(first, seen[-1], strict=True))
    return games / seconds


def _portions(workers: Workers) -> float:
    """Portions that are handed out and come back in a second of processor time."""
    began, sent, done = time.process_time(), 0, 0
    while done < PORTIONS:
        for _ in range(min(workers.capacity - (sent - done), PORTIONS - sent)):
            workers.send([])
            sent += 1
        done += len(workers.receive(1.0))
    return PORTIONS / (time.process_time() - began)
