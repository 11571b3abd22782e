"""How soon `threefold uci` answers: to `stop`, and to `go movetime`.

threefold bench uci
"""

import subprocess
import sys
import time
from collections.abc import Iterator

from comparison import AtMost, Seconds, say

STOPS = 40
MOVES = 20
#: Milliseconds for a move.
TIME = 100


def measure() -> Iterator[AtMost | Seconds]:
    say("threefold uci")
    began = time.perf_counter()
    with Engine() as engine:
        engine.ask("uci", "uciok")
        yield Seconds("from its start to uciok", time.perf_counter() - began, 1.0)
        engine.compile()
        stops = [engine.stop() for _ in range(STOPS)]
        yield AtMost(f"the slowest answer to {STOPS} stops", 1000 * max(stops), "ms", 50)
        moves = [engine.ask(f"go movetime {TIME}", "bestmove") for _ in range(MOVES)]
        what = f"the slowest of {MOVES} moves of {TIME} ms"
        yield AtMost(what, 1000 * max(moves), "ms", TIME)


class Engine:
    """The engine as a GUI sees it."""

    def __enter__(self) -> "Engine":
        self._process = subprocess.Popen(
            [sys.executable, "-m", "threefold", "uci"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        return self

    def ask(self, command: str, answer: str) -> float:
        """Send a command and wait for its answer; the seconds that took."""
        began = time.perf_counter()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\n")
        self.said: list[str] = []
        while not self.said or not self.said[-1].startswith(answer):
            self.said.append(self._process.stdout.readline())
        return time.perf_counter() - began

    def compile(self) -> None:
        """Wait until it searches with compiled code, which it does not say then."""
        while True:
            self.ask("go movetime 500", "bestmove")
            if not any(line.startswith("info string") for line in self.said):
                return

    def stop(self) -> float:
        """Let it think for a moment; how long it takes to stop."""
        assert self._process.stdin is not None
        self._process.stdin.write("go infinite\n")
        time.sleep(0.3)
        return self.ask("stop", "bestmove")

    def __exit__(self, *_: object) -> None:
        self._process.communicate("quit\n")
