"""A class of fifty on one lab: how long each page waits.

Half of the pages play against an engine at full strength, which thinks a second a move; the others
step through procedures and look at positions. All are real connections on this machine, which also
computes for them.

    threefold bench classroom
    THREEFOLD_PAGES=20 threefold bench classroom
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from threefold.engine.levels import LEVELS

PAGES = int(os.environ.get("THREEFOLD_PAGES", "50"))
SECONDS = 30.0
GAMES = ("connect-four", "othello", "tic-tac-toe")
TREE = "(((3 12 8) (2 4 6) (14 5 2)) ((1 0 9) (7 7 3) (2 6 1)) ((4 8 2) (5 5 5) (9 1 3)))"
#: Students think between one request and the next.
PAUSES = (0.3, 1.5)
#: Seconds that a page may wait, 95 times of 100; a move may take that much beyond its level's time.
WANTED = 0.2


@dataclass(frozen=True)
class Wait:
    """How long pages waited for one kind of request."""

    what: str
    times: int
    median: float
    late: float
    longest: float
    wanted: float

    def __str__(self) -> str:
        verdict = "reached" if self.late <= self.wanted else "NOT reached"
        return (
            f"{self.what}: {self.times} times, median {1000 * self.median:.0f} ms, 95 % within "
            f"{1000 * self.late:.0f} ms, longest {1000 * self.longest:.0f} ms; wanted "
            f"{1000 * self.wanted:.0f} ms: {verdict}"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


class Page:
    """One browser's connection."""

    def __init__(self, socket: ClientConnection, waits: dict[str, list[float]]) -> None:
        self._socket = socket
        self._waits = waits
        self._last = 0

    async def ask(self, kind: str, what: str, less: float = 0.0, **fields: Any) -> dict[str, Any]:
        """Ask and wait; record under `kind` how much longer it took than intended."""
        self._last += 1
        began = time.perf_counter()
        await self._socket.send(json.dumps({"id": self._last, "do": what, **fields}))
        while True:
            message = json.loads(await self._socket.recv())
            if message.get("id") == self._last and "news" not in message:
                break
        self._waits[kind].append(time.perf_counter() - began - less)
        if "error" in message:
            raise RuntimeError(message["error"])
        return dict(message["answer"])


async def player(page: Page, rng: random.Random, until: float) -> None:
    """Play one game after another against the engine."""
    strongest = LEVELS[-1]
    while time.perf_counter() < until:
        name = rng.choice(GAMES)
        moves: list[str] = []
        while time.perf_counter() < until:
            seen = await page.ask("page", "view", game=name, moves=moves)
            if seen["over"]:
                break
            if len(moves) % 2 == 0:
                await asyncio.sleep(rng.uniform(*PAUSES))
                moves.append(rng.choice(seen["moves"])["move"])
            else:
                answer = await page.ask(
                    "move",
                    "reply",
                    less=strongest.time,
                    game=name,
                    moves=moves,
                    level=strongest.number,
                )
                moves.append(answer["move"])


async def learner(page: Page, rng: random.Random, until: float) -> None:
    """Step through procedures, and look at positions."""
    while time.perf_counter() < until:
        await asyncio.sleep(rng.uniform(*PAUSES))
        if rng.random() < 0.5:
            name = rng.choice(("minimax", "alphabeta", "scout"))
            await page.ask("page", "explain", procedure=name, tree=TREE)
        else:
            await page.ask("page", "view", game=rng.choice(GAMES))


async def lesson(url: str) -> dict[str, list[float]]:
    waits: dict[str, list[float]] = {"page": [], "move": []}
    address = url.replace("http", "ws") + "connect"
    warm_up: dict[str, list[float]] = {"page": [], "move": []}
    async with connect(address, max_size=None) as socket:
        for name in GAMES:  # one-time compilation happens before the lesson
            await Page(socket, warm_up).ask("move", "reply", game=name, level=10)
    sockets = await asyncio.gather(*(connect(address, max_size=None) for _ in range(PAGES)))
    until = time.perf_counter() + SECONDS
    try:
        await asyncio.gather(
            *(
                (player if i % 2 else learner)(Page(socket, waits), random.Random(i), until)
                for i, socket in enumerate(sockets)
            )
        )
    finally:
        for socket in sockets:
            await socket.close()
    return waits


def measure() -> Iterator[Wait]:
    command = [sys.executable, "-m", "threefold", "lab", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        try:
            waits = asyncio.run(lesson(lab.stdout.readline().strip()))
        finally:
            lab.terminate()
    for kind, what in (
        ("page", f"{PAGES} pages, things to look at"),
        ("move", f"{PAGES} pages, an engine's move, beyond the second it thinks"),
    ):
        times = sorted(waits[kind])
        yield Wait(
            what,
            len(times),
            statistics.median(times),
            times[int(0.95 * len(times))],
            times[-1],
            WANTED,
        )
