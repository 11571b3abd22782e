"""What running a match costs: games a second, memory, going on, and the share of the time.

threefold bench arena
"""

import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comparison import AtMost, Rate, Seconds, say

GAMES = 10_000
MATCH = ["random", "random", "--game", "tic-tac-toe", "--concurrency", "2"]
TIMED = ["alphabeta", "alphabeta", "--time", "0.1", "--games", "2"]


def measure() -> Iterator[Rate | Seconds | AtMost]:
    say("matches")
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder, "games.db"))
        peak, answer = _run([*MATCH, "--games", str(GAMES), "--db", db])
        rate = answer["games"] / answer["seconds"]
        yield Rate("recorded games of tic-tac-toe, random players", rate, "games/s", 500)
        what = f"memory of a match of {GAMES:,} games, all its processes"
        yield AtMost(what, peak / 1e6, "MB", 300)
        began = time.perf_counter()
        _run([*MATCH, "--games", str(GAMES), "--db", db])
        yield Seconds("continuing it, with nothing left to play", time.perf_counter() - began, 2.0)
        for game in ("othello", "chess"):
            timed = str(Path(folder, f"{game}.db"))
            _run([*TIMED, "--game", game, "--db", timed])
            what = f"{game} at 0.1 s a move, the runner's share of the time"
            yield AtMost(what, _overhead(timed), "%", 1)


def _overhead(db: str) -> float:
    """How much of the time in games was not spent by players, in percent."""
    connection = sqlite3.connect(db)
    rows = connection.execute("SELECT duration, seconds FROM game").fetchall()
    connection.close()
    whole = sum(duration for duration, _ in rows)
    thinking = sum(sum(json.loads(seconds)) for _, seconds in rows)
    return float(100 * (whole - thinking) / whole)


def _run(words: list[str]) -> tuple[float, dict[str, Any]]:
    """The most memory that a match and its workers had at once, and its answer."""
    command = [sys.executable, "-m", "threefold", "match", *words, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory(process.pid))
        time.sleep(0.1)
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.read())
    return peak, answer


def _memory(pid: int) -> int:
    """What a process and its children have in memory, in bytes; pages that they share twice."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize() + sum(_memory(int(child)) for child in children)
