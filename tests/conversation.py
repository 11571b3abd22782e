"""A conversation with a server of a protocol: in this process, line by line."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import chess
import chess.engine

from threefold.protocols.output import Output
from threefold.protocols.thinking import Thinker

#: Seconds after which an answer is missing, on a machine however busy.
PATIENCE = 60.0


class _Heard:
    """A text stream whose lines are put in a queue."""

    def __init__(self) -> None:
        self.lines: queue.Queue[str] = queue.Queue()

    def write(self, text: str) -> int:
        self.lines.put(text.removesuffix("\n"))
        return len(text)

    def flush(self) -> None:
        pass


class Conversation:
    """Speaks with a server that runs in a thread; leaving the block ends its input."""

    def __init__(self, server: Callable[[Thinker, Output], Any], thinker: Thinker) -> None:
        self._said: queue.Queue[str | None] = queue.Queue()
        self._heard = _Heard()
        self.server = server(thinker, Output(self._heard))  # type: ignore[arg-type]
        self._thread = threading.Thread(target=self.server.serve, args=(self._lines(),))
        self._thread.start()

    def _lines(self) -> Iterator[str]:
        while (line := self._said.get()) is not None:
            yield line

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> list[str]:
        """End the input, wait for the server, and return what it still said."""
        self._said.put(None)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the server goes on after the end of its input"
        rest = []
        while not self._heard.lines.empty():
            rest.append(self._heard.lines.get())
        return rest

    def say(self, *lines: str) -> None:
        for line in lines:
            self._said.put(f"{line}\n")

    def hear(self, *beginnings: str) -> list[str]:
        """The lines up to the first that begins in one of these ways."""
        heard = []
        while True:
            heard.append(self._heard.lines.get(timeout=PATIENCE))
            if heard[-1].startswith(beginnings):
                return heard

    def ask(self, question: str, *beginnings: str) -> list[str]:
        """Say something, and hear the answer up to the line that begins in one of these ways."""
        self.say(question)
        return self.hear(*beginnings)


def ready_thinker() -> Thinker:
    """One whose search is loaded."""
    thinker = Thinker()
    assert thinker.is_ready(600)
    assert not thinker.failure
    return thinker


def play_by_the_clock(engine: chess.engine.SimpleEngine) -> chess.Board:
    """Some moves with pondering, in which no clock may run out; where they led."""
    board, clocks = chess.Board(), [6.0, 6.0]
    for _ in range(8):
        limit = chess.engine.Limit(
            white_clock=clocks[0], black_clock=clocks[1], white_inc=0.05, black_inc=0.05
        )
        began = time.perf_counter()
        played = engine.play(board, limit, ponder=True)
        assert played.move is not None
        clocks[not board.turn] += 0.05 - (time.perf_counter() - began)
        board.push(played.move)
        assert min(clocks) > 0
    return board
