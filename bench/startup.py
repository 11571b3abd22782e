"""From typing a command to its answer: help, and the first compiled perft, cold and warm."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from comparison import Seconds, say

PERFT = ["perft", "connect-four", "--depth", "5"]


def measure() -> Iterator[Seconds]:
    say("start-up")
    with tempfile.TemporaryDirectory() as cache:
        yield Seconds("threefold --help", _time(["--help"], cache), 0.5)
        yield Seconds("first compiled perft, empty cache", _time(PERFT, cache), 5.0)
        yield Seconds("the same, warm cache", _time(PERFT, cache), 1.5)


def _time(argv: list[str], cache: str) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "threefold", *argv],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"THREEFOLD_CACHE": cache},
    )
    return time.perf_counter() - began
